// Generated from native/rpc/protocol/*.json by scripts/protocol-types.mjs.

/**
 * Which trace, and which of its steps.
 */
export type StepSelection = TraceSelection & {
  /**
   * "all" (default): the whole trace, with what lies outside every step; a step's number; or a range "A-B".
   */
  steps?: string;
};
/**
 * Which trace. The timeline shows all of its time.
 */
export type TimelineSelection = TraceSelection & {
  /**
   * Accepted for uniformity; the timeline shows all time.
   */
  steps?: string;
};
/**
 * Params of `profile/load`.
 */
export type ProfileLoadParams = TraceSelection & {
  /**
   * Token of $/progress notifications.
   */
  workDoneToken?: string | number;
};
/**
 * Parameters.
 */
export type ViewLinesParams = StepSelection &
  TableQuery &
  SourceSpace & {
    /**
     * Rows per line (default), function or file.
     */
    groupBy?: 'line' | 'function' | 'file';
  };
/**
 * A table with the keys of LineCost (operators joined by commas).
 */
export type ViewLinesResult = Table & {
  totals: LineTotals;
  /**
   * What is missing for better lines.
   */
  absences: Absence[];
};
/**
 * Parameters.
 */
export type SourceResolveParams = StepSelection &
  SourceSpace & {
    /**
     * Path as recorded.
     */
    file: string;
    /**
     * An absolute path is found wherever it lies, because a user asked for this file. Without it the disk is asked only about places below the folders that are given here.
     */
    anywhere?: boolean;
  };
/**
 * Parameters.
 */
export type SourceAnnotationsParams = StepSelection & SourceSpace & Document & {};
/**
 * Parameters.
 */
export type SourceHoverParams = StepSelection &
  SourceSpace &
  Document & {
    /**
     * Line in the document now, 1-based.
     */
    line: number;
  };
/**
 * Parameters.
 */
export type SourceStackParams = StepSelection &
  SourceSpace & {
    /**
     * Slice index in this trace.
     */
    slice: number;
  };
/**
 * Parameters.
 */
export type SourceLineSlicesParams = StepSelection &
  SourceSpace & {
    /**
     * Path as recorded.
     */
    file: string;
    /**
     * Line as view/lines shows it.
     */
    line: number;
    /**
     * At most so many, default 200.
     */
    limit?: number;
  };
/**
 * Parameters.
 */
export type SourceListingParams = StepSelection &
  SourceSpace & {
    /**
     * Path as recorded.
     */
    file: string;
    /**
     * Line as view/lines shows it.
     */
    line: number;
    /**
     * Lines before and after it, default 8.
     */
    around?: number;
  };
/**
 * Parameters.
 */
export type SourceHotLinesParams = StepSelection &
  SourceSpace & {
    /**
     * At most so many, default 20.
     */
    limit?: number;
  };
/**
 * Parameters.
 */
export type SourceEventLinesParams = StepSelection &
  SourceSpace & {
    /**
     * First entry of the page.
     */
    offset?: number;
    /**
     * Entries of the page; default 500, at most 1000; -1: all.
     */
    limit?: number;
  };
/**
 * Params of `timeline/window`.
 */
export type TimelineWindowParams = TimelineSelection & {
  /**
   * Start.
   */
  startNs: number;
  /**
   * End.
   */
  endNs: number;
  /**
   * Width.
   */
  pixels: number;
  /**
   * Rows, at most 64.
   */
  tracks: number[];
};
/**
 * Params of `timeline/density`.
 */
export type TimelineDensityParams = TimelineSelection & {
  /**
   * Buckets.
   */
  buckets: number;
};
/**
 * Params of `timeline/slice`.
 */
export type TimelineSliceParams = TimelineSelection & {
  /**
   * Slice index.
   */
  slice: number;
};
/**
 * Params of `timeline/instant`.
 */
export type TimelineInstantParams = TimelineSelection & {
  /**
   * Index of the instant.
   */
  index: number;
};
/**
 * Params of `timeline/neighbour`.
 */
export type TimelineNeighbourParams = TimelineSelection & {
  /**
   * Slice index.
   */
  slice: number;
  /**
   * next and previous on the same lane, in: first slice inside, out: the slice around.
   */
  direction: 'next' | 'previous' | 'in' | 'out';
};
/**
 * Params of `timeline/search`.
 */
export type TimelineSearchParams = TimelineSelection & {
  /**
   * Text in the name (any case), or a regular expression.
   */
  text?: string;
  /**
   * text is a regular expression (ECMAScript).
   */
  regex?: boolean;
  /**
   * Only this kind.
   */
  kind?: string;
  /**
   * Only this recorded category.
   */
  category?: string;
  /**
   * Only inside calls of modules whose name holds this text.
   */
  module?: string;
  /**
   * Only slices of exactly this name.
   */
  name?: string;
  /**
   * Only slices whose innermost user frame is here.
   */
  line?: {
    /**
     * File as recorded.
     */
    file: string;
    /**
     * Line; 0: any.
     */
    line?: number;
  };
  /**
   * First result.
   */
  offset?: number;
  /**
   * Results, at most 500; default 100.
   */
  limit?: number;
};
/**
 * Params of `timeline/range`.
 */
export type TimelineRangeParams = TimelineSelection & {
  /**
   * Start.
   */
  startNs: number;
  /**
   * End.
   */
  endNs: number;
  /**
   * Only these rows; absent: all.
   */
  tracks?: number[];
  /**
   * Names, default 20.
   */
  limit?: number;
};
/**
 * Params of `timeline/gaps`.
 */
export type TimelineGapsParams = TimelineSelection & {
  /**
   * Device; absent: the first.
   */
  device?: number;
  /**
   * Only gaps that touch the range.
   */
  startNs?: number;
  /**
   * End of the range.
   */
  endNs?: number;
  /**
   * Shortest gap, default 1000.
   */
  minNs?: number;
  /**
   * Longest ones, default 200, at most 1000.
   */
  limit?: number;
};
/**
 * Params of `timeline/flows`.
 */
export type TimelineFlowsParams = TimelineSelection & {
  /**
   * Slice index; absent: the window.
   */
  slice?: number;
  /**
   * Start of the window.
   */
  startNs?: number;
  /**
   * End of the window.
   */
  endNs?: number;
};
/**
 * Params of `timeline/export`.
 */
export type TimelineExportParams = TimelineSelection & {
  /**
   * Start.
   */
  startNs: number;
  /**
   * End.
   */
  endNs: number;
  /**
   * Only these rows; absent: all.
   */
  tracks?: number[];
};
/**
 * Params of `view/kernels`.
 */
export type ViewKernelsParams = StepSelection &
  TableQuery &
  TensorCoreRules & {
    /**
     * name (default; kernel is the same) or properties: name, operator, grid, block, registers and shared memory.
     */
    groupBy?: 'name' | 'kernel' | 'properties';
    /**
     * Slices of each ring chart; default 10.
     */
    topN?: number;
  };
/**
 * A page of the kernel table. Row keys: name, operator, grid, block, registers, sharedBytes, operatorTensorCoreEligible (by properties), calls, totalUs, meanUs, minUs, maxUs, share, usesTensorCores, communication, meanBlocksPerSm, meanEstOccupancy, slice.
 */
export type ViewKernelsResult = Table & {
  /**
   * Total time by kernel name, largest first.
   */
  ring: RingSlice[];
  /**
   * Kernels in the selected steps; of the whole trace, those outside every step too.
   */
  launches: number;
  /**
   * Of them outside every step, which only the whole trace has: launched between steps, or before the recording began.
   */
  launchesOutsideSteps: number;
  /**
   * Time of all kernels added up, microseconds; kernels that run at the same time count each.
   */
  totalUs: number;
  /**
   * Time with at least one kernel running, added up over devices, microseconds.
   */
  busyUs: number;
  /**
   * Of it in kernels that use matrix units.
   */
  tensorCoreUs: number;
  /**
   * Of it in kernels whose names do not tell whether they use matrix units.
   */
  tensorCoreUnknownUs: number;
  /**
   * Of it in communication kernels.
   */
  communicationUs: number;
  /**
   * Vendor whose tensor core rules apply; empty when unknown.
   */
  vendor: string;
  /**
   * Blocks per SM were recorded.
   */
  hasBlocksPerSm: boolean;
  /**
   * Occupancy was recorded.
   */
  hasOccupancy: boolean;
  /**
   * What the trace lacks for this view.
   */
  absences: Absence[];
};
/**
 * Params of `view/kernelLaunches`.
 */
export type ViewKernelLaunchesParams = StepSelection & {
  /**
   * Kernel.
   */
  name: string;
  /**
   * Only launches of this operator; empty: of none.
   */
  operator?: string;
  /**
   * Only this grid.
   */
  grid?: string;
  /**
   * Only this block.
   */
  block?: string;
};
/**
 * Params of `view/copies`.
 */
