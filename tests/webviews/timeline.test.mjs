// The timeline in a real browser over the sample, with the real daemon.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { Harness, axe, commandLine, patience, sample } from './harness.mjs';
import { themes } from './themes.mjs';

const trace = sample('train_cnn/slow.pt.trace.json.gz');
let harness;

before(async () => {
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
});

async function openTimeline(options = {}) {
  const opened = await harness.open(trace, options);
  await opened.view('Timeline');
  await opened.page.waitForSelector('.tl[data-settled="true"]', { timeout: patience });
  return opened;
}

const shownWindow = (page) =>
  page
    .locator('.tl')
    .getAttribute('data-window')
    .then((text) => text.split(' ').map(Number));

/** Waits until the window is not what it was. */
async function windowAfter(page, before) {
  await page.waitForFunction(
    (old) => document.querySelector('.tl').dataset.window !== old,
    before.join(' '),
  );
  return shownWindow(page);
}

test('every row of the trace is there, and the first picture shows the steps', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const all = await harness.daemon.request('timeline/tracks', { profileId: opened.profileId });
  assert.equal(await page.locator('.tl-label').count(), all.tracks.length);
  const [start, end] = await shownWindow(page);
  assert.ok(
    start <= all.workStartNs && end >= all.workEndNs,
    'the first picture holds all recorded work',
  );
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('the keyboard selects, walks, fits, marks and clears', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await page.locator('.tl-overlay').focus();
  await page.keyboard.press('ArrowDown');
  const heading = page.locator('.tl-details h2').first();
  await heading.waitFor();
  const first = await page.locator('.tl-details').first().innerText();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(
    (old) => document.querySelector('.tl-details')?.innerText !== old,
    first,
  );
  const whole = await shownWindow(page);
  await page.keyboard.press('f');
  const fitted = await windowAfter(page, whole);
  assert.ok(fitted[1] - fitted[0] < whole[1] - whole[0], 'f shows less than the whole');
  await page.keyboard.press('m');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Click a slice to see everything').waitFor();
  await page.keyboard.press('f');
  const again = await windowAfter(page, fitted);
  assert.ok(
    again[1] - again[0] > fitted[1] - fitted[0],
    'f without a selection shows the whole trace',
  );
  await page.keyboard.press('w');
  const zoomed = await windowAfter(page, again);
  assert.ok(zoomed[1] - zoomed[0] < again[1] - again[0]);
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('the wheel zooms at the pointer, dragging moves', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await page.locator('.tl-overlay').boundingBox();
  const before = await shownWindow(page);
  await page.mouse.move(box.x + box.width / 2, box.y + 80);
  await page.mouse.wheel(0, -200);
  const zoomed = await windowAfter(page, before);
  assert.ok(zoomed[1] - zoomed[0] < before[1] - before[0]);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 150, box.y + 80, { steps: 4 });
  await page.mouse.up();
  const moved = await windowAfter(page, zoomed);
  assert.ok(moved[0] > zoomed[0], 'dragging to the left shows later times');
  const spans = [zoomed[1] - zoomed[0], moved[1] - moved[0]];
  assert.ok(Math.abs(spans[0] - spans[1]) < 2, 'dragging does not zoom');
  await opened.close();
});

test('a search finds what the daemon finds, and leads to the slice with all its arguments', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await page.locator('.tl-overlay').focus();
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Find slices' }).fill('convolution_backward');
  await page.locator('.tl-count').waitFor();
  const answer = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    text: 'convolution_backward',
    limit: 200,
  });
  await page.waitForFunction(
    (total) => document.querySelector('.tl-count')?.textContent.startsWith(`${total} `),
    String(answer.total),
  );
  await page.locator('.tl-results button').first().click();
  await page
    .getByRole('radio', { name: 'Details' })
    .or(page.getByRole('button', { name: 'Details' }))
    .first()
    .click();
  const recorded = await harness.daemon.request('timeline/slice', {
    profileId: opened.profileId,
    slice: answer.results[0].slice,
  });
  await page.getByRole('heading', { name: recorded.name, exact: true }).waitFor();
  for (const { key } of recorded.args) {
    assert.ok(
      (await page.locator('.tl-details tbody tr', { hasText: key }).count()) > 0,
      `${key} is shown`,
    );
  }
  assert.ok(recorded.args.length > 0);
  await opened.close();
});

