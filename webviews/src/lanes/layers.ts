// A whole picture of lanes on one canvas: a title, the ruler, the boxes, and what lies above them.
import { createBoxRenderer, type BoxRenderer } from '../gl/boxes.ts';
import { drawBoxes, drawOverlay } from './painter.ts';
import type { Palette } from './palette.ts';
import { drawRuler } from './ruler.ts';
import { rulerHeight, type Scene } from './scene.ts';
import { laneTexts } from './texts.ts';

/** Line above the ruler that says what the axis is. */
const titlePx = 16;
/** What stands above the lanes. */
export const layersTopPx = titlePx + rulerHeight;

export class Layers {
  private readonly renderer: BoxRenderer;
  private readonly boxes = document.createElement('canvas');
  private readonly ruler = document.createElement('canvas');
  private readonly overlay = document.createElement('canvas');

  constructor() {
    this.renderer = createBoxRenderer(this.boxes, 'canvas2d');
  }

  draw(target: HTMLCanvasElement, scene: Scene, palette: Palette): void {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { width, height } = scene;
    const sized = (canvas: HTMLCanvasElement, tall: number): CanvasRenderingContext2D | null => {
      canvas.width = Math.max(1, Math.round(width * ratio));
      canvas.height = Math.max(1, Math.round(tall * ratio));
      const context = canvas.getContext('2d');
      context?.setTransform(ratio, 0, 0, ratio, 0, 0);
      return context;
    };
    this.renderer.resize(width, height, ratio);
    const ruler = sized(this.ruler, rulerHeight);
    const overlay = sized(this.overlay, height);
    const context = sized(target, layersTopPx + height);
    if (context === null || ruler === null || overlay === null) return;
    drawBoxes(this.renderer, scene);
    drawRuler(ruler, scene, palette);
    drawOverlay(overlay, scene, palette);
    context.font = `11px ${palette.font}`;
    context.textBaseline = 'middle';
    context.fillStyle = palette.muted;
    context.fillText(laneTexts.timeSinceStart, 3, titlePx / 2, width - 3);
    context.drawImage(this.ruler, 0, titlePx, width, rulerHeight);
    context.drawImage(this.boxes, 0, layersTopPx, width, height);
    context.drawImage(this.overlay, 0, layersTopPx, width, height);
  }

  dispose(): void {
    this.renderer.dispose();
  }
}