export type ViewCopiesParams = StepSelection & TableQuery & {};
/**
 * A page. Row keys: direction, source, target, calls, bytes, totalUs, meanUs, minUs, maxUs, bandwidthGbPerS, slice.
 */
export type ViewCopiesResult = Table & {
  /**
   * What the trace lacks for this view.
   */
  absences: Absence[];
};
/**
 * Params of `view/copyLaunches`.
 */
export type ViewCopyLaunchesParams = StepSelection & {
  /**
   * Direction, as in the row; empty where it has none.
   */
  direction: string;
  /**
   * Kind of the source memory, as in the row.
   */
  source?: string;
  /**
   * Kind of the target memory, as in the row.
   */
  target?: string;
};
/**
 * Params of `view/memory`.
 */
export type ViewMemoryParams = StepSelection & {
  /**
   * Device name; absent: the first.
   */
  device?: string;
  /**
   * Start of the range.
   */
  startNs?: number;
  /**
   * End of the range.
   */
  endNs?: number;
  /**
   * Points of the curve, about.
   */
  points?: number;
  /**
   * -1: everything, for exports.
   */
  limit?: number;
};
/**
 * Params of `view/memoryEvents`.
 */
export type ViewMemoryEventsParams = StepSelection &
  TableQuery & {
    /**
     * Not used.
     */
    groupBy?: string;
    /**
     * Device name; absent: the first.
     */
    device?: string;
    /**
     * Start of the range.
     */
    startNs?: number;
    /**
     * End of the range.
     */
    endNs?: number;
  };
/**
 * Params of `view/memoryStatistics`.
 */
export type ViewMemoryStatisticsParams = StepSelection &
  TableQuery & {
    /**
     * Not used.
     */
    groupBy?: string;
    /**
     * Device name; absent: the first.
     */
    device?: string;
    /**
     * Start of the range.
     */
    startNs?: number;
    /**
     * End of the range.
     */
    endNs?: number;
  };
/**
 * Params of `view/modules`.
 */
export type ViewModulesParams = StepSelection & {
  /**
   * Only below this id.
   */
  root?: number;
  /**
   * -1: the whole tree.
   */
  limit?: number;
};
/**
 * Params of `view/lightning`.
 */
export type ViewLightningParams = StepSelection & {
  /**
   * -1: the whole trees.
   */
  limit?: number;
};
/**
 * Params of `view/operators`.
 */
export type ViewOperatorsParams = StepSelection &
  TableQuery &
  TensorCoreRules & {
    /**
     * operator (default) or operatorAndShapes; the others are short names of these.
     */
    groupBy?: 'operator' | 'operatorAndShapes' | 'name' | 'shape' | 'shapes';
    /**
     * Slices of each ring chart; default 10.
     */
    topN?: number;
    /**
     * Only operators inside calls of this module or hook (a name of view/modules or view/lightning), in its sub-modules, or in their backward.
     */
    module?: string;
  };
/**
 * A page of the operator table. Row keys: name, inputShapes (by shapes), calls, deviceSelfUs, deviceTotalUs, hostSelfUs, hostTotalUs, tensorCoreEligible, tensorCoreSelf, tensorCoreTotal, tensorCoreUnknown, stacks; hidden, to lead elsewhere: slice, file, line, function, lineIsDefinition.
 */
export type ViewOperatorsResult = Table & {
  /**
   * Ring charts, always by operator, largest first.
   */
  rings: {
    /**
     * Device self time.
     */
    deviceSelf: RingSlice[];
    /**
     * Device total time.
     */
    deviceTotal: RingSlice[];
    /**
     * Host self time.
     */
    hostSelf: RingSlice[];
    /**
     * Host total time.
     */
    hostTotal: RingSlice[];
  };
  /**
   * Device self time of all operators, microseconds.
   */
  deviceSelfUs: number;
  /**
   * Host self time of all operators, microseconds.
   */
  hostSelfUs: number;
  /**
   * Host time in operators, with the runtime calls that they made, microseconds: what total times are parts of. Operators inside one another count once.
   */
  hostTotalUs: number;
  /**
   * Some device slice is in the trace.
   */
  hasDeviceWork: boolean;
  /**
   * What the trace lacks for this view.
   */
  absences: Absence[];
  /**
   * The order of the rows when none is asked for.
   */
  defaultSort: string;
};
/**
 * Params of `view/operatorStacks`.
 */
export type ViewOperatorStacksParams = StepSelection & {
  /**
   * Operator.
   */
  name: string;
  /**
   * Input shapes as in the row; absent or empty: all.
   */
  inputShapes?: string;
};
/**
 * Params of `view/overview`.
 */
export type ViewOverviewParams = StepSelection &
  TensorCoreRules &
  SourceSpace & {
    /**
     * Steps in the reply; default and at most 400; -1: all (exports).
     */
    limit?: number;
  };
/**
 * Params of `view/stacks`.
 */
export type ViewStacksParams = StepSelection & {
  /**
   * Default: device where there is device work.
   */
  weight?: 'device' | 'host';
  /**
   * Leave out library frames.
   */
  foldLibrary?: boolean;
  /**
   * Callees at the root.
   */
  bottomUp?: boolean;
  /**
   * Only stacks with a frame that holds this text.
   */
  search?: string;
  /**
   * Only below this id.
   */
  root?: number;
  /**
   * -1: the whole tree.
   */
  limit?: number;
};
/**
 * Params of `view/stackFunctions`.
 */
export type ViewStackFunctionsParams = StepSelection &
  TableQuery & {
    /**
     * Not used.
     */
    groupBy?: string;
    /**
     * Default: device where there is device work.
     */
    weight?: 'device' | 'host';
    /**
     * Leave out library frames.
     */
    foldLibrary?: boolean;
    /**
     * Callees at the root.
     */
    bottomUp?: boolean;
    /**
     * Only stacks with a frame that holds this text.
     */
    search?: string;
    /**
     * Only below this id.
     */
    root?: number;
  };

/**
 * Which trace of an open profile.
 */
export interface TraceSelection {
  /**
   * From profile/open.
   */
  profileId: string;
  /**
   * Run name; absent: the first.
   */
  run?: string;
  /**
   * Worker name; absent: the first.
   */
  worker?: string;
  /**
   * Capture span; absent: the first.
   */
  span?: string;
}
/**
 * Which rows of a table, in which order.
 */
export interface TableQuery {
  /**
   * Column key; a minus before it sorts descending.
   */
  sort?: string;
  /**
   * Words that a row must contain; "key:word", "key=whole text", "key>number", "key<number".
   */
  filter?: string;
  /**
   * First row of the page.
   */
  offset?: number;
  /**
   * Rows of the page; default 200, at most 2000; -1: all (exports).
   */
  limit?: number;
}
/**
 * The user's rules for what uses matrix units.
 */
export interface TensorCoreRules {
  /**
   * The user's own rules, asked before the built-in ones: a part of a kernel's name that marks tensor core kernels, with a minus before it one that exempts them. "op:name" adds an operator that matrix units can run.
   */
  tensorCoreRules?: string[];
}
/**
 * Where source files may be read.
 */
export interface SourceSpace {
  /**
   * Folders of the user's code; only files below these, below targets of mappings and below sitePackages are read.
   */
  sourceRoots?: string[];
  /**
   * The user's path mappings, tried first.
   */
  mappings?: PathMapping[];
  /**
   * site-packages folders of the selected interpreter.
   */
  sitePackages?: string[];
}
/**
 * Files recorded below one folder lie below another.
 */
export interface PathMapping {
  /**
   * Folder in recorded paths.
   */
  from: string;
  /**
   * Folder on this machine.
   */
  to: string;
}
/**
 * A document of the editor.
 */
export interface Document {
  /**
   * Path of the document as the editor knows it.
   */
  path: string;
  /**
   * Text of the document now, saved or not.
   */
  text: string;
  /**
   * The document is a notebook cell: it is matched by its text.
   */
  cell?: boolean;
  /**
   * Of a cell: ends of the names that kernels before ipykernel 6 may have given it, first twelve hexadecimal digits of SHA-1 and MD5 of its text.
   */
  digests?: string[];
  /**
   * The document was not saved: it is matched by its text.
   */
  untitled?: boolean;
}
/**
 * Which trace of a profile, which steps. Base of every view's parameters.
 */
export interface Selection {
  /**
   * From profile/open.
   */
  profileId: string;
  /**
   * Run name; absent: the first.
   */
  run?: string;
  /**
   * Worker name; absent: the first.
   */
  worker?: string;
  /**
   * Capture span; absent: the first.
   */
  span?: string;
  /**
   * "all" (default): the whole trace, with what lies outside every step; a step's number; or a range "A-B".
   */
  steps?: string;
}
/**
 * Selection and what a table is asked for.
 */
