// Parts of a whole. Pure.

export interface Part {
  name: string;
  value: number;
}

/** The largest `count` parts that are above zero, descending; what is left over as one number. */
export function topParts(
  parts: readonly Part[],
  count: number,
): { top: Part[]; rest: number; restCount: number } {
  const positive = parts.filter((part) => part.value > 0).sort((a, b) => b.value - a.value);
  const left = positive.slice(count);
  return {
    top: positive.slice(0, count),
    rest: left.reduce((sum, part) => sum + part.value, 0),
    restCount: left.length,
  };
}
