// The timeline in a real browser over the sample, with the real daemon.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { goldenTrace } from '../lib/golden_traces.mjs';
import { slice } from '../lib/trace_events.mjs';
import { Harness, axe, commandLine, patience, sample } from './harness.mjs';
import {
  announcements,
  detailHeadings,
  foundCount,
  foundSlices,
  gridOf,
  numberHeadings,
  settledTimeline,
  timelineCanvas,
  timelinePanel,
  timelineTracks,
  tooltips,
  trackHeadings,
  trackNames,
  trackRows,
  tracksListed,
} from '../lib/roles.mjs';
import { themes } from './themes.mjs';

const trace = sample('train_cnn/slow.pt.trace.json.gz');
let harness;
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-timeline-page-'));
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a drawn trace; times of its events are in us. */
function drawn(name, events, rest = {}) {
  const path = join(folder, `${name}.pt.trace.json`);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, ...rest, traceEvents: events }));
  return path;
}

const event = (cat, name, tid, ts, dur, args, pid = 50) =>
  slice(cat, name, ts, dur, args, { pid, tid });

/** A step that launches a kernel of each name on a device of its own. */
const launches = (names) => [
  event('user_annotation', 'ProfilerStep#1', 1, 0, 100 * names.length),
  ...names.flatMap((name, i) => [
    event('cpu_op', `op of ${name}`, 1, 100 * i + 10, 30),
    event('cuda_runtime', 'cudaLaunchKernel', 1, 100 * i + 20, 5, { correlation: i + 1 }),
    event('kernel', name, 7, 100 * i + 50, 20, { correlation: i + 1, device: i, stream: 7 }, i),
  ]),
];

async function openTimeline(options = {}) {
  const opened = await harness.open(trace, options);
  await opened.view('Timeline');
  await settledTimeline(opened.page).waitFor();
  return opened;
}

const shownWindow = (page) =>
  page
    .locator('[data-window]')
    .getAttribute('data-window')
    .then((text) => text.split(' ').map(Number));

/** Waits until the window is not what it was. */
async function windowAfter(page, before) {
  await page.waitForFunction(
    (old) => document.querySelector('[data-window]').dataset.window !== old,
    before.join(' '),
  );
  return shownWindow(page);
}

/** Waits until the panel says something else. */
const panelChanged = (page, old) =>
  page.waitForFunction((text) => document.querySelector('aside')?.innerText !== text, old);

test('every row of the trace is there, and the first picture shows the steps', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const all = await harness.daemon.request('timeline/tracks', { profileId: opened.profileId });
  assert.equal(await trackRows(page).count(), all.tracks.length);
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
  await timelineCanvas(page).focus();
  await page.keyboard.press('ArrowDown');
  const heading = detailHeadings(page).first();
  await heading.waitFor();
  const first = await timelinePanel(page).innerText();
  await page.keyboard.press('ArrowRight');
  await panelChanged(page, first);
  const whole = await shownWindow(page);
  await page.keyboard.press('f');
  const fitted = await windowAfter(page, whole);
  assert.ok(fitted[1] - fitted[0] < whole[1] - whole[0], 'f shows less than the whole');
  await page.keyboard.press('m');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  // Names of what ran in the range have the room that its sums leave.
  const bottomUp = await page
    .getByRole('columnheader', { name: 'Called from' })
    .locator('xpath=ancestor::table')
    .boundingBox();
  const panel = await timelinePanel(page).boundingBox();
  assert.ok(bottomUp.width > 0.55 * panel.width, `${bottomUp.width} of ${panel.width} px`);
  await page.keyboard.press('Escape');
  await page.getByText('Click a slice for details').waitFor();
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

test('beside code, names of tracks leave the room to the time', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  for (const [width, names] of [
    [1280, 224],
    [640, 160],
    [420, 110],
  ]) {
    await page.setViewportSize({ width, height: 700 });
    await page.waitForFunction(
      ([room, least]) => {
        const drawing = document.querySelector('[role=application]').getBoundingClientRect();
        return Math.abs(drawing.left - least) < 3 && Math.abs(drawing.right - room) < 24;
      },
      [width, names],
    );
    const row = await trackRows(page).first().boundingBox();
    assert.ok(Math.abs(row.width - names) < 3, `${row.width} of ${width} px`);
  }
  await opened.close();
});

