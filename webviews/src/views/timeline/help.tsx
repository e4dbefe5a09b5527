// The keys of the timeline, as a list.
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../widgets/controls.tsx';
import { helpOpen } from './state.ts';
import { frameStats } from './status.ts';

const keys: readonly [string, string][] = [
  ['wheel, pinch, w, s', 'Zoom at the pointer (keys: at the middle)'],
  ['drag, a, d', 'Move'],
  ['Shift + wheel', 'Scroll the rows'],
  ['Shift + drag', 'Mark a range, over rows: a box'],
  ['click, double click', 'Select a slice, zoom to it'],
  ['\u2190 \u2192', 'Previous and next slice (or instant) of the row; without a selection: move'],
  ['\u2191 \u2193', 'The slice around, the first slice inside'],
  ['f', 'Fit the selection or the marked range; again: the whole trace'],
  ['m', 'Mark the selected slice as range; again: clear it'],
  ['l, Shift + l', 'Follow: kernel to launch to operator to forward operator or module; back'],
  ['e', 'Arrows of everything in the window'],
  ['c', 'Open the code of the selected slice'],
  ['/', 'Search'],
  ['Esc', 'Clear selection and range'],
  ['?', 'This list'],
];

export function Help() {
  const recent = frameStats.drawMs.slice(-120);
  const mean = recent.length === 0 ? 0 : recent.reduce((a, b) => a + b, 0) / recent.length;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    helpOpen.value = false;
  };
  return (
    <dialog
      ref={dialog}
      class="tl-help"
      aria-label="Keys of the timeline"
      onClose={close}
      onCancel={close}
    >
      <h2>Keys of the timeline</h2>
      <dl>
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="tl-dim">
        Drawn with {frameStats.renderer}; the last {recent.length} frames took {mean.toFixed(1)} ms
        each.
      </p>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
