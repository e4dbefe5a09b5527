// What the page knows: the profile, the selection, the view that shows, and each view's own state.
import { batch, computed, effect, signal, untracked, type Signal } from '@preact/signals';
import {
  CancelledError,
  RequestError,
  connect,
  dropRequests,
  request,
  saveState,
  savedState,
  tellHost,
} from './host.ts';
import { bothSides, type SideName, type Sides } from '#shared/comparison.ts';
import type {
  EditorState,
  FailureData,
  JobStart,
  LoadedJob,
  Navigation,
  PageView,
  SideStart,
  SourceTarget,
  ToView,
  ViewSelection,
  WheelHabit,
} from '#shared/messages.ts';
import type {
  ProfileFirstPictureResult,
  ProfileOpenResult,
  TraceInfo,
  ViewName,
} from '#shared/protocol.ts';
import { sameTrace, selectionExists, selectionOf, stepEnds, traceOf } from '#shared/selection.ts';
import { commonTexts } from '../lib/texts.ts';
import { hostTexts } from './texts.ts';

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

// View state --------------------------------------------------------------------------------------

const cells = new Map<string, Signal<unknown>>();
let restored: Partial<Record<PageView, unknown>> = {};
const saveCounter = signal(0);

/** A piece of a view's state that survives tab switches and reloads. */
export function viewState<T>(name: PageView, key: string, initial: T): Signal<T> {
  const id = `${name}.${key}`;
  const known = cells.get(id);
  if (known !== undefined) return known as Signal<T>;
  const saved = restored[name];
  const value =
    typeof saved === 'object' && saved !== null && key in saved
      ? (saved as Record<string, unknown>)[key]
      : initial;
  // What an older version saved under this name may be of another type.
  const fits = typeof value === typeof initial && Array.isArray(value) === Array.isArray(initial);
  const cell = signal<unknown>(fits || initial === undefined ? value : initial);
  cells.set(id, cell);
  saveCounter.value++;
  return cell as Signal<T>;
}

/** What a piece of state means something in: one trace, or one trace with one choice of steps. */
type Scope = 'trace' | 'steps';

const scoped = new Map<string, { scope: Scope; initial: unknown }>();
const left = { trace: false, steps: false };

/** As viewState, for what another trace, or another choice of steps, does not have. */
export function scopedState<T>(scope: Scope, name: PageView, key: string, initial: T): Signal<T> {
  const id = `${name}.${key}`;
  const known = cells.has(id);
  const cell = viewState(name, key, initial);
  scoped.set(id, { scope, initial });
  // What was saved is of the trace that the page began with.
  if (!known && left[scope]) cell.value = initial;
  return cell;
}

/** Takes scoped state back whenever the selection leaves its scope. */
function forgetWithSelection(): void {
  const keys = (): Record<Scope, string> => {
    const { run, worker, span, steps } = selection.value;
    return {
      trace: JSON.stringify([run, worker, span]),
      steps: JSON.stringify([run, worker, span, steps]),
    };
  };
  let seen = keys();
  effect(() => {
    const now = keys();
    for (const scope of ['trace', 'steps'] as const) {
      if (now[scope] === seen[scope]) continue;
      left[scope] = true;
      for (const [id, entry] of scoped) {
        if (entry.scope === scope) cells.get(id)!.value = entry.initial;
      }
    }
    seen = now;
  });
}

function currentState(): EditorState {
  const views: Partial<Record<PageView, Record<string, unknown>>> = {};
  for (const [name, value] of Object.entries(restored) as [PageView, unknown][]) {
    if (typeof value === 'object' && value !== null) views[name] = { ...value };
  }
  for (const [id, cell] of cells) {
    const dot = id.indexOf('.');
    const name = id.slice(0, dot) as PageView;
    (views[name] ??= {})[id.slice(dot + 1)] = cell.value;
  }
  const sides = compared.value;
  return {
    view: view.value,
    selection: selection.value,
    views,
    ...(sides === undefined ? {} : { sides: bothSides((side) => sides[side].selection) }),
  };
}

/** The state as it is now, where it is handed to another editor. */
export const stateNow = (): EditorState => untracked(currentState);

let saveTimer: ReturnType<typeof setTimeout> | undefined;
let saving = false;

function startSaving(): void {
  if (saving) return;
  saving = true;
  forgetWithSelection();
  let first = true;
  effect(() => {
    void saveCounter.value;
    const state = currentState();
    if (first) {
      first = false;
      return;
    }
    clearTimeout(saveTimer);
    saveTimer = setTimeout(() => saveState(state), 250);
  });
}

