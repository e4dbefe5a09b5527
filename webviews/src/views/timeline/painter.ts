// One frame of the timeline on its canvases: boxes by the box renderer, everything else in 2D above.
import type { BoxBlock, BoxPlace, BoxRenderer } from '../../gl/boxes.ts';
import { fitted } from '../../gl/text.ts';
import { quantity, visible } from '../../lib/format.ts';
import type {
  FlowArrow,
  Gap,
  SliceDetail,
  TimelineBoxes,
  TimelineDensityResult,
  TimelineTracksResult,
} from '#shared/protocol.ts';
import { headingLeft, labelWidth, ticks, type Layout, type Row } from './layout.ts';
import { css, mix, type Palette } from './palette.ts';
import { sampled } from './sampling.ts';
import type { RowData } from './source.ts';
import type { TimeRange } from './state.ts';

export interface Scene {
  width: number;
  height: number;
  startNs: number;
  endNs: number;
  scroll: number;
  layout: Layout;
  data: ReadonlyMap<number, RowData>;
  tracks: TimelineTracksResult;
  detail: SliceDetail | undefined;
  arrows: readonly FlowArrow[];
  gaps: readonly Gap[];
  gapsDevice: number | null;
  instant: { ns: number; track: number | null } | undefined;
  mark: TimeRange | null;
  found: ReadonlySet<number>;
}

export const rulerHeight = 24;

export function visibleRows(scene: Scene, margin = 0): Row[] {
  return scene.layout.rows.filter(
    (row) =>
      row.y + row.height >= scene.scroll - margin && row.y <= scene.scroll + scene.height + margin,
  );
}

export function drawBoxes(renderer: BoxRenderer, scene: Scene): void {
  const places: BoxPlace[] = [];
  for (const row of visibleRows(scene)) {
    const block = scene.data.get(row.track.id)?.block;
    if (block !== undefined) {
      places.push({
        block,
        y: row.y - scene.scroll,
        laneHeight: row.laneHeight,
        height: row.height,
      });
    }
  }
  renderer.draw(places, scene.startNs, (scene.endNs - scene.startNs) / Math.max(1, scene.width));
  const kept = new Set<BoxBlock>();
  for (const data of scene.data.values()) if (data.block !== undefined) kept.add(data.block);
  renderer.forget(kept);
}

const x = (scene: Scene, ns: number): number =>
  ((ns - scene.startNs) / (scene.endNs - scene.startNs)) * scene.width;

function drawSeries(
  context: CanvasRenderingContext2D,
  scene: Scene,
  row: Row,
  data: RowData,
  palette: Palette,
): void {
  const series = data.series;
  if (series === undefined) return;
  const top = row.y - scene.scroll;
  const most = Math.max(row.track.maxValue ?? 0, ...(row.track.unit === 'ratio' ? [1] : []), 1e-12);
  const y = (value: number): number =>
    top + row.height - 1 - (Math.max(0, value) / most) * (row.height - 3);
  const { startNs, endNs, width } = scene;
  const until = Math.min(data.endNs, scene.tracks.endNs);
  const { value } = sampled(series, until, startNs, endNs, Math.max(1, Math.round(width)));
  const bottom = top + row.height;
  // Pixels of one value as one rectangle. No line along their sides: where values change from pixel
  // to pixel it would fill the row up to the higher ones.
  const each = width / value.length;
  context.fillStyle = palette.series;
  for (let from = 0, to = 0; from < value.length; from = to) {
    const held = value[from]!;
    while (to < value.length && Object.is(value[to], held)) to++;
    if (Number.isNaN(held)) continue;
    const at = y(held);
    context.globalAlpha = 0.55;
    context.fillRect(from * each, at, (to - from) * each, bottom - at);
    context.globalAlpha = 1;
    context.fillRect(from * each, at - 0.5, (to - from) * each, 1);
  }
  if (row.height >= 30) {
    // On a ground of its own: the curve may be as high as the text.
    const text = seriesValue(row, most);
    const wide = context.measureText(text).width + 8;
    context.fillStyle = css(palette.background);
    context.globalAlpha = 0.8;
    context.fillRect(scene.width - wide, top + 1, wide, 14);
    context.globalAlpha = 1;
    context.fillStyle = palette.muted;
    context.textAlign = 'right';
    context.fillText(text, scene.width - 4, top + 8);
    context.textAlign = 'left';
  }
}

