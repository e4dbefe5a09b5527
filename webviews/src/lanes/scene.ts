// What one frame of lanes shows, and where on the canvas.
import type { FlowArrow, Gap, SliceDetail, TimelineTracksResult } from '#shared/protocol.ts';
import type { Palette } from './palette.ts';
import type { CriticalPath } from './path.ts';
import type { Layout, Row } from './rows.ts';
import type { RowData } from './source.ts';
import type { TimeWindow } from './window.ts';

export interface Scene extends TimeWindow {
  width: number;
  /** Width of the column of names beside it. */
  namesPx: number;
  height: number;
  scroll: number;
  layout: Layout;
  data: ReadonlyMap<number, RowData>;
  tracks: TimelineTracksResult;
  detail: SliceDetail | undefined;
  arrows: readonly FlowArrow[];
  gaps: readonly Gap[];
  gapsDevice: number | null;
  instant: { ns: number; track: number | null } | undefined;
  mark: TimeWindow | null;
  found: ReadonlySet<number>;
  path?: CriticalPath | undefined;
}

/** One row of a frame, and what draws it. */
export interface RowPaint {
  context: CanvasRenderingContext2D;
  scene: Scene;
  row: Row;
  data: RowData;
  palette: Palette;
}

export const rulerHeight = 24;

export function visibleRows(scene: Scene, margin = 0): Row[] {
  return scene.layout.rows.filter(
    (row) =>
      row.y + row.height >= scene.scroll - margin && row.y <= scene.scroll + scene.height + margin,
  );
}

export const x = (scene: Scene, ns: number): number =>
  ((ns - scene.startNs) / (scene.endNs - scene.startNs)) * scene.width;
