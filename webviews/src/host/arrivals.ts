// What the extension tells the page, and what becomes of it.
import { batch } from '@preact/signals';
import { bothSides, type Sides } from '#shared/comparison.ts';
import type { SideStart, ToView } from '#shared/messages.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { sameTrace, selectionExists, stepEnds, traceOf } from '#shared/selection.ts';
import {
  endPart,
  overtakeOwnLoad,
  overtakePart,
  selectSteps,
  selectTrace,
  showFirstPicture,
  withSteps,
} from './choices.ts';
import { isOfOtherRecorder } from '../lib/problems.ts';
import { connect, dropRequests, savedState } from './host.ts';
import {
  compared,
  daemon,
  epoch,
  isFile,
  job,
  linkBase,
  missingSource,
  navigate,
  path,
  profile,
  reducedMotion,
  selection,
  status,
  title,
  trace,
  view,
  wheelHabit,
} from './store.ts';
import { hostTexts } from './texts.ts';
import { restore, startSaving, viewState } from './view_state.ts';

/** Whether the view was there before, or somebody went to it, so that no trace may choose another. */
let viewChosen = false;

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
    // Of another program's trace the timeline alone has something to show.
    if (!viewChosen && isOfOtherRecorder(info)) view.value = 'timeline';
    viewChosen = true;
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
        isFile.value = message.isFile ?? false;
        if (message.linkBase !== undefined) linkBase.value = message.linkBase;
        if (message.wheel !== undefined) wheelHabit.value = message.wheel;
        reducedMotion.value =
          message.reducedMotion || window.matchMedia('(prefers-reduced-motion: reduce)').matches;
        // A page that lives on knows its state better than what was saved a moment ago.
        if (!begun) {
          const state = message.state ?? savedState();
          viewChosen ||= state !== undefined;
          restore(state);
        }
        if (message.sides !== undefined) startComparison(message.sides);
        if (message.job !== undefined) {
          view.value = 'job';
          job.value = { loaded: job.value?.loaded, ...message.job };
        }
        begun = true;
      });
      break;
    case 'select':
      overtakeOwnLoad();
      selection.value = message.selection;
      break;
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
      viewChosen = true;
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
