// Where the labels of the roofs stand: along their line where neither a point nor another label lies. Pure.

/** A box on the chart, in pixels, turned by `angle` around its lower left corner. */
export interface LabelPlace {
  text: string;
  x: number;
  y: number;
  width: number;
  /** In degrees. */
  angle: number;
}

/** A line, from its left end to its right one, in pixels. */
export interface LabelledLine {
  label: string;
  /** Stands where there is no room for the whole label. */
  short: string;
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

const letterPx = 6.2;
const heightPx = 12;
/** Between a line and the foot of its label. */
const gapPx = 4;
const endPx = 4;
const stepPx = 12;
/** Below the foot of a label, and at its ends, where another label must not be. */
const feetPx = 2;
/** Between a mark and the letters beside it. */
const clearPx = 2;
const roomPx = 4;

/** Whether a disc touches the box of a label. */
function touches(place: LabelPlace, { x, y, r }: Disc): boolean {
  const turn = (-place.angle * Math.PI) / 180;
  const [dx, dy] = [x - place.x, y - place.y];
  const along = dx * Math.cos(turn) - dy * Math.sin(turn);
  const across = dx * Math.sin(turn) + dy * Math.cos(turn);
  const outAlong = Math.max(0, -along, along - place.width);
  const outAcross = Math.max(0, across, -heightPx - across);
  return Math.hypot(outAlong, outAcross) < r + clearPx;
}

/** Whether a line passes through the box of a label, or `beside` pixels above or below it. */
function crosses(place: LabelPlace, line: LabelledLine, beside = 0): boolean {
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
    [y1, y2 - y1, -heightPx - beside, beside],
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

/** The corners of a label's box with some room around it. */
function cornersOf({ x, y, width, angle }: LabelPlace): [number, number][] {
  const turn = (angle * Math.PI) / 180;
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
  return [
    [-roomPx, -heightPx],
    [width + roomPx, -heightPx],
    [width + roomPx, feetPx],
    [-roomPx, feetPx],
  ].map(([along, across]) => [x + along! * cos - across! * sin, y + along! * sin + across! * cos]);
}

/** Whether two labels lie on each other: no direction of their edges parts them. */
function collide(one: LabelPlace, other: LabelPlace): boolean {
  const boxes = [cornersOf(one), cornersOf(other)];
  return [one.angle, one.angle + 90, other.angle, other.angle + 90].every((degrees) => {
    const turn = (degrees * Math.PI) / 180;
    const [first, second] = boxes.map((corners) =>
      corners.map(([x, y]) => x * Math.cos(turn) + y * Math.sin(turn)),
    );
    return Math.max(...first!) > Math.min(...second!) && Math.max(...second!) > Math.min(...first!);
  });
}

/**
 * Where the label of a line may stand, from its right end on, so many pixels above it; below zero is below.
 */
function* candidates(
  { x1, y1, x2, y2 }: LabelledLine,
  text: string,
  distances: readonly number[],
): Generator<LabelPlace> {
  const width = text.length * letterPx;
  const turn = Math.atan2(y2 - y1, x2 - x1);
  // A label that is longer than its line ends with it.
  const last = Math.hypot(x2 - x1, y2 - y1) - width - endPx;
  for (const away of distances) {
    for (let along = last; along === last || along >= endPx; along -= stepPx) {
      yield {
        text,
        x: x1 + along * Math.cos(turn) + away * Math.sin(turn),
        y: y1 + along * Math.sin(turn) - away * Math.cos(turn),
        width,
        angle: (turn * 180) / Math.PI,
      };
    }
  }
}

/** Right above a line, then right below it. */
const nearPx = [gapPx, -heightPx];
/** A line further, where points lie on the line itself. */
const farPx = [gapPx + heightPx, -2 * heightPx];
/** A label that stands off its line is nearer to no other. */
const besidePx = gapPx + heightPx;

/** Between the left end of a line and a label in front of it, which keeps clear of a slope that ends there. */
const beforePx = 12;

/** In front of a level line. */
const inFront = ({ x1, y1 }: LabelledLine, text: string): LabelPlace => {
  const width = text.length * letterPx;
  return { text, x: x1 - beforePx - width, y: y1 + heightPx / 2 - 2, width, angle: 0 };
};

/** A line through a label is worse than points below its halo. */
const lineWeight = 4;

/**
 * Places for the labels of `lines`, in their order, right of `left`: the first where neither a point, a line
 * nor another label lies, else one that stands off its line with no other line beside it or in front of it, else
 * the one that touches the fewest points and lines. Where all of them touch a line
 * or another label, the short form is tried. A label that could only lie on another one is left out: both would
 * be illegible.
 */
export function labelPlaces(
  lines: readonly LabelledLine[],
  points: readonly Disc[],
  left = 0,
): (LabelPlace | undefined)[] {
  const taken: LabelPlace[] = [];
  const best = (line: LabelledLine, text: string) => {
    let found: { place: LabelPlace; touched: number } | undefined;
    for (const place of candidates(line, text, nearPx)) {
      if (place.x < left || taken.some((other) => collide(place, other))) continue;
      const touched =
        points.filter((point) => touches(place, point)).length +
        lineWeight * lines.filter((other) => other !== line && crosses(place, other)).length;
      if (found === undefined || touched < found.touched) found = { place, touched };
      if (touched === 0) return found;
    }
    const isClear = (place: LabelPlace, beside: number): boolean =>
      place.x >= left &&
      !taken.some((other) => collide(place, other)) &&
      !points.some((point) => touches(place, point)) &&
      !lines.some((other) => other !== line && crosses(place, other, beside));
    for (const place of candidates(line, text, farPx)) {
      if (isClear(place, besidePx)) return { place, touched: 0 };
    }
    const front = inFront(line, text);
    return line.y1 === line.y2 && isClear(front, 0) ? { place: front, touched: 0 } : found;
  };
  return lines.map((line) => {
    const whole = best(line, line.label);
    // The rate is worth a point below the label, but no line through it.
    const short = (whole?.touched ?? lineWeight) < lineWeight ? undefined : best(line, line.short);
    const found =
      whole === undefined || (short !== undefined && short.touched < whole.touched) ? short : whole;
    if (found !== undefined) taken.push(found.place);
    return found?.place;
  });
}