test('a marked range adds up and becomes a trace of its own', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await page.locator('.tl-overlay').boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 62, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  await page.getByRole('region', { name: 'Sums by kind' }).waitFor();
  assert.deepEqual(
    await page
      .locator('.tl-panel :is(th.numeric, dt):not([title])')
      .evaluateAll((names) => names.map((name) => name.textContent)),
    [],
    'each figure says what it is',
  );
  assert.ok((await page.locator('.tl-panel th.numeric').count()) >= 5);
  const sums = page.locator('.small-table', {
    has: page.getByRole('region', { name: 'Sums by kind' }),
  });
  const copied = await opened.sent('copy', async () => {
    await sums.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Copy as CSV' }).click();
  });
  const lines = copied.text.trimEnd().split('\r\n');
  assert.equal(lines[0], 'Kind,Slices,Sum (ns),Busy (ns)');
  assert.equal(lines.length, 1 + (await sums.locator('tbody tr').count()));
  assert.match(lines[1], /,\d+,\d+$/, 'whole times');
  const saved = await opened.sent('save', () =>
    page.getByRole('button', { name: 'Export as trace' }).click(),
  );
  const part = JSON.parse(saved.content);
  assert.ok(part.traceEvents.some((event) => event.ph === 'X'));
  assert.match(saved.suggestedName, /\.pt\.trace\.json$/);
  await opened.close();
});

test('rows fold, hide, pin and come back; the arrangement is kept', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const label = page.locator('.tl-label').nth(1);
  const name = await label.locator('.tl-name').innerText();
  const total = await page.locator('.tl-label').count();
  await label.hover();
  await label.getByRole('button', { name: `Pin ${name}` }).click();
  await page.locator('.tl-heading', { hasText: 'Pinned' }).waitFor();
  const pinned = page.locator('.tl-label').first();
  await pinned.hover();
  await pinned.getByRole('button', { name: `Hide ${name}` }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.tl-label').length === count,
    total - 1,
  );
  await page.getByRole('button', { name: 'Show 1 hidden row' }).click();
  await page.waitForFunction(
    (count) => document.querySelectorAll('.tl-label').length === count,
    total,
  );
  await opened.close();
});

test('the visible slices exist as a table, the file panel lists its metadata', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const panel = (name) =>
    page
      .getByRole('radio', { name })
      .or(page.getByRole('button', { name, exact: true }))
      .first()
      .click();
  await panel('Table');
  await page.getByRole('region', { name: 'Slices in the window' }).waitFor();
  assert.ok((await page.locator('.tl-panel tbody tr').count()) > 5);
  await panel('File');
  await page.getByRole('region', { name: 'Metadata of the file' }).waitFor();
  await page.locator('.tl-panel tbody tr', { hasText: 'schemaVersion' }).first().waitFor();
  await opened.close();
});

test('a row of another view leads to its slice', async () => {
  const opened = await harness.open(trace);
  const { page } = opened;
  const { rows } = commandLine('operators', trace, ['--limit', '1']);
  await opened.send({ type: 'navigate', to: { view: 'timeline', search: rows[0].name } });
  await page.waitForSelector('.tl-results button', { timeout: patience });
  await page.locator('.tl-count').waitFor();
  const answer = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    name: rows[0].name,
    limit: 1,
  });
  assert.match(
    await page.locator('.tl-count').innerText(),
    new RegExp(`^${answer.total.toLocaleString('en-US')} `),
  );
  await opened.close();
});

