// The texts of the kernels.
import { fixed, plural } from '#shared/numbers.ts';

export const kernelsTexts = {
  launchRows: 'kernel launches',
  copyRows: 'copies',
  readingLaunches: 'Reading launches',
  noOperator: 'No operator encloses the launches.',
  notRecorded: 'Not recorded for these launches.',
  launchedByKind: (kind: string) => `Launched by ${kind}`,
  usingTensorCores: 'Using tensor cores',
  notUsingTensorCores: 'Not using tensor cores',
  byOperatorAndLaunch: 'By operator and launch config',
  launches: 'Launches',
  memcpyMemset: 'Memcpy / Memset',
  kernelTimeHint: 'Sum of the durations of all kernels, by name.',
  tensorCores: 'Tensor cores',
  tensorCoresHint:
    'Kernel time with matrix units, without them, and unknown where the kernel name does not say.',
  communicationHint: 'Kernel time in communication kernels and in all others.',
  outsideSteps: (outside: number, launches: number) =>
    `Outside any step: ${fixed(outside, 0)} of ${plural(launches, 'launch', 'launches')}`,
  outsideStepsHint:
    'Launched between two steps or before the recording began: part of the whole trace, but of no step.',
  noCopies: 'No memcpy or memset ran.',
  filterOperators: 'Filter operators',
  filterOperatorsHint: 'Words that the name of the launching operator must contain',

  roofline: 'Roofline',
  showAgainstRoofs: (owner: string) => `Show ${owner} against the roofs`,
  kernelLaunches: 'Kernel launches',
};
