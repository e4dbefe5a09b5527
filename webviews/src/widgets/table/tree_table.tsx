// A tree with figures: rows open and close, siblings sort by any column, the filter keeps matching
// rows and what leads to them.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ViewName } from '#shared/protocol.ts';
import { copyText, failureOf } from '../../host/host.ts';
import { viewState } from '../../host/view_state.ts';
import { announce, trace } from '../../host/store.ts';
import { copiedRow, exportRows, type ExportFormat } from '../../lib/export.ts';
import { columnScales, longestText } from '#shared/numbers.ts';
import { withSpare, withoutExcess } from '../../lib/columns.ts';
import { numberColumnPx } from '../../lib/format.ts';
import { commonTexts } from '../../lib/texts.ts';
import { FilterBox } from '../fields.tsx';
import { ExportMenu } from '../export_menu.tsx';
import { Nothing } from '../notices.tsx';
import { widgetTexts } from '../texts.ts';
import { useWidth } from '../width.ts';
import { actionsWidthPx, type RowAction } from './actions.tsx';
import { twistyPx } from './cells.tsx';
import { fitColumns, framePx } from './fit.ts';
import { useFocusOn } from './focus.ts';
import { HiddenColumns } from './hidden_columns.tsx';
import { HeadText, ariaSort, sortOf, type Sort } from './sort.tsx';
import {
  firstLevels,
  flatTable,
  largestValues,
  treeLines,
  widestName,
  type Line,
  type TreeColumn,
  type TreeItem,
} from './tree.ts';
import { onTreeKey } from './tree_keys.ts';
import { TreeRow, type ShownColumn } from './tree_row.tsx';
import { useVirtualRows } from './virtual_rows.ts';

export type { TreeColumn } from './tree.ts';

export interface TreeTableProps<T extends TreeItem<T>> {
  name: string;
  /** Heading of the column of names: what one row is. */
  named: string;
  /** What its rows are called in the middle of a sentence. */
  rows: string;
  view: ViewName;
  stateKey: string;
  nodes: readonly T[];
  label: (node: T) => string;
  note?: (node: T) => string;
  columns: readonly TreeColumn<T>[];
  actions: (node: T) => RowAction[];
  /** Children that were left out of the answer. */
  loadChildren?: (node: T) => Promise<T[]>;
  /** The whole tree, for exports. */
  loadAll: () => Promise<readonly T[]>;
  /** Keys of columns that give way first where there is little room. */
  lesser?: readonly string[];
  /** Key of the column that stays, however little room there is, unless rows are sorted by another. */
  main?: string;
  /** The user went to a row. */
  onActive?: (node: T) => void;
}

const rowPx = 24;
const headPx = 40;
const namePx = 220;
/** Ids hold for one trace. */
const nothingOpen: { trace: string; ids: number[] } = { trace: '', ids: [] };

/** Which rows are open: at first the first levels, then as the user left them. */
function useOpenNodes<T extends TreeItem<T>>(props: TreeTableProps<T>) {
  const state = viewState(props.view, `${props.stateKey}Open`, nothingOpen);
  const path = trace.value?.path ?? '';
  const open = useMemo(
    () => new Set(state.value.trace === path ? state.value.ids : []),
    [state.value, path],
  );
  const set = (ids: ReadonlySet<number>): void => {
    state.value = { trace: path, ids: [...ids] };
  };
  useEffect(() => {
    if (state.peek().trace !== path) set(firstLevels(props.nodes));
  }, [props.nodes]);
  return {
    open,
    setOpened: (nodes: readonly T[], opened: boolean): void => {
      const next = new Set(open);
      for (const { id } of nodes) {
        if (opened) next.add(id);
        else next.delete(id);
      }
      set(next);
    },
  };
}

/** Children of nodes, those included that the answer left out and an open row then asked for. */
function useChildren<T extends TreeItem<T>>(props: TreeTableProps<T>) {
  const loading = useRef(new Set<number>());
  const [extra, setExtra] = useState<ReadonlyMap<number, T[]>>(new Map());
  useEffect(() => {
    setExtra(new Map());
    loading.current.clear();
  }, [props.nodes]);
  const childrenOf = (node: T): T[] => extra.get(node.id) ?? node.children;
  return {
    extra,
    childrenOf,
    fetch: (node: T): void => {
      const whole = childrenOf(node).length >= node.childCount;
      if (props.loadChildren === undefined || whole || loading.current.has(node.id)) return;
      loading.current.add(node.id);
      props.loadChildren(node).then(
        (loaded) => setExtra((old) => new Map(old).set(node.id, loaded)),
        (error: unknown) => announce(failureOf(error).message),
      );
    },
  };
}

