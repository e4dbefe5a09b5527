// The keyboard in a table: arrows walk over cells, also those that are not drawn yet; Enter opens, sorts
// or goes; Shift with an arrow on a heading changes the width of its column.
import type { Column, Row } from '#shared/protocol.ts';
import { copyText } from '../../host/host.ts';
import { announce } from '../../host/store.ts';
import { copiedRow } from '../../lib/export.ts';
import { widgetTexts } from '../texts.ts';
import type { Place } from './row.tsx';

export interface GridKeys {
  columns: readonly Column[];
  /** With the column of actions. */
  columnCount: number;
  rowCount: number;
  /** Rows that fit on the screen. */
  pageRows: () => number;
  rowAt: (index: number) => Row | undefined;
  moveTo: (place: Place) => void;
  sortBy: (column: Column) => void;
  setWidth: (column: Column, px: number) => void;
  canOpen: (row: Row) => boolean;
  toggle: (row: Row, index: number) => void;
  /** Runs the first action of a row, or opens their menu in the cell that has the focus. */
  act: (row: Row, cell: HTMLElement) => void;
  /** All columns that a copied row gets. */
  copied: readonly Column[];
}

/** Where a key leads from a cell; undefined for keys that lead nowhere. */
function destination(
  event: KeyboardEvent,
  { row, column }: Place,
  grid: GridKeys,
): Place | undefined {
  const all = event.ctrlKey || event.metaKey;
  const lastRow = grid.rowCount - 1;
  switch (event.key) {
    case 'ArrowDown':
      return { row: row + 1, column };
    case 'ArrowUp':
      return { row: row - 1, column };
    case 'ArrowRight':
      return { row, column: column + 1 };
    case 'ArrowLeft':
      return { row, column: column - 1 };
    case 'Home':
      return { row: all ? 0 : row, column: 0 };
    case 'End':
      return { row: all ? lastRow : row, column: grid.columnCount - 1 };
    case 'PageDown':
      return { row: row + grid.pageRows(), column };
    case 'PageUp':
      return { row: Math.max(0, row - grid.pageRows()), column };
    default:
      return undefined;
  }
}

/** Enter or a blank on a cell. */
function activate({ row, column }: Place, grid: GridKeys, cell: HTMLElement): void {
  if (row < 0) {
    const head = grid.columns[column];
    if (head !== undefined) grid.sortBy(head);
    return;
  }
  const data = grid.rowAt(row);
  if (data === undefined) return;
  if (grid.canOpen(data) && column < grid.columns.length) grid.toggle(data, row);
  else grid.act(data, cell);
}

/** Copies a row; false where the key means the selected text, or is none of ours. */
function copied(event: KeyboardEvent, row: number, grid: GridKeys): boolean {
  const data = grid.rowAt(row);
  if (!(event.ctrlKey || event.metaKey) || data === undefined) return false;
  if (window.getSelection()?.isCollapsed === false) return false;
  copyText(copiedRow(grid.copied.map((column) => data[column.key])));
  announce(widgetTexts.rowCopied);
  return true;
}

/** True where the key was one of the table's. */
function handled(event: KeyboardEvent, cell: HTMLElement, place: Place, grid: GridKeys): boolean {
  const head = place.row < 0 && event.shiftKey ? grid.columns[place.column] : undefined;
  if (head !== undefined && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    const from = cell.getBoundingClientRect().width;
    grid.setWidth(head, from + (event.key === 'ArrowRight' ? 16 : -16));
    return true;
  }
  const to = destination(event, place, grid);
  if (to !== undefined) grid.moveTo(to);
  else if (event.key === 'Enter' || event.key === ' ') activate(place, grid, cell);
  else return event.key === 'c' && copied(event, place.row, grid);
  return true;
}

export function onGridKey(event: KeyboardEvent, grid: GridKeys): void {
  const cell = event.target as HTMLElement;
  if (cell.dataset.row === undefined) return;
  const place = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
  if (!handled(event, cell, place, grid)) return;
  event.preventDefault();
  event.stopPropagation();
}