export interface TableParams {
  /**
   * From profile/open.
   */
  profileId: string;
  /**
   * Run name; absent: the first.
   */
  run?: string;
  /**
   * Worker name; absent: the first.
   */
  worker?: string;
  /**
   * Capture span; absent: the first.
   */
  span?: string;
  /**
   * "all" (default): the whole trace, with what lies outside every step; a step's number; or a range "A-B".
   */
  steps?: string;
  /**
   * Grouping; each view names its own.
   */
  groupBy?: string;
  /**
   * Column key; a minus before it sorts descending.
   */
  sort?: string;
  /**
   * Words that a row must contain, with alternatives as "a|b" and phrases in double quotes; "key:word", "key=whole text", "key>number", "key<number".
   */
  filter?: string;
  /**
   * First row of the page.
   */
  offset?: number;
  /**
   * Rows of the page; default 200, at most 2000; -1: all (exports).
   */
  limit?: number;
}
/**
 * A column of a table, with the definition of its number.
 */
export interface Column {
  /**
   * Key of the cell in a row.
   */
  key: string;
  /**
   * Heading.
   */
  title: string;
  /**
   * What the value means.
   */
  definition: string;
  /**
   * Type of its cells.
   */
  type: 'text' | 'integer' | 'number' | 'bool';
  /**
   * Unit of its cells.
   */
  unit: '' | 'count' | 'us' | 'ns' | 'bytes' | 'ratio' | 'gbPerS' | 'flops';
  /**
   * Carried for links, not shown.
   */
  hidden: boolean;
  /**
   * What it is for: the keys of a row say which row it is, and links lead elsewhere.
   */
  role: 'key' | 'measure' | 'fact' | 'link';
}
/**
 * A row: cell by column key; null where there is no value.
 */
export interface Row {
  [k: string]: string | number | boolean | null;
}
/**
 * Problems of one kind found while reading.
 */
export interface Problem {
  /**
   * Stable id.
   */
  kind: string;
  /**
   * What it means.
   */
  message: string;
  /**
   * How many.
   */
  count: number;
  /**
   * Byte offset of the first in the inflated text.
   */
  firstOffset: number;
  /**
   * Figures must not be read without it: every view shows the message.
   */
  notice: boolean;
}
/**
 * What a view lacks in this trace, and how to record it.
 */
export interface Absence {
  /**
   * What is missing, one sentence.
   */
  what: string;
  /**
   * The torch.profiler argument that records it; empty when none does.
   */
  argument: string;
  /**
   * Python code that records it; may be empty.
   */
  snippet: string;
}
/**
 * A Python stack frame.
 */
export interface Frame {
  /**
   * Path as recorded; empty for builtins.
   */
  file: string;
  /**
   * Line as recorded, 1-based; 0 unknown.
   */
  line: number;
  /**
   * Function name.
   */
  function: string;
  /**
   * True when the recorder named the function's first line, not the calling line.
   */
  lineIsDefinition: boolean;
  /**
   * True for the standard library and installed packages.
   */
  library: boolean;
}
/**
 * A slice of the timeline: enough to find it again.
 */
export interface SliceRef {
  /**
   * Slice index in this trace.
   */
  slice: number;
  /**
   * Its name.
   */
  name: string;
  /**
   * Start relative to the profile's start.
   */
  startNs: number;
  /**
   * Duration.
   */
  durationNs: number;
  /**
   * Track index.
   */
  track: number;
}
/**
 * A page of a table. It may end before its limit so that the reply stays small: the next page begins at offset + rows.length.
 */
export interface Table {
  /**
   * Columns in order.
   */
  columns: Column[];
  /**
   * Rows of the page, possibly fewer than asked for.
   */
  rows: Row[];
  /**
   * Rows after filtering.
   */
  totalRows: number;
  /**
   * Rows before filtering.
   */
  unfilteredRows: number;
}
/**
 * A capture span: one file.
 */
export interface Span {
  /**
   * Its name; empty when there is only one.
   */
  span: string;
  /**
   * The file.
   */
  path: string;
  /**
   * Size of the file.
   */
  sizeBytes: number;
}
/**
 * A worker of a run.
 */
export interface Worker {
  /**
   * Its name.
   */
  name: string;
  /**
   * Capture spans by time.
   */
  spans: Span[];
}
/**
 * A run.
 */
export interface Run {
  /**
   * Its name.
   */
  name: string;
  /**
   * Its workers.
   */
  workers: Worker[];
}
/**
 * A step that can be chosen.
 */
export interface StepInfo {
  /**
   * Number as shown.
   */
  name: string;
  /**
   * Start of its time.
   */
  startNs: number;
  /**
   * Length of its time.
   */
  durationNs: number;
  /**
   * Cut by the end of the capture.
   */
  partial: boolean;
}
/**
 * A device of the trace.
 */
export interface DeviceInfo {
  /**
   * Device number.
   */
  ordinal: number;
  /**
   * What it is called: "GPU 2", "MTIA 9".
   */
  label: string;
  /**
   * Name as recorded; may be empty.
   */
  name: string;
}
/**
 * What a loaded trace is.
 */
export interface TraceInfo {
  /**
   * The file.
   */
  path: string;
  /**
   * Run chosen.
   */
  run: string;
  /**
   * Worker chosen.
   */
  worker: string;
  /**
   * Span chosen.
   */
  span: string;
  /**
   * Events in the file.
   */
  events: number;
  /**
   * Slices among them.
   */
  slices: number;
  /**
   * Absolute time of the profile's start.
   */
  baseNs: number;
  /**
   * Extent of the trace.
   */
  durationNs: number;
  /**
   * Rank when distributed.
   */
  rank: number | null;
  /**
   * World size when distributed.
   */
  worldSize: number | null;
  /**
   * False: the whole trace counts as one step.
   */
  hasRecordedSteps: boolean;
  /**
   * Steps.
   */
  steps: StepInfo[];
  /**
   * Devices.
   */
  devices: DeviceInfo[];
  /**
   * Python stacks were recorded.
   */
  hasStacks: boolean;
  /**
   * Input shapes were recorded.
   */
  hasShapes: boolean;
  /**
   * Allocator records are there.
   */
  hasMemory: boolean;
  /**
   * Module calls or module hierarchy are there.
   */
  hasModules: boolean;
  /**
   * Lightning hooks are there.
   */
  hasLightning: boolean;
  /**
   * Device slices are there.
   */
  hasDeviceWork: boolean;
  /**
   * Problems found while reading.
   */
  problems: Problem[];
}
/**
 * Trace health: what was read, what is missing.
 */
export interface CheckResult {
  /**
   * Stages of loading.
   */
  stages: {
    /**
     * Stage.
     */
    name: string;
    /**
     * Time in it; stages overlap.
     */
    seconds: number;
  }[];
  /**
   * Wall time of loading.
   */
  totalSeconds: number;
  /**
   * Bytes of the file.
   */
  fileBytes: number;
  /**
   * Bytes of JSON text.
   */
  textBytes: number;
  /**
   * Bytes the store holds.
   */
  memoryBytes: number;
  /**
   * Events in the file.
   */
  events: number;
  /**
   * Events by what they became: slices, paired, instants, memory, counters, flows, metadata, dropped.
   */
  counts: {
    [k: string]: number;
  };
  /**
   * Events by category.
   */
  categories: {
    /**
     * As recorded.
     */
    category: string;
    /**
     * Events.
     */
    count: number;
  }[];
  /**
   * Problems.
   */
  problems: Problem[];
  /**
   * What is missing and how to record it.
   */
  absences: Absence[];
  /**
   * How launches found their operators.
   */
  opLink: 'none' | 'externalId' | 'containment' | 'arrow';
  /**
   * Device work without a launch or operator.
   */
  unlinkedDeviceSlices: number;
}
/**
 * What one line costs.
 */
export interface LineCost {
  /**
   * Path as recorded.
   */
  file: string;
  /**
   * Line, 1-based; for confidence "function" the function's first line.
   */
  line: number;
  /**
   * Function, qualified by its classes where the source is known.
   */
  function: string;
  /**
   * Device time whose innermost user line this is, forward and backward.
   */
  deviceSelfUs: number;
  /**
   * Device time of everything called from this line.
   */
  deviceTotalUs: number;
  /**
   * Part of deviceTotalUs that ran in backward, without what was recomputed there.
   */
  backwardDeviceUs: number;
  /**
   * Part of deviceTotalUs that activation checkpointing ran again in backward.
   */
  recomputeDeviceUs: number;
  /**
   * Host time whose innermost user line this is.
   */
  hostSelfUs: number;
  /**
   * Host time of everything called from this line.
   */
  hostTotalUs: number;
  /**
   * Part of hostTotalUs that ran in backward, without what was recomputed there.
   */
  backwardHostUs: number;
  /**
   * Part of hostTotalUs that activation checkpointing ran again in backward.
   */
  recomputeHostUs: number;
  /**
   * How often the line ran; for confidence "function" calls of the function. 0 when not known.
   */
  runs: number;
  /**
   * Calls made from this line; for confidence "function" calls of the function.
   */
  calls: number;
  /**
   * Bytes allocated by this line, releases not subtracted.
   */
  allocatedBytes: number;
  /**
   * Collective operations started from this line.
   */
  collectives: number;
  /**
   * Device time of collectives started from this line.
   */
  collectiveUs: number;
  /**
   * Host time spent waiting for the device.
   */
  synchronisationUs: number;
  /**
   * Device idle time during which the host was busy with this line.
   */
  idleUs: number;
  /**
   * exact: recorded; aligned: found by aligning calls with the source; function: only the function is known.
   */
  confidence: 'exact' | 'aligned' | 'function';
  /**
   * Hottest operators, hottest first.
   */
  operators: string[];
}
/**
 * Cost of a line in the document as it is now.
 */
