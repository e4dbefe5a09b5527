// Rows of a job's tables put together for charts. Pure.
import type { Row } from '#shared/protocol.ts';

const num = (row: Row, key: string): number => {
  const value = row[key];
  return typeof value === 'number' ? value : 0;
};

/** A device of a rank, as charts name it. */
export function lineName(rank: number, device: number | undefined): string {
  return device === undefined ? String(rank) : `${rank}/${device}`;
}

export interface Line {
  rank: number;
  /** Undefined where each rank has one device. */
  device: number | undefined;
  name: string;
}

export interface Summed extends Line {
  values: number[];
  total: number;
  /** Rows that it is the sum of. */
  rows: number;
}

/** Sums of `keys` by rank, and by device where there are several; `mean` divides by the rows. */
export function sumByRank(
  rows: readonly Row[],
  keys: readonly string[],
  options: { devices: boolean; mean: boolean; keep?: (row: Row) => boolean },
): Summed[] {
  const found = new Map<string, Summed>();
  for (const row of rows) {
    if (options.keep?.(row) === false) continue;
    const rank = num(row, 'rank');
    const device = options.devices ? num(row, 'device') : undefined;
    const name = lineName(rank, device);
    let line = found.get(name);
    if (line === undefined) {
      line = { rank, device, name, values: keys.map(() => 0), total: 0, rows: 0 };
      found.set(name, line);
    }
    line.rows++;
    for (const [index, key] of keys.entries()) line.values[index]! += num(row, key);
  }
  const lines = [...found.values()];
  for (const line of lines) {
    if (options.mean && line.rows > 0) line.values = line.values.map((sum) => sum / line.rows);
    line.total = line.values.reduce((sum, value) => sum + value, 0);
  }
  return lines.sort((a, b) => a.rank - b.rank || (a.device ?? 0) - (b.device ?? 0));
}

export interface Grid {
  lines: Line[];
  /** Names of the steps, as recorded. */
  steps: string[];
  /** By line, then step; undefined where the rank has no such step. */
  cells: (number | undefined)[][];
  least: number;
  most: number;
}

/** The name of a row's step; empty outside of steps. */
export function stepOf(row: Row): string {
  const { step } = row;
  return typeof step === 'string' || typeof step === 'number' ? String(step) : '';
}

/** Names of steps by their numbers. */
export function inOrder(steps: Iterable<string>): string[] {
  return [...new Set(steps)].sort((a, b) => Number(a) - Number(b) || a.localeCompare(b));
}

/** A figure by rank and step. */
export function gridOf(rows: readonly Row[], key: string, devices: boolean): Grid {
  const lines = new Map<string, Line>();
  const steps = new Set<string>();
  const values = new Map<string, number>();
  for (const row of rows) {
    const value = row[key];
    if (typeof value !== 'number') continue;
    const rank = num(row, 'rank');
    const device = devices && typeof row.device === 'number' ? row.device : undefined;
    const name = lineName(rank, device);
    const step = stepOf(row);
    lines.set(name, { rank, device, name });
    steps.add(step);
    values.set(`${name} ${step}`, value);
  }
  const sorted = [...lines.values()].sort(
    (a, b) => a.rank - b.rank || (a.device ?? 0) - (b.device ?? 0),
  );
  const columns = inOrder(steps);
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values.values()) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return {
    lines: sorted,
    steps: columns,
    cells: sorted.map(({ name }) => columns.map((step) => values.get(`${name} ${step}`))),
    // What differs by less than a tenth is not worth the whole scale.
    least: Math.min(least, most * 0.9),
    most,
  };
}

/** Numbers in words as ranges: "0-3, 8". */
export function rangesText(numbers: readonly number[]): string {
  const sorted = [...numbers].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < sorted.length;) {
    let to = from;
    while (to + 1 < sorted.length && sorted[to + 1] === sorted[to]! + 1) to++;
    parts.push(from === to ? `${sorted[from]}` : `${sorted[from]}\u2013${sorted[to]}`);
    from = to + 1;
  }
  return parts.join(', ');
}
