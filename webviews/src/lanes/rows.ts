// Rows of lanes: a track of the trace, where it stands, and how tall it is. Pure.
import type { TimelineTrack } from '#shared/protocol.ts';

/** Width of the column of names in a drawing of so many CSS pixels: beside code it leaves room for time. */
export function namesPxIn(wholePx: number): number {
  return Math.round(Math.min(224, Math.max(110, wholePx * 0.25)));
}
/** Where a heading's text begins in it; what does not fit goes on over the drawing. */
export const headingLeft = 8;

/**
 * What a row is, in words: ids are numbered per trace, so that in the next rank, or after the file
 * was recorded again, the same id is another row.
 */
export function rowKey(track: TimelineTrack): string {
  return [track.kind, track.group, track.name, track.detail].join('\n');
}

export interface Row {
  track: TimelineTrack;
  key: string;
  /** Top within the whole, CSS pixels. */
  y: number;
  height: number;
  laneHeight: number;
  open: boolean;
  pinned: boolean;
}

export interface Heading {
  text: string;
  y: number;
}

export interface Layout {
  rows: Row[];
  headings: Heading[];
  height: number;
  /** Rows that the filter or the user hides. */
  hidden: number;
}

export const laneHeight = 18;
export const headingHeight = 22;

/** The row at a height, or undefined between rows. Rows are in order of y. */
export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.y <= y) low = middle + 1;
    else high = middle;
  }
  const row = rows[low - 1];
  return row !== undefined && y < row.y + row.height ? row : undefined;
}
