// Which trace of a profile is chosen, and which of its steps.
import type { ViewSelection } from './messages.ts';
import type { ProfileOpenResult, Worker } from './protocol.ts';

const traceKeys = ['run', 'worker', 'span'] as const;

/** What of `values` names a trace and steps: texts that are not empty. */
export function selectionOf(
  values: Readonly<Partial<Record<keyof ViewSelection, unknown>>>,
): ViewSelection {
  const selection: ViewSelection = {};
  for (const key of [...traceKeys, 'steps'] as const) {
    const value = values[key];
    if (typeof value === 'string' && value !== '') selection[key] = value;
  }
  return selection;
}

/** The trace of a selection, without its steps. */
export function traceOf(selection: ViewSelection): Omit<ViewSelection, 'steps'> {
  const { steps: _steps, ...trace } = selectionOf(selection);
  return trace;
}

/** Whether two selections name the same trace, whatever steps they choose. */
export function sameTrace(a: ViewSelection, b: ViewSelection): boolean {
  return traceKeys.every((key) => (a[key] ?? '') === (b[key] ?? ''));
}

const named = (name: string, wanted: string | undefined): boolean =>
  wanted === undefined || wanted === '' || name === wanted;

/** The names of a worker's capture spans; of the only one, none. */
const spansOf = (worker: Worker): string[] => worker.spans?.map(({ span }) => span) ?? [''];

/** Whether the profile has a trace that the whole selection names. */
export function selectionExists(profile: ProfileOpenResult, wanted: ViewSelection): boolean {
  return profile.runs.some(
    (run) =>
      named(run.name, wanted.run) &&
      run.workers.some(
        (worker) =>
          named(worker.name, wanted.worker) &&
          spansOf(worker).some((span) => named(span, wanted.span)),
      ),
  );
}

/** First and last step of a choice of steps ("3", "2-4"); undefined where all time is chosen. */
export function stepEnds(steps: string | undefined): { first: string; last: string } | undefined {
  const parts = /^(\d+)(?:-(\d+))?$/.exec(steps ?? '');
  if (parts === null) return undefined;
  const first = parts[1]!;
  return { first, last: parts[2] ?? first };
}
