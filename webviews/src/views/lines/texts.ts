// The texts of the lines.
import { quantity } from '#shared/numbers.ts';

export const linesTexts = {
  showOperators: 'Show its operators',
  showSlices: 'Show its slices in the timeline',
  showStacks: 'Show the stacks through this line',
  allDeviceTime: 'All device time.',
  allHostTime: 'All host time of traced threads.',
  attributedToLine: 'Attributed to a line',
  attributedToLineHint: 'The line was recorded, or found by aligning calls with the source.',
  attributedToFunction: 'Attributed to a function only',
  attributedToFunctionHint: 'The function is known, but the line is not.',
  onlyLibrary:
    'None of this ran in your code: all frames are in libraries. List packages that are your code in the setting emberline.userPackages.',
  files: 'Files',
  rowsPer: 'Rows per',
  function: 'Function',

  backward: (backward: number) => `backward ${quantity(backward, 'us')}`,
  recompute: (recompute: number) => `recompute ${quantity(recompute, 'us')}`,
  readingSource: 'Reading source',
  fileNotHere: 'The file is not in this workspace. Click its name to locate it.',
  sourceAroundLine: (line: number) => `Source around line ${line}`,
  openLine: (line: number) => `Open line ${line}`,
  costOfLine: (device: boolean) =>
    `${device ? 'Device time of the work launched from the line' : 'Host time of the line and of what it called'}, its share of the total, and how often it ran`,
};
