// The drawing part of the timeline: canvases, the names of rows beside them, pointer and wheel.
import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { createBoxRenderer, type BoxRenderer } from '../../gl/boxes.ts';
import { CancelledError } from '../../host/host.ts';
import { ask } from '../../host/query.ts';
import { epoch, failureOf, reducedMotion } from '../../host/store.ts';
import { quantity, visible } from '../../lib/format.ts';
import {
  headingLeft,
  labelWidth,
  layoutRows,
  movedOrder,
  rowAt,
  rowKey,
  type Layout,
  type Row,
} from './layout.ts';
import {
  MinimapBars,
  drawBoxes,
  drawMinimap,
  drawOverlay,
  drawRuler,
  rulerHeight,
  seriesAt,
  visibleRows,
  type Scene,
} from './painter.ts';
import { readPalette, type Palette } from './palette.ts';
import { WindowSource } from './source.ts';
import {
  allFlows,
  arrows,
  detail,
  extentOf,
  fit,
  found,
  gaps,
  gapsDevice,
  markedRange,
  panel,
  prefs,
  reveal,
  rowFilter,
  scrollTop,
  select,
  selectInstant,
  setWindow,
  showGaps,
  shownInstant,
  shownWindow,
  togglePref,
  tracks,
  zoom,
  type Tracks,
} from './state.ts';
import type { FlowArrow, TimelineDensityResult } from '#shared/protocol.ts';

const minimapHeight = 34;

interface Pointed {
  track: number;
  index: number;
  x: number;
  y: number;
  text: string;
}

/** Frame times of the last drawing, for the help panel and for tests. */
export const frameStats = { frames: 0, drawMs: [] as number[], renderer: '' };

export const layout = signal<Layout>({ rows: [], headings: [], height: 0, hidden: 0 });
const tip = signal<Pointed | undefined>(undefined);
export const problem = signal<string>('');
/** How many arrows of the window are drawn, of how many. */
export const windowArrowCount = signal({ shown: 0, total: 0 });
/** Grows when boxes or series have come: what shows them otherwise than as a picture asks again. */
export const arrived = signal(0);

