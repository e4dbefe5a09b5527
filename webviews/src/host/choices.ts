// What somebody chooses to look at, and its load: another trace, another side's, other steps, another job.
import { batch } from '@preact/signals';
import type { SideName } from '#shared/comparison.ts';
import type { ViewSelection } from '#shared/messages.ts';
import { selectionOf, traceOf } from '#shared/selection.ts';
import { commonTexts } from '../lib/texts.ts';
import { CancelledError, failureOf, request, saveState, tellHost } from './host.ts';
import { compared, epoch, job, part, selection, status, trace, view } from './store.ts';
import { stateNow } from './view_state.ts';

let pictureAbort: AbortController | undefined;

/** Shows the beginning of the trace that is being read. Without one, the whole is waited for. */
export async function showFirstPicture(): Promise<void> {
  if (pictureAbort !== undefined) return;
  const abort = new AbortController();
  pictureAbort = abort;
  try {
    const picture = await request('profile/firstPicture', traceOf(selection.value), abort.signal);
    if (pictureAbort !== abort || status.value.kind !== 'loading') return;
    batch(() => {
      trace.value = picture.trace;
      part.value = picture;
    });
  } catch {
    // The load itself says what is wrong.
  }
}

/** The part is not shown any more: the whole is, or nothing. */
export function endPart(): void {
  pictureAbort?.abort();
  pictureAbort = undefined;
  part.value = undefined;
}

/** The whole is loaded. A view that shows the part goes on with it until it has the whole. */
export function overtakePart(): void {
  pictureAbort?.abort();
  pictureAbort = undefined;
  if (view.value !== 'overview') part.value = undefined;
}

let loadAbort: AbortController | undefined;

/** Chooses another trace of the profile and loads it. */
export async function selectTrace(next: ViewSelection): Promise<void> {
  const before = { selection: selection.value, trace: trace.value };
  loadAbort?.abort();
  const abort = new AbortController();
  loadAbort = abort;
  batch(() => {
    endPart();
    selection.value = next;
    status.value = { kind: 'loading', stage: commonTexts.loading, percent: undefined };
  });
  try {
    const info = await request('profile/load', traceOf(next), abort.signal);
    batch(() => {
      overtakePart();
      trace.value = info;
      status.value = { kind: 'loaded' };
      epoch.value++;
    });
  } catch (error) {
    if (error instanceof CancelledError) {
      if (loadAbort !== abort) return;
      batch(() => {
        endPart();
        trace.value = before.trace;
        selection.value = before.selection;
        status.value = before.trace === undefined ? { kind: 'starting' } : { kind: 'loaded' };
      });
      return;
    }
    endPart();
    status.value = { kind: 'failed', error: failureOf(error) };
  }
}

/** Chooses another trace of one side of a comparison and loads it. */
export async function selectSideTrace(side: SideName, next: ViewSelection): Promise<void> {
  const before = compared.value;
  if (before === undefined) return;
  loadAbort?.abort();
  const abort = new AbortController();
  loadAbort = abort;
  status.value = { kind: 'loading', stage: commonTexts.loading, percent: undefined };
  try {
    const trace = await request('profile/load', traceOf(next), abort.signal, side);
    batch(() => {
      const { loaded } = before[side];
      compared.value = {
        ...before,
        [side]: { ...before[side], selection: next, loaded: loaded && { ...loaded, trace } },
      };
      status.value = { kind: 'loaded' };
      epoch.value++;
    });
  } catch (error) {
    if (error instanceof CancelledError) {
      if (loadAbort === abort) status.value = { kind: 'loaded' };
      return;
    }
    status.value = { kind: 'failed', error: failureOf(error) };
  }
}

/** Chooses steps of one side of a comparison. */
export function selectSideSteps(side: SideName, steps: string | undefined): void {
  const sides = compared.value;
  if (sides === undefined) return;
  compared.value = {
    ...sides,
    [side]: { ...sides[side], selection: withSteps(sides[side].selection, steps) },
  };
}

/** Calls off a load that the page itself asked for; false when there is none. */
export function cancelOwnLoad(): boolean {
  if (loadAbort === undefined || loadAbort.signal.aborted || status.value.kind !== 'loading') {
    return false;
  }
  loadAbort.abort();
  return true;
}

export function selectSteps(steps: string | undefined): void {
  selection.value = withSteps(selection.value, steps);
}

export function withSteps(before: ViewSelection, steps: string | undefined): ViewSelection {
  return { ...traceOf(before), ...(steps === undefined || steps === 'all' ? {} : { steps }) };
}

/** Shows another run, or another capture span, of the folder that a job's page was opened on. */
export function selectJob(next: ViewSelection): void {
  const known = job.value;
  if (known === undefined) return;
  batch(() => {
    selection.value = selectionOf(next);
    job.value = { ...known, loaded: undefined };
  });
  saveState(stateNow());
  tellHost('retry');
}

/** A load that the page asked for itself is overtaken by another choice, and puts nothing back. */
export function overtakeOwnLoad(): void {
  const overtaken = loadAbort;
  loadAbort = undefined;
  overtaken?.abort();
}