test('the wheel zooms at the pointer, dragging moves', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await timelineCanvas(page).boundingBox();
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
  await timelineCanvas(page).focus();
  await page.keyboard.press('/');
  await page.getByRole('textbox', { name: 'Find slices' }).fill('convolution_backward');
  await foundCount(page).waitFor();
  const answer = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    text: 'convolution_backward',
    limit: 200,
  });
  await foundCount(page)
    .filter({ hasText: new RegExp(`^${answer.total} `) })
    .waitFor();
  await foundSlices(page).getByRole('button').first().click();
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
      (await timelinePanel(page).locator('tbody tr', { hasText: key }).count()) > 0,
      `${key} is shown`,
    );
  }
  assert.ok(recorded.args.length > 0);
  await opened.close();
});

test('a marked range adds up and becomes a trace of its own', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await timelineCanvas(page).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.3, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 62, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  await page.getByRole('region', { name: 'Sums by kind' }).waitFor();
  const numbers = await numberHeadings(timelinePanel(page));
  assert.deepEqual(
    numbers.filter(({ title }) => title === ''),
    [],
    'each figure says what it is',
  );
  assert.equal(await timelinePanel(page).locator('dt:not([title])').count(), 0);
  assert.ok(numbers.length >= 5);
  const sums = page.getByRole('region', { name: 'Sums by kind' });
  const copied = await opened.sent('copy', async () => {
    await timelinePanel(page).getByRole('button', { name: 'Export', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Copy as CSV' }).click();
  });
  const lines = copied.text.trimEnd().split('\r\n');
  assert.equal(lines[0], 'Kind,Slices,Sum (ns),Union (ns)');
  assert.equal(lines.length, 1 + (await sums.locator('tbody tr').count()));
  assert.match(lines[1], /,\d+,\d+$/, 'whole times');
  const saved = await opened.sent('save', () =>
    page.getByRole('button', { name: 'Export as Trace' }).click(),
  );
  const part = JSON.parse(saved.content);
  assert.ok(part.traceEvents.some((event) => event.ph === 'X'));
  assert.match(saved.suggestedName, /\.pt\.trace\.json$/);
  await opened.close();
});

test('rows fold, hide, pin and come back; the arrangement is kept', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const label = trackRows(page).nth(1);
  const name = await label.getAttribute('aria-label');
  const total = await trackRows(page).count();
  await label.hover();
  await label.getByRole('button', { name: `Pin ${name}` }).click();
  await trackHeadings(page).getByText('Pinned', { exact: true }).waitFor();
  const pinned = trackRows(page).first();
  await pinned.hover();
  await pinned.getByRole('button', { name: `Hide ${name}` }).click();
  await tracksListed(page, total - 1);
  await page.getByRole('button', { name: 'Show 1 hidden track' }).click();
  await tracksListed(page, total);
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
  await timelinePanel(page).locator('tbody tr').nth(5).waitFor();
  await panel('File');
  await page.getByRole('region', { name: 'Metadata of the file' }).waitFor();
  await timelinePanel(page).locator('tbody tr', { hasText: 'schemaVersion' }).first().waitFor();
  await opened.close();
});

test('a row of another view leads to its slice', async () => {
  const opened = await harness.open(trace);
  const { page } = opened;
  const { rows } = commandLine('operators', trace, ['--limit', '1']);
  await opened.send({ type: 'navigate', to: { view: 'timeline', search: rows[0].name } });
  await foundSlices(page).first().waitFor();
  await foundCount(page).waitFor();
  const answer = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    name: rows[0].name,
    limit: 1,
  });
  assert.match(
    await foundCount(page).innerText(),
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
  await foundCount(page).waitFor();
  assert.match(
    await foundCount(page).innerText(),
    new RegExp(`^${answer.total.toLocaleString('en-US')} `),
  );
  assert.equal(await foundSlices(page).count(), Math.min(200, answer.slices.length));
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
  // The heading shows the name short, and holds it whole.
  await detailHeadings(opened.page)
    .and(opened.page.getByTitle(name, { exact: true }))
    .waitFor();
  await timelineCanvas(opened.page).focus();
  return harness.daemon.request('timeline/slice', { profileId: opened.profileId, slice });
}

/** The whole name that the details are of. */
const detailsOf = (page) => detailHeadings(page).first().getAttribute('title');

/** The heading of the details once it names another slice. */
async function nextDetails(page, press, old) {
  const before = await timelinePanel(page).innerText();
  await page.keyboard.press(press);
  await panelChanged(page, before);
  const now = await detailsOf(page);
  assert.notEqual(now, old);
  return now;
}

