// What one side of the two timelines shows, and the questions it asks its own profile.
import { batch, signal, type Signal } from '@preact/signals';
import { sideNames, type SideName } from '#shared/comparison.ts';
import type { FailureData, ViewSelection } from '#shared/messages.ts';
import type { SliceDetail, TimelineTracksResult } from '#shared/protocol.ts';
import type { PageMethod, PageParams, Result } from '#shared/requests.ts';
import { selectionOf, traceOf } from '#shared/selection.ts';
import { CancelledError, failureOf, request } from '../../../host/host.ts';
import { viewState } from '../../../host/view_state.ts';
import { compared } from '../../../host/store.ts';
import { clampWindow, type TimeWindow } from '../../../lanes/window.ts';

const otherOf = { baseline: 'candidate', candidate: 'baseline' } as const;
export const otherSide = (side: SideName): SideName => otherOf[side];

export interface SideLanes {
  side: SideName;
  tracks: Signal<TimelineTracksResult | undefined>;
  window: Signal<TimeWindow>;
  /** Keys of the rows whose folding differs from the suggestion. */
  toggled: Signal<string[]>;
  /** The slice that is selected, or what it is on this side. */
  detail: Signal<SliceDetail | undefined>;
  failure: Signal<FailureData | undefined>;
  /** Grows when `detail` shall be scrolled to. */
  reveal: Signal<number>;
}

const known = new Map<SideName, SideLanes>();

export function lanesOf(side: SideName): SideLanes {
  const made = known.get(side);
  if (made !== undefined) return made;
  const lanes: SideLanes = {
    side,
    tracks: signal(undefined),
    window: viewState<TimeWindow>('compare', `${side}Window`, { startNs: 0, endNs: 0 }),
    toggled: viewState<string[]>('compare', `${side}Rows`, []),
    detail: signal(undefined),
    failure: signal(undefined),
    reveal: signal(0),
  };
  known.set(side, lanes);
  return lanes;
}

/** Windows move together on matched points. */
export const locked = viewState('compare', 'locked', true);

/** Asks the profile of one side about its whole trace. */
export function askSide<M extends PageMethod>(
  side: SideName,
  method: M,
  params: PageParams<M> & object,
  signal?: AbortSignal,
): Promise<Result<M>> {
  const selection: ViewSelection = traceOf(selectionOf(compared.peek()?.[side].selection ?? {}));
  return request(method, { ...selection, ...params }, signal, side);
}

export function failedOn(side: SideName, error: unknown): void {
  if (!(error instanceof CancelledError)) lanesOf(side).failure.value = failureOf(error);
}

export function extentOf(all: TimelineTracksResult): TimeWindow {
  return { startNs: all.startNs, endNs: Math.max(all.endNs, all.startNs + 10) };
}

/** Sets the window of one side alone, within its trace. */
export function placeWindow(side: SideName, { startNs, endNs }: TimeWindow): void {
  const lanes = lanesOf(side);
  const all = lanes.tracks.peek();
  if (all !== undefined) lanes.window.value = clampWindow(startNs, endNs, extentOf(all));
}

/** Reads the rows of a side; what another trace had is forgotten. */
export async function readTracks(
  side: SideName,
  fresh: boolean,
  signal: AbortSignal,
): Promise<void> {
  const lanes = lanesOf(side);
  lanes.failure.value = undefined;
  try {
    const next = await askSide(side, 'timeline/tracks', {}, signal);
    batch(() => {
      lanes.tracks.value = next;
      const { startNs, endNs } = lanes.window.peek();
      const outside = startNs > next.endNs || endNs < next.startNs || !(endNs > startNs);
      if (fresh) lanes.detail.value = undefined;
      if (fresh || outside) {
        placeWindow(side, { startNs: next.workStartNs, endNs: next.workEndNs });
      }
    });
  } catch (error) {
    failedOn(side, error);
  }
}

export function forgetSelection(): void {
  for (const side of sideNames) lanesOf(side).detail.value = undefined;
}
