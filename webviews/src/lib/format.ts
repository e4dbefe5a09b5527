// Names and paths as text, and the room that numbers need. Pure.
import { replaceHidden } from '#shared/hidden.ts';
import { tensorShapes } from '#shared/names.ts';
import { fixed, quantity, type Scale, type Unit } from '#shared/numbers.ts';

/**
 * Pixels that a column of numbers needs for its longest number and for the longest word of its
 * heading with the mark of the sort order, in the widest of the usual fonts.
 */
export function numberColumnPx(title: string, longest: string): number {
  const word = title.split(' ').reduce((most, one) => Math.max(most, one.length), 0);
  const digits = longest.replace(/\D/g, '').length;
  const letters = longest.replace(/[^\p{L}%]/gu, '').length;
  // These signs are wider than the others.
  const wide = 7 * (longest.match(/[+<>%]/g) ?? []).length;
  return Math.round(
    Math.max(
      60,
      word * 8.4 + 29,
      digits * 8.3 + letters * 4.5 + (longest.length - digits) * 4.5 + wide + 18,
    ),
  );
}

/** Marks of an axis, `step` apart, with as many decimals as tell each from the next. */
export function axisMarks(ticks: readonly number[], step: number, scale: Scale): string[] {
  const { divisor, suffix } = scale;
  let digits = 0;
  while (digits < 9 && (step * 10 ** digits) % divisor !== 0) digits++;
  return ticks.map((tick) => `${fixed(tick / divisor, digits)} ${suffix}`.trimEnd());
}

/** Whether a frame's file may be one on a disk; `<frozen os>`, `<string>` and '' never are. */
export function isFilePath(file: string): boolean {
  return file !== '' && !/^<.*>$/.test(file);
}

export function fileName(path: string): string {
  const cut = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return cut < 0 ? path : path.slice(cut + 1);
}

/** Recorded shapes as `64x3x256x256, 64`; a text that holds no shape stays as it is. */
export function shapesText(text: string): string {
  return tensorShapes(text) ?? text;
}

/** Hidden characters made visible, so that a name cannot break a line or hide its end. */
export function visible(text: string): string {
  return replaceHidden(text);
}

/** A sentence whose figures stay on one line with their units. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=%|[KMGT]i?B\b|B\b|[nµm]?s\b|GB\/s|[KMGTP]?FLOP\b)/gu, '$1\u00a0');
}

/** A round number says so: "16 KiB", not "16.0 KiB". */
export const tickText = (tick: number, unit: Unit): string =>
  quantity(tick, unit).replace(/\.(\d*?)0+(?!\d)/, (_, digits: string) =>
    digits === '' ? '' : `.${digits}`,
  );
