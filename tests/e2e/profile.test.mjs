// A user opens the sample profile and finds the time: overview, operators, stacks, source.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { Workbench, startWorkbench, waitUntil } from './workbench.mjs';
import {
  assertSays,
  cellText,
  cellValue,
  commandLine,
  profileFrame,
  rowCount,
  settledGrid,
  showView,
} from './product.mjs';
import {
  activity,
  codeLines,
  editorAction,
  explorerRows,
  quickInputBox,
  quickInputRows,
  statusItems,
  warningIn,
  welcome,
} from './vscode_parts.mjs';
import {
  detailHeadings,
  filterBox,
  openedDetails,
  rowCounts,
  settledTimeline,
  timelineCanvas,
  trackHeadings,
  trackNames,
  trackRows,
} from '../lib/roles.mjs';

const sample = 'train_cnn/slow.pt.trace.json.gz';
let workbench;
let trace;

before(async () => {
  workbench = await startWorkbench();
  trace = join(workbench.workspace, sample);
});
after(() => workbench?.stop());

const step = Workbench.steps(test, () => workbench);

step('a double click opens the profile editor on its overview', async () => {
  await workbench.doubleClickInExplorer(sample);
  await workbench.tab('slow.pt.trace.json.gz').waitFor();
  const frame = await profileFrame(workbench);
  const selected = frame.locator('[role=tab][aria-selected=true]');
  assert.equal((await selected.innerText()).trim(), 'Overview');
});

step('the overview shows the figures of the command line', async () => {
  const { average, roles } = commandLine('overview', trace);
  const frame = await showView(workbench, 'Overview');
  const table = frame.getByRole('region', { name: 'Average step time' });
  await table.waitFor();
  const shown = new Map();
  for (const row of await table.locator('tbody tr').all()) {
    const name = (await row.locator('th').innerText()).trim();
    const cells = await row.locator('td').allInnerTexts();
    shown.set(name, cells);
  }
  assertSays(shown.get('Step')[0], average.durationUs, '', 'the whole step');
  const parts = roles.filter(({ key }) => average.parts[key] > 0);
  assert.ok(parts.length >= 3);
  for (const { key, title } of parts) {
    const [time, share] = shown.get(title);
    assertSays(time, average.parts[key], '', title);
    assertSays(share, average.parts[key] / average.durationUs, '', `share of ${title}`);
  }
});

step('the overview says what should be done', async () => {
  const frame = await showView(workbench, 'Overview');
  const { recommendations } = commandLine('overview', trace);
  assert.ok(recommendations.length > 0);
  await frame.getByText('Findings', { exact: true }).first().waitFor();
  await frame.getByText('Steps wait for the data loader').first().waitFor();
});

step('operators sort by a column', async () => {
  const frame = await showView(workbench, 'Operators');
  await settledGrid(frame, 'Operators');
  const header = frame.locator('[role=columnheader][data-key=calls]');
  await header.click();
  await waitUntil(
    'the order',
    async () => (await header.getAttribute('aria-sort')) === 'descending',
  );
  const grid = await settledGrid(frame, 'Operators');
  const { rows, totalRows } = commandLine('operators', trace, '--sort=-calls', '--limit', '3');
  assert.equal(await grid.getAttribute('aria-rowcount'), String(totalRows + 1));
  for (const [index, row] of rows.entries()) {
    assert.equal(await cellText(grid, index, 'name'), row.name);
    assert.equal(await cellValue(grid, index, 'calls'), row.calls);
    assert.ok(Math.abs((await cellValue(grid, index, 'hostSelfUs')) - row.hostSelfUs) < 1e-3);
  }
});

step('operators are found by words', async () => {
  const frame = await showView(workbench, 'Operators');
  const box = filterBox(frame, 'Operators');
  await box.fill('conv');
  const { totalRows, unfilteredRows } = commandLine('operators', trace, '--filter', 'conv');
  assert.ok(totalRows > 1 && totalRows < unfilteredRows);
  await rowCount(frame, `${totalRows} of ${unfilteredRows} rows`);
  const grid = await settledGrid(frame, 'Operators');
  assert.match((await cellText(grid, 0, 'name')).toLowerCase(), /conv/);
  await box.fill('');
  await rowCount(frame, `${unfilteredRows} rows`);
});

