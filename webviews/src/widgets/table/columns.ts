// The columns of a table: which there are, in which unit, and how wide they must be.
import { useMemo, useRef } from 'preact/hooks';
import type { Column, Row } from '#shared/protocol.ts';
import { columnScales, longestText, type Scale } from '#shared/numbers.ts';
import { namesPx } from '../../lib/columns.ts';
import { leastWhole } from '../../lib/fit_name.ts';
import { fileName, numberColumnPx, shapesText } from '../../lib/format.ts';
import { columnNames } from '../../lib/legend_names.ts';
import { shortName, unqualifiedName } from '#shared/names.ts';
import { cellNumber, numeric } from './cells.tsx';
import { readRows, type Loaded } from './pages.ts';

/** Columns that say for how much something is not known: they have nothing to say where all is. */
const doubts: ReadonlySet<string> = new Set([
  'unknownFlopsShare',
  'unknownBytesShare',
  'tensorCoreUnknown',
  'unknownBytes',
]);

/**
 * Keys of columns without a value in any row: nothing of the kind was recorded, or nothing is unknown.
 * Known of tables that were read whole; a filter changes nothing of it, so that typing moves no columns.
 */
function useEmptyColumns(loaded: Loaded | undefined): ReadonlySet<string> {
  const known = useRef<{ of: string; keys: ReadonlySet<string> }>({ of: '', keys: new Set() });
  const read = [...(loaded?.pages.values() ?? [])].reduce((sum, page) => sum + page.length, 0);
  const whole =
    read > 0 && read === loaded?.totalRows && loaded.totalRows === loaded.unfilteredRows;
  return useMemo(() => {
    const columns = loaded?.columns ?? [];
    const of = columns.map(({ key }) => key).join();
    if (whole) {
      const rows = readRows(loaded);
      const empty = columns
        .slice(1)
        .filter(({ key }) =>
          rows.every((row) => (row[key] ?? '') === '' || (doubts.has(key) && row[key] === 0)),
        );
      known.current = { of, keys: new Set(empty.map(({ key }) => key)) };
    } else if (known.current.of !== of) {
      known.current = { of, keys: new Set() };
    }
    return known.current.keys;
  }, [loaded?.key, loaded?.columns, whole, read]);
}

/** Columns that the answer has and the table shows, if there is room. */
export function usePresentColumns(loaded: Loaded | undefined, sortKey: string): Column[] {
  const empty = useEmptyColumns(loaded);
  return useMemo(
    () =>
      (loaded?.columns ?? []).filter(
        (column, _, all) =>
          !column.hidden &&
          loaded?.hidden.includes(column.key) !== true &&
          (!empty.has(column.key) || column.key === sortKey) &&
          // The cell of the file names the line too.
          !(column.key === 'line' && all.some((one) => one.key === 'file')),
      ),
    [loaded?.columns, loaded?.hidden.join(), [...empty].join(), sortKey],
  );
}

/** Names of functions in a row's columns; a sequence of kernels has several. */
const functionsIn = (row: Row, columns: readonly string[]): string[] =>
  columns.flatMap((key) => {
    const value = row[key];
    if (typeof value !== 'string') return [];
    return key === 'pattern' ? value.split('|') : [value];
  });

/** What the values that have been read decide: units, the length of bars, short names. */
export function useMeasures(
  loaded: Loaded | undefined,
  present: readonly Column[],
  nameColumns: readonly string[],
  shownName?: (row: Row) => string,
): {
  largest: Readonly<Record<string, number>>;
  scales: readonly Scale[];
  /** What is shown of functions' names, by their whole ones. */
  names: ReadonlyMap<string, string>;
  /** Letters of the longest function in the first column; undefined where that has others. */
  longestName: number | undefined;
  /** Letters of the longest name in the first column without its namespaces, which give way first. */
  longestOwn: number;
  /** The names of the first column in the shortest forms that lose nothing that matters. */
  wholeNames: readonly string[];
} {
  const names = useMemo(
    () => columnNames(readRows(loaded).flatMap((row) => functionsIn(row, nameColumns))),
    [loaded, nameColumns.join()],
  );
  const { largest, scales } = useMemo(() => {
    const largest: Record<string, number> = {};
    const fractional = new Set<string>();
    for (const row of readRows(loaded)) {
      for (const { key, type } of present) {
        const value = row[key];
        // Letters of the longest place, as its cell shows it.
        if (places.has(key) && typeof value === 'string') {
          const place = `${fileName(value)}:${String((key === 'file' ? row.line : row.at) ?? '')}`;
          largest[key] = Math.max(largest[key] ?? 0, place.length);
        } else if (key === present[0]?.key && typeof value === 'string') {
          const { length } = shownName?.(row) ?? value;
          largest[key] = Math.max(largest[key] ?? 0, length);
        } else if (typeof value === 'string') {
          const shown =
            key === 'inputShapes' ? shapesText(value) : (names.get(value) ?? shortName(value));
          largest[key] = Math.max(largest[key] ?? 0, shown.length);
        }
        // Whether any is neither true nor false, which takes a longer word.
        if (type === 'bool' && typeof value !== 'boolean') largest[key] = 1;
        if (typeof value !== 'number') continue;
        largest[key] = Math.max(largest[key] ?? 0, Math.abs(value));
        if (!Number.isInteger(value)) fractional.add(key);
      }
    }
    const scales = columnScales(
      present.map(({ key, unit }) => ({
        unit,
        largest: largest[key] ?? 0,
        whole: !fractional.has(key),
      })),
    );
    return { largest, scales };
  }, [loaded, present, names]);
  const first = present[0]?.key ?? '';
  const longestName = useMemo(
    () =>
      nameColumns.includes(first)
        ? readRows(loaded)
            .flatMap((row) => functionsIn(row, [first]))
            .reduce((most, name) => Math.max(most, names.get(name)?.length ?? 0), 0)
        : undefined,
    [names, first],
  );
  const longestOwn = useMemo(
    () =>
      readRows(loaded).reduce((most, row) => {
        const value = row[first];
        if (typeof value !== 'string') return most;
        const own = unqualifiedName(value);
        return Math.max(most, own === value ? own.length : own.length + 1);
      }, 0),
    [loaded, first],
  );
  const wholeNames = useMemo(
    () => [
      ...new Set(
        readRows(loaded).flatMap((row) => {
          const value = row[first];
          if (typeof value !== 'string') return [];
          return nameColumns.includes(first)
            ? functionsIn(row, [first]).map((name) => leastWhole(names.get(name) ?? name))
            : [unqualifiedName(shownName?.(row) ?? value)];
        }),
      ),
    ],
    [names, first],
  );
  return { largest, scales, names, longestName, longestOwn, wholeNames };
}