export interface AnnotatedLine {
  /**
   * Path as recorded.
   */
  file: string;
  /**
   * Line in the document now, 1-based.
   */
  line: number;
  /**
   * Function, qualified by its classes where the source is known.
   */
  function: string;
  /**
   * Device time whose innermost user line this is, forward and backward.
   */
  deviceSelfUs: number;
  /**
   * Device time of everything called from this line.
   */
  deviceTotalUs: number;
  /**
   * Part of deviceTotalUs that ran in backward, without what was recomputed there.
   */
  backwardDeviceUs: number;
  /**
   * Part of deviceTotalUs that activation checkpointing ran again in backward.
   */
  recomputeDeviceUs: number;
  /**
   * Host time whose innermost user line this is.
   */
  hostSelfUs: number;
  /**
   * Host time of everything called from this line.
   */
  hostTotalUs: number;
  /**
   * Part of hostTotalUs that ran in backward, without what was recomputed there.
   */
  backwardHostUs: number;
  /**
   * Part of hostTotalUs that activation checkpointing ran again in backward.
   */
  recomputeHostUs: number;
  /**
   * How often the line ran; for confidence "function" calls of the function. 0 when not known.
   */
  runs: number;
  /**
   * Calls made from this line; for confidence "function" calls of the function.
   */
  calls: number;
  /**
   * Bytes allocated by this line, releases not subtracted.
   */
  allocatedBytes: number;
  /**
   * Collective operations started from this line.
   */
  collectives: number;
  /**
   * Device time of collectives started from this line.
   */
  collectiveUs: number;
  /**
   * Host time spent waiting for the device.
   */
  synchronisationUs: number;
  /**
   * Device idle time during which the host was busy with this line.
   */
  idleUs: number;
  /**
   * exact: recorded; aligned: found by aligning calls with the source; function: only the function is known.
   */
  confidence: 'exact' | 'aligned' | 'function';
  /**
   * Hottest operators, hottest first.
   */
  operators: string[];
  /**
   * Line in the text as recorded (what view/lines shows).
   */
  recordedLine: number;
  /**
   * The line could not be followed to the text of now: line is that of the enclosing function.
   */
  stale: boolean;
  /**
   * deviceTotalUs by all device time, 0..1.
   */
  deviceShare: number;
  /**
   * hostTotalUs by all host time of traced threads, 0..1.
   */
  hostShare: number;
}
/**
 * Cost of a function, class or module, for a CodeLens.
 */
export interface SourceLens {
  /**
   * Line of the definition in the document now, 1-based.
   */
  line: number;
  /**
   * What is defined there; module: a torch.nn.Module class.
   */
  kind: 'function' | 'class' | 'module';
  /**
   * Qualified name.
   */
  name: string;
  /**
   * First line as recorded.
   */
  recordedLine: number;
  /**
   * Device time inside, forward and backward.
   */
  deviceUs: number;
  /**
   * deviceUs by all device time, 0..1.
   */
  deviceShare: number;
  /**
   * Host time inside.
   */
  hostUs: number;
  /**
   * hostUs by all host time of traced threads, 0..1.
   */
  hostShare: number;
  /**
   * Backward part of deviceUs, or of hostUs when there is no device work.
   */
  backwardUs: number;
  /**
   * Backward part by the whole, 0..1.
   */
  backwardShare: number;
  /**
   * What activation checkpointing ran again in backward, of the device, or of the host without a device.
   */
  recomputeUs: number;
  /**
   * Calls.
   */
  calls: number;
  /**
   * Hottest operators inside, hottest first.
   */
  operators: string[];
  /**
   * The function was changed since the recording; figures are of the recorded text.
   */
  stale: boolean;
}
/**
 * What there is to place, and how much of it has its line.
 */
export interface LineTotals {
  /**
   * All device time.
   */
  deviceUs: number;
  /**
   * All host time of traced threads.
   */
  hostUs: number;
  /**
   * Device time on lines (exact or aligned).
   */
  lineDeviceUs: number;
  /**
   * Device time known to the function only.
   */
  functionDeviceUs: number;
  /**
   * Host time on lines (exact or aligned).
   */
  lineHostUs: number;
  /**
   * Host time known to the function only.
   */
  functionHostUs: number;
}
/**
 * Part of a line's cost.
 */
export interface NamedCost {
  /**
   * Operator or kernel.
   */
  name: string;
  /**
   * Calls.
   */
  calls: number;
  /**
   * Device time.
   */
  deviceUs: number;
  /**
   * Host time; 0 for kernels.
   */
  hostUs: number;
  /**
   * Part of deviceUs (of hostUs without device work) that ran in backward.
   */
  backwardUs: number;
  /**
   * Input shapes, most frequent first, at most 3.
   */
  shapes: string[];
}
/**
 * A line from which this one was reached.
 */
export interface CallerCost {
  /**
   * Path as recorded.
   */
  file: string;
  /**
   * Line.
   */
  line: number;
  /**
   * Function.
   */
  function: string;
  /**
   * Device time through this caller.
   */
  deviceUs: number;
  /**
   * Host time through this caller.
   */
  hostUs: number;
}
/**
 * A hot line and where it lies here.
 */
export interface HotLine {
  cost: LineCost;
  /**
   * File on this machine; null when it was not found.
   */
  path: string | null;
  /**
   * Self share of device time, of host time when there is no device work; 0..1.
   */
  share: number;
}
/**
 * A row of the timeline, in the suggested order: steps, streams by load, launching threads, the rest.
 */
export interface TimelineTrack {
  /**
   * Id of the row: a track of the trace, or a derived one (ids from 1000000).
   */
  id: number;
  /**
   * steps: the host's step ranges; counter: recorded counter series; derived: computed series; async: asynchronous events of one category of a process.
   */
  kind:
    'steps' | 'thread' | 'stream' | 'overhead' | 'span' | 'counter' | 'derived' | 'other' | 'async';
  /**
   * Heading it belongs to: a process or a device.
   */
  group: string;
  /**
   * Name of the row.
   */
  name: string;
  /**
   * More about it: ids as recorded, labels.
   */
  detail: string;
  /**
   * Device of a stream or derived row.
   */
  device: number | null;
  /**
   * Rows of boxes: nesting depth on threads, sub-lanes on streams.
   */
  lanes: number;
  /**
   * Slices on it.
   */
  slices: number;
  /**
   * Instants on it.
   */
  instants: number;
  /**
   * Union of its slices' time; on a row of a device of its kernels, copies and sets alone.
   */
  busyNs: number;
  /**
   * Suggested: closed in the first picture.
   */
  folded: boolean;
  /**
   * Unit of a series: ratio, count, gbPerS, bytes, or empty.
   */
  unit: string;
  /**
   * Largest value of a series.
   */
  maxValue: number | null;
}
/**
 * Boxes of one row in a window.
 */
export interface TimelineBoxes {
  /**
   * Row.
   */
  track: number;
  /**
   * Start of each box, ns.
   */
  start: number[];
  /**
   * Length of each box, ns.
   */
  length: number[];
  /**
   * Lane of each box.
   */
  lane: number[];
  /**
   * Slice index; -1 for a box that stands for several slices.
   */
  slice: number[];
  /**
   * Slices a box stands for.
   */
  count: number[];
  /**
   * Index into the reply's names: of the slice, or of the longest one.
   */
  name: number[];
  /**
   * Index into the reply's kinds.
   */
  kind: number[];
  /**
   * Marks of the instants in the window, at most one per pixel; their counts add up to all of them.
   */
  instants: {
    /**
     * Time.
     */
    ns: number;
    /**
     * Index into names.
     */
    name: number;
    /**
     * Index of the instant, the first where the mark stands for several.
     */
    index: number;
    /**
     * Instants at this pixel.
     */
    count: number;
  }[];
  /**
   * Slices of the row that touch the window.
   */
  totalSlices: number;
}
/**
 * Values of a counter or derived row in a window.
 */
export interface TimelineSeries {
  /**
   * Row.
   */
  track: number;
  /**
   * What a value stands for: the mean over the time that it holds, or the largest there.
   */
  reduce: 'mean' | 'extremes';
  /**
   * Times; values hold until the next.
   */
  ns: number[];
  /**
   * Means or largest values; exact where few values change, else one per pixel.
   */
  value: number[];
  /**
   * Smallest values, parallel; empty for means.
   */
  low: number[];
}
/**
 * Everything about one slice.
 */
