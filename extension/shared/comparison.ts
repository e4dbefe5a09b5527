// What tells a comparison of two traces: in the address of its editor, in links, between page and
// extension.
import type { ViewSelection } from './messages.ts';
import { selectionOf } from './selection.ts';

export const sideNames = ['baseline', 'candidate'] as const;
export type SideName = (typeof sideNames)[number];
export type Sides<T> = Record<SideName, T>;

/** One side: a profile, one of its traces, and its steps. */
export type ComparedTrace = ViewSelection & { path: string };
export type Comparison = Sides<ComparedTrace>;

export function isSideName(value: unknown): value is SideName {
  return value === 'baseline' || value === 'candidate';
}

/** Something of both sides. */
export function bothSides<T>(of: (side: SideName) => T): Sides<T> {
  return { baseline: of('baseline'), candidate: of('candidate') };
}

export function swapped<T>({ baseline, candidate }: Sides<T>): Sides<T> {
  return { baseline: candidate, candidate: baseline };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The selections of both sides, as a page told them or as they were stored. */
export function selectionsOf(value: unknown): Sides<ViewSelection> | undefined {
  if (!isRecord(value)) return undefined;
  return bothSides((side) => {
    const one = value[side];
    return isRecord(one) ? selectionOf(one) : {};
  });
}

/** The same comparison always gives the same text: an address is known by it. */
export function writeComparison(comparison: Comparison): string {
  return JSON.stringify(
    bothSides((side) => ({ path: comparison[side].path, ...selectionOf(comparison[side]) })),
  );
}

/** Addresses and links come from anywhere: what is no comparison gives nothing. */
export function readComparison(text: string): Comparison | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const [baseline, candidate] = sideNames.map((side) => {
    const one = (value as Record<string, unknown>)[side];
    return isRecord(one) && typeof one.path === 'string' && one.path !== ''
      ? { path: one.path, ...selectionOf(one) }
      : undefined;
  });
  return baseline !== undefined && candidate !== undefined ? { baseline, candidate } : undefined;
}

/** `base` is what links into this extension begin with. */
export function writeComparisonLink(base: string, comparison: Comparison): string {
  return `${base}/compare?${new URLSearchParams({ sides: writeComparison(comparison) }).toString()}`;
}

export function readComparisonLink(path: string, query: string): Comparison | undefined {
  return path === '/compare'
    ? readComparison(new URLSearchParams(query).get('sides') ?? '')
    : undefined;
}
