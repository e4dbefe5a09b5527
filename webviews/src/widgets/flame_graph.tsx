// A flame graph on a canvas: boxes by value, one level per row. Hovering tells, clicking zooms, the
// keyboard walks the boxes. Only boxes of at least half a pixel are drawn.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fitted } from '../gl/text.ts';
import { css, hueOf, huesOn, isDark, parseColor, type Hue, type Rgb } from './hues.ts';
import { columnScale, fixed, quantity, share, type Unit } from '#shared/numbers.ts';
import { visible } from '../lib/format.ts';
import { layoutFlame, type FlameInput, type FlameNode } from '../lib/flame.ts';
import { commonTexts } from '../lib/texts.ts';
import { resolveColor, themeSerial } from './theme.ts';
import { ChartMenu } from './chart_menu.tsx';
import { useKept } from './kept.ts';
import { Levels } from './levels.tsx';
import { PlainTable } from './plain_table.tsx';
import { LinesTooltip } from './tooltip.tsx';
import { ActionButton, LinkButton } from './controls.tsx';
import { sharpContext } from './canvas_field.tsx';
import { widgetTexts } from './texts.ts';
import { useOwnWidth } from './width.ts';

const rowPx = 20;
const maxTwinRows = 500;

interface Palette {
  background: Rgb;
  hues: readonly Hue[];
  /** Readable on every hue. */
  text: string;
  dim: string;
  focus: string;
}

function palette(): Palette {
  const background = parseColor(resolveColor('var(--vscode-editor-background)'), [30, 30, 30]);
  const text = isDark(background) ? '#ffffff' : '#000000';
  return {
    background,
    hues: huesOn(background),
    text,
    dim: resolveColor(
      'color-mix(in srgb, var(--vscode-foreground) 22%, var(--vscode-editor-background))',
    ),
    focus: resolveColor('var(--vscode-focusBorder)') || text,
  };
}

const noPath: string[] = [];

/** The names from the outermost box to `node`. */
function pathOf(node: FlameNode | undefined): string[] {
  const path: string[] = [];
  for (let at = node; at !== undefined; at = at.parent) path.unshift(at.name);
  return path;
}

/** The box with these names from the outside in, -1 when the graph has none. */
function nodeOfPath(nodes: readonly FlameNode[], path: readonly string[]): number {
  let level = nodes.filter((node) => node.depth === 0);
  let found: FlameNode | undefined;
  for (const name of path) {
    found = level.find((node) => node.name === name);
    if (found === undefined) return -1;
    level = found.children;
  }
  return found?.id ?? -1;
}

export interface FlameDetails {
  label: string;
  run: () => void;
}