test('a and d move, s zooms out, the arrows move where nothing is selected', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await timelineCanvas(page).focus();
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
  const inner = await harness.daemon.request('timeline/neighbor', {
    profileId: opened.profileId,
    slice: linear.slice,
    direction: 'in',
  });
  assert.equal(await nextDetails(page, 'ArrowDown', linear.name), inner.slice.name);
  const said = announcements(page);
  assert.match(await said.innerText(), new RegExp(`^${inner.slice.name}, cpuOp, .* on `));
  assert.equal(await nextDetails(page, 'ArrowUp', inner.slice.name), linear.name);
  await page.keyboard.press('ArrowRight');
  const next = await harness.daemon.request('timeline/neighbor', {
    profileId: opened.profileId,
    slice: linear.slice,
    direction: 'next',
  });
  await announcements(page).filter({ hasText: next.slice.name }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowLeft');
  await announcements(page).filter({ hasText: linear.name }).waitFor({ state: 'attached' });
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
    await detailHeadings(page).getByText(name, { exact: true }).first().waitFor();
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
  await announcements(page)
    .filter({ hasText: /^Showing all flow arrows$/ })
    .waitFor({ state: 'attached' });
  assert.equal(await arrows.getAttribute('aria-pressed'), 'true');
  const target = await opened.sent('openSource', () => page.keyboard.press('c'));
  assert.match(target.target.file, /slow\.py$/);
  await opened.close();
});

test('pinching zooms at the fingers, Shift and wheel scroll the rows', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const overlay = timelineCanvas(page);
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
  const viewport = timelineTracks(page);
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.mouse.move(box.x + 200, box.y + 40);
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, 120);
  await page.keyboard.up('Shift');
  await page.waitForFunction(
    () => document.querySelector('[role=group][aria-label=Tracks]').scrollTop > 0,
  );
  assert.ok((await viewport.evaluate((element) => element.scrollTop)) > 0);
  assert.deepEqual(await shownWindow(page), back);
  await opened.close();
});

test('the wheel does what the setting says, and the shortcuts tell it', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 400 });
  const box = await timelineCanvas(page).boundingBox();
  const scrolled = () => timelineTracks(page).evaluate((element) => element.scrollTop);
  const told = async (text) => {
    await timelineCanvas(page).focus();
    await page.keyboard.press('?');
    const shortcuts = page.getByRole('dialog', { name: 'Timeline shortcuts' });
    await shortcuts.getByText(`${text} (setting: Timeline: Wheel)`, { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await shortcuts.waitFor({ state: 'detached' });
  };
  await told('Zoom with a mouse, scroll with a trackpad');

  await opened.send({ type: 'wheel', wheel: 'scroll' });
  const before = await shownWindow(page);
  await page.mouse.move(box.x + 200, box.y + 40);
  // A whole notch of a mouse, which would zoom otherwise.
  await page.mouse.wheel(0, 120);
  await page.waitForFunction(
    () => document.querySelector('[role=group][aria-label=Tracks]').scrollTop > 0,
  );
  assert.deepEqual(await shownWindow(page), before);
  await told('Scroll the tracks');

  await opened.send({ type: 'wheel', wheel: 'zoom' });
  const at = await scrolled();
  // A small step, as of a trackpad, which would scroll otherwise.
  await page.mouse.wheel(0, -12);
  const zoomed = await windowAfter(page, before);
  assert.ok(zoomed[1] - zoomed[0] < before[1] - before[0]);
  assert.equal(await scrolled(), at);
  await told('Zoom');
  await opened.close();
});

test('a box over rows adds up those rows alone', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await timelineCanvas(page).boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(box.x + box.width * 0.2, box.y + 30);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 110, { steps: 5 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  const about = timelinePanel(page).getByText(/, \d+ tracks?, [\d,]+ slices?$/);
  const text = await about.innerText();
  const [, rows, slices] = /, (\d+) tracks?, ([\d,]+) slices?$/.exec(text);
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
  await detailHeadings(page).first().waitFor();
  await page.waitForFunction(() => window.behaviors.length > 0);
  assert.deepEqual([...new Set(await page.evaluate(() => window.behaviors))], ['instant']);
  await opened.close();
});

test('recorded arrows of a slice are listed with what they carry, asynchronous slices are drawn', async () => {
  const drawn = goldenTrace('timeline');
  const opened = await harness.open(drawn);
  const { page } = opened;
  await opened.view('Timeline');
  await selectByName(opened, { kind: 'kernel', name: 'relu' });
  const arrows = page.getByRole('region', { name: 'Flow arrows' });
  await arrows.getByText('critical_path from').waitFor();
  await arrows.getByText('weight: 15').waitFor();
  const { results } = await harness.daemon.request('timeline/search', {
    profileId: opened.profileId,
    name: 'request',
  });
  assert.equal(results.length, 2);
  await opened.send({ type: 'navigate', to: { view: 'timeline', slice: results[0].slice } });
  await detailHeadings(page).getByText('request', { exact: true }).waitFor();
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
    await timelinePanel(page).getByRole('button', { name: button, exact: true }).click();
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
    await detailHeadings(page).getByText(slice.name, { exact: true }).waitFor();
  }
  await timelinePanel(page).getByRole('button', { name: 'Operators', exact: true }).click();
  await opened.settled();
  await page
    .getByRole('button', { name: /Timeline/ })
    .first()
    .click();
  await detailHeadings(page).or(foundSlices(page)).first().waitFor();
  await opened.close();
});

