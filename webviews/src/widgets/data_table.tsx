// The one table of the product. It shows the rows in sight and asks the daemon for pages, order and
// filter; it holds none of the analysis.
import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CancelledError, copyText, request } from '../host/host.ts';
import { openRowPlace } from '../host/place.ts';
import { ask } from '../host/query.ts';
import { announce, epoch, failureOf, requestSelection, viewState } from '../host/store.ts';
import type { FailureData, ViewName } from '../host/messages.ts';
import { copiedRow, exportRows, type ExportFormat } from '../lib/export.ts';
import { columnsGivingWay, type ColumnNeed } from '../lib/columns.ts';
import {
  columnScales,
  exact,
  fileName,
  fixed,
  numberColumnPx,
  plural,
  scaled,
  visible,
  type Scale,
} from '../lib/format.ts';
import { shownNames } from '../lib/names.ts';
import type { Absence, Column, Row, Table } from '../lib/protocol.ts';
import { FilterBox, LinkButton, MenuButton } from './controls.tsx';
import { ExportMenu } from './export_menu.tsx';
import { Name } from './name.tsx';
import { Absences, Failure, Nothing, Waiting } from './notices.tsx';
import { scrollerOf, topInView, useVirtualRows } from './virtual_rows.ts';
import { useWidth } from './width.ts';

export interface RowAction {
  label: string;
  title: string;
  run: () => void;
}

export interface DataTableProps {
  /** Names the table for screen readers and files. */
  name: string;
  view: ViewName;
  /** Tells apart the tables of one view in its saved state. */
  stateKey: string;
  method: string;
  params?: Record<string, unknown>;
  /** Where the table lies in the answer, when it is not the answer itself. */
  pick?: (result: unknown) => Table;
  /** Absent: the answer tells by `defaultSort`. */
  defaultSort?: string;
  filterLabel?: string;
  /** Terms of the filter beside those that the user writes into its box. */
  alsoFilter?: string;
  actions?: (row: Row) => RowAction[];
  /** What a row shows when it is opened. */
  detail?: (row: Row) => ComponentChildren;
  canOpen?: (row: Row) => boolean;
  rowKey?: (row: Row) => string;
  renderCell?: Record<string, (row: Row) => ComponentChildren>;
  /** The whole answer to the first page, for what a view shows beside the table. */
  onResult?: (result: unknown) => void;
  /** Keys of columns that say nothing in this trace. They stay in exports. */
  hideColumns?: (result: unknown) => readonly string[];
  toolbar?: ComponentChildren;
  /** The first column holds names of kernels: shown short, whole on hover and in copies. */
  kernelNames?: boolean;
  /** Keys of columns that give way first where there is little room. */
  lesser?: readonly string[];
  /** Share of the spare width that the first column takes; the columns of numbers take 1 each. */
  firstShare?: number;
  empty?: string;
}

const pageSize = 200;
const rowPx = 24;
const headPx = 40;

interface Loaded {
  key: string;
  columns: Column[];
  hidden: readonly string[];
  defaultSort: string;
  absences: Absence[];
  totalRows: number;
  unfilteredRows: number;
  pages: Map<number, Row[]>;
}

const asTable = (result: unknown): Table => result as Table;

function absencesOf(result: unknown): Absence[] {
  const { absences } = result as { absences?: Absence[] };
  return absences ?? [];
}