export function failed(error: unknown): void {
  if (!(error instanceof CancelledError)) problem.value = failureOf(error).message;
}
/** True when everything on the screen is drawn as finely as it can be. */
export const settled = signal(false);

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
  private windowArrows: readonly FlowArrow[] = [];
  private flowTimer: ReturnType<typeof setTimeout> | undefined;
  private flowAbort: AbortController | undefined;
  private densityAbort: AbortController | undefined;
  private pixelRatio: MediaQueryList | undefined;

  constructor(parts: StageParts) {
    this.parts = parts;
    const context = (canvas: HTMLCanvasElement): CanvasRenderingContext2D => {
      const made = canvas.getContext('2d');
      if (made === null) throw new Error('This page has no canvas to draw on.');
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
          all === undefined
            ? { rows: [], headings: [], height: 0, hidden: 0 }
            : layoutRows(all.tracks, prefs.value, rowFilter.value);
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
        ];
        this.redraw();
      }),
      effect(() => {
        void [allFlows.value, shownWindow.value, epoch.value];
        clearTimeout(this.flowTimer);
        this.flowTimer = setTimeout(() => void this.fetchFlows(), 200);
      }),
      effect(() => {
        void epoch.value;
        this.source.clear();
        void this.fetchDensity();
      }),
      effect(() => {
        if (reveal.value > 0) this.reveal();
      }),
    );
    rescaled();
    parts.viewport.scrollTop = scrollTop.peek();
  }

  dispose(): void {
    this.disposed = true;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.flowTimer);
    this.flowAbort?.abort();
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

  private async fetchFlows(): Promise<void> {
    this.flowAbort?.abort();
    const abort = new AbortController();
    this.flowAbort = abort;
    let found: readonly FlowArrow[] = [];
    let total = 0;
    if (allFlows.peek()) {
      const { startNs, endNs } = shownWindow.peek();
      const answer = await ask(
        'timeline/flows',
        { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) },
        abort.signal,
      ).catch(() => ({ arrows: [], total: 0 }));
      if (abort.signal.aborted) return;
      found = answer.arrows;
      total = answer.total;
    }
    windowArrowCount.value = { shown: found.length, total };
    if (found.length === 0 && this.windowArrows.length === 0) return;
    this.windowArrows = found;
    this.redraw();
  }

  private resize(): void {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const { viewport } = this.parts;
    this.width = Math.max(50, viewport.clientWidth - labelWidth);
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
    size(this.parts.minimap, this.minimap, this.width + labelWidth, minimapHeight);
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
      height: this.height,
      startNs: shownWindow.peek().startNs,
      endNs: shownWindow.peek().endNs,
      scroll: this.parts.viewport.scrollTop,
      layout: layout.peek(),
      data: this.source.rows,
      tracks: all,
      detail: detail.peek(),
      arrows:
        this.windowArrows.length > 0 ? [...this.windowArrows, ...arrows.peek()] : arrows.peek(),
      gaps: showGaps.peek() ? gaps.peek() : [],
      gapsDevice: gapsDevice.peek(),
      instant: shownInstant.peek(),
      mark: markedRange.peek(),
      found: found.peek(),
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
      this.width + labelWidth,
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

  /** Box or series value under the pointer. */
  pointed(
    clientX: number,
    clientY: number,
  ): { slice: number; instant: number; pointed: Pointed } | undefined {
    const box = this.parts.overlay.getBoundingClientRect();
    const y = clientY - box.top + this.parts.viewport.scrollTop;
    const row = rowAt(layout.peek().rows, y);
    if (row === undefined) return undefined;
    const data = this.source.rows.get(row.track.id);
    if (data === undefined) return undefined;
    const ns = this.nsAt(clientX);
    const nsPerPixel = (shownWindow.peek().endNs - shownWindow.peek().startNs) / this.width;
    const at = { track: row.track.id, x: clientX - box.left, y: clientY - box.top };
    const all = tracks.peek();
    if (data.series !== undefined && all !== undefined) {
      // Of the column of pixels under the pointer, as it is drawn.
      const column = Math.floor(clientX - box.left);
      const from = shownWindow.peek().startNs + column * nsPerPixel;
      const value = seriesAt({ tracks: all }, row, data, from, from + nsPerPixel);
      if (value === undefined) return undefined;
      const text = `${row.track.name}\n${value} at ${quantity(ns, 'ns')}`;
      return { slice: -1, instant: -1, pointed: { ...at, index: column, text } };
    }
    const boxes = data.boxes;
    if (boxes === undefined) return undefined;
    const lane = Math.floor((y - row.y) / row.laneHeight);
    if (y - row.y < 8) {
      const instant = boxes.instants.find((one) => Math.abs(one.ns - ns) < 4 * nsPerPixel);
      if (instant !== undefined) {
        const text =
          instant.count > 1
            ? `${instant.count} instants, the first ${data.names[instant.name] ?? ''}\nat ${quantity(instant.ns, 'ns')}`
            : `${data.names[instant.name] ?? ''}\nat ${quantity(instant.ns, 'ns')}`;
        return { slice: -1, instant: instant.index, pointed: { ...at, index: -1, text } };
      }
    }
    let best = -1;
    for (let i = 0; i < boxes.start.length; i++) {
      if (row.open && boxes.lane[i] !== lane) continue;
      const start = boxes.start[i]!;
      if (
        ns < start - nsPerPixel ||
        ns > start + Math.max(boxes.length[i]!, nsPerPixel) + nsPerPixel
      )
        continue;
      // The one that holds the pointer, the innermost where rows are folded.
      if (best < 0 || boxes.length[i]! <= boxes.length[best]!) best = i;
    }
    if (best < 0) return undefined;
    const name = visible(data.names[boxes.name[best]!] ?? '');
    const count = boxes.count[best]!;
    const text =
      count > 1
        ? `${count} slices, the longest ${name}\nzoom in to see them`
        : `${name}\n${quantity(boxes.length[best]!, 'ns')} at ${quantity(boxes.start[best]!, 'ns')}`;
    return { slice: boxes.slice[best]!, instant: -1, pointed: { ...at, index: best, text } };
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

  /** Brings the selected slice into the window and its row onto the screen. */
  private reveal(): void {
    const at = detail.peek();
    if (at === undefined) return;
    const { startNs, endNs } = shownWindow.peek();
    const span = endNs - startNs;
    const end = at.startNs + at.durationNs;
    if (end < startNs || at.startNs > endNs || at.durationNs < span / 2000) {
      const wide = Math.max(at.durationNs * 12, Math.min(span, at.durationNs * 400), 1000);
      setWindow(
        at.startNs + at.durationNs / 2 - wide / 2,
        at.startNs + at.durationNs / 2 + wide / 2,
      );
    }
    let row = layout.peek().rows.find((candidate) => candidate.track.id === at.track);
    if (row === undefined) {
      const hidden = tracks.peek()?.tracks.find((track) => track.id === at.track);
      if (hidden !== undefined && prefs.peek().hidden.includes(rowKey(hidden))) {
        togglePref('hidden', rowKey(hidden));
      }
      rowFilter.value = '';
      row = layout.peek().rows.find((candidate) => candidate.track.id === at.track);
    }
    if (row === undefined) return;
    if (!row.open) {
      togglePref('toggled', row.key);
      row = layout.peek().rows.find((candidate) => candidate.track.id === at.track)!;
    }
    const { viewport } = this.parts;
    const top = row.y + at.lane * row.laneHeight;
    if (top < viewport.scrollTop || top + row.laneHeight > viewport.scrollTop + this.height) {
      // The layout may still be growing: scroll once it is in the page.
      requestAnimationFrame(() => {
        viewport.scrollTo({
          top: Math.max(0, top - this.height / 3),
          behavior: reducedMotion.peek() ? 'instant' : 'auto',
        });
      });
    }
  }

  /** The picture as PNG: names of rows, ruler and boxes. */
  picture(): string {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    const canvas = document.createElement('canvas');
    canvas.width = Math.round((this.width + labelWidth) * ratio);
    canvas.height = Math.round((this.height + rulerHeight) * ratio);
    const context = canvas.getContext('2d');
    if (context === null) return '';
    this.draw();
    const style = getComputedStyle(document.body);
    context.fillStyle =
      style.getPropertyValue('--vscode-editor-background') || style.backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(this.parts.ruler, labelWidth * ratio, 0);
    if (this.renderer.kind === 'webgl2')
      context.drawImage(this.parts.boxes, labelWidth * ratio, rulerHeight * ratio);
    context.drawImage(this.parts.overlay, labelWidth * ratio, rulerHeight * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.textBaseline = 'top';
    context.fillStyle = this.palette.text;
    context.font = `600 ${this.palette.fontSize} ${this.palette.font}`;
    for (const heading of layout.peek().headings) {
      const y = heading.y - this.parts.viewport.scrollTop + rulerHeight;
      if (y > rulerHeight - 5 && y < this.height + rulerHeight)
        context.fillText(visible(heading.text), headingLeft, y + 4);
    }
    context.font = `12px ${this.palette.font}`;
    for (const row of layout.peek().rows) {
      const y = row.y - this.parts.viewport.scrollTop + rulerHeight;
      if (y > rulerHeight - 5 && y < this.height + rulerHeight)
        context.fillText(visible(row.track.name), 8, y + 3, labelWidth - 12);
    }
    return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
  }
}

interface StageParts {
  viewport: HTMLElement;
  boxes: HTMLCanvasElement;
  overlay: HTMLCanvasElement;
  ruler: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
}

function moveRow(row: Row, by: -1 | 1): void {
  const all = tracks.peek();
  if (all === undefined) return;
  const order = movedOrder(all.tracks, prefs.peek(), layout.peek().rows, row.key, by);
  prefs.value = { ...prefs.peek(), order };
}

function Labels() {
  const { rows, headings } = layout.value;
  return (
    <div class="tl-labels" style={{ width: `${labelWidth}px` }}>
      {headings.map((heading) => (
        <div
          key={heading.text}
          class="tl-heading"
          style={{ top: `${heading.y}px` }}
          title={heading.text}
        >
          {visible(heading.text)}
        </div>
      ))}
      {rows.map((row) => (
        <div
          key={row.track.id}
          class={`tl-label ${row.open ? 'open' : ''}`}
          style={{ top: `${row.y}px`, height: `${row.height}px` }}
        >
          <button
            type="button"
            class="tl-fold"
            aria-expanded={row.open}
            aria-label={`${row.track.name}, ${row.track.slices} slices`}
            title={`${row.track.name}\n${row.track.detail}`}
            onClick={() => togglePref('toggled', row.key)}
          >
            <span class={`codicon-chevron ${row.open ? 'down' : ''}`} aria-hidden="true" />
            <span class="tl-name">{visible(row.track.name)}</span>
          </button>
          <span class="tl-actions">
            <button
              type="button"
              title={row.pinned ? 'Unpin' : 'Pin to the top'}
              aria-label={`${row.pinned ? 'Unpin' : 'Pin'} ${row.track.name}`}
              aria-pressed={row.pinned}
              onClick={() => togglePref('pinned', row.key)}
            >
              {row.pinned ? '\u25cf' : '\u25cb'}
            </button>
            <button
              type="button"
              title="Move up"
              aria-label={`Move ${row.track.name} up`}
              onClick={() => moveRow(row, -1)}
            >
              {'\u2191'}
            </button>
            <button
              type="button"
              title="Move down"
              aria-label={`Move ${row.track.name} down`}
              onClick={() => moveRow(row, 1)}
            >
              {'\u2193'}
            </button>
            <button
              type="button"
              title="Hide"
              aria-label={`Hide ${row.track.name}`}
              onClick={() => togglePref('hidden', row.key)}
            >
              {'\u00d7'}
            </button>
          </span>
        </div>
      ))}
    </div>
  );
}

type Drag =
  | {
      kind: 'pan';
      x: number;
      y: number;
      startNs: number;
      endNs: number;
      scroll: number;
      moved: boolean;
    }
  | { kind: 'mark'; fromNs: number; y: number; moved: boolean };

export function StageView(props: {
  onReady: (stage: Stage | undefined) => void;
  onKeyDown: (event: KeyboardEvent) => void;
}) {
  const viewport = useRef<HTMLDivElement>(null);
  const boxes = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const ruler = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const stage = useRef<Stage>(undefined);
  const drag = useRef<Drag>(undefined);

  useEffect(() => {
    const made = new Stage({
      viewport: viewport.current!,
      boxes: boxes.current!,
      overlay: overlay.current!,
      ruler: ruler.current!,
      minimap: minimap.current!,
    });
    stage.current = made;
    props.onReady(made);
    const wheel = (event: WheelEvent): void => {
      // Over the names of rows the page scrolls as anywhere else.
      if (event.clientX < overlay.current!.getBoundingClientRect().left) return;
      const scale = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
      const dx = event.deltaX * scale;
      const dy = event.deltaY * scale;
      if (event.shiftKey && !event.ctrlKey) {
        event.preventDefault();
        viewport.current!.scrollTop += dy === 0 ? dx : dy;
        return;
      }
      event.preventDefault();
      if (Math.abs(dx) > Math.abs(dy) && !event.ctrlKey) {
        const { startNs, endNs } = shownWindow.peek();
        const by = (dx / overlay.current!.clientWidth) * (endNs - startNs);
        setWindow(startNs + by, endNs + by);
      } else {
        zoom(
          Math.exp(Math.max(-120, Math.min(120, dy)) * (event.ctrlKey ? 0.01 : 0.003)),
          made.nsAt(event.clientX),
        );
      }
    };
    viewport.current!.addEventListener('wheel', wheel, { passive: false });
    const element = viewport.current!;
    return () => {
      element.removeEventListener('wheel', wheel);
      props.onReady(undefined);
      made.dispose();
    };
  }, []);

  const down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    overlay.current!.focus({ preventScroll: true });
    overlay.current!.setPointerCapture(event.pointerId);
    const { startNs, endNs } = shownWindow.peek();
    drag.current = event.shiftKey
      ? { kind: 'mark', fromNs: stage.current!.nsAt(event.clientX), y: event.clientY, moved: false }
      : {
          kind: 'pan',
          x: event.clientX,
          y: event.clientY,
          startNs,
          endNs,
          scroll: viewport.current!.scrollTop,
          moved: false,
        };
    tip.value = undefined;
  };
  const move = (event: PointerEvent): void => {
    const now = drag.current;
    const at = stage.current;
    if (at === undefined) return;
    if (now === undefined) {
      tip.value = at.pointed(event.clientX, event.clientY)?.pointed;
      return;
    }
    if (now.kind === 'pan') {
      if (!now.moved && Math.abs(event.clientX - now.x) + Math.abs(event.clientY - now.y) < 4)
        return;
      now.moved = true;
      const by =
        ((now.x - event.clientX) / overlay.current!.clientWidth) * (now.endNs - now.startNs);
      setWindow(now.startNs + by, now.endNs + by);
      viewport.current!.scrollTop = now.scroll + now.y - event.clientY;
    } else {
      now.moved = true;
      const ns = at.nsAt(event.clientX);
      markedRange.value = {
        startNs: Math.round(Math.min(now.fromNs, ns)),
        endNs: Math.round(Math.max(now.fromNs, ns)),
        ...(Math.abs(event.clientY - now.y) > 12
          ? { tracks: at.rowsBetween(now.y, event.clientY) }
          : {}),
      };
    }
  };
  const up = (event: PointerEvent): void => {
    const now = drag.current;
    drag.current = undefined;
    const at = stage.current;
    if (at === undefined || now === undefined) return;
    if (now.moved) {
      if (now.kind === 'mark') panel.value = 'details';
      return;
    }
    const hit = at.pointed(event.clientX, event.clientY);
    if (hit === undefined || hit.slice < 0) {
      if (hit !== undefined && hit.instant >= 0) void selectInstant(hit.instant).catch(failed);
      else void select(-1);
    } else {
      void select(hit.slice, false).catch(failed);
    }
  };
  const double = (event: MouseEvent): void => {
    const hit = stage.current?.pointed(event.clientX, event.clientY);
    const data =
      hit === undefined ? undefined : stage.current!.source.rows.get(hit.pointed.track)?.boxes;
    if (hit === undefined || data === undefined || hit.pointed.index < 0) return;
    const start = data.start[hit.pointed.index]!;
    fit(start, start + data.length[hit.pointed.index]!);
  };
  const seek = (event: PointerEvent): void => {
    if (event.buttons !== 1 || tracks.peek() === undefined) return;
    const box = minimap.current!.getBoundingClientRect();
    const extent = extentOf(tracks.peek()!);
    const ns =
      extent.startNs + ((event.clientX - box.left) / box.width) * (extent.endNs - extent.startNs);
    const { startNs, endNs } = shownWindow.peek();
    setWindow(ns - (endNs - startNs) / 2, ns + (endNs - startNs) / 2);
  };
  const shown = tip.value;
  return (
    <div class="tl-stage">
      <canvas
        ref={minimap}
        class="tl-minimap"
        role="img"
        aria-label="Whole trace: device work over time, with the window that is shown. Drag to move it."
        onPointerDown={seek}
        onPointerMove={seek}
      />
      <div class="tl-ruler" style={{ paddingLeft: `${labelWidth}px` }}>
        <canvas
          ref={ruler}
          role="img"
          aria-label="Time since the start of the trace, with the steps"
        />
      </div>
      <div
        ref={viewport}
        class="tl-viewport"
        onScroll={() => {
          scrollTop.value = viewport.current!.scrollTop;
          stage.current?.redraw();
        }}
      >
        <div class="tl-content" style={{ height: `${layout.value.height}px` }}>
          <Labels />
          <div class="tl-sticky" style={{ marginLeft: `${labelWidth}px` }}>
            <canvas ref={boxes} class="tl-boxes" aria-hidden="true" />
            <canvas
              ref={overlay}
              class="tl-overlay"
              tabIndex={0}
              role="application"
              aria-label="Timeline. Press question mark for the keys; the visible slices are also in the table panel."
              onPointerDown={down}
              onPointerMove={move}
              onPointerUp={up}
              onPointerLeave={() => {
                tip.value = undefined;
              }}
              onDblClick={double}
              onKeyDown={props.onKeyDown}
            />
            {shown === undefined ? null : (
              <div
                class="tl-tip"
                style={{
                  left: `${Math.min(shown.x + 12, Math.max(0, (overlay.current?.clientWidth ?? 400) - 320))}px`,
                  top: `${shown.y + 16}px`,
                }}
              >
                {shown.text}
              </div>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}
