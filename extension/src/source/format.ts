/** Formats figures and names as all surfaces of the editor show them. */
import { escapeHidden } from '#shared/hidden.ts';

/** A duration given in microseconds: "812 µs", "18.4 ms", "2.31 s". */
export function formatUs(us: number): string {
  const sign = us < 0 ? '-' : '';
  const value = Math.abs(us);
  if (value === 0) return '0';
  if (value < 0.0995) return `${sign}${Math.round(value * 1000)} ns`;
  if (value < 999.5) return `${sign}${digits(value)} µs`;
  if (value < 999_500) return `${sign}${digits(value / 1000)} ms`;
  return `${sign}${digits(value / 1_000_000)} s`;
}

/** Three significant digits, without an exponent. */
function digits(value: number): string {
  if (value >= 99.95) return Math.round(value).toString();
  if (value >= 9.995) return value.toFixed(1);
  return value.toFixed(2);
}

/** A ratio of 0..1 as percent: "11 %", "0.8 %", "< 0.1 %". */
export function formatShare(ratio: number): string {
  const percent = ratio * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  return `${percent >= 9.95 ? Math.round(percent) : Number(percent.toFixed(1))} %`;
}

/** Bytes in binary units: "512 B", "1.5 MiB". */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = Math.abs(bytes);
  let unit = 0;
  while (value >= 1023.5 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  const text = unit === 0 ? value.toString() : digits(value);
  return `${bytes < 0 ? '-' : ''}${text} ${units[unit] ?? ''}`;
}

/** A count with thin groups: "12 345". */
export function formatCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Escapes what Markdown would take for markup: names in a trace are of anybody's making. */
export function escapeMarkdown(text: string): string {
  return escapeHidden(text.replace(/[\r\n]+/g, ' ')).replace(
    /[\\`*_{}[\]()#+\-.!|~<>&$:@/]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

/**
 * A text for a notification, which takes `[text](command:...)` for a link: names in a trace must
 * not become one.
 */
export function plainText(text: string): string {
  return shorten(
    escapeHidden(text.replace(/[\r\n]+/g, ' '))
      .replaceAll('[', '(')
      .replaceAll(']', ')'),
    400,
  );
}

/**
 * A text of a trace, or a name of a file, for a label, a description or a tooltip. Where VS Code
 * puts icons for `$(name)`, a text has none.
 */
export function labelText(text: string): string {
  return escapeHidden(text).replaceAll('$(', '$ (');
}

/** Cuts long names in the middle, where kernels' names say least. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}