const shownTab = (page, title) =>
  page.waitForFunction(
    (name) => document.querySelector('[role="tab"][aria-selected="true"]')?.textContent === name,
    title,
  );

test('kernels, copies and operators: from the slice to exactly its row, from the row to its slice', async () => {
  const opened = await harness.open(goldenTrace('two-steps'));
  const { page } = opened;
  for (const { search, button, tab, table, column, value } of [
    {
      search: { kind: 'kernel', name: 'void relu_kernel<float>(float*)' },
      button: 'Kernels',
      tab: 'Kernels',
      table: 'Kernels',
      column: 'name',
    },
    {
      search: { kind: 'memcpy', text: 'HtoD' },
      button: 'Copies',
      tab: 'Kernels',
      table: 'Memcpy / Memset',
      column: 'direction',
      value: 'HtoD',
    },
    {
      search: { kind: 'memset', text: 'Memset' },
      button: 'Copies',
      tab: 'Kernels',
      table: 'Memcpy / Memset',
      column: 'direction',
      value: 'Set',
    },
    {
      search: { kind: 'cpuOp', name: 'aten::linear' },
      button: 'Operators',
      tab: 'Operators',
      table: 'Operators',
      column: 'name',
    },
  ]) {
    const slice = await selectByName(opened, search);
    await timelinePanel(page).getByRole('button', { name: button, exact: true }).click();
    await shownTab(page, tab);
    const cells = gridOf(page, table).locator(`[role=gridcell][data-key=${column}]`);
    // The table may still show for a moment what it was asked for last.
    await cells
      .filter({ hasText: value ?? '' })
      .first()
      .waitFor();
    await opened.settled();
    assert.equal(await cells.count(), 1, `${button} of ${slice.name} shows one row`);
    const cell = cells.first();
    assert.equal(
      value ?? slice.name,
      value === undefined
        ? ((await cell.getAttribute('title')) ?? (await cell.innerText()))
        : await cell.innerText(),
    );
    assert.ok(
      await cell.evaluate((element) => {
        const box = element.getBoundingClientRect();
        return box.top >= 0 && box.bottom <= window.innerHeight;
      }),
      `the row of ${slice.name} is in sight`,
    );
    // Back: to a slice of that row, with its details.
    await gridOf(page, table).getByTitle('Show in the timeline').first().click({ force: true });
    await shownTab(page, 'Timeline');
    await detailHeadings(page).first().waitFor();
    await settledTimeline(page).waitFor();
    assert.equal(await detailsOf(page), slice.name);
    const [start, end] = await shownWindow(page);
    const back = opened.messages.findLast((message) => message.method === 'timeline/slice');
    const there = await harness.daemon.request('timeline/slice', {
      profileId: opened.profileId,
      slice: back.params.slice,
    });
    assert.equal(there.kind, slice.kind);
    assert.ok(there.startNs >= start && there.startNs + there.durationNs <= end, 'it is in sight');
  }
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('coming back to the timeline does not repeat what once led to it', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  await selectByName(opened, { kind: 'cpuOp', name: 'aten::conv2d' });
  const inner = await nextDetails(page, 'ArrowDown', 'aten::conv2d');
  await opened.view('Operators');
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  assert.equal(await detailsOf(page), inner);
  await opened.close();
});

test('Shift+l goes back only where l came from, else to what the slice launched', async () => {
  const opened = await harness.open(drawn('trail', launches(['first', 'second'])));
  const { page } = opened;
  await opened.view('Timeline');
  await selectByName(opened, { name: 'first' });
  assert.equal(await nextDetails(page, 'l', 'first'), 'cudaLaunchKernel');
  await selectByName(opened, { name: 'op of second' });
  assert.equal(await nextDetails(page, 'Shift+L', 'op of second'), 'second');
  await opened.close();
});

test('the name of a slice stands above its figures, however many stand beside it', async () => {
  const kernel = `reduce_kernel<${Array.from({ length: 12 }, (_, i) => `Functor${i}`).join(', ')}>`;
  const opened = await harness.open(drawn('wide', launches([kernel])));
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 800 });
  await opened.view('Timeline');
  const heading = detailHeadings(page).first();
  const term = timelinePanel(page).getByRole('term').first();
  for (const name of [kernel, `op of ${kernel}`]) {
    await selectByName(opened, { name });
    await term.waitFor();
    assert.equal((await term.boundingBox()).x, (await heading.boundingBox()).x, name);
  }
  await opened.close();
});