function restore(state: EditorState | undefined): void {
  if (state === undefined) return;
  restored = state.views ?? {};
  for (const [id, cell] of cells) {
    const dot = id.indexOf('.');
    const saved = restored[id.slice(0, dot) as PageView];
    if (typeof saved === 'object' && saved !== null && id.slice(dot + 1) in saved) {
      cell.value = (saved as Record<string, unknown>)[id.slice(dot + 1)];
    }
  }
  view.value = state.view;
  selection.value = state.selection ?? {};
}

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

let pictureAbort: AbortController | undefined;

/** Shows the beginning of the trace that is being read. Without one, the whole is waited for. */
async function showFirstPicture(): Promise<void> {
  if (pictureAbort !== undefined) return;
  const abort = new AbortController();
  pictureAbort = abort;
  try {
    const picture = await request('profile/firstPicture', traceOf(selection.value), abort.signal);
    if (pictureAbort !== abort || status.value.kind !== 'loading') return;
    batch(() => {
      trace.value = picture.trace;
      part.value = picture;
    });
  } catch {
    // The load itself says what is wrong.
  }
}

/** The part is not shown any more: the whole is, or nothing. */
export function endPart(): void {
  pictureAbort?.abort();
  pictureAbort = undefined;
  part.value = undefined;
}

/** The whole is loaded. A view that shows the part goes on with it until it has the whole. */
function overtakePart(): void {
  pictureAbort?.abort();
  pictureAbort = undefined;
  if (view.value !== 'overview') part.value = undefined;
}

let loadAbort: AbortController | undefined;

/** Chooses another trace of the profile and loads it. */
export async function selectTrace(next: ViewSelection): Promise<void> {
  const before = { selection: selection.value, trace: trace.value };
  loadAbort?.abort();
  const abort = new AbortController();
  loadAbort = abort;
  batch(() => {
    endPart();
    selection.value = next;
    status.value = { kind: 'loading', stage: commonTexts.loading, percent: undefined };
  });
  try {
    const info = await request('profile/load', traceOf(next), abort.signal);
    batch(() => {
      overtakePart();
      trace.value = info;
      status.value = { kind: 'loaded' };
      epoch.value++;
    });
  } catch (error) {
    if (error instanceof CancelledError) {
      if (loadAbort !== abort) return;
      batch(() => {
        endPart();
        trace.value = before.trace;
        selection.value = before.selection;
        status.value = before.trace === undefined ? { kind: 'starting' } : { kind: 'loaded' };
      });
      return;
    }
    endPart();
    status.value = { kind: 'failed', error: failureOf(error) };
  }
}

/** Chooses another trace of one side of a comparison and loads it. */
export async function selectSideTrace(side: SideName, next: ViewSelection): Promise<void> {
  const before = compared.value;
  if (before === undefined) return;
  loadAbort?.abort();
  const abort = new AbortController();
  loadAbort = abort;
  status.value = { kind: 'loading', stage: commonTexts.loading, percent: undefined };
  try {
    const trace = await request('profile/load', traceOf(next), abort.signal, side);
    batch(() => {
      const { loaded } = before[side];
      compared.value = {
        ...before,
        [side]: { ...before[side], selection: next, loaded: loaded && { ...loaded, trace } },
      };
      status.value = { kind: 'loaded' };
      epoch.value++;
    });
  } catch (error) {
    if (error instanceof CancelledError) {
      if (loadAbort === abort) status.value = { kind: 'loaded' };
      return;
    }
    status.value = { kind: 'failed', error: failureOf(error) };
  }
}

/** Chooses steps of one side of a comparison. */
export function selectSideSteps(side: SideName, steps: string | undefined): void {
  const sides = compared.value;
  if (sides === undefined) return;
  compared.value = {
    ...sides,
    [side]: { ...sides[side], selection: withSteps(sides[side].selection, steps) },
  };
}

/** Calls off a load that the page itself asked for; false when there is none. */
export function cancelOwnLoad(): boolean {
  if (loadAbort === undefined || loadAbort.signal.aborted || status.value.kind !== 'loading') {
    return false;
  }
  loadAbort.abort();
  return true;
}

export function selectSteps(steps: string | undefined): void {
  selection.value = withSteps(selection.value, steps);
}

function withSteps(before: ViewSelection, steps: string | undefined): ViewSelection {
  return { ...traceOf(before), ...(steps === undefined || steps === 'all' ? {} : { steps }) };
}

export function failureOf(error: unknown): FailureData {
  if (error instanceof RequestError) return error.data;
  return { kind: 'internal', message: error instanceof Error ? error.message : String(error) };
}

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

// Messages ----------------------------------------------------------------------------------------

