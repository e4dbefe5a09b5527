// One level of the aligned execution as its chart and its table show it. Pure.
import { sharedTexts } from '#shared/common_texts.ts';
import { sideNames, type SideName } from '#shared/comparison.ts';
import type { CompareItem, CompareTreeResult } from '#shared/protocol.ts';
import { visible } from '../../lib/format.ts';
import { changeOf, movedChange, type Change } from './change.tsx';
import type { ComparedTime } from './state.ts';
import { comparisonTexts } from './texts.ts';

/** A part of a level: an item, several small ones, or the time between them. */
export interface Part {
  name: string;
  /** Other names, where the sides call it differently. */
  names: Record<SideName, string>;
  /** Microseconds; null where that side has nothing. */
  baseline: number | null;
  candidate: number | null;
  delta: number;
  /** Running sums up to and with this part. */
  sums: Record<SideName, number>;
  change: Change;
  /** What runs in its place at another place, where it stands against nothing here; else ''. */
  elsewhere: string;
  moved: boolean;
  /** Ran beside its neighbors, so that its host time adds nothing to the level's. */
  concurrent: boolean;
  kind: string;
  pass: string;
  slices: Record<SideName, number | undefined>;
  /** Where it can be looked into. */
  position: number | undefined;
  /** How many items it stands for; 0: the time between items. */
  items: number;
}

const timeKey = (time: ComparedTime): 'hostUs' | 'deviceUs' =>
  time === 'device' ? 'deviceUs' : 'hostUs';

type Bare = Omit<Part, 'sums'>;

function partOf(item: CompareItem, time: ComparedTime): Bare {
  const key = timeKey(time);
  const { baseline, candidate, status } = item;
  const delta = (candidate?.[key] ?? 0) - (baseline?.[key] ?? 0);
  const names = { baseline: baseline?.name ?? '', candidate: candidate?.name ?? '' };
  const same = baseline === null || candidate === null || names.baseline === names.candidate;
  return {
    name: same ? names.candidate || names.baseline : `${names.baseline} \u2192 ${names.candidate}`,
    names,
    baseline: baseline?.[key] ?? null,
    candidate: candidate?.[key] ?? null,
    delta,
    change:
      item.elsewhere !== null && baseline === null
        ? { ...changeOf(status, delta, 'us'), word: comparisonTexts.replaces }
        : changeOf(status, delta, 'us', null, [baseline?.[key], candidate?.[key]]),
    elsewhere: item.elsewhere ?? '',
    moved: item.moved,
    concurrent: item.concurrent && time === 'host',
    kind: item.kind,
    pass: item.pass,
    slices: {
      baseline: baseline?.slice ?? undefined,
      candidate: candidate?.slice ?? undefined,
    },
    position: item.hasChildren ? item.position : undefined,
    items: 1,
  };
}

/** Time of a part that is no item of its own. */
function sumOf(baseline: number, candidate: number): Omit<Bare, 'name' | 'kind' | 'items'> {
  const delta = candidate - baseline;
  return {
    names: { baseline: '', candidate: '' },
    baseline,
    candidate,
    delta,
    change: changeOf('both', delta, 'us', null, [baseline, candidate]),
    elsewhere: '',
    moved: false,
    concurrent: false,
    pass: '',
    slices: { baseline: undefined, candidate: undefined },
    position: undefined,
  };
}

function betweenOf(level: CompareTreeResult, time: ComparedTime): Bare[] {
  const { between } = level;
  if (between === null) return [];
  const key = timeKey(time);
  const [baseline, candidate] = [between.baseline[key], between.candidate[key]];
  const name = time === 'device' ? comparisonTexts.inNoPart : comparisonTexts.betweenParts;
  return [{ ...sumOf(baseline, candidate), name, kind: 'between', items: 0 }];
}

/** Neighbors that are small and differ little become one part. */
function foldSmall(parts: readonly Bare[]): Bare[] {
  const largest = parts.reduce(
    (most, part) => Math.max(most, part.baseline ?? 0, part.candidate ?? 0),
    0,
  );
  const most = parts.reduce((size, part) => Math.max(size, Math.abs(part.delta)), 0);
  const small = (part: Bare): boolean => {
    const longer = Math.max(part.baseline ?? 0, part.candidate ?? 0);
    // What has none of this time says nothing here, wherever it is.
    if (longer === 0) return true;
    const differs =
      part.moved || part.concurrent || part.baseline === null || part.candidate === null;
    return !differs && longer < 0.02 * largest && Math.abs(part.delta) < 0.02 * most;
  };
  const folded: Bare[] = [];
  let run: Bare[] = [];
  const close = (): void => {
    if (run.length < 2) folded.push(...run);
    else {
      const sum = (side: SideName): number => run.reduce((all, part) => all + (part[side] ?? 0), 0);
      folded.push({
        ...sumOf(sum('baseline'), sum('candidate')),
        name: comparisonTexts.smallParts(run.length),
        kind: 'several',
        items: run.length,
      });
    }
    run = [];
  };
  for (const part of parts) {
    if (small(part)) run.push(part);
    else {
      close();
      folded.push(part);
    }
  }
  close();
  return folded;
}

/** Levels with fewer parts are shown whole. */
const manyParts = 16;

export function partsOf(
  level: CompareTreeResult,
  time: ComparedTime,
  whole: boolean,
): { parts: Part[]; folded: boolean } {
  const all = level.children.map((item) => partOf(item, time));
  const shown = whole || all.length <= manyParts ? all : foldSmall(all);
  const sums = { baseline: 0, candidate: 0 };
  const parts = [...shown, ...betweenOf(level, time)].map((part): Part => {
    for (const side of sideNames) sums[side] += part.concurrent ? 0 : (part[side] ?? 0);
    return { ...part, sums: { ...sums } };
  });
  return { parts, folded: shown.length < all.length };
}

const passWords: Record<string, string> = {
  backward: sharedTexts.inBackward,
  recompute: comparisonTexts.recomputed,
};

const kindWords: Record<string, string> = {
  module: comparisonTexts.module,
  range: comparisonTexts.range,
  dataLoader: comparisonTexts.dataLoader,
  optimizer: comparisonTexts.optimizer,
  communication: comparisonTexts.communication,
  operator: comparisonTexts.operator,
  thread: comparisonTexts.thread,
  step: comparisonTexts.step,
};

/** What a part is, in a few words. */
export function kindText(part: Part): string {
  return [
    kindWords[part.kind],
    passWords[part.pass],
    part.concurrent ? comparisonTexts.onAnotherThread : '',
  ]
    .filter((word) => word !== undefined && word !== '')
    .join(', ');
}

/** In words: what replaced a part, or what it replaced; undefined where that stands beside it. */
export function elsewhereText(part: Part): string | undefined {
  if (part.elsewhere === '') return undefined;
  return part.candidate === null
    ? comparisonTexts.replacedElsewhere(visible(part.elsewhere))
    : comparisonTexts.replacesElsewhere(visible(part.elsewhere));
}

/** What became of a part: shapes and words, without those that say the same as its bars. */
export function marksOf(part: Part): Change[] {
  const status = part.change.status === undefined ? [] : [part.change];
  return part.moved ? [...status, movedChange] : status;
}
