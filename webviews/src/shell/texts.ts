// The texts of what stands around the views.
import { fixed, plural, quantity } from '#shared/numbers.ts';

export const shellTexts = {
  scriptNotLoaded: 'Its script could not be loaded.',
  openingView: 'Opening the view',

  serverRestarts: 'The analysis server stopped and is restarting.',
  restart: 'Restart',
  sourceMissing: <T>(name: string, path: T): (string | T)[] => [
    `${name} was not found on this machine. It was recorded as `,
    path,
    '.',
  ],

  selectionOf: (side: string) => `Selection of the ${side}`,
  swapSides: 'Swap sides',
  swapSidesHint: 'Make the candidate the baseline',
  copyLinkHint: 'Copy a link that opens this comparison',

  run: 'Run',
  unnamed: '(unnamed)',
  span: 'Span',
  readingStopped: (ranks: string) => `Reading was stopped: figures cover ${ranks}.`,
  readRest: 'Read the rest',
  /** Files of a job, and of how many of them something is shown: not of broken ones and doubles. */
  ofFiles: (shown: number, files: number, named: string) =>
    shown < files ? `${shown} of ${named}` : named,
  readingContinues: (ranks: string, percent: number | undefined) =>
    `Figures cover ${ranks} so far; reading the rest${percent === undefined ? '' : `, ${fixed(percent, 0)} %`}`,
  readingOtherRanks: 'Reading the other ranks',
  stop: 'Stop',
  selection: 'Selection',

  wholeTraceOf: (steps: number) => `Whole trace (${plural(steps, 'step')})`,
  stepChoice: (name: string, partial: boolean, durationNs: number) =>
    `${name}${partial ? ' (partial)' : ''}, ${quantity(durationNs, 'ns')}`,
  worker: 'Worker',
  range: 'Range...',
  stepsFrom: 'Steps from',
  to: 'to',

  starting: 'Starting',
  openToSide: (title: string) => `Open ${title} to the side`,

  loadingStage: (stage: string, percent: number | undefined) =>
    `${stage}${percent === undefined ? '' : `, ${fixed(percent, 0)} %`}`,
  loadingTrace: 'Loading the trace',
  cancel: 'Cancel',
  partShown: 'Part of the trace',
  partRead: (fraction: number, hostSlices: number, deviceSlices: number, deviceKind: string) =>
    `First ${fixed(100 * fraction, 0)} % of the file: ${plural(hostSlices, 'host event')} and ${
      deviceSlices === 0
        ? `no ${deviceKind} work yet`
        : plural(deviceSlices, `${deviceKind} activity`, `${deviceKind} activities`)
    }. Figures will change.`,
  partHint:
    'The rest of the file is being read. Recorders often write device events after host events.',
  needsWholeTrace: 'Waiting for the whole trace',
  unreadableAdvice: 'Check that torch.profiler wrote the file, and that it was copied completely.',
  cancelledAdvice: 'Loading was cancelled. Retry reads the trace again.',
  notFoundAdvice: 'Check that the file still exists, and that this machine can read it.',
  loadingCancelled: 'Loading was cancelled',
  jobFailed: 'This job cannot be shown',
  traceFailed: 'This trace cannot be shown',
  comparisonFailed: 'This comparison cannot be shown',
  why: 'Why',
  where: 'Where',
  byteOfText: (offset: number) => `Byte ${fixed(offset, 0)} of the text`,
  openAsText: 'Open as Text',

  incomplete: 'Incomplete',
  limited: 'Limited',
  problems: (count: number) => plural(count, 'problem'),
  complete: 'Complete',
  healthHint: (problem: string | undefined) =>
    `${problem ?? 'The whole file was read without problems.'}\nShow trace health`,
  noWorkRead: (deviceKind: string) => `No ${deviceKind} work read`,
  cpuOnly: 'CPU only',
  devices: (count: number, deviceKind: string) => plural(count, deviceKind),
  removeFilter: 'Remove this filter',
  remove: (label: string) => `Remove ${label}`,
  trace: 'Trace',
  deviceHint: 'Device that the work ran on',
  rankOf: (rank: number, worldSize: number | null) =>
    `Rank ${fixed(rank, 0)}${worldSize === null || worldSize < 0 ? '' : ` of ${fixed(worldSize, 0)}`}`,
  rankHint: 'Rank of this process in the run',
  durationHint: 'Duration of the recording, from its first event to its last',
  stepsNamed: (steps: string) => `Steps ${steps}`,

  moreViews: 'More views',
  views: 'Views',

  viewFailed: (message: string) => `This view failed: ${message}`,
  tryAgain: 'Try again',
};