/** What a series shows at a column of pixels that begins at `startNs`; nothing where it is unknown. */
export function seriesAt(
  scene: Pick<Scene, 'tracks'>,
  row: Row,
  data: RowData,
  startNs: number,
  endNs: number,
): string | undefined {
  const { series } = data;
  if (series === undefined) return undefined;
  const until = Math.min(data.endNs, scene.tracks.endNs);
  const { value, low } = sampled(series, until, startNs, endNs, 1);
  if (Number.isNaN(value[0])) return undefined;
  const most = seriesValue(row, value[0]!);
  return low[0] === value[0] ? most : `${seriesValue(row, low[0]!)} to ${most}`;
}

export function seriesValue(row: Row, value: number): string {
  switch (row.track.unit) {
    case 'ratio':
      return quantity(value, 'ratio');
    case 'bytes':
      return quantity(value, 'bytes');
    case 'gbPerS':
      return quantity(value, 'gbPerS');
    case 'count':
      return quantity(value, 'count');
    default:
      return quantity(value, '');
  }
}

/** What lies above the boxes; `fresh` where they are on another canvas, else it is drawn over them. */
export function drawOverlay(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  fresh = true,
): void {
  const { width, height } = scene;
  if (fresh) context.clearRect(0, 0, width, height);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  drawStepLimits(context, scene, palette);
  for (const heading of scene.layout.headings) {
    const y = heading.y - scene.scroll;
    if (y < -30 || y > height) continue;
    context.fillStyle = css(mix(palette.foreground, palette.background, 0.9));
    context.fillRect(0, y, width, 22);
    // What is too long for the names' column goes on here.
    context.font = `600 ${palette.fontSize} ${palette.font}`;
    context.fillStyle = palette.text;
    context.fillText(visible(heading.text), headingLeft - labelWidth, y + 11.5);
  }
  context.font = `11px ${palette.font}`;
  const scale = width / (scene.endNs - scene.startNs);
  for (const row of visibleRows(scene)) {
    const data = scene.data.get(row.track.id);
    const top = row.y - scene.scroll;
    if (data === undefined) continue;
    if (data.series !== undefined) drawSeries(context, scene, row, data, palette);
    const boxes = data.boxes;
    if (boxes === undefined) continue;
    const lane = row.laneHeight;
    for (let i = 0; i < boxes.start.length; i++) {
      const start = boxes.start[i]!;
      const left = (start - scene.startNs) * scale;
      const long = boxes.length[i]! * scale;
      if (left > width || left + long < 0) continue;
      const slice = boxes.slice[i]!;
      const y = top + Math.min(boxes.lane[i]! * lane, row.height - 2);
      if (slice >= 0 && scene.found.has(slice)) {
        context.strokeStyle = palette.focus;
        context.strokeRect(
          Math.max(left, -2) + 0.5,
          y + 0.5,
          Math.min(Math.max(long - 1, 1), width + 4),
          Math.max(1, lane - 2),
        );
      }
      if (long < 26 || lane < 12) continue;
      const from = Math.max(left, 0);
      const room = Math.min(left + long, width) - from - 6;
      if (room < 18) continue;
      const count = boxes.count[i]!;
      const name = data.names[boxes.name[i]!] ?? '';
      const text = fitted(context, slice < 0 && count > 1 ? `${count} slices` : name, room);
      if (text === '') continue;
      context.fillStyle = palette.boxText;
      // The cut goes by the mean width of a character; the limit keeps wide ones inside.
      context.fillText(text, from + 3, y + lane / 2, room);
    }
    for (const instant of boxes.instants) {
      const at = (instant.ns - scene.startNs) * scale;
      if (at < -4 || at > width + 4) continue;
      context.fillStyle = palette.muted;
      context.beginPath();
      context.moveTo(at, top);
      context.lineTo(at + 3.5, top + 6);
      context.lineTo(at - 3.5, top + 6);
      context.fill();
    }
  }
  drawGaps(context, scene, palette);
  drawArrows(context, scene, palette);
  drawSelection(context, scene, palette);
  drawInstant(context, scene, palette);
  drawMark(context, scene, palette);
}

/** Step limits run down through all rows, as far as they can be told apart. */
function drawStepLimits(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const limits = scene.tracks.steps.flatMap((step) => [step.startNs, step.endNs]);
  const shown = limits
    .filter((ns) => ns >= scene.startNs && ns <= scene.endNs)
    .map((ns) => Math.round(x(scene, ns)));
  if (shown.length > 2 * Math.max(4, scene.width / 40)) return;
  context.strokeStyle = palette.border;
  context.setLineDash([2, 3]);
  context.beginPath();
  for (const at of new Set(shown)) {
    context.moveTo(at + 0.5, 0);
    context.lineTo(at + 0.5, scene.height);
  }
  context.stroke();
  context.setLineDash([]);
}

