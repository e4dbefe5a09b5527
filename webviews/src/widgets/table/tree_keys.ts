// The keyboard in a tree table, as in other trees: up and down walk, right and left open and close.
import type { Line, TreeItem } from './tree.ts';

export interface TreeKeys<T> {
  lines: readonly Line<T>[];
  isOpen: (node: T) => boolean;
  /** A filter shows all rows opened. */
  allOpen: boolean;
  moveTo: (index: number) => void;
  setOpened: (nodes: readonly T[], opened: boolean) => void;
  act: (node: T) => void;
  copy: (node: T) => void;
}

const pageRows = 15;

/** True where the key was one of the tree's. */
function handled<T extends TreeItem<T>>(
  event: KeyboardEvent,
  at: number,
  tree: TreeKeys<T>,
): boolean {
  const { lines, moveTo, setOpened } = tree;
  const line = lines[at]!;
  const { node } = line;
  const has = node.childCount > 0;
  const opened = tree.isOpen(node) || tree.allOpen;
  switch (event.key) {
    case 'ArrowDown':
      moveTo(at + 1);
      return true;
    case 'ArrowUp':
      moveTo(at - 1);
      return true;
    case 'Home':
      moveTo(0);
      return true;
    case 'End':
      moveTo(lines.length - 1);
      return true;
    case 'PageDown':
      moveTo(at + pageRows);
      return true;
    case 'PageUp':
      moveTo(at - pageRows);
      return true;
    case 'ArrowRight':
      if (has && !opened) setOpened([node], true);
      else if (has) moveTo(at + 1);
      return true;
    case 'ArrowLeft':
      if (has && tree.isOpen(node)) setOpened([node], false);
      else if (line.parent >= 0) moveTo(line.parent);
      return true;
    case '*': {
      const siblings = lines.filter((other) => other.parent === line.parent);
      setOpened(
        siblings.map((other) => other.node),
        true,
      );
      return true;
    }
    case 'Enter':
      tree.act(node);
      return true;
    case ' ':
      if (has) setOpened([node], !opened);
      return true;
    case 'c':
      if (!(event.ctrlKey || event.metaKey)) return false;
      tree.copy(node);
      return true;
    default:
      return false;
  }
}

export function onTreeKey<T extends TreeItem<T>>(event: KeyboardEvent, tree: TreeKeys<T>): void {
  const { line } = (event.target as HTMLElement).dataset;
  const at = Number(line ?? -1);
  if (tree.lines[at] === undefined || !handled(event, at, tree)) return;
  event.preventDefault();
  event.stopPropagation();
}
