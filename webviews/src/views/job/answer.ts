// What the page of a job begins with, in words. Pure.
import type { DistributedJobResult, JobActivity } from '#shared/protocol.ts';
import { fixed, plural, quantity, share } from '#shared/numbers.ts';

/** Stands for what happened before a recording. */
const notRecorded = '(its recording had not begun)';

const doing: Record<JobActivity['where'], string> = {
  device: 'on its device',
  host: 'on its host',
  communication: 'in another collective',
};

/** What a late rank did instead, without its place. */
export function reasonText(reason: JobActivity): string {
  if (reason.name === notRecorded) {
    return `its recording had not begun for ${quantity(reason.timeUs, 'us')}`;
  }
  return `${quantity(reason.timeUs, 'us')} more of ${reason.name} ${doing[reason.where]}`;
}

/** How the ranks are counted: those there should be, where some are missing. */
function ranksText({ ranks, worldSize }: DistributedJobResult): string {
  const count = ranks.length;
  return worldSize !== null && worldSize > count
    ? `${fixed(count, 0)} of ${plural(worldSize, 'rank')}`
    : plural(count, 'rank');
}

/**
 * Exposed communication as a part of the mean step, and the waiting of all devices as a part of what was
 * recorded of them.
 */
export function shares(
  job: DistributedJobResult,
): { exposed: string; waiting: string } | undefined {
  const { steps, stepUs, communicationUs } = job.breakdown;
  if (steps === 0 || stepUs <= 0) return undefined;
  // Each device of a rank may wait.
  const recordedUs = job.ranks.reduce(
    (sum, { durationNs, devices }) => sum + (durationNs / 1000) * Math.max(1, devices.length),
    0,
  );
  return {
    exposed: share(communicationUs, stepUs),
    waiting: share(job.waitingUs, recordedUs),
  };
}

/** The answer in one sentence. */
export function answerText(job: DistributedJobResult): string {
  const parts = [ranksText(job)];
  const { stepUs } = job.breakdown;
  const part = shares(job);
  if (part !== undefined) {
    parts.push(
      job.breakdown.communicationUs > 0
        ? `${part.exposed} of the mean step of ${quantity(stepUs, 'us')} is communication not overlapped with compute${job.waitingUs > 0 ? `, and ${part.waiting} of all time is waiting for other ranks` : ''}`
        : `the mean step takes ${quantity(stepUs, 'us')} and has no exposed communication`,
    );
  }
  if (job.collectives === 0) {
    return `${parts.join(': ')}; no collective was recorded.`;
  }
  const [worst] = job.stragglers;
  if (worst === undefined) {
    return `${parts.join(': ')}; no rank keeps the others waiting.`;
  }
  const [reason] = worst.reasons;
  const why =
    reason === undefined
      ? ''
      : reason.name === notRecorded
        ? `: ${reasonText(reason)}`
        : `, with ${reasonText(reason)}`;
  return `${parts.join(': ')}; rank ${worst.rank} comes last to ${fixed(worst.timesLast, 0)} of its ${plural(worst.calls, 'collective')}${why}.`;
}

/** Notes that say that figures lack something, apart from what is only worth knowing. */
const serious = new Set([
  'brokenFile',
  'missingRank',
  'duplicateRank',
  'otherJob',
  'unknownRank',
  'clockApart',
  'clockUntied',
  'mixedVersions',
  'missingCalls',
  'bytesDiffer',
]);

export function isSerious(kind: string): boolean {
  return serious.has(kind);
}
