// The texts of the roofline.
import { fixed, plural, quantity, share } from '#shared/numbers.ts';

export const rooflineTexts = {
  peak: (prefix: string, units: string, flops: number) =>
    `${prefix}${units} ${quantity(flops, 'flops')}/s`,

  kernelsOfAll: (totalUs: number | undefined, kernels: number, share: number | undefined) =>
    `${quantity(totalUs, 'us')} in ${plural(kernels, 'kernel')}, ${quantity(share, 'ratio')} of all`,
  noOperator: 'No operator',
  potentialGain: 'Potential gain',
  ofRoof: 'Share of roof',
  intensity: 'Intensity',
  intensityValue: (intensity: number | undefined) => `${quantity(intensity, '')} FLOP/B`,
  unknownForTime: (share: number) => `Unknown for ${quantity(share, 'ratio')} of its time`,
  flopsUnknownForTime: (share: number) =>
    `FLOPs unknown for ${quantity(share, 'ratio')} of its time`,
  bytesUnknownForTime: (share: number) =>
    `Bytes unknown for ${quantity(share, 'ratio')} of its time`,

  limitedByOperations: 'Limited by operations',
  limitedByMemory: 'Limited by memory',
  noRoofKnown: 'No roof known',
  flopPerS: 'FLOP/s',
  flopPerByte: 'FLOP per byte',
  chartLabel: (label: string, point: string) =>
    `${label}. Arrow keys move between the points, longest first; Enter picks one. ${point}`,

  costPartlyUnknown: (value: string, share: number) =>
    `${value} (cost of ${quantity(share, 'ratio')} unknown)`,
  partlyUnknown: (value: string, share: number) => `${value} (${quantity(share, 'ratio')} unknown)`,
  utilizationUnknown: 'Unknown: no matrix operator with a known peak ran in a step.',
  utilizationFormula: (
    which: string,
    operations: number,
    unit: string,
    peak: number,
    stepsUs: number,
  ) =>
    `${which}: ${quantity(operations, 'flops')} / (${unit} ${fixed(peak, 1)} TFLOP/s x ${quantity(stepsUs, 'us')} of steps).`,
  potentialGainHint: (target: number) =>
    `Kernel time saved if every kernel reached ${quantity(target, 'ratio')} of its roof. Kernels without a known roof save nothing.`,
  ofRoofHint:
    'Least time that the device needs for each kernel, by operations or by bytes, whichever is longer, as a share of the time of kernels with a known roof.',
  operationsHint: 'Floating point operations of the kernels, where known.',
  bytesHint: 'Minimum bytes that the kernels must read and write, where known.',
  modelUtilization:
    'Model FLOPs utilization: operations of matrix operators, without recomputation',
  hardwareUtilization:
    'Hardware FLOPs utilization: operations of matrix operators, with recomputation',
  kernelTimeHint: 'Sum of the durations of all kernels in the selection.',
  peaksOf: 'Peaks of',
  ofTime: (share: string) => `${share} of the time`,
  costUnknown: 'Cost unknown',
  unknownHint: 'Time of kernels whose cost is unknown. The other figures leave it out.',
  peaksUnknown: <T>(devices: string, setting: T): (string | T)[] => [
    `The peaks of ${devices} are unknown, so kernels there have no roof. Add them to the setting `,
    setting,
    '.',
  ],

  legend: 'Legend',
  sizeTime: 'Size: time',
  flopPerB: 'FLOP/B',
  flopPerBHint: 'Operations per byte.',
  tflopPerS: 'TFLOP/s',
  tflopPerSHint: 'Achieved rate, in 10^12 operations per second.',
  limit: 'Limit',
  shortestRows: (rows: number) => `the ${plural(rows, 'shortest row')}`,
  rowsWithoutCost: (rows: number) => `${plural(rows, 'row')} without operations or bytes`,
  notInChart: (rows: string) => `In the table only: ${rows}.`,
  chartHint:
    'Operations per second over operations per byte. Points under a slope are limited by memory bandwidth, points under a level line by that compute unit.',
  noRowWithCost: 'No row has known operations and bytes, so there is no chart.',
  allPeaks: 'All peaks',
  couldSave: (totalUs: number | undefined, savedUs: number | undefined) =>
    `${quantity(totalUs, 'us')}, could save ${quantity(savedUs, 'us')}`,

  byShape: 'By shape',
  showInKernels: 'Show in Kernels',
  costs: 'Costs',
  readingCosts: 'Reading costs',
  noCosts: 'No roofline',
  showInTable: 'Show in the table',
  points: 'Points',
  target: 'Target',
  percentOfRoof: (percent: number) => `${percent} % of the roof`,
  rooflineOfOperators: 'Roofline of operators',
  rooflineOfShapes: 'Roofline of operators by shape',
  rooflineOfKernels: 'Roofline of kernels',
  rooflineOfModules: 'Roofline of modules',
  rooflineOfLines: 'Roofline of lines',
  worthOptimizing: 'Worth optimizing',
  worthOptimizingHint:
    'Rows by the time saved if each of their kernels reached the chosen share of its roof.',
  advice: 'Advice',
  adviceHint: (savedUs: number, kernelUs: number) =>
    `Largest gain first. ${quantity(savedUs, 'us')}, ${share(savedUs, kernelUs)} of the kernels' time, could be saved at the chosen share of the roof.`,

  changesTo: (beforeUs: number, afterUs: number) =>
    `${quantity(beforeUs, 'us')} to ${quantity(afterUs, 'us')}`,
  unchanged: (us: number) => `${quantity(us, 'us')}, unchanged`,
  changedBy: (words: string, percent: number, change: number) =>
    `${words}, ${quantity(percent, 'percent')} ${change < 0 ? 'less' : 'more'}`,
  stepsHint:
    'The selected steps, replayed with the predicted kernel times: the host launches work when it did, and the work starts when what it waited for is done.',
  predictedKernelTimeHint:
    'Each kernel is scaled by the peak that limits it, for operations or for bytes.',
  deviceBusy: 'Device busy',
  deviceBusyHint: 'Time in which the device works. The rest of the steps is waiting for the host.',
  staysAsItIs: 'Not scaled',
  latencyUnknown: (latencyShare: number, unscaledShare: number) =>
    `${quantity(latencyShare, 'ratio')} latency, ${quantity(unscaledShare, 'ratio')} unknown`,
  staysAsItIsHint:
    'Kernel time that other peaks do not change: latency of kernels too small to fill the device, and kernels whose cost is unknown.',
  whatIf: 'What if',
  whatIfHint: 'The same kernels on another device, scaled by its peaks.',
  onAnotherDevice: 'On another device',
  chooseDevice: 'Choose a device to see how long these steps would take there.',
  predicting: 'Predicting',
};
