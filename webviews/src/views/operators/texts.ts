// The texts of the operators.
import { fixed, plural } from '#shared/numbers.ts';

export const operatorsTexts = {
  deviceSelfHint:
    'Device time of the work that the operator launched itself, without that of the operators it called.',
  hostSelfHint: 'Host time in the operator, without that of the operators it called.',
  calledFromModules: 'Called from modules',
  noStack: 'No stack was recorded for these calls.',
  heaviestStacks: (shown: number, total: number) =>
    `The ${fixed(shown, 0)} heaviest of ${fixed(total, 0)} stacks.`,
  stack: (number: number) => `Stack ${number}`,
  callsFromStack: 'Calls of the operator from this stack.',
  backwardOfLine: 'backward of this forward line',
  showHeaviestCall: 'Show its heaviest call in the timeline',
  showMoreStacks: (more: number) => `Show ${plural(more, 'more stack')}`,
  inside: (module: string) => `Inside ${module}`,
  showKernels: (name: string) => `Show the kernels of ${name}`,
  noOperatorRan: 'No operator ran.',
  noneInside: (module: string) => `No operator ran inside ${module}.`,
};
