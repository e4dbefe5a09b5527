// What the page of a job begins with, in words. Pure.
import type { DistributedJobResult, JobActivity } from '#shared/protocol.ts';
import { shortName } from '#shared/names.ts';
import { share } from '#shared/numbers.ts';
import { commonTexts } from '../../lib/texts.ts';
import { jobTexts } from './texts.ts';

/** Stands for what happened before a recording. */
const notRecorded = '(its recording had not begun)';

const doing: Record<JobActivity['where'], string> = {
  device: jobTexts.onDevice,
  host: jobTexts.onHost,
  communication: jobTexts.inAnotherCollective,
};

/** What a rank did, without its place. */
export function activityText(activity: JobActivity): string {
  if (activity.name === notRecorded) {
    return jobTexts.notBegun(activity.timeUs);
  }
  return jobTexts.ofName(activity.timeUs, shortName(activity.name), doing[activity.where]);
}

/** What a late rank did instead, without its place. */
export function reasonText(reason: JobActivity): string {
  if (reason.name === notRecorded) return activityText(reason);
  return jobTexts.moreOf(reason.timeUs, shortName(reason.name), doing[reason.where]);
}

/** How the ranks are counted: those there should be, where some are missing. */
function ranksText({ ranks, worldSize }: DistributedJobResult): string {
  const count = ranks.length;
  return worldSize !== null && worldSize > count
    ? commonTexts.ranksOf(count, worldSize)
    : jobTexts.rankCount(count);
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

type Straggler = DistributedJobResult['stragglers'][number];

/** How others wait for a rank, each as the rest of a sentence that begins with it. */
export function latenessTexts(late: Straggler): string[] {
  const inWork = late.work.reduce((sum, { tracedUs }) => sum + tracedUs, 0);
  const texts = [];
  if (late.work.length === 0 || late.tracedUs - inWork > 1) {
    texts.push(
      jobTexts.lateBy(late.timesLast, late.calls, late.latenessUs, late.tracedUs - inWork),
    );
  }
  for (const work of late.work) texts.push(jobTexts.lateWork[work.kind](work));
  return texts;
}

/** The answer in one sentence. */
export function answerText(job: DistributedJobResult): string {
  const parts = [ranksText(job)];
  const { stepUs } = job.breakdown;
  const part = shares(job);
  if (part !== undefined) {
    parts.push(
      job.breakdown.communicationUs > 0
        ? jobTexts.exposedOfStep(part.exposed, stepUs, job.waitingUs, part.waiting)
        : jobTexts.nothingExposed(stepUs),
    );
  }
  if (job.collectives === 0) {
    return jobTexts.noCollective(parts.join(': '));
  }
  const [worst] = job.stragglers;
  if (worst === undefined) {
    return jobTexts.nobodyLate(parts.join(': '));
  }
  const [reason] = worst.reasons;
  const [work] = worst.work;
  const why =
    reason === undefined
      ? ''
      : reason.name === notRecorded
        ? `: ${reasonText(reason)}`
        : jobTexts.withReason(reasonText(reason));
  if (work !== undefined) {
    const how = jobTexts.workIsLate[work.kind](work.steps[0]?.step ?? '', work.excessUs);
    return jobTexts.workedLate(parts.join(': '), worst.rank, how, why);
  }
  return jobTexts.comesLast(parts.join(': '), worst.rank, worst.timesLast, worst.calls, why);
}

/** Notes that say that figures lack something, apart from what is only worth knowing. */
const serious = new Set([
  'moreSpans',
  'brokenFile',
  'missingRank',
  'duplicateRank',
  'otherRecording',
  'otherJob',
  'emptyRank',
  'onlyEmptyRanks',
  'tracesWithoutDigest',
  'copiedRank',
  'unknownRank',
  'clockApart',
  'clockUntied',
  'mixedVersions',
  'missingCalls',
  'bytesDiffer',
  'ambiguousGroups',
]);

export function isSerious(kind: string): boolean {
  return serious.has(kind);
}
