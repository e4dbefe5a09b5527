// Each view's own state: pieces that survive tab switches and reloads, and what is saved of the page.
import { effect, signal, untracked, type Signal } from '@preact/signals';
import { bothSides } from '#shared/comparison.ts';
import type { EditorState, PageView } from '#shared/messages.ts';
import { saveState } from './host.ts';
import { compared, selection, view } from './store.ts';

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

export function startSaving(): void {
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

export function restore(state: EditorState | undefined): void {
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
