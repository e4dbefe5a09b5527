// Colors by name, the same in the timeline and in graphs, so that what repeats is seen to repeat. The
// hues are those of Okabe and Ito, which color-blind readers tell apart too; the theme's ground decides
// how they are dimmed.
import { identityOf, nameHash } from '../lib/colors.ts';
import { luminanceOf } from './theme.ts';

export type Rgb = [number, number, number];

const okabeIto: readonly Rgb[] = [
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [213, 94, 0],
  [240, 228, 66],
];

/** A hue, and how far it goes toward the ground at least. */
export interface Hue {
  color: Rgb;
  dimming: number;
}

export const isDark = (background: Rgb): boolean => luminanceOf(...background) < 0.4;

export function huesOn(background: Rgb): Hue[] {
  return okabeIto.map((color) => ({
    color,
    dimming: leastDimming(color, background, isDark(background)),
  }));
}

/** 0 to 0.75. Other bits of the hash than those that choose the hue: neighbors differ in both. */
export function shadeOf(name: string): number {
  return ((nameHash(identityOf(name)) >>> 8) % 4) / 4;
}

/** The hue of a name; text on it, white on a dark ground and black on a light one, can be read. */
export function hueOf(name: string, hues: readonly Hue[], background: Rgb): Rgb {
  const { color, dimming } = hues[nameHash(identityOf(name)) % hues.length]!;
  return mix(color, background, dimming + 0.2 * shadeOf(name));
}

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
