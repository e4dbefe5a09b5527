// Tables as text for the clipboard and for files. Pure.
import { escapeHidden, escapeJson } from '#shared/hidden.ts';
import type { Column, Row } from '#shared/protocol.ts';

/** What an exported table tells of a column. */
export type ExportColumn = Pick<Column, 'key' | 'title' | 'type' | 'unit'> & { hidden?: boolean };

export type ExportFormat = 'csv' | 'markdown' | 'json';

const shown = (columns: readonly ExportColumn[]): ExportColumn[] =>
  columns.filter((column) => column.hidden !== true);

function heading(column: ExportColumn): string {
  // A count needs no unit, and a title of a change says "%" itself.
  const unit: Partial<Record<Column['unit'], string>> = {
    us: '\u00b5s',
    ns: 'ns',
    bytes: 'bytes',
    ratio: '0..1',
    gbPerS: 'GB/s',
    flops: 'FLOP',
  };
  const text = unit[column.unit];
  return text === undefined ? column.title : `${column.title} (${text})`;
}

function text(value: Row[string] | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Blanks and what is not seen, which some programs skip before they look for a formula. */
const blank =
  /^[ \u00a0\u3000\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]*/u;

/**
 * A text for a cell of a spreadsheet: escaped, with an apostrophe before what would be taken for a
 * formula. Names come from the trace and are not to be trusted.
 */
function spreadsheetText(value: Row[string] | undefined): string {
  if (typeof value !== 'string') return text(value);
  const formula =
    /^[\t\r]/.test(value) || /^[=+\-@\uff1d\uff0b\uff0d\uff20]/.test(value.replace(blank, ''));
  return `${formula ? "'" : ''}${escapeHidden(value)}`;
}

/** RFC 4180. A semicolon separates cells where a comma is the decimal sign. */
function csvCell(value: Row[string] | undefined): string {
  const cell = spreadsheetText(value);
  return /[",;]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A row for the clipboard, as spreadsheets take it. */
export function copiedRow(values: readonly (Row[string] | undefined)[]): string {
  return values.map(spreadsheetText).join('\t');
}

/** Words that renderers make links of without any markup: addresses, files, mentions, numbers. */
const address = /([^\s<>()[\]{}|`"'\\]*(?:[.@]|:\/\/|#\d)[^\s<>()[\]{}|`"'\\]*)/u;

function markdownText(text: string): string {
  return text
    .replace(/[\\*_[\]|~$]|(?<=\])\(/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('`', '&#96;');
}

/** A cell of a table of Markdown: it shows the name, and nothing in a name becomes more than text. */
function markdownCell(value: Row[string] | undefined): string {
  const shown = text(value);
  if (typeof value !== 'string') return shown;
  return escapeHidden(shown.replace(/\s*\r?\n\s*/g, ' '))
    .split(address)
    .map((part, index) => (index % 2 === 1 ? `\`${part}\`` : markdownText(part)))
    .join('');
}

/** All `rows` under the shown columns, raw values. JSON keeps the keys, the others the titles. */
export function exportRows(
  columns: readonly ExportColumn[],
  rows: readonly Row[],
  format: ExportFormat,
): string {
  const visible = shown(columns);
  switch (format) {
    case 'csv': {
      const lines = [visible.map((column) => csvCell(heading(column))).join(',')];
      for (const row of rows) lines.push(visible.map((c) => csvCell(row[c.key])).join(','));
      return `${lines.join('\r\n')}\r\n`;
    }
    case 'markdown': {
      const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
      const lines = [
        line(visible.map((column) => markdownCell(heading(column)))),
        line(visible.map((column) => (column.type === 'text' ? '---' : '---:'))),
      ];
      for (const row of rows) lines.push(line(visible.map((c) => markdownCell(row[c.key]))));
      return `${lines.join('\n')}\n`;
    }
    case 'json': {
      const json = JSON.stringify(
        rows.map((row) => Object.fromEntries(visible.map((c) => [c.key, row[c.key] ?? null]))),
        null,
        1,
      );
      return `${escapeJson(json)}\n`;
    }
  }
}

/**
 * A small table as shown: its texts, with the grouping of digits taken out of columns of numbers.
 * `numeric` tells which columns those are.
 */
export function exportTexts(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numeric: readonly boolean[],
  format: ExportFormat,
): string {
  const keys = titles.map((title, index) => (format === 'json' ? title : String(index)));
  const columns = titles.map((title, index): ExportColumn => ({
    key: keys[index]!,
    title,
    type: numeric[index] === true ? 'number' : 'text',
    unit: '',
  }));
  const plain = (text: string, index: number): string | number => {
    if (numeric[index] !== true) return text;
    const digits = text.replaceAll(',', '');
    return digits !== '' && Number.isFinite(Number(digits)) ? Number(digits) : text;
  };
  return exportRows(
    columns,
    rows.map((row) =>
      Object.fromEntries(row.map((text, index) => [keys[index], plain(text, index)])),
    ),
    format,
  );
}

export const extensions: Record<ExportFormat, string> = {
  csv: 'csv',
  markdown: 'md',
  json: 'json',
};
