// The texts of the stacks.
import { quantity } from '#shared/numbers.ts';

export const stacksTexts = {
  expand: 'Expand',
  noPythonStacks: 'No Python stacks',
  showLines: (functionName: string) => `Show the lines of ${functionName}`,
  onlyStacksWith: 'Filter stacks',
  direction: 'Direction',
  callersFirst: 'Callers first',
  calleesFirst: 'Callees first',
  showAllStacks: 'Show all stacks',
  timeByStack: (weight: string, totalUs: number) =>
    `${weight === 'device' ? 'Device' : 'Host'} time by Python stack, ${quantity(totalUs, 'us')}`,
  deviceTimeHint:
    'The width of a box is the device time of everything that was launched from it, backward work counted at its forward line. “recompute” holds what activation checkpointing reran.',
  hostTimeHint:
    'The width of a box is the host time spent in it and in what it called. “recompute” holds what activation checkpointing reran; threads other than the main one are folded.',
  noMatchingStacks: 'No matching stacks.',
  pythonStacks: 'Python stacks',
  onlyLibrary: 'All of this is library code, so no frames are folded.',
  noFunctionOf: (weight: string) =>
    weight === 'device'
      ? 'No recorded Python function launched this work.'
      : 'No recorded Python function was running in this time.',
  self: (selfUs: number) => `Self ${quantity(selfUs, 'us')}`,
};
