// Where the labels of the roofs stand: along their line where neither a point nor another label lies. Pure.

/** A box on the chart, in pixels, turned by `angle` around its lower left corner. */
export interface LabelPlace {
  x: number;
  y: number;
  width: number;
  /** In degrees. */
  angle: number;
}

/** A line, from its left end to its right one, in pixels. */
export interface LabelledLine {
  label: string;
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** A mark that labels keep clear of. */
export interface Disc {
  x: number;
  y: number;
  r: number;
}

const letterPx = 6.8;
const heightPx = 12;
/** Between a line and the foot of its label. */
const gapPx = 4;
const endPx = 4;
const stepPx = 24;

/** Whether a disc touches the box of a label. */
function touches(place: LabelPlace, { x, y, r }: Disc): boolean {
  const turn = (-place.angle * Math.PI) / 180;
  const [dx, dy] = [x - place.x, y - place.y];
  const along = dx * Math.cos(turn) - dy * Math.sin(turn);
  const across = dx * Math.sin(turn) + dy * Math.cos(turn);
  const outAlong = Math.max(0, -along, along - place.width);
  const outAcross = Math.max(0, across, -heightPx - across);
  return Math.hypot(outAlong, outAcross) < r;
}

/** Whether a line passes through the box of a label. */
function crosses(place: LabelPlace, line: LabelledLine): boolean {
  const turn = (-place.angle * Math.PI) / 180;
  const turned = (x: number, y: number): [number, number] => [
    (x - place.x) * Math.cos(turn) - (y - place.y) * Math.sin(turn),
    (x - place.x) * Math.sin(turn) + (y - place.y) * Math.cos(turn),
  ];
  const [x1, y1] = turned(line.x1, line.y1);
  const [x2, y2] = turned(line.x2, line.y2);
  // The part of the line inside the box, as shares of its length.
  let [from, to] = [0, 1];
  for (const [start, step, least, most] of [
    [x1, x2 - x1, 0, place.width],
    [y1, y2 - y1, -heightPx, 0],
  ] as const) {
    if (step === 0) {
      if (start <= least || start >= most) return false;
      continue;
    }
    const ends = [(least - start) / step, (most - start) / step];
    from = Math.max(from, Math.min(...ends));
    to = Math.min(to, Math.max(...ends));
  }
  return from < to;
}

/** A label as a row of discs, for those that are placed after it. */
function discsOf(place: LabelPlace): Disc[] {
  const { angle, width } = place;
  const turn = (angle * Math.PI) / 180;
  const r = heightPx / 2;
  return Array.from({ length: Math.ceil(width / r) + 1 }, (_, index) => {
    const along = Math.min(width, index * r);
    return {
      x: place.x + along * Math.cos(turn) + r * Math.sin(turn),
      y: place.y + along * Math.sin(turn) - r * Math.cos(turn),
      r,
    };
  });
}

/** Where the label of a line may stand: above it from its right end on, then below it. */
function* candidates({ label, x1, y1, x2, y2 }: LabelledLine): Generator<LabelPlace> {
  const width = label.length * letterPx;
  const turn = Math.atan2(y2 - y1, x2 - x1);
  // A label that is longer than its line ends with it.
  const last = Math.hypot(x2 - x1, y2 - y1) - width - endPx;
  for (const away of [gapPx, -heightPx]) {
    for (let along = last; along === last || along >= endPx; along -= stepPx) {
      yield {
        x: x1 + along * Math.cos(turn) + away * Math.sin(turn),
        y: y1 + along * Math.sin(turn) - away * Math.cos(turn),
        width,
        angle: (turn * 180) / Math.PI,
      };
    }
  }
}

/** A line through a label is worse than points below its halo. */
const lineWeight = 4;

/**
 * Places for the labels of `lines`, in their order: the first where neither a point, a line nor another
 * label lies; where all are taken, the one that touches the fewest.
 */
export function labelPlaces(lines: readonly LabelledLine[], points: readonly Disc[]): LabelPlace[] {
  const taken: Disc[] = [];
  return lines.map((line) => {
    let best: { place: LabelPlace; touched: number } | undefined;
    for (const place of candidates(line)) {
      // Another label makes both illegible, a point below the halo of a label does not.
      const touched =
        points.filter((point) => touches(place, point)).length +
        lineWeight * lines.filter((other) => other !== line && crosses(place, other)).length +
        (points.length + lineWeight * lines.length + 1) *
          taken.filter((disc) => touches(place, disc)).length;
      if (best === undefined || touched < best.touched) best = { place, touched };
      if (touched === 0) break;
    }
    taken.push(...discsOf(best!.place));
    return best!.place;
  });
}
