// The page of a comparison, with the real daemon behind it: the verdict first, the aligned execution,
// the tables, and what is asked of the extension.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { layer, plainLayers, trainingTrace } from '../lib/training_trace.mjs';
import { slice } from '../lib/trace_events.mjs';
import { axe, Harness, sample } from './harness.mjs';
import {
  bodyRows,
  filterBox,
  firstCells,
  gridOf,
  levelChart,
  levelParts,
  rowCounts,
} from '../lib/roles.mjs';
import { themes } from './themes.mjs';

const slow = sample('train_cnn/slow.pt.trace.json.gz');
const fixed = sample('train_cnn/fixed.pt.trace.json.gz');
let harness;
let folder;
before(async () => {
  harness = await Harness.start();
  folder = mkdtempSync(join(tmpdir(), 'emberline-compare-'));
});
after(async () => {
  await harness?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function drawn(options) {
  const path = join(folder, `trace-${files++}.pt.trace.json`);
  writeFileSync(path, trainingTrace(options));
  return path;
}

/** Opens a comparison for `work(comparison, page)`, in which no script may fail, and closes it. */
async function withComparison(baseline, candidate, options, work) {
  const comparison = await harness.compare(baseline, candidate, options);
  try {
    await comparison.settled();
    await work(comparison, comparison.page);
    assert.deepEqual(comparison.errors, []);
  } finally {
    await comparison.close();
  }
}

const ask = (comparison, method, params = {}) =>
  harness.daemon.request(method, { ...comparison.named({ params }), ...params });

/** The part of the level that is called so. */
const part = (page, name) => levelParts(page).and(page.getByRole('option', { name }));

test('the verdict comes first, then what grew and shrank, then the figures', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    const { verdict, shrank, figures } = await ask(comparison, 'compare/verdict', {
      sourceRoots: [sample('.')],
    });
    const said = page.getByRole('region', { name: 'Verdict' });
    // Figures stay on one line with their units.
    const heading = await said.locator('h1').innerText();
    assert.equal(heading.replaceAll('\u00a0', ' '), verdict.text);
    assert.match(heading, /14\.2\u00a0ms/);
    assert.match(await said.innerText(), /batch sizes differ/i);
    const first = page
      .getByRole('region', { name: 'Shrank', exact: true })
      .getByRole('listitem')
      .first();
    assert.match(await first.innerText(), new RegExp(`^${shrank[0].name}\\s+fixed\\.py:75`));
    assert.match(await first.innerText(), /\u22127\.75 ms/);
    const opened = await comparison.sent('openSource', () => first.getByRole('button').click());
    assert.equal(opened.side, shrank[0].side);
    assert.deepEqual([opened.target.file, opened.target.line], [shrank[0].file, shrank[0].line]);
    const rows = page.getByRole('region', { name: 'Figures of both sides' }).locator('tbody tr');
    assert.equal(await rows.count(), figures.length);
    // Marked as inside its noise; where nothing is known of noise, that is said.
    assert.match(await rows.first().innerText(), /Step time[^]*\+6\.38 ms[^]*within noise/);
    assert.match(await rows.last().innerText(), /unknown/);
    await page.getByText(/Welch's t-test/).waitFor();
  });
});

