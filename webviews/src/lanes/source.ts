// Boxes and series for what is on the screen: asked for a little wider than the window, kept per row
// until something better has come, so that moving never shows an empty picture.
import { ask } from '../host/query.ts';
import { CancelledError } from '../host/host.ts';
import type { BoxBlock } from '../gl/boxes.ts';
import type { PageParams } from '#shared/requests.ts';
import type { TimelineBoxes, TimelineSeries, TimelineWindowResult } from '#shared/protocol.ts';
import { visible } from '../lib/format.ts';
import { shortName } from '#shared/names.ts';
import { boxColor, type Palette } from './palette.ts';
import { widened, type View } from './sampling.ts';

export interface RowData {
  startNs: number;
  endNs: number;
  nsPerPixel: number;
  boxes: TimelineBoxes | undefined;
  /** As recorded; `shown` holds the short form of each. */
  names: readonly string[];
  shown: readonly string[];
  kinds: readonly string[];
  block: BoxBlock | undefined;
  series: TimelineSeries | undefined;
}

export type BoxShape = (
  boxes: TimelineBoxes,
  names: readonly string[],
  kinds: readonly string[],
) => TimelineBoxes;

export type WindowReader = (
  params: PageParams<'timeline/window'>,
  signal: AbortSignal,
) => Promise<TimelineWindowResult>;

const rowsPerRequest = 6;
const mostRequests = 3;

/** Boxes as arrays for the renderer, relative to the reply's start to keep single precision exact enough. */
export function makeBlock(
  boxes: TimelineBoxes,
  names: readonly string[],
  kinds: readonly string[],
  startNs: number,
  endNs: number,
  palette: Palette,
): BoxBlock {
  const count = boxes.start.length;
  const spans = new Float32Array(2 * count);
  const lanes = new Uint16Array(count);
  const colors = new Uint8Array(3 * count);
  const width = endNs - startNs;
  const known = new Map<number, readonly [number, number, number]>();
  for (let i = 0; i < count; i++) {
    const start = boxes.start[i]! - startNs;
    const end = start + boxes.length[i]!;
    // What lies far outside is cut: its distance would cost the precision of what is inside.
    spans[2 * i] = Math.max(start, -width);
    spans[2 * i + 1] = Math.min(end, 2 * width);
    lanes[i] = Math.min(65535, boxes.lane[i]!);
    const key = boxes.kind[i]! * 0x1000000 + boxes.name[i]!;
    let color = known.get(key);
    if (color === undefined) {
      color = boxColor(palette, kinds[boxes.kind[i]!] ?? '', names[boxes.name[i]!] ?? '');
      known.set(key, color);
    }
    colors.set(color, 3 * i);
  }
  return { count, originNs: startNs, spans, lanes, colors };
}

export class WindowSource {
  readonly rows = new Map<number, RowData>();
  private readonly running = new Map<AbortController, { tracks: number[]; view: View }>();
  private wanted: { view: View; tracks: number[]; series: ReadonlySet<number> } | undefined;
  private readonly palette: () => Palette;
  private readonly changed: () => void;
  private readonly failed: (error: unknown) => void;
  private readonly shape: BoxShape;
  private readonly read: WindowReader;

  /**
   * `shape` may leave boxes out or move them to other lanes before they are kept; `read` asks where the
   * page has more than one trace.
   */
  constructor(
    palette: () => Palette,
    changed: () => void,
    failed: (error: unknown) => void,
    shape: BoxShape = (boxes) => boxes,
    read: WindowReader = (params, signal) => ask('timeline/window', params, signal),
  ) {
    this.palette = palette;
    this.changed = changed;
    this.failed = failed;
    this.shape = shape;
    this.read = read;
  }

