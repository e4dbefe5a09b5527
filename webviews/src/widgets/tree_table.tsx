// A tree with figures: rows open and close, siblings sort by any column, the filter keeps matching
// rows and what leads to them.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { copyText } from '../host/host.ts';
import { announce, failureOf, trace, viewState } from '../host/store.ts';
import type { ViewName } from '../host/messages.ts';
import { copiedRow, exportRows, type ExportFormat } from '../lib/export.ts';
import { columnsGivingWay } from '../lib/columns.ts';
import {
  columnScales,
  exact,
  numberColumnPx,
  plural,
  scaled,
  visible,
  type Unit,
} from '../lib/format.ts';
import type { Column, Row } from '../lib/protocol.ts';
import { FilterBox } from './controls.tsx';
import {
  Actions,
  HiddenColumns,
  actionsInMenu,
  actionsWidthPx,
  framePx,
  menuPx,
  type RowAction,
} from './data_table.tsx';
import { ExportMenu } from './export_menu.tsx';
import { Nothing } from './notices.tsx';
import { useVirtualRows } from './virtual_rows.ts';
import { useWidth } from './width.ts';

export interface TreeItem<T> {
  id: number;
  childCount: number;
  children: T[];
}

export interface TreeColumn<T> {
  key: string;
  title: string;
  definition: string;
  unit: Unit;
  value: (node: T) => number;
}

interface Line<T> {
  node: T;
  level: number;
  position: number;
  siblings: number;
  parent: number;
}

const rowPx = 24;
const namePx = 220;
const noKeys: readonly string[] = [];
/** Ids hold for one trace. */
const nothingOpen: { trace: string; ids: number[] } = { trace: '', ids: [] };