test('another rank has a window and a selection of its own, and the same arrangement of rows', async () => {
  const host = (index) => [
    event('cpu_op', `aten::rank${index}`, 1, 0, 50 * (index + 1)),
    event('cpu_op', 'aten::inner', 1, 10, 5),
    event('cpu_op', 'aten::other', 2, 10, 5),
  ];
  drawn('ranks/run/worker0', host(0));
  drawn('ranks/run/worker1', [event('cpu_op', 'aten::shift', 9, 0, 500, {}, 0), ...host(1)]);
  const opened = await harness.open(join(folder, 'ranks'));
  const { page } = opened;
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  const label = trackRows(page).and(page.getByRole('group', { name: 'Thread 2', exact: true }));
  await label.hover();
  await label.getByRole('button', { name: 'Pin Thread 2' }).click();
  await timelineCanvas(page).focus();
  await page.keyboard.press('ArrowDown');
  await detailHeadings(page).first().waitFor();
  await page.keyboard.press('m');
  await page.getByRole('heading', { name: /^Range of/ }).waitFor();
  const before = await shownWindow(page);
  // Chosen while another view shows: the timeline is not there to see it.
  await opened.view('Operators');
  await page.locator('vscode-single-select').evaluateAll((all) => {
    const select = all.find((one) => one.label === 'Worker');
    select.value = 'worker1';
    select.dispatchEvent(new Event('change'));
  });
  await opened.settled();
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  await page.getByText('Click a slice for details').waitFor();
  assert.equal(await page.getByRole('heading', { name: /^Range of/ }).count(), 0);
  const all = await harness.daemon.request('timeline/tracks', {
    profileId: opened.profileId,
    worker: 'worker1',
  });
  const [start, end] = await shownWindow(page);
  assert.ok(start <= all.workStartNs && end >= all.workEndNs);
  assert.notDeepEqual([start, end], before);
  assert.equal(await trackHeadings(page).first().innerText(), 'Pinned');
  assert.equal((await trackNames(page))[0], 'Thread 2');
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('rows move past each other, and groups past groups', async () => {
  const opened = await harness.open(drawn('order', launches(['one', 'two'])));
  const { page } = opened;
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  const headings = () => trackHeadings(page).allInnerTexts();
  const first = await headings();
  const gpus = first.filter((text) => text.startsWith('GPU'));
  assert.equal(gpus.length, 2);
  const at = first.indexOf(gpus[1]);
  const streams = trackRows(page).and(page.getByRole('group', { name: 'Stream 7', exact: true }));
  const label = streams.nth(1);
  await label.hover();
  await label.getByRole('button', { name: 'Move Stream 7 up' }).click();
  await trackHeadings(page)
    .nth(at - 1)
    .and(page.getByText(gpus[1], { exact: true }))
    .waitFor();
  // A row within its group, while a filter hides the others: they keep their places.
  const names = () => trackNames(page);
  const before = await names();
  await page.getByRole('textbox', { name: 'Tracks' }).fill('Queue GPU');
  await tracksListed(page, 2);
  await page.getByTitle('Move down').first().dispatchEvent('click');
  await page.getByRole('textbox', { name: 'Tracks' }).fill('nothing is called this');
  await page.getByText('No matching tracks').waitFor();
  await page.getByRole('textbox', { name: 'Tracks' }).fill('');
  await tracksListed(page, before.length);
  assert.equal(await page.getByText('No matching tracks').count(), 0);
  assert.deepEqual(
    (await headings()).filter((text) => text.startsWith('GPU')),
    gpus,
  );
  assert.deepEqual((await names()).sort(), before.sort());
  await opened.close();
});

test('the table follows the picture, instants are in it and lead from one to the next', async () => {
  const mark = (name, ts, more = {}) => ({
    ph: 'i',
    s: 't',
    name,
    pid: 50,
    tid: 1,
    ts,
    args: { why: name },
    ...more,
  });
  const opened = await harness.open(
    drawn('instants', [
      event('cpu_op', 'aten::a', 1, 0, 100),
      mark('begin', 10),
      mark('same', 40),
      mark('same too', 40),
      { ...mark('Tensor', 60), ph: 'N', s: undefined, id: '0x1f' },
    ]),
    { state: { view: 'timeline', selection: {}, views: { timeline: { panel: 'table' } } } },
  );
  const { page } = opened;
  const table = page.getByRole('region', { name: 'Slices in the window' });
  const rows = table.locator('tbody tr');
  // The panel was open before anything had come.
  await rows.filter({ hasText: 'aten::a' }).waitFor();
  assert.equal(await rows.count(), 4);
  await rows.getByRole('button', { name: '2 instants, the first same' }).click();
  const details = async (name) => {
    await detailHeadings(page).getByText(name, { exact: true }).waitFor();
  };
  await page
    .getByRole('radio', { name: 'Details' })
    .or(page.getByRole('button', { name: 'Details' }))
    .first()
    .click();
  await details('same');
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await details('same too');
  await timelineCanvas(page).focus();
  await page.keyboard.press('ArrowRight');
  await details('Tensor');
  await page.getByText('Object created at 60').waitFor();
  await page.getByRole('cell', { name: '0x1f' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await details('begin');
  await page.keyboard.press('Escape');
  await page.getByText('Click a slice for details').waitFor();
  assert.deepEqual(opened.errors, []);
  await opened.close();
});

test('an answer that comes late does not bring back what was switched off', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const forward = opened.forward.bind(opened);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  opened.forward = async (message) => {
    if (message.method === 'timeline/flows' && message.params.slice === undefined) await held;
    return forward(message);
  };
  await timelineCanvas(page).focus();
  const asked = await opened.sent('request', () => page.keyboard.press('e'));
  assert.equal(asked.method, 'timeline/flows');
  const cancelled = await opened.sent('cancel', () => page.keyboard.press('e'));
  assert.equal(cancelled.id, asked.id);
  release();
  await opened.close();
});

test('where there are more arrows than can be drawn, it says so', async () => {
  const opened = await harness.open(sample('transformer/train.pt.trace.json.gz'));
  const { page } = opened;
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  await page.getByRole('button', { name: 'Fit', exact: true }).click();
  await page.getByRole('button', { name: 'Arrows', exact: true }).click();
  const note = page.getByText(/^[\d,]+ of [\d,]+ arrows, sampled evenly$/);
  await note.waitFor();
  const { total } = await harness.daemon.request('timeline/flows', { profileId: opened.profileId });
  assert.match(await note.innerText(), new RegExp(` of ${total.toLocaleString('en-US')} arrows`));
  await page.getByRole('button', { name: 'Arrows', exact: true }).click();
  await note.waitFor({ state: 'detached' });
  await opened.close();
});

test('a utilization that changes within pixels is drawn and told as their means', async () => {
  const on = (cat, name, ts, dur, correlation) =>
    event(cat, name, 7, ts, dur, { device: 0, stream: 7, correlation }, 0);
  // Works a tenth of the time, in fewer pieces than there are pixels.
  const path = drawn('mostly-idle', [
    event('cpu_op', 'aten::mm', 1, 0, 40_000),
    on('gpu_user_annotation', 'decode', 0, 40_000, 0),
    ...Array.from({ length: 1000 }, (_, i) => on('kernel', 'k', 40 * i, 4, i + 1)),
  ]);
  const opened = await harness.open(path);
  await opened.view('Timeline');
  const { page } = opened;
  await settledTimeline(page).waitFor();
  const row = await page.getByRole('group', { name: 'Utilization', exact: true }).boundingBox();
  const box = await timelineCanvas(page).boundingBox();
  const shares = [];
  for (const part of [0.2, 0.5, 0.83]) {
    await page.mouse.move(box.x + Math.round(box.width * part), row.y + row.height / 2);
    const text = await tooltips(page).innerText();
    shares.push(Number(/^Utilization\n([\d.]+) % at/.exec(text)?.[1]));
  }
  // A pixel is about as long as a period, so it holds one piece, seldom two or none.
  for (const percent of shares) assert.ok(percent >= 0 && percent <= 25, String(shares));
  // The height of what is drawn in each column, as a share of the row.
  const heights = await timelineCanvas(page).evaluate(
    (overlay, { top, height }) => {
      const ratio = overlay.width / overlay.clientWidth;
      const context = overlay.getContext('2d');
      // The scale's text stands at the right end.
      const width = Math.round((overlay.clientWidth - 60) * ratio);
      const rows = Math.round(height * ratio);
      const { data } = context.getImageData(0, Math.round(top * ratio), width, rows);
      return Array.from({ length: width }, (_, x) => {
        let painted = 0;
        for (let y = 0; y < rows; y++) painted += data[4 * (y * width + x) + 3] > 0 ? 1 : 0;
        return painted / rows;
      });
    },
    { top: row.y - box.y, height: row.height },
  );
  const mean = heights.reduce((sum, one) => sum + one, 0) / heights.length;
  assert.ok(mean > 0.08 && mean < 0.2, `drawn ${mean} high for a tenth`);
  assert.ok(Math.max(...heights) < 0.4, `up to ${Math.max(...heights)}`);
  await opened.close();
});

test('the picture stays when the graphics context is lost', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  // A box of the first row, in the middle of the picture.
  const color = () =>
    timelineCanvas(page).evaluate((overlay) => {
      const ratio = overlay.width / overlay.clientWidth;
      const context = overlay.getContext('2d');
      const at = [overlay.clientWidth / 2, 22 + 4].map((css) => Math.round(css * ratio));
      return [...context.getImageData(...at, 1, 1).data];
    });
  const before = await color();
  assert.equal(before[3], 255, 'a box is drawn');
  await page.evaluate(() => {
    const lost = new Event('webglcontextlost', { cancelable: true });
    document.querySelector('canvas[aria-hidden=true]').dispatchEvent(lost);
  });
  assert.deepEqual(await color(), before);
  const saved = await opened.sent('save', () =>
    page.getByRole('button', { name: 'Save image' }).click(),
  );
  assert.equal(saved.suggestedName, 'timeline.png');
  const drawn = await page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) colors.add(data.slice(i, i + 3).join());
    return colors.size;
  }, saved.content);
  assert.ok(drawn > 20, `the saved picture has ${drawn} colors`);
  await opened.close();
});