test('the aligned execution zooms in by click and key, and a path leads back', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    await comparison.view('Execution');
    // What is said of a part begins with its name and what it is.
    const names = () =>
      levelParts(page)
        .locator('title')
        .evaluateAll((all) => all.map((one) => one.textContent.split('\n')[0]));
    assert.deepEqual(await names(), [
      'ProfilerStep#1 (step)',
      'ProfilerStep#2 (step)',
      'ProfilerStep#3 (step)',
      'ProfilerStep#4 (step)',
      'Between the parts',
    ]);
    await levelChart(page).focus();
    await page.keyboard.press('ArrowDown');
    await page.getByText('ProfilerStep#2 (step)', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const path = page.getByRole('navigation', { name: 'Path' });
    await path.getByText('ProfilerStep#2').waitFor();
    await part(page, /^aten::std/).waitFor();
    // What is gone says so by shape and word, and the time between parts is a part itself.
    await levelParts(page).getByText('\u2212 gone', { exact: true }).first().waitFor();
    assert.ok((await names()).at(-1).includes('Between the parts'));
    await part(page, /^SmallCnn_0/).click();
    await path.getByText('SmallCnn_0').waitFor();
    await levelChart(page).focus();
    await page.keyboard.press('Backspace');
    await path.getByText('SmallCnn_0').waitFor({ state: 'detached' });
    await path.getByRole('button', { name: 'All steps' }).click();
    await part(page, /^ProfilerStep#4/).waitFor();
  });
});

test('the tables of a block hold what ran in it', async () => {
  const candidate = drawn({
    layers: () =>
      plainLayers().map((one) =>
        one.module === 'Linear_1' ? layer('Linear_1', 'aten::addmm', { slow_kernel: 160 }) : one,
      ),
  });
  await withComparison(drawn(), candidate, {}, async (comparison, page) => {
    await comparison.view('Execution');
    await levelParts(page).first().click();
    await part(page, /^Linear_1/).click();
    const tables = page.getByRole('region', { name: 'Tables of Linear_1' });
    const names = async () => {
      await bodyRows(tables).first().waitFor();
      return firstCells(tables).allInnerTexts();
    };
    const show = page.getByRole('radiogroup', { name: 'Show' });
    await show.getByText('Operators', { exact: true }).click();
    assert.deepEqual(await names(), ['aten::addmm']);
    await show.getByText('Kernels', { exact: true }).click();
    await tables.getByText('slow_kernel', { exact: true }).waitFor();
    const kernels = await names();
    assert.equal(kernels.length, 2, kernels.join());
    await page.getByRole('button', { name: 'All steps' }).click();
    await tables.waitFor({ state: 'detached' });
  });
});

const timelineOf = (page, side) => page.getByRole('group', { name: `Timeline of the ${side}` });
const windowOf = async (page, side) =>
  (await timelineOf(page, side).getAttribute('data-window')).split(' ').map(Number);

/** Where the middle of a slice is drawn on a side, after it was brought into its window by key. */
async function pointOf(page, side, slice, track) {
  const canvas = timelineOf(page, side).locator('canvas');
  const box = await canvas.boundingBox();
  const [startNs, endNs] = await windowOf(page, side);
  const middle = slice.startNs + slice.durationNs / 2;
  const label = timelineOf(page, side).getByRole('button', { name: new RegExp(`^${track}`) });
  const row = await label.first().boundingBox();
  return {
    x: ((middle - startNs) / (endNs - startNs)) * box.width,
    y: row.y + 10 - box.y,
  };
}

