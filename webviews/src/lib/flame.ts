// Layout of flame graphs. Pure. A node's width is its value; the children are drawn beside each
// other from the node's left edge.

export interface FlameNode {
  id: number;
  name: string;
  value: number;
  depth: number;
  /** Left edge in the units of `value`. */
  start: number;
  parent: FlameNode | undefined;
  children: FlameNode[];
  /** The view's own data. */
  data: unknown;
}

export interface FlameInput {
  name: string;
  value: number;
  data?: unknown;
  children: readonly FlameInput[];
}

/**
 * Places a forest. `nodes` is in order of depth-first visits and `depth` the number of levels. Deep
 * input is walked with a stack of our own. A parent smaller than its children (they ran at the same
 * time) is widened to hold them, so that nothing is drawn over something else.
 */
export function layoutFlame(roots: readonly FlameInput[]): {
  nodes: FlameNode[];
  total: number;
  depth: number;
} {
  const nodes: FlameNode[] = [];
  const widths = new Map<FlameInput, number>();
  const order: FlameInput[] = [];
  const stack: FlameInput[] = [...roots];
  while (stack.length > 0) {
    const input = stack.pop()!;
    order.push(input);
    for (const child of input.children) stack.push(child);
  }
  for (let i = order.length - 1; i >= 0; i--) {
    const input = order[i]!;
    let sum = 0;
    for (const child of input.children) sum += widths.get(child)!;
    widths.set(input, Math.max(0, input.value, sum));
  }
  let depth = 0;
  const todo: { input: FlameInput; parent: FlameNode | undefined; start: number }[] = [];
  let start = 0;
  for (const root of roots) {
    todo.push({ input: root, parent: undefined, start });
    start += widths.get(root)!;
  }
  todo.reverse();
  while (todo.length > 0) {
    const { input, parent, start: left } = todo.pop()!;
    const value = widths.get(input)!;
    const node: FlameNode = {
      id: nodes.length,
      name: input.name,
      value,
      depth: parent === undefined ? 0 : parent.depth + 1,
      start: left,
      parent,
      children: [],
      data: input.data,
    };
    nodes.push(node);
    parent?.children.push(node);
    depth = Math.max(depth, node.depth + 1);
    const items: typeof todo = [];
    let at = left;
    for (const child of input.children) {
      items.push({ input: child, parent: node, start: at });
      at += widths.get(child)!;
    }
    for (let i = items.length - 1; i >= 0; i--) todo.push(items[i]!);
  }
  return { nodes, total: start, depth };
}
