// Where the hints of a document stand, so that none is cut at the editor's right edge. Pure.
import { hintColumn, hintTexts, type DrawnHint } from './hints.ts';

/** What decides how many columns of text an editor shows. */
export interface EditorRoom {
  /** Pixels of the editor's group. */
  groupPx: number;
  /** Pixels of a letter of the editor's font. */
  letterPx: number;
  /** Pixels of the vertical scroll bar. */
  scrollBarPx: number;
  /** The minimap; undefined where there is none. */
  minimap?: { columns: number; scale: number };
}

/** Pixels of breakpoints, line numbers and folding, with the borders of the group. */
const marginsPx = 80;

/** What VS Code keeps free beside a minimap. */
const minimapGutterPx = 8;

/**
 * Columns of text between an editor's margins and what stands at its right edge. VS Code gives no
 * extension the size of an editor; this follows its layout. A minimap has `scale` pixels for each column
 * of text that is shown, up to its most columns.
 */
export function columnsOf({ groupPx, letterPx, scrollBarPx, minimap }: EditorRoom): number {
  const textPx = Math.max(0, groupPx - marginsPx - scrollBarPx);
  const minimapPx =
    minimap === undefined
      ? 0
      : minimapGutterPx +
        Math.min(
          minimap.columns * minimap.scale,
          (textPx * minimap.scale) / (letterPx + minimap.scale),
        );
  return Math.max(0, Math.floor((textPx - minimapPx) / letterPx));
}

/** A hint with its place: behind `gapColumns` after its line, or in the line's indentation. */
export interface PlacedHint {
  text: string;
  gapColumns: number;
  inIndent: boolean;
}

export interface HintedLine {
  hint: DrawnHint;
  /** Columns that the line takes, and those of them that are indentation. */
  width: number;
  indent: number;
}

/** Columns that a hint keeps between itself and its line. */
const leastGap = 2;

/** What may stand in an indentation, from the longest on: "2.4 %", "2.4%", "2%". */
function indentTexts(brief: string | undefined): string[] {
  if (brief === undefined) return [];
  const text = brief.replace(/\s/g, '');
  const whole = text.replace(/<?(\d+\.\d+)/, (_, digits: string) => {
    const rounded = Math.round(Number(digits));
    return rounded === 0 ? '<1' : String(rounded);
  });
  return [brief, text, whole];
}

/**
 * The places of a document's hints in an editor that shows so many columns. Each hint stands behind its
 * line, in the column of the others where that has room for it, else nearer, without its bar, and at last
 * with its share alone. Behind a line that leaves no room even for that, the share stands in the line's
 * indentation, if that is wide enough: before the first guide of it, which VS Code draws at every
 * `tabSize`, where a text has room there. `wraps`: the editor wraps lines at its right edge.
 */
export function placedHints(
  lines: readonly HintedLine[],
  options: { columns: number; narrow: boolean; wraps?: boolean; tabSize?: number },
): PlacedHint[] {
  const { columns } = options;
  const ends = lines.map(({ width }) =>
    options.wraps === true && columns > 0 && width > columns ? width % columns : width,
  );
  const barred = hintTexts(lines.map(({ hint }) => hint));
  const placed = placeAll(lines, ends, barred, options);
  const whole = placed.filter(({ text }, index) => text === barred[index]);
  // Bars are there to be compared: where few lines have room for theirs, none has one.
  return 2 * whole.length >= lines.length
    ? placed
    : placeAll(
        lines,
        ends,
        lines.map(({ hint }) => hint.text),
        options,
      );
}

function placeAll(
  lines: readonly HintedLine[],
  ends: readonly number[],
  texts: readonly string[],
  { columns, narrow, tabSize = 4 }: { columns: number; narrow: boolean; tabSize?: number },
): PlacedHint[] {
  const longest = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const column = Math.min(hintColumn(ends, narrow), Math.max(0, columns - longest));
  return lines.map(({ hint, indent }, index): PlacedHint => {
    const end = ends[index] ?? 0;
    const text = texts[index] ?? '';
    const behind = (shown: string, gap: number): PlacedHint | undefined =>
      end + gap + shown.length <= columns
        ? { text: shown, gapColumns: gap, inIndent: false }
        : undefined;
    const placed =
      behind(text, Math.max(leastGap, column - end)) ??
      behind(text, leastGap) ??
      behind(hint.text, leastGap) ??
      (hint.shorter === undefined ? undefined : behind(hint.shorter, leastGap)) ??
      (hint.brief === undefined ? undefined : behind(hint.brief, leastGap));
    if (placed !== undefined) return placed;
    const within = (most: number) => indentTexts(hint.brief).find(({ length }) => length < most);
    const share = within(Math.min(indent, tabSize)) ?? within(indent);
    return share !== undefined
      ? { text: share, gapColumns: 0, inIndent: true }
      : { text: hint.brief ?? hint.text, gapColumns: leastGap, inIndent: false };
  });
}
