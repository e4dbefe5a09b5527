// The parts of a job's time, each in one color on every chart.
import { chartColors, roleColors } from '../../lib/colors.ts';
import { commonTexts } from '../../lib/texts.ts';
import { jobTexts } from './texts.ts';

export const timeParts = [
  {
    key: 'computationUs',
    title: commonTexts.computation,
    color: chartColors.blue,
    definition: jobTexts.computationHint,
  },
  {
    key: 'overlapUs',
    title: jobTexts.overlap,
    color: chartColors.green,
    definition: jobTexts.overlapHint,
  },
  {
    key: 'communicationUs',
    title: jobTexts.exposedCommunication,
    color: chartColors.purple,
    definition: jobTexts.exposedCommunicationHint,
  },
  {
    key: 'otherUs',
    title: jobTexts.other,
    color: roleColors.other,
    definition: jobTexts.otherHint,
  },
] as const;

export const waitParts = [
  {
    key: 'transferUs',
    title: jobTexts.transfer,
    color: chartColors.purple,
    definition: jobTexts.transferHint,
  },
  {
    key: 'waitingUs',
    title: jobTexts.waiting,
    color: chartColors.orange,
    definition: jobTexts.waitingHint,
  },
] as const;
