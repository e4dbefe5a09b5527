// Arrows between slices, from launches to kernels and from forward to backward.
import type { SliceRef } from '#shared/protocol.ts';
import { type Palette } from './palette.ts';
import { css } from '../widgets/hues.ts';
import type { Row } from './rows.ts';
import { x, type Scene } from './scene.ts';

/** The middle of a slice's lane, also where it is drawn as one box with its neighbors. */
export function anchor(
  scene: Scene,
  rows: ReadonlyMap<number, Row>,
  slice: SliceRef,
): number | undefined {
  const row = rows.get(slice.track);
  if (row === undefined) return undefined;
  return row.y - scene.scroll + Math.min((slice.lane + 0.5) * row.laneHeight, row.height - 2);
}

/** In the stroke's color. */
export function drawArrow(
  context: CanvasRenderingContext2D,
  fromX: number,
  fromY: number,
  toX: number,
  toY: number,
): void {
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

export function drawArrows(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
): void {
  if (scene.arrows.length === 0) return;
  context.lineWidth = 1.3;
  const rows = new Map(scene.layout.rows.map((row) => [row.track.id, row]));
  for (const arrow of scene.arrows) {
    const fromY = anchor(scene, rows, arrow.from);
    const toY = anchor(scene, rows, arrow.to);
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
    drawArrow(context, fromX, fromY, toX, toY);
  }
  context.lineWidth = 1;
}
