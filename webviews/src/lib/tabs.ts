// Which tabs have room. Pure.

/**
 * Whether each tab, `widths` wide, stands on a line of `roomPx`: all of them, or the first ones and the
 * current one beside a menu of the others, which takes `menuPx`.
 */
export function tabsThatFit(
  widths: readonly number[],
  roomPx: number,
  current: number,
  menuPx: number,
): boolean[] {
  const all = widths.reduce((sum, width) => sum + width, 0);
  // Not measured yet.
  if (roomPx <= 0 || all <= roomPx) return widths.map(() => true);
  let left = roomPx - menuPx - (widths[current] ?? 0);
  let full = false;
  return widths.map((width, index) => {
    if (index === current) return true;
    full ||= width > left;
    if (!full) left -= width;
    return !full;
  });
}
