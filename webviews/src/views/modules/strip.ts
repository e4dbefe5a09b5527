// What the operator timeline of a thread shows: which slices, in which lanes, in which range. Pure.
import type { TimelineBoxes, TimelineTracksResult } from '#shared/protocol.ts';
import { stepEnds } from '#shared/selection.ts';
import type { TimeWindow } from '../../lanes/window.ts';

const modulePrefix = 'nn.Module: ';

/** The module that a slice is a call of; undefined for other slices. */
export function moduleOf(kind: string, name: string): string | undefined {
  return kind === 'pythonFunction' && name.startsWith(modulePrefix)
    ? name.slice(modulePrefix.length)
    : undefined;
}

/** What a slice is, in a word; undefined for what the chart leaves out: other Python functions, calls of the runtime. */
export function stripKind(
  kind: string,
  name: string,
): 'operator' | 'module' | 'annotation' | undefined {
  if (kind === 'cpuOp') return 'operator';
  if (kind === 'userAnnotation') return 'annotation';
  return moduleOf(kind, name) === undefined ? undefined : 'module';
}

/**
 * The boxes of operators, modules and annotations alone. Each goes to the lane that is the number of
 * such boxes around it, so that no lane stays empty where Python functions were.
 */
export function operatorBoxes(
  boxes: TimelineBoxes,
  names: readonly string[],
  kinds: readonly string[],
): TimelineBoxes {
  const kept = boxes.start
    .map((_, i) => i)
    .filter(
      (i) => stripKind(kinds[boxes.kind[i]!] ?? '', names[boxes.name[i]!] ?? '') !== undefined,
    )
    .sort((a, b) => boxes.start[a]! - boxes.start[b]! || boxes.lane[a]! - boxes.lane[b]!);
  const around: number[] = [];
  const lane = kept.map((i) => {
    const start = boxes.start[i]!;
    for (;;) {
      const last = around.at(-1);
      if (last === undefined) break;
      const end = boxes.start[last]! + boxes.length[last]!;
      // A box for several short slices reaches over what begins between them.
      const reachesOver =
        boxes.slice[last]! < 0 && boxes.slice[i]! >= 0 && end < start + boxes.length[i]!;
      if (end > start && boxes.lane[last]! < boxes.lane[i]! && !reachesOver) break;
      around.pop();
    }
    around.push(i);
    return around.length - 1;
  });
  const pick = (values: readonly number[]): number[] => kept.map((i) => values[i]!);
  return {
    track: boxes.track,
    start: pick(boxes.start),
    length: pick(boxes.length),
    lane,
    slice: pick(boxes.slice),
    count: pick(boxes.count),
    name: pick(boxes.name),
    kind: pick(boxes.kind),
    instants: [],
    totalSlices: boxes.totalSlices,
  };
}

/** The time that the chosen steps cover ("3", "2-4"); undefined where all time is chosen. */
export function stepsRange(
  steps: TimelineTracksResult['steps'],
  chosen: string | undefined,
): TimeWindow | undefined {
  const ends = stepEnds(chosen);
  const first = steps.find((step) => step.name === ends?.first);
  const last = steps.find((step) => step.name === ends?.last);
  return first === undefined || last === undefined
    ? undefined
    : { startNs: first.startNs, endNs: last.endNs };
}
