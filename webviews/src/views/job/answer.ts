// What the page of a job begins with, in words. Pure.
import type { DistributedJobResult, JobActivity, JobNote } from '#shared/protocol.ts';
import { shortName } from '#shared/names.ts';
import { share } from '#shared/numbers.ts';
import { commonTexts } from '../../lib/texts.ts';
import { filterFor } from '../links.ts';
import { jobTexts } from './texts.ts';

/** Stands for what happened before a recording. */
const notRecorded = '(its recording had not begun)';

const doing: Record<JobActivity['where'], string> = {
  device: jobTexts.onDevice,
  host: jobTexts.onHost,
  communication: jobTexts.inAnotherCollective,
};

/** The name of what a rank did. */
const nameOf = ({ name }: JobActivity): string =>
  name.startsWith('enumerate(DataLoader)#') ? jobTexts.dataLoader : shortName(name);

/** What a rank did, without its place. */
export function activityText(activity: JobActivity): string {
  if (activity.name === notRecorded) {
    return jobTexts.notBegun(activity.timeUs);
  }
  return jobTexts.ofName(activity.timeUs, nameOf(activity), doing[activity.where]);
}

/** What a late rank did instead, without its place. */
export function reasonText(reason: JobActivity): string {
  if (reason.name === notRecorded) return activityText(reason);
  return jobTexts.moreOf(reason.timeUs, nameOf(reason), doing[reason.where]);
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

/** The answer: what holds the job up and why, then what it costs; without the one, what the job does. */
export function answerOf(job: DistributedJobResult): { first: string; rest: string } {
  const { stepUs } = job.breakdown;
  const part = shares(job);
  const costs =
    part === undefined
      ? ''
      : job.breakdown.communicationUs > 0
        ? jobTexts.exposedOfStep(part.exposed, stepUs, job.waitingUs, part.waiting)
        : jobTexts.nothingExposed(stepUs);
  const rest = `${ranksText(job)}${costs === '' ? '' : `: ${costs}`}.`;
  const [worst] = job.stragglers;
  if (job.collectives === 0) return { first: rest, rest: jobTexts.noCollective };
  if (worst === undefined) return { first: rest, rest: jobTexts.nobodyLate };
  const [reason] = worst.reasons;
  const [work] = worst.work;
  // Who began to record late kept nobody waiting before.
  const began = reason?.name === notRecorded;
  const why =
    reason === undefined
      ? ''
      : began
        ? `: ${reasonText(reason)}`
        : jobTexts.withReason(reasonText(reason));
  if (work !== undefined) {
    const how = jobTexts.workIsLate[work.kind](work.steps[0]?.step ?? '', work.excessUs);
    return { first: jobTexts.workedLate(worst.rank, how, why), rest };
  }
  const say = began ? jobTexts.comesLast : jobTexts.bottleneck;
  return { first: say(worst.rank, worst.timesLast, worst.calls, why), rest };
}

/** Notes that say that figures lack something, apart from what is only worth knowing; the worst first. */
const serious = [
  'missingRank',
  'brokenFile',
  'moreSpans',
  'duplicateRank',
  'otherRecording',
  'otherJob',
  'emptyRank',
  'onlyEmptyRanks',
  'tracesWithoutDigest',
  'copiedRank',
  'unknownRank',
  'smallWorld',
  'clockApart',
  'clockUntied',
  'clockRate',
  'mixedVersions',
  'missingCalls',
  'bytesDiffer',
  'ambiguousGroups',
];

/** The notes of a job: files by their names in its folder, what no figure may be read without apart. */
export function notesOf(
  { notes }: DistributedJobResult,
  folder: string,
): { serious: string[]; others: JobNote[] } {
  const told = notes.map((note) => ({
    ...note,
    at: serious.indexOf(note.kind),
    text: note.text.replaceAll(`${folder}/`, '').replaceAll(`${folder}\\`, ''),
  }));
  return {
    serious: told
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)
      .map(({ text }) => text),
    others: told.filter(({ at }) => at < 0),
  };
}

/**
 * Where a slow group or pair stands beside its like: the rows of its operation by group, or the calls
 * of a pair, which is a part of its group; the slowest first. Undefined for other notes.
 */
export function bandwidthsOf(
  note: JobNote,
): { by: 'operations' | 'calls'; filter: string } | undefined {
  if (note.kind !== 'slowLink') return undefined;
  const said = Object.fromEntries(note.arguments.map(({ name, value }) => [name, String(value)]));
  const operation = `operation=${filterFor(said.operation ?? '')}`;
  return said.pair === 'yes'
    ? { by: 'calls', filter: [operation, `group=${filterFor(said.group ?? '')}`].join(' ') }
    : { by: 'operations', filter: operation };
}
