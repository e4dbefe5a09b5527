// The bars of the operator strip, and how the keyboard walks over them. Pure.
import type { RowData } from '../../lanes/source.ts';
import { visible } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';

export interface Bar {
  name: string;
  kind: string;
  startNs: number;
  durationNs: number;
  lane: number;
  /** -1 for a bar that stands for several slices. */
  slice: number;
  count: number;
}

export function barsOf(data: RowData | undefined): Bar[] {
  const boxes = data?.boxes;
  if (data === undefined || boxes === undefined) return [];
  return boxes.start.map((startNs, i) => ({
    name: data.names[boxes.name[i]!] ?? '',
    kind: data.kinds[boxes.kind[i]!] ?? '',
    startNs,
    durationNs: boxes.length[i]!,
    lane: boxes.lane[i]!,
    slice: boxes.slice[i]!,
    count: boxes.count[i]!,
  }));
}

export const endOf = (bar: Bar): number => bar.startNs + bar.durationNs;

export const nameOf = (bar: Bar): string =>
  bar.slice < 0 && bar.count > 1
    ? commonTexts.slicesTheLongest(bar.count, visible(bar.name))
    : visible(bar.name);

/** The shortest bar of a lane at a moment, or within `slackNs` of it. */
export function barNear(
  bars: readonly Bar[],
  lane: number,
  ns: number,
  slackNs: number,
): Bar | undefined {
  let best: Bar | undefined;
  for (const bar of bars) {
    if (bar.lane !== lane || ns < bar.startNs - slackNs || ns > endOf(bar) + slackNs) continue;
    if (best === undefined || bar.durationNs < best.durationNs) best = bar;
  }
  return best;
}

/** The longest of those in a lane; the shortest cannot be seen. */
function longest(among: readonly Bar[], lane: number): Bar | undefined {
  return among
    .filter((bar) => bar.lane === lane)
    .reduce<Bar | undefined>(
      (best, bar) => (best === undefined || bar.durationNs > best.durationNs ? bar : best),
      undefined,
    );
}

export type Direction = 'next' | 'previous' | 'in' | 'out';

/** The bar beside, inside or around another one. */
export function neighbor(
  bars: readonly Bar[],
  current: Bar,
  direction: Direction,
): Bar | undefined {
  const single = bars.filter((bar) => bar.slice >= 0);
  const inLane = single.filter((bar) => bar.lane === current.lane);
  switch (direction) {
    case 'next':
      return inLane.find((bar) => bar.startNs >= endOf(current));
    case 'previous':
      return inLane.filter((bar) => endOf(bar) <= current.startNs).at(-1);
    case 'in':
      return longest(
        single.filter((bar) => bar.startNs >= current.startNs && endOf(bar) <= endOf(current)),
        current.lane + 1,
      );
    case 'out':
      return longest(
        single.filter((bar) => bar.startNs <= current.startNs && endOf(bar) >= endOf(current)),
        current.lane - 1,
      );
  }
}
