// What a tree table is made of. Pure.
import type { Row } from '#shared/protocol.ts';
import type { Unit } from '#shared/numbers.ts';
import { namesPx } from '../../lib/columns.ts';
import type { ExportColumn } from '../../lib/export.ts';
import { commonTexts } from '../../lib/texts.ts';
import type { Sort } from './sort.tsx';

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

/** A row of the table: a node where it stands. */
export interface Line<T> {
  node: T;
  level: number;
  position: number;
  siblings: number;
  /** Index of the line of the parent; -1 at the root. */
  parent: number;
}

/** Ids of the nodes that match, and of what leads to them. */
function keptIds<T extends TreeItem<T>>(
  roots: readonly T[],
  childrenOf: (node: T) => readonly T[],
  matches: (node: T) => boolean,
): Set<number> {
  const kept = new Set<number>();
  const stack: { node: T; trail: number[] }[] = roots.map((node) => ({ node, trail: [] }));
  while (stack.length > 0) {
    const { node, trail } = stack.pop()!;
    const here = [...trail, node.id];
    if (matches(node)) for (const id of here) kept.add(id);
    for (const child of childrenOf(node)) stack.push({ node: child, trail: here });
  }
  return kept;
}

/** The rows in their order; with `matches` those that match and what leads to them, all opened. */
export function treeLines<T extends TreeItem<T>>(options: {
  roots: readonly T[];
  childrenOf: (node: T) => readonly T[];
  isOpen: (node: T) => boolean;
  sort: Sort;
  columns: readonly TreeColumn<T>[];
  matches: ((node: T) => boolean) | undefined;
}): Line<T>[] {
  const { roots, childrenOf, isOpen, sort, matches } = options;
  const column = options.columns.find((one) => one.key === sort.key);
  const sign = sort.descending ? -1 : 1;
  const ordered = (nodes: readonly T[]): readonly T[] =>
    column === undefined
      ? nodes
      : [...nodes].sort((a, b) => sign * (column.value(a) - column.value(b)));
  const kept = matches === undefined ? undefined : keptIds(roots, childrenOf, matches);
  const result: Line<T>[] = [];
  const visit: Line<T>[] = [];
  const push = (nodes: readonly T[], level: number, parent: number): void => {
    const list = ordered(kept === undefined ? nodes : nodes.filter(({ id }) => kept.has(id)));
    for (let i = list.length - 1; i >= 0; i--) {
      visit.push({ node: list[i]!, level, position: i + 1, siblings: list.length, parent });
    }
  };
  push(roots, 1, -1);
  while (visit.length > 0) {
    const line = visit.pop()!;
    result.push(line);
    if (kept !== undefined || isOpen(line.node)) {
      push(childrenOf(line.node), line.level + 1, result.length - 1);
    }
  }
  return result;
}

/** The largest value of each column in the whole tree. */
export function largestValues<T extends TreeItem<T>>(
  roots: readonly T[],
  columns: readonly TreeColumn<T>[],
): number[] {
  const largest = columns.map(() => 0);
  const stack = [...roots];
  while (stack.length > 0) {
    const node = stack.pop()!;
    columns.forEach((column, i) => {
      largest[i] = Math.max(largest[i]!, Math.abs(column.value(node)));
    });
    stack.push(...node.children);
  }
  return largest;
}

/** Pixels that a row's name is moved in at its level. */
export const indentPx = (level: number): number => 6 + Math.min(30, level - 1) * 14;

/** Pixels that the widest name takes where it stands, `besidesPx` beside its letters. */
export function widestName<T extends TreeItem<T>>(
  roots: readonly T[],
  nameOf: (node: T) => string,
  besidesPx: number,
): number {
  let widest = 0;
  const stack = roots.map((node) => ({ node, level: 1 }));
  while (stack.length > 0) {
    const { node, level } = stack.pop()!;
    widest = Math.max(widest, namesPx(nameOf(node).length, indentPx(level) + besidesPx));
    for (const child of node.children) stack.push({ node: child, level: level + 1 });
  }
  return widest;
}

/** The first levels, as long as they fit on a page: they open by themselves. */
export function firstLevels<T extends TreeItem<T>>(roots: readonly T[]): Set<number> {
  const open = new Set<number>();
  let level = roots;
  let count = level.length;
  while (level.length > 0) {
    const below = level.flatMap((node) => node.children);
    count += below.length;
    // A lone root is no table: what is inside it shows, however much that is.
    if (below.length === 0 || (count > 24 && level.length > 1)) break;
    for (const node of level) open.add(node.id);
    level = below;
  }
  return open;
}

/** The tree as a flat table, each row with the path that leads to it. */
export function flatTable<T extends TreeItem<T>>(
  roots: readonly T[],
  label: (node: T) => string,
  shown: readonly TreeColumn<T>[],
): { columns: ExportColumn[]; rows: Row[] } {
  const columns: ExportColumn[] = [
    { key: 'path', title: commonTexts.path, type: 'text', unit: '' },
    { key: 'depth', title: commonTexts.depth, type: 'integer', unit: 'count' },
    ...shown.map(({ key, title, unit }) => ({ key, title, unit, type: 'number' as const })),
  ];
  const rows: Row[] = [];
  const stack = [...roots].reverse().map((node) => ({ node, path: '', depth: 0 }));
  while (stack.length > 0) {
    const { node, path, depth } = stack.pop()!;
    const here = path === '' ? label(node) : `${path} / ${label(node)}`;
    const row: Row = { path: here, depth };
    for (const column of shown) row[column.key] = column.value(node);
    rows.push(row);
    for (let i = node.children.length - 1; i >= 0; i--) {
      stack.push({ node: node.children[i]!, path: here, depth: depth + 1 });
    }
  }
  return { columns, rows };
}
