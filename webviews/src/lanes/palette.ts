// Colors of boxes by their names, so that what repeats is seen to repeat. The hues are those of Okabe
// and Ito, which color-blind readers tell apart too; the theme's ground decides how they are dimmed.
import { nameHash } from '../lib/colors.ts';
import { luminanceOf, resolveColor } from '../widgets/theme.ts';

export type Rgb = [number, number, number];

export interface Palette {
  background: Rgb;
  foreground: Rgb;
  muted: string;
  border: string;
  focus: string;
  text: string;
  /** Text on boxes: black or white, whichever the theme's ground lets stand out. */
  boxText: string;
  font: string;
  fontSize: string;
  kinds: Map<string, Rgb>;
  /** How far each kind's boxes go toward the ground at least, so that their text can be read. */
  dimming: Map<string, number>;
  /** Hues by name, each with how far it goes toward the ground at least. */
  hues: readonly { color: Rgb; dimming: number }[];
  series: string;
}

const okabeIto: readonly Rgb[] = [
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [213, 94, 0],
  [240, 228, 66],
];

/** Kinds whose meaning counts more than their names: waiting, and what the profiler itself did. */
const byKind: ReadonlySet<string> = new Set(['overhead', 'sync', 'derived']);

const variables: Record<string, string> = {
  kernel: '--vscode-charts-blue',
  memcpy: '--vscode-charts-yellow',
  memset: '--vscode-charts-yellow',
  deviceOther: '--vscode-charts-blue',
  communication: '--vscode-charts-purple',
  derived: '--vscode-descriptionForeground',
  gpuUserAnnotation: '--vscode-charts-purple',
  userAnnotation: '--vscode-charts-purple',
  cpuOp: '--vscode-charts-green',
  runtime: '--chart-orange',
  driver: '--chart-orange',
  pythonFunction: '--vscode-descriptionForeground',
  overhead: '--vscode-charts-red',
  sync: '--vscode-charts-red',
  collective: '--vscode-charts-purple',
};

let probe: CanvasRenderingContext2D | null | undefined;

/** Any CSS color as bytes. */
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
  const kinds = new Map<string, Rgb>();
  for (const [kind, variable] of Object.entries(variables)) {
    kinds.set(kind, parseColor(resolveColor(`var(${variable})`), foreground));
  }
  const darkGround = luminanceOf(...background) < 0.4;
  const dimming = new Map<string, number>();
  for (const [kind, color] of kinds) dimming.set(kind, leastDimming(color, background, darkGround));
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
    boxText: darkGround ? '#ffffff' : '#000000',
    font: get('--vscode-font-family') || 'sans-serif',
    fontSize: get('--vscode-font-size') || '13px',
    kinds,
    dimming,
    hues: okabeIto.map((color) => ({
      color,
      dimming: leastDimming(color, background, darkGround),
    })),
    series: get('--vscode-charts-blue') || css(foreground),
  };
}

export function css(color: Rgb): string {
  return `rgb(${color[0]} ${color[1]} ${color[2]})`;
}

export function mix(a: Rgb, b: Rgb, part: number): Rgb {
  return [0, 1, 2].map((i) => Math.round(a[i]! * (1 - part) + b[i]! * part)) as Rgb;
}

/** The least part of the ground at which white (black on a light ground) has a contrast of 4.5 by WCAG 2.2. */
export function leastDimming(color: Rgb, background: Rgb, darkGround: boolean): number {
  for (let part = darkGround ? 0.25 : 0.4; part < 0.8; part += 0.05) {
    const light = luminanceOf(...mix(color, background, part));
    if ((darkGround ? 1.05 / (light + 0.05) : (light + 0.05) / 0.05) >= 4.5) return part;
  }
  return 0.8;
}

/** What names of one thing share: `nn.Module: Conv2d_12` and `nn.Module: Conv2d_3` are both Conv2d. */
function identity(name: string): string {
  return name.startsWith('nn.Module: ') ? name.replace(/_\d+$/, '') : name;
}

/** A hue by name, the same in every row and trace; its text stays readable on every box. */
export function boxColor(palette: Palette, kind: string, name: string): Rgb {
  const hash = nameHash(identity(name));
  // Low bits of the hash choose the hue, others the shade, so that neighbors differ in both.
  const shade = ((hash >>> 8) % 4) / 4;
  if (byKind.has(kind)) {
    const base = palette.kinds.get(kind) ?? palette.foreground;
    return mix(base, palette.background, (palette.dimming.get(kind) ?? 0.55) + 0.2 * shade);
  }
  const { color, dimming } = palette.hues[hash % palette.hues.length]!;
  return mix(color, palette.background, dimming + 0.2 * shade);
}