export interface SliceDetail {
  /**
   * Slice index.
   */
  slice: number;
  /**
   * Name.
   */
  name: string;
  /**
   * Category as recorded.
   */
  category: string;
  /**
   * What it is: cpuOp, kernel, ...
   */
  kind: string;
  /**
   * Row.
   */
  track: number;
  /**
   * Name of the row.
   */
  trackName: string;
  /**
   * Lane.
   */
  lane: number;
  /**
   * Start.
   */
  startNs: number;
  /**
   * Duration.
   */
  durationNs: number;
  /**
   * Duration less that of slices directly inside.
   */
  selfNs: number;
  /**
   * Step it belongs to.
   */
  step: string | null;
  /**
   * Position of the event in the file.
   */
  eventIndex: number;
  /**
   * Every arg, in the order of the file.
   */
  args: {
    /**
     * Key as recorded.
     */
    key: string;
    /**
     * Value as recorded; JSON text for arrays and objects.
     */
    value: string;
  }[];
  /**
   * Python stack, innermost first.
   */
  stack: Frame[];
  /**
   * Slice around it.
   */
  parent: SliceRef | null;
  /**
   * Slices directly inside.
   */
  children: number;
  /**
   * Operator it belongs to.
   */
  op: SliceRef | null;
  /**
   * Call that launched it.
   */
  launch: SliceRef | null;
  /**
   * Device work it launched, at most 50.
   */
  launched: SliceRef[];
  /**
   * Device work it launched, with what is inside.
   */
  launchedTotal: number;
  /**
   * Forward operator of a backward one.
   */
  forward: SliceRef | null;
  /**
   * Backward operators of a forward one, at most 50.
   */
  backward: SliceRef[];
  /**
   * Innermost nn.Module call.
   */
  module: SliceRef | null;
  /**
   * Of a graph's work: the operator that recorded it at capture, perhaps in another trace.
   */
  capturedOp: string | null;
  /**
   * Of a graph's work: the module that recorded it at capture.
   */
  capturedModule: string | null;
  /**
   * Innermost user annotation.
   */
  annotation: SliceRef | null;
  /**
   * Start of device work less end of its launch call.
   */
  queueDelayNs: number | null;
  /**
   * Of a copy or set: its row of view/copies.
   */
  copy: {
    /**
     * Direction.
     */
    direction: string;
    /**
     * Kind of memory that is read, where recorded.
     */
    source: string;
    /**
     * Kind of memory that is written, where recorded.
     */
    target: string;
  } | null;
}
/**
 * An arrow between slices.
 */
export interface FlowArrow {
  from: SliceRef;
  to: SliceRef;
  /**
   * What it joins.
   */
  kind: 'launch' | 'forwardBackward' | 'other';
  /**
   * Name of a recorded flow of kind other; empty for the rest.
   */
  name: string;
  /**
   * Args of a recorded flow of kind other.
   */
  args: {
    /**
     * Key as recorded.
     */
    key: string;
    /**
     * Value as recorded; JSON text for arrays and objects.
     */
    value: string;
  }[];
}
/**
 * An idle gap of a device.
 */
export interface Gap {
  /**
   * Start of the idle time.
   */
  startNs: number;
  /**
   * Length.
   */
  durationNs: number;
  /**
   * What the device waited for.
   */
  reason:
    | 'launchLate'
    | 'synchronisation'
    | 'copy'
    | 'dataLoader'
    | 'collective'
    | 'hostBusy'
    | 'startOfTrace'
    | 'unknown';
  /**
   * One sentence that explains it.
   */
  text: string;
  /**
   * How sure that is.
   */
  confidence: 'high' | 'medium' | 'low';
  /**
   * Device work that ended it.
   */
  endedBy: SliceRef | null;
  /**
   * What the host did meanwhile.
   */
  host: SliceRef | null;
  /**
   * Line of the user's code.
   */
  frame: Frame | null;
}
/**
 * Sums of one kind in a range.
 */
export interface KindSum {
  /**
   * Kind: kernel, cpuOp, ...
   */
  kind: string;
  /**
   * Slices that touch the range.
   */
  slices: number;
  /**
   * Sum of their time inside the range.
   */
  sumNs: number;
  /**
   * Union of their time inside the range.
   */
  unionNs: number;
}
/**
 * Busy time of a device in a range.
 */
export interface DeviceBusy {
  /**
   * Ordinal of the device; -1 where none was recorded.
   */
  device: number;
  /**
   * Time inside the range in which some stream works: kernels, copies and sets, not annotations.
   */
  busyNs: number;
}
/**
 * Sums of one name in a range.
 */
export interface NameSum {
  /**
   * Name.
   */
  name: string;
  /**
   * Kind.
   */
  kind: string;
  /**
   * Slices that touch the range.
   */
  calls: number;
  /**
   * Time inside the range.
   */
  sumNs: number;
  longest: SliceRef;
}
/**
 * A memory curve as steps: values hold until the next time.
 */
export interface MemoryCurve {
  /**
   * Times since the profile's start.
   */
  timesNs: number[];
  /**
   * Allocated after each time.
   */
  allocatedBytes: number[];
  /**
   * Reserved after each time; empty when not recorded.
   */
  reservedBytes: number[];
  /**
   * Records in the range.
   */
  records: number;
}
/**
 * A device whose allocator was recorded.
 */
export interface MemoryDevice {
  /**
   * Name of the device.
   */
  name: string;
  /**
   * Allocator records.
   */
  records: number;
  /**
   * Most bytes allocated at once.
   */
  peakAllocatedBytes: number;
  /**
   * Most bytes reserved at once; null when not recorded.
   */
  peakReservedBytes: number | null;
  /**
   * Time of the peak.
   */
  peakNs: number | null;
  /**
   * Bytes of the device; null when unknown.
   */
  capacityBytes: number | null;
  /**
   * Totals were not recorded; counted from zero.
   */
  relative: boolean;
  curve?: MemoryCurve;
}
/**
 * The memory view.
 */
export interface MemoryResult {
  /**
   * Devices.
   */
  devices: MemoryDevice[];
  /**
   * Device shown.
   */
  device: string;
  /**
   * Start of the range.
   */
  startNs: number;
  /**
   * End of the range.
   */
  endNs: number;
  curve: MemoryCurve;
  /**
   * What was alive at the device's peak.
   */
  peak: {
    byOperator: SmallTable;
    byLine: SmallTable;
    byModule: SmallTable;
  };
  /**
   * What the view lacks.
   */
  absences: Absence[];
  /**
   * Rows.
   */
  events?: Row[];
  /**
   * Rows.
   */
  statistics?: Row[];
}
/**
 * A small table, whole.
 */
export interface SmallTable {
  /**
   * Columns.
   */
  columns: Column[];
  /**
   * Rows.
   */
  rows: Row[];
  /**
   * Rows, all of which are here.
   */
  totalRows: number;
  /**
   * Rows, all of which are here.
   */
  unfilteredRows: number;
}
/**
 * A place in the module hierarchy.
 */
export interface ModuleNode {
  /**
   * Id in this tree.
   */
  id: number;
  /**
   * Name of the instance.
   */
  name: string;
  /**
   * Its class; may be empty.
   */
  className: string;
  /**
   * Calls in forward.
   */
  occurrences: number;
  /**
   * Listed operators directly inside.
   */
  operators: number;
  /**
   * Time of the calls, forward only, as all that has no other pass in its name.
   */
  hostTotalUs: number;
  /**
   * Less the time of sub-modules.
   */
  hostSelfUs: number;
  /**
   * Device work launched during the calls.
   */
  deviceTotalUs: number;
  /**
   * Less that of sub-modules.
   */
  deviceSelfUs: number;
  /**
   * Host time of the backward operators of what ran in the calls, without what they ran again.
   */
  backwardHostUs: number;
  /**
   * Device work of those.
   */
  backwardDeviceTotalUs: number;
  /**
   * Less that of sub-modules.
   */
  backwardDeviceSelfUs: number;
  /**
   * Calls that activation checkpointing ran again in backward; they are not in occurrences.
   */
  recomputed: number;
  /**
   * Host time of what ran again.
   */
  recomputeHostUs: number;
  /**
   * Device work of that.
   */
  recomputeDeviceTotalUs: number;
  /**
   * Less that of sub-modules.
   */
  recomputeDeviceSelfUs: number;
  /**
   * Bytes allocated during the calls, also when they ran again.
   */
  allocatedBytes: number;
  /**
   * First call in the timeline.
   */
  slice: number | null;
  /**
   * File of the class's forward; empty when unknown.
   */
  file: string;
  /**
   * Line of it; 0 unknown.
   */
  line: number;
  /**
   * Function there.
   */
  function: string;
  /**
   * Sub-modules; more than in children when the reply was cut: ask with root.
   */
  childCount: number;
  /**
   * Sub-modules in order of first call.
   */
  children: ModuleNode[];
}
/**
 * A slice of a ring chart.
 */
