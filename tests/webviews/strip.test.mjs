// The operators of the main thread over time, in place of the flame graph of the modules.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { quantity } from '../../extension/shared/numbers.ts';
import { operatorBoxes, stepsRange } from '../../webviews/src/views/modules/strip.ts';
import { Harness, axe, commandLine, sample } from './harness.mjs';
import {
  cellsOf,
  chosenBox,
  detailHeadings,
  firstCells,
  gridOf,
  stripCanvas,
  tooltips,
} from '../lib/roles.mjs';

const slow = sample('train_cnn/slow.pt.trace.json.gz');
const title = 'Operators of the main thread over time';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

const strip = (page) => page.getByRole('group', { name: /^Operators of .* over time$/ });
const settledStrip = (page) => strip(page).and(page.locator('[aria-busy=false]'));

/** Where there are modules their flame graph shows first. */
async function showStrip(page) {
  const choice = page.getByRole('radio', { name: 'Operators over time' });
  if ((await choice.count()) > 0) await choice.click();
  await settledStrip(page).waitFor();
}

const withPage = (trace, work, options = {}) =>
  harness.withPage(trace, options, async (profile, page) => {
    await profile.view('Modules');
    await showStrip(page);
    await work(profile, page);
  });

async function withDrawn(events, work) {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-strip-'));
  const file = join(folder, 'drawn.pt.trace.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  try {
    await withPage(file, work);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const slice = (cat, name, tid, ts, dur, args = {}) => ({
  ph: 'X',
  cat,
  name,
  pid: 1,
  tid,
  ts,
  dur,
  args,
});

const shownWindow = (page) =>
  strip(page)
    .getAttribute('data-window')
    .then((text) => text.split(' ').map(Number));

async function windowAfter(page, act) {
  const old = await strip(page).getAttribute('data-window');
  await act();
  await page.waitForFunction((was) => {
    const { dataset, ariaBusy } = document.querySelector('[data-window]');
    return dataset.window !== was && ariaBusy === 'false';
  }, old);
  return shownWindow(page);
}

const twin = async (page) => {
  await page.getByRole('button', { name: `${title} as table` }).click();
  const rows = await page
    .getByRole('region', { name: title })
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
    );
  await page.getByRole('button', { name: `${title} as table` }).click();
  return rows;
};
const ns = (text) => Math.round(Number(text.replaceAll(',', '')) * 1000);

/** What `emberline timeline` says of the operators, modules and annotations in a window. */
function recorded(trace, track, [from, to]) {
  const window = commandLine('timeline', trace, [
    `--window=${from}:${to}`,
    '--track',
    String(track),
    '--pixels',
    '16384',
  ]);
  const [row] = window.rows;
  return row.start
    .map((start, i) => ({
      name: window.names[row.name[i]],
      kind: window.kinds[row.kind[i]],
      start,
      end: start + row.length[i],
      slice: row.slice[i],
    }))
    .filter(
      ({ name, kind }) =>
        ['cpuOp', 'userAnnotation'].includes(kind) ||
        (kind === 'pythonFunction' && name.startsWith('nn.Module: ')),
    )
    .filter(({ start, end }) => start < to && end > from);
}

const kindName = { cpuOp: 'operator', userAnnotation: 'annotation', pythonFunction: 'module' };

test('the bars of a window are the slices of the command line, each below what it ran in', async () => {
  const modules = commandLine('modules', slow);
  const call = commandLine('timeline', slow).tracks;
  assert.ok(call.length > 0);
  await withPage(slow, async (profile, page) => {
    const track = Number(await strip(page).getAttribute('data-track'));
    const { slice: id } = modules.modules[0].children[1];
    const detail = await harness.daemon.request('timeline/slice', {
      profileId: profile.profileId,
      slice: id,
    });
    // A window in which nothing is shorter than a pixel: one call of a module.
    const canvas = stripCanvas(page);
    const box = await canvas.boundingBox();
    await canvas.focus();
    for (;;) {
      const [from, to] = await shownWindow(page);
      if (to - from < 4 * detail.durationNs) break;
      const middle = detail.startNs + detail.durationNs / 2;
      const x = box.x + (box.width * (middle - from)) / (to - from);
      await page.mouse.move(x, box.y + 60);
      await windowAfter(page, () => page.mouse.wheel(0, -400));
    }
    const window = await shownWindow(page);
    const expected = recorded(slow, track, window);
    assert.ok(
      expected.every((one) => one.slice >= 0),
      'nothing is merged',
    );
    const rows = await twin(page);
    const key = (name, kind, start, length) => `${start} ${length} ${kind} ${name}`;
    assert.deepEqual(
      rows.map(([name, kind, start, length]) => key(name, kind, ns(start), ns(length))).sort(),
      expected
        .map(({ name, kind, start, end }) => key(name, kindName[kind], start, end - start))
        .sort(),
    );
    assert.ok(new Set(rows.map((row) => row[1])).size >= 3, 'operators, modules and annotations');
    for (const [name, , start, length, depth] of rows) {
      const around = expected.filter(
        (one) => one.start <= ns(start) && one.end >= ns(start) + ns(length),
      );
      assert.equal(Number(depth), around.length - 1, name);
    }
  });
});

test('hover, click and keyboard name a slice with its start, duration and self time', async () => {
  await withPage(slow, async (profile, page) => {
    const canvas = stripCanvas(page);
    const bar = chosenBox(page);
    await canvas.focus();
    await page.keyboard.press('Enter');
    await bar.getByText('ProfilerStep#1').waitFor();
    const found = await harness.daemon.request('timeline/search', {
      profileId: profile.profileId,
      name: 'ProfilerStep#1',
    });
    const step = await harness.daemon.request('timeline/slice', {
      profileId: profile.profileId,
      slice: found.results[0].slice,
    });
    const facts = `${quantity(step.durationNs, 'ns')} at ${quantity(step.startNs, 'ns')}, self ${quantity(step.selfNs, 'ns')}`;
    assert.ok((await bar.innerText()).includes(facts), facts);
    assert.match(await canvas.getAttribute('aria-label'), /ProfilerStep#1/);
    await page.keyboard.press('ArrowRight');
    await bar.getByText('ProfilerStep#2').waitFor();
    await page.keyboard.press('ArrowDown');
    await bar.getByText('aten::std', { exact: true }).waitFor();
    await page.keyboard.press('ArrowUp');
    await bar.getByText('ProfilerStep#2').waitFor();
    const all = await shownWindow(page);
    const zoomed = await windowAfter(page, () => page.keyboard.press('Enter'));
    assert.ok(zoomed[1] - zoomed[0] < all[1] - all[0]);
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 16 + 24 + 9);
    const tip = tooltips(page);
    await tip.getByText('ProfilerStep#2').waitFor();
    await tip.getByText(/^Self /).waitFor();
    assert.match(await tip.innerText(), /ms at 15\.0 ms/);
    await page.keyboard.press('+');
    await page.keyboard.press('-');
    await page.keyboard.press('Escape');
    await bar.getByText('Click a bar').waitFor();
    assert.deepEqual(await windowAfter(page, () => page.keyboard.press('Escape')), all);
    const right = await windowAfter(page, () => page.keyboard.press('+'));
    const moved = await windowAfter(page, () => page.keyboard.press('ArrowRight'));
    assert.ok(moved[0] > right[0]);
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.down();
    const dragged = await windowAfter(page, () =>
      page.mouse.move(box.x + 500, box.y + 60, { steps: 3 }),
    );
    await page.mouse.up();
    assert.ok(dragged[0] < moved[0], 'dragging to the right shows earlier times');
  });
});

test('the chart leads to the timeline and to the operator, and is as it was after that', async () => {
  await withPage(slow, async (profile, page) => {
    await stripCanvas(page).focus();
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown']) {
      const before = await chosenBox(page).innerText();
      await page.keyboard.press(key);
      await page.waitForFunction(
        (old) => document.querySelector('[role=group][aria-label=Selected]').innerText !== old,
        before,
      );
    }
    const name = await chosenBox(page).locator('strong').innerText();
    const window = await windowAfter(page, () => page.keyboard.press('Enter'));
    const link = (label) => chosenBox(page).getByText(label, { exact: true });
    await link('Show in Timeline').click();
    await detailHeadings(page).getByText(name, { exact: true }).waitFor();
    await profile.view('Modules');
    await settledStrip(page).waitFor();
    assert.deepEqual(await shownWindow(page), window);
    assert.equal(await chosenBox(page).locator('strong').innerText(), name);
    await link('Operators').click();
    await profile.settled();
    const names = await cellsOf(gridOf(page, 'Operators'), 'name').allTextContents();
    assert.ok(names.length > 0 && names.every((one) => one.includes(name)), names.join());
  });
});

