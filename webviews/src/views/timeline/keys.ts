// The keyboard of the timeline; help.tsx lists the keys.
import { announce } from '../../host/store.ts';
import type { Stage } from './stage.ts';
import {
  allFlows,
  detail,
  fit,
  fitAll,
  followCause,
  followEffect,
  go,
  helpOpen,
  markedRange,
  pan,
  panel,
  searchExact,
  select,
  selectedSlice,
  shownInstant,
  shownWindow,
  zoom,
} from './state.ts';
import { failed, layout } from './status.ts';
import { timelineTexts } from './texts.ts';

/** Where nothing is selected, the keyboard starts at the first slice on the screen. */
async function selectFirst(stage: Stage | undefined): Promise<void> {
  for (const row of layout.peek().rows) {
    const boxes = stage?.source.rows.get(row.track.id)?.boxes;
    const index =
      boxes?.slice.findIndex(
        (slice, i) => slice >= 0 && boxes.start[i]! >= shownWindow.peek().startNs,
      ) ?? -1;
    if (index >= 0) {
      await select(boxes!.slice[index]!);
      return;
    }
  }
}

/** The selection or the marked range; once it fills the window, the whole trace. */
function fitSelected(): void {
  const at = detail.peek();
  const range = markedRange.peek();
  const target =
    at !== undefined ? { startNs: at.startNs, endNs: at.startNs + at.durationNs } : range;
  const before = shownWindow.peek();
  if (target === null) fitAll();
  else {
    fit(target.startNs, target.endNs);
    const after = shownWindow.peek();
    if (Math.abs(after.startNs - before.startNs) < 1 && Math.abs(after.endNs - before.endNs) < 1)
      fitAll();
  }
}

/** Marks the selected slice as a range, or takes the mark back. */
function markSelected(): void {
  const at = detail.peek();
  markedRange.value =
    markedRange.peek() !== null || at === undefined
      ? null
      : { startNs: at.startNs, endNs: at.startNs + at.durationNs };
  if (markedRange.peek() !== null) panel.value = 'details';
}

export function onTimelineKey(event: KeyboardEvent, stage: Stage | undefined): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const chosen = selectedSlice.peek() >= 0 || shownInstant.peek() !== undefined;
  const walk = (direction: Parameters<typeof go>[0]): void => void go(direction).catch(failed);
  const actions: Record<string, () => void> = {
    w: () => zoom(0.7),
    s: () => zoom(1 / 0.7),
    a: () => pan(-0.2),
    d: () => pan(0.2),
    ArrowLeft: () => (chosen ? walk('previous') : pan(-0.1)),
    ArrowRight: () => (chosen ? walk('next') : pan(0.1)),
    ArrowUp: () => (chosen ? walk('out') : undefined),
    ArrowDown: () => (chosen ? walk('in') : void selectFirst(stage).catch(failed)),
    f: fitSelected,
    m: markSelected,
    l: () => void followCause().catch(failed),
    L: () => void followEffect().catch(failed),
    e: () => {
      allFlows.value = !allFlows.peek();
      announce(
        allFlows.peek() ? timelineTexts.showingAllArrows : timelineTexts.showingArrowsOfSelection,
      );
    },
    c: () => document.querySelector<HTMLButtonElement>('.tl-stack button')?.click(),
    '/': () => {
      panel.value = 'search';
      searchExact.value = undefined;
      requestAnimationFrame(() =>
        document.querySelector<HTMLElement>('.tl-search vscode-textfield')?.focus(),
      );
    },
    '?': () => {
      helpOpen.value = true;
    },
    Escape: () => {
      markedRange.value = null;
      void select(-1);
    },
  };
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}
