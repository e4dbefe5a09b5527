// The texts of controls, tables and charts.
import { fixed, plural, quantity, share, type Unit } from '#shared/numbers.ts';

export const widgetTexts = {
  rowCopied: 'Row copied',

  noChart: 'There is no chart to save',
  asTable: (name: string) => `${name} as table`,
  showAsChart: 'Show as chart',
  showAsTable: 'Show as table',
  save: 'Save',
  saveAsSvg: 'Save as SVG',
  saveAsPng: 'Save as PNG',

  charts: 'Charts',

  curveLabel: (label: string) =>
    `${label}. Plus and minus zoom, arrows move, Escape shows everything.`,

  csv: 'CSV',
  markdown: 'Markdown',
  json: 'JSON',
  tableCopied: 'Table copied',
  exportFailed: (message: string) => `Export failed: ${message}`,
  export: 'Export',
  copyAs: (title: string) => `Copy as ${title}`,
  saveAs: (title: string) => `Save as ${title}...`,

  top: 'Top',

  warning: 'Warning',
  upTo: (gainUs: number) => `up to ${quantity(gainUs, 'us')}`,
  expectedGainPerStep: 'Expected gain per step',
  codeOf: (title: string) => `Code: ${title}`,
  copySnippet: 'Copy snippet',
  snippetCopied: 'Snippet copied',
  showSliceInTimeline: (name: string, action: string) => `Show ${name}, ${action}, in the timeline`,
  noFindings: 'No findings.',
  showTop: (count: number) => `Show the top ${fixed(count, 0)}`,
  showMoreFindings: (more: number) => `Show ${plural(more, 'more finding')}`,

  ofAll: (value: number, unit: Unit, total: number, caller: number | undefined) =>
    `${quantity(value, unit)}, ${share(value, total)} of all${caller === undefined ? '' : `, ${share(value, caller)} of its caller`}`,
  valueIn: (unit: string) => `Value (${unit})`,
  valueHint: 'Width of the box, children included.',
  sharePercent: 'Share (%)',
  shareOfGraphHint: 'Share of the whole graph.',
  depthHint: 'Depth in the stack: 0 for the outermost.',
  flameGraph: 'flame graph',
  flameGraphLabel: (name: string, said: string | undefined) =>
    `${name}. ${said ?? 'Empty'}. Arrow keys move between the boxes, Enter zooms, Escape shows all.`,

  showFirstLevels: 'Show the first levels',
  showAllLevels: 'Show all levels',
  labelOf: (label: string, name: string) => `${label} of ${name}`,

  snippet: (what: string) => `Snippet: ${what}`,
  readOver: (events: number, durationNs: number) =>
    `Read: ${plural(events, 'event')} over ${quantity(durationNs, 'ns')}.`,
  countsTooLow: (read: string) =>
    `${read} Counts and totals are too low, and later steps may be missing.`,
  eventsLost: (lost: number, read: number) =>
    `Read: ${plural(read, 'event')}. Missing: at least\u00a0${fixed(lost, 0)}. Counts and totals may be too low.`,
  noDeviceWorkRead: (read: string, deviceKind: string) =>
    `${read} It holds no ${deviceKind} work, which recorders write last: ${deviceKind} times are missing, not zero.`,
  aboutThisTrace: 'About this trace',

  showAllRows: (rows: number) => `Show all ${plural(rows, 'row')}`,
  /** `argument` is the name of one, or one with its value. */
  toRecordThis: <T>(argument: T, hasValue: boolean): (string | T)[] => [
    hasValue ? 'To record this, pass ' : "To record this, set the profiler's argument ",
    argument,
    hasValue ? ' to the profiler.' : '.',
  ],
  atByte: <T>(offset: T): (string | T)[] => ['At byte ', offset, ' of the text.'],
  showFirstRows: (rows: number) => `Show the first ${plural(rows, 'row')}`,

  shareOfWholeHint: 'Share of the whole.',

  others: (count: number) => plural(count, 'other'),
  otherParts: 'Others',

  noRows: 'No rows.',

  firstLineOnly: 'The recorder only wrote the first line of the function',
  noFrames: 'No frames.',
  stackCopied: 'Stack copied',
  copyStack: 'Copy stack',
  pythonStackLabel: 'Python stack, innermost call first',
  libraryFrames: (frames: number) => plural(frames, 'library frame'),

  barsLabel: (label: string, bar: string) => `${label}. Arrow keys move between the bars. ${bar}`,

  closeRow: 'Close row',
  openRow: 'Open row',
  detailsOf: (name: string) => `Details of ${name}`,

  rowCount: (rows: number) => plural(rows, 'row'),
  rowsOf: (shown: number, rows: number) => `${fixed(shown, 0)} of ${plural(rows, 'row')}`,
  noneOf: (name: string) => `No ${name}`,
  filter: (name: string) => `Filter ${name}`,
  filterHint: (keys: string) =>
    `Words that rows must contain, or key:word, key>number, key<number${keys === '' ? '' : `. Keys: ${keys}`}`,
  reading: (name: string) => `Reading ${name}`,
  noMatchingRows: 'No matching rows.',

  showFittingColumns: 'Show only the columns that fit',
  hiddenColumnsHint: (titles: string) =>
    `Hidden because there is no room: ${titles}. Click to show them and scroll sideways.`,
  allColumns: 'All columns',
  moreColumns: (columns: number) => plural(columns, 'more column'),

  indentedHint: 'Indented rows ran inside the row above them.',
};