  /**
   * Tells what is on the screen now. Rows of `series` are asked for one by one: rows of a request
   * share what a reply may hold, and a series needs a value for each pixel.
   */
  want(view: View, tracks: number[], series: ReadonlySet<number> = new Set()): void {
    this.wanted = { view, tracks, series };
    for (const [abort, request] of this.running) {
      // Answers to a window that no longer touches the screen help nobody.
      const apart = request.view.endNs < view.startNs || request.view.startNs > view.endNs;
      const coarse =
        (request.view.endNs - request.view.startNs) / request.view.pixels >
        (4 * (view.endNs - view.startNs)) / view.pixels;
      if (apart || coarse) {
        this.running.delete(abort);
        abort.abort();
      }
    }
    this.pump();
  }

  /** True when everything on the screen is drawn as finely as it can be. */
  get settled(): boolean {
    return this.running.size === 0 && this.missing().length === 0;
  }

  private fine(data: RowData | undefined, view: View): boolean {
    if (data === undefined) return false;
    const nsPerPixel = (view.endNs - view.startNs) / view.pixels;
    // A box a little too coarse is in its place all the same; a mean over more than its pixel is not
    // the pixel's.
    const coarser = data.series === undefined ? 1.3 : 1.001;
    return (
      data.startNs <= view.startNs &&
      data.endNs >= view.endNs &&
      data.nsPerPixel <= nsPerPixel * coarser
    );
  }

  private missing(): number[] {
    if (this.wanted === undefined) return [];
    const { view, tracks } = this.wanted;
    const busy = new Set([...this.running.values()].flatMap((request) => request.tracks));
    return tracks.filter((track) => !busy.has(track) && !this.fine(this.rows.get(track), view));
  }

  private pump(): void {
    if (this.wanted === undefined) return;
    const { view, series } = this.wanted;
    const missing = this.missing();
    const ofSlices = missing.filter((track) => !series.has(track));
    const requests = missing.filter((track) => series.has(track)).map((track) => [track]);
    while (ofSlices.length > 0) requests.unshift(ofSlices.splice(-rowsPerRequest));
    for (const tracks of requests) {
      if (this.running.size >= mostRequests) break;
      const asked = widened(view);
      const abort = new AbortController();
      this.running.set(abort, { tracks, view: asked });
      this.read({ ...asked, tracks }, abort.signal).then(
        (value) => {
          this.running.delete(abort);
          this.take(value, asked, tracks);
          this.changed();
          this.pump();
        },
        (error: unknown) => {
          const current = this.running.delete(abort);
          if (!(error instanceof CancelledError)) this.failed(error);
          else if (current) this.pump();
        },
      );
    }
  }

  private take(result: TimelineWindowResult, asked: View, tracks: readonly number[]): void {
    // Once here instead of in every frame.
    const names = result.names.map(visible);
    const common = {
      startNs: asked.startNs,
      endNs: asked.endNs,
      nsPerPixel: (asked.endNs - asked.startNs) / asked.pixels,
      names,
      shown: result.names.map((name) => visible(shortName(name))),
      kinds: result.kinds,
    };
    for (const track of tracks) {
      this.rows.set(track, { ...common, boxes: undefined, block: undefined, series: undefined });
    }
    for (const recorded of result.rows) {
      const boxes = this.shape(recorded, names, result.kinds);
      const block = makeBlock(
        boxes,
        names,
        result.kinds,
        asked.startNs,
        asked.endNs,
        this.palette(),
      );
      this.rows.set(boxes.track, { ...common, boxes, block, series: undefined });
    }
    for (const series of result.series) {
      const known = this.rows.get(series.track);
      this.rows.set(series.track, { ...common, boxes: known?.boxes, block: known?.block, series });
    }
  }

  /** After a change of theme: the same boxes in new colors. */
  recolor(): void {
    for (const [track, data] of this.rows) {
      if (data.boxes === undefined) continue;
      const block = makeBlock(
        data.boxes,
        data.names,
        data.kinds,
        data.startNs,
        data.endNs,
        this.palette(),
      );
      this.rows.set(track, { ...data, block });
    }
  }

  clear(): void {
    for (const abort of this.running.keys()) abort.abort();
    this.running.clear();
    this.rows.clear();
    this.wanted = undefined;
  }
}
