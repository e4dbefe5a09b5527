// Charts as files. The colors of a chart are theme variables; a file needs the colors themselves,
// so each element's computed style is written into the copy.
import { saveFile } from '../host/host.ts';

const styles = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'display',
  'visibility',
];

function background(): string {
  const color = getComputedStyle(document.body).backgroundColor;
  return color === '' || color === 'rgba(0, 0, 0, 0)' ? 'white' : color;
}

function standalone(svg: SVGSVGElement): { text: string; width: number; height: number } {
  const box = svg.getBoundingClientRect();
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  originals.forEach((element, index) => {
    const computed = getComputedStyle(element);
    const target = copies[index]!;
    target.removeAttribute('class');
    target.removeAttribute('tabindex');
    for (const name of styles) {
      const value = computed.getPropertyValue(name);
      if (value !== '') target.setAttribute(name, value);
    }
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(box.width));
  copy.setAttribute('height', String(box.height));
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`);
  const view = copy.viewBox.baseVal;
  const backdrop = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  backdrop.setAttribute('x', String(view.x));
  backdrop.setAttribute('y', String(view.y));
  backdrop.setAttribute('width', String(view.width));
  backdrop.setAttribute('height', String(view.height));
  backdrop.setAttribute('fill', background());
  copy.insertBefore(backdrop, copy.firstChild);
  return {
    text: new XMLSerializer().serializeToString(copy),
    width: box.width,
    height: box.height,
  };
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
  saveFile(`${name}.svg`, standalone(svg).text);
}

const base64Of = (canvas: HTMLCanvasElement): string =>
  canvas.toDataURL('image/png').replace(/^data:image\/png;base64,/, '');

/** The chart as PNG at twice its size on the screen. */
export async function savePng(
  chart: SVGSVGElement | HTMLCanvasElement,
  name: string,
): Promise<void> {
  if (chart instanceof HTMLCanvasElement) {
    const copy = document.createElement('canvas');
    copy.width = chart.width;
    copy.height = chart.height;
    const context = copy.getContext('2d');
    if (context === null) return;
    context.fillStyle = background();
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(chart, 0, 0);
    saveFile(`${name}.png`, base64Of(copy), true);
    return;
  }
  const { text, width, height } = standalone(chart);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * 2));
  canvas.height = Math.max(1, Math.round(height * 2));
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  saveFile(`${name}.png`, base64Of(canvas), true);
}
