// What stands in the cells of a table.
import type { Column, Row } from '#shared/protocol.ts';
import { openRowPlace } from '../../host/place.ts';
import { exact, quantity, scaled, type Scale } from '#shared/numbers.ts';
import { fileName, shapesText, visible } from '../../lib/format.ts';
import { isAboutEqual } from '../../lib/differences.ts';
import { commonTexts } from '../../lib/texts.ts';
import { Name } from '../name.tsx';
import { widgetTexts } from '../texts.ts';

export const numeric = (column: Column): boolean =>
  column.type === 'integer' || column.type === 'number';

export function numberText(column: Column, scale: Scale, value: number): string {
  // Rates and means have no unit of their own, but sizes as far apart as times have.
  return column.unit === '' && column.type === 'number'
    ? quantity(value, '')
    : scaled(value, scale);
}

/** Differences of time and memory, of which more is worse. */
const isDelta = (column: Column): boolean => /^delta(Percent|.*Us|.*Bytes)$/.test(column.key);

/** Any difference, also of calls. */
const isDifference = (column: Column): boolean => /^delta[A-Z]/.test(column.key);

/** A number as its cell shows it: differences say which way they go, with signs of one width. */
export function cellNumber(column: Column, scale: Scale, value: number): string {
  const text = numberText(column, scale, value);
  return isDifference(column) && value > 0 && !text.startsWith('<') ? `+${text}` : text;
}

/** Whether a difference of times means nothing: it is within its noise, or nothing tells it from noise. */
function isChance({ status, beyondNoise, deltaUs, baselineUs, candidateUs }: Row): boolean {
  if (typeof beyondNoise === 'boolean') return !beyondNoise;
  const sides = [baselineUs, candidateUs].map((side) => (typeof side === 'number' ? side : null));
  return status === 'both' && typeof deltaUs === 'number' && isAboutEqual(deltaUs, sides);
}

/** The color of a difference. */
function deltaClass(column: Column, row: Row, value: number): string | undefined {
  if (!isDelta(column)) return undefined;
  if (value === 0 || isChance(row)) return 'delta';
  return value > 0 ? 'delta worse' : 'delta better';
}
/** Columns of recorded tensor shapes. */
const shapeColumns: ReadonlySet<string> = new Set(['inputShapes', 'shapes']);

/** What stands in a cell that has no value. */
export function NoValue() {
  return <span class="no-value">{'\u2013'}</span>;
}

export function Cell(props: {
  column: Column;
  row: Row;
  scale: Scale;
  /** What is shown of functions' names. */
  names: ReadonlyMap<string, string>;
}) {
  if (props.column.key === 'file') return <PlaceCell row={props.row} />;
  const value = props.row[props.column.key];
  if (value === null || value === undefined) return <NoValue />;
  if (typeof value === 'boolean') return <>{value ? commonTexts.yes : commonTexts.no}</>;
  if (typeof value === 'number') {
    const text = cellNumber(props.column, props.scale, value);
    const look = deltaClass(props.column, props.row, value);
    return look === undefined ? <>{text}</> : <span class={look}>{text}</span>;
  }
  // A list begins with what matters most: it is cut at its end, unlike names.
  if (props.column.key === 'operators') {
    return <span data-whole={visible(value)}>{visible(value)}</span>;
  }
  const shown = shapeColumns.has(props.column.key) ? shapesText(value) : props.names.get(value);
  return <Name whole={value} shown={shown ?? value} />;
}

/** A recorded place: the file's name and line, leading to the code. */
export function PlaceCell(props: { row: Row }) {
  const { file, line } = props.row;
  if (typeof file !== 'string' || file === '') return <NoValue />;
  const at = typeof line === 'number' && line > 0 ? line : undefined;
  return (
    <button
      type="button"
      class="cell-link place"
      tabIndex={-1}
      onClick={(event) => openRowPlace(props.row, event.ctrlKey || event.metaKey)}
    >
      <bdi dir="ltr">{`${visible(fileName(file))}${at === undefined ? '' : `:${at}`}`}</bdi>
    </button>
  );
}

export function cellTitle(column: Column, row: Row): string | undefined {
  const value = row[column.key];
  if (typeof value === 'number') return exact(value, column.unit);
  return typeof value === 'string' && value !== '' ? visible(value) : undefined;
}

/** A shorter bar would be a dot, which reads as one behind the figure. */
const leastBar = 0.02;

/** The part of a cell that a bar behind its figure fills. */
export function barStyle(part: number): { '--bar': string } | undefined {
  return part >= leastBar ? { '--bar': `${(part * 100).toFixed(2)}%` } : undefined;
}

/** Pixels of the mark that opens a row, with the gap behind it. */
export const twistyPx = 19;

/** The button that opens a row, or the room that it takes in a row that cannot be opened. */
export function Twisty(props: { opened: boolean; toggle: (() => void) | undefined }) {
  return props.toggle === undefined ? (
    <span class="twisty-space" />
  ) : (
    <button
      type="button"
      class={`twisty ${props.opened ? 'open' : ''}`}
      tabIndex={-1}
      aria-label={props.opened ? widgetTexts.closeRow : widgetTexts.openRow}
      onClick={props.toggle}
    />
  );
}
