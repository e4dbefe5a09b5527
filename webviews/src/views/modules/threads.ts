// Which threads of the host the operator strip offers, the main one first.
import { useEffect, useState } from 'preact/hooks';
import type { FailureData } from '#shared/messages.ts';
import type {
  TimelineSearchResult,
  TimelineTrack,
  TimelineTracksResult,
} from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { ask } from '../../host/query.ts';
import { failureOf } from '../../host/host.ts';

/** Threads that are asked for their operator time: those with most operators. */
const mostThreads = 16;

export interface OperatorThread {
  track: TimelineTrack;
  operatorNs: number;
}

/**
 * Host threads with operators; the main one first: it ran the profiler's steps, else modules, else
 * most operator time. A thread of autograd's own is never it where there is another.
 */
async function operatorThreads(
  all: TimelineTracksResult,
  signal: AbortSignal,
): Promise<OperatorThread[]> {
  const search = (params: PageParams<'timeline/search'>): Promise<TimelineSearchResult> =>
    ask('timeline/search', { ...params, limit: 1 }, signal);
  const [operators, steps, modules] = await Promise.all([
    search({ kind: 'cpuOp' }),
    search({ text: 'ProfilerStep#' }),
    search({ text: 'nn.Module: ' }),
  ]);
  const having = (found: TimelineSearchResult) => new Set(found.byTrack.map((one) => one.track));
  const [stepped, called] = [having(steps), having(modules)];
  const tracks = new Map(all.tracks.map((track) => [track.id, track]));
  const { startNs, endNs } = all;
  const found = await Promise.all(
    [...operators.byTrack]
      .sort((a, b) => b.count - a.count)
      .flatMap(({ track }) => {
        const known = tracks.get(track);
        return known?.kind === 'thread' ? [known] : [];
      })
      .slice(0, mostThreads)
      .map(async (track): Promise<OperatorThread> => {
        const range = { startNs, endNs, tracks: [track.id], limit: 1 };
        const { kinds } = await ask('timeline/range', range, signal);
        const own = kinds.find((one) => one.kind === 'cpuOp');
        return { track, operatorNs: own?.unionNs ?? 0 };
      }),
  );
  const rank = ({ track }: OperatorThread): number =>
    stepped.has(track.id) ? 2 : called.has(track.id) ? 1 : /autograd/.test(track.name) ? -1 : 0;
  return found.sort((a, b) => rank(b) - rank(a) || b.operatorNs - a.operatorNs);
}

/** The threads of a trace once they are known, or why they are not. */
export function useOperatorThreads(all: TimelineTracksResult | undefined): {
  threads: readonly OperatorThread[] | undefined;
  problem: FailureData | undefined;
} {
  const [threads, setThreads] = useState<readonly OperatorThread[] | undefined>(undefined);
  const [problem, setProblem] = useState<FailureData | undefined>(undefined);
  useEffect(() => {
    if (all === undefined) return undefined;
    const abort = new AbortController();
    setProblem(undefined);
    operatorThreads(all, abort.signal).then(
      (found) => {
        if (!abort.signal.aborted) setThreads(found);
      },
      (reason: unknown) => {
        if (!abort.signal.aborted) setProblem(failureOf(reason));
      },
    );
    return () => abort.abort();
  }, [all]);
  return { threads, problem };
}
