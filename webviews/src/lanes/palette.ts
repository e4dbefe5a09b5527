// What lanes are drawn in: the theme's colors, and the hues of boxes.
import {
  css,
  hueOf,
  huesOn,
  isDark,
  leastDimming,
  mix,
  parseColor,
  shadeOf,
  type Hue,
  type Rgb,
} from '../widgets/hues.ts';
import { resolveColor } from '../widgets/theme.ts';

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
  hues: readonly Hue[];
  series: string;
}

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

export function readPalette(): Palette {
  const style = getComputedStyle(document.body);
  const get = (name: string): string => style.getPropertyValue(name);
  const background = parseColor(get('--vscode-editor-background'), [30, 30, 30]);
  const foreground = parseColor(get('--vscode-editor-foreground'), [204, 204, 204]);
  const kinds = new Map<string, Rgb>();
  for (const [kind, variable] of Object.entries(variables)) {
    kinds.set(kind, parseColor(resolveColor(`var(${variable})`), foreground));
  }
  const darkGround = isDark(background);
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
    hues: huesOn(background),
    series: get('--vscode-charts-blue') || css(foreground),
  };
}

/** The color of a box: of its kind where that counts more, else of its name. */
export function boxColor(palette: Palette, kind: string, name: string): Rgb {
  if (!byKind.has(kind)) return hueOf(name, palette.hues, palette.background);
  const base = palette.kinds.get(kind) ?? palette.foreground;
  const part = (palette.dimming.get(kind) ?? 0.55) + 0.2 * shadeOf(name);
  return mix(base, palette.background, part);
}
