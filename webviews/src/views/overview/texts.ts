// The texts of the overview.
import { fixed, formatShare, plural, quantity } from '#shared/numbers.ts';

export const overviewTexts = {
  busy: (deviceKind: string, busy: number) => `${deviceKind} busy ${formatShare(busy)}`,
  openLine: (file: string, line: number, functionName: string, onlyFunction: boolean) =>
    `${file}:${line}\n${functionName}${onlyFunction ? ' (line unknown)' : ''}\nOpen the line`,
  allLines: 'All lines',
  allLinesHint: 'Show the cost of every line',
  readingLines: 'Reading lines',
  nothingOnLines: 'No time can be attributed to lines.',
  toRecordStacks: <T>(argument: T): (string | T)[] => [
    'To record Python stacks, pass ',
    argument,
    '.',
  ],
  stacksMayBeMissing: 'Python stacks may be in the missing part of the file.',
  hottestLines: 'Hottest lines',
  hottestLinesHint: (hasDeviceWork: boolean | undefined, deviceKind: string, most: number) =>
    `Lines of your code by ${hasDeviceWork === false ? 'CPU' : deviceKind} self time. ${plural(most, 'line')} at most.`,

  devices: 'Devices',
  nameNotRecorded: '(name not recorded)',
  multiprocessors: 'Multiprocessors',
  computeUnits: 'Compute units',
  multiprocessorsHint: 'Units of the device that run the blocks of a kernel.',
  computeCapability: 'Compute capability',
  gfxVersion: 'GFX version',
  computeCapabilityHint: "Version of the device's instruction set.",
  utilization: 'Utilization',
  utilizationHint:
    'Share of the time from the first selected step to the last, pauses included, in which at least one kernel runs.',
  estSmEfficiency: 'Est. SM efficiency',
  estSmEfficiencyHint:
    'Blocks per multiprocessor of the running kernels, capped at 1 and averaged from the first selected step to the last, including pauses.',
  estOccupancy: 'Est. occupancy',
  estOccupancyHint:
    'Active warps as a share of the most that fit, estimated at launch and weighted by duration. Idle time does not count.',
  tensorCoreShare: 'Tensor core share',
  tensorCoreShareHint:
    'Share of kernel time in kernels that use matrix units. Unknown: time in kernels whose names do not say whether they do.',
  // Nothing is known where no name says anything: 0 % would be a figure.
  shareWithUnknown: (share: number, unknown: number) =>
    unknown >= 0.9995
      ? 'unknown'
      : `${quantity(share, 'ratio')}${unknown < 0.0005 ? '' : ` (${quantity(unknown, 'ratio')} unknown)`}`,
  recomputeHint:
    'Forward work that activation checkpointing ran again in backward because its results were not kept. It saves memory at the cost of this time.',
  recomputeDeviceHint:
    'Device work that activation checkpointing reran, and its share of all device work.',
  recomputeHostHint: 'Host time of the reruns, and its share of all traced threads.',

  flowStart: 'flow start',
  flowStep: 'flow step',
  flowEnd: 'flow end',
  counter: 'counter',
  metadata: 'metadata',
  other: 'other',
  noCategory: '(none)',
  readingTraceHealth: 'Reading trace health',
  traceHealth: 'Trace health',
  traceHealthHint: 'What was read, what was damaged, and what was not recorded.',
  events: 'Events',
  eventsHint: 'Slices, instants, counters, flows and metadata in the file.',
  /** Those that were lost are among the events of the file. */
  eventsOf: (events: number, lost: number) =>
    lost === 0
      ? quantity(events, 'count')
      : `${quantity(Math.max(0, events - lost), 'count')} read, at least ${quantity(lost, 'count')} missing`,
  readIn: 'Load time',
  readInHint: 'Time from opening the file to the first view.',
  sizeHint: 'Size of the file, and of its text if it was compressed.',
  sizeOf: (fileBytes: number, textBytes: number) =>
    fileBytes === textBytes
      ? quantity(fileBytes, 'bytes')
      : `${quantity(fileBytes, 'bytes')} compressed, ${quantity(textBytes, 'bytes')} of text`,
  problems: 'Problems',
  problemsHint: 'Damaged or missing parts of the file. The rest was read.',
  workWithoutLaunch: (deviceKind: string) => `${deviceKind} work without a launch`,
  workWithoutLaunchHint: (deviceKind: string) =>
    `${deviceKind} slices whose launch or operator is not in the trace.`,
  problemsFound: 'Problems found while reading',
  problem: 'Problem',
  countHint: 'Number of occurrences.',
  scraps: (count: number) =>
    `What was left of damaged events was skipped in ${plural(count, 'place')}.`,
  firstAtByte: 'First at byte',
  firstAtByteHint: "Position of the first one in the file's uncompressed text.",
  eventsByCategory: 'Events by category',
  category: 'Category',
  categoryHint: 'As the recorder wrote it.',
  eventsOfCategoryHint: 'Events of this category in the trace.',
  notRecorded: (absences: number) => `Not recorded (${fixed(absences, 0)})`,
  noWorkRecorded: 'No work was recorded',
  noWorkRead: 'No work was read',

  workersHint: 'Processes of the run whose traces were found.',
  deviceKindsHint: 'Kinds of devices that did work in the trace.',
  graphsHint:
    'How much of the work replayed by CUDA or HIP graphs is attributed to the code that captured it, recorded in this trace or in the capture_traces folder next to it.',
  vendorHint: 'Maker of the devices, inferred from recorded properties and calls.',
  backendHint: 'Library that the processes communicate through.',
  rankHint: 'Index of this process in the run.',
  worldSizeHint: 'Number of processes in the run.',
  devicesUsedHint: 'Devices that did work in the trace.',
  devicesSeenHint: 'Devices visible to the process, used or not.',
  stepsHint: 'Recorded steps, including those cut off at the end.',
  formatHint: 'Version of the trace format.',
  severity: 'Severity',
  finding: 'Finding',
  whatWasSeen: 'What was seen',
  evidence: 'Evidence',
  readingOverview: 'Reading the overview',
  partRead: 'Part that was read',
  findingsLater: 'Findings appear once the whole trace is read.',
  linesLater: 'Lines appear once the whole trace is read.',
  deviceWorkLater: (deviceKind: string) =>
    `No ${deviceKind} work has been read yet, so its time still counts as host time.`,
  findingsHint: 'What costs time in the selection, the evidence, and what to do.',
  configuration: 'Configuration',
  optionHint: 'A profiler option, as noted in the trace.',

  stepTimeHint:
    'Each moment of a step counts for the first of these that is active: kernel, memcpy, memset, communication, runtime, data loader, CPU. The parts add up to the step.',
  totalUs: 'Total (µs)',
  totalHint: 'Duration of the step. The other columns add up to it.',
  partialStep: (name: string) => `${name} (partial)`,
  stepsByActivity: 'Time of each step by activity',
  partOfRecording: 'Part of the recording',
  wholeTrace: 'whole trace',
  partial: 'partial',
  partialNote: '* partial: cut off by the end of the recording, left out of averages',
  allOperations: 'First to last operation',
  ofRecorded: (counted: string, recorded: string) =>
    `No steps were recorded. Time counts from the first operation to the last: ${counted} of the ${recorded} recorded.`,
  averageStepTime: 'Average step time',
  stepPartial: (name: string) => `Step ${name}, partial`,
  breakdown: 'Breakdown',
  averageStep: 'Average step',
  averageStepHint: 'Mean over the selected steps that were recorded completely.',
  activity: 'Activity',
  activityHint: 'Every moment counts for exactly one activity.',
  meanTimeHint: 'Mean time per step.',
  shareOfStepHint: 'Share of the step.',
};
