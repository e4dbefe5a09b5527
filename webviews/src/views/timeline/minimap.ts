// The whole trace in a strip above the timeline, with the window that is shown.
import type { TimelineDensityResult } from '#shared/protocol.ts';
import { type Palette } from '../../lanes/palette.ts';
import { css } from '../../widgets/hues.ts';
import type { Scene } from '../../lanes/scene.ts';

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
        // On whole device pixels: smoothed edges of neighbors would leave lines between them.
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