test('sums are asked for once the range or the window rests', async () => {
  const opened = await openTimeline();
  const { page } = opened;
  const box = await timelineCanvas(page).boundingBox();
  const asked = (method) => opened.messages.filter((message) => message.method === method);
  // Each frame has a range of its own; on a slow machine some of them rest.
  await timelineCanvas(page).evaluate(
    async (overlay, [left, top]) => {
      const send = (type, x) =>
        overlay.dispatchEvent(
          new PointerEvent(type, {
            bubbles: true,
            shiftKey: true,
            pointerId: 1,
            clientX: x,
            clientY: top,
          }),
        );
      overlay.setPointerCapture = () => {};
      send('pointerdown', left + 100);
      for (let i = 1; i <= 60; i++) {
        send('pointermove', left + 100 + i);
        await new Promise((done) => requestAnimationFrame(done));
      }
      send('pointerup', left + 160);
    },
    [box.x, box.y + 60],
  );
  await page.getByRole('region', { name: 'Sums by kind' }).waitFor();
  const range = asked('timeline/range').at(-1).params;
  const shown = await shownWindow(page);
  const nsPerPixel = (shown[1] - shown[0]) / box.width;
  assert.ok(Math.abs(range.endNs - range.startNs - 60 * nsPerPixel) < 2 * nsPerPixel);
  assert.ok(asked('timeline/range').length < 30, `${asked('timeline/range').length} questions`);
  await opened.close();
});

