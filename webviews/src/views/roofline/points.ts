// What the chart of roofs draws: points of rows, lines of peaks. Pure.
import { quantity } from '#shared/numbers.ts';
import type { DeviceRoofs, Row } from '#shared/protocol.ts';
import { numberOf, text } from '../links.ts';
import { rooflineTexts } from './texts.ts';

/** What limits most of a row's time. */
export type Limit = 'operations' | 'memory' | 'unknown';

export interface RoofPoint {
  row: Row;
  /** Operations per byte. */
  x: number;
  /** Operations per second. */
  y: number;
  timeUs: number;
  limit: Limit;
}

export interface PeakLine {
  label: string;
  /** Without the rate. */
  short: string;
  /** Operations per second. */
  flopsPerS: number;
}

export interface BandwidthLine {
  label: string;
  /** Without the rate. */
  short: string;
  bytesPerS: number;
}

/** Rows with operations and bytes, longest first; others have no place on logarithmic axes. */
export function pointsOf(rows: readonly Row[]): RoofPoint[] {
  return rows
    .flatMap((row): RoofPoint[] => {
      const x = numberOf(row, 'intensity') ?? 0;
      const y = (numberOf(row, 'tflopsPerS') ?? 0) * 1e12;
      if (!(x > 0 && y > 0)) return [];
      const memory = numberOf(row, 'memoryBoundShare');
      const limit = memory === undefined ? 'unknown' : memory > 0.5 ? 'memory' : 'operations';
      return [{ row, x, y, timeUs: numberOf(row, 'totalUs') ?? 0, limit }];
    })
    .sort((a, b) => b.timeUs - a.timeUs);
}

/** Different devices of a trace, each once. */
export function knownDevices(devices: readonly DeviceRoofs[]): DeviceRoofs[] {
  const seen = new Set<string>();
  return devices.filter(({ known }) => known !== '' && !seen.has(known) && seen.add(known));
}

/** Peaks of operations; those that are the same share a line. `units`: only these. */
export function peakLines(
  devices: readonly DeviceRoofs[],
  units: ReadonlySet<string> | undefined,
): PeakLine[] {
  const known = knownDevices(devices);
  const lines: PeakLine[] = [];
  for (const device of known) {
    const byPeak = new Map<number, string[]>();
    for (const { unit, tflopsPerS } of device.peaks) {
      if (units !== undefined && !units.has(unit)) continue;
      byPeak.set(tflopsPerS, [...(byPeak.get(tflopsPerS) ?? []), unit]);
    }
    for (const [tera, names] of byPeak) {
      const of = known.length > 1 ? `${device.known} ` : '';
      const units = joinUnits(names);
      lines.push({
        label: rooflineTexts.peak(of, units, tera * 1e12),
        short: `${of}${units}`,
        flopsPerS: tera * 1e12,
      });
    }
  }
  return lines.sort((a, b) => b.flopsPerS - a.flopsPerS);
}

/** "fp16 matrix" and "bf16 matrix" as "fp16, bf16 matrix". */
function joinUnits(names: readonly string[]): string {
  const kinds = new Map<string, string[]>();
  for (const name of names) {
    const [type = '', kind = ''] = name.split(' ');
    kinds.set(kind, [...(kinds.get(kind) ?? []), type]);
  }
  return [...kinds].map(([kind, types]) => `${types.join(', ')} ${kind}`.trim()).join(', ');
}

/** Roofs of bytes. The link to other devices is none: nothing on the chart runs over it. */
export function bandwidthLines(devices: readonly DeviceRoofs[]): BandwidthLine[] {
  const known = knownDevices(devices);
  return known.flatMap((device) =>
    device.bandwidths.flatMap(({ level, gbPerS }) => {
      if (gbPerS === null || level === 'link') return [];
      const short = `${known.length > 1 ? `${device.known} ` : ''}${level}`;
      return [{ label: `${short} ${quantity(gbPerS, 'gbPerS')}`, short, bytesPerS: gbPerS * 1e9 }];
    }),
  );
}

/** Units that limit a row. */
export function usedUnits(rows: readonly Row[]): Set<string> {
  return new Set(rows.map((row) => text(row, 'unit')).filter((unit) => unit !== ''));
}

export interface Range {
  from: number;
  to: number;
}

/** Whole powers of ten around the values. */
export function decades(values: readonly number[]): Range {
  let least = Number.POSITIVE_INFINITY;
  let largest = 0;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    least = Math.min(least, value);
    largest = Math.max(largest, value);
  }
  if (largest === 0) return { from: 0, to: 1 };
  const from = Math.floor(Math.log10(least) + 1e-9);
  return { from, to: Math.max(from + 1, Math.ceil(Math.log10(largest) - 1e-9)) };
}

/** The exponents to mark, at most about `most` of them. */
export function marks({ from, to }: Range, most: number): number[] {
  const step = Math.max(1, Math.ceil((to - from) / Math.max(1, most)));
  const list: number[] = [];
  for (let power = from; power <= to; power += step) list.push(power);
  return list;
}

const prefixes = ['', 'k', 'M', 'G', 'T', 'P', 'E'];

/** Ten to a power, short: "100 G", "0.01". */
export function powerText(power: number): string {
  if (power < 0) return (10 ** power).toFixed(Math.min(20, -power));
  const step = Math.min(prefixes.length - 1, Math.floor(power / 3));
  const size = String(10 ** (power - 3 * step));
  return step === 0 ? size : `${size} ${prefixes[step]!}`;
}
