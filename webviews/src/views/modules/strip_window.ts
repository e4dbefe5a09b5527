// The part of time that the operator strip shows: kept with the view, moved by keys, wheel and drag.
import { scopedState } from '../../host/view_state.ts';
import {
  around,
  centered,
  clampWindow,
  panned,
  zoomed,
  type TimeWindow,
} from '../../lanes/window.ts';

const noWindow: TimeWindow = { startNs: 0, endNs: 0 };

export interface StripWindow {
  shown: TimeWindow;
  /** Whether it is another part than at the beginning. */
  isZoomed: boolean;
  set: (window: TimeWindow) => void;
  showAll: () => void;
  zoom: (factor: number, atNs?: number) => void;
  pan: (part: number) => void;
  fit: (startNs: number, endNs: number) => void;
  /** Moves so that a moment is in the middle. */
  center: (ns: number) => void;
}

/** `full` is what shows at first, `extent` how far it can be moved; `moved` is told of each change. */
export function useStripWindow(
  full: TimeWindow,
  extent: TimeWindow,
  moved: () => void,
): StripWindow {
  const stored = scopedState('steps', 'modules', 'stripWindow', noWindow);
  const isZoomed = stored.value.endNs > stored.value.startNs;
  const shown = isZoomed ? stored.value : clampWindow(full.startNs, full.endNs, extent);
  const set = ({ startNs, endNs }: TimeWindow): void => {
    stored.value = clampWindow(startNs, endNs, extent);
    moved();
  };
  const showAll = (): void => {
    stored.value = noWindow;
    moved();
  };
  return {
    shown,
    isZoomed,
    set,
    showAll,
    zoom: (factor, atNs = (shown.startNs + shown.endNs) / 2) => {
      const to = zoomed(shown, factor, atNs);
      // As far out as at the beginning is the beginning.
      if (factor > 1 && to.startNs <= full.startNs && to.endNs >= full.endNs) showAll();
      else set(to);
    },
    pan: (part) => set(panned(shown, part)),
    fit: (startNs, endNs) => set(around(startNs, endNs)),
    center: (ns) => set(centered(shown, ns)),
  };
}