step('operators group by their input shapes too', async () => {
  const frame = await showView(workbench, 'Operators');
  await frame.getByRole('radio', { name: 'Operator and shapes' }).click();
  const { totalRows } = commandLine('operators', trace, '--group-by', 'shape', '--limit', '1');
  await rowCount(frame, `${totalRows} rows`);
  await frame.getByRole('radio', { name: 'Operator', exact: true }).click();
});

step('a stack frame opens the file at its line', async () => {
  const frame = await showView(workbench, 'Operators');
  const box = filterBox(frame, 'Operators');
  await box.fill('aten::std');
  await rowCounts(frame)
    .filter({ hasText: /^\d+ of \d+ rows$/ })
    .waitFor();
  const grid = await settledGrid(frame, 'Operators');
  await grid.getByRole('button', { name: 'Open row' }).first().click();
  // The trace was recorded elsewhere: its file is found by the end that the two paths share.
  // The recorder named the function; the line in it is that of the call.
  const text = readFileSync(join(root, 'samples', 'train_cnn', 'slow.py'), 'utf8');
  const line = text.split('\n').findIndex((one) => one.includes('images.std(')) + 1;
  const link = openedDetails(frame)
    .getByRole('listitem')
    .getByRole('button')
    .filter({ hasText: `slow.py:${line}` })
    .first();
  await link.click();
  await workbench.tab('slow.py').waitFor();
  const position = statusItems(workbench.page).filter({ hasText: /^Ln \d+, Col/ });
  await waitUntil(`line ${line} of slow.py`, async () =>
    (await position.innerText()).includes(`Ln ${line},`),
  );
  // The code stands beside the profile; what follows has the window to itself.
  await workbench.runCommand('View: Close Editor');
  await workbench.tab('slow.py').waitFor({ state: 'detached' });
});

step('the palette opens a profile by its path', async () => {
  await workbench.runCommand('Open PyTorch Profile...');
  await quickInputRows(workbench.page).filter({ hasText: 'train.pt.trace.json.gz' }).waitFor();
  // The palette gives the focus back to the page in front, which may take it late: the list stays.
  const front = await profileFrame(workbench);
  await front.locator('body').evaluate((body) => {
    body.tabIndex = -1;
    body.focus();
  });
  await workbench.page.waitForFunction(() => document.activeElement?.tagName === 'IFRAME');
  await workbench.pickInList('train.pt.trace.json.gz');
  await workbench.tab('train.pt.trace.json.gz').waitFor();
  const frame = await profileFrame(workbench);
  assert.ok(await frame.getByRole('tab', { name: 'Overview' }).isVisible());
});

step('a damaged file opens to what can be read and says what is missing', async () => {
  const text = gunzipSync(readFileSync(trace));
  const name = 'cut.pt.trace.json';
  writeFileSync(join(workbench.workspace, name), text.subarray(0, Math.floor(text.length * 0.6)));
  await workbench.openFile(name);
  await workbench.tab(name).waitFor();
  const frame = await showView(workbench, 'Overview');
  const { problems } = commandLine('overview', join(workbench.workspace, name));
  assert.ok(problems.length > 0);
  const table = frame.getByRole('region', { name: 'Problems found while reading' });
  await table.waitFor();
  assert.equal(await table.locator('tbody tr').count(), problems.length);
});

step('a file that is no trace says why and what to do', async () => {
  const name = 'notes.pt.trace.json';
  writeFileSync(join(workbench.workspace, name), 'These are notes, not a trace.\n');
  await workbench.openFile(name);
  await workbench.tab(name).waitFor();
  const frame = await workbench.webviewFrame('main[aria-live=assertive]');
  await frame.getByText('This trace cannot be shown').waitFor();
  await frame.getByText('What to do').waitFor();
  await frame.getByText('Retry').waitFor();
  await frame.getByText('Open as Text').waitFor();
  // Nothing is under way any more, and the status item says so.
  const status = statusItems(workbench.page).filter({ hasText: name });
  await warningIn(status).waitFor();
});