test('two timelines move together on matched points, and alone when unlocked', async () => {
  const candidate = drawn({
    layers: () =>
      plainLayers().map((one) =>
        one.module === 'Linear_1' ? layer('Linear_1', 'aten::addmm', { sgemm_64x64: 900 }) : one,
      ),
  });
  await withComparison(drawn(), candidate, {}, async (comparison, page) => {
    await comparison.view('Timelines');
    const settled = (side) => timelineOf(page, side).and(page.locator('[data-settled=true]'));
    for (const side of ['baseline', 'candidate']) await settled(side).waitFor();
    const knots = await ask(comparison, 'compare/timeline');
    const steps = Object.fromEntries(
      await Promise.all(
        ['baseline', 'candidate'].map(async (side) => [
          side,
          (await harness.daemon.request('timeline/tracks', comparison.named({ params: {}, side })))
            .steps,
        ]),
      ),
    );
    assert.ok(knots.baselineNs.length > 6);
    // A window that is zoomed around step 2 of the baseline is around step 2 of the candidate, which
    // is longer and begins later.
    const lanes = timelineOf(page, 'baseline').locator('canvas');
    await lanes.focus();
    for (let times = 0; times < 4; times++) await page.keyboard.press('w');
    const [from, to] = await windowOf(page, 'baseline');
    const onStep = ({ startNs, endNs }, [low, high]) => [
      (low - startNs) / (endNs - startNs),
      (high - startNs) / (endNs - startNs),
    ];
    const inside = onStep(steps.baseline[1], [from, to]);
    assert.ok(inside[0] > -0.2 && inside[1] < 1.2, inside.join());
    // The other side follows as soon as the points are matched.
    const step = steps.candidate[1];
    await page.waitForFunction(
      ([low, high]) => {
        const lanes = document.querySelector('[aria-label="Timeline of the candidate"]');
        const [start, end] = lanes.dataset.window.split(' ').map(Number);
        return start >= low && end <= high;
      },
      [step.startNs - 200_000, step.endNs + 200_000],
    );
    const other = await windowOf(page, 'candidate');
    assert.notDeepEqual(other, [from, to]);
    // Unlocked, only the side under the keys moves.
    await page.keyboard.press('l');
    await page.keyboard.press('a');
    assert.notDeepEqual(await windowOf(page, 'baseline'), [from, to]);
    assert.deepEqual(await windowOf(page, 'candidate'), other);
    await page.keyboard.press('l');
    await page.waitForFunction(
      ([selector, before]) => document.querySelector(selector).dataset.window !== before,
      ['[aria-label="Timeline of the candidate"]', other.join(' ')],
    );
  });
});

test('both timelines are drawn again when their traces were loaded again', async () => {
  await withComparison(drawn(), drawn({ steps: 4 }), {}, async (comparison, page) => {
    await comparison.view('Timelines');
    const settled = (side) => timelineOf(page, side).and(page.locator('[data-settled=true]'));
    for (const side of ['baseline', 'candidate']) await settled(side).waitFor();
    const from = comparison.messages.length;
    await comparison.send({ type: 'loadedSides', sides: comparison.sides });
    const asked = (side) =>
      comparison.messages
        .slice(from)
        .some((message) => message.method === 'timeline/window' && message.side === side);
    for (const side of ['baseline', 'candidate']) {
      const end = Date.now() + 20_000;
      while (!asked(side)) {
        assert.ok(Date.now() < end, `the ${side} was not drawn again`);
        await page.waitForTimeout(50);
      }
      await settled(side).waitFor();
    }
  });
});

test('after the sides are swapped, each timeline shows what its trace showed', async () => {
  const [baseline, candidate] = [drawn(), drawn({ steps: 6 })];
  const settle = async (comparison, page) => {
    await comparison.view('Timelines');
    for (const side of ['baseline', 'candidate']) {
      await timelineOf(page, side).and(page.locator('[data-settled=true]')).waitFor();
    }
  };
  let state, before;
  await withComparison(baseline, candidate, {}, async (comparison, page) => {
    await settle(comparison, page);
    // Unlocked, each side shows something of its own; a row of the candidate is folded.
    const keys = async (side, ...pressed) => {
      await timelineOf(page, side).locator('canvas').focus();
      for (const key of pressed) await page.keyboard.press(key);
    };
    await keys('baseline', 'l', 'w', 'w');
    await keys('candidate', 'w', 'w', 'w', 'd');
    const row = timelineOf(page, 'candidate')
      .getByRole('button', { name: /^Stream 7/ })
      .first();
    await row.click();
    before = {
      baseline: await windowOf(page, 'baseline'),
      candidate: await windowOf(page, 'candidate'),
      open: await row.getAttribute('aria-expanded'),
    };
    assert.notDeepEqual(before.baseline, before.candidate);
    ({ state } = await comparison.sent('swapSides', () =>
      page.getByRole('button', { name: 'Swap sides' }).click(),
    ));
  });
  await withComparison(candidate, baseline, { state }, async (comparison, page) => {
    await settle(comparison, page);
    assert.deepEqual(await windowOf(page, 'baseline'), before.candidate);
    assert.deepEqual(await windowOf(page, 'candidate'), before.baseline);
    const row = (side) =>
      timelineOf(page, side)
        .getByRole('button', { name: /^Stream 7/ })
        .first();
    assert.equal(await row('baseline').getAttribute('aria-expanded'), before.open);
    assert.notEqual(await row('candidate').getAttribute('aria-expanded'), before.open);
  });
});

