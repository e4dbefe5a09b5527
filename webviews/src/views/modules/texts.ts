// The texts of the modules.
import { fixed, plural, quantity } from '#shared/numbers.ts';

export const modulesTexts = {
  readingModules: 'Reading modules',
  noModules: 'No modules',
  firstRoots: (shown: number, all: number) =>
    `The first ${fixed(shown, 0)} of ${fixed(all, 0)} top-level modules are shown.`,

  mainThreadOverTime: 'Operators of the main thread over time',
  noOperatorsOnHost: 'No operators were recorded on any host thread.',
  stripHint:
    'Operators, module calls and annotations of one host thread, each below the one it ran in. The main thread is the one that ran the profiler steps; without steps, the one that ran the modules; otherwise, the one with the most operator time.',
  operatorsOverTime: (name: string) => `Operators of ${name} over time`,
  thread: 'Thread',
  threadChoice: (name: string, index: number, operatorNs: number) =>
    `${name}${index === 0 ? ', main' : ''}: ${quantity(operatorNs, 'ns')}`,
  readingMainThread: 'Reading the main thread',

  barSaid: (bar: string, durationNs: number, startNs: number) =>
    `${bar}, ${quantity(durationNs, 'ns')} at ${quantity(startNs, 'ns')}`,
  nothingSelected: 'Nothing is selected',
  chartLabel: (name: string, said: string) =>
    `${name}. ${said}. Enter selects the first bar and zooms to the selected one, arrow keys move between bars, plus and minus zoom, Shift with arrow keys pans, Escape goes back.`,

  showInTimeline: 'Show in Timeline',
  lengthStartAndSelf: (durationNs: number, startNs: number, selfNs: number) =>
    `${quantity(durationNs, 'ns')} at ${quantity(startNs, 'ns')}, self ${quantity(selfNs, 'ns')}`,
  clickForDetails: 'Click a bar for details. Scroll to zoom, drag to move.',
  outlined: (calls: number, module: string) => `${plural(calls, 'call')} of ${module} outlined`,
  removeOutline: (module: string) => `Remove the outline of ${module}`,
  kindHint: 'Operator, call of a module, or annotation.',
  startUs: 'Start (µs)',
  durationUs: 'Duration (µs)',
  durationHint: 'From start to end.',
  depthHint: 'Number of operators, module calls and annotations around it.',
  moreWhenZoomedIn: (more: number) => `and ${fixed(more, 0)} more: zoom in`,
  zoomToSee: 'Zoom in to see them',
  self: (selfNs: number) => `Self ${quantity(selfNs, 'ns')}`,
};
