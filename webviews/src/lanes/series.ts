// Rows that are curves: utilization, memory, counters.
import { quantity } from '#shared/numbers.ts';
import { commonTexts } from '../lib/texts.ts';
import { css } from '../widgets/hues.ts';
import type { Row } from './rows.ts';
import { sampled } from './sampling.ts';
import type { RowPaint, Scene } from './scene.ts';
import type { RowData } from './source.ts';

export function drawSeries({ context, scene, row, data, palette }: RowPaint): void {
  const series = data.series;
  if (series === undefined) return;
  const top = row.y - scene.scroll;
  const most = Math.max(row.track.maxValue ?? 0, ...(row.track.unit === 'ratio' ? [1] : []), 1e-12);
  const y = (value: number): number =>
    top + row.height - 1 - (Math.max(0, value) / most) * (row.height - 3);
  const { startNs, endNs, width } = scene;
  const until = Math.min(data.endNs, scene.tracks.endNs);
  const { value } = sampled(series, until, startNs, endNs, Math.max(1, Math.round(width)));
  const bottom = top + row.height;
  // Pixels of one value as one rectangle. No line along their sides: where values change from pixel
  // to pixel it would fill the row up to the higher ones.
  const each = width / value.length;
  context.fillStyle = palette.series;
  for (let from = 0, to = 0; from < value.length; from = to) {
    const held = value[from]!;
    while (to < value.length && Object.is(value[to], held)) to++;
    if (Number.isNaN(held)) continue;
    const at = y(held);
    context.globalAlpha = 0.55;
    context.fillRect(from * each, at, (to - from) * each, bottom - at);
    context.globalAlpha = 1;
    context.fillRect(from * each, at - 0.5, (to - from) * each, 1);
  }
  if (row.height >= 30) {
    // On a ground of its own: the curve may be as high as the text.
    const text = seriesValue(row, most);
    const wide = context.measureText(text).width + 8;
    context.fillStyle = css(palette.background);
    context.globalAlpha = 0.8;
    context.fillRect(scene.width - wide, top + 1, wide, 14);
    context.globalAlpha = 1;
    context.fillStyle = palette.muted;
    context.textAlign = 'right';
    context.fillText(text, scene.width - 4, top + 8);
    context.textAlign = 'left';
  }
}

/** What a series shows at a column of pixels that begins at `startNs`; nothing where it is unknown. */
export function seriesAt(
  scene: Pick<Scene, 'tracks'>,
  row: Row,
  data: RowData,
  startNs: number,
  endNs: number,
): string | undefined {
  const { series } = data;
  if (series === undefined) return undefined;
  const until = Math.min(data.endNs, scene.tracks.endNs);
  const { value, low } = sampled(series, until, startNs, endNs, 1);
  if (Number.isNaN(value[0])) return undefined;
  const most = seriesValue(row, value[0]!);
  return low[0] === value[0] ? most : commonTexts.fromTo(seriesValue(row, low[0]!), most);
}

export function seriesValue(row: Row, value: number): string {
  switch (row.track.unit) {
    case 'ratio':
      return quantity(value, 'ratio');
    case 'bytes':
      return quantity(value, 'bytes');
    case 'gbPerS':
      return quantity(value, 'gbPerS');
    case 'count':
      return quantity(value, 'count');
    default:
      return quantity(value, '');
  }
}
