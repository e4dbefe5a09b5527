// The keys of the timeline, as a list.
import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../widgets/controls.tsx';
import { helpOpen } from './state.ts';
import { frameStats } from './status.ts';

const keys: readonly [string, string][] = [
  ['Ctrl + wheel, pinch', 'Zoom at the pointer'],
  ['wheel', 'Zoom with a mouse, scroll with a trackpad (setting: Timeline: Wheel)'],
  ['w, s', 'Zoom in and out'],
  ['drag, a, d', 'Move'],
  ['Shift + wheel', 'Scroll the tracks'],
  ['Shift + drag', 'Mark a range; across tracks: a box'],
  ['click, double click', 'Select a slice; zoom to it'],
  ['\u2190 \u2192', 'Previous and next slice or instant of the track; without a selection: pan'],
  ['\u2191 \u2193', 'Parent slice, first child'],
  ['f', 'Zoom to the selection or marked range; again: the whole trace'],
  ['m', 'Mark the selected slice as a range; again: clear it'],
  ['l, Shift + l', 'Follow: kernel to launch to operator to forward operator or module; back'],
  ['e', 'Show all flow arrows'],
  ['c', 'Open the code of the selected slice'],
  ['/', 'Search'],
  ['Esc', 'Clear selection and range'],
  ['?', 'Keyboard shortcuts'],
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
      aria-label="Timeline shortcuts"
      onClose={close}
      onCancel={close}
    >
      <h2>Timeline shortcuts</h2>
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