test('names that are alike once shortened are told apart where they stand below each other', async () => {
  const alike = ['_ZN2ck11kernel_convILi256ELi4EEEvi', '_ZN2ck11kernel_convILi64ELi4EEEvi'];
  const opened = await harness.open(drawn('alike', launches(alike)));
  const { page } = opened;
  await opened.view('Timeline');
  await settledTimeline(page).waitFor();
  await timelineCanvas(page).focus();
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Kind' }).waitFor();
  await page.getByRole('textbox', { name: 'Find slices' }).fill('ck11kernel_conv');
  await foundCount(page).waitFor();
  const shown = () =>
    timelinePanel(page)
      .locator('[data-whole^="_ZN2ck"]')
      .evaluateAll((all) => all.map((one) => one.textContent).sort());
  // Once among the groups by name, once among the slices.
  const told = ['kernel_conv<256>', 'kernel_conv<64>'];
  assert.deepEqual(await shown(), [told[0], ...told, told[1]]);
  await opened.close();
});

test('names of kernels are short in details and search, which finds and exports them whole', async () => {
  const opened = await harness.open(goldenTrace('two-steps'));
  const { page } = opened;
  const whole = 'void relu_kernel<float>(float*)';
  await selectByName(opened, { kind: 'kernel', name: whole });
  assert.equal(await detailHeadings(page).first().innerText(), 'relu_kernel<float>');
  assert.equal(await page.getByRole('group', { name: 'Full name' }).innerText(), whole);
  await page
    .getByRole('radio', { name: 'Search' })
    .or(page.getByRole('button', { name: 'Search', exact: true }))
    .first()
    .click();
  const found = foundSlices(page).getByRole('button').first();
  for (const text of ['relu_kernel<float>', 'void relu_kernel<float>(']) {
    await page.getByRole('textbox', { name: 'Find slices' }).fill(text);
    await page
      .getByRole('status')
      .filter({ hasText: /^[1-9]\d* match/ })
      .waitFor();
    assert.match(await found.innerText(), /^relu_kernel<float> /);
    assert.equal(await found.locator('[data-whole]').getAttribute('data-whole'), whole);
  }
  await page.getByRole('button', { name: 'Hide panel' }).click();
  await timelinePanel(page).waitFor({ state: 'detached' });
  await opened.close();
});