test('a click on a slice marks its match on the other side, and says how they differ', async () => {
  const baseline = drawn();
  const candidate = drawn({
    layers: () =>
      plainLayers().map((one) =>
        one.module === 'Linear_1' ? layer('Linear_1', 'aten::addmm', { sgemm_64x64: 160 }) : one,
      ),
  });
  await withComparison(baseline, candidate, {}, async (comparison, page) => {
    await comparison.view('Timelines');
    for (const side of ['baseline', 'candidate']) {
      await timelineOf(page, side).and(page.locator('[data-settled=true]')).waitFor();
    }
    const named = comparison.named({ params: {}, side: 'baseline' });
    const { results } = await harness.daemon.request('timeline/search', {
      ...named,
      name: 'sgemm_64x64',
      limit: 1,
    });
    const place = await pointOf(page, 'baseline', results[0], 'Stream 7');
    await timelineOf(page, 'baseline').locator('canvas').click({ position: place });
    const said = page.getByRole('region', { name: 'Selected slice and its match' });
    await said.getByText(/The same slice is marked on the candidate\. Duration \+100/).waitFor();
    const rows = await said.locator('tbody tr').allInnerTexts();
    assert.match(rows[0], /Baseline\s+sgemm_64x64[^]*60\.0 \u00b5s/);
    assert.match(rows[1], /Candidate\s+sgemm_64x64[^]*160 \u00b5s/);
    const shown = await comparison.sent('showInProfile', () =>
      said.getByRole('button', { name: 'Show in its profile' }).last().click(),
    );
    assert.equal(shown.side, 'candidate');
    await timelineOf(page, 'baseline').locator('canvas').focus();
    await page.keyboard.press('ArrowLeft');
    await said.getByText('layer_norm_kernel').or(said.getByText('relu_kernel')).first().waitFor();
    await page.keyboard.press('Escape');
    await said.waitFor({ state: 'detached' });
  });
});

test('collectives have a tab of their own where a side has some', async () => {
  const allReduce = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
  const withCall = (us) =>
    drawn({
      layers: () => [...plainLayers(), layer('DDP_0', 'c10d::allreduce_', { [allReduce]: us })],
    });
  await withComparison(withCall(100), withCall(140), {}, async (comparison, page) => {
    await comparison.view('Communication');
    await page.getByText('all_reduce').or(page.getByText('allreduce')).first().waitFor();
  });
  await withComparison(drawn(), drawn(), {}, async (comparison, page) => {
    assert.equal(await page.getByRole('tab', { name: 'Communication' }).count(), 0);
  });
});

test('the twin of a level adds up to what its parent takes', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    const { item } = await ask(comparison, 'compare/tree', { path: '1' });
    await comparison.view('Execution');
    await part(page, /^ProfilerStep#2/).click();
    await part(page, /^aten::std/).waitFor();
    await page.getByRole('button', { name: 'Aligned execution as table' }).click();
    const last = page
      .getByRole('region', { name: 'Aligned execution' })
      .last()
      .locator('tr')
      .last();
    const [name, , , , , , baseline, candidate] = await last.locator('th, td').allInnerTexts();
    assert.equal(name, 'Between the parts');
    const ms = (us) => `${(us / 1000).toFixed(1)} ms`;
    assert.deepEqual([baseline, candidate], [ms(item.baseline.hostUs), ms(item.candidate.hostUs)]);
  });
});