step('a compressed file that is no trace opens as text', async () => {
  const name = 'numbers.json.gz';
  writeFileSync(join(workbench.workspace, name), gzipSync('{"numbers": [1, 2, 3]}'));
  await workbench.doubleClickInExplorer(name);
  await workbench.tab(name).waitFor();
  const frame = await workbench.webviewFrame('main[aria-live=assertive]');
  await frame.getByText('Open as Text').click();
  await workbench.page.locator(codeLines).getByText('numbers').waitFor();
});

step('a plain trace says what it is, and its button shows the profile', async () => {
  const name = 'recorded.json';
  writeFileSync(join(workbench.workspace, name), gunzipSync(readFileSync(trace)));
  await workbench.openFile(name);
  await workbench.tab(name).waitFor();
  await waitUntil('the notification', async () =>
    (await workbench.notifications()).some((text) => text.includes('recorded.json is a profiler')),
  );
  await editorAction(workbench.page, 'Open as PyTorch Profile').click();
  const frame = await profileFrame(workbench);
  await frame.getByRole('region', { name: 'Average step time' }).waitFor();
});

step('who has no profile finds the way to the first one', async () => {
  await workbench.runCommand('View: Close All Editors');
  const { page } = workbench;
  await activity(page, 'PyTorch Profiles').click();
  await welcome(page).getByText('Open PyTorch Profile').waitFor();
  await welcome(page).getByText('Open Sample Profile').waitFor();
  await welcome(page).getByText('Copy Recording Code').waitFor();
  await welcome(page).getByText('Get Started').click();
  await page.getByText('Get Started with PyTorch Profiles').first().waitFor();
  await page.getByText('Record a profile').first().waitFor();
  // Every step is there before a profile is open, and a sample is one click away.
  for (const title of ['Open a profile', 'Read the answer', 'Go to the line']) {
    await page.getByText(title, { exact: true }).first().waitFor();
  }
  await activity(page, 'Explorer').click();
  await explorerRows(page).first().waitFor();
});

step(
  'a link of the timeline reopens file, window and selection, and rows stay as arranged',
  async () => {
    const { page } = workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await workbench.doubleClickInExplorer(sample);
    let frame = await showView(workbench, 'Timeline');
    await settledTimeline(frame).waitFor();
    await timelineCanvas(frame).focus();
    await page.keyboard.press('ArrowDown');
    const heading = detailHeadings(frame).first();
    await heading.waitFor();
    const name = await heading.innerText();
    const whole = await frame.locator('[data-window]').getAttribute('data-window');
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    const windowOf = async () =>
      (await frame.locator('[data-window]').getAttribute('data-window')).split(' ').map(Math.round);
    await waitUntil('the zoom', async () => (await windowOf()).join(' ') !== whole);
    const shown = await windowOf();
    const row = trackRows(frame).nth(1);
    const rowName = await row.getAttribute('aria-label');
    await row.hover();
    await row.getByRole('button', { name: `Pin ${rowName}` }).click();
    await trackHeadings(frame).getByText('Pinned', { exact: true }).waitFor();
    await frame.getByRole('button', { name: 'Copy link' }).click();
    const link = await waitUntil('the link in the clipboard', async () => {
      const text = await page.evaluate(() => navigator.clipboard.readText());
      return text.includes('emberline.emberline/timeline?') && text;
    });
    await workbench.runCommand('View: Close All Editors');
    await workbench.tab('slow.pt.trace.json.gz').waitFor({ state: 'detached' });

    await workbench.runCommand('Developer: Open URL');
    const input = quickInputBox(page);
    await input.waitFor();
    await input.fill(link);
    await input.press('Enter');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await workbench.tab('slow.pt.trace.json.gz').waitFor();
    frame = await workbench.webviewFrame('[data-settled=true]');
    await detailHeadings(frame).getByText(name, { exact: true }).first().waitFor();
    await waitUntil('the window of the link', async () => {
      const now = await windowOf();
      return now.every((ns, i) => Math.abs(ns - shown[i]) <= 1);
    });
    await trackHeadings(frame).getByText('Pinned', { exact: true }).waitFor();
    assert.equal((await trackNames(frame))[0], rowName);
  },
);

step('no page reported an error', async () => {
  assert.deepEqual(workbench.pageErrors, []);
});
