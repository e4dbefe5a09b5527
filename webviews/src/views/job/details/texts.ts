// The texts of what a job's page shows beyond its overview.
import { plural, pluralWord, quantity } from '#shared/numbers.ts';

export const detailTexts = {
  scatterLabel: (label: string, point: string) =>
    `${label}. Arrow keys move between the points. ${point}`,

  stepTimeHint: 'Length of the step.',
  exposed: 'Exposed',
  exposedHint: 'Exposed communication: kernels communicate and none computes.',
  beyondTransferHint: 'Time in collectives beyond the transfer.',
  lateness: 'Lateness',
  latenessHint:
    'How far it was behind the others when it arrived last, and how long the next rank waited for its late work between sends and receives.',
  rankAtStep: (rank: number, device: number | undefined, step: string) =>
    `Rank ${rank}${device === undefined ? '' : `, device ${device}`}, ${step === '' ? 'outside of steps' : `step ${step}`}`,
  notRecordedCell: 'Not recorded',
  opensProfile: 'Click or press Enter to open the profile of the rank',
  ranksAndSteps: 'Ranks and steps',
  readingSteps: 'Reading the steps',
  noStepsWithFigure: 'No rank recorded steps with this figure.',
  outsideSteps: 'Outside of steps',
  higherRows: 'Show higher rows',
  lowerRows: 'Show lower rows',
  byRankAndStep: (figure: string) => `${figure} by rank and step`,
  notAllStepsFit: 'Not all steps fit in the chart.',
  ranksByStep: 'Ranks by step',

  ranksByLateness: 'Ranks by lateness',
  whatLateRanksDid: 'What late ranks did instead',
  latenessByRankAndStep: 'Lateness by rank and step',
  lateWorkOfRanks: 'Late work between sends and receives',
  workBetweenSends: 'Late work',
  reasons: 'Reasons',

  collectiveSaid: (
    rank: number,
    device: number | null,
    many: boolean,
    count: number,
    operation: string,
    call: number,
  ) =>
    `Rank ${rank}${device === null ? '' : `, device ${device}`}: ${many ? `${plural(count, 'collective')} close together` : `${operation}, collective ${call}`}`,
  atAndLong: (startNs: number, lengthNs: number) =>
    `At ${quantity(startNs, 'ns')}, ${quantity(lengthNs, 'ns')} long`,
  waitingFor: (ns: number) => `Waiting ${quantity(ns, 'ns')}`,
  tellsWhoCame: 'Click or press Enter to see when each rank arrived',
  timelineRole: 'timeline',
  timelineLabel: (collective: string) =>
    `Collectives of the ranks over time. Arrow keys move between them, W and S zoom, A and D move. ${collective}`,
  onCommonClock: 'Collectives on the common clock',
  onCommonClockHint:
    'The steps of each rank and, below them, its collectives: first waiting for others, then the transfer.',
  wholeJob: 'Whole job',
  readingTimelines: 'Reading the timelines',
  noRanks: 'There are no ranks.',
  wheelHelp: 'Zoom with Ctrl+wheel or W and S; move with Shift+wheel or A and D.',
  collective: (call: number) => `Collective ${call}`,

  machinesHint: 'Inferred from the names of the workers and their devices.',
  oneMachine: 'One machine',
  rankOn: (rank: number, comesLast: boolean, devices: string) =>
    `Rank ${rank}${comesLast ? ', late' : ''}, ${devices || 'no device'}`,
  rankHint: (rank: number, comesLast: boolean, devices: string, models: string) =>
    `Rank ${rank}${comesLast ? ' arrives late' : ''}\n${devices || 'No device work'}${models}\nOpen its profile`,
  rankCell: (rank: number | string, comesLast: boolean) => `${rank}${comesLast ? ', late' : ''}`,
  noTraceOf: (count: number, ranks: string) => `No trace of ${pluralWord(count, 'rank')} ${ranks}.`,
  noDigestOf: (count: number, ranks: string) =>
    `No digest of ${pluralWord(count, 'rank')} ${ranks}.`,
  moreMachines: (more: number) => `and ${plural(more, 'more machine')}`,
};
