// The texts of a comparison.
import { fixed, plural, quantity } from '#shared/numbers.ts';

export const comparisonTexts = {
  inNoPart: 'Not in any part',
  betweenParts: 'Between the parts',
  smallParts: (count: number) => `${fixed(count, 0)} small parts`,
  recomputed: 'recomputed',
  module: 'module',
  range: 'range',
  dataLoader: 'data loader',
  optimizer: 'optimizer',
  communication: 'communication',
  operator: 'operator',
  thread: 'thread',
  step: 'step',
  onAnotherThread: 'on another thread',

  openPlaceOf: (name: string, side: string) => `Open ${name} of the ${side}`,
  showInTimelineOf: (side: string) => `Show in the timeline of the ${side}`,

  execution: 'Execution',
  timelines: 'Timelines',

  same: 'same',

  new: 'new',
  gone: 'gone',
  replaced: 'replaced',
  replaces: 'replaces',
  withinNoise: 'within noise',
  aboutEqual: 'about equal',
  more: 'more',
  less: 'less',
  moved: 'moved',
  points: (sign: string, points: number) => `${sign}${fixed(points, 1)} points`,

  inside: 'Inside',
  lookInside: (name: string) => `Look inside ${name}`,
  timelineOf: (side: string) => `${side} timeline`,
  alignedExecution: 'Aligned execution',
  change: 'Change',
  difference: 'Difference',
  baselineSoFar: 'Baseline so far',
  candidateSoFar: 'Candidate so far',
  differenceSoFar: 'Difference so far',
  alignedExecutionTime: (time: string) => `Aligned execution, ${time} time`,
  deviceTimeHint: 'Total duration of the device work that each part launched.',
  hostTimeHint: 'Host time of each part. Concurrent work on other threads is not included.',
  smallPartsShown: 'Small parts',
  inParts: (parts: number, hidden: number) =>
    `in ${plural(parts, 'part')}${hidden > 0 ? `, of which ${fixed(hidden, 0)} are not shown` : ''}`,
  noWorkInside: (time: string) => `There is no ${time} work inside.`,
  alignedExecutionOfBoth: 'Aligned execution of baseline and candidate',
  parts: 'Parts',
  tablesOf: (name: string) => `Tables of ${name}`,
  aligning: 'Aligning',

  bothTake: (baseline: number | null, candidate: number | null) =>
    `Baseline${baseline === null ? ': absent' : ` ${quantity(baseline, 'us')}`}, candidate${candidate === null ? ': absent' : ` ${quantity(candidate, 'us')}`}`,
  differenceOf: (delta: string, word: string) =>
    `Difference ${delta}${word === '' ? '' : `, ${word}`}`,
  movedHint: 'Moved: on both sides, in a different position',
  replacedHint: 'Replaced: one runs in place of the other',
  replacedElsewhere: (by: string) => `Replaced elsewhere by ${by}`,
  replacesElsewhere: (what: string) => `Replaces ${what} from elsewhere`,
  soFar: (baseline: number, candidate: number, difference: string) =>
    `So far: baseline ${quantity(baseline, 'us')}, candidate ${quantity(candidate, 'us')}, difference ${difference}`,
  clickToLookInside: 'Click or press Enter to look inside',
  clickToShowEach: 'Click or press Enter to show them one by one',
  levelChartLabel: (label: string) =>
    `${label}. Up and down move between the parts, Enter looks inside, Backspace goes back.`,
  partInOrder: 'Part, in the order of execution',
  accumulated: 'Accumulated',
  baselineLegend: 'Baseline: upper bar, solid line',
  candidateLegend: 'Candidate: lower bar, dashed line',
  accumulatedDifference: 'Accumulated difference',

  openLineOf: (file: string, line: string, side: string | undefined) =>
    `Open ${file}${line} of the ${side ?? 'candidate'}`,
  figuresHint: 'The figures of the overview of both profiles.',
  figuresBothSides: 'Figures of both sides',
  deltaHint: 'Candidate minus baseline.',
  deltaPercent: 'Delta %',
  deltaPercentHint: 'Difference as a percentage of the baseline.',
  noise: 'Noise',
  noiseHint:
    'Half the width of the 95 % confidence interval of the difference. Requires at least two steps on both sides.',
  withinNoiseNote: (test: string) =>
    `\u201cWithin noise\u201d: the difference is no larger than the variation between steps (${test}). Without a figure for noise, a difference may be chance.`,
  noiseUnknown: 'Noise is unknown: it requires at least two recorded steps on both sides.',
  byFunction: 'by function',
  byModule: 'by module',
  byOperator: 'by operator',
  byKernel: 'by kernel',
  comparing: 'Comparing',
  timePerStep: (time: string, level: string) =>
    `${time === 'device' ? 'Device' : 'Host'} time per step, ${level}`,
  verdict: 'Verdict',
  whatGrewAndShrank: 'What grew and what shrank',
  excludingCalled: (time: string) => `${time}, excluding what it called.`,
  grew: 'Grew',
  nothingGotSlower: 'Nothing got slower.',
  shrank: 'Shrank',
  nothingGotFaster: 'Nothing got faster.',

  stepRows: 'steps',
  communicationRows: 'collectives',
  memoryRows: 'operators with memory',
  nothingToCompare: (rows: string) => `There are no ${rows} to compare.`,
  largestDifferenceFirst: 'Largest difference first',
  largestDifferenceFirstHint: 'Sort by the size of the difference',
};