/** Columns with their widths, as far as there is room. */
function useColumns<T extends TreeItem<T>>(
  props: TreeTableProps<T>,
  lines: readonly Line<T>[],
  sort: Sort,
  roomPx: number,
) {
  const all = viewState(props.view, `${props.stateKey}AllColumns`, false);
  const largest = useMemo(
    () => largestValues(props.nodes, props.columns),
    [props.nodes, props.columns],
  );
  const scales = columnScales(
    props.columns.map(({ key, unit }, index) => ({ key, unit, largest: largest[index]! })),
  );
  const hasActions = lines.some((line) => props.actions(line.node).length > 0);
  const actionsPx = useMemo(
    () => actionsWidthPx(lines.map((line) => props.actions(line.node))),
    [lines],
  );
  const needs = props.columns.map(({ key, title }, index) => ({
    key,
    px: numberColumnPx(title, longestText(scales[index]!, largest[index]!)),
    stays:
      key === (props.columns.some((column) => column.key === sort.key) ? sort.key : props.main),
  }));
  const { gone, isShown, inMenu, goPx } = fitColumns({
    needs,
    lesser: props.lesser,
    roomPx: roomPx - framePx - namePx,
    actionsPx: hasActions ? actionsPx : undefined,
    all: all.value,
  });
  const columns = props.columns
    .map((column, index): ShownColumn<T> => ({
      column,
      scale: scales[index]!,
      px: needs[index]!.px,
      most: largest[index]!,
    }))
    .filter(({ column }) => isShown(column.key));
  const widths = columns.map(({ px }) => `minmax(${px}px, 1fr)`).join(' ');
  const figuresPx = columns.reduce((sum, { px }) => sum + px, goPx);
  const leastPx = all.value
    ? namePx
    : withoutExcess(namePx, Math.max(0, figuresPx + namePx - (roomPx - framePx)));
  const minWidth = figuresPx + leastPx;
  const widestPx = useMemo(
    () =>
      widestName(
        props.nodes,
        (node) => `${props.label(node)} ${props.note?.(node) ?? ''}`.trim(),
        twistyPx + 8,
      ),
    [props.nodes],
  );
  const firstPx = withSpare(leastPx, widestPx, roomPx - framePx - minWidth, roomPx);
  return {
    columns,
    hasActions,
    inMenu,
    template: `minmax(${firstPx}px, 3.4fr) ${widths}${hasActions ? ` ${goPx}px` : ''}`,
    minWidth,
    hidden: {
      titles: props.columns.filter(({ key }) => gone.includes(key)).map(({ title }) => title),
      all,
    },
  };
}

function TreeHead<T>(props: {
  named: string;
  columns: readonly ShownColumn<T>[];
  hasActions: boolean;
  sort: Sort;
  onSort: (key: string) => void;
}) {
  const { sort, onSort } = props;
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" aria-rowindex={1} class="grid-row head">
        <div
          role="columnheader"
          class="cell head-cell first"
          aria-colindex={1}
          title={widgetTexts.indentedHint}
        >
          <span class="head-text">{props.named}</span>
        </div>
        {props.columns.map(({ column, scale }, index) => (
          <div
            key={column.key}
            role="columnheader"
            class="cell head-cell numeric"
            aria-colindex={index + 2}
            title={column.definition}
            aria-description={column.definition}
            aria-sort={ariaSort(sort, column.key)}
            data-key={column.key}
            tabIndex={0}
            onClick={() => onSort(column.key)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              onSort(column.key);
            }}
          >
            <HeadText title={column.title} suffix={scale.suffix} sort={sort} of={column.key} />
          </div>
        ))}
        {props.hasActions ? (
          <div role="columnheader" class="cell head-cell" aria-colindex={props.columns.length + 2}>
            <span class="head-text">{commonTexts.goTo}</span>
          </div>
        ) : null}
      </div>
    </div>
  );
}