test('idle time is drawn on the device it is of', async () => {
  const names = ['zero', 'one'];
  const opened = await harness.open(
    drawn('gaps', [
      ...launches(names),
      ...names.map((name, i) =>
        event('kernel', `${name} late`, 7, 400, 20, { device: i, stream: 7 }, i),
      ),
    ]),
  );
  const { page } = opened;
  await opened.view('Timeline');
  await page
    .getByRole('radio', { name: 'Idle time' })
    .or(page.getByRole('button', { name: 'Idle time' }))
    .first()
    .click();
  await page.getByRole('heading', { name: 'Device idle time' }).waitFor();
  const dashes = () =>
    timelineTracks(page).evaluate(async (viewport) => {
      const { prototype } = CanvasRenderingContext2D;
      const { strokeRect } = prototype;
      const tops = new Set();
      prototype.strokeRect = function (left, top, ...size) {
        if (this.getLineDash().length > 0) tops.add(top);
        return strokeRect.call(this, left, top, ...size);
      };
      viewport.dispatchEvent(new Event('scroll'));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      prototype.strokeRect = strokeRect;
      return [...tops];
    });
  const rowTop = (nth) =>
    trackRows(page)
      .and(page.getByRole('group', { name: 'Stream 7', exact: true }))
      .nth(nth)
      .evaluate((label) => parseFloat(label.style.top));
  assert.deepEqual(await dashes(), [(await rowTop(0)) + 1.5]);
  const answered = opened.sent('request', () =>
    timelinePanel(page)
      .locator('vscode-single-select')
      .evaluate((select) => {
        select.value = '1';
        select.dispatchEvent(new Event('change'));
      }),
  );
  assert.equal((await answered).params.device, 1);
  await opened.settled();
  // The old answer stays drawn until the new one is there.
  const end = Date.now() + patience;
  while ((await dashes()).join() !== String((await rowTop(1)) + 1.5)) {
    assert.ok(Date.now() < end, 'the idle time is drawn on the second device');
  }
  await opened.close();
});

for (const theme of Object.keys(themes)) {
  test(`axe finds nothing in ${theme}`, async () => {
    const opened = await openTimeline({ theme });
    await timelineCanvas(opened.page).focus();
    await opened.page.keyboard.press('ArrowDown');
    await detailHeadings(opened.page).first().waitFor();
    assert.deepEqual(await axe(opened.page), []);
    await opened.close();
  });
}

test('the ring of the keyboard goes around names and drawing, through no heading', async () => {
  await harness.withPage(trace, {}, async (opened, page) => {
    await opened.view('Timeline');
    await settledTimeline(page).waitFor();
    const ring = () =>
      timelineTracks(page).evaluate((tracks) => {
        const { width, height } = getComputedStyle(tracks.parentElement, '::after');
        const box = tracks.getBoundingClientRect();
        return { width: parseFloat(width) - box.width, height: parseFloat(height) - box.height };
      });
    const outlined = () =>
      timelineCanvas(page).evaluate((canvas) => getComputedStyle(canvas).outlineStyle !== 'none');
    assert.ok(Number.isNaN((await ring()).width));
    await timelineCanvas(page).focus();
    await page.keyboard.press('ArrowRight');
    const { width, height } = await ring();
    assert.ok(width <= 0 && width > -6 && height <= 0 && height > -6, `${width} ${height}`);
    assert.equal(await outlined(), false);
  });
});

test('a search that finds nothing says so, and offers no next match', async () => {
  await harness.withPage(trace, {}, async (opened, page) => {
    await opened.view('Timeline');
    await settledTimeline(page).waitFor();
    await timelineCanvas(page).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('aten::add');
    await foundCount(page).waitFor();
    const next = page.getByRole('button', { name: 'Next', exact: true });
    await next.waitFor();
    await page.keyboard.type(' and more');
    await page.getByText('No matches', { exact: true }).waitFor();
    assert.equal(await next.count(), 0);
    assert.equal(await page.getByText('By track').count(), 0);
  });
});