test('fused operators are a replacement, branches in another order have moved', async () => {
  const block = (name, op, kernel, us) => layer(name, op, { [kernel]: us });
  const baseline = drawn({
    layers: () => [
      block('Block_0', 'aten::mul', 'mul_kernel', 20),
      block('Block_1', 'aten::add', 'add_kernel', 20),
      ...plainLayers(),
    ],
  });
  const candidate = drawn({
    layers: () => {
      const [a, b, c, d, e] = plainLayers();
      return [block('Fused_0', 'fused_mul_add', 'fused_kernel', 25), a, d, b, c, e];
    },
  });
  await withComparison(baseline, candidate, {}, async (comparison, page) => {
    await comparison.view('Execution');
    await levelParts(page).first().click();
    await levelParts(page).getByText('\u21c4 replaced').waitFor();
    await levelParts(page).getByText('\u2195 moved').first().waitFor();
    // Host and device are one choice for all tabs, never both in one chart.
    await page.getByRole('heading', { name: 'Aligned execution, device time' }).waitFor();
    await page.getByRole('radio', { name: 'Host' }).click();
    await page.getByRole('heading', { name: 'Aligned execution, host time' }).waitFor();
    await comparison.view('Kernels');
    const row = page.getByRole('row', { name: /fused_kernel/ });
    assert.match(await row.innerText(), /replaced[^]*\+75\.0 µs\n/);
    const shown = await comparison.sent('showInProfile', () =>
      row.getByRole('button', { name: 'Candidate', exact: true }).click(),
    );
    assert.equal(shown.side, 'candidate');
    assert.equal(typeof shown.to.slice, 'number');
  });
});

test('what was fused at another place says what replaced it', async () => {
  const baseline = drawn({});
  const candidate = drawn({
    layers: () => [
      layer('Fused_0', 'fused_addmm_layer_norm', { fused_kernel: 70 }),
      ...plainLayers().filter(({ module }) => !/Linear_0|LayerNorm_0/.test(module)),
    ],
  });
  await withComparison(baseline, candidate, {}, async (comparison, page) => {
    await comparison.view('Execution');
    await levelParts(page).first().click();
    const norm = part(page, /LayerNorm_0/);
    assert.match(await norm.textContent(), /\u21c4 replaced/);
    assert.match(
      await norm.locator('title').innerHTML(),
      /Replaced elsewhere by fused_addmm_layer_norm/,
    );
    assert.match(await part(page, /Fused_0/).textContent(), /\u21c4 replaces/);
    assert.match(
      await part(page, /Fused_0/)
        .locator('title')
        .innerHTML(),
      /Replaces aten::addmm \+ aten::layer_norm from elsewhere/,
    );
  });
});

test('tables show the daemon\u2019s order, filter, and say each change in words', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    const { rows, totalRows } = await ask(comparison, 'compare/table', { by: 'operators' });
    await comparison.view('Operators');
    const grid = page.getByRole('grid', { name: 'Operators' });
    const cell = (row, key) => grid.locator(`[data-row="${row}"][data-key="${key}"]`);
    for (const index of [0, 1, 2]) {
      const delta = await cell(index, 'deltaUs').getAttribute('data-value');
      assert.equal(Number(delta), rows[index].deltaUs);
    }
    assert.match(await cell(0, 'status').innerText(), /gone/);
    assert.match(await cell(1, 'status').innerText(), /slower/);
    assert.match(await cell(1, 'deltaUs').innerText(), /^\+/);
    const count = rowCounts(page);
    assert.equal(await count.innerText(), `${totalRows} rows`);
    await filterBox(page, 'Operators').click();
    await page.keyboard.type('convolution');
    await page.keyboard.press('Enter');
    await count.filter({ hasText: ` of ${totalRows} rows` }).waitFor();
    await comparison.view('Lines');
    const place = page.getByRole('button', { name: 'slow.py:76' });
    const opened = await comparison.sent('openSource', () => place.click());
    assert.deepEqual([opened.side, opened.target.line], ['baseline', 76]);
  });
});

