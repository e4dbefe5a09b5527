// What was wrong with a file, as one problem for each damage. Pure.
import type { TraceInfo } from '#shared/protocol.ts';

type Problems = TraceInfo['problems'];

/** Kinds of problems that cost single events: damage inside the file. */
export const lossKinds: ReadonlySet<string> = new Set([
  'malformedEvent',
  'oversizedEvent',
  'tooDeep',
  'mergedEvents',
  'missingPhase',
  'missingTime',
  'timeOutOfRange',
  'tooManyEvents',
]);

/** What a damaged event leaves between its neighbors. */
const scrapKinds: ReadonlySet<string> = new Set(['strayText', 'strayBracket', 'strayComma']);

/** The problems, without the scraps where events were lost: these are of the same damage. */
export function problemsToTell(problems: Problems): { told: Problems; scraps: number } {
  const lost = problems.some(({ kind }) => lossKinds.has(kind));
  const told = lost ? problems.filter(({ kind }) => !scrapKinds.has(kind)) : problems;
  const count = (list: Problems): number => list.reduce((sum, problem) => sum + problem.count, 0);
  return { told, scraps: count(problems) - count(told) };
}
