// The texts of a job.
import { fixed, plural, quantity } from '#shared/numbers.ts';
import type { JobLateWork } from '#shared/protocol.ts';

const othersWait = (tracedUs: number) => `others wait ${quantity(tracedUs, 'us')} because of it`;
/** Where late work was: in the step, or in so many and most in one. */
const inSteps = ({ stepCount, steps }: JobLateWork) => {
  const [most] = steps;
  if (most === undefined) return '';
  if (stepCount === 1) return ` in step ${most.step}`;
  return ` in ${plural(stepCount, 'step')}, most in step ${most.step}`;
};

export const jobTexts = {
  onDevice: 'on the device',
  onHost: 'on the host',
  inAnotherCollective: 'in another collective',
  notBegun: (timeUs: number) => `its recording started ${quantity(timeUs, 'us')} late`,
  ofName: (timeUs: number, name: string, where: string) =>
    `${quantity(timeUs, 'us')} in ${name} ${where}`,
  moreOf: (timeUs: number, name: string, where: string) =>
    `${quantity(timeUs, 'us')} more in ${name} ${where}`,
  rankCount: (count: number) => plural(count, 'rank'),
  exposedOfStep: (exposed: string, stepUs: number, waitingUs: number, waiting: string) =>
    `${exposed} of the mean step of ${quantity(stepUs, 'us')} is communication not overlapped with compute${waitingUs > 0 ? `, and ${waiting} of all time is waiting for other ranks` : ''}`,
  nothingExposed: (stepUs: number) =>
    `the mean step takes ${quantity(stepUs, 'us')} and has no exposed communication`,
  noCollective: 'No collective was recorded.',
  nobodyLate: 'No rank keeps the others waiting.',
  withReason: (reason: string) => `, with ${reason}`,
  workedLate: (rank: number, how: string, why: string) => `Rank ${rank} ${how}${why}.`,
  workIsLate: {
    once: (step: string, excessUs: number) =>
      `hands on ${quantity(excessUs, 'us')} late${step === '' ? '' : `, most in step ${step}`}`,
    always: (_step: string, excessUs: number) =>
      `always works longer than ranks that do the same, ${quantity(excessUs, 'us')} in total`,
    heavy: (_step: string, excessUs: number) =>
      `is a heavy stage, ${quantity(excessUs, 'us')} more work than the other stages`,
  },
  comesLast: (rank: number, timesLast: number, calls: number, why: string) =>
    `Rank ${rank} arrives last at ${fixed(timesLast, 0)} of its ${plural(calls, 'collective')}${why}.`,
  bottleneck: (rank: number, timesLast: number, calls: number, why: string) =>
    `Rank ${rank} is the bottleneck: it arrives last at ${fixed(timesLast, 0)} of its ${plural(calls, 'collective')}${why}.`,
  dataLoader: 'the DataLoader',

  computationHint: 'Time in which kernels compute and none communicates.',
  overlap: 'Overlap',
  overlapHint: 'Time in which kernels compute while others communicate.',
  exposedCommunication: 'Exposed communication',
  exposedCommunicationHint:
    'Time in which kernels communicate and none computes. Includes waiting for late ranks.',
  other: 'Other',
  otherHint: 'The rest of the step: copies and idle time.',
  transfer: 'Transfer',
  transferHint: 'Shortest call of each collective: the rank that arrives last does not wait.',
  waiting: 'Waiting',
  waitingHint: 'Time beyond the transfer, because other ranks arrived later.',

  stragglers: 'Stragglers',
  topology: 'Topology',
  analyses: 'Analyses',

  analysis: 'Analysis',
  inOperatorsNamed: 'In operators named',
  inOperatorsNamedHint:
    'Sequences of the outermost operators whose names contain this; if empty, of the innermost ones. The traces are read again.',

  rank: 'Rank',
  timeOfJob: 'Time since the start of the job',
  sumUs: 'Sum (µs)',
  rankAndDevice: 'Rank/device',
  notAllFit: 'Not all ranks and steps fit in the chart; the tables list all of them.',

  ranks: 'Ranks',
  host: 'host',

  heatMapLabel: (label: string, cell: string) =>
    `${label}. Arrow keys move between the cells. ${cell}`,

  aboutTheseRanks: 'About these ranks',
  moreNotes: (more: number) => `${fixed(more, 0)} more`,
  remarks: 'Remarks',
  showBandwidths: 'Compare bandwidths',
  whoComesLast: 'Late ranks',
  whoComesLastHint:
    'Ranks that others wait for, in collectives or through sends and receives: their lateness is more than 1 % of the recording.',
  allRanks: 'All ranks',
  nobodyComesLast:
    'No rank keeps the others waiting for more than 1 % of the time. Time that pipeline stages spend waiting for each other by design is not counted.',
  openProfile: (rank: number) => `Open the profile of rank ${rank}`,
  rankNumber: (rank: number) => `Rank ${rank}`,
  lateBy: (timesLast: number, calls: number, latenessUs: number, tracedUs: number) =>
    `arrives last at ${fixed(timesLast, 0)} of ${plural(calls, 'collective')}, ${quantity(latenessUs, 'us')} behind the others, costing them ${quantity(tracedUs, 'us')} of waiting in total.`,
  lateWork: {
    once: (work: JobLateWork) =>
      `works ${quantity(work.excessUs, 'us')} longer than usual before ${plural(work.calls, 'send or receive', 'sends and receives')}${inSteps(work)}; ${othersWait(work.tracedUs)}.`,
    always: (work: JobLateWork) =>
      `works longer in every step than ranks that do the same, ${quantity(work.excessUs, 'us')} more than their ${quantity(work.usualUs, 'us')} in total; ${othersWait(work.tracedUs)}.`,
    heavy: (work: JobLateWork) =>
      `is a heavy stage: it has more work in every step than the other stages, ${quantity(work.excessUs, 'us')} more than their ${quantity(work.usualUs, 'us')} in total; ${othersWait(work.tracedUs)}.`,
  },
  causeUnknown: 'Cause unknown: nothing that it did before stands out.',
  didInstead: (rank: number) => `What rank ${rank} did instead`,
  addingUpSteps: 'Summing up steps',
  timeOfRanks: 'Time of each rank',
  timeOfRanksHint:
    'Each moment of a step counts for one of these, so the parts add up to the step. Click a rank to open its profile.',
  noWholeStep: 'No rank recorded a whole step.',
  meanOfSteps: (steps: number) => `Mean of ${plural(steps, 'step')}`,
  addingUpCollectives: 'Summing up collectives',
  transferAndWaiting: 'Transfer and waiting of each rank',
  transferAndWaitingHint:
    'Time in collectives and sends of the whole recording. A rank that waits little keeps the others waiting. Click a rank to open its profile.',
  noneOnSeveralRanks: 'No collective was found on more than one rank.',
  worldSize: 'World size',
  notRecorded: 'not recorded',
  worldSizeHint: 'Number of ranks in the job, as recorded.',
  machines: 'Machines',
  processGroups: 'Process groups',
  recording: 'Recording',
  foundOnSeveralRanks: (collectives: number, matched: number) =>
    `${fixed(collectives, 0)}, ${matched === collectives ? 'all' : fixed(matched, 0)} found on several ranks`,
  transferSumHint: 'Shortest call of each collective, summed.',
  waitingSumHint: 'Time of all ranks beyond the transfer.',
};