test('what was measured once is called slower only where it differs by a telling amount', async () => {
  const one = (mm, add, relu) => {
    const path = join(folder, `once-${files++}.pt.trace.json`);
    const took = { 'aten::mm': mm, 'aten::add': add, 'aten::relu': relu };
    const traceEvents = Object.entries(took).map(([name, us], index) =>
      slice('cpu_op', name, 100 * index, us, {}, { pid: 1, tid: 1 }),
    );
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents }));
    return path;
  };
  const sides = [one(10, 5, 0.08), one(10.031, 6, 0.15)];
  await withComparison(...sides, {}, async (comparison, page) => {
    await comparison.view('Operators');
    const grid = gridOf(page, 'Operators');
    const word = async (name) => {
      const row = bodyRows(grid).filter({ hasText: name });
      return (await row.locator('[data-key=status]').innerText()).trim();
    };
    await bodyRows(grid).nth(2).waitFor();
    assert.match(await word('aten::add'), /slower$/);
    assert.match(await word('aten::mm'), /about equal$/);
    assert.match(await word('aten::relu'), /about equal$/);
  });
});

test('paths of modules keep their last names, and more calls have a plus', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    // Beside an editor they have no room.
    await page.setViewportSize({ width: 800, height: 800 });
    await comparison.view('Modules');
    const names = firstCells(gridOf(page, 'Modules')).locator('[data-whole]');
    await names.first().waitFor();
    await comparison.drawn();
    const shown = await names.evaluateAll((all) =>
      all.map((name) => {
        const drawn = name.cloneNode(true);
        drawn.removeAttribute('data-fitted');
        drawn.style.cssText = 'position: absolute; width: max-content';
        drawn.firstElementChild.textContent = name.dataset.fitted ?? name.textContent;
        name.parentElement.append(drawn);
        const over = drawn.getBoundingClientRect().width - name.getBoundingClientRect().width;
        drawn.remove();
        return { text: name.dataset.fitted ?? name.textContent, whole: name.dataset.whole, over };
      }),
    );
    assert.ok(shown.length > 4);
    assert.ok(shown.some(({ text, whole }) => text !== whole));
    for (const { text, whole, over } of shown) {
      assert.ok(text.endsWith(whole.slice(whole.lastIndexOf(' / '))), `${text} of ${whole}`);
      assert.ok(over <= 0.5, whole);
    }
    await page.setViewportSize({ width: 1440, height: 800 });
    await comparison.view('Operators');
    const row = page.getByRole('row', { name: /^aten::index\b(?!_)/ }).first();
    await row.locator('[data-key=deltaCalls]', { hasText: /^\+8$/ }).waitFor();
  });
});

test('beside an editor, functions have their names, and what changed is whole', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    await page.setViewportSize({ width: 640, height: 708 });
    await comparison.view('Functions');
    const row = page.getByRole('row', { name: /normalise/ });
    await row.locator('[data-key=function]', { hasText: 'normalise' }).waitFor();
    await row.locator('[data-key=name]', { hasText: /^fixed\.py:75$/ }).waitFor();
    await page.setViewportSize({ width: 524, height: 708 });
    await page.getByRole('columnheader', { name: 'Delta %' }).waitFor({ state: 'detached' });
    await row.locator('[data-key=function]', { hasText: 'normalise' }).waitFor();
    await comparison.view('Overview');
    const figures = page.getByRole('region', { name: 'Figures', exact: true });
    const change = figures.getByRole('columnheader', { name: 'Change' });
    await change.scrollIntoViewIfNeeded();
    const { x, width } = await change.boundingBox();
    assert.ok(x + width <= 524, `${x} and ${width}`);
  });
});