test('a line of code shows exactly its slices', async () => {
  const opened = await harness.open(trace);
  const { page } = opened;
  const source = { sourceRoots: [sample('')] };
  opened.extra = (method) =>
    method.startsWith('source/') || method === 'view/lines' ? source : {};
  const lines = await harness.daemon.request('view/lines', {
    profileId: opened.profileId,
    ...source,
    sort: '-hostTotalUs',
    limit: 50,
  });
  const row = lines.rows.find((candidate) => candidate.confidence === 'aligned') ?? lines.rows[0];
  const line = { file: row.file, line: row.line };
  const answer = await harness.daemon.request('source/lineSlices', {
    profileId: opened.profileId,
    ...source,
    ...line,
    limit: 1000,
  });
  assert.ok(answer.total > 0);
  await opened.send({ type: 'navigate', to: { view: 'timeline', line } });
  await page.locator('.tl-count').waitFor();
  assert.match(
    await page.locator('.tl-count').innerText(),
    new RegExp(`^${answer.total.toLocaleString('en-US')} `),
  );
  assert.equal(await page.locator('.tl-results li').count(), Math.min(200, answer.slices.length));
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

/** Selects a slice that the daemon finds, as a link from another view does. */
async function selectByName(opened, search) {
  const { results } = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    limit: 1,
    ...search,
  });
  const { slice, name } = results[0];
  await opened.send({ type: 'navigate', to: { view: 'timeline', slice } });
  await opened.page.locator('.tl-details h2').getByText(name, { exact: true }).waitFor();
  await opened.page.locator('.tl-overlay').focus();
  return harness.daemon.request('timeline/slice', { profileId: opened.profileId, slice });
}

const detailsOf = (page) => page.locator('.tl-details h2').first().innerText();

/** The heading of the details once it names another slice. */
async function nextDetails(page, press, old) {
  const before = await page.locator('.tl-details').first().innerText();
  await page.keyboard.press(press);
  await page.waitForFunction(
    (text) => document.querySelector('.tl-details')?.innerText !== text,
    before,
  );
  const now = await detailsOf(page);
  assert.notEqual(now, old);
  return now;
}

test('a and d move, s zooms out, the arrows move where nothing is selected', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await page.locator('.tl-overlay').focus();
  const whole = await shownWindow(page);
  const span = ([start, end]) => end - start;
  await page.keyboard.press('w');
  let at = await windowAfter(page, whole);
  for (const [key, later] of [
    ['d', true],
    ['a', false],
    ['ArrowRight', true],
    ['ArrowLeft', false],
  ]) {
    await page.keyboard.press(key);
    const moved = await windowAfter(page, at);
    assert.equal(moved[0] > at[0], later, `${key} moves`);
    assert.ok(Math.abs(span(moved) - span(at)) < 2, `${key} does not zoom`);
    at = moved;
  }
  await page.keyboard.press('s');
  assert.ok(span(await windowAfter(page, at)) > span(at));
  await opened.close();
});

test('up and down walk through the levels, left and right along one, and each is announced', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const linear = await selectByName(opened, { kind: 'cpuOp', text: 'aten::conv2d' });
  const inner = await harness.daemon.request('timeline/neighbour', {
    profileId: opened.profileId,
    slice: linear.slice,
    direction: 'in',
  });
  assert.equal(await nextDetails(page, 'ArrowDown', linear.name), inner.slice.name);
  const said = page.locator('[role="status"][aria-live="polite"]').first();
  assert.match(await said.innerText(), new RegExp(`^${inner.slice.name}, cpuOp, .* on `));
  assert.equal(await nextDetails(page, 'ArrowUp', inner.slice.name), linear.name);
  await page.keyboard.press('ArrowRight');
  const next = await harness.daemon.request('timeline/neighbour', {
    profileId: opened.profileId,
    slice: linear.slice,
    direction: 'next',
  });
  await page.waitForFunction(
    (name) => document.querySelector('[role="status"]').textContent.startsWith(name),
    next.slice.name,
  );
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(
    (name) => document.querySelector('[role="status"]').textContent.startsWith(name),
    linear.name,
  );
  await opened.close();
});

