// Which moment of one recording is which of the other. Pure.
import type { SideName } from '#shared/comparison.ts';
import type { CompareTimelineResult } from '#shared/protocol.ts';
import type { TimeWindow } from '../../../lanes/window.ts';

/** How many of `sorted` are not above `value`. */
function countUpTo(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The moment `ns` of the side `from`, on the clock of the other side: linear between two knots, and as
 * fast as the own clock beyond the first and the last. Without knots both begin at the same moment.
 */
export function onOtherClock(knots: CompareTimelineResult, from: SideName, ns: number): number {
  const baseline = from === 'baseline';
  const own = baseline ? knots.baselineNs : knots.candidateNs;
  const other = baseline ? knots.candidateNs : knots.baselineNs;
  const count = own.length;
  if (count === 0) return ns;
  const after = countUpTo(own, ns);
  if (after === 0) return other[0]! + (ns - own[0]!);
  if (after === count) return other[count - 1]! + (ns - own[count - 1]!);
  const [left, right] = [own[after - 1]!, own[after]!];
  const [to, end] = [other[after - 1]!, other[after]!];
  return to + ((ns - left) / (right - left)) * (end - to);
}

/** The window of the other side that holds what `shown` of the side `from` holds. */
export function onOtherWindow(
  knots: CompareTimelineResult,
  from: SideName,
  shown: TimeWindow,
): TimeWindow {
  return {
    startNs: onOtherClock(knots, from, shown.startNs),
    endNs: onOtherClock(knots, from, shown.endNs),
  };
}