export function TreeTable<T extends TreeItem<T>>(props: TreeTableProps<T>) {
  const sortState = viewState(props.view, `${props.stateKey}Sort`, '');
  const filterState = viewState(props.view, `${props.stateKey}Filter`, '');
  const sort = sortOf(sortState.value);
  const filter = filterState.value.trim().toLowerCase();
  const { open, setOpened } = useOpenNodes(props);
  const { extra, childrenOf, fetch } = useChildren(props);
  const [active, setActive] = useState(0);
  useEffect(() => setActive(0), [props.nodes]);
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLDivElement>(null);
  const noteOf = (node: T): string => props.note?.(node) ?? '';

  const lines = useMemo(
    () =>
      treeLines({
        roots: props.nodes,
        childrenOf,
        isOpen: (node) => open.has(node.id),
        sort,
        columns: props.columns,
        matches:
          filter === ''
            ? undefined
            : (node) => `${props.label(node)} ${noteOf(node)}`.toLowerCase().includes(filter),
      }),
    [props.nodes, open, extra, sortState.value, filter],
  );
  useEffect(() => {
    for (const { node } of lines) if (open.has(node.id)) fetch(node);
  }, [lines]);

  const rows = useVirtualRows(lines.length, body, rowPx, headPx);
  const { columns, hasActions, inMenu, ...shown } = useColumns(props, lines, sort, useWidth(table));
  const focusOn = useFocusOn((line: number) =>
    grid.current?.querySelector<HTMLElement>(`[data-line="${line}"]`),
  );
  const goTo = (index: number): void => {
    setActive(index);
    const line = lines[index];
    if (line !== undefined) props.onActive?.(line.node);
  };
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(lines.length - 1, index));
    rows.reveal(next);
    focusOn(next);
    goTo(next);
  };
  const onKeyDown = (event: KeyboardEvent): void =>
    onTreeKey(event, {
      lines,
      isOpen: (node) => open.has(node.id),
      allOpen: filter !== '',
      moveTo,
      setOpened,
      act: (node) => props.actions(node)[0]?.run(),
      copy: (node) => {
        copyText(copiedRow([props.label(node), ...props.columns.map((c) => c.value(node))]));
        announce(widgetTexts.rowCopied);
      },
    });

  const exportAll = async (format: ExportFormat): Promise<string> => {
    const flat = flatTable(await props.loadAll(), props.label, props.columns);
    return exportRows(flat.columns, flat.rows, format);
  };
  const setSort = (key: string): void => {
    sortState.value = sort.key !== key ? `-${key}` : sort.descending ? key : '';
  };
  const activeInSight = rows.items.some((item) => item.index === active);
  return (
    <div ref={table} class="data-table">
      <div class="toolbar">
        <FilterBox
          label={widgetTexts.filter(props.rows)}
          value={filterState.value}
          onChange={(text) => (filterState.value = text)}
        />
        <span class="toolbar-end">
          <span class="row-count" role="status">
            {widgetTexts.rowCount(lines.length)}
          </span>
          <HiddenColumns {...shown.hidden} />
          <ExportMenu name={props.name} take={exportAll} />
        </span>
      </div>
      <div class="grid-frame" style={{ minWidth: `${shown.minWidth + framePx}px` }}>
        <div
          ref={grid}
          role="treegrid"
          class="grid"
          aria-label={props.name}
          aria-rowcount={lines.length + 1}
          aria-colcount={columns.length + 1 + (hasActions ? 1 : 0)}
          style={{ '--columns': shown.template }}
          onKeyDown={onKeyDown}
        >
          <TreeHead
            named={props.named}
            columns={columns}
            hasActions={hasActions}
            sort={sort}
            onSort={setSort}
          />
          {lines.length === 0 ? null : (
            <div
              ref={body}
              role="rowgroup"
              class="grid-body"
              style={{ height: `${rows.totalPx}px` }}
            >
              {rows.items.map((item) => {
                const line = lines[item.index];
                if (line === undefined) return null;
                const { node } = line;
                const stop = activeInSight ? active === item.index : item === rows.items[0];
                return (
                  <TreeRow
                    key={node.id}
                    line={line}
                    index={item.index}
                    y={item.start - rows.topPx}
                    height={rowPx}
                    label={props.label(node)}
                    note={noteOf(node)}
                    columns={columns}
                    sort={sort}
                    opened={node.childCount > 0 && (open.has(node.id) || filter !== '')}
                    active={active === item.index}
                    tabIndex={stop ? 0 : -1}
                    actions={hasActions ? props.actions(node) : undefined}
                    actionsInMenu={inMenu}
                    setOpened={(opened) => setOpened([node], opened)}
                    onActive={() => goTo(item.index)}
                  />
                );
              })}
            </div>
          )}
        </div>
        {lines.length === 0 ? <Nothing>{widgetTexts.noMatchingRows}</Nothing> : null}
      </div>
    </div>
  );
}
