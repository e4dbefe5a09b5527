// Colours of boxes, read from the theme once and again when it changes.
import { nameHash } from '../../lib/colors.ts';

export type Rgb = [number, number, number];

export interface Palette {
  background: Rgb;
  foreground: Rgb;
  muted: string;
  border: string;
  focus: string;
  text: string;
  font: string;
  fontSize: string;
  highContrast: boolean;
  kinds: Map<string, Rgb>;
  series: string;
}

const variables: Record<string, string> = {
  kernel: '--vscode-charts-blue',
  memcpy: '--vscode-charts-yellow',
  memset: '--vscode-charts-yellow',
  deviceOther: '--vscode-charts-blue',
  gpuUserAnnotation: '--vscode-charts-purple',
  userAnnotation: '--vscode-charts-purple',
  cpuOp: '--vscode-charts-green',
  runtime: '--vscode-charts-orange',
  driver: '--vscode-charts-orange',
  pythonFunction: '--vscode-descriptionForeground',
  overhead: '--vscode-charts-red',
  sync: '--vscode-charts-red',
  collective: '--vscode-charts-purple',
};

let probe: CanvasRenderingContext2D | null | undefined;

/** Any CSS colour as bytes. */
export function parseColor(color: string, fallback: Rgb): Rgb {
  if (probe === undefined) {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    probe = canvas.getContext('2d', { willReadFrequently: true });
  }
  if (probe === null || color.trim() === '') return fallback;
  probe.clearRect(0, 0, 1, 1);
  probe.fillStyle = '#000';
  probe.fillStyle = color;
  probe.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = probe.getImageData(0, 0, 1, 1).data;
  return a === 0 ? fallback : [r!, g!, b!];
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.body);
  const get = (name: string): string => style.getPropertyValue(name);
  const background = parseColor(get('--vscode-editor-background'), [30, 30, 30]);
  const foreground = parseColor(get('--vscode-editor-foreground'), [204, 204, 204]);
  // High contrast themes define no orange.
  const fallback = (variable: string): Rgb =>
    variable === '--vscode-charts-orange'
      ? mix(
          parseColor(get('--vscode-charts-red'), foreground),
          parseColor(get('--vscode-charts-yellow'), foreground),
          0.5,
        )
      : foreground;
  const kinds = new Map<string, Rgb>();
  for (const [kind, variable] of Object.entries(variables)) {
    kinds.set(kind, parseColor(get(variable), fallback(variable)));
  }
  const contrast =
    document.body.classList.contains('vscode-high-contrast') ||
    document.body.classList.contains('vscode-high-contrast-light');
  return {
    background,
    foreground,
    muted: get('--vscode-descriptionForeground') || css(foreground),
    border:
      get('--vscode-contrastBorder') ||
      get('--vscode-panel-border') ||
      css(mix(foreground, background, 0.75)),
    focus: get('--vscode-focusBorder') || css(foreground),
    text: css(foreground),
    font: get('--vscode-font-family') || 'sans-serif',
    fontSize: get('--vscode-font-size') || '13px',
    highContrast: contrast,
    kinds,
    series: get('--vscode-charts-blue') || css(foreground),
  };
}

export function css(color: Rgb): string {
  return `rgb(${color[0]} ${color[1]} ${color[2]})`;
}

export function mix(a: Rgb, b: Rgb, part: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i]! * (1 - part) + b[i]! * part)) as Rgb;
}

/** The hue of its kind, lighter or darker by its name, and far enough from the text drawn on it. */
export function boxColor(palette: Palette, kind: string, name: string): Rgb {
  const base = palette.kinds.get(kind) ?? palette.foreground;
  const shade = (nameHash(name) % 8) / 8;
  // Towards the background: text in the foreground's colour stays readable on every box.
  const part = palette.highContrast ? 0.55 + 0.2 * shade : 0.42 + 0.26 * shade;
  return mix(base, palette.background, part);
}
