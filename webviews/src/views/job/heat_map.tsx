// A figure by row and column as a field of colors: the more, the stronger. It is low, because a table
// stands below it; where its rows are too low to be told apart, its edge makes them higher.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { exact, quantity, type Unit } from '#shared/numbers.ts';
import { commonTexts } from '../../lib/texts.ts';
import { CanvasField, sharpContext } from '../../widgets/canvas_field.tsx';
import { useKept } from '../../widgets/kept.ts';
import { MoreEdge } from '../../widgets/levels.tsx';
import { roundStep } from '../../widgets/stacked_bars.tsx';
import { resolveColor, themeSerial } from '../../widgets/theme.ts';
import { LinesTooltip } from '../../widgets/tooltip.tsx';
import { useOwnWidth } from '../../widgets/width.ts';
import { letterPx, stripPx } from './strip.ts';
import { detailTexts } from './details/texts.ts';
import { jobTexts } from './texts.ts';

const shades = 24;
const margin = { top: 4, right: 8, bottom: 34 };
/** A cell is never larger. */
const mostCell = { width: 120, height: 36 };
/** Height of the rows together: at first, and after a click on the lower edge. */
const rowsPx = { low: stripPx - margin.top - margin.bottom, high: 340 };
/** Rows as high as their names need no more room. */
const readablePx = 13;

export interface HeatMapProps {
  /** Keeps apart what is kept of several in one view. */
  stateKey: string;
  label: string;
  xTitle: string;
  yTitle: string;
  columns: readonly string[];
  lines: readonly string[];
  cells: readonly (readonly (number | undefined)[])[];
  least: number;
  most: number;
  unit: Unit;
  color: string;
  /** Of a cell, in words. */
  describe: (line: number, column: number) => string[];
  onPick?: (line: number, column: number) => void;
}

interface Cell {
  line: number;
  column: number;
}

function sizes(props: HeatMapProps, width: number, high: boolean) {
  const longest = props.lines.reduce((most, name) => Math.max(most, name.length), 1);
  const left = 30 + longest * 7;
  const cellWidth = Math.max(
    1,
    Math.min(mostCell.width, (width - left - margin.right) / Math.max(1, props.columns.length)),
  );
  const room = high ? rowsPx.high : rowsPx.low;
  const even = Math.min(mostCell.height, room / Math.max(1, props.lines.length));
  const cellHeight = even >= 3 ? Math.floor(even) : even;
  const height = margin.top + cellHeight * props.lines.length + margin.bottom;
  return { left, cellWidth, cellHeight, height };
}

