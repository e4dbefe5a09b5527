// Which columns of a table have room. Pure.

export interface ColumnNeed {
  key: string;
  /** The least that it needs. */
  px: number;
  /** Stays, however little room there is. */
  stays: boolean;
}

/**
 * Keys of the columns that give way so that the others fit into `roomPx`: first those of `lesser`, in
 * its order, then the others from the last one on.
 */
export function columnsGivingWay(
  columns: readonly ColumnNeed[],
  lesser: readonly string[],
  roomPx: number,
): string[] {
  let needed = columns.reduce((sum, column) => sum + column.px, 0);
  const order = [
    ...lesser.flatMap((key) => columns.filter((column) => column.key === key)),
    ...[...columns].reverse().filter((column) => !lesser.includes(column.key)),
  ];
  const gone: string[] = [];
  for (const column of order) {
    if (needed <= roomPx) break;
    // `lesser` may name a column twice.
    if (column.stays || gone.includes(column.key)) continue;
    needed -= column.px;
    gone.push(column.key);
  }
  return gone;
}

/** Pixels of names of so many letters, with what stands beside them in their column. */
export const namesPx = (letters: number, besidesPx = 24): number => letters * 7.2 + besidesPx;

/** Names of so little room still tell rows apart. */
const leastNamesPx = 96;

/**
 * The least width of the column of names that take `wantedPx`: as wide as they are, up to half of the room
 * and 320 pixels, so that columns that matter less give way first. `beside`: another column tells rows of one
 * name apart, which leaves less. A name that is longer than its column is shortened to it.
 */
export function namesWidth(wantedPx: number, roomPx: number, beside = false): number {
  const most = Math.max(172, Math.min(320, roomPx * (beside ? 0.42 : 0.5)));
  return Math.round(Math.min(most, Math.max(leastNamesPx, wantedPx)));
}

/** Pixels in which most operators stay whole: "aten::native_batch_norm_backward". */
const operatorPx = 256;

/**
 * What names take where figures say what a table is for: as much as they need of a fifth of the room, or of
 * three tenths where that is less than most operators need.
 */
export const narrowNamesPx = (wantedPx: number, roomPx: number): number =>
  Math.min(wantedPx, Math.max(172, roomPx / 5, Math.min(operatorPx, 0.3 * roomPx)));

/** That width less what even the columns that stay take too much of the room. */
export const withoutExcess = (leastPx: number, excessPx: number): number =>
  Math.round(Math.max(Math.min(leastPx, leastNamesPx), leastPx - excessPx));

/** That width with what the other columns leave of the room, which names have before figures have air. */
export function withSpare(
  leastPx: number,
  wantedPx: number,
  sparePx: number,
  roomPx: number,
): number {
  const most = Math.min(wantedPx, roomPx / 2);
  return Math.round(leastPx + Math.max(0, Math.min(most - leastPx, sparePx)));
}
