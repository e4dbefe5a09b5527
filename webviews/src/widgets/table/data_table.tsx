// The one table of the product. It shows the rows in sight and asks the daemon for pages, order and
// filter; it holds none of the analysis.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageView } from '#shared/messages.ts';
import type { Column, Row, Table } from '#shared/protocol.ts';
import type { PageParams } from '#shared/requests.ts';
import { useActiveFilter } from '../../host/filters.ts';
import { ask } from '../../host/query.ts';
import { viewState } from '../../host/view_state.ts';
import {
  mostNamesPx,
  namesPx,
  namesWidth,
  narrowNamesPx,
  withSpare,
  withoutExcess,
} from '../../lib/columns.ts';
import { numberColumnPx } from '../../lib/format.ts';
import { exportRows, type ExportFormat } from '../../lib/export.ts';
import { FilterBox } from '../fields.tsx';
import { ExportMenu } from '../export_menu.tsx';
import { Absences, Failure, Nothing, Waiting } from '../notices.tsx';
import { widthIn } from '../name.tsx';
import { widgetTexts } from '../texts.ts';
import { useWidth } from '../width.ts';
import { actionsWidthPx, type RowAction } from './actions.tsx';
import { numeric, twistyPx } from './cells.tsx';
import {
  besides,
  functionPx,
  gridTemplate,
  minimumWidth,
  places,
  useMeasures,
  usePresentColumns,
} from './columns.ts';
import { fitColumns, framePx } from './fit.ts';
import { useFocusOn } from './focus.ts';
import { Head } from './head.tsx';
import { HiddenColumns } from './hidden_columns.tsx';
import { onGridKey } from './keys.ts';
import { pageSize, usePages, type Asked, type Loaded, type TableMethod } from './pages.ts';
import { BodyRow, type CellRenderer, type Place, type RowLook } from './row.tsx';
import { sortOf } from './sort.tsx';
import { scrollerOf, topInView, useVirtualRows } from './virtual_rows.ts';

export interface DataTableProps<M extends TableMethod> extends Asked<M> {
  /** Names the table for screen readers and files. */
  name: string;
  /** What its rows are called in the middle of a sentence. */
  rows: string;
  view: PageView;
  /** Tells apart the tables of one view in its saved state. */
  stateKey: string;
  /** Absent: the answer tells by `defaultSort`. */
  defaultSort?: string;
  actions?: (row: Row) => RowAction[];
  /** What a row shows when it is opened. */
  detail?: (row: Row) => ComponentChildren;
  canOpen?: (row: Row) => boolean;
  rowKey?: (row: Row) => string;
  renderCell?: Record<string, CellRenderer>;
  /** What the first column shows of a row, where that is not its value. */
  shownName?: (row: Row) => string;
  /** By column, why a cell has no value; it shows on hover. */
  unknownReasons?: Readonly<Record<string, string>>;
  toolbar?: ComponentChildren;
  /** Keys of columns with names of functions: shown short, no two alike, whole on hover and in copies. */
  nameColumns?: readonly string[];
  /** Names take a fifth of the room before figures, which say what the table is for, give way to them. */
  narrowNames?: boolean;
  /** Keys of columns that give way first where there is little room. */
  lesser?: readonly string[];
  /** Keys of lesser columns that do not give way to names, though these are cut. */
  figures?: readonly string[];
  /** Share of the spare width that the first column takes; the columns of numbers take 1 each. */
  firstShare?: number;
  empty?: string;
}

const rowPx = 24;
const headPx = 40;
const noWidths: Record<string, number> = {};
const noRows: string[] = [];
const atHead: Place = { row: -1, column: 0 };

const countText = ({ totalRows, unfilteredRows }: Loaded): string =>
  totalRows === unfilteredRows
    ? widgetTexts.rowCount(totalRows)
    : widgetTexts.rowsOf(totalRows, unfilteredRows);

/** The order that the user chose, else the one that the answer names. */
function useSort<M extends TableMethod>(props: DataTableProps<M>) {
  const chosen = viewState(props.view, `${props.stateKey}Sort`, props.defaultSort ?? '');
  return {
    chosen: chosen.value,
    /** Another grouping may not have the column by which the rows were sorted. */
    forget: () => (chosen.value = props.defaultSort ?? ''),
    by: (column: Column, now: string): void => {
      const { key, descending } = sortOf(now);
      const down = key === column.key ? !descending : numeric(column);
      chosen.value = down ? `-${column.key}` : column.key;
    },
  };
}

