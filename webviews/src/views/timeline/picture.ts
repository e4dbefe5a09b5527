// The timeline as one picture: names of rows, ruler and boxes.
import { visible } from '../../lib/format.ts';
import type { Palette } from '../../lanes/palette.ts';
import { headingLeft } from '../../lanes/rows.ts';
import { rulerHeight, type Scene } from '../../lanes/scene.ts';

/** As PNG in base64; `boxes` is absent where they lie on the overlay. */
export function picturePng(
  parts: { ruler: HTMLCanvasElement; boxes?: HTMLCanvasElement; overlay: HTMLCanvasElement },
  scene: Scene,
  palette: Palette,
): string {
  const { namesPx } = scene;
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round((scene.width + namesPx) * ratio);
  canvas.height = Math.round((scene.height + rulerHeight) * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return '';
  const style = getComputedStyle(document.body);
  context.fillStyle = style.getPropertyValue('--vscode-editor-background') || style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(parts.ruler, namesPx * ratio, 0);
  for (const layer of [parts.boxes, parts.overlay]) {
    if (layer !== undefined) context.drawImage(layer, namesPx * ratio, rulerHeight * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = 'top';
  context.fillStyle = palette.text;
  const text = (at: number, write: (y: number) => void): void => {
    const y = at - scene.scroll + rulerHeight;
    if (y > rulerHeight - 5 && y < scene.height + rulerHeight) write(y);
  };
  context.font = `600 ${palette.fontSize} ${palette.font}`;
  for (const heading of scene.layout.headings) {
    text(heading.y, (y) => context.fillText(visible(heading.text), headingLeft, y + 4));
  }
  context.font = `12px ${palette.font}`;
  for (const row of scene.layout.rows) {
    text(row.y, (y) => context.fillText(visible(row.track.name), 8, y + 3, namesPx - 12));
  }
  return canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');
}
