// The drawing part of the timeline: canvases, what they show, and when they are drawn again.
import { effect } from '@preact/signals';
import type { TimelineDensityResult } from '#shared/protocol.ts';
import { createBoxRenderer, type BoxRenderer } from '../../gl/boxes.ts';
import { ask } from '../../host/query.ts';
import { epoch } from '../../host/store.ts';
import { drawBoxes, drawOverlay } from '../../lanes/painter.ts';
import { readPalette, type Palette } from '../../lanes/palette.ts';
import { namesPxIn } from '../../lanes/rows.ts';
import { drawRuler } from '../../lanes/ruler.ts';
import { rulerHeight, visibleRows, type Scene } from '../../lanes/scene.ts';
import { WindowSource } from '../../lanes/source.ts';
import type { TimeWindow } from '../../lanes/window.ts';
import { hitAt, type Hit } from '../../lanes/hits.ts';
import { layoutRows } from '../../lanes/layout.ts';
import { commonTexts } from '../../lib/texts.ts';
import { MinimapBars, drawMinimap } from './minimap.ts';
import { picturePng } from './picture.ts';
import { revealSelected } from './reveal.ts';
import {
  allFlows,
  arrows,
  criticalPath,
  detail,
  found,
  gaps,
  gapsDevice,
  markedRange,
  prefs,
  reveal,
  rowFilter,
  scrollTop,
  showGaps,
  shownInstant,
  shownWindow,
  tracks,
  type Tracks,
} from './state.ts';
import { arrived, failed, frameStats, layout, namesPx, noLayout, settled } from './status.ts';
import { WindowArrows } from './window_arrows.ts';

const minimapHeight = 34;

export interface StageParts {
  viewport: HTMLElement;
  boxes: HTMLCanvasElement;
  overlay: HTMLCanvasElement;
  ruler: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
}

export class Stage {
  readonly source: WindowSource;
  private palette: Palette = readPalette();
  private renderer: BoxRenderer;
  private readonly overlay: CanvasRenderingContext2D;
  private readonly ruler: CanvasRenderingContext2D;
  private readonly minimap: CanvasRenderingContext2D;
  private readonly minimapBars = new MinimapBars();
  private density: TimelineDensityResult | undefined;
  private width = 1;
  private height = 1;
  private frame = 0;
  private disposed = false;
  private readonly cleanups: (() => void)[] = [];
  private readonly parts: StageParts;
  private readonly windowArrows = new WindowArrows(() => this.redraw());
  private densityAbort: AbortController | undefined;
  private pixelRatio: MediaQueryList | undefined;