function drawGaps(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.gaps.length === 0) return;
  const row = scene.layout.rows.find(
    ({ track }) =>
      track.kind === 'stream' && (scene.gapsDevice === null || track.device === scene.gapsDevice),
  );
  if (row === undefined) return;
  const top = row.y - scene.scroll;
  for (const gap of scene.gaps) {
    const left = x(scene, gap.startNs);
    const right = x(scene, gap.startNs + gap.durationNs);
    if (right < 0 || left > scene.width || right - left < 2) continue;
    context.strokeStyle = css(palette.kinds.get('overhead') ?? palette.foreground);
    context.setLineDash([3, 2]);
    context.strokeRect(
      Math.max(left, -2) + 0.5,
      top + 1.5,
      Math.min(right, scene.width + 2) - Math.max(left, -2) - 1,
      Math.min(16, row.height - 3),
    );
    context.setLineDash([]);
    if (right - left > 60) {
      context.fillStyle = palette.muted;
      context.fillText(
        fitted(context, gap.text, Math.min(right, scene.width) - Math.max(left, 0) - 8),
        Math.max(left, 0) + 4,
        top + 9,
      );
    }
  }
}

const lanesBySlice = new WeakMap<TimelineBoxes, Map<number, number>>();

function laneOf(boxes: TimelineBoxes, slice: number): number | undefined {
  let lanes = lanesBySlice.get(boxes);
  if (lanes === undefined) {
    lanes = new Map(boxes.slice.map((one, index) => [one, boxes.lane[index]!]));
    lanesBySlice.set(boxes, lanes);
  }
  return lanes.get(slice);
}

/** Where a slice's row is, and the middle of its lane when that is known. */
function anchor(
  scene: Scene,
  rows: ReadonlyMap<number, Row>,
  track: number,
  slice: number,
): number | undefined {
  const row = rows.get(track);
  if (row === undefined) return undefined;
  const boxes = scene.data.get(track)?.boxes;
  const lane =
    (boxes === undefined ? undefined : laneOf(boxes, slice)) ??
    (slice === scene.detail?.slice ? scene.detail.lane : 0);
  return row.y - scene.scroll + Math.min((lane + 0.5) * row.laneHeight, row.height - 2);
}

function drawArrows(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.arrows.length === 0) return;
  context.lineWidth = 1.3;
  const rows = new Map(scene.layout.rows.map((row) => [row.track.id, row]));
  for (const arrow of scene.arrows) {
    const fromY = anchor(scene, rows, arrow.from.track, arrow.from.slice);
    const toY = anchor(scene, rows, arrow.to.track, arrow.to.slice);
    if (fromY === undefined || toY === undefined) continue;
    const fromX = x(
      scene,
      arrow.from.startNs +
        (arrow.kind === 'launch' ? arrow.from.durationNs : arrow.from.durationNs / 2),
    );
    const toX = x(scene, arrow.to.startNs);
    if (Math.max(fromX, toX) < 0 || Math.min(fromX, toX) > scene.width) continue;
    context.strokeStyle = css(
      palette.kinds.get(
        arrow.kind === 'launch'
          ? 'runtime'
          : arrow.kind === 'forwardBackward'
            ? 'userAnnotation'
            : 'kernel',
      ) ?? palette.foreground,
    );
    context.fillStyle = context.strokeStyle;
    const bend = Math.min(80, Math.abs(toX - fromX) / 2 + 12);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.bezierCurveTo(fromX + bend, fromY, toX - bend, toY, toX, toY);
    context.stroke();
    context.beginPath();
    context.moveTo(toX, toY);
    context.lineTo(toX - 6, toY - 3.5);
    context.lineTo(toX - 6, toY + 3.5);
    context.fill();
  }
  context.lineWidth = 1;
}

function drawSelection(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const { detail } = scene;
  if (detail === undefined) return;
  const row = scene.layout.rows.find((candidate) => candidate.track.id === detail.track);
  if (row === undefined) return;
  const left = Math.max(-3, x(scene, detail.startNs));
  const right = Math.min(
    scene.width + 3,
    Math.max(x(scene, detail.startNs + detail.durationNs), left + 2),
  );
  const y = row.y - scene.scroll + Math.min(detail.lane * row.laneHeight, row.height - 2);
  context.lineWidth = 2;
  context.strokeStyle = palette.focus;
  context.strokeRect(left, y, right - left, Math.max(2, row.laneHeight - 1));
  context.lineWidth = 1;
}

