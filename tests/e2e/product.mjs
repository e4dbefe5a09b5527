// What the specs ask of the product in the window: its frames, tables and figures, and the same
// figures from the command line.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { serverPath } from '../../scripts/lib/paths.mjs';
import { waitUntil } from './workbench.mjs';

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

/** Goes to a view by its tab and gives the frame. */
export async function showView(workbench, title) {
  const frame = await profileFrame(workbench);
  const tab = frame.getByRole('tab', { name: title, exact: true });
  await tab.click();
  await waitUntil(`the tab ${title}`, async () => {
    return (await tab.getAttribute('aria-selected')) === 'true';
  });
  return frame;
}

/** The table of that name in a view, when it is not being fetched. */
export async function settledGrid(frame, name) {
  const grid = frame.locator(`.grid[aria-label="${name}"]`);
  await grid.waitFor();
  await waitUntil(`${name} at rest`, async () => (await grid.getAttribute('aria-busy')) !== 'true');
  return grid;
}

/** Waits until the view says how many rows its table has. */
export async function rowCount(frame, text) {
  const count = frame.locator('.row-count').first();
  await waitUntil(`"${text}" above the table`, async () => (await count.innerText()) === text);
}

/** Number in a cell of a row (0: the first), exactly as the daemon gave it. */
export async function cellValue(grid, row, key) {
  const cell = grid.locator(`[role=gridcell][data-row="${row}"][data-key="${key}"]`);
  return Number(await cell.getAttribute('data-value'));
}

export async function cellText(grid, row, key) {
  const cell = grid.locator(`[role=gridcell][data-row="${row}"][data-key="${key}"] .cell-text`);
  return (await cell.innerText()).trim();
}

/** Number in a text as the product writes it: digits grouped by commas. */
export function numberIn(text) {
  return Number(text.replaceAll(/[,\s%]/g, ''));
}