test('l follows a backward operator to what caused it, Shift+l goes back the same way', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const inner = await selectByName(opened, { kind: 'cpuOp', text: 'convolution_backward' });
  const way = [inner.name];
  for (let i = 0; i < 3; i++) way.push(await nextDetails(page, 'l', way.at(-1)));
  for (const name of way.slice(0, -1).reverse()) {
    await page.keyboard.press('Shift+L');
    await page.locator('.tl-details h2').getByText(name, { exact: true }).first().waitFor();
  }
  await opened.close();
});

test('e draws all arrows, c opens the code of the selected slice', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await selectByName(opened, { kind: 'cpuOp', text: 'aten::conv2d' });
  const arrows = page.getByRole('button', { name: 'Arrows' });
  assert.equal(await arrows.getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('e');
  await page.waitForFunction(
    () => document.querySelector('[role="status"]').textContent === 'All arrows shown',
  );
  assert.equal(await arrows.getAttribute('aria-pressed'), 'true');
  const target = await opened.sent('openSource', () => page.keyboard.press('c'));
  assert.match(target.target.file, /slow\.py$/);
  await opened.close();
});

test('pinching zooms at the fingers, Shift and wheel scroll the rows', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const overlay = page.locator('.tl-overlay');
  const box = await overlay.boundingBox();
  const before = await shownWindow(page);
  // Browsers report a pinch as a wheel with Ctrl.
  const pinch = (deltaY) =>
    overlay.evaluate((element, event) => element.dispatchEvent(new WheelEvent('wheel', event)), {
      bubbles: true,
      cancelable: true,
      ctrlKey: true,
      deltaY,
      clientX: box.x + box.width / 4,
      clientY: box.y + 40,
    });
  await pinch(-40);
  const zoomed = await windowAfter(page, before);
  const at = ([start, end]) => start + (end - start) / 4;
  assert.ok(zoomed[1] - zoomed[0] < before[1] - before[0]);
  const nsPerPixel = (before[1] - before[0]) / box.width;
  assert.ok(Math.abs(at(zoomed) - at(before)) < nsPerPixel, 'the time under the fingers stays');
  await pinch(40);
  const back = await windowAfter(page, zoomed);
  assert.ok(back[1] - back[0] > zoomed[1] - zoomed[0]);
  const viewport = page.locator('.tl-viewport');
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, 120);
  await page.keyboard.up('Shift');
  await page.waitForFunction(() => document.querySelector('.tl-viewport').scrollTop > 0);
  assert.ok((await viewport.evaluate((element) => element.scrollTop)) > 0);
  assert.deepEqual(await shownWindow(page), back);
  await opened.close();
});

test('a box over rows adds up those rows alone', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await page.locator('.tl-overlay').boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 110, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  const about = page.locator('.tl-details .tl-dim').first();
  await page.waitForFunction(() =>
    /slices?$/.test(document.querySelector('.tl-details .tl-dim')?.textContent ?? ''),
  );
  const text = await about.innerText();
  const [, rows, slices] = /, (\d+) rows?, ([\d,]+) slices?$/.exec(text);
  const all = await harness.daemon.request('timeline/tracks', { profileId: opened.profileId });
  assert.ok(Number(rows) > 0 && Number(rows) < all.tracks.length, text);
  const request = opened.messages.findLast((message) => message.method === 'timeline/range');
  const answer = await harness.daemon.request('timeline/range', {
    ...request.params,
    profileId: opened.profileId,
  });
  assert.equal(request.params.tracks.length, Number(rows));
  assert.equal(answer.totalSlices, Number(slices.replaceAll(',', '')));
  await opened.close();
});