function draw(
  canvas: HTMLCanvasElement,
  props: HeatMapProps,
  width: number,
  { left, cellWidth, cellHeight, height }: ReturnType<typeof sizes>,
): void {
  const context = sharpContext(canvas, width, height);
  if (context === null) return;
  const surface = 'var(--vscode-editor-background)';
  const colors = Array.from({ length: shades }, (_, index) =>
    resolveColor(
      `color-mix(in srgb, ${props.color} ${16 + (84 * index) / (shades - 1)}%, ${surface})`,
    ),
  );
  const text = resolveColor('var(--vscode-descriptionForeground, var(--vscode-foreground))');
  const title = resolveColor('var(--vscode-foreground)');
  const span = props.most - props.least;
  const gap = cellWidth > 5 && cellHeight > 5 ? 1 : 0;
  props.cells.forEach((line, row) =>
    line.forEach((value, column) => {
      if (value === undefined) return;
      const part = span > 0 ? (value - props.least) / span : 0.5;
      context.fillStyle = colors[Math.round(part * (shades - 1))]!;
      // On whole pixels: else cells of a pixel or two shimmer.
      const x = Math.round(left + column * cellWidth);
      const y = Math.round(margin.top + row * cellHeight);
      const right = Math.round(left + (column + 1) * cellWidth);
      const bottom = Math.round(margin.top + (row + 1) * cellHeight);
      context.fillRect(x, y, right - x - gap, bottom - y - gap);
    }),
  );
  context.fillStyle = text;
  context.textAlign = 'right';
  const everyLine = roundStep(13 / cellHeight);
  props.lines.forEach((name, row) => {
    if (row % everyLine !== 0) return;
    // That of a low first row is not cut.
    const y = Math.max(letterPx, margin.top + (row + 0.5) * cellHeight);
    context.fillText(name, left - 6, y);
  });
  context.textAlign = 'center';
  const below = height - margin.bottom;
  const widest = props.columns.reduce((most, name) => Math.max(most, name.length), 1);
  const everyColumn = roundStep((widest * 7 + 10) / cellWidth);
  props.columns.forEach((name, column) => {
    if (column % everyColumn !== 0) return;
    const x = left + (column + 0.5) * cellWidth;
    // The last one may have no room.
    if (x + context.measureText(name).width / 2 <= width) context.fillText(name, x, below + 10);
  });
  context.fillStyle = title;
  // The scale stands behind it.
  context.textAlign = 'left';
  context.fillText(props.xTitle, left, height - 8);
  context.textAlign = 'center';
  context.save();
  context.translate(10, margin.top + (cellHeight * props.lines.length) / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(props.yTitle, 0, 0);
  context.restore();
}

export function HeatMap(props: HeatMapProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useOwnWidth(frame, 240);
  const [hot, setHot] = useState<Cell | undefined>(undefined);
  const last = useRef<Cell>({ line: 0, column: 0 });
  const theme = themeSerial.value;
  const high = useKept(`${props.stateKey}High`, false);
  const place = sizes(props, width, high.value);
  const growable = sizes(props, width, false).cellHeight < readablePx;
  useLayoutEffect(() => {
    if (canvas.current !== null && width > 0) draw(canvas.current, props, width, place);
  }, [width, theme, props.cells, props.color, high.value]);
  const show = (cell: Cell): void => {
    const line = Math.max(0, Math.min(props.lines.length - 1, cell.line));
    const column = Math.max(0, Math.min(props.columns.length - 1, cell.column));
    last.current = { line, column };
    setHot(last.current);
  };
  const cellAt = (event: PointerEvent | MouseEvent): Cell | undefined => {
    const column = Math.floor((event.offsetX - place.left) / place.cellWidth);
    const line = Math.floor((event.offsetY - margin.top) / place.cellHeight);
    const inside =
      column >= 0 && column < props.columns.length && line >= 0 && line < props.lines.length;
    return inside ? { line, column } : undefined;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { line, column } = last.current;
    const moves: Record<string, Cell> = {
      ArrowRight: { line, column: column + 1 },
      ArrowLeft: { line, column: column - 1 },
      ArrowDown: { line: line + 1, column },
      ArrowUp: { line: line - 1, column },
      Home: { line, column: 0 },
      End: { line, column: props.columns.length - 1 },
    };
    const next = moves[event.key];
    if (next !== undefined) {
      show(next);
      event.preventDefault();
    } else if ((event.key === 'Enter' || event.key === ' ') && props.onPick !== undefined) {
      props.onPick(line, column);
      event.preventDefault();
    }
  };
  const ends = [props.least, props.most].map((value) => quantity(value, props.unit));
  if (ends[0] === ends[1]) {
    [props.least, props.most].forEach((value, index) => (ends[index] = exact(value, props.unit)));
  }
  const words = hot === undefined ? [] : props.describe(hot.line, hot.column);
  return (
    <div class="heat" ref={frame}>
      <CanvasField
        canvas={canvas}
        role={commonTexts.chartRole}
        label={jobTexts.heatMapLabel(props.label, words.join('. '))}
        width={width}
        height={place.height}
        onKeyDown={onKeyDown}
        onReach={() => show(last.current)}
        onLeave={() => setHot(undefined)}
        onPoint={(event) => {
          const cell = cellAt(event);
          if (cell === undefined) setHot(undefined);
          else show(cell);
        }}
        onPick={(event) => {
          const cell = cellAt(event);
          if (cell !== undefined) props.onPick?.(cell.line, cell.column);
        }}
      >
        {hot === undefined ? null : (
          <div
            class="heat-mark"
            aria-hidden="true"
            style={{
              left: `${place.left + hot.column * place.cellWidth}px`,
              top: `${margin.top + hot.line * place.cellHeight}px`,
              width: `${Math.max(2, place.cellWidth)}px`,
              height: `${Math.max(2, place.cellHeight)}px`,
            }}
          />
        )}
      </CanvasField>
      <p
        class="heat-scale"
        style={{
          left: `${place.left + props.xTitle.length * letterPx + 14}px`,
          top: `${place.height - 18}px`,
        }}
      >
        <span>{ends[0]}</span>
        <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
          {Array.from({ length: shades }, (_, index) => (
            <rect
              key={index}
              x={(100 * index) / shades}
              width={100 / shades + 0.5}
              height="8"
              fill={`color-mix(in srgb, ${props.color} ${16 + (84 * index) / (shades - 1)}%, var(--vscode-editor-background))`}
            />
          ))}
        </svg>
        <span>{ends[1]}</span>
      </p>
      {growable ? (
        <MoreEdge
          name={props.label}
          label={high.value ? detailTexts.lowerRows : detailTexts.higherRows}
          open={high.value}
          onClick={() => (high.value = !high.value)}
        />
      ) : null}
      {hot === undefined ? null : (
        <LinesTooltip
          x={place.left + (hot.column + 1) * place.cellWidth}
          y={margin.top + hot.line * place.cellHeight}
          width={width}
          lines={words}
        />
      )}
    </div>
  );
}
