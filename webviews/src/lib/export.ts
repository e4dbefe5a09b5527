// Tables as text for the clipboard and for files. Pure.
import type { Column, Row } from './protocol.ts';

export type ExportFormat = 'csv' | 'markdown' | 'json';

const shown = (columns: readonly Column[]): Column[] => columns.filter((column) => !column.hidden);

function heading(column: Column): string {
  const unit = {
    us: '\u00b5s',
    ns: 'ns',
    bytes: 'bytes',
    ratio: '0..1',
    gbPerS: 'GB/s',
    flops: 'FLOP',
  };
  const text = column.unit === '' || column.unit === 'count' ? undefined : unit[column.unit];
  return text === undefined ? column.title : `${column.title} (${text})`;
}

function text(value: Row[string] | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}

/**
 * RFC 4180. A text that a spreadsheet would take for a formula gets an apostrophe: names come from
 * the trace and are not to be trusted.
 */
function csvCell(value: Row[string] | undefined): string {
  let cell = text(value);
  if (typeof value === 'string' && /^[=+\-@\t\r]/.test(cell)) cell = `'${cell}`;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function markdownCell(value: Row[string] | undefined): string {
  return text(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
    .replace(/\s*\r?\n\s*/g, ' ');
}

/** All `rows` under the shown columns, raw values. JSON keeps the keys, the others the titles. */
export function exportRows(
  columns: readonly Column[],
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
    case 'json':
      return `${JSON.stringify(
        rows.map((row) => Object.fromEntries(visible.map((c) => [c.key, row[c.key] ?? null]))),
        null,
        1,
      )}\n`;
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
  const columns = titles.map((title, index): Column => ({
    key: keys[index]!,
    title,
    definition: '',
    type: numeric[index] === true ? 'number' : 'text',
    unit: '',
    hidden: false,
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
