// What was wrong with a file, as one problem for each damage. Pure.
import type { TraceInfo } from '#shared/protocol.ts';

type Problems = TraceInfo['problems'];

/** The problems, without what lost events left between their neighbors: that is of the same damage. */
export function problemsToTell(problems: Problems): { told: Problems; scraps: number } {
  const told = problems.filter(({ leftover }) => !leftover);
  const scraps = problems.filter(({ leftover }) => leftover);
  return { told, scraps: scraps.reduce((sum, { count }) => sum + count, 0) };
}

/** Events of which nothing but their loss is known. */
export const lostEvents = (problems: Problems): number =>
  problems.reduce((sum, { losesEvents, count }) => sum + (losesEvents ? count : 0), 0);

/** Whether another program recorded the trace: nothing is known of its devices, nor how to record more. */
export function isOfOtherRecorder(info: TraceInfo): boolean {
  return info.problems.some(({ kind }) => kind === 'unknownRecorder');
}