test('chosen steps are what the chart shows', async () => {
  const { tracks, steps } = commandLine('timeline', slow);
  assert.ok(tracks.length > 0);
  const state = { view: 'modules', selection: { steps: '2-3' }, views: {} };
  await withPage(
    slow,
    async (_profile, page) => {
      assert.deepEqual(await shownWindow(page), [steps[1].startNs, steps[2].endNs]);
    },
    { state },
  );
});

test('the main thread is the one that ran the steps, although another one did more (B19)', async () => {
  const events = [
    // The first thread of the file is not the main one either.
    slice('cpu_op', 'aten::first', 7, 0, 5),
    slice('user_annotation', 'ProfilerStep#1', 1, 10, 1000),
    slice('python_function', 'nn.Module: Linear_0', 1, 20, 300),
    slice('python_function', 'layers.py(3): forward', 1, 25, 280),
    slice('cpu_op', 'aten::linear', 1, 30, 200),
    slice('cpu_op', 'aten::addmm', 1, 40, 100),
    slice('python_function', 'nn.Module: Linear_1', 1, 400, 100),
    slice('cpu_op', 'autograd::engine::evaluate_function', 2, 350, 650),
  ];
  await withDrawn(events, async (profile, page) => {
    const rows = await twin(page);
    assert.deepEqual(
      rows.map(([name, , , , depth]) => [name, depth]),
      [
        ['ProfilerStep#1', '0'],
        ['nn.Module: Linear_0', '1'],
        ['aten::linear', '2'],
        ['aten::addmm', '3'],
        ['nn.Module: Linear_1', '1'],
      ],
    );
    // A module chosen in the tree is outlined.
    await firstCells(gridOf(page, 'Modules')).filter({ hasText: 'Linear_1' }).click();
    await strip(page).getByText('1 call of Linear_1 outlined').waitFor();
    await page.getByRole('button', { name: 'Remove the outline of Linear_1' }).click();
    await strip(page).getByText('outlined').waitFor({ state: 'detached' });
    // Another thread can be chosen.
    await page.locator('vscode-single-select').evaluateAll((selects) => {
      const select = selects.find((one) => one.label === 'Thread');
      select.value = select.options.find((one) => !one.label.includes('main')).value;
      select.dispatchEvent(new Event('change'));
    });
    await page.getByRole('region', { name: 'Operators of Thread 2 over time' }).waitFor();
    assert.deepEqual(await axe(page), []);
  });
});

