// The pixels of the screen: what to ask for to fill them, and what a series shows on each, whatever
// the zoom.
import type { TimelineSeries } from '#shared/protocol.ts';

export interface View {
  startNs: number;
  endNs: number;
  pixels: number;
}

/**
 * The window to ask for: half a window more on both sides. In whole pixels, so that the means of a
 * series are those of the pixels on the screen.
 */
export function widened(view: View): View {
  const pixels = Math.max(1, Math.round(view.pixels));
  const margin = Math.min(Math.ceil(pixels / 2), Math.floor(Math.max(0, 16384 - pixels) / 2));
  const more = (margin * (view.endNs - view.startNs)) / pixels;
  return {
    startNs: Math.floor(view.startNs - more),
    endNs: Math.ceil(view.endNs + more),
    pixels: pixels + 2 * margin,
  };
}

export interface Pixels {
  /** Mean over the pixel's time, or the largest value there; NaN where the series is not known. */
  value: Float64Array;
  /** The smallest value there; the same as `value` for means. */
  low: Float64Array;
}

/**
 * The values of `count` equal pixels from `startNs` to `endNs`. Values of the series hold until the
 * next one, the last one until `untilNs`. Means are over the part of a pixel that is known, so that
 * all pixels together have the area of the series. Linear in points and pixels.
 */
export function sampled(
  series: TimelineSeries,
  untilNs: number,
  startNs: number,
  endNs: number,
  count: number,
): Pixels {
  const value = new Float64Array(count).fill(NaN);
  const low = new Float64Array(count).fill(NaN);
  const { ns } = series;
  const mean = series.reduce === 'mean';
  const width = (endNs - startNs) / count;
  let point = 0;
  for (let pixel = 0; pixel < count; pixel++) {
    const begin = startNs + pixel * width;
    const end = pixel + 1 === count ? endNs : begin + width;
    while (point + 1 < ns.length && ns[point + 1]! <= begin) point++;
    let area = 0;
    let known = 0;
    for (let at = point; at < ns.length && ns[at]! < end; at++) {
      const from = Math.max(begin, ns[at]!);
      const to = Math.min(end, at + 1 < ns.length ? ns[at + 1]! : untilNs);
      if (!(to > from)) continue;
      area += series.value[at]! * (to - from);
      known += to - from;
      if (mean) continue;
      value[pixel] = Math.max(series.value[at]!, known > to - from ? value[pixel]! : -Infinity);
      const least = series.low[at] ?? series.value[at]!;
      low[pixel] = Math.min(least, known > to - from ? low[pixel]! : Infinity);
    }
    if (mean && known > 0) low[pixel] = value[pixel] = area / known;
  }
  return { value, low };
}
