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

/**
 * The least width of the column of names, the longest of which has so many letters: as wide as they
 * are, up to a third of the room and `mostPx`, so that columns that matter less give way first. A name
 * that is longer than its column is shortened to it.
 */
export function namesWidth(letters: number, roomPx: number, mostPx = 280): number {
  const most = Math.max(172, Math.min(mostPx, roomPx / 3));
  return Math.round(Math.min(most, Math.max(172, letters * 7.2 + 24)));
}