export interface RingSlice {
  /**
   * Name.
   */
  name: string;
  /**
   * Its time, microseconds.
   */
  us: number;
}
/**
 * A Python stack from which an operator was called.
 */
export interface OperatorStack {
  /**
   * Innermost first.
   */
  frames: Frame[];
  /**
   * The calls ran in backward; the stack is their forward operator's.
   */
  backward: boolean;
  /**
   * Calls.
   */
  calls: number;
  /**
   * Device time launched by the calls themselves, microseconds.
   */
  deviceSelfUs: number;
  /**
   * With operators called inside, microseconds.
   */
  deviceTotalUs: number;
  /**
   * Host time without operators called inside and runtime calls, microseconds.
   */
  hostSelfUs: number;
  /**
   * Host time, microseconds.
   */
  hostTotalUs: number;
  slice: SliceRef;
}
/**
 * Parts of a step by priority; they add up to its duration.
 */
export interface StepParts {
  /**
   * Kernels that do not communicate. Microseconds.
   */
  kernel: number;
  /**
   * Copies while no kernel runs. Microseconds.
   */
  memcpy: number;
  /**
   * Sets while no kernel or copy runs. Microseconds.
   */
  memset: number;
  /**
   * Communication that nothing else on the device hides. Microseconds.
   */
  communication: number;
  /**
   * Runtime and driver calls while the device is idle. Microseconds.
   */
  runtime: number;
  /**
   * Waiting for the data loader. Microseconds.
   */
  dataLoader: number;
  /**
   * Operators on the host. Microseconds.
   */
  cpuExec: number;
  /**
   * The remainder. Microseconds.
   */
  other: number;
}
/**
 * A step.
 */
export interface OverviewStep {
  /**
   * Number as shown.
   */
  name: string;
  /**
   * Start of its time, ns since the profile's start.
   */
  startNs: number;
  /**
   * Length of its time, extended over its device work, microseconds.
   */
  durationUs: number;
  /**
   * Cut by the end of the capture; not in the average.
   */
  partial: boolean;
  parts: StepParts;
}
/**
 * A device and its use over the selected steps.
 */
export interface GpuSummary {
  /**
   * Device number.
   */
  index: number;
  /**
   * What it is called: "GPU 2", "MTIA 9".
   */
  label: string;
  /**
   * Name as recorded; may be empty.
   */
  name: string;
  /**
   * Memory of the device; null when unknown.
   */
  memoryBytes: number | null;
  /**
   * Such as 9.0; null when unknown.
   */
  computeCapability: string | null;
  /**
   * Multiprocessors or compute units; null when unknown.
   */
  multiprocessors: number | null;
  /**
   * Share of the time, 0 to 1, with at least one kernel running.
   */
  utilization: number | null;
  /**
   * Blocks per SM of the running kernels, summed and cut at 1, averaged over the time; null when not recorded.
   */
  estSmEfficiency: number | null;
  /**
   * Estimated occupancy, 0 to 1, averaged over kernel time; null when not recorded.
   */
  estOccupancy: number | null;
  /**
   * Share of kernel time, 0 to 1, in kernels that use matrix units; null without kernels.
   */
  tensorCoreShare: number | null;
  /**
   * Share of kernel time, 0 to 1, in kernels whose names do not tell whether they use matrix units; null without kernels.
   */
  tensorCoreUnknownShare: number | null;
  /**
   * Sum of kernel durations, microseconds.
   */
  kernelUs: number;
}
/**
 * A number that a finding rests on.
 */
export interface Evidence {
  /**
   * What it is.
   */
  label: string;
  /**
   * Value in its unit.
   */
  value: number;
  /**
   * Unit.
   */
  unit: '' | 'count' | 'us' | 'ns' | 'bytes' | 'ratio' | 'gbPerS' | 'flops';
}
/**
 * Something that could be done about the time.
 */
export interface Finding {
  /**
   * Stable id.
   */
  id: string;
  /**
   * How much it matters.
   */
  severity: 'info' | 'warning';
  /**
   * A few words.
   */
  title: string;
  /**
   * What was seen, with its numbers.
   */
  text: string;
  /**
   * What to do.
   */
  action: string;
  /**
   * Code that does it; may be empty.
   */
  snippet: string;
  /**
   * Numbers.
   */
  evidence: Evidence[];
  /**
   * Expected gain per step, microseconds; null when it cannot be told.
   */
  gainUs: number | null;
  /**
   * Where to look, heaviest first.
   */
  slices: SliceRef[];
  /**
   * Lines that cause it.
   */
  frames: Frame[];
}
/**
 * A frame in the tree of stacks.
 */
export interface StackNode {
  /**
   * Id in this tree.
   */
  id: number;
  /**
   * function; recompute: what is below ran again in backward, for activation checkpointing; threads: what is below ran beside the main thread, and is sent when it is asked for.
   */
  kind: 'function' | 'recompute' | 'threads';
  /**
   * Function; all at the root; recompute, or the name of a thread, by kind.
   */
  function: string;
  /**
   * File as recorded.
   */
  file: string;
  /**
   * Line as recorded.
   */
  line: number;
  /**
   * Standard library or installed package.
   */
  library: boolean;
  /**
   * Time with this frame innermost (top-down).
   */
  selfUs: number;
  /**
   * Time at or below.
   */
  totalUs: number;
  /**
   * Children; more than in children when the reply was cut: ask with root.
   */
  childCount: number;
  /**
   * Heaviest first, other threads last.
   */
  children: StackNode[];
}
/**
 * Params of `initialize`.
 */
export interface InitializeParams {
  /**
   * Version of the client.
   */
  clientVersion: string;
  /**
   * The client's process; the daemon ends when it does.
   */
  processId?: number | null;
}
/**
 * Result of `initialize`.
 */
export interface InitializeResult {
  /**
   * Version of the daemon.
   */
  serverVersion: string;
  /**
   * Version of this definition.
   */
  protocolVersion: number;
}
/**
 * Params of `shutdown`.
 */
export interface ShutdownParams {}
/**
 * Params of `exit`.
 */
export interface ExitParams {}
/**
 * Params of `profile/open`.
 */
export interface ProfileOpenParams {
  /**
   * Trace, run folder or log folder.
   */
  path: string;
}
/**
 * Result of `profile/open`.
 */
export interface ProfileOpenResult {
  /**
   * Handle for all other requests.
   */
  profileId: string;
  /**
   * What was opened.
   */
  path: string;
  /**
   * Runs found.
   */
  runs: Run[];
  /**
   * Files left out, with the reason.
   */
  skipped: string[];
}
/**
 * Params of `profile/close`.
 */
export interface ProfileCloseParams {
  /**
   * From profile/open.
   */
  profileId: string;
}
/**
 * Params of `$/progress`.
 */
export interface ProgressParams {
  /**
   * The request's workDoneToken.
   */
  token: string | number;
  /**
   * State.
   */
  value: {
    /**
     * As in LSP.
     */
    kind: 'begin' | 'report' | 'end';
    /**
     * Stage.
     */
    message?: string;
    /**
     * 0 to 100.
     */
    percentage?: number;
  };
}
/**
 * Params of `$/cancelRequest`.
 */
export interface CancelRequestParams {
  /**
   * The request's id.
   */
  id: string | number;
}
/**
 * The file, or candidates to ask for.
 */
export interface SourceResolveResult {
  /**
   * Outcome.
   */
  status: 'found' | 'ambiguous' | 'missing';
  /**
   * The file when found.
   */
  path: string | null;
  /**
   * Files that fit equally well when ambiguous.
   */
  candidates: string[];
}
/**
 * Lines, lenses and totals; empty lists when the profile did not run this file.
 */
export interface SourceAnnotationsResult {
  /**
   * Recorded paths that are this document.
   */
  files: string[];
  /**
   * Lines with costs, by line.
   */
  lines: AnnotatedLine[];
  /**
   * Definitions with costs, by line.
   */
  lenses: SourceLens[];
  totals: LineTotals;
  /**
   * False: judge by host time.
   */
  hasDeviceWork: boolean;
  /**
   * The text differs from what was recorded.
   */
  drifted: boolean;
}
/**
 * The breakdown; found is false and the rest is empty or null when the line has no cost.
 */
export interface SourceHoverResult {
  /**
   * The line has a cost.
   */
  found: boolean;
  /**
   * The line's cost; null when not found.
   */
  cost: AnnotatedLine | null;
  /**
   * By operator, hottest first, at most 12.
   */
  byOperator: NamedCost[];
  /**
   * By kernel, hottest first, at most 8.
   */
  byKernel: NamedCost[];
  /**
   * By calling line, hottest first, at most 8.
   */
  callers: CallerCost[];
  /**
   * Longest slices of the line, at most 8.
   */
  slices: SliceRef[];
}
/**
 * The stack, innermost frame first.
 */