function drawInstant(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const { instant } = scene;
  const row = scene.layout.rows.find((candidate) => candidate.track.id === instant?.track);
  if (instant === undefined || row === undefined) return;
  const at = x(scene, instant.ns);
  const top = row.y - scene.scroll;
  context.strokeStyle = palette.focus;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(at, top - 1);
  context.lineTo(at + 6, top + 8);
  context.lineTo(at - 6, top + 8);
  context.closePath();
  context.stroke();
  context.lineWidth = 1;
}

function drawMark(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  if (scene.mark === null) return;
  const left = x(scene, scene.mark.startNs);
  const right = x(scene, scene.mark.endNs);
  context.fillStyle = palette.focus;
  context.globalAlpha = 0.14;
  context.fillRect(left, 0, right - left, scene.height);
  context.globalAlpha = 1;
  context.fillRect(left, 0, 1, scene.height);
  context.fillRect(right - 1, 0, 1, scene.height);
  context.textAlign = 'center';
  context.fillStyle = palette.text;
  if (right - left > 50) {
    context.fillText(
      quantity(scene.mark.endNs - scene.mark.startNs, 'ns'),
      (Math.max(left, 0) + Math.min(right, scene.width)) / 2,
      scene.height - 10,
    );
  }
  context.textAlign = 'left';
}

export function drawRuler(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  context.clearRect(0, 0, scene.width, rulerHeight);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.fillStyle = palette.muted;
  context.strokeStyle = palette.border;
  for (const tick of ticks(scene.startNs, scene.endNs, scene.width)) {
    const at = Math.round(x(scene, tick.ns)) + 0.5;
    context.beginPath();
    context.moveTo(at, rulerHeight - 6);
    context.lineTo(at, rulerHeight);
    context.stroke();
    context.fillText(tick.label, at + 3, 7);
  }
  context.strokeStyle = palette.focus;
  context.beginPath();
  for (const step of scene.tracks.steps) {
    const left = x(scene, step.startNs);
    const right = x(scene, step.endNs);
    if (right < 0 || left > scene.width) continue;
    const from = Math.max(left, -2);
    const to = Math.min(right, scene.width + 2);
    context.rect(from + 0.5, rulerHeight - 5.5, Math.max(1, to - from - 1), 4);
  }
  context.stroke();
}

/** The bars of the minimap, which only a new trace, size or theme changes. */
export class MinimapBars {
  private readonly canvas = document.createElement('canvas');
  private drawn: unknown[] = [];

  draw(
    target: CanvasRenderingContext2D,
    width: number,
    height: number,
    density: TimelineDensityResult,
    palette: Palette,
  ): void {
    const wanted = [target.canvas.width, target.canvas.height, density, palette];
    if (wanted.some((value, i) => value !== this.drawn[i])) {
      this.drawn = wanted;
      this.canvas.width = target.canvas.width;
      this.canvas.height = target.canvas.height;
      const context = this.canvas.getContext('2d');
      if (context === null) return;
      context.scale(target.canvas.width / width, target.canvas.height / height);
      const bars = (values: readonly number[], color: string, alpha: number): void => {
        context.fillStyle = color;
        context.globalAlpha = alpha;
        // On whole device pixels: smoothed edges of neighbours would leave lines between them.
        const ratio = target.canvas.width / width;
        const edge = (i: number): number =>
          Math.round((i * width * ratio) / Math.max(1, values.length)) / ratio;
        values.forEach((value, i) => {
          const tall = Math.max(value > 0 ? 3 : 0, value * (height - 2));
          const left = edge(i);
          context.fillRect(left, height - tall, Math.max(1 / ratio, edge(i + 1) - left), tall);
        });
      };
      bars(density.host, css(palette.kinds.get('cpuOp') ?? palette.foreground), 0.35);
      bars(density.device, css(palette.kinds.get('kernel') ?? palette.foreground), 0.9);
    }
    target.drawImage(this.canvas, 0, 0, width, height);
  }
}

export function drawMinimap(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  scene: Scene,
  bars: MinimapBars,
  density: TimelineDensityResult | undefined,
  palette: Palette,
): void {
  context.clearRect(0, 0, width, height);
  const { tracks } = scene;
  const span = Math.max(1, tracks.endNs - tracks.startNs);
  const at = (ns: number): number => ((ns - tracks.startNs) / span) * width;
  if (density !== undefined) bars.draw(context, width, height, density, palette);
  const left = at(scene.startNs);
  const right = Math.max(at(scene.endNs), left + 3);
  context.fillStyle = palette.text;
  context.globalAlpha = 0.12;
  context.fillRect(0, 0, left, height);
  context.fillRect(right, 0, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = palette.focus;
  context.lineWidth = 1.5;
  context.strokeRect(left + 0.5, 0.75, right - left - 1, height - 1.5);
  context.lineWidth = 1;
}
