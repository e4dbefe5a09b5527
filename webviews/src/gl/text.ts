// Text that must fit into a box on a canvas.

type Measuring = Pick<CanvasRenderingContext2D, 'font' | 'measureText'>;

// Measuring costs more than drawing, and the same names come back in every frame.
const widths = new Map<string, number>();
let measuredFont = '';

function widthOf(context: Measuring, text: string): number {
  if (measuredFont !== context.font || widths.size > 20_000) {
    widths.clear();
    measuredFont = context.font;
  }
  let width = widths.get(text);
  if (width === undefined) {
    width = context.measureText(text).width;
    widths.set(text, width);
  }
  return width;
}

/**
 * Text cut to a width; shorter than two characters nothing. Names that differ in the number at their
 * end alone keep it: "Profil…#1011".
 */
export function fitted(context: Measuring, text: string, width: number): string {
  // No box is wider than the screen, so the end of a very long name is never seen.
  const start = text.length > 400 ? text.slice(0, 400) : text;
  const whole = widthOf(context, start);
  if (whole <= width) return start;
  const keep = Math.floor((width - 8) / (whole / start.length));
  const [number = ''] = /#\d{1,9}$/.exec(start) ?? [];
  if (number !== '' && keep - number.length >= 1) {
    return `${start.slice(0, keep - number.length)}\u2026${number}`;
  }
  if (number !== '' && widthOf(context, number) <= width) return number;
  return keep < 2 ? '' : `${start.slice(0, keep)}\u2026`;
}