export interface SourceStackResult {
  /**
   * At most 200; a line that was found is the calling line in the file as it is here, and lineIsDefinition is false.
   */
  frames: Frame[];
}
/**
 * Slices by start.
 */
export interface SourceLineSlicesResult {
  /**
   * Calls made from the line and the device work they started, by start.
   */
  slices: SliceRef[];
  /**
   * How many there are.
   */
  total: number;
}
/**
 * The listing.
 */
export interface SourceListingResult {
  /**
   * The file was found and may be read.
   */
  found: boolean;
  /**
   * The file on this machine.
   */
  path: string | null;
  /**
   * Where the line is in the text of now.
   */
  line: number | null;
  /**
   * Lines in order.
   */
  lines: {
    /**
     * 1-based.
     */
    line: number;
    /**
     * At most 240 bytes of it.
     */
    text: string;
    /**
     * Null where the line has none.
     */
    cost: AnnotatedLine | null;
  }[];
}
/**
 * Lines, hottest first.
 */
export interface SourceHotLinesResult {
  /**
   * Lines.
   */
  lines: HotLine[];
  /**
   * False: ranked by host time.
   */
  hasDeviceWork: boolean;
}
/**
 * One entry per placed call.
 */
export interface SourceEventLinesResult {
  /**
   * Calls by start.
   *
   * Items: A call.
   */
  events: {
    /**
     * Index in traceEvents.
     */
    event: number;
    /**
     * File of the caller as recorded.
     */
    file: string;
    /**
     * Line in the caller.
     */
    line: number;
    /**
     * As in LineCost.
     */
    confidence: 'exact' | 'aligned' | 'function';
    /**
     * Duration of the call.
     */
    durationUs: number;
    /**
     * Its duration without calls below it that are listed too.
     */
    exclusiveUs: number;
  }[];
  /**
   * How many there are.
   */
  total: number;
}
/**
 * Result of `timeline/tracks`.
 */
export interface TimelineTracksResult {
  /**
   * Start of the trace.
   */
  startNs: number;
  /**
   * End of the trace.
   */
  endNs: number;
  /**
   * Start of what the first picture shows: recorded steps, else device work, else all.
   */
  workStartNs: number;
  /**
   * End of it.
   */
  workEndNs: number;
  /**
   * Rows in suggested order.
   */
  tracks: TimelineTrack[];
  /**
   * Steps, for the ruler.
   */
  steps: {
    /**
     * Step.
     */
    name: string;
    /**
     * Start.
     */
    startNs: number;
    /**
     * End.
     */
    endNs: number;
    /**
     * Cut.
     */
    partial: boolean;
  }[];
  /**
   * Slices in the trace.
   */
  totalSlices: number;
  /**
   * Rows beyond 4,000 of a kind, which are not listed. Their slices are found by searches and sums all the same.
   */
  unlistedRows: number;
  /**
   * Slices on those rows.
   */
  unlistedSlices: number;
}
/**
 * Result of `timeline/window`.
 */
export interface TimelineWindowResult {
  /**
   * Names that boxes refer to; cut at 200 characters.
   */
  names: string[];
  /**
   * Kinds that boxes refer to.
   */
  kinds: string[];
  /**
   * Boxes of rows with slices.
   */
  rows: TimelineBoxes[];
  /**
   * Values of rows with series.
   */
  series: TimelineSeries[];
}
/**
 * Result of `timeline/density`.
 */
export interface TimelineDensityResult {
  /**
   * Busy share of each bucket, 0..1: union over all streams.
   */
  device: number[];
  /**
   * Busy share of the launching threads.
   */
  host: number[];
}
/**
 * Result of `timeline/instant`.
 */
export interface TimelineInstantResult {
  /**
   * Index.
   */
  index: number;
  /**
   * What was recorded.
   */
  kind:
    | 'instant'
    | 'objectCreated'
    | 'objectSnapshot'
    | 'objectDeleted'
    | 'memoryDump'
    | 'sample'
    | 'clockSync';
  /**
   * Name.
   */
  name: string;
  /**
   * Category.
   */
  category: string;
  /**
   * Time.
   */
  ns: number;
  /**
   * Row.
   */
  track: number | null;
  /**
   * The instant before it on its row.
   */
  previous: number | null;
  /**
   * The instant after it on its row.
   */
  next: number | null;
  /**
   * Args.
   */
  args: {
    /**
     * Key.
     */
    key: string;
    /**
     * Value.
     */
    value: string;
  }[];
}
/**
 * Result of `timeline/neighbour`.
 */
export interface TimelineNeighbourResult {
  /**
   * It, or null at the end.
   */
  slice: SliceRef | null;
}
/**
 * Result of `timeline/search`.
 */
export interface TimelineSearchResult {
  /**
   * Matches.
   */
  total: number;
  /**
   * Counts per row.
   */
  byTrack: {
    /**
     * Row.
     */
    track: number;
    /**
     * Matches on it.
     */
    count: number;
  }[];
  /**
   * Matches by time.
   */
  results: SliceRef[];
  /**
   * Sum of their durations.
   */
  sumNs: number;
}
/**
 * Result of `timeline/range`.
 */
export interface TimelineRangeResult {
  /**
   * Sums by kind.
   */
  kinds: KindSum[];
  /**
   * Top names by time.
   */
  names: NameSum[];
  /**
   * Devices with work in the range.
   */
  devices: DeviceBusy[];
  /**
   * Slices that touch the range.
   */
  totalSlices: number;
}
/**
 * Result of `timeline/gaps`.
 */
export interface TimelineGapsResult {
  /**
   * Device.
   */
  device: number | null;
  /**
   * Idle time in the range.
   */
  idleNs: number;
  /**
   * Gaps in the range.
   */
  total: number;
  /**
   * Longest first.
   */
  gaps: Gap[];
  /**
   * Sums by reason.
   */
  byReason: {
    /**
     * Reason.
     */
    reason: string;
    /**
     * Gaps.
     */
    count: number;
    /**
     * Their time.
     */
    sumNs: number;
  }[];
}
/**
 * Result of `timeline/flows`.
 */
export interface TimelineFlowsResult {
  /**
   * Arrows.
   */
  arrows: FlowArrow[];
  /**
   * Arrows there are.
   */
  total: number;
}
/**
 * Result of `timeline/export`.
 */
export interface TimelineExportResult {
  /**
   * Trace as JSON text.
   */
  text: string;
  /**
   * Slices in it.
   */
  events: number;
}
/**
 * Result of `timeline/metadata`.
 */
export interface TimelineMetadataResult {
  /**
   * Top-level keys and device properties.
   */
  entries: {
    /**
     * Key.
     */
    key: string;
    /**
     * Value as text.
     */
    value: string;
  }[];
}
/**
 * Who launched it.
 */
export interface ViewKernelLaunchesResult {
  operators: Table;
  modules: Table;
  lines: Table;
  /**
   * The longest launches.
   */
  slices: SliceRef[];
}
/**
 * Who launched it.
 */
export interface ViewCopyLaunchesResult {
  operators: Table;
  modules: Table;
  lines: Table;
  /**
   * The longest launches.
   */
  slices: SliceRef[];
}
/**
 * Result of `view/modules`.
 */
export interface ViewModulesResult {
  /**
   * What it was made from.
   */
  source: 'none' | 'pythonModules' | 'moduleHierarchy' | 'lightning';
  /**
   * Nodes of the whole tree.
   */
  nodeCount: number;
  /**
   * Roots.
   */
  modules: ModuleNode[];
  /**
   * What the view lacks.
   */
  absences: Absence[];
}
/**
 * Result of `view/lightning`.
 */
export interface ViewLightningResult {
  /**
   * Modules by instance path.
   */
  modules: ModuleNode[];
  /**
   * Hooks by nesting.
   */
  hooks: ModuleNode[];
  /**
   * What the view lacks.
   */
  absences: Absence[];
}
/**
 * Stacks, heaviest first.
 */
export interface ViewOperatorStacksResult {
  /**
   * Stacks; the lightest are left out when there are very many.
   */
  stacks: OperatorStack[];
  /**
   * How many there are.
   */
  totalStacks: number;
  /**
   * What the trace lacks for this view.
   */
  absences: Absence[];
  modules: Table;
}
/**
 * The overview.
 */
