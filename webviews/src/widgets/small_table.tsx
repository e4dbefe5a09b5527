// A typed table that came whole inside an answer: columns with units, sorted on the page, exported
// like the big one.
import { useRef } from 'preact/hooks';
import { exportRows } from '../lib/export.ts';
import { columnScales, exact, scaled } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import type { Column, Row } from '#shared/protocol.ts';
import { commonTexts } from '../lib/texts.ts';
import { Actions, type RowAction } from './table/actions.tsx';
import { ExportMenu } from './export_menu.tsx';
import { useKept } from './kept.ts';
import { Name } from './name.tsx';
import { Nothing } from './notices.tsx';
import { LongTable } from './plain_table.tsx';
import { widgetTexts } from './texts.ts';
import { useWidth } from './width.ts';

/** Where there is less room, a row has its actions in a menu. */
const narrowPx = 720;

export function SmallTableView(props: {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  name: string;
  table: { columns: readonly Column[]; rows: readonly Row[] };
  actions?: (row: Row) => RowAction[];
  bare?: boolean;
}) {
  const root = useRef<HTMLDivElement>(null);
  const roomPx = useWidth(root);
  const order = useKept(`${props.stateKey}Sort`, '');
  const sort =
    order.value === ''
      ? undefined
      : { key: order.value.replace(/^-/, ''), down: order.value.startsWith('-') };
  const columns = props.table.columns.filter((column) => !column.hidden);
  const rows = [...props.table.rows];
  if (sort !== undefined) {
    const sign = sort.down ? -1 : 1;
    rows.sort((a, b) => {
      const left = a[sort.key] ?? null;
      const right = b[sort.key] ?? null;
      if (left === null || right === null) return left === right ? 0 : left === null ? 1 : -1;
      if (typeof left === 'number' && typeof right === 'number') return sign * (left - right);
      return sign * String(left).localeCompare(String(right), 'en', { numeric: true });
    });
  }
  const scales = columnScales(
    columns.map(({ key, unit }) => ({
      unit,
      largest: rows.reduce((most, row) => {
        const value = row[key];
        return typeof value === 'number' ? Math.max(most, Math.abs(value)) : most;
      }, 0),
      whole: rows.every((row) => typeof row[key] !== 'number' || Number.isInteger(row[key])),
    })),
  );
  const numeric = (column: Column): boolean =>
    column.type === 'integer' || column.type === 'number';
  if (rows.length === 0) return <Nothing>{widgetTexts.noRows}</Nothing>;
  return (
    <div ref={root} class="small-table">
      {props.bare === true ? null : (
        <div class="small-table-tools">
          <ExportMenu
            name={props.name}
            take={(format) => exportRows(props.table.columns, rows, format)}
          />
        </div>
      )}
      <LongTable stateKey={props.stateKey} name={props.name} rows={rows.length}>
        <table class="plain-table">
          <thead>
            <tr>
              {columns.map((column, index) => (
                <th
                  key={column.key}
                  scope="col"
                  class={numeric(column) ? 'numeric' : ''}
                  title={column.definition}
                  aria-sort={
                    sort?.key === column.key ? (sort.down ? 'descending' : 'ascending') : undefined
                  }
                >
                  <button
                    type="button"
                    class="sort-button"
                    onClick={() =>
                      (order.value = `${(sort?.key === column.key ? !sort.down : numeric(column)) ? '-' : ''}${column.key}`)
                    }
                  >
                    {column.title}
                    {scales[index]!.suffix === '' ? null : (
                      <span class="head-unit"> {scales[index]!.suffix}</span>
                    )}
                  </button>
                </th>
              ))}
              {props.actions === undefined ? null : <th scope="col">{commonTexts.goTo}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                {columns.map((column, at) => {
                  const value = row[column.key];
                  const scale = scales[at]!;
                  const shown =
                    value === null || value === undefined
                      ? '\u2013'
                      : typeof value === 'number'
                        ? scaled(
                            value,
                            column.unit === '' && column.type === 'number'
                              ? { ...scale, digits: 2 }
                              : scale,
                          )
                        : typeof value === 'boolean'
                          ? value
                            ? commonTexts.yes
                            : commonTexts.no
                          : visible(value);
                  const title =
                    typeof value === 'number' ? exact(value, column.unit) : String(value ?? '');
                  return at === 0 ? (
                    <th key={column.key} scope="row" title={title}>
                      {typeof value === 'string' ? <Name whole={value} /> : shown}
                    </th>
                  ) : (
                    <td key={column.key} class={numeric(column) ? 'numeric' : ''} title={title}>
                      {shown}
                    </td>
                  );
                })}
                {props.actions === undefined ? null : (
                  <td class="go">
                    <Actions actions={props.actions(row)} inMenu={roomPx < narrowPx} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </LongTable>
    </div>
  );
}
