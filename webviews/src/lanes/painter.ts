// One frame of lanes on its canvases: boxes by the box renderer, everything else in 2D above.
import type { BoxBlock, BoxPlace, BoxRenderer } from '../gl/boxes.ts';
import { fitted } from '../gl/text.ts';
import { visible } from '../lib/format.ts';
import { commonTexts } from '../lib/texts.ts';
import { drawArrows } from './arrows.ts';
import {
  drawGaps,
  drawInstant,
  drawMark,
  drawSelection,
  drawStepLimits,
  type PlacedName,
} from './marks.ts';
import { type Palette } from './palette.ts';
import { css, mix } from '../widgets/hues.ts';
import { drawPath } from './path.ts';
import { headingLeft } from './rows.ts';
import { visibleRows, x, type RowPaint, type Scene } from './scene.ts';
import { drawSeries } from './series.ts';

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

function drawHeadings(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  for (const heading of scene.layout.headings) {
    const y = heading.y - scene.scroll;
    if (y < -30 || y > scene.height) continue;
    context.fillStyle = css(mix(palette.foreground, palette.background, 0.9));
    context.fillRect(0, y, scene.width, 22);
    // What is too long for the names' column goes on here.
    context.font = `600 ${palette.fontSize} ${palette.font}`;
    context.fillStyle = palette.text;
    context.fillText(visible(heading.text), headingLeft - scene.namesPx, y + 11.5);
  }
  context.font = `11px ${palette.font}`;
}

/** Names on boxes that are wide enough for some of them. */
function placeNames({ context, scene, row, data }: RowPaint): PlacedName[] {
  const { boxes } = data;
  const lane = row.laneHeight;
  if (boxes === undefined || lane < 12) return [];
  const { width } = scene;
  const scale = width / (scene.endNs - scene.startNs);
  const names: PlacedName[] = [];
  for (let i = 0; i < boxes.start.length; i++) {
    const left = (boxes.start[i]! - scene.startNs) * scale;
    const long = boxes.length[i]! * scale;
    if (long < 26 || left > width || left + long < 0) continue;
    const from = Math.max(left, 0);
    const room = Math.min(left + long, width) - from - 6;
    if (room < 18) continue;
    const count = boxes.count[i]!;
    const name = data.shown[boxes.name[i]!] ?? '';
    const text = fitted(
      context,
      boxes.slice[i]! < 0 && count > 1 ? commonTexts.slices(count) : name,
      room,
    );
    if (text === '') continue;
    const top = row.y - scene.scroll + Math.min(boxes.lane[i]! * lane, row.height - 2);
    names.push({ text, left: from + 3, room, top, height: lane });
  }
  return names;
}

function drawNames(
  context: CanvasRenderingContext2D,
  palette: Palette,
  names: readonly PlacedName[],
): void {
  context.fillStyle = palette.boxText;
  for (const { text, left, room, top, height } of names) {
    // The cut goes by the mean width of a character; the limit keeps wide ones inside.
    context.fillText(text, left, top + height / 2, room);
  }
}

/** Outlines of what a search found. */
function drawFound({ context, scene, row, data, palette }: RowPaint): void {
  const { boxes } = data;
  if (boxes === undefined || scene.found.size === 0) return;
  const { width } = scene;
  const scale = width / (scene.endNs - scene.startNs);
  const top = row.y - scene.scroll;
  const lane = row.laneHeight;
  for (let i = 0; i < boxes.start.length; i++) {
    const left = (boxes.start[i]! - scene.startNs) * scale;
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
  }
}

/** Instants as small triangles at the top of their row. */
function drawInstants({ context, scene, row, data, palette }: RowPaint): void {
  const top = row.y - scene.scroll;
  for (const instant of data.boxes?.instants ?? []) {
    const at = x(scene, instant.ns);
    if (at < -4 || at > scene.width + 4) continue;
    context.fillStyle = palette.muted;
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at + 3.5, top + 6);
    context.lineTo(at - 3.5, top + 6);
    context.fill();
  }
}

/** What lies above the boxes; `fresh` where they are on another canvas, else it is drawn over them. */
export function drawOverlay(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  fresh = true,
): void {
  if (fresh) context.clearRect(0, 0, scene.width, scene.height);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  const paints = visibleRows(scene).flatMap((row): RowPaint[] => {
    const data = scene.data.get(row.track.id);
    return data === undefined ? [] : [{ context, scene, row, data, palette }];
  });
  const names = paints.map(placeNames);
  drawStepLimits(context, scene, palette, names.flat());
  drawHeadings(context, scene, palette);
  paints.forEach((paint, index) => {
    drawSeries(paint);
    drawFound(paint);
    drawNames(context, palette, names[index]!);
    drawInstants(paint);
  });
  drawGaps(context, scene, palette);
  drawPath(context, scene, palette);
  drawArrows(context, scene, palette);
  drawSelection(context, scene, palette);
  drawInstant(context, scene, palette);
  drawMark(context, scene, palette);
}
