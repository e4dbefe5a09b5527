// What is marked in lanes: steps, idle time, the selected slice or instant, a range of time.
import { fitted } from '../gl/text.ts';
import { quantity } from '#shared/numbers.ts';
import { type Palette } from './palette.ts';
import { css } from '../widgets/hues.ts';
import { x, type Scene } from './scene.ts';

/** The name of a slice where it is drawn. */
export interface PlacedName {
  text: string;
  left: number;
  /** The most that it may take. */
  room: number;
  top: number;
  height: number;
}

/** Where step limits stand, as far as they can be told apart. */
function stepLimits(scene: Scene): readonly number[] {
  const shown = scene.tracks.steps
    .flatMap((step) => [step.startNs, step.endNs])
    .filter((ns) => ns >= scene.startNs && ns <= scene.endNs)
    .map((ns) => Math.round(x(scene, ns)));
  return shown.length > 2 * Math.max(4, scene.width / 40) ? [] : [...new Set(shown)];
}

/** The pieces of a line from `top` to `bottom` that `gaps` leave. */
function piecesBetween(
  gaps: readonly { top: number; bottom: number }[],
  top: number,
  bottom: number,
): [number, number][] {
  const pieces: [number, number][] = [];
  let from = top;
  for (const gap of [...gaps].sort((a, b) => a.top - b.top)) {
    if (gap.top > from) pieces.push([from, Math.min(gap.top, bottom)]);
    from = Math.max(from, gap.bottom);
  }
  if (from < bottom) pieces.push([from, bottom]);
  return pieces;
}

/** Step limits run down through all rows, but not through names, which could not be read. */
export function drawStepLimits(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
  names: readonly PlacedName[],
): void {
  const limits = stepLimits(scene);
  if (limits.length === 0) return;
  context.strokeStyle = palette.border;
  context.setLineDash([2, 3]);
  context.beginPath();
  for (const at of limits) {
    const gaps = names
      .filter(({ left, room }) => at > left - 3 && at < left + room)
      .filter(({ text, left }) => at < left + context.measureText(text).width + 3)
      .map(({ top, height }) => ({ top, bottom: top + height }));
    for (const [top, bottom] of piecesBetween(gaps, 0, scene.height)) {
      context.moveTo(at + 0.5, top);
      context.lineTo(at + 0.5, bottom);
    }
  }
  context.stroke();
  context.setLineDash([]);
}

export function drawGaps(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
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

export function drawSelection(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
): void {
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

export function drawInstant(
  context: CanvasRenderingContext2D,
  scene: Scene,
  palette: Palette,
): void {
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

export function drawMark(context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void {
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
  if (right - left > 50) {
    // On a ground of its own: names of slices may run below it.
    const text = quantity(scene.mark.endNs - scene.mark.startNs, 'ns');
    const middle = (Math.max(left, 0) + Math.min(right, scene.width)) / 2;
    const wide = context.measureText(text).width + 8;
    context.fillStyle = css(palette.background);
    context.globalAlpha = 0.8;
    context.fillRect(middle - wide / 2, scene.height - 17, wide, 14);
    context.globalAlpha = 1;
    context.fillStyle = css(palette.foreground);
    context.fillText(text, middle, scene.height - 10);
  }
  context.textAlign = 'left';
}