function usePages(props: DataTableProps, sort: string, filter: string) {
  const params: Record<string, unknown> = { ...props.params };
  if (sort !== '') params.sort = sort;
  const terms = `${filter.trim()} ${props.alsoFilter ?? ''}`.trim();
  if (terms !== '') params.filter = terms;
  const key = `${epoch.value} ${props.method} ${JSON.stringify(requestSelection.value)} ${JSON.stringify(params)}`;
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const [error, setError] = useState<FailureData | undefined>(undefined);
  const [attempt, setAttempt] = useState(0);
  const wanted = useRef(new Set<number>());
  const pick = props.pick ?? asTable;

  /** A whole page: the daemon ends one early when its rows are long, and goes on where it ended. */
  const askPage = async (
    page: number,
    signal: AbortSignal | undefined,
  ): Promise<{ result: unknown; rows: Row[] }> => {
    const from = page * pageSize;
    const result = await ask(props.method, { ...params, offset: from, limit: pageSize }, signal);
    const { rows: first, totalRows } = pick(result);
    const rows = [...first];
    const expected = Math.min(pageSize, totalRows - from);
    while (rows.length < expected) {
      const rest = { offset: from + rows.length, limit: expected - rows.length };
      const more = pick(await ask(props.method, { ...params, ...rest }, signal)).rows;
      if (more.length === 0) break;
      rows.push(...more);
    }
    return { result, rows };
  };

  const fetchPage = (page: number, signal: AbortSignal | undefined): Promise<void> =>
    askPage(page, signal).then(
      ({ result, rows }) => {
        if (signal?.aborted === true) return;
        const table = pick(result);
        if (page === 0) props.onResult?.(result);
        setError(undefined);
        setLoaded((old) => {
          const pages = new Map(old?.key === key ? old.pages : []);
          pages.set(page, rows);
          return {
            key,
            columns: table.columns,
            hidden: props.hideColumns?.(result) ?? [],
            defaultSort: (result as { defaultSort?: string }).defaultSort ?? '',
            absences: absencesOf(result),
            totalRows: table.totalRows,
            unfilteredRows: table.unfilteredRows,
            pages,
          };
        });
      },
      (failure: unknown) => {
        if (failure instanceof CancelledError || signal?.aborted === true) return;
        setError(failureOf(failure));
      },
    );

  const abortRef = useRef<AbortController>(undefined);
  useEffect(() => {
    const abort = new AbortController();
    abortRef.current = abort;
    wanted.current = new Set([0]);
    void fetchPage(0, abort.signal);
    return () => abort.abort();
  }, [key, attempt]);

  const need = (first: number, last: number): void => {
    if (loaded?.key !== key) return;
    for (let page = Math.floor(first / pageSize); page <= Math.floor(last / pageSize); page++) {
      if (wanted.current.has(page)) continue;
      wanted.current.add(page);
      void fetchPage(page, abortRef.current?.signal);
    }
  };
  return {
    loaded,
    error,
    stale: loaded?.key !== key && error === undefined,
    params,
    need,
    retry: () => setAttempt(attempt + 1),
  };
}

const numeric = (column: Column): boolean => column.type === 'integer' || column.type === 'number';

function minimumWidth(column: Column, first: boolean, longest: string, firstPx: number): number {
  // Names are cut in their middle; places are not.
  if (first) return column.key === 'file' ? 180 : firstPx;
  if (column.type !== 'text') return numberColumnPx(column.title, longest);
  return column.key === 'grid' || column.key === 'block'
    ? 96
    : column.key === 'file'
      ? 180
      : column.key === 'function'
        ? 150
        : 116;
}

function gridTemplate(
  columns: readonly Column[],
  chosen: Record<string, number>,
  least: readonly number[],
  firstShare: number,
): string {
  return columns
    .map((column, index) => {
      const width = chosen[column.key];
      if (width !== undefined) return `${width}px`;
      const share =
        index === 0 ? firstShare : column.type === 'text' ? 1.8 : column.type === 'bool' ? 0.6 : 1;
      return `minmax(${least[index]}px, ${share}fr)`;
    })
    .join(' ');
}

function numberText(column: Column, scale: Scale, value: number): string {
  return scaled(
    value,
    column.unit === '' && column.type === 'number' ? { ...scale, digits: 2 } : scale,
  );
}

function Cell(props: {
  column: Column;
  row: Row;
  scale: Scale;
  names?: ReadonlyMap<string, string>;
}) {
  const value = props.row[props.column.key];
  if (value === null || value === undefined) return <span class="no-value">{'\u2013'}</span>;
  if (typeof value === 'boolean') return <>{value ? 'Yes' : 'No'}</>;
  if (typeof value === 'number') return <>{numberText(props.column, props.scale, value)}</>;
  return <Name whole={value} shown={props.names?.get(value) ?? value} />;
}

