// What the timeline remembers, and the actions on it that several parts share.
import { signal } from '@preact/signals';
import { ask } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import { announce } from '../../host/store.ts';
import { visible } from '../../lib/format.ts';
import type {
  FlowArrow,
  Gap,
  SliceDetail,
  TimelineInstantResult,
  TimelineTracksResult,
} from '#shared/protocol.ts';
import {
  around,
  centered,
  clampWindow,
  panned,
  zoomed,
  type TimeWindow,
} from '../../lanes/window.ts';
import type { RowPrefs } from '../../lanes/layout.ts';
import type { CriticalPath } from '../../lanes/path.ts';
import { commonTexts } from '../../lib/texts.ts';
import { timelineTexts } from './texts.ts';

export type Tracks = TimelineTracksResult;

export interface TimeRange extends TimeWindow {
  /** Rows under the box, undefined for all. */
  tracks?: number[];
}

export const shownWindow = viewState<TimeWindow>('timeline', 'window', {
  startNs: 0,
  endNs: 0,
});
export const prefs = viewState<RowPrefs>('timeline', 'rows', {
  pinned: [],
  hidden: [],
  toggled: [],
  order: [],
});
/** The trace that the window, the selection and the mark are of. */
export const stateOf = viewState<string>('timeline', 'of', '');
export const rowFilter = viewState<string>('timeline', 'rowFilter', '');
export const selectedSlice = viewState<number>('timeline', 'slice', -1);
export const markedRange = viewState<TimeRange | null>('timeline', 'mark', null);
export const scrollTop = viewState<number>('timeline', 'scroll', 0);
export const allFlows = viewState<boolean>('timeline', 'allFlows', false);
export const showGaps = viewState<boolean>('timeline', 'gaps', false);
export const foldLibrary = viewState<boolean>('timeline', 'foldLibrary', true);
export const panel = viewState<'details' | 'search' | 'gaps' | 'path' | 'table' | 'file' | 'none'>(
  'timeline',
  'panel',
  'none',
);
export const searchText = viewState<string>('timeline', 'search', '');
export const searchRegex = viewState<boolean>('timeline', 'searchRegex', false);
export const searchKind = viewState<string>('timeline', 'searchKind', '');
export const searchModule = viewState<string>('timeline', 'searchModule', '');

/** A search that came from a link: exactly one name, or one line of code. */
export const searchExact = signal<
  { name?: string; line?: { file: string; line: number } } | undefined
>(undefined);
export const tracks = signal<Tracks | undefined>(undefined);
export const detail = signal<SliceDetail | undefined>(undefined);
export const arrows = signal<readonly FlowArrow[]>([]);
export const gaps = signal<readonly Gap[]>([]);
/** The device whose idle time `gaps` are. */
export const gapsDevice = signal<number | null>(null);
/** What of the critical path is drawn: while its panel is open. */
export const criticalPath = signal<CriticalPath | undefined>(undefined);
export const shownInstant = signal<TimelineInstantResult | undefined>(undefined);
export const helpOpen = signal(false);
/** Slices that a search found, by id: drawn with an outline. */
export const found = signal<ReadonlySet<number>>(new Set());
/** Grows when the selected slice shall be brought into view. */
export const reveal = signal(0);

export function extentOf(all: Tracks): TimeWindow {
  return { startNs: all.startNs, endNs: Math.max(all.endNs, all.startNs + 10) };
}

export function setWindow(startNs: number, endNs: number): void {
  const all = tracks.peek();
  if (all === undefined) return;
  shownWindow.value = clampWindow(startNs, endNs, extentOf(all));
}

const show = ({ startNs, endNs }: TimeWindow): void => setWindow(startNs, endNs);

export function zoom(factor: number, atNs?: number): void {
  const { startNs, endNs } = shownWindow.peek();
  show(zoomed(shownWindow.peek(), factor, atNs ?? (startNs + endNs) / 2));
}

export function pan(part: number): void {
  show(panned(shownWindow.peek(), part));
}