test('without steps the main thread is the one that called the modules, never that of autograd', async () => {
  const named = (tid, name) => ({ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name } });
  const first = async (page) => (await twin(page)).map(([name]) => name);
  const operators = [
    named(2, 'thread 2 (pt_autograd_0)'),
    slice('cpu_op', 'aten::linear', 1, 30, 100),
    slice('cpu_op', 'aten::backward', 2, 350, 650),
  ];
  await withDrawn(operators, async (profile, page) => {
    assert.deepEqual(await first(page), ['aten::linear']);
  });
  await withDrawn(
    [
      ...operators,
      slice('cpu_op', 'aten::load', 3, 0, 300),
      slice('python_function', 'nn.Module: Linear_0', 1, 20, 300),
    ],
    async (profile, page) => {
      assert.deepEqual(await first(page), ['nn.Module: Linear_0', 'aten::linear']);
    },
  );
});

test('without operators on the host the chart says so, and what records them', async () => {
  const events = [
    slice('python_function', 'nn.Module: Linear_0', 1, 20, 300),
    slice('python_function', 'layers.py(3): forward', 1, 25, 280),
  ];
  const folder = mkdtempSync(join(tmpdir(), 'emberline-strip-'));
  const file = join(folder, 'drawn.pt.trace.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  const profile = await harness.open(file);
  try {
    await profile.view('Modules');
    await profile.page.getByRole('radio', { name: 'Operators over time' }).click();
    await profile.page.getByText('No operators were recorded on any host thread.').waitFor();
    assert.equal(await strip(profile.page).count(), 0);
    assert.deepEqual(await axe(profile.page), []);
    assert.deepEqual(profile.errors, []);
  } finally {
    await profile.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('boxes that stand for several slices do not push down what begins between them', () => {
  const boxes = {
    track: 0,
    //      merged, long, module, frame, op in the frame, merged in the op
    start: [0, 5, 6, 7, 8, 9],
    length: [10, 100, 50, 40, 30, 2],
    lane: [0, 1, 2, 3, 4, 5],
    slice: [-1, 1, 2, 3, 4, -1],
    count: [3, 1, 1, 1, 1, 2],
    name: [0, 0, 1, 2, 0, 0],
    kind: [0, 0, 1, 1, 0, 0],
    instants: [],
    totalSlices: 9,
  };
  const shaped = operatorBoxes(
    boxes,
    ['aten::add', 'nn.Module: A_0', 'a.py(1): f'],
    ['cpuOp', 'pythonFunction'],
  );
  assert.deepEqual(shaped.slice, [-1, 1, 2, 4, -1]);
  assert.deepEqual(shaped.lane, [0, 0, 1, 2, 3]);
});

test('steps that the trace does not have choose no range', () => {
  const steps = [
    { name: '3', startNs: 5, endNs: 9, partial: false },
    { name: '4', startNs: 10, endNs: 20, partial: false },
  ];
  assert.deepEqual(stepsRange(steps, '3-4'), { startNs: 5, endNs: 20 });
  assert.deepEqual(stepsRange(steps, '4'), { startNs: 10, endNs: 20 });
  assert.equal(stepsRange(steps, '5'), undefined);
  assert.equal(stepsRange(steps, undefined), undefined);
});
