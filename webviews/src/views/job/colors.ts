// The parts of a job's time, each in one colour on every chart.
import { chartColors, roleColors } from '../../lib/colors.ts';

export const timeParts = [
  {
    key: 'computationUs',
    title: 'Computation',
    color: chartColors.blue,
    definition: 'Kernels compute and none communicates.',
  },
  {
    key: 'overlapUs',
    title: 'Overlap',
    color: chartColors.green,
    definition: 'Kernels compute while others communicate: overlapped communication.',
  },
  {
    key: 'communicationUs',
    title: 'Exposed communication',
    color: chartColors.purple,
    definition: 'Kernels communicate and none computes. Waiting for late ranks is part of it.',
  },
  {
    key: 'otherUs',
    title: 'Other',
    color: roleColors.other,
    definition: 'The rest of the step: copies, and time in which the device is idle.',
  },
] as const;

export const waitParts = [
  {
    key: 'transferUs',
    title: 'Transfer',
    color: chartColors.purple,
    definition: 'The shortest call of each collective: whoever came last did not wait.',
  },
  {
    key: 'waitingUs',
    title: 'Waiting',
    color: chartColors.orange,
    definition: 'What a rank took beyond that, because others came later.',
  },
] as const;
