// What happens on both timelines at once: windows that move together, and a slice with its match.
import { batch, signal } from '@preact/signals';
import { sideNames, type SideName } from '#shared/comparison.ts';
import type { CompareSliceResult, CompareTimelineResult } from '#shared/protocol.ts';
import { quantity } from '#shared/numbers.ts';
import { ask } from '../../../host/query.ts';
import { viewState } from '../../../host/view_state.ts';
import { announce } from '../../../host/store.ts';
import { visible } from '../../../lib/format.ts';
import { around, centered, panned, zoomed, type TimeWindow } from '../../../lanes/window.ts';
import { onOtherWindow } from './clocks.ts';
import {
  askSide,
  failedOn,
  forgetSelection,
  lanesOf,
  locked,
  otherSide,
  placeWindow,
} from './lanes.ts';
import { pairTexts } from './texts.ts';

const noKnots: CompareTimelineResult = { baselineNs: [], candidateNs: [] };

/** Which moments are the same; finer around the window that was shown last. */
export const knots = signal<CompareTimelineResult>(noKnots);
/** The side that was moved last: the other one follows. */
export const leader = viewState<SideName>('compare', 'leader', 'baseline');
/** What the selected slice is on the other side. */
export const match = signal<(CompareSliceResult & { from: SideName }) | undefined>(undefined);

function follow(): void {
  const from = leader.peek();
  if (!locked.peek()) return;
  placeWindow(otherSide(from), onOtherWindow(knots.peek(), from, lanesOf(from).window.peek()));
}

/** Moves a side, and the other one with it while both are locked. */
export function show(side: SideName, to: TimeWindow): void {
  batch(() => {
    leader.value = side;
    placeWindow(side, to);
    follow();
  });
}

export function zoom(side: SideName, factor: number, atNs?: number): void {
  const shown = lanesOf(side).window.peek();
  show(side, zoomed(shown, factor, atNs ?? (shown.startNs + shown.endNs) / 2));
}

export function pan(side: SideName, part: number): void {
  show(side, panned(lanesOf(side).window.peek(), part));
}

/** Both traces whole, whatever is matched. */
export function showAll(): void {
  batch(() => {
    for (const side of sideNames) {
      const all = lanesOf(side).tracks.peek();
      if (all !== undefined) placeWindow(side, { startNs: all.startNs, endNs: all.endNs });
    }
  });
}

export function setLocked(next: boolean): void {
  batch(() => {
    locked.value = next;
    follow();
  });
  announce(next ? pairTexts.moveTogether : pairTexts.moveAlone);
}

/** Reads the knots around what the baseline shows. */
export async function readKnots(signal: AbortSignal): Promise<void> {
  const { startNs, endNs } = lanesOf('baseline').window.peek();
  const window = endNs > startNs ? { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) } : {};
  const next = await ask('compare/timeline', window, signal);
  if (signal.aborted) return;
  batch(() => {
    knots.value = next;
    follow();
  });
}

let serial = 0;

/** Brings a slice of a side into its window where it is not in it. */
function bring(side: SideName): void {
  const lanes = lanesOf(side);
  const at = lanes.detail.peek();
  if (at === undefined) return;
  const { startNs, endNs } = lanes.window.peek();
  if (at.startNs > endNs || at.startNs + at.durationNs < startNs) {
    placeWindow(side, centered({ startNs, endNs }, at.startNs + at.durationNs / 2));
  }
  lanes.reveal.value++;
}

/** In words, for the line below the timelines and for screen readers. */
export function matchText({
  status,
  elsewhere,
  slice,
  from,
}: CompareSliceResult & { from: SideName }): string {
  const other = otherSide(from);
  if (status === 'both') return pairTexts.sameIsMarked(other);
  if (elsewhere !== null) return pairTexts.replacedElsewhere(other, visible(elsewhere));
  if (status === 'replaced') {
    return slice === null ? pairTexts.replacedUnmarked(other) : pairTexts.replacedIsMarked(other);
  }
  return status === 'new' ? pairTexts.isNew : pairTexts.isGone;
}

/** Selects a slice of a side, and shows what it is on the other side. */
export async function select(side: SideName, slice: number): Promise<void> {
  const mine = ++serial;
  const other = otherSide(side);
  try {
    const [own, found] = await Promise.all([
      askSide(side, 'timeline/slice', { slice }),
      ask('compare/slice', { side, slice }),
    ]);
    const theirs =
      found.slice === null
        ? undefined
        : await askSide(other, 'timeline/slice', { slice: found.slice.slice });
    if (mine !== serial) return;
    batch(() => {
      lanesOf(side).detail.value = own;
      lanesOf(other).detail.value = theirs;
      match.value = { ...found, from: side };
      bring(side);
      bring(other);
    });
    announce(
      `${visible(own.name)}, ${quantity(own.durationNs, 'ns')}. ${matchText(match.peek()!)}`,
    );
  } catch (error) {
    failedOn(side, error);
  }
}

export function clearSelection(): void {
  serial++;
  match.value = undefined;
  forgetSelection();
}

/** To a neighbor of the selected slice of a side. */
export async function walk(
  side: SideName,
  direction: 'next' | 'previous' | 'in' | 'out',
): Promise<void> {
  const at = lanesOf(side).detail.peek();
  if (at === undefined) return;
  try {
    const answer = await askSide(side, 'timeline/neighbor', { slice: at.slice, direction });
    if (answer.slice === null) announce(pairTexts.noFurtherSlice);
    else await select(side, answer.slice.slice);
  } catch (error) {
    failedOn(side, error);
  }
}

/** The selected slice fills the window of its side; without one both traces are whole. */
export function fitSelected(side: SideName): void {
  const at = lanesOf(side).detail.peek();
  if (at === undefined) showAll();
  else show(side, around(at.startNs, at.startNs + at.durationNs));
}