export function TreeTable<T extends TreeItem<T>>(props: {
  name: string;
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
  /** The user went to a row. */
  onActive?: (node: T) => void;
}) {
  const sortState = viewState(props.view, `${props.stateKey}Sort`, '');
  const filterState = viewState(props.view, `${props.stateKey}Filter`, '');
  const openState = viewState(props.view, `${props.stateKey}Open`, nothingOpen);
  const path = trace.value?.path ?? '';
  const open = useMemo(
    () => new Set(openState.value.trace === path ? openState.value.ids : []),
    [openState.value, path],
  );
  const setOpen = (next: ReadonlySet<number>): void => {
    openState.value = { trace: path, ids: [...next] };
  };
  const loading = useRef(new Set<number>());
  const [extra, setExtra] = useState<ReadonlyMap<number, T[]>>(new Map());
  const [active, setActive] = useState(0);
  const takeFocus = useRef(-1);
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const allColumns = viewState(props.view, `${props.stateKey}AllColumns`, false);
  const roomPx = useWidth(table);
  const grid = useRef<HTMLDivElement>(null);
  const sort = sortState.value;
  const sortKey = sort.replace(/^-/, '');
  const descending = sort.startsWith('-');
  const filter = filterState.value.trim().toLowerCase();
  const childrenOf = (node: T): T[] => extra.get(node.id) ?? node.children;

  // The first levels open by themselves as long as they fit on a page.
  useEffect(() => {
    setExtra(new Map());
    setActive(0);
    loading.current.clear();
    if (openState.peek().trace === path) return;
    const next = new Set<number>();
    let level: readonly T[] = props.nodes;
    let count = level.length;
    while (level.length > 0) {
      const below = level.flatMap((node) => node.children);
      count += below.length;
      if (below.length === 0 || count > 24) break;
      for (const node of level) next.add(node.id);
      level = below;
    }
    setOpen(next);
  }, [props.nodes]);

  const lines = useMemo(() => {
    const column = props.columns.find((one) => one.key === sortKey);
    const ordered = (nodes: readonly T[]): readonly T[] =>
      column === undefined
        ? nodes
        : [...nodes].sort((a, b) => (descending ? -1 : 1) * (column.value(a) - column.value(b)));
    const kept = new Set<number>();
    if (filter !== '') {
      // A row stays when it matches or something below it does.
      const stack: { node: T; trail: number[] }[] = props.nodes.map((node) => ({
        node,
        trail: [],
      }));
      while (stack.length > 0) {
        const { node, trail } = stack.pop()!;
        const text = `${props.label(node)} ${props.note?.(node) ?? ''}`.toLowerCase();
        if (text.includes(filter)) for (const id of [...trail, node.id]) kept.add(id);
        for (const child of childrenOf(node))
          stack.push({ node: child, trail: [...trail, node.id] });
      }
    }
    const result: Line<T>[] = [];
    const visit: { node: T; level: number; position: number; siblings: number; parent: number }[] =
      [];
    const push = (nodes: readonly T[], level: number, parent: number): void => {
      const list = ordered(filter === '' ? nodes : nodes.filter((node) => kept.has(node.id)));
      for (let i = list.length - 1; i >= 0; i--) {
        visit.push({ node: list[i]!, level, position: i + 1, siblings: list.length, parent });
      }
    };
    push(props.nodes, 1, -1);
    while (visit.length > 0) {
      const line = visit.pop()!;
      result.push(line);
      if (filter !== '' || open.has(line.node.id)) {
        push(childrenOf(line.node), line.level + 1, result.length - 1);
      }
    }
    return result;
  }, [props.nodes, open, extra, sort, filter]);

  const rows = useVirtualRows(lines.length, body, rowPx, 40);
  const largest = useMemo(
    () =>
      props.columns.map((column) => {
        let most = 0;
        const stack = [...props.nodes];
        while (stack.length > 0) {
          const node = stack.pop()!;
          most = Math.max(most, Math.abs(column.value(node)));
          stack.push(...node.children);
        }
        return most;
      }),
    [props.nodes, props.columns],
  );
  const allScales = columnScales(
    props.columns.map(({ key, unit }, index) => ({ key, unit, largest: largest[index]! })),
  );

  const focusWanted = (): void => {
    if (takeFocus.current < 0) return;
    const row = grid.current?.querySelector<HTMLElement>(`[data-line="${takeFocus.current}"]`);
    if (row !== null && row !== undefined) {
      takeFocus.current = -1;
      row.focus({ preventScroll: true });
      row.scrollIntoView({ block: 'nearest' });
    }
  };
  useEffect(focusWanted);

  // An open row whose children were left out of the answer asks for them.
  useEffect(() => {
    const { loadChildren } = props;
    if (loadChildren === undefined) return;
    for (const { node } of lines) {
      const whole = childrenOf(node).length >= node.childCount;
      if (whole || !open.has(node.id) || loading.current.has(node.id)) continue;
      loading.current.add(node.id);
      loadChildren(node).then(
        (loaded) => setExtra((old) => new Map(old).set(node.id, loaded)),
        (error: unknown) => announce(failureOf(error).message),
      );
    }
  }, [lines]);

  const setOpened = (node: T, opened: boolean): void => {
    const next = new Set(open);
    if (opened) next.add(node.id);
    else next.delete(node.id);
    setOpen(next);
  };
  const goTo = (index: number): void => {
    setActive(index);
    const line = lines[index];
    if (line !== undefined) props.onActive?.(line.node);
  };
  const moveTo = (index: number): void => {
    const next = Math.max(0, Math.min(lines.length - 1, index));
    rows.reveal(next);
    // At once where the row is there: the next key may come before the next drawing.
    takeFocus.current = next;
    focusWanted();
    goTo(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (target.dataset.line === undefined) return;
    const at = Number(target.dataset.line);
    const line = lines[at];
    if (line === undefined) return;
    const has = line.node.childCount > 0;
    const opened = open.has(line.node.id) || filter !== '';
    switch (event.key) {
      case 'ArrowDown':
        moveTo(at + 1);
        break;
      case 'ArrowUp':
        moveTo(at - 1);
        break;
      case 'Home':
        moveTo(0);
        break;
      case 'End':
        moveTo(lines.length - 1);
        break;
      case 'PageDown':
        moveTo(at + 15);
        break;
      case 'PageUp':
        moveTo(at - 15);
        break;
      case 'ArrowRight':
        if (has && !opened) setOpened(line.node, true);
        else if (has) moveTo(at + 1);
        break;
      case 'ArrowLeft':
        if (has && open.has(line.node.id)) setOpened(line.node, false);
        else if (line.parent >= 0) moveTo(line.parent);
        break;
      case '*': {
        const next = new Set(open);
        for (const other of lines) if (other.parent === line.parent) next.add(other.node.id);
        setOpen(next);
        break;
      }
      case 'Enter':
        props.actions(line.node)[0]?.run();
        break;
      case ' ':
        if (has) setOpened(line.node, !opened);
        break;
      case 'c':
        if (!(event.ctrlKey || event.metaKey)) return;
        copyText(
          copiedRow([props.label(line.node), ...props.columns.map((c) => c.value(line.node))]),
        );
        announce('Row copied');
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const exportAll = async (format: ExportFormat): Promise<string> => {
    const all = await props.loadAll();
    const columns: Column[] = [
      { key: 'path', title: 'Path', definition: '', type: 'text', unit: '', hidden: false },
      {
        key: 'depth',
        title: 'Depth',
        definition: '',
        type: 'integer',
        unit: 'count',
        hidden: false,
      },
      ...props.columns.map((column): Column => ({
        key: column.key,
        title: column.title,
        definition: column.definition,
        type: 'number',
        unit: column.unit,
        hidden: false,
      })),
    ];
    const list: Row[] = [];
    const stack = [...all].reverse().map((node) => ({ node, path: '', depth: 0 }));
    while (stack.length > 0) {
      const { node, path, depth } = stack.pop()!;
      const here = path === '' ? props.label(node) : `${path} / ${props.label(node)}`;
      const row: Row = { path: here, depth };
      for (const column of props.columns) row[column.key] = column.value(node);
      list.push(row);
      for (let i = node.children.length - 1; i >= 0; i--) {
        stack.push({ node: node.children[i]!, path: here, depth: depth + 1 });
      }
    }
    return exportRows(columns, list, format);
  };

  const hasActions = lines.some((line) => props.actions(line.node).length > 0);
  const actionsPx = useMemo(
    () => actionsWidthPx(lines.map((line) => props.actions(line.node))),
    [lines],
  );
  const needs = props.columns.map((column, index) => ({
    key: column.key,
    px: numberColumnPx(column.title, scaled(largest[index]!, allScales[index]!)),
    stays: column.key === sortKey,
  }));
  const lesser = props.lesser ?? noKeys;
  const inMenu = hasActions && actionsInMenu(needs, lesser, actionsPx, roomPx - framePx - namePx);
  const goPx = !hasActions ? 0 : inMenu ? menuPx : actionsPx;
  const gone = columnsGivingWay(needs, lesser, roomPx - framePx - namePx - goPx);
  const columns = props.columns
    .map((column, index) => ({
      column,
      scale: allScales[index]!,
      px: needs[index]!.px,
      most: largest[index]!,
    }))
    .filter(({ column }) => allColumns.value || !gone.includes(column.key));
  const template = `minmax(${namePx}px, 3.4fr) ${columns.map(({ px }) => `minmax(${px}px, 1fr)`).join(' ')}${hasActions ? ` ${goPx}px` : ''}`;
  const minWidth = columns.reduce((sum, { px }) => sum + px, namePx + goPx);
  const setSort = (key: string): void => {
    sortState.value = sortKey !== key ? `-${key}` : descending ? key : '';
  };
  const activeInSight = rows.items.some((item) => item.index === active);
  return (
    <div ref={table} class="data-table">
      <div class="toolbar">
        <FilterBox
          label={`Filter ${props.name.toLowerCase()}`}
          value={filterState.value}
          onChange={(text) => (filterState.value = text)}
        />
        <span class="toolbar-end">
          <span class="row-count">{plural(lines.length, 'row')}</span>
          <HiddenColumns
            titles={props.columns.filter(({ key }) => gone.includes(key)).map(({ title }) => title)}
            all={allColumns}
          />
          <ExportMenu name={props.name} take={exportAll} />
        </span>
      </div>
      <div class="grid-frame" style={{ minWidth: `${minWidth + framePx}px` }}>
        <div
          ref={grid}
          role="treegrid"
          class="grid"
          aria-label={props.name}
          aria-rowcount={lines.length + 1}
          aria-colcount={columns.length + 1 + (hasActions ? 1 : 0)}
          style={{ '--columns': template }}
          onKeyDown={onKeyDown}
        >
          <div role="rowgroup" class="grid-head">
            <div role="row" aria-rowindex={1} class="grid-row head">
              <div
                role="columnheader"
                class="cell head-cell first"
                title="What ran inside a row stands below it."
              >
                <span class="head-text">Name</span>
              </div>
              {columns.map(({ column, scale }) => (
                <div
                  key={column.key}
                  role="columnheader"
                  class="cell head-cell numeric"
                  title={column.definition}
                  aria-description={column.definition}
                  aria-sort={
                    sortKey === column.key ? (descending ? 'descending' : 'ascending') : 'none'
                  }
                  data-key={column.key}
                  tabIndex={0}
                  onClick={() => setSort(column.key)}
                  onKeyDown={(event) => {
                    if (event.key !== 'Enter' && event.key !== ' ') return;
                    event.preventDefault();
                    setSort(column.key);
                  }}
                >
                  <span class="head-text">
                    {column.title}
                    {scale.suffix === '' ? null : <span class="head-unit"> {scale.suffix}</span>}
                  </span>
                  {sortKey === column.key ? (
                    <span class={`sort-mark ${descending ? 'down' : 'up'}`} aria-hidden="true" />
                  ) : null}
                </div>
              ))}
              {hasActions ? (
                <div role="columnheader" class="cell head-cell">
                  <span class="head-text">Go to</span>
                </div>
              ) : null}
            </div>
          </div>
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
                const has = node.childCount > 0;
                const opened = has && (open.has(node.id) || filter !== '');
                return (
                  <div
                    key={node.id}
                    role="row"
                    class={`grid-item grid-row ${active === item.index ? 'active' : ''}`}
                    style={{
                      transform: `translateY(${item.start - rows.topPx}px)`,
                      height: `${rowPx}px`,
                    }}
                    aria-rowindex={item.index + 2}
                    aria-level={line.level}
                    aria-posinset={line.position}
                    aria-setsize={line.siblings}
                    aria-expanded={has ? opened : undefined}
                    tabIndex={
                      active === item.index || (!activeInSight && item === rows.items[0]) ? 0 : -1
                    }
                    data-line={item.index}
                    onMouseDown={() => goTo(item.index)}
                    onDblClick={() => {
                      if (has) setOpened(node, !opened);
                    }}
                  >
                    <div
                      role="gridcell"
                      class="cell first"
                      title={visible(props.label(node))}
                      style={{ paddingLeft: `${6 + Math.min(30, line.level - 1) * 14}px` }}
                    >
                      {has ? (
                        <button
                          type="button"
                          class={`twisty ${opened ? 'open' : ''}`}
                          tabIndex={-1}
                          aria-label={opened ? 'Close row' : 'Open row'}
                          onClick={() => setOpened(node, !opened)}
                        />
                      ) : (
                        <span class="twisty-space" />
                      )}
                      <span class="cell-text">
                        {visible(props.label(node))}
                        {props.note === undefined || props.note(node) === '' ? null : (
                          <span class="cell-note"> {visible(props.note(node))}</span>
                        )}
                      </span>
                    </div>
                    {columns.map(({ column, scale, most }) => {
                      const value = column.value(node);
                      const bar = sortKey === column.key && most > 0 ? Math.abs(value) / most : 0;
                      return (
                        <div
                          key={column.key}
                          role="gridcell"
                          class={`cell numeric ${bar > 0 ? 'bar' : ''} ${value === 0 ? 'zero' : ''}`}
                          style={bar > 0 ? { '--bar': `${(bar * 100).toFixed(2)}%` } : undefined}
                          title={exact(value, column.unit)}
                          data-key={column.key}
                          data-value={value}
                        >
                          {scaled(value, scale)}
                        </div>
                      );
                    })}
                    {hasActions ? (
                      <div role="gridcell" class="cell actions">
                        <Actions
                          actions={props.actions(node)}
                          inMenu={inMenu}
                          tabIndex={active === item.index ? 0 : -1}
                        />
                      </div>
                    ) : null}
                  </div>
                );
              })}
            </div>
          )}
        </div>
        {lines.length === 0 ? <Nothing>No row matches the filter.</Nothing> : null}
      </div>
    </div>
  );
}
