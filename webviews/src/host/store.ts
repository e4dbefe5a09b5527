// What the page knows: the profile, the selection, and the view that shows.
import { batch, computed, signal } from '@preact/signals';
import { bothSides, type SideName, type Sides } from '#shared/comparison.ts';
import type {
  FailureData,
  JobStart,
  LoadedJob,
  Navigation,
  PageView,
  SourceTarget,
  ViewSelection,
  WheelHabit,
} from '#shared/messages.ts';
import type {
  ProfileFirstPictureResult,
  ProfileOpenResult,
  TraceInfo,
  ViewName,
} from '#shared/protocol.ts';
import { selectionOf } from '#shared/selection.ts';

export type Status =
  | { kind: 'starting' }
  | { kind: 'loading'; stage: string; percent: number | undefined }
  | { kind: 'loaded' }
  | { kind: 'failed'; error: FailureData };

export interface DaemonBanner {
  state: 'restarting' | 'stopped';
  message: string | undefined;
}

export const status = signal<Status>({ kind: 'starting' });
export const title = signal('');
export const path = signal('');
/** Whether the path is one file, which can be opened as text. */
export const isFile = signal(false);
export const linkBase = signal('vscode://emberline.emberline');
export const profile = signal<ProfileOpenResult | undefined>(undefined);
export const trace = signal<TraceInfo | undefined>(undefined);
/** What texts call the trace's devices: "GPU", "NPU"; where none is known, a GPU. */
export const deviceKind = computed(() => trace.value?.devices[0]?.label.split(' ')[0] ?? 'GPU');
/** The beginning of a trace that is being read; goes once its place is taken by the whole. */
export const part = signal<ProfileFirstPictureResult | undefined>(undefined);
export const selection = signal<ViewSelection>({});
export const view = signal<PageView>('overview');
export const daemon = signal<DaemonBanner | undefined>(undefined);
export const missingSource = signal<{ target: SourceTarget; side?: SideName } | undefined>(
  undefined,
);
export const reducedMotion = signal(false);

/** One side of a comparison. */
export interface ComparedSide {
  title: string;
  path: string;
  selection: ViewSelection;
  /** Undefined until both sides are loaded. */
  loaded: { profile: ProfileOpenResult; trace: TraceInfo } | undefined;
}

/** The sides of a comparison; undefined in the page of one profile. */
export const compared = signal<Sides<ComparedSide> | undefined>(undefined);
/** A job as its page shows it; `loaded` is undefined until the first ranks are there. */
export interface ShownJob extends JobStart {
  loaded: LoadedJob | undefined;
}

/** The job of a job's page; undefined in other pages. */
export const job = signal<ShownJob | undefined>(undefined);
export const wheelHabit = signal<WheelHabit>('auto');
/** Said to screen readers: row counts, what was copied. */
export const announcement = signal('');
/** Grows with each answer that makes earlier ones worthless: daemon restarts, other traces. */
export const epoch = signal(0);

/** The last navigation to each view, numbered, so that the same one again is seen too. */
export const navigations = signal<Partial<Record<ViewName, { to: Navigation; serial: number }>>>(
  {},
);
let navigationSerial = 0;

// Selection ---------------------------------------------------------------------------------------

/** The trace and steps that a profile's page shows. */
export const requestSelection = computed<ViewSelection>(() => selectionOf(selection.value));

/** What every request carries beside its own parameters: the selection, of both sides where there are two. */
export const carried = computed<
  ViewSelection | Sides<ViewSelection> | (ViewSelection & { maxRanks: number })
>(() => {
  const sides = compared.value;
  const loaded = job.value?.loaded;
  if (loaded !== undefined) {
    const { run, span } = selection.value;
    return { ...selectionOf({ run, span }), maxRanks: loaded.maxRanks };
  }
  return sides === undefined
    ? requestSelection.value
    : bothSides((side) => selectionOf(sides[side].selection));
});

// Navigation --------------------------------------------------------------------------------------

/** Goes to a view and tells it what to show. */
export function navigate(to: Navigation): void {
  batch(() => {
    navigationSerial++;
    navigations.value = { ...navigations.value, [to.view]: { to, serial: navigationSerial } };
    view.value = to.view;
  });
}

export function announce(text: string): void {
  announcement.value = text;
}
