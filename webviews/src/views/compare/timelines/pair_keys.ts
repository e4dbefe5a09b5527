// The keyboard of the two timelines.
import type { SideName } from '#shared/comparison.ts';
import type { Layout } from '../../../lanes/rows.ts';
import type { RowData } from '../../../lanes/source.ts';
import { lanesOf, locked } from './lanes.ts';
import { clearSelection, fitSelected, pan, select, setLocked, walk, zoom } from './pair.ts';

/** Where nothing is selected, the keyboard starts at the first slice on the screen. */
function selectFirst(side: SideName, layout: Layout, rows: ReadonlyMap<number, RowData>): void {
  const { startNs } = lanesOf(side).window.peek();
  for (const { track } of layout.rows) {
    const boxes = rows.get(track.id)?.boxes;
    const index =
      boxes?.slice.findIndex((slice, i) => slice >= 0 && boxes.start[i]! >= startNs) ?? -1;
    if (index >= 0) {
      void select(side, boxes!.slice[index]!);
      return;
    }
  }
}

export function onPairKey(
  event: KeyboardEvent,
  side: SideName,
  layout: Layout,
  rows: ReadonlyMap<number, RowData>,
): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const chosen = lanesOf(side).detail.peek() !== undefined;
  const acts: Record<string, () => void> = {
    w: () => zoom(side, 0.7),
    '+': () => zoom(side, 0.7),
    s: () => zoom(side, 1 / 0.7),
    '-': () => zoom(side, 1 / 0.7),
    a: () => pan(side, -0.2),
    d: () => pan(side, 0.2),
    ArrowLeft: () => (chosen ? void walk(side, 'previous') : pan(side, -0.1)),
    ArrowRight: () => (chosen ? void walk(side, 'next') : pan(side, 0.1)),
    ArrowUp: () => (chosen ? void walk(side, 'out') : undefined),
    ArrowDown: () => (chosen ? void walk(side, 'in') : selectFirst(side, layout, rows)),
    f: () => fitSelected(side),
    l: () => setLocked(!locked.peek()),
    Escape: clearSelection,
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}
