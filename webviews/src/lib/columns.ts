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

/** The most that names get for which lesser columns give way. Those of functions are the longest. */
export const mostNamesPx = (roomPx: number, ofFunctions: boolean): number =>
  Math.min(ofFunctions ? 440 : 320, 0.7 * roomPx);

/** Without what the candidate had, what the baseline had of it has nothing to stand beside. */
export const leftAlone = (columns: readonly ColumnNeed[], gone: readonly string[]): string[] =>
  columns
    .filter(
      ({ key, stays }) =>
        !stays &&
        !gone.includes(key) &&
        key.startsWith('baseline') &&
        gone.includes(key.replace('baseline', 'candidate')),
    )
    .map(({ key }) => key);

/**
 * Keys of the columns of `lesser` that give way to names for which `shortPx` is lacking: in its order, but
 * none for which there is room again once larger ones are gone.
 */
export function givingWayToNames(
  columns: readonly ColumnNeed[],
  lesser: readonly string[],
  shortPx: number,
): string[] {
  const gone: ColumnNeed[] = [];
  let short = shortPx;
  const take = (column: ColumnNeed | undefined): void => {
    if (column === undefined || column.stays || gone.includes(column)) return;
    short -= column.px;
    gone.push(column);
  };
  for (const key of lesser) {
    if (short <= 0) break;
    take(columns.find((one) => one.key === key));
    const alone = leftAlone(
      columns,
      gone.map((one) => one.key),
    );
    for (const partner of alone) take(columns.find((one) => one.key === partner));
  }
  for (const column of [...gone].reverse()) {
    if (short + column.px > 0 || /^(baseline|candidate)/.test(column.key)) continue;
    short += column.px;
    gone.splice(gone.indexOf(column), 1);
  }
  return gone.map(({ key }) => key);
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