/** Columns of files, whose cells name the line too. */
export const places: ReadonlySet<string> = new Set(['file', 'path']);

/** Columns of names beside the first. */
const named: ReadonlyMap<string, number> = new Map([
  ['function', 240],
  ['name', 290],
  ['reason', 290],
]);

/** A function and the word that tells what its kernel does. */
export const functionPx = 220;

/** Columns that tell rows of one name apart, and their part of the room. */
export const besides: ReadonlySet<string> = new Set(['operator', 'inputShapes', 'params']);
const besidesPart = 4;

/** What texts of so many letters take, and no more than `most` pixels. */
const textPx = (letters: number, least: number, most: number): number =>
  Math.round(Math.min(most, Math.max(least, namesPx(letters))));

/**
 * The least width of a column whose largest value is `largest`. `drawn`: its cells show something else
 * than their values.
 */
export function minimumWidth(
  column: Column,
  scale: Scale,
  largest: number,
  firstPx: number | undefined,
  drawn: boolean,
  roomPx: number,
): number {
  // Names are cut in their middle; places are not, but beside the function, which leads there as well.
  if (places.has(column.key)) {
    const most = column.key === 'file' ? 280 : 180;
    return Math.round(Math.min(most, Math.max(140, largest * 7.7 + 40)));
  }
  if (firstPx !== undefined) return firstPx;
  // A color and a word: "Yes", or "Unknown".
  if (column.type === 'bool' && drawn) {
    return Math.max(largest > 0 ? 104 : 72, numberColumnPx(column.title, ''));
  }
  if (column.type !== 'text') {
    const most = cellNumber(column, scale, largest);
    const usual = (most.startsWith('+') ? '+' : '') + longestText(scale, largest);
    return numberColumnPx(column.title, most.length > usual.length ? most : usual);
  }
  // Names have room before columns that matter less.
  const mostNamed = named.get(column.key);
  if (mostNamed !== undefined) {
    // A function has its place beside it, which tells rows apart as well.
    const most = column.key === 'function' ? Math.min(mostNamed, roomPx / 4.5) : mostNamed;
    return textPx(largest, 110, Math.max(110, most));
  }
  if (column.key === 'kernel') return functionPx;
  if (column.key === 'grid' || column.key === 'block') return textPx(largest, 80, 140);
  if (besides.has(column.key)) {
    return textPx(largest, 110, Math.max(116, Math.min(220, roomPx / besidesPart)));
  }
  // Short words take what they need.
  if (drawn) return 116;
  return textPx(largest, numberColumnPx(column.title, ''), 116);
}

/** How much of the spare room a column gets that is not the first, as far as its cells have use for it. */
function spareShare(column: Column, leastPx: number, largest: number): number {
  if (column.key === 'confidence') return 1;
  if (column.key === 'kernel') return 4;
  if (column.type === 'bool') return 0.6;
  if (column.type !== 'text') return 1;
  return namesPx(largest) <= leastPx ? 0.6 : 1.8;
}

/** Columns of a grid: each has its `least` pixels, and its part of what they leave. */
export function gridTemplate(
  columns: readonly Column[],
  chosen: Readonly<Record<string, number>>,
  least: readonly number[],
  firstShare: number,
  largest: Readonly<Record<string, number>>,
): string {
  return columns
    .map((column, index) => {
      const width = chosen[column.key];
      if (width !== undefined) return `${width}px`;
      const share =
        index === 0 && !numeric(column)
          ? firstShare
          : spareShare(column, least[index]!, largest[column.key] ?? 0);
      return `minmax(${least[index]}px, ${share}fr)`;
    })
    .join(' ');
}