function onLoaded(message: Extract<ToView, { type: 'loaded' }>): void {
  const { trace: info, profile: found } = message;
  const wanted = selection.value;
  dropRequests();
  batch(() => {
    overtakePart();
    profile.value = found;
    trace.value = info;
    daemon.value = undefined;
    status.value = { kind: 'loaded' };
    epoch.value++;
    if (!selectionExists(found, wanted)) selection.value = {};
    if (wanted.steps !== undefined && !stepsExist(info, wanted.steps)) selectSteps(undefined);
  });
  startSaving();
  const shown = { run: info.run, worker: info.worker, span: info.span };
  if (!sameTrace({ ...shown, ...traceOf(selection.value) }, shown))
    void selectTrace(selection.value);
}

function onLoadedSides({ sides }: Extract<ToView, { type: 'loadedSides' }>): void {
  const known = compared.value;
  if (known === undefined) return;
  dropRequests();
  batch(() => {
    compared.value = bothSides((side) => {
      const loaded = sides[side];
      const wanted = known[side].selection;
      const exists = selectionExists(loaded.profile, wanted) ? wanted : {};
      const { steps } = exists;
      const kept = steps === undefined || stepsExist(loaded.trace, steps) ? steps : undefined;
      return { ...known[side], selection: withSteps(exists, kept), loaded };
    });
    daemon.value = undefined;
    status.value = { kind: 'loaded' };
    epoch.value++;
  });
  startSaving();
}

function onLoadedJob({ job: loaded }: Extract<ToView, { type: 'loadedJob' }>): void {
  const known = job.value;
  if (known === undefined) return;
  const { maxRanks, stopped } = loaded;
  dropRequests();
  batch(() => {
    job.value = { ...known, loaded };
    daemon.value = undefined;
    status.value =
      maxRanks === 0 || stopped
        ? { kind: 'loaded' }
        : { kind: 'loading', stage: hostTexts.readingMoreRanks, percent: undefined };
    epoch.value++;
  });
  startSaving();
}

/** Shows another run, or another capture span, of the folder that a job's page was opened on. */
export function selectJob(next: ViewSelection): void {
  const known = job.value;
  if (known === undefined) return;
  batch(() => {
    selection.value = selectionOf(next);
    job.value = { ...known, loaded: undefined };
  });
  saveState(stateNow());
  tellHost('retry');
}

function stepsExist(info: TraceInfo, steps: string): boolean {
  const ends = stepEnds(steps);
  if (ends === undefined) return false;
  const names = new Set(info.steps.map((step) => step.name));
  return names.has(ends.first) && names.has(ends.last);
}

let begun = false;

function startComparison(sides: Sides<SideStart>): void {
  const known = begun ? compared.value : undefined;
  view.value = 'compare';
  compared.value = bothSides((side) => ({ loaded: undefined, ...sides[side], ...known?.[side] }));
}

function onMessage(message: ToView): void {
  switch (message.type) {
    case 'init':
      batch(() => {
        title.value = message.title;
        path.value = message.path;
        if (message.linkBase !== undefined) linkBase.value = message.linkBase;
        if (message.wheel !== undefined) wheelHabit.value = message.wheel;
        reducedMotion.value =
          message.reducedMotion || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
        // A page that lives on knows its state better than what was saved a moment ago.
        if (!begun) restore(message.state ?? savedState());
        if (message.sides !== undefined) startComparison(message.sides);
        if (message.job !== undefined) {
          view.value = 'job';
          job.value = { loaded: job.value?.loaded, ...message.job };
        }
        begun = true;
      });
      break;
    case 'select': {
      // A load that the page asked for itself is overtaken, and puts nothing back.
      const overtaken = loadAbort;
      loadAbort = undefined;
      overtaken?.abort();
      selection.value = message.selection;
      break;
    }
    case 'loading':
      batch(() => {
        status.value = { kind: 'loading', stage: message.stage, percent: message.percent };
        if (message.firstPicture !== true) endPart();
      });
      if (message.firstPicture === true) void showFirstPicture();
      break;
    case 'loaded':
      onLoaded(message);
      break;
    case 'loadedSides':
      onLoadedSides(message);
      break;
    case 'loadedJob':
      onLoadedJob(message);
      break;
    case 'failed':
      endPart();
      status.value = { kind: 'failed', error: message.error };
      break;
    case 'daemon':
      daemon.value =
        message.state === 'running'
          ? undefined
          : { state: message.state, message: message.message };
      if (message.state !== 'running') dropRequests();
      break;
    case 'wheel':
      wheelHabit.value = message.wheel;
      break;
    case 'refresh':
      epoch.value++;
      break;
    case 'navigate':
      navigate(message.to);
      break;
    case 'showTab':
      batch(() => {
        viewState('compare', 'tab', 'overview').value = message.tab;
        viewState('compare', `${message.tab}Filter`, '').value = message.filter;
      });
      break;
    case 'sourceMissing':
      missingSource.value = {
        target: message.target,
        ...(message.side === undefined ? {} : { side: message.side }),
      };
      break;
    case 'response':
      break;
  }
}

export function start(): void {
  connect(onMessage);
}