test('a slice far away is shown at once where motion is reduced', async () => {
  const opened = await openTimeline({ reducedMotion: true });
  const { page } = opened;
  assert.ok(await page.evaluate(() => document.body.classList.contains('vscode-reduce-motion')));
  await page.setViewportSize({ width: 1280, height: 330 });
  await page.evaluate(() => {
    window.behaviors = [];
    const scrollTo = Element.prototype.scrollTo;
    Element.prototype.scrollTo = function (options) {
      window.behaviors.push(options.behavior);
      return scrollTo.call(this, options);
    };
  });
  const all = await harness.daemon.request('timeline/tracks', { profileId: opened.profileId });
  const last = all.tracks.findLast((track) => track.slices > 0 && track.kind !== 'steps');
  const { rows } = await harness.daemon.request('timeline/window', {
    profileId: opened.profileId,
    startNs: all.startNs,
    endNs: all.endNs,
    pixels: 16384,
    tracks: [last.id],
  });
  const slice = rows[0].slice.find((one) => one >= 0);
  await opened.send({ type: 'navigate', to: { view: 'timeline', slice } });
  await page.locator('.tl-details h2').first().waitFor();
  await page.waitForFunction(() => window.behaviors.length > 0);
  assert.deepEqual([...new Set(await page.evaluate(() => window.behaviors))], ['instant']);
  await opened.close();
});

test('recorded arrows of a slice are listed with what they carry, asynchronous slices are drawn', async () => {
  const drawn = join(root, 'tests', 'golden', 'traces', 'timeline.pt.trace.json');
  const opened = await harness.open(drawn);
  const { page } = opened;
  await opened.view('Timeline');
  await selectByName(opened, { kind: 'kernel', name: 'relu' });
  const arrows = page.getByRole('region', { name: 'Recorded arrows' });
  await arrows.getByText('critical_path from').waitFor();
  await arrows.getByText('weight: 15').waitFor();
  const { results } = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    name: 'request',
  });
  assert.equal(results.length, 2);
  await opened.send({ type: 'navigate', to: { view: 'timeline', slice: results[0].slice } });
  await page.locator('.tl-details h2').getByText('request', { exact: true }).waitFor();
  const recorded = page.getByRole('region', { name: 'Recorded arguments' });
  assert.match(await recorded.locator('tr', { hasText: 'tid' }).innerText(), /92/);
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('a slice leads to its rows in the other views, and the row back to a slice of its name', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const slice = await selectByName(opened, { kind: 'cpuOp', name: 'aten::conv2d' });
  for (const [button, view] of [
    ['Operators', 'Operators'],
    ['Memory', 'Memory'],
    ['Module', 'Modules'],
    ['Lines', 'Lines'],
  ]) {
    await page.locator('.tl-buttons').getByRole('button', { name: button, exact: true }).click();
    await page.waitForFunction(
      (title) =>
        document.querySelector('[role="tab"][aria-selected="true"]')?.textContent === title,
      view,
    );
    await opened.settled();
    const wanted = {
      Operators: slice.name,
      Memory: slice.name,
      Modules: slice.module?.name.replace('nn.Module: ', ''),
      Lines: 'slow.py',
    }[view];
    await page.locator('[role="treegrid"], [role="grid"]').getByText(wanted).first().waitFor();
    await opened.view('Timeline');
    await page.locator('.tl-details h2').getByText(slice.name, { exact: true }).waitFor();
  }
  await page.locator('.tl-buttons').getByRole('button', { name: 'Operators', exact: true }).click();
  await opened.settled();
  await page
    .getByRole('button', { name: /Timeline/ })
    .first()
    .click();
  await page.waitForSelector('.tl-details h2, .tl-results button');
  await opened.close();
});

for (const theme of Object.keys(themes)) {
  test(`axe finds nothing in ${theme}`, async () => {
    const opened = await openTimeline({ theme });
    await opened.page.locator('.tl-overlay').focus();
    await opened.page.keyboard.press('ArrowDown');
    await opened.page.locator('.tl-details h2').first().waitFor();
    assert.deepEqual(await axe(opened.page), []);
    await opened.close();
  });
}
