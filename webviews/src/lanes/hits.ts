// What is under the pointer: a box, an instant, or a value of a series.
import { commonTexts } from '../lib/texts.ts';
import { rowAt, type Row } from './rows.ts';
import type { Scene } from './scene.ts';
import { seriesAt } from './series.ts';
import type { RowData } from './source.ts';
import { laneTexts } from './texts.ts';

/** What a tooltip says, and where. */
export interface Pointed {
  track: number;
  /** Index of the box in its row; -1 for an instant. */
  index: number;
  x: number;
  y: number;
  text: string;
}

/** -1 for what is none. */
export interface Hit {
  slice: number;
  instant: number;
  pointed: Pointed;
}

/** How near the pointer must be to an instant's mark, pixels. */
const nearPx = 4;
const instantPx = 8;

interface At {
  scene: Scene;
  row: Row;
  data: RowData;
  x: number;
  y: number;
  ns: number;
  nsPerPixel: number;
}

function hit(at: At, index: number, text: string, slice = -1, instant = -1): Hit {
  const pointed = { track: at.row.track.id, index, x: at.x, y: at.y, text };
  return { slice, instant, pointed };
}

/** Of the column of pixels under the pointer, as it is drawn. */
function seriesHit(at: At): Hit | undefined {
  const { scene, row, data, nsPerPixel } = at;
  const column = Math.floor(at.x);
  const from = scene.startNs + column * nsPerPixel;
  const value = seriesAt(scene, row, data, from, from + nsPerPixel);
  return value === undefined
    ? undefined
    : hit(at, column, laneTexts.valueAt(row.track.name, value, at.ns));
}

function instantHit(at: At): Hit | undefined {
  const { data, ns, nsPerPixel } = at;
  const instant = data.boxes?.instants.find((one) => Math.abs(one.ns - ns) < nearPx * nsPerPixel);
  if (instant === undefined) return undefined;
  const name = data.shown[instant.name] ?? '';
  const first = instant.count > 1 ? commonTexts.instantsTheFirst(instant.count, name) : name;
  return hit(at, -1, laneTexts.instantAt(first, instant.ns), -1, instant.index);
}

/** The box that holds the pointer, the innermost where rows are folded. */
function boxHit(at: At, lane: number): Hit | undefined {
  const { row, data, ns, nsPerPixel } = at;
  const { boxes } = data;
  if (boxes === undefined) return undefined;
  let best = -1;
  for (let i = 0; i < boxes.start.length; i++) {
    if (row.open && boxes.lane[i] !== lane) continue;
    const start = boxes.start[i]!;
    const end = start + Math.max(boxes.length[i]!, nsPerPixel);
    if (ns < start - nsPerPixel || ns > end + nsPerPixel) continue;
    if (best < 0 || boxes.length[i]! <= boxes.length[best]!) best = i;
  }
  if (best < 0) return undefined;
  const name = data.shown[boxes.name[best]!] ?? '';
  const whole = data.names[boxes.name[best]!] ?? '';
  const count = boxes.count[best]!;
  const said =
    count > 1
      ? laneTexts.slicesTheLongest(count, name)
      : commonTexts.nameLengthAndStart(name, boxes.length[best]!, boxes.start[best]!);
  const text = whole === name ? said : `${said}\n${whole}`;
  return hit(at, best, text, boxes.slice[best]!);
}

/** What is at a place of the drawing, CSS pixels from its corner. */
export function hitAt(scene: Scene, x: number, y: number): Hit | undefined {
  const row = rowAt(scene.layout.rows, y + scene.scroll);
  const data = row === undefined ? undefined : scene.data.get(row.track.id);
  if (row === undefined || data === undefined) return undefined;
  const nsPerPixel = (scene.endNs - scene.startNs) / scene.width;
  const at = { scene, row, data, x, y, ns: scene.startNs + x * nsPerPixel, nsPerPixel };
  if (data.series !== undefined) return seriesHit(at);
  const inRow = y + scene.scroll - row.y;
  const instant = inRow < instantPx ? instantHit(at) : undefined;
  return instant ?? boxHit(at, Math.floor(inRow / row.laneHeight));
}
