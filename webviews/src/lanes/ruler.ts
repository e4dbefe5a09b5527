// The ruler above lanes: marks of time, and the steps.
import { minus } from '#shared/numbers.ts';
import type { Palette } from './palette.ts';
import { rulerHeight, x, type Scene } from './scene.ts';

export interface Tick {
  ns: number;
  label: string;
}

const nice = [1, 2, 5];

/** Marks of the ruler, about `spacing` pixels apart; labels carry the unit that keeps them short. */
export function ticks(startNs: number, endNs: number, pixels: number, spacing = 80): Tick[] {
  const span = endNs - startNs;
  if (!(span > 0) || pixels <= 0) return [];
  const wanted = (span * spacing) / pixels;
  let step = 1;
  for (let power = 1; power < 1e16; power *= 10) {
    const found = nice.find((n) => n * power >= wanted);
    if (found !== undefined) {
      step = found * power;
      break;
    }
  }
  const list: Tick[] = [];
  for (let ns = Math.ceil(startNs / step) * step; ns <= endNs && list.length < 500; ns += step) {
    list.push({ ns, label: timeLabel(ns, step) });
  }
  return list;
}

/** A time since the start, with the decimals that a step of `step` ns needs. */
export function timeLabel(ns: number, step: number): string {
  const size = Math.max(Math.abs(ns), step);
  const [unit, name] =
    size >= 1e9
      ? [1e9, 's']
      : size >= 1e6
        ? [1e6, 'ms']
        : size >= 1e3
          ? [1e3, '\u00b5s']
          : [1, 'ns'];
  const digits = Math.min(9, Math.max(0, Math.ceil(Math.log10((unit as number) / step) - 1e-9)));
  return `${(ns / (unit as number)).toFixed(digits).replace('-', minus)} ${name}`;
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
    // A label that would be cut at the edge is left out.
    if (at + 3 + context.measureText(tick.label).width <= scene.width) {
      context.fillText(tick.label, at + 3, 7);
    }
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
