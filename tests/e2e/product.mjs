// What the specs ask of the product in the window: its frames, tables and figures, and the same
// figures from the command line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { serverPath } from '../../scripts/lib/paths.mjs';
import { waitUntil } from './workbench.mjs';
import { gridOf, moreViews, pickView, rowCounts, viewTab } from '../lib/roles.mjs';

/** The result of a view's command, as JSON. */
export function commandLine(...args) {
  const result = spawnSync(serverPath(), [...args, '--format', 'json'], {
    encoding: 'utf8',
    maxBuffer: 256 << 20,
  });
  assert.equal(result.status, 0, result.stderr);
  return JSON.parse(result.stdout);
}

/** The profile editor that is shown, once its trace is loaded. */
export function profileFrame(workbench) {
  return workbench.webviewFrame('[role=tab][aria-selected=true]');
}

/** Goes to a view of a page by its tab, or by the menu of those that have no room beside the others. */
export async function goToView(frame, title) {
  const tab = viewTab(frame, title);
  await tab.or(moreViews(frame)).first().waitFor();
  // While a window changes its size, a tab may leave the line or come back to it.
  await waitUntil(`the tab ${title}`, async () => {
    await pickView(frame, title, { timeout: 5_000 });
    return (await tab.getAttribute('aria-selected')) === 'true';
  });
}

/** Goes to a view and gives the frame. */
export async function showView(workbench, title) {
  const frame = await profileFrame(workbench);
  await goToView(frame, title);
  return frame;
}

/** The table of that name in a view, when it is not being fetched. */
export async function settledGrid(frame, name) {
  const grid = gridOf(frame, name);
  await grid.waitFor();
  await waitUntil(`${name} at rest`, async () => (await grid.getAttribute('aria-busy')) !== 'true');
  return grid;
}

/** Waits until the view says how many rows its table has. */
export async function rowCount(frame, text) {
  const count = rowCounts(frame).first();
  await waitUntil(`"${text}" above the table`, async () => (await count.innerText()) === text);
}

/** Number in a cell of a row (0: the first), exactly as the daemon gave it. */
export async function cellValue(grid, row, key) {
  const cell = grid.locator(`[role=gridcell][data-row="${row}"][data-key="${key}"]`);
  return Number(await cell.getAttribute('data-value'));
}

export async function cellText(grid, row, key) {
  const cell = grid.locator(`[role=gridcell][data-row="${row}"][data-key="${key}"]`);
  return (await cell.innerText()).trim();
}

/** Number in a text as the product writes it: digits grouped by commas. */
export function numberIn(text) {
  return Number(text.replaceAll(/[,\s%]/g, ''));
}

const sizes = {
  '': 1,
  ns: 1e-3,
  '\u00b5s': 1,
  ms: 1e3,
  s: 1e6,
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  '%': 0.01,
  'GB/s': 1,
};

/** A number as it is written, in microseconds, bytes or parts of 1: `{ value, within }`. */
export function written(text, unit = '') {
  const [, less, digits, own] = /^([<>]?)\s*(-?[\d,]*\.?\d+)\s*(\S*)$/.exec(text.trim()) ?? [];
  const size = sizes[own || unit];
  assert.ok(digits !== undefined && size !== undefined, `"${text}" is no number with a unit`);
  if (less === '>' && own === '%' && numberIn(digits) > 0) {
    // "> 99.9 %" is more than its digits say and less than all.
    const half = (1 - numberIn(digits) * size) / 2;
    return { value: 1 - half, within: half * 0.999999 };
  }
  if (less !== '') {
    // "<0.1" is more than nothing and less than that, ">-0.1" likewise below zero.
    const half = (numberIn(digits) * size) / 2;
    return { value: half, within: Math.abs(half) * 0.999999 };
  }
  const decimals = /\.(\d+)$/.exec(digits)?.[1].length ?? 0;
  return { value: numberIn(digits) * size, within: 0.5001 * 10 ** -decimals * size };
}

/** Fails unless the text says the number, as exactly as its digits allow. */
export function assertSays(text, expected, unit, label) {
  const { value, within } = written(text, unit);
  assert.ok(Math.abs(value - expected) <= within, `${label}: "${text}" ${unit} for ${expected}`);
}

/**
 * Compares the rows of a table that are on the screen with those of the command line, cell by cell.
 * `result` has columns and rows in the same order. Gives how many cells were compared.
 */
export async function assertCells(frame, name, { columns, rows }) {
  const grid = await settledGrid(frame, name);
  assert.equal(await grid.getAttribute('aria-rowcount'), String(rows.length + 1), name);
  const cells = await grid.evaluate((element) => ({
    units: Object.fromEntries(
      [...element.querySelectorAll('[role=columnheader][data-key]')].map((head) => [
        head.dataset.key,
        // The unit stands behind the title.
        head.firstElementChild.querySelector('span')?.textContent.trim() ?? '',
      ]),
    ),
    list: [...element.querySelectorAll('[role=gridcell][data-key]')].map((cell) => ({
      row: Number(cell.dataset.row),
      key: cell.dataset.key,
      value: cell.dataset.value,
      // A name that is cut to its room says what the whole is.
      text: (cell.querySelector('[data-whole]')?.dataset.whole ?? cell.textContent).trim(),
    })),
  }));
  for (const { row, key, value, text } of cells.list) {
    const label = `${name}, row ${row}, ${key}`;
    const expected = rows[row][key];
    const { type } = columns.find((column) => column.key === key);
    if (key === 'file' && expected) {
      const place = `${expected.split('/').at(-1)}${rows[row].line > 0 ? `:${rows[row].line}` : ''}`;
      assert.equal(text, place, label);
    } else if (key === 'usesTensorCores' && expected === null) {
      // Here nothing is an answer of its own: the kernel's name does not tell.
      assert.equal(text, 'Unknown', label);
    } else if (expected === null || expected === undefined) assert.equal(text, '\u2013', label);
    else if (typeof expected === 'boolean') assert.equal(text, expected ? 'Yes' : 'No', label);
    else if (typeof expected === 'number') {
      assert.equal(Number(value), expected, label);
      assertSays(text, expected, cells.units[key], label);
    } else assert.equal(text, expected.trim(), `${label} (${type})`);
  }
  return cells.list.length;
}

/** Shows a chart's table twin, gives the texts of its rows, and shows the chart again. */
export async function twinOf(frame, name) {
  const button = frame.getByRole('button', { name: `${name} as table`, exact: true });
  await button.click();
  const region = frame.getByRole('region', { name, exact: true }).last();
  await region.locator('tbody tr').first().waitFor();
  const table = await region.evaluate((element) => ({
    head: [...element.querySelectorAll('thead th')].map((cell) => cell.textContent.trim()),
    rows: [...element.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) =>
        (cell.querySelector('[data-whole]')?.dataset.whole ?? cell.textContent).trim(),
      ),
    ),
  }));
  await button.click();
  return table;
}

/** The unit in brackets of a head such as "Value (ms)". */
export const unitOf = (head) => /\((.*)\)$/.exec(head)?.[1] ?? '';

/** Value of a fact ("Peak allocated") that a view names beside its charts. */
export async function factOf(frame, name) {
  const fact = frame.locator('dl > div').filter({ has: frame.getByText(name, { exact: true }) });
  return (await fact.getByRole('definition').first().innerText()).trim();
}
