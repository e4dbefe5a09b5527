// Geometry of ring charts. Pure.

export interface RingPart {
  name: string;
  value: number;
}

/** The path of a ring's part between two shares of the circle, clockwise from the top. */
export function arcPath(from: number, to: number, inner: number, outer: number): string {
  // A full circle has no arc of its own, its two ends would be the same point: two circles, the inner
  // one in the other direction, so that it is a hole.
  if (to - from >= 0.9999) {
    const circle = (radius: number, sweep: 0 | 1): string =>
      `M 0 ${-radius} A ${radius} ${radius} 0 0 ${sweep} 0 ${radius} A ${radius} ${radius} 0 0 ${sweep} 0 ${-radius} Z`;
    return `${circle(outer, 1)} ${circle(inner, 0)}`;
  }
  const point = (at: number, radius: number): string => {
    const angle = at * 2 * Math.PI;
    return `${(radius * Math.sin(angle)).toFixed(3)} ${(-radius * Math.cos(angle)).toFixed(3)}`;
  };
  const large = to - from > 0.5 ? 1 : 0;
  return [
    `M ${point(from, outer)}`,
    `A ${outer} ${outer} 0 ${large} 1 ${point(to, outer)}`,
    `L ${point(to, inner)}`,
    `A ${inner} ${inner} 0 ${large} 0 ${point(from, inner)}`,
    'Z',
  ].join(' ');
}

/** The largest `count` parts that are above zero, descending; what is left over as one number. */
export function topParts(
  parts: readonly RingPart[],
  count: number,
): { top: RingPart[]; rest: number; restCount: number } {
  const positive = parts.filter((part) => part.value > 0).sort((a, b) => b.value - a.value);
  const left = positive.slice(count);
  return {
    top: positive.slice(0, count),
    rest: left.reduce((sum, part) => sum + part.value, 0),
    restCount: left.length,
  };
}