/** Which rows are open; kept with the view. */
function useOpenRows<M extends TableMethod>(props: DataTableProps<M>) {
  const state = viewState(props.view, `${props.stateKey}Open`, noRows);
  const open = useMemo(() => new Set(state.value), [state.value]);
  const keyOf = (row: Row, index: number): string => props.rowKey?.(row) ?? String(index);
  const canOpen = (row: Row): boolean =>
    props.detail !== undefined && (props.canOpen === undefined || props.canOpen(row));
  return {
    canOpen,
    isOpen: (row: Row, index: number): boolean => open.has(keyOf(row, index)) && canOpen(row),
    toggle: (row: Row, index: number): void => {
      const key = keyOf(row, index);
      const next = new Set(open);
      if (!next.delete(key)) next.add(key);
      state.value = [...next];
    },
  };
}

/** Pixels of names with what stands beside them. */
function widthsOf(names: readonly string[], besidesPx: number): number[] {
  const widthOf = widthIn(document.body);
  return names.map((name) => Math.ceil(widthOf(name)) + besidesPx);
}

/** Columns with their widths, as far as there is room. */
function useColumns<M extends TableMethod>(
  props: DataTableProps<M>,
  loaded: Loaded | undefined,
  sortKey: string,
  roomPx: number,
) {
  const widths = viewState(props.view, `${props.stateKey}Widths`, noWidths);
  const all = viewState(props.view, `${props.stateKey}AllColumns`, false);
  const present = usePresentColumns(loaded, sortKey);
  const measures = useMeasures(loaded, present, props.nameColumns ?? [], props.shownName);
  const actionsPx = useMemo(
    () =>
      actionsWidthPx(
        [...(loaded?.pages.values() ?? [])]
          .flatMap((page) => page.slice(0, 50))
          .map((row) => props.actions?.(row) ?? []),
      ),
    [loaded?.key],
  );
  const letters = measures.longestName ?? measures.largest[present[0]?.key ?? ''] ?? 0;
  const besidesPx = props.detail === undefined ? undefined : 24 + twistyPx;
  const wantedPx = namesPx(letters, besidesPx);
  const ownPx = namesPx(measures.longestName ?? measures.longestOwn, besidesPx);
  const namePx = Math.max(
    measures.longestName === undefined ? 0 : functionPx,
    numberColumnPx(present[0]?.title ?? '', ''),
    namesWidth(
      props.narrowNames === true ? narrowNamesPx(wantedPx, roomPx) : ownPx,
      roomPx,
      present.slice(1).some(({ key }) => besides.has(key)),
    ),
  );
  const wholePx = useMemo(
    () => widthsOf(measures.wholeNames, namesPx(0, besidesPx)),
    [measures.wholeNames, besidesPx],
  );
  // Names that cannot be whole drive nothing away.
  const mostPx = mostNamesPx(roomPx, measures.longestName !== undefined);
  const wholeNamesPx = wholePx.reduce((most, px) => (px <= mostPx ? Math.max(most, px) : most), 0);
  const needs = present.map((column, index) => ({
    key: column.key,
    px:
      widths.value[column.key] ??
      minimumWidth(
        column,
        measures.scales[index]!,
        measures.largest[column.key] ?? 0,
        index === 0 && !numeric(column) ? namePx : undefined,
        props.renderCell?.[column.key] !== undefined,
        roomPx,
      ),
    stays: index === 0 || column.key === sortKey || widths.value[column.key] !== undefined,
  }));
  // It stays, however little room there is.
  const [first] = present;
  const isFitted = first !== undefined && !numeric(first) && widths.value[first.key] === undefined;
  const namesAreFitted =
    isFitted &&
    !places.has(first.key) &&
    // A path that its cell shortens keeps its last name.
    props.renderCell?.[first.key] === undefined;
  const fit = fitColumns({
    needs,
    lesser: props.lesser,
    roomPx: roomPx - framePx,
    actionsPx: props.actions === undefined ? undefined : actionsPx,
    all: all.value,
    figures: props.figures,
    ...(namesAreFitted ? { wholeNamesPx } : {}),
  });
  const columns = present.filter(({ key }) => fit.isShown(key));
  const least = needs.filter(({ key }) => fit.isShown(key)).map(({ px }) => px);
  const allWidths = (): number => least.reduce((sum, px) => sum + px, fit.goPx);
  const sparePx = roomPx - framePx - allWidths();
  const hasRoom = isFitted && roomPx > 0;
  if (hasRoom && sparePx < 0 && !all.value) least[0] = withoutExcess(least[0]!, -sparePx);
  const minWidth = allWidths();
  if (hasRoom && sparePx > 0) {
    const wholeMorePx = Math.min(sparePx, Math.max(0, wholeNamesPx - least[0]!));
    least[0] = withSpare(least[0]! + wholeMorePx, wantedPx, sparePx - wholeMorePx, roomPx);
  }
  const actions = props.actions === undefined ? '' : ` ${fit.goPx}px`;
  return {
    present,
    columns,
    ...measures,
    scales: measures.scales.filter((_, index) => fit.isShown(present[index]!.key)),
    columnCount: columns.length + (props.actions === undefined ? 0 : 1),
    inMenu: fit.inMenu,
    template: `${gridTemplate(columns, widths.value, least, props.firstShare ?? 5, measures.largest)}${actions}`,
    minWidth,
    setWidth: (column: Column, px: number): void => {
      widths.value = { ...widths.value, [column.key]: Math.round(Math.max(48, px)) };
    },
    hidden: {
      titles: present.filter(({ key }) => fit.gone.includes(key)).map(({ title }) => title),
      all,
    },
  };
}