test('sides have their own steps; swapping hands them over, and state comes back', async () => {
  let state;
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    await comparison.view('Steps');
    await page
      .getByRole('group', { name: 'Selection of the candidate' })
      .locator('vscode-single-select')
      .evaluate((select) => {
        select.value = '2';
        select.dispatchEvent(new Event('change'));
      });
    await comparison.settled();
    await comparison.view('Execution');
    await levelChart(page).waitFor();
    // Saved a moment after the last change, whichever of the two was told first.
    for (let told = 0; state?.views.compare.tab !== 'execution'; told++) {
      assert.ok(told < 100, 'the state is never saved');
      await page.waitForTimeout(100);
      state = comparison.messages.findLast(({ type }) => type === 'state')?.state;
    }
    assert.deepEqual(state.sides, { baseline: {}, candidate: { steps: '2' } });
    const swapped = await comparison.sent('swapSides', () =>
      page.getByRole('button', { name: 'Swap sides' }).click(),
    );
    assert.deepEqual(swapped.state.sides, { baseline: { steps: '2' }, candidate: {} });
    const copied = await comparison.sent('copy', () =>
      page.getByRole('button', { name: 'Copy link' }).click(),
    );
    const sides = JSON.parse(new URL(copied.text).searchParams.get('sides'));
    assert.deepEqual(sides, {
      baseline: { path: slow },
      candidate: { path: fixed, steps: '2' },
    });
  });
  await withComparison(slow, fixed, { state }, async (comparison, page) => {
    const tab = page.getByRole('tab', { name: 'Execution' });
    assert.equal(await tab.getAttribute('aria-selected'), 'true');
    // One step beside four: the step of the candidate stands in the chart by its own name.
    await part(page, /ProfilerStep#2/)
      .first()
      .waitFor();
  });
});

test('tabs without room are in a menu, one line however narrow; the current one is always seen', async () => {
  await withComparison(slow, fixed, {}, async (comparison, page) => {
    const all = await page.getByRole('tab').allTextContents();
    await page.setViewportSize({ width: 420, height: 700 });
    const more = page.getByRole('button', { name: 'More views' });
    await more.click();
    const inMenu = await page.getByRole('menuitem').allTextContents();
    assert.deepEqual([...(await page.getByRole('tab').allTextContents()), ...inMenu], all);
    await page.getByRole('menuitem', { name: inMenu.at(-1) }).click();
    await comparison.settled();
    const seen = async () => {
      const boxes = await page
        .getByRole('tab')
        .evaluateAll((tabs) =>
          tabs.map((tab) => ({ ...tab.getBoundingClientRect().toJSON(), name: tab.textContent })),
        );
      assert.equal(new Set(boxes.map(({ top }) => top)).size, 1, 'on one line');
      const { x } = await more.boundingBox();
      assert.ok(Math.max(...boxes.map(({ right }) => right)) <= x, 'nothing below the button');
      return boxes.map(({ name }) => name);
    };
    assert.equal((await seen()).at(-1), inMenu.at(-1));
    // The keyboard walks through all of them, in their order.
    await page.getByRole('tab', { selected: true }).focus();
    await page.keyboard.press('ArrowLeft');
    const selected = page.getByRole('tab', { selected: true });
    await page.waitForFunction((name) => document.activeElement?.textContent === name, all.at(-2));
    assert.equal(await selected.textContent(), all.at(-2));
    await seen();
    assert.deepEqual(await axe(page), []);
    await page.setViewportSize({ width: 1280, height: 700 });
    await more.waitFor({ state: 'detached' });
    assert.deepEqual(await page.getByRole('tab').allTextContents(), all);
  });
});

test('every tab of a comparison passes axe in each theme', async () => {
  for (const theme of Object.keys(themes)) {
    await withComparison(slow, fixed, { theme }, async (comparison, page) => {
      for (const tab of ['Overview', 'Execution', 'Operators', 'Lines']) {
        await comparison.view(tab);
        assert.deepEqual(await axe(page), [], `${tab}, ${theme}`);
      }
    });
  }
});