  constructor(parts: StageParts) {
    this.parts = parts;
    const context = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
      const made = canvas.getContext('2d');
      if (made === null) throw new Error(commonTexts.noCanvas);
      return made;
    };
    this.overlay = context(parts.overlay);
    this.ruler = context(parts.ruler);
    this.minimap = context(parts.minimap);
    this.renderer = this.chooseRenderer('auto');
    this.source = new WindowSource(
      () => this.palette,
      () => {
        arrived.value++;
        this.redraw();
      },
      failed,
    );
    parts.boxes.addEventListener('webglcontextlost', (event) => {
      event.preventDefault();
      this.fallBack();
    });
    const resized = new ResizeObserver(() => this.resize());
    resized.observe(parts.viewport);
    const themed = new MutationObserver(() => {
      this.palette = readPalette();
      this.source.recolor();
      this.redraw();
    });
    themed.observe(document.body, {
      attributes: true,
      attributeFilter: ['class', 'style', 'data-vscode-theme-id'],
    });
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
    // A window that moves to a finer screen keeps its size in CSS pixels, which no observer sees.
    const rescaled = (): void => {
      this.pixelRatio?.removeEventListener('change', rescaled);
      this.pixelRatio = this.disposed
        ? undefined
        : window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
      this.pixelRatio?.addEventListener('change', rescaled);
      if (!this.disposed) this.resize();
    };
    this.cleanups.push(
      () => resized.disconnect(),
      () => themed.disconnect(),
      () => rescaled(),
      effect(() => {
        const all = tracks.value;
        layout.value =
          all === undefined ? noLayout : layoutRows(all.tracks, prefs.value, rowFilter.value);
      }),
      effect(() => {
        void [
          shownWindow.value,
          layout.value,
          detail.value,
          arrows.value,
          markedRange.value,
          found.value,
          gaps.value,
          showGaps.value,
          shownInstant.value,
          criticalPath.value,
        ];
        this.redraw();
      }),
      effect(() => {
        void [allFlows.value, shownWindow.value, epoch.value];
        this.windowArrows.refresh();
      }),
      effect(() => {
        void epoch.value;
        this.source.clear();
        void this.fetchDensity();
      }),
      effect(() => {
        if (reveal.value > 0) revealSelected(parts.viewport, this.height);
      }),
    );
    rescaled();
    parts.viewport.scrollTop = scrollTop.peek();
  }

  dispose(): void {
    this.disposed = true;
    cancelAnimationFrame(this.frame);
    this.windowArrows.dispose();
    this.densityAbort?.abort();
    for (const cleanup of this.cleanups) cleanup();
    this.source.clear();
    this.renderer.dispose();
  }

  private chooseRenderer(prefer: 'auto' | 'canvas2d'): BoxRenderer {
    const renderer = createBoxRenderer(this.parts.boxes, prefer, this.parts.overlay);
    frameStats.renderer = renderer.kind;
    // On a 2D canvas the boxes lie on the same one as what is above them.
    this.parts.boxes.hidden = renderer.kind === 'canvas2d';
    return renderer;
  }

  /** A lost graphics context: the same picture on a 2D canvas. */
  private fallBack(): void {
    this.renderer = this.chooseRenderer('canvas2d');
    this.resize();
    // Not with the next frame: until then the canvas would show no boxes.
    this.draw();
  }

  private async fetchDensity(): Promise<void> {
    this.densityAbort?.abort();
    const abort = new AbortController();
    this.densityAbort = abort;
    this.density = undefined;
    try {
      const density = await ask('timeline/density', { buckets: 600 }, abort.signal);
      if (abort.signal.aborted) return;
      this.density = density;
      this.redraw();
    } catch {
      // The minimap stays without bars; the window's own requests report what is wrong.
    }
  }

  private resize(): void {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { viewport } = this.parts;
    namesPx.value = namesPxIn(viewport.clientWidth);
    this.width = Math.max(50, viewport.clientWidth - namesPx.peek());
    this.height = Math.max(20, viewport.clientHeight);
    const size = (
      canvas: HTMLCanvasElement,
      context: CanvasRenderingContext2D,
      width: number,
      height: number,
    ): void => {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
    };
    size(this.parts.overlay, this.overlay, this.width, this.height);
    size(this.parts.ruler, this.ruler, this.width, rulerHeight);
    size(this.parts.minimap, this.minimap, this.width, minimapHeight);
    this.parts.boxes.style.width = `${this.width}px`;
    this.parts.boxes.style.height = `${this.height}px`;
    this.renderer.resize(this.width, this.height, ratio);
    this.redraw();
  }

  redraw(): void {
    if (this.frame !== 0 || this.disposed) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  private scene(all: Tracks): Scene {
    return {
      width: this.width,
      namesPx: namesPx.peek(),
      height: this.height,
      startNs: shownWindow.peek().startNs,
      endNs: shownWindow.peek().endNs,
      scroll: this.parts.viewport.scrollTop,
      layout: layout.peek(),
      data: this.source.rows,
      tracks: all,
      detail: detail.peek(),
      arrows: [...this.windowArrows.list, ...arrows.peek()],
      gaps: showGaps.peek() ? gaps.peek() : [],
      gapsDevice: gapsDevice.peek(),
      instant: shownInstant.peek(),
      mark: markedRange.peek(),
      found: found.peek(),
      path: criticalPath.peek(),
    };
  }

  private draw(): void {
    const all = tracks.peek();
    if (all === undefined || !(shownWindow.peek().endNs > shownWindow.peek().startNs)) return;
    const begin = performance.now();
    const scene = this.scene(all);
    drawBoxes(this.renderer, scene);
    drawOverlay(this.overlay, scene, this.palette, this.renderer.kind === 'webgl2');
    drawRuler(this.ruler, scene, this.palette);
    drawMinimap(
      this.minimap,
      this.width,
      minimapHeight,
      scene,
      this.minimapBars,
      this.density,
      this.palette,
    );
    frameStats.frames++;
    frameStats.drawMs.push(performance.now() - begin);
    if (frameStats.drawMs.length > 2000) frameStats.drawMs.splice(0, 1000);
    const near = visibleRows(scene, this.height / 2).map((row) => row.track);
    this.source.want(
      { startNs: scene.startNs, endNs: scene.endNs, pixels: this.width },
      near.map((track) => track.id),
      new Set(near.filter((track) => track.maxValue !== null).map((track) => track.id)),
    );
    settled.value = this.source.settled;
  }

  nsAt(clientX: number): number {
    const left = this.parts.overlay.getBoundingClientRect().left;
    const { startNs, endNs } = shownWindow.peek();
    return startNs + ((clientX - left) / this.width) * (endNs - startNs);
  }

  /** What is under the pointer. */
  hit(clientX: number, clientY: number): Hit | undefined {
    const all = tracks.peek();
    const box = this.parts.overlay.getBoundingClientRect();
    return all === undefined
      ? undefined
      : hitAt(this.scene(all), clientX - box.left, clientY - box.top);
  }

  /** The range of time that the box under the pointer covers. */
  boxRange({ pointed }: Hit): TimeWindow | undefined {
    const boxes = this.source.rows.get(pointed.track)?.boxes;
    if (boxes === undefined || pointed.index < 0) return undefined;
    const startNs = boxes.start[pointed.index]!;
    return { startNs, endNs: startNs + boxes.length[pointed.index]! };
  }

  rowsBetween(clientY0: number, clientY1: number): number[] {
    const top = this.parts.overlay.getBoundingClientRect().top;
    const from = Math.min(clientY0, clientY1) - top + this.parts.viewport.scrollTop;
    const to = Math.max(clientY0, clientY1) - top + this.parts.viewport.scrollTop;
    return layout
      .peek()
      .rows.filter((row) => row.y + row.height >= from && row.y <= to)
      .map((row) => row.track.id);
  }

  /** The picture as PNG in base64; empty while there is nothing to draw. */
  picture(): string {
    const all = tracks.peek();
    if (all === undefined) return '';
    this.draw();
    const { ruler, boxes, overlay } = this.parts;
    const layers = { ruler, overlay, ...(this.renderer.kind === 'webgl2' ? { boxes } : {}) };
    return picturePng(layers, this.scene(all), this.palette);
  }
}
