// Which findings the overview begins with. Pure.
import type { Finding } from '#shared/protocol.ts';

/** What could be saved is worth a word from this share of a step on. */
const leastGain = 0.01;

/** Warnings first. */
const severityOrder = ({ severity }: Finding): number => (severity === 'info' ? 1 : 0);

/**
 * What to do comes before what is only said, whichever answer it comes from. Advice on costs that would
 * change nothing about the step is left to the view of the roofs.
 */
export function topFindings(
  recommendations: readonly Finding[],
  costs: readonly Finding[],
  stepUs: number,
): Finding[] {
  const worth = costs.filter(({ gainUs }) => gainUs === null || gainUs >= leastGain * stepUs);
  return [...recommendations, ...worth].sort((a, b) => severityOrder(a) - severityOrder(b));
}
