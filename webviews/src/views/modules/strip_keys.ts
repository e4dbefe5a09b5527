// The keyboard of the operator strip.
import { neighbor, type Bar, type Direction } from './bars.ts';
import type { StripWindow } from './strip_window.ts';

export interface StripKeys {
  bars: readonly Bar[];
  current: Bar | undefined;
  window: StripWindow;
  /** Selects a bar; says so where there is none. */
  choose: (bar: Bar | undefined) => void;
  fit: (bar: Bar) => void;
  /** Takes the selection back; false where there is none. */
  unselect: () => boolean;
}

const walks: Partial<Record<string, Direction>> = {
  ArrowRight: 'next',
  ArrowLeft: 'previous',
  ArrowDown: 'in',
  ArrowUp: 'out',
};
const moves: Partial<Record<string, number>> = { ArrowRight: 0.25, ArrowLeft: -0.25 };

/** True where the key was one of the strip's. */
function handled(event: KeyboardEvent, strip: StripKeys): boolean {
  const { bars, current, window, choose } = strip;
  const { shown } = window;
  const chooseFirst = (): void =>
    choose(
      bars.find(
        (bar) =>
          bar.slice >= 0 &&
          bar.startNs < shown.endNs &&
          bar.startNs + bar.durationNs > shown.startNs,
      ),
    );
  const by = moves[event.key];
  const direction = walks[event.key];
  if (by !== undefined && (current === undefined || event.shiftKey)) window.pan(by);
  else if (direction !== undefined && current !== undefined) {
    choose(neighbor(bars, current, direction));
  } else if (direction !== undefined) chooseFirst();
  else if (event.key === 'Enter' || event.key === ' ') {
    if (current === undefined) chooseFirst();
    else strip.fit(current);
  } else if (event.key === '+' || event.key === '=') window.zoom(0.5);
  else if (event.key === '-') window.zoom(2);
  else if (event.key === '0') window.showAll();
  else if (event.key === 'Escape') {
    if (!strip.unselect()) window.showAll();
  } else return false;
  return true;
}

export function onStripKey(event: KeyboardEvent, strip: StripKeys): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !handled(event, strip)) return;
  event.preventDefault();
  event.stopPropagation();
}