/** Shows a range with some room around it. */
export function fit(startNs: number, endNs: number): void {
  show(around(startNs, endNs));
}

export function fitAll(): void {
  const all = tracks.peek();
  if (all !== undefined) setWindow(all.startNs, all.endNs);
}

let selection = 0;

/** Selects a slice, fetches what is known of it, and tells screen readers. */
export async function select(slice: number, bring = true): Promise<void> {
  const serial = ++selection;
  shownInstant.value = undefined;
  if (slice < 0) {
    selectedSlice.value = -1;
    detail.value = undefined;
    arrows.value = [];
    return;
  }
  const known = await ask('timeline/slice', { slice });
  if (serial !== selection) return;
  selectedSlice.value = slice;
  detail.value = known;
  if (panel.peek() === 'none') panel.value = 'details';
  announce(
    timelineTexts.sliceSaid(
      visible(known.name),
      known.kind,
      known.durationNs,
      known.startNs,
      known.trackName,
    ),
  );
  if (bring) reveal.value++;
  const flows = await ask('timeline/flows', { slice });
  if (serial === selection) arrows.value = flows.arrows;
}

/** Selects an instant, or what else has a moment and no length. */
export async function selectInstant(index: number): Promise<void> {
  await select(-1);
  const serial = selection;
  const known = await ask('timeline/instant', { index });
  if (serial !== selection) return;
  shownInstant.value = known;
  if (panel.peek() === 'none') panel.value = 'details';
  announce(timelineTexts.instantSaid(visible(known.name), known.ns));
  const { startNs, endNs } = shownWindow.peek();
  if (known.ns < startNs || known.ns > endNs) show(centered(shownWindow.peek(), known.ns));
}

export async function go(direction: 'next' | 'previous' | 'in' | 'out'): Promise<void> {
  const instant = shownInstant.peek();
  if (instant !== undefined) {
    const next =
      direction === 'next' ? instant.next : direction === 'previous' ? instant.previous : null;
    if (next === null) announce(timelineTexts.noMoreInstants);
    else await selectInstant(next);
    return;
  }
  const slice = selectedSlice.peek();
  if (slice < 0) return;
  const answer = await ask('timeline/neighbor', { slice, direction });
  if (answer.slice === null) announce(commonTexts.noMoreSlices);
  else await select(answer.slice.slice);
}

/** Steps of followCause: Shift+l goes back along them as long as it starts where one ended. */
let trail: { from: number; to: number }[] = [];

/** One step from effect to cause: kernel, launch, operator, forward operator or module. */
export async function followCause(): Promise<void> {
  const at = detail.peek();
  if (at === undefined) return;
  const next =
    at.launch ??
    (at.op !== null && at.op.slice !== at.slice ? at.op : null) ??
    at.forward ??
    at.module ??
    at.parent;
  if (next === null) {
    announce(timelineTexts.noParentSlice);
    return;
  }
  if (trail.at(-1)?.to !== at.slice) trail = [];
  trail.push({ from: at.slice, to: next.slice });
  await select(next.slice);
}

/** Back along the way that followCause went, else from a cause to its first effect. */
export async function followEffect(): Promise<void> {
  const at = detail.peek();
  const back = trail.pop();
  if (back !== undefined && back.to === at?.slice) {
    await select(back.from);
    return;
  }
  trail = [];
  const next = at?.launched[0] ?? at?.backward[0];
  if (next === undefined) announce(timelineTexts.launchedNothing);
  else await select(next.slice);
}

export function togglePref(key: 'pinned' | 'hidden' | 'toggled', row: string): void {
  const list = prefs.peek()[key];
  prefs.value = {
    ...prefs.peek(),
    [key]: list.includes(row) ? list.filter((one) => one !== row) : [...list, row],
  };
}

/** Forgets what belonged to another trace. */
export function forgetTrace(): void {
  void select(-1);
  markedRange.value = null;
  gaps.value = [];
  gapsDevice.value = null;
  criticalPath.value = undefined;
  found.value = new Set();
  searchExact.value = undefined;
  trail = [];
}
