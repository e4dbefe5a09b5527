// Every message between the page of an editor and the extension. The extension passes requests on to the
// daemon without looking inside; the page reaches no files.
import type { SideName, Sides } from './comparison.ts';
import type { DistributedJobResult, ProfileOpenResult, TraceInfo, ViewName } from './protocol.ts';

/** Which trace and steps the editor shows; shared by all views of one editor. */
export interface ViewSelection {
  run?: string;
  worker?: string;
  span?: string;
  steps?: string;
}

/** What a page shows: a view of a profile, a comparison, or a job. */
export type PageView = ViewName | 'compare' | 'job';

/** What survives tab switches and reloads. `views` holds each view's own state (sort, filter, scroll, window). */
export interface EditorState {
  view: PageView;
  selection: ViewSelection;
  views: Partial<Record<PageView, unknown>>;
  /** Of a comparison: the traces and steps of both sides. */
  sides?: Sides<ViewSelection>;
}

/** One side of a comparison, as its page begins with it. */
export interface SideStart {
  title: string;
  path: string;
  selection: ViewSelection;
}

/** One side of a comparison that is loaded. */
export interface LoadedSide {
  profile: ProfileOpenResult;
  trace: TraceInfo;
}

/** A job as its page begins with it. */
export interface JobStart {
  path: string;
  /** It is made of digests, not of traces. */
  digests: boolean;
}

/** A job as far as it is loaded. */
export interface LoadedJob {
  result: DistributedJobResult;
  /** Its folder; undefined for digests. */
  profile?: ProfileOpenResult;
  /** It is made of so many of its ranks; 0: of all. */
  maxRanks: number;
  /** Loading was ended before all ranks were there. */
  stopped: boolean;
}

/** Where a link inside the editor leads: a view, with what it shall show. */
export interface Navigation {
  view: ViewName;
  /** Filter text for tables. */
  filter?: string;
  /** Grouping of the target view. */
  groupBy?: string;
  /** Filter text for the table of copies beside the kernels. */
  copies?: string;
  /** Module whose operators the target shows; its name. */
  module?: string;
  /** Slice to select in the timeline. */
  slice?: number;
  /** Search to run in the timeline. */
  search?: string;
  /** Line whose slices the timeline shows. */
  line?: { file: string; line: number };
  /** Range to show in the timeline, ns. */
  range?: { startNs: number; endNs: number };
}

/** What a timeline shows at first. */
export type TimelinePlace = Pick<Navigation, 'slice' | 'search' | 'line'>;

/** What the wheel does over the timeline; `auto` scrolls with a trackpad and zooms with a mouse. */
export type WheelHabit = 'auto' | 'zoom' | 'scroll';

export interface SourceTarget {
  /** Path as recorded in the trace. */
  file: string;
  line: number;
  function?: string;
  lineIsDefinition?: boolean;
}

export interface FailureData {
  kind: string;
  message: string;
  hint?: string;
  /** Byte offset in the file's text, where the error has one. */
  offset?: number;
}

/** Webview to extension. */
export type ToHost =
  /** Sent once when the page runs. The extension answers `init`. */
  | { type: 'ready' }
  /**
   * A daemon request; profileId is added by the extension. Answered by `response` with the same id.
   * `side`: of which profile of a comparison, where it is not of both.
   */
  | {
      type: 'request';
      id: number;
      method: string;
      params: Record<string, unknown>;
      side?: SideName;
    }
  | { type: 'cancel'; id: number }
  | { type: 'state'; state: EditorState }
  | { type: 'openSource'; target: SourceTarget; toSide: boolean; side?: SideName }
  /** Pixels of the page: at its start, and some time after they changed. */
  | { type: 'width'; px: number }
  | { type: 'copy'; text: string }
  /** Save dialog, then write. `base64` for binary content. */
  | { type: 'save'; suggestedName: string; content: string; base64?: boolean }
  /** Open this view in an editor of its own beside. */
  | { type: 'openToSide'; view: ViewName }
  /** Of a comparison: go to the timeline of a side's own profile. */
  | { type: 'showInProfile'; side: SideName; to: TimelinePlace }
  /** Of a comparison: the same with its sides swapped, which `state` is already. */
  | { type: 'swapSides'; state: EditorState }
  /** Of a job: go to the profile of one of its ranks, to a slice of its timeline where one is named. */
  | { type: 'openRank'; rank: number; slice?: number }
  | { type: 'cancelLoad' }
  | { type: 'retry' }
  /** The file is no trace: show it in the text editor. */
  | { type: 'openAsText' }
  | { type: 'showLog' }
  | { type: 'restartDaemon' };

/** Extension to webview. */
export type ToView =
  | {
      type: 'init';
      title: string;
      path: string;
      /** The path is one file, which can be opened as text. */
      isFile?: boolean;
      state?: EditorState;
      reducedMotion: boolean;
      /** What the wheel does over the timeline. */
      wheel?: WheelHabit;
      /** What links into this extension begin with: each kind of VS Code has a scheme of its own. */
      linkBase?: string;
      /** The page shows a comparison of these. */
      sides?: Sides<SideStart>;
      /** The page shows a job. */
      job?: JobStart;
    }
  /** Another trace is chosen from outside the page; `loading` and `loaded` follow. */
  | { type: 'select'; selection: ViewSelection }
  /** `firstPicture`: the page may ask `profile/firstPicture` for something to show meanwhile. */
  | { type: 'loading'; stage: string; percent: number; firstPicture?: true }
  /** The trace is loaded: profile/open's result and profile/load's result. Sent again after the daemon restarted. */
  | { type: 'loaded'; profile: ProfileOpenResult; trace: TraceInfo }
  /** The same for a comparison. */
  | { type: 'loadedSides'; sides: Sides<LoadedSide> }
  /** The same for a job: first with some of its ranks, at last with all. */
  | { type: 'loadedJob'; job: LoadedJob }
  | { type: 'failed'; error: FailureData }
  | { type: 'response'; id: number; result?: unknown; error?: FailureData }
  /** Daemon state for the banner. */
  | { type: 'daemon'; state: 'running' | 'restarting' | 'stopped'; message?: string }
  | { type: 'wheel'; wheel: WheelHabit }
  /** A setting that answers depend on has changed: what was answered is asked again. */
  | { type: 'refresh' }
  | { type: 'navigate'; to: Navigation }
  /** A comparison shows one of its tabs, its table filtered. */
  | { type: 'showTab'; tab: string; filter: string }
  /** A frame whose file could not be found, after openSource; the page offers Locate... through openSource again. */
  | { type: 'sourceMissing'; target: SourceTarget; side?: SideName };
