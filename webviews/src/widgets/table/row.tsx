// One row of a table, with what it shows when it is opened.
import type { ComponentChildren } from 'preact';
import type { Column, Row } from '#shared/protocol.ts';
import type { Scale } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { widgetTexts } from '../texts.ts';
import { Actions, type RowAction } from './actions.tsx';
import { Cell, Twisty, barStyle, cellTitle, numeric } from './cells.tsx';
import type { Sort } from './sort.tsx';

/** A cell of a table; row -1 are the headings. */
export interface Place {
  row: number;
  column: number;
}

/** Draws a cell; `names` has what is shown of functions' names, by their whole ones. */
export type CellRenderer = (row: Row, names: ReadonlyMap<string, string>) => ComponentChildren;

/** What all rows of a table share. */
export interface RowLook {
  columns: readonly Column[];
  scales: readonly Scale[];
  sort: Sort;
  largest: Readonly<Record<string, number>>;
  /** What is shown of functions' names. */
  names: ReadonlyMap<string, string>;
  renderCell: Record<string, CellRenderer> | undefined;
  unknownReasons: Readonly<Record<string, string>> | undefined;
  actions: ((row: Row) => RowAction[]) | undefined;
  actionsInMenu: boolean;
  detail: ((row: Row) => ComponentChildren) | undefined;
  canOpen: (row: Row) => boolean;
  toggle: (row: Row, index: number) => void;
  active: Place;
  onActive: (place: Place) => void;
}

/** How much of its cell the bar behind a figure fills: only in the column that the rows are sorted by. */
function barPart(look: RowLook, column: Column, row: Row | undefined): number {
  const value = row?.[column.key];
  return look.sort.key === column.key && typeof value === 'number' && column.unit !== ''
    ? Math.min(1, Math.abs(value) / (look.largest[column.key] || 1))
    : 0;
}

function BodyCell(props: {
  look: RowLook;
  column: Column;
  at: Place;
  row: Row | undefined;
  opened: boolean;
}) {
  const { look, column, at, row, opened } = props;
  const { active } = look;
  const first = at.column === 0;
  const value = row?.[column.key];
  const bar = barPart(look, column, row);
  const render = look.renderCell?.[column.key];
  const reason = value === null ? look.unknownReasons?.[column.key] : undefined;
  const opens = row !== undefined && look.canOpen(row) ? () => look.toggle(row, at.row) : undefined;
  return (
    <div
      role="gridcell"
      aria-colindex={at.column + 1}
      class={`cell ${numeric(column) ? 'numeric' : ''} ${first ? 'first' : ''} ${barStyle(bar) === undefined ? '' : 'bar'} ${value === 0 ? 'zero' : ''}`}
      style={barStyle(bar)}
      title={row === undefined ? undefined : (reason ?? cellTitle(column, row))}
      tabIndex={active.row === at.row && active.column === at.column ? 0 : -1}
      data-row={at.row}
      data-column={at.column}
      data-key={column.key}
      data-value={typeof value === 'number' ? value : undefined}
      onMouseDown={() => look.onActive(at)}
    >
      {first && look.detail !== undefined ? <Twisty opened={opened} toggle={opens} /> : null}
      <span class="cell-text">
        {row === undefined ? (
          ''
        ) : render !== undefined ? (
          render(row, look.names)
        ) : (
          <Cell column={column} row={row} scale={look.scales[at.column]!} names={look.names} />
        )}
      </span>
    </div>
  );
}

/** What a row is of: its first cell, as far as that is a text. */
function rowName(columns: readonly Column[], row: Row): string {
  const value = row[columns[0]?.key ?? ''];
  return typeof value === 'string' ? visible(value) : '';
}

/** `row` is undefined while its page is on its way. */
export function BodyRow(props: {
  look: RowLook;
  index: number;
  row: Row | undefined;
  opened: boolean;
}) {
  const { look, index, row, opened } = props;
  const { columns, active } = look;
  const opens = row !== undefined && look.canOpen(row);
  const actionsAt = columns.length;
  return (
    <>
      <div
        role="row"
        aria-rowindex={index + 2}
        aria-expanded={opens ? opened : undefined}
        class={`grid-row ${active.row === index ? 'active' : ''} ${opened ? 'opened' : ''}`}
        onDblClick={() => {
          if (opens) look.toggle(row, index);
        }}
      >
        {columns.map((column, at) => (
          <BodyCell
            key={column.key}
            look={look}
            column={column}
            at={{ row: index, column: at }}
            row={row}
            opened={opened}
          />
        ))}
        {look.actions === undefined ? null : (
          <div
            role="gridcell"
            aria-colindex={actionsAt + 1}
            class="cell actions"
            tabIndex={active.row === index && active.column === actionsAt ? 0 : -1}
            data-row={index}
            data-column={actionsAt}
          >
            {row === undefined ? null : (
              <Actions
                actions={look.actions(row)}
                inMenu={look.actionsInMenu}
                tabIndex={active.row === index ? 0 : -1}
              />
            )}
          </div>
        )}
      </div>
      {opened && row !== undefined ? (
        <div role="row" class="grid-detail-row">
          <div
            role="gridcell"
            aria-colspan={columns.length + (look.actions === undefined ? 0 : 1)}
            class="grid-detail"
          >
            <div role="group" aria-label={widgetTexts.detailsOf(rowName(columns, row))}>
              {look.detail!(row)}
            </div>
          </div>
        </div>
      ) : null}
    </>
  );
}
