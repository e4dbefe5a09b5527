// The critical path above the boxes: a band on what runs, arrows from what ran to what waited for it.
import type { PathEdge, TimelineCriticalPathResult } from '#shared/protocol.ts';
import { anchor, drawArrow } from './arrows.ts';
import { type Palette } from './palette.ts';
import { css } from '../widgets/hues.ts';
import type { Row } from './rows.ts';
import { x, type Scene } from './scene.ts';

export type CriticalPath = Pick<TimelineCriticalPathResult, 'parts' | 'edges'>;

const bandPx = 4;
/** Arrows that are shorter than this tell nothing. */
const shortestPx = 3;

function drawEdge(
  context: CanvasRenderingContext2D,
  scene: Scene,
  rows: ReadonlyMap<number, Row>,
  edge: PathEdge,
): void {
  const fromY = anchor(scene, rows, edge.from);
  const toY = anchor(scene, rows, edge.to);
  if (fromY === undefined || toY === undefined) return;
  const fromX = x(scene, edge.startNs);
  const toX = x(scene, edge.endNs);
  if (toX < 0 || fromX > scene.width) return;
  // Along one row the bands already follow each other.
  if (edge.from.track === edge.to.track && toX - fromX < shortestPx) return;
  drawArrow(context, fromX, fromY, toX, toY);
}

export function drawPath(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
  const { path } = scene;
  if (path === undefined) return;
  const rows = new Map(scene.layout.rows.map((row) => [row.track.id, row]));
  context.strokeStyle = css(palette.kinds.get('overhead') ?? palette.foreground);
  context.fillStyle = context.strokeStyle;
  for (const part of path.parts) {
    // Launches and gaps pass between slices: arrows show them.
    if (part.slice === null || part.kind === 'launch' || part.kind === 'kernelGap') continue;
    const middle = anchor(scene, rows, part.slice);
    const laneHeight = rows.get(part.slice.track)?.laneHeight ?? 0;
    const left = Math.max(-2, x(scene, part.startNs));
    const right = Math.min(scene.width + 2, x(scene, part.endNs));
    if (middle === undefined || right < 0 || left > scene.width) continue;
    const height = Math.min(bandPx, laneHeight);
    context.fillRect(left, middle + laneHeight / 2 - height - 1, Math.max(1, right - left), height);
  }
  context.lineWidth = 1.6;
  for (const edge of path.edges) drawEdge(context, scene, rows, edge);
  context.lineWidth = 1;
}