export interface ViewOverviewResult {
  /**
   * What ran.
   *
   * Items: An entry.
   */
  configuration: {
    /**
     * What.
     */
    name: string;
    /**
     * Its value.
     */
    value: string;
  }[];
  /**
   * False: the whole trace counts as one step.
   */
  hasRecordedSteps: boolean;
  /**
   * Some device slice is in the trace.
   */
  hasDeviceWork: boolean;
  /**
   * Parts in order of priority.
   *
   * Items: A part of a step.
   */
  roles: {
    /**
     * Key in parts.
     */
    key: string;
    /**
     * Name.
     */
    title: string;
    /**
     * When time counts as it.
     */
    definition: string;
    /**
     * The trace has such events.
     */
    present: boolean;
  }[];
  /**
   * How many steps are selected; the first of them are in steps.
   */
  totalSteps: number;
  /**
   * The selected steps, cut by limit.
   */
  steps: OverviewStep[];
  /**
   * Mean over the selected steps that are not partial.
   */
  average: {
    /**
     * How many steps it covers.
     */
    steps: number;
    /**
     * Length of a step, microseconds.
     */
    durationUs: number;
    parts: StepParts;
  };
  /**
   * Devices that ran kernels.
   */
  gpus: GpuSummary[];
  /**
   * Share of all kernel time in kernels that use matrix units, 0 to 1; null without kernels.
   */
  tensorCoreShare: number | null;
  /**
   * Share of kernel time, 0 to 1, in kernels whose names do not tell whether they use matrix units; null without kernels.
   */
  tensorCoreUnknownShare: number | null;
  /**
   * Share of the operators' kernel time launched by operators that matrix units can run; null without kernels.
   */
  tensorCoreEligibleShare: number | null;
  /**
   * What backward ran again for activation checkpointing; absent where nothing did.
   */
  recompute?: {
    /**
     * Host time of it.
     */
    hostUs: number;
    /**
     * Of all host time of traced threads, 0 to 1.
     */
    hostShare: number;
    /**
     * Sum of its device work.
     */
    deviceUs: number;
    /**
     * Of all device work, 0 to 1.
     */
    deviceShare: number;
  };
  /**
   * What to do.
   */
  recommendations: Finding[];
}
/**
 * Result of `view/stacks`.
 */
export interface ViewStacksResult {
  /**
   * Weight used.
   */
  weight: 'device' | 'host';
  /**
   * How stacks were recorded.
   */
  form: 'none' | 'strings' | 'pythonFunctions';
  /**
   * Weight of the whole.
   */
  totalUs: number;
  /**
   * Nodes of the whole tree.
   */
  nodeCount: number;
  tree: StackNode;
  /**
   * What the view lacks.
   */
  absences: Absence[];
}

export type ShutdownResult = null;
export type ExitResult = null;
export type ProfileLoadResult = TraceInfo;
export type ProfileCheckParams = Selection;
export type ProfileCheckResult = CheckResult;
export type ProfileCloseResult = null;
export type ProgressResult = null;
export type CancelRequestResult = null;
export type TimelineTracksParams = TimelineSelection;
export type TimelineSliceResult = SliceDetail;
export type TimelineMetadataParams = TimelineSelection;
export type ViewMemoryResult = MemoryResult;
export type ViewMemoryEventsResult = Table;
export type ViewMemoryStatisticsResult = Table;
export type ViewStackFunctionsResult = Table;

/** Every method of the protocol with what it takes and gives. */

export interface Methods {
  /** First request: exchanges versions. */
  'initialize': { params: InitializeParams; result: InitializeResult };
  /** Last request; the notification exit follows. */
  'shutdown': { params: ShutdownParams; result: ShutdownResult };
  /** Ends the daemon. */
  'exit': { params: ExitParams; result: ExitResult };
  /** Finds runs, workers and spans below a path. Loads nothing. */
  'profile/open': { params: ProfileOpenParams; result: ProfileOpenResult };
  /** Loads the selected trace (with $/progress when workDoneToken is given) and says what it is. */
  'profile/load': { params: ProfileLoadParams; result: ProfileLoadResult };
  /** Trace health. */
  'profile/check': { params: ProfileCheckParams; result: ProfileCheckResult };
  /** Forgets a profile. */
  'profile/close': { params: ProfileCloseParams; result: ProfileCloseResult };
  /** Progress of a request that gave a workDoneToken. */
  '$/progress': { params: ProgressParams; result: ProgressResult };
  /** Cancels a running request, which still gets exactly one reply. */
  '$/cancelRequest': { params: CancelRequestParams; result: CancelRequestResult };
  /** Cost of each line of the user's code. */
  'view/lines': { params: ViewLinesParams; result: ViewLinesResult };
  /** Where a recorded path lies on this machine. */
  'source/resolve': { params: SourceResolveParams; result: SourceResolveResult };
  /** Costs on the lines of a document, for one version of its text. */
  'source/annotations': { params: SourceAnnotationsParams; result: SourceAnnotationsResult };
  /** Breakdown of one line. */
  'source/hover': { params: SourceHoverParams; result: SourceHoverResult };
  /** The Python stack of a slice, its lines found by alignment with the sources at hand. */
  'source/stack': { params: SourceStackParams; result: SourceStackResult };
  /** Slices of a line, for the timeline. */
  'source/lineSlices': { params: SourceLineSlicesParams; result: SourceLineSlicesResult };
  /** The text around a line of a recorded file, as it is on this machine, with the cost of each line. */
  'source/listing': { params: SourceListingParams; result: SourceListingResult };
  /** Hottest lines by self time, with their files on this machine. */
  'source/hotLines': { params: SourceHotLinesParams; result: SourceHotLinesResult };
  /** Calling line of each Python call, and of each operator and runtime call without one, whose caller's source is at hand; measures accuracy. */
  'source/eventLines': { params: SourceEventLinesParams; result: SourceEventLinesResult };
  /** All rows and the extent. */
  'timeline/tracks': { params: TimelineTracksParams; result: TimelineTracksResult };
  /** What to draw of some rows in a window. Work in proportion to pixels and visible slices. */
  'timeline/window': { params: TimelineWindowParams; result: TimelineWindowResult };
  /** Device work per bucket over the whole trace, for the minimap. */
  'timeline/density': { params: TimelineDensityParams; result: TimelineDensityResult };
  /** Everything about one slice. */
  'timeline/slice': { params: TimelineSliceParams; result: TimelineSliceResult };
  /** Everything about one instant, or another event that has a moment and no length. */
  'timeline/instant': { params: TimelineInstantParams; result: TimelineInstantResult };
  /** The slice next to one, for the keyboard. */
  'timeline/neighbour': { params: TimelineNeighbourParams; result: TimelineNeighbourResult };
  /** Slices that match, over all events, in linear time. */
  'timeline/search': { params: TimelineSearchParams; result: TimelineSearchResult };
  /** Sums over a range of time. */
  'timeline/range': { params: TimelineRangeParams; result: TimelineRangeResult };
  /** Idle gaps of a device, each explained. */
  'timeline/gaps': { params: TimelineGapsParams; result: TimelineGapsResult };
  /** Arrows of one slice, or all in a window (at most 500). */
  'timeline/flows': { params: TimelineFlowsParams; result: TimelineFlowsResult };
  /** The events of a range as a small valid trace. */
  'timeline/export': { params: TimelineExportParams; result: TimelineExportResult };
  /** What the file says about itself. */
  'timeline/metadata': { params: TimelineMetadataParams; result: TimelineMetadataResult };
  /** Kernels with calls, times, tensor cores, blocks per SM and occupancy. */
  'view/kernels': { params: ViewKernelsParams; result: ViewKernelsResult };
  /** Operators, modules and lines that launched a kernel. */
  'view/kernelLaunches': { params: ViewKernelLaunchesParams; result: ViewKernelLaunchesResult };
  /** Copies and sets by direction and kind of memory. */
  'view/copies': { params: ViewCopiesParams; result: ViewCopiesResult };
  /** Operators, modules and lines that launched the copies or sets of one row of view/copies. */
  'view/copyLaunches': { params: ViewCopyLaunchesParams; result: ViewCopyLaunchesResult };
  /** Curve, devices and peak. With limit -1 also every event and statistic, and each device's curve. */
  'view/memory': { params: ViewMemoryParams; result: ViewMemoryResult };
  /** Allocations and releases that touch the range. */
  'view/memoryEvents': { params: ViewMemoryEventsParams; result: ViewMemoryEventsResult };
  /** Sums per operator over the range. */
  'view/memoryStatistics': { params: ViewMemoryStatisticsParams; result: ViewMemoryStatisticsResult };
  /** The hierarchy of nn.Module calls, upper levels first. */
  'view/modules': { params: ViewModulesParams; result: ViewModulesResult };
  /** Lightning's modules and hooks. */
  'view/lightning': { params: ViewLightningParams; result: ViewLightningResult };
  /** Operators with calls, device and host times, tensor cores and stacks. */
  'view/operators': { params: ViewOperatorsParams; result: ViewOperatorsResult };
  /** The Python stacks of one row of view/operators. */
  'view/operatorStacks': { params: ViewOperatorStacksParams; result: ViewOperatorStacksResult };
  /** Configuration, devices, step time breakdown and recommendations. */
  'view/overview': { params: ViewOverviewParams; result: ViewOverviewResult };
  /** Python stacks weighted by time, as a tree. */
  'view/stacks': { params: ViewStacksParams; result: ViewStacksResult };
  /** Functions by time: the table twin of the flame graph. */
  'view/stackFunctions': { params: ViewStackFunctionsParams; result: ViewStackFunctionsResult };
}

export type Method = keyof Methods;