export function FlameGraph(props: {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  name: string;
  unit: Unit;
  roots: readonly FlameInput[];
  /** Boxes whose name holds this text stay bright. */
  search?: string;
  /** Roots at the bottom instead of at the top. */
  upward?: boolean;
  /** What the timeline calls the box, which gives it its color there; its name where that is the same. */
  identity?: (node: FlameNode) => string;
  /** Lines of the tooltip beside name, value and shares. */
  describe?: (node: FlameNode) => string[];
  /** Above a table, which comes first: only so many levels show until the others are asked for. */
  levels?: number;
  /** What stands at the start of its bar, and before the menu at the end. */
  lead?: ComponentChildren;
  tools?: ComponentChildren;
  /** What can be done with the chosen box. */
  actions?: (node: FlameNode) => FlameDetails[];
}) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useOwnWidth(root, 200);
  const [zoomed, setZoomed] = useState(-1);
  const [focused, setFocused] = useState(0);
  const [tip, setTip] = useState<{ node: FlameNode; x: number; y: number } | undefined>(undefined);
  const asTable = useKept(`${props.stateKey}AsTable`, false);
  const zoomPath = useKept(`${props.stateKey}Zoom`, noPath);
  const chosenPath = useKept(`${props.stateKey}Chosen`, noPath);
  const flame = useMemo(() => layoutFlame(props.roots), [props.roots]);
  useEffect(() => {
    const kept = nodeOfPath(flame.nodes, zoomPath.peek());
    setZoomed(kept);
    // Another selection may lack the chosen box.
    setFocused(Math.max(0, kept, nodeOfPath(flame.nodes, chosenPath.peek())));
    setTip(undefined);
  }, [flame]);
  const zoomTo = (id: number): void => {
    setZoomed(id);
    zoomPath.value = pathOf(flame.nodes[id]);
  };
  const choose = (id: number): void => {
    setFocused(id);
    chosenPath.value = pathOf(flame.nodes[id]);
  };
  const theme = themeSerial.value;
  const colors = useMemo(palette, [theme]);
  const zoomNode = flame.nodes[zoomed];
  const from = zoomNode?.start ?? 0;
  const span = Math.max(1e-12, zoomNode?.value ?? flame.total);
  const height = Math.max(1, flame.depth) * rowPx + 2;
  const lowPx = (props.levels ?? flame.depth) * rowPx + 2;
  const search = props.search?.trim().toLowerCase() ?? '';
  const rowTop = (depth: number): number =>
    props.upward === true ? height - (depth + 1) * rowPx - 1 : depth * rowPx + 1;
  const boxOf = (node: FlameNode): { x: number; w: number } => {
    // Ancestors of the zoomed box fill the whole width.
    const left = ((node.start - from) / span) * width;
    const right = ((node.start + node.value - from) / span) * width;
    const x = Math.max(0, left);
    return { x, w: Math.min(width, right) - x };
  };

  useLayoutEffect(() => {
    const element = canvas.current;
    const context = element === null ? null : sharpContext(element, width, height);
    if (context === null) return;
    for (const node of flame.nodes) {
      const { x, w } = boxOf(node);
      if (w < 0.5) continue;
      const top = rowTop(node.depth);
      const dimmed = search !== '' && !node.name.toLowerCase().includes(search);
      const name = props.identity?.(node) ?? node.name;
      context.fillStyle = dimmed ? colors.dim : css(hueOf(name, colors.hues, colors.background));
      context.fillRect(x, top, Math.max(0.5, w - 1), rowPx - 1);
      if (w > 28) {
        const room = w - 8;
        context.fillStyle = colors.text;
        // The cut goes by the mean width of a character; the limit keeps wide ones inside.
        context.fillText(fitted(context, visible(node.name), room), x + 4, top + rowPx / 2, room);
      }
    }
    const node = flame.nodes[focused];
    if (node !== undefined && document.activeElement === element) {
      const { x, w } = boxOf(node);
      context.strokeStyle = colors.focus;
      context.lineWidth = 2;
      context.strokeRect(x + 1, rowTop(node.depth) + 1, Math.max(2, w - 3), rowPx - 3);
    }
  });

  const nodeAt = (event: MouseEvent): FlameNode | undefined => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return undefined;
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const depth = Math.floor((props.upward === true ? height - 1 - y : y - 1) / rowPx);
    const value = from + (x / width) * span;
    return flame.nodes.find(
      (node) => node.depth === depth && value >= node.start && value < node.start + node.value,
    );
  };
  const lines = (node: FlameNode): string[] => {
    const caller = node.parent?.value;
    return [
      visible(node.name),
      widgetTexts.ofAll(node.value, props.unit, flame.total, caller),
      ...(props.describe?.(node) ?? []),
    ];
  };
  const current = flame.nodes[focused];
  const said = current === undefined ? undefined : lines(current).join(', ');
  const walk = (event: KeyboardEvent): void => {
    if (current === undefined) return;
    const siblings = current.parent?.children ?? flame.nodes.filter((node) => node.depth === 0);
    const at = siblings.indexOf(current);
    const inward = props.upward === true ? 'ArrowUp' : 'ArrowDown';
    const outward = props.upward === true ? 'ArrowDown' : 'ArrowUp';
    let next: FlameNode | undefined;
    switch (event.key) {
      case inward:
        next = current.children.reduce<FlameNode | undefined>(
          (best, child) => (best === undefined || child.value > best.value ? child : best),
          undefined,
        );
        break;
      case outward:
        next = current.parent;
        break;
      case 'ArrowRight':
        next = siblings[at + 1];
        break;
      case 'ArrowLeft':
        next = siblings[at - 1];
        break;
      case 'Home':
        next = flame.nodes[0];
        break;
      case 'Enter':
      case ' ':
      case 'z':
        zoomTo(zoomed === current.id ? -1 : current.id);
        break;
      case 'Escape':
      case '0':
        zoomTo(-1);
        break;
      default:
        return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (next !== undefined) choose(next.id);
  };
  const actions = current === undefined ? [] : (props.actions?.(current) ?? []);
  const scale = columnScale(props.unit, flame.total);
  const twin = useMemo(
    () =>
      asTable.value ? [...flame.nodes].sort((a, b) => b.value - a.value).slice(0, maxTwinRows) : [],
    [asTable.value, flame],
  );
  return (
    <div class="flame" ref={root}>
      <div class="flame-bar">
        {props.lead}
        <span class="flame-current" role="group" aria-label={commonTexts.selected}>
          {current === undefined ? null : (
            <>
              <strong>{visible(current.name)}</strong>{' '}
              <span>
                {quantity(current.value, props.unit)}, {share(current.value, flame.total)}
              </span>
            </>
          )}
          {actions.map((action) => (
            <LinkButton key={action.label} onClick={action.run}>
              {action.label}
            </LinkButton>
          ))}
          {zoomed < 0 ? null : (
            <ActionButton onClick={() => zoomTo(-1)}>{commonTexts.resetZoom}</ActionButton>
          )}
        </span>
        <span class="panel-actions">
          {props.tools}
          <ChartMenu name={props.name} chart={root} asTable={asTable} pngOnly />
        </span>
      </div>
      {asTable.value ? (
        <PlainTable
          stateKey={`${props.stateKey}Table`}
          label={props.name}
          columns={[
            { title: commonTexts.name },
            {
              title: scale.suffix === '' ? commonTexts.value : widgetTexts.valueIn(scale.suffix),
              numeric: true,
              definition: widgetTexts.valueHint,
            },
            {
              title: widgetTexts.sharePercent,
              numeric: true,
              definition: widgetTexts.shareOfGraphHint,
            },
            {
              title: commonTexts.depth,
              numeric: true,
              definition: widgetTexts.depthHint,
            },
          ]}
          rows={twin.map((node) => [
            visible(node.name),
            fixed(node.value / scale.divisor, scale.digits),
            flame.total > 0 ? fixed((100 * node.value) / flame.total, 2) : '',
            String(node.depth),
          ])}
        />
      ) : (
        <Levels
          stateKey={props.stateKey}
          name={props.name}
          heightPx={props.levels === undefined ? undefined : height}
          lowPx={lowPx}
          deep={current !== undefined && rowTop(current.depth) + rowPx > lowPx}
        >
          <canvas
            ref={canvas}
            class="flame-canvas"
            role="application"
            aria-roledescription={widgetTexts.flameGraph}
            aria-label={widgetTexts.flameGraphLabel(props.name, said)}
            tabIndex={0}
            style={{ width: `${width}px`, height: `${height}px` }}
            onKeyDown={walk}
            onFocus={() => setFocused(focused)}
            onPointerMove={(event) => {
              const node = nodeAt(event);
              const box = root.current!.getBoundingClientRect();
              setTip(
                node === undefined
                  ? undefined
                  : { node, x: event.clientX - box.left, y: event.clientY - box.top },
              );
            }}
            onPointerLeave={() => setTip(undefined)}
            onClick={(event) => {
              const node = nodeAt(event);
              if (node !== undefined) choose(node.id);
            }}
            onDblClick={(event) => {
              const node = nodeAt(event);
              if (node !== undefined) zoomTo(zoomed === node.id ? -1 : node.id);
            }}
          />
        </Levels>
      )}
      {tip === undefined || asTable.value ? null : (
        <LinesTooltip x={tip.x} y={tip.y} width={width} lines={lines(tip.node)} />
      )}
    </div>
  );
}
