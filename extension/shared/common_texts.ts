// Texts that both the extension and its pages say. What only one of them says stands in its own
// catalogs: texts.ts here, and those of the page.
import { plural } from './numbers.ts';

export const sharedTexts = {
  backward: 'Backward',
  baseline: 'Baseline',
  callCount: (calls: number) => plural(calls, 'call'),
  calledFrom: 'Called from',
  calls: 'Calls',
  candidate: 'Candidate',
  collectives: 'Collectives',
  delta: 'Delta',
  digests: (files: number) => plural(files, 'digest'),
  faster: 'faster',
  findings: 'Findings',
  forward: 'Forward',
  inBackward: 'backward',
  kernel: 'Kernel',
  kernels: 'Kernels',
  lineUnknown: 'line unknown',
  locate: 'Locate...',
  operator: 'Operator',
  operators: 'Operators',
  recompute: 'Recompute',
  self: 'Self',
  serverStopped: 'The analysis server has stopped.',
  show: 'Show',
  showLog: 'Show Log',
  slower: 'slower',
  timeline: 'Timeline',
  traces: (files: number) => plural(files, 'trace'),
};
