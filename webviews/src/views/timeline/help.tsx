// The keys of the timeline, as a list.
import { useEffect, useRef } from 'preact/hooks';
import type { WheelHabit } from '#shared/messages.ts';
import { wheelHabit } from '../../host/store.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Button } from '../../widgets/controls.tsx';
import { helpOpen } from './state.ts';
import { frameStats } from './status.ts';
import { timelineTexts } from './texts.ts';

const keysFor = (habit: WheelHabit): readonly [string, string][] => [
  [timelineTexts.zoomAtPointerKeys, timelineTexts.zoomAtPointer],
  ['wheel', timelineTexts.wheelHelp(habit)],
  [timelineTexts.zoomKeys, timelineTexts.zoomInAndOut],
  [timelineTexts.moveKeys, timelineTexts.move],
  [timelineTexts.scrollTracksKeys, timelineTexts.scrollTracks],
  [timelineTexts.markRangeKeys, timelineTexts.markRange],
  [timelineTexts.selectKeys, timelineTexts.selectHelp],
  ['\u2190 \u2192', timelineTexts.neighborsHelp],
  ['\u2191 \u2193', timelineTexts.parentAndChild],
  ['f', timelineTexts.fitHelp],
  ['m', timelineTexts.markSelected],
  [timelineTexts.followKeys, timelineTexts.followHelp],
  ['e', timelineTexts.showAllFlowArrows],
  ['c', timelineTexts.openCode],
  ['/', commonTexts.search],
  [timelineTexts.escape, timelineTexts.clearSelection],
  ['?', timelineTexts.keyboardShortcuts],
];

export function Help() {
  const recent = frameStats.drawMs.slice(-120);
  const mean = recent.length === 0 ? 0 : recent.reduce((a, b) => a + b, 0) / recent.length;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The dialog is gone before the browser gives the focus back.
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="tl-help"
      aria-label={timelineTexts.timelineShortcuts}
      onClose={close}
      onCancel={close}
    >
      <h2>{timelineTexts.timelineShortcuts}</h2>
      <dl>
        {keysFor(wheelHabit.value).map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="tl-dim">
        {timelineTexts.drawnWith(frameStats.renderer, recent.length, mean.toFixed(1))}
      </p>
      <Button onClick={() => dialog.current?.close()}>{commonTexts.close}</Button>
    </dialog>
  );
}