export function DataTable<M extends TableMethod>(props: DataTableProps<M>) {
  const filterState = viewState(props.view, `${props.stateKey}Filter`, '');
  const filter = filterState.value;
  useActiveFilter(`${props.view} ${props.stateKey}`, filter.trim(), () => (filterState.value = ''));
  const sorting = useSort(props);
  const pages = usePages(props, sorting.chosen, filter);
  const { loaded, error, stale } = pages;
  const sortText = sorting.chosen === '' ? (loaded?.defaultSort ?? '') : sorting.chosen;
  const sort = sortOf(sortText);
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(atHead);
  const { isOpen, canOpen, toggle } = useOpenRows(props);
  const shown = useColumns(props, loaded, sort.key, useWidth(table));
  const { columns, columnCount } = shown;
  const count = loaded?.totalRows ?? 0;
  const rows = useVirtualRows(count, body, rowPx, headPx);
  const first = rows.items[0]?.index ?? 0;
  const last = rows.items[rows.items.length - 1]?.index ?? 0;
  useEffect(() => pages.need(first, last));

  useEffect(() => {
    if (error?.kind === 'invalidArgument') sorting.forget();
  }, [error]);

  // Another order or filter starts at the top of the table.
  const order = `${sorting.chosen}\n${filter}\n${props.alsoFilter ?? ''}`;
  const ordered = useRef(order);
  useEffect(() => {
    if (ordered.current === order) return;
    ordered.current = order;
    const frame = grid.current;
    const scroller = scrollerOf(frame);
    if (frame !== null && scroller !== null) {
      scroller.scrollTop = Math.min(scroller.scrollTop, topInView(frame));
    }
    setActive(atHead);
  }, [order]);

  const rowAt = (index: number): Row | undefined =>
    loaded?.pages.get(Math.floor(index / pageSize))?.[index % pageSize];
  const focusOn = useFocusOn(({ row, column }: Place) =>
    grid.current?.querySelector<HTMLElement>(`[data-row="${row}"][data-column="${column}"]`),
  );
  const sortBy = (column: Column): void => sorting.by(column, sortText);
  const moveTo = (place: Place): void => {
    const next = {
      row: Math.max(-1, Math.min(count - 1, place.row)),
      column: Math.max(0, Math.min(columnCount - 1, place.column)),
    };
    if (next.row >= 0) rows.reveal(next.row);
    focusOn(next);
    setActive(next);
  };
  const onKeyDown = (event: KeyboardEvent): void =>
    onGridKey(event, {
      columns,
      columnCount,
      rowCount: count,
      pageRows: () =>
        Math.max(1, Math.floor((scrollerOf(grid.current)?.clientHeight ?? 300) / rowPx) - 2),
      rowAt,
      moveTo,
      sortBy,
      setWidth: shown.setWidth,
      canOpen,
      toggle,
      act: (row, cell) => {
        if (shown.inMenu) cell.querySelector<HTMLElement>('[aria-haspopup]')?.click();
        else props.actions?.(row)[0]?.run();
      },
      // The line too, which the cell of the file shows.
      copied: (loaded?.columns ?? []).filter((column) => !column.hidden),
    });

  const takeAll = async (format: ExportFormat): Promise<string> => {
    // A reply ends early where rows are large.
    const all: Row[] = [];
    for (;;) {
      const params = { ...pages.params, offset: all.length, limit: -1 };
      const part: Table = await ask(props.method, params as PageParams<M>);
      for (const row of part.rows) all.push(row);
      if (part.rows.length === 0 || all.length >= part.totalRows) {
        return exportRows(part.columns, all, format);
      }
    }
  };

  const look: RowLook = {
    columns,
    scales: shown.scales,
    sort,
    largest: shown.largest,
    names: shown.names,
    renderCell: props.renderCell,
    unknownReasons: props.unknownReasons,
    actions: props.actions,
    actionsInMenu: shown.inMenu,
    detail: props.detail,
    canOpen,
    toggle,
    active,
    onActive: setActive,
  };
  const activeInSight = active.row < 0 || rows.items.some((item) => item.index === active.row);
  const keys = shown.present.map((column) => column.key).join(', ');

  if (loaded?.unfilteredRows === 0 && filter === '' && !stale && loaded.absences.length > 0) {
    const absences = <Absences title={widgetTexts.noneOf(props.rows)} absences={loaded.absences} />;
    // With its toolbar, another table can be chosen.
    return props.toolbar === undefined || props.toolbar === null ? (
      absences
    ) : (
      <div class="data-table">
        <div class="toolbar">{props.toolbar}</div>
        {absences}
      </div>
    );
  }
  return (
    <div ref={table} class="data-table">
      <div class="toolbar">
        <FilterBox
          label={widgetTexts.filter(props.rows)}
          title={widgetTexts.filterHint(keys)}
          value={filter}
          onChange={(text) => (filterState.value = text)}
        />
        {props.toolbar}
        <span class="toolbar-end">
          <span class="row-count" role="status">
            {loaded === undefined ? '' : countText(loaded)}
          </span>
          <HiddenColumns {...shown.hidden} />
          <ExportMenu name={props.name} take={takeAll} />
        </span>
      </div>
      {error !== undefined ? <Failure error={error} retry={pages.retry} /> : null}
      {loaded === undefined ? (
        error === undefined ? (
          <Waiting what={widgetTexts.reading(props.rows)} />
        ) : null
      ) : (
        <div
          class={`grid-frame ${stale ? 'stale' : ''}`}
          style={{ minWidth: `${shown.minWidth + framePx}px` }}
        >
          <div
            ref={grid}
            role={props.detail === undefined ? 'grid' : 'treegrid'}
            class="grid"
            aria-label={props.name}
            aria-rowcount={count + 1}
            aria-colcount={columnCount}
            aria-busy={stale}
            style={{ '--columns': shown.template }}
            onKeyDown={onKeyDown}
          >
            <Head
              columns={columns}
              scales={shown.scales}
              sort={sort}
              columnCount={columnCount}
              tabStop={(column) => {
                // Where the active row has scrolled out of sight, Tab still finds the table.
                const at = activeInSight ? active : atHead;
                return at.row === -1 && at.column === column ? 0 : -1;
              }}
              onPick={(column, index) => {
                setActive({ row: -1, column: index });
                sortBy(column);
              }}
              setWidth={shown.setWidth}
            />
            {count === 0 ? null : (
              <div
                ref={body}
                role="rowgroup"
                class="grid-body"
                style={{ height: `${rows.totalPx}px` }}
              >
                {rows.items.map(({ index, start }) => {
                  const row = rowAt(index);
                  return (
                    <div
                      key={index}
                      ref={rows.measure}
                      data-index={index}
                      class="grid-item"
                      role="presentation"
                      style={{ transform: `translateY(${start - rows.topPx}px)` }}
                    >
                      <BodyRow
                        look={look}
                        index={index}
                        row={row}
                        opened={row !== undefined && isOpen(row, index)}
                      />
                    </div>
                  );
                })}
              </div>
            )}
          </div>
          {count === 0 && !stale ? (
            <Nothing>
              {loaded.unfilteredRows > 0
                ? widgetTexts.noMatchingRows
                : (props.empty ?? widgetTexts.noRows)}
            </Nothing>
          ) : null}
        </div>
      )}
    </div>
  );
}
