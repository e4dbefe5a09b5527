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
    if (column.stays) continue;
    needed -= column.px;
    gone.push(column.key);
  }
  return gone;
}