/** A recorded place: the file's name and line, leading to the code. */
function PlaceCell(props: { row: Row }) {
  const { file, line } = props.row;
  if (typeof file !== 'string' || file === '') return <span class="no-value">{'\u2013'}</span>;
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

function cellTitle(column: Column, row: Row): string | undefined {
  const value = row[column.key];
  if (typeof value === 'number') return exact(value, column.unit);
  return typeof value === 'string' && value !== '' ? visible(value) : undefined;
}

/**
 * Width of the column of actions. Every row is a grid of its own, so a column is as wide as its widest
 * content only by figures.
 */
export function actionsWidthPx(rows: readonly (readonly RowAction[])[]): number {
  return rows.reduce(
    (most, list) =>
      Math.max(
        most,
        list.reduce((sum, one) => sum + one.label.length * 7 + 11, 12),
      ),
    60,
  );
}

/** Where a row leads to. */
export function Actions(props: {
  actions: readonly RowAction[];
  inMenu: boolean;
  tabIndex?: 0 | -1;
}) {
  const tabIndex = props.tabIndex ?? 0;
  if (props.inMenu) {
    return props.actions.length === 0 ? null : (
      <MenuButton label="Go to" dots tabIndex={tabIndex} items={props.actions} />
    );
  }
  return (
    <>
      {props.actions.map((action) => (
        <LinkButton
          key={action.label}
          title={action.title}
          tabIndex={tabIndex}
          onClick={action.run}
        >
          {action.label}
        </LinkButton>
      ))}
    </>
  );
}

/**
 * Whether the actions go into a menu. In a wide view the lesser columns give way for a few, in a narrow
 * one the actions do for the columns.
 */
export function actionsInMenu(
  needs: readonly ColumnNeed[],
  lesser: readonly string[],
  actionsPx: number,
  roomPx: number,
): boolean {
  const wide = roomPx >= 900 && actionsPx <= roomPx / 4;
  const least = needs.filter(({ key, stays }) => !wide || stays || !lesser.includes(key));
  return actionsPx > menuPx && least.reduce((sum, need) => sum + need.px, actionsPx) > roomPx;
}

/** Tells which columns gave way, and brings them back. */
export function HiddenColumns(props: { titles: readonly string[]; all: Signal<boolean> }) {
  const { titles, all } = props;
  if (titles.length === 0) return null;
  return (
    <LinkButton
      pressed={all.value}
      title={
        all.value
          ? 'Show only the columns that have room'
          : `Without room here: ${titles.join(', ')}. Shows them; the view then scrolls sideways.`
      }
      onClick={() => (all.value = !all.value)}
    >
      {all.value ? 'All columns' : plural(titles.length, 'more column')}
    </LinkButton>
  );
}

const noWidths: Record<string, number> = {};
const noRows: string[] = [];
const noKeys: readonly string[] = [];
/** Borders of a table, left and right. */
export const framePx = 2;
/** Of the column of actions where a row has them in a menu. */
export const menuPx = 56;

export function DataTable(props: DataTableProps) {
  const sortState = viewState(props.view, `${props.stateKey}Sort`, props.defaultSort ?? '');
  const filterState = viewState(props.view, `${props.stateKey}Filter`, '');
  const widthState = viewState(props.view, `${props.stateKey}Widths`, noWidths);
  const allColumns = viewState(props.view, `${props.stateKey}AllColumns`, false);
  const filter = filterState.value;
  const { loaded, error, stale, params, need, retry } = usePages(props, sortState.value, filter);
  const sort = sortState.value === '' ? (loaded?.defaultSort ?? '') : sortState.value;
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const roomPx = useWidth(table);
  const [active, setActive] = useState({ row: -1, column: 0 });
  // The cell that shall have the focus once it is drawn; an effect of an earlier drawing must not
  // take it for done.
  const takeFocus = useRef<{ row: number; column: number } | undefined>(undefined);
  const openState = viewState(props.view, `${props.stateKey}Open`, noRows);
  const open = useMemo(() => new Set(openState.value), [openState.value]);

  const present = useMemo(
    () =>
      (loaded?.columns ?? []).filter(
        (column, _, all) =>
          !column.hidden &&
          loaded?.hidden.includes(column.key) !== true &&
          // The cell of the file names the line too.
          !(column.key === 'line' && all.some((one) => one.key === 'file')),
      ),
    [loaded?.columns, loaded?.hidden.join()],
  );
  const count = loaded?.totalRows ?? 0;
  const rows = useVirtualRows(count, body, rowPx, headPx);
  const first = rows.items[0]?.index ?? 0;
  const last = rows.items[rows.items.length - 1]?.index ?? 0;
  useEffect(() => need(first, last));

  const rowAt = (index: number): Row | undefined =>
    loaded?.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  const keyOf = (row: Row, index: number): string => props.rowKey?.(row) ?? String(index);

  // The largest value of each column decides the unit and the length of the bars.
  const largest = useMemo(() => {
    const result: Record<string, number> = {};
    for (const page of loaded?.pages.values() ?? []) {
      for (const row of page) {
        for (const column of present) {
          const value = row[column.key];
          if (typeof value === 'number') {
            result[column.key] = Math.max(result[column.key] ?? 0, Math.abs(value));
          }
        }
      }
    }
    return result;
  }, [loaded, present]);
  const presentScales = useMemo(() => {
    const fractional = new Set<string>();
    for (const page of loaded?.pages.values() ?? []) {
      for (const row of page) {
        for (const column of present) {
          const value = row[column.key];
          if (typeof value === 'number' && !Number.isInteger(value)) fractional.add(column.key);
        }
      }
    }
    return columnScales(
      present.map(({ key, unit }) => ({
        key,
        unit,
        largest: largest[key] ?? 0,
        whole: !fractional.has(key),
      })),
    );
  }, [present, largest]);
  const names = useMemo(() => {
    const key = present[0]?.key;
    if (props.kernelNames !== true || key === undefined) return undefined;
    const all = [...(loaded?.pages.values() ?? [])].flatMap((page) => page.map((row) => row[key]));
    return shownNames(all.filter((name) => typeof name === 'string'));
  }, [loaded, present, props.kernelNames]);
  const sortKey = sort.replace(/^-/, '');
  const descending = sort.startsWith('-');

  useEffect(() => {
    if (loaded !== undefined && !stale) {
      announce(
        loaded.totalRows === loaded.unfilteredRows
          ? plural(loaded.totalRows, 'row')
          : `${fixed(loaded.totalRows, 0)} of ${plural(loaded.unfilteredRows, 'row')}`,
      );
    }
  }, [loaded?.key, stale]);

  // Another grouping may not have the column by which the rows were sorted.
  useEffect(() => {
    if (error?.kind === 'invalidArgument' && sortState.value !== (props.defaultSort ?? '')) {
      sortState.value = props.defaultSort ?? '';
    }
  }, [error]);

  // Another order or filter starts at the top of the table.
  const order = `${sortState.value}\n${filter}\n${props.alsoFilter ?? ''}`;
  const ordered = useRef(order);
  useEffect(() => {
    if (ordered.current === order) return;
    ordered.current = order;
    const frame = grid.current;
    const scroller = scrollerOf(frame);
    if (frame !== null && scroller !== null) {
      scroller.scrollTop = Math.min(scroller.scrollTop, topInView(frame));
    }
    setActive({ row: -1, column: 0 });
  }, [order]);

  const hasActions = props.actions !== undefined;
  const actionsPx = useMemo(
    () =>
      actionsWidthPx(
        [...(loaded?.pages.values() ?? [])]
          .flatMap((page) => page.slice(0, 50))
          .map((row) => props.actions?.(row) ?? []),
      ),
    [loaded?.key],
  );

  const needs = present.map((column, index) => ({
    key: column.key,
    px:
      widthState.value[column.key] ??
      minimumWidth(
        column,
        index === 0,
        numberText(column, presentScales[index]!, largest[column.key] ?? 0),
        props.kernelNames === true ? 220 : 172,
      ),
    stays: index === 0 || column.key === sortKey || widthState.value[column.key] !== undefined,
  }));
  const lesser = props.lesser ?? noKeys;
  const inMenu = hasActions && actionsInMenu(needs, lesser, actionsPx, roomPx - framePx);
  const goPx = !hasActions ? 0 : inMenu ? menuPx : actionsPx;
  const gone = columnsGivingWay(needs, lesser, roomPx - framePx - goPx);
  const goneNow = (key: string): boolean => !allColumns.value && gone.includes(key);
  const columns = present.filter(({ key }) => !goneNow(key));
  const scales = presentScales.filter((_, index) => !goneNow(present[index]!.key));
  const least = needs.filter(({ key }) => !goneNow(key)).map(({ px }) => px);
  const columnCount = columns.length + (hasActions ? 1 : 0);
  const template = `${gridTemplate(columns, widthState.value, least, props.firstShare ?? 5)}${hasActions ? ` ${goPx}px` : ''}`;
  const minWidth = least.reduce((sum, px) => sum + px, goPx);

  const focusWanted = (): void => {
    const wanted = takeFocus.current;
    if (wanted === undefined) return;
    const cell = grid.current?.querySelector<HTMLElement>(
      `[data-row="${wanted.row}"][data-column="${wanted.column}"]`,
    );
    if (cell !== null && cell !== undefined) {
      takeFocus.current = undefined;
      cell.focus({ preventScroll: true });
      cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  };
  useEffect(focusWanted);

  const sortBy = (column: Column): void => {
    if (sortKey !== column.key) {
      sortState.value = numeric(column) ? `-${column.key}` : column.key;
    } else {
      sortState.value = descending ? column.key : `-${column.key}`;
    }
  };
  const toggle = (row: Row, index: number): void => {
    const key = keyOf(row, index);
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    openState.value = [...next];
  };
  const canOpen = (row: Row): boolean =>
    props.detail !== undefined && (props.canOpen === undefined || props.canOpen(row));

  const moveTo = (row: number, column: number): void => {
    const next = {
      row: Math.max(-1, Math.min(count - 1, row)),
      column: Math.max(0, Math.min(columnCount - 1, column)),
    };
    if (next.row >= 0) rows.reveal(next.row);
    // At once where the cell is there: the next key may come before the next drawing.
    takeFocus.current = next;
    focusWanted();
    setActive(next);
  };
  const setWidth = (column: Column, px: number): void => {
    widthState.value = { ...widthState.value, [column.key]: Math.round(Math.max(48, px)) };
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (target.dataset.row === undefined) return;
    const row = Number(target.dataset.row);
    const column = Number(target.dataset.column);
    const page = Math.max(
      1,
      Math.floor((scrollerOf(grid.current)?.clientHeight ?? 300) / rowPx) - 2,
    );
    const all = event.ctrlKey || event.metaKey;
    const head = row < 0 && event.shiftKey ? columns[column] : undefined;
    if (head !== undefined && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      const from = target.getBoundingClientRect().width;
      setWidth(head, from + (event.key === 'ArrowRight' ? 16 : -16));
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    switch (event.key) {
      case 'ArrowDown':
        moveTo(row + 1, column);
        break;
      case 'ArrowUp':
        moveTo(row - 1, column);
        break;
      case 'ArrowRight':
        moveTo(row, column + 1);
        break;
      case 'ArrowLeft':
        moveTo(row, column - 1);
        break;
      case 'Home':
        moveTo(all ? 0 : row, 0);
        break;
      case 'End':
        moveTo(all ? count - 1 : row, columnCount - 1);
        break;
      case 'PageDown':
        moveTo(row + page, column);
        break;
      case 'PageUp':
        moveTo(Math.max(0, row - page), column);
        break;
      case 'Enter':
      case ' ': {
        if (row < 0) {
          const head = columns[column];
          if (head !== undefined) sortBy(head);
          break;
        }
        const data = rowAt(row);
        if (data === undefined) break;
        if (canOpen(data) && column < columns.length) toggle(data, row);
        else if (inMenu) target.querySelector<HTMLElement>('[aria-haspopup]')?.click();
        else props.actions?.(data)[0]?.run();
        break;
      }
      case 'c': {
        const data = rowAt(row);
        if (!all || data === undefined || window.getSelection()?.isCollapsed === false) return;
        // The line too, which the cell of the file shows.
        const whole = (loaded?.columns ?? []).filter((c) => !c.hidden);
        copyText(copiedRow(whole.map((c) => data[c.key])));
        announce('Row copied');
        break;
      }
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const takeAll = async (format: ExportFormat): Promise<string> => {
    const result = await request(props.method, {
      ...requestSelection.peek(),
      ...params,
      offset: 0,
      limit: -1,
    });
    const table = (props.pick ?? asTable)(result);
    return exportRows(table.columns, table.rows, format);
  };

  const resize = (event: PointerEvent, column: Column): void => {
    event.preventDefault();
    event.stopPropagation();
    const handle = event.currentTarget as HTMLElement;
    const startWidth = handle.parentElement!.getBoundingClientRect().width;
    const startX = event.clientX;
    handle.setPointerCapture(event.pointerId);
    const move = (to: PointerEvent): void => {
      setWidth(column, startWidth + to.clientX - startX);
    };
    const end = (): void => {
      handle.removeEventListener('pointermove', move);
      handle.removeEventListener('pointerup', end);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('pointerup', end);
  };

  const tabStop = (row: number, column: number): 0 | -1 =>
    active.row === row && active.column === column ? 0 : -1;
  const activeInSight = active.row < 0 || rows.items.some((item) => item.index === active.row);

  if (loaded?.unfilteredRows === 0 && filter === '' && !stale && loaded.absences.length > 0) {
    return <Absences title={`No ${props.name.toLowerCase()}`} absences={loaded.absences} />;
  }
  return (
    <div ref={table} class="data-table">
      <div class="toolbar">
        <FilterBox
          label={props.filterLabel ?? `Filter ${props.name.toLowerCase()}`}
          title={
            'Words that a row must contain. Also key:word, key>number, key<number' +
            (present.length > 0 ? `. Keys: ${present.map((c) => c.key).join(', ')}` : '')
          }
          value={filter}
          onChange={(text) => (filterState.value = text)}
        />
        {props.toolbar}
        <span class="toolbar-end">
          <span class="row-count">
            {loaded === undefined
              ? ''
              : loaded.totalRows === loaded.unfilteredRows
                ? plural(loaded.totalRows, 'row')
                : `${fixed(loaded.totalRows, 0)} of ${plural(loaded.unfilteredRows, 'row')}`}
          </span>
          <HiddenColumns
            titles={present.filter(({ key }) => gone.includes(key)).map(({ title }) => title)}
            all={allColumns}
          />
          <ExportMenu name={props.name} take={takeAll} />
        </span>
      </div>
      {error !== undefined ? <Failure error={error} retry={retry} /> : null}
      {loaded === undefined ? (
        error === undefined ? (
          <Waiting what={`Reading ${props.name.toLowerCase()}`} />
        ) : null
      ) : (
        <div
          class={`grid-frame ${stale ? 'stale' : ''}`}
          style={{ minWidth: `${minWidth + framePx}px` }}
        >
          <div
            ref={grid}
            role={props.detail === undefined ? 'grid' : 'treegrid'}
            class="grid"
            aria-label={props.name}
            aria-rowcount={count + 1}
            aria-colcount={columnCount}
            aria-busy={stale}
            style={{ '--columns': template }}
            onKeyDown={onKeyDown}
          >
            <div role="rowgroup" class="grid-head">
              <div role="row" aria-rowindex={1} class="grid-row head">
                {columns.map((column, index) => (
                  <div
                    key={column.key}
                    role="columnheader"
                    class={`cell head-cell ${numeric(column) ? 'numeric' : ''} ${index === 0 ? 'first' : ''}`}
                    aria-colindex={index + 1}
                    aria-sort={
                      sortKey === column.key ? (descending ? 'descending' : 'ascending') : 'none'
                    }
                    aria-description={column.definition}
                    title={column.definition}
                    tabIndex={activeInSight ? tabStop(-1, index) : index === 0 ? 0 : -1}
                    data-row={-1}
                    data-column={index}
                    data-key={column.key}
                    onClick={() => {
                      setActive({ row: -1, column: index });
                      sortBy(column);
                    }}
                  >
                    <span class="head-text">
                      {column.title}
                      {scales[index]!.suffix === '' ? null : (
                        <span class="head-unit"> {scales[index]!.suffix}</span>
                      )}
                    </span>
                    {sortKey === column.key ? (
                      <span class={`sort-mark ${descending ? 'down' : 'up'}`} aria-hidden="true" />
                    ) : null}
                    <span
                      class="resize-handle"
                      aria-hidden="true"
                      onPointerDown={(event) => resize(event, column)}
                      onClick={(event) => event.stopPropagation()}
                    />
                  </div>
                ))}
                {hasActions ? (
                  <div
                    role="columnheader"
                    class="cell head-cell"
                    aria-colindex={columnCount}
                    tabIndex={tabStop(-1, columnCount - 1)}
                    data-row={-1}
                    data-column={columnCount - 1}
                  >
                    <span class="head-text">Go to</span>
                  </div>
                ) : null}
              </div>
            </div>
            {count === 0 ? null : (
              <div
                ref={body}
                role="rowgroup"
                class="grid-body"
                style={{ height: `${rows.totalPx}px` }}
              >
                {rows.items.map((item) => {
                  const row = rowAt(item.index);
                  const opened =
                    row !== undefined && open.has(keyOf(row, item.index)) && canOpen(row);
                  return (
                    <div
                      key={item.index}
                      ref={rows.measure}
                      data-index={item.index}
                      class="grid-item"
                      role="presentation"
                      style={{ transform: `translateY(${item.start - rows.topPx}px)` }}
                    >
                      <div
                        role="row"
                        aria-rowindex={item.index + 2}
                        aria-expanded={row !== undefined && canOpen(row) ? opened : undefined}
                        class={`grid-row ${active.row === item.index ? 'active' : ''} ${opened ? 'opened' : ''}`}
                        onDblClick={() => {
                          if (row !== undefined && canOpen(row)) toggle(row, item.index);
                        }}
                      >
                        {columns.map((column, index) => {
                          const value = row?.[column.key];
                          const bar =
                            sortKey === column.key &&
                            typeof value === 'number' &&
                            column.unit !== ''
                              ? Math.min(1, Math.abs(value) / (largest[column.key] || 1))
                              : 0;
                          return (
                            <div
                              key={column.key}
                              role="gridcell"
                              aria-colindex={index + 1}
                              class={`cell ${numeric(column) ? 'numeric' : ''} ${index === 0 ? 'first' : ''} ${bar > 0 ? 'bar' : ''} ${value === 0 ? 'zero' : ''}`}
                              style={
                                bar > 0 ? { '--bar': `${(bar * 100).toFixed(2)}%` } : undefined
                              }
                              title={row === undefined ? undefined : cellTitle(column, row)}
                              tabIndex={tabStop(item.index, index)}
                              data-row={item.index}
                              data-column={index}
                              data-key={column.key}
                              data-value={typeof value === 'number' ? value : undefined}
                              onMouseDown={() => setActive({ row: item.index, column: index })}
                            >
                              {index === 0 && row !== undefined && canOpen(row) ? (
                                <button
                                  type="button"
                                  class={`twisty ${opened ? 'open' : ''}`}
                                  tabIndex={-1}
                                  aria-label={opened ? 'Close row' : 'Open row'}
                                  onClick={() => toggle(row, item.index)}
                                />
                              ) : index === 0 && props.detail !== undefined ? (
                                <span class="twisty-space" />
                              ) : null}
                              <span class="cell-text">
                                {row === undefined ? (
                                  ''
                                ) : props.renderCell?.[column.key] !== undefined ? (
                                  props.renderCell[column.key]!(row)
                                ) : column.key === 'file' ? (
                                  <PlaceCell row={row} />
                                ) : (
                                  <Cell
                                    column={column}
                                    row={row}
                                    scale={scales[index]!}
                                    {...(index === 0 && names !== undefined ? { names } : {})}
                                  />
                                )}
                              </span>
                            </div>
                          );
                        })}
                        {hasActions ? (
                          <div
                            role="gridcell"
                            aria-colindex={columnCount}
                            class="cell actions"
                            tabIndex={tabStop(item.index, columnCount - 1)}
                            data-row={item.index}
                            data-column={columnCount - 1}
                          >
                            {row === undefined ? null : (
                              <Actions
                                actions={props.actions!(row)}
                                inMenu={inMenu}
                                tabIndex={active.row === item.index ? 0 : -1}
                              />
                            )}
                          </div>
                        ) : null}
                      </div>
                      {opened ? (
                        <div role="row" class="grid-detail-row">
                          <div role="gridcell" aria-colspan={columnCount} class="grid-detail">
                            {props.detail!(row)}
                          </div>
                        </div>
                      ) : null}
                    </div>
                  );
                })}
              </div>
            )}
          </div>
          {count === 0 && !stale ? (
            <Nothing>
              {loaded.unfilteredRows > 0
                ? 'No row matches the filter.'
                : (props.empty ?? 'No rows.')}
            </Nothing>
          ) : null}
        </div>
      )}
    </div>
  );
}
