// The page of a job, with the real daemon behind it: the answer first, what is wrong with the input,
// the charts and their twins, and what is asked of the extension.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { emberline } from '../lib/cli.mjs';
import { writeRanks } from '../generator/drawn_ranks.mjs';
import { generateJob, writeJob } from '../generator/job.mjs';
import { drawPipeline } from '../generator/pipeline.mjs';
import { axe, commandLine, Harness, rulesIn } from './harness.mjs';
import { cellsOf, chartsOf, filterBox, gridOf, rowCounts } from '../lib/roles.mjs';
import { themes } from './themes.mjs';

const straggler = { rank: 5, kind: 'device', extraNs: 1_500_000 };
let harness;
let folder;
/** Eight ranks, of which 6 is missing and 7 is broken. */
let broken;
/** Eight ranks as they should be, but for the late one. */
let whole;

before(async () => {
  harness = await Harness.start();
  folder = mkdtempSync(join(tmpdir(), 'emberline-job-'));
  broken = join(folder, 'broken');
  whole = join(folder, 'whole');
  writeJob(broken, { ranks: 8, steps: 4, seed: 3, missing: [6], straggler });
  writeFileSync(join(broken, 'node0_7.1700000000000.pt.trace.json'), '{"schema');
  writeJob(whole, { ranks: 8, steps: 3, seed: 4, straggler });
});
after(async () => {
  await harness?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** Opens a job for `work(job, page)`, in which no script may fail, and closes it. */
async function withJob(path, options, work) {
  const job = await harness.job(path, options);
  try {
    await job.settled();
    await work(job, job.page);
    assert.deepEqual(job.errors, []);
  } finally {
    await job.close();
  }
}

const heading = async (page) => {
  const said = page.getByRole('region', { name: 'Answer' });
  await said.locator('h1').waitFor();
  return (await said.innerText()).replaceAll('\u00a0', ' ').replaceAll(/\n+/g, ' ');
};

test('the answer begins with the late rank and why, then says how many ranks and what is exposed', async () => {
  const { breakdown, stragglers } = commandLine('distributed', broken);
  await withJob(broken, {}, async (job, page) => {
    const said = await heading(page);
    const exposed = (100 * breakdown.communicationUs) / breakdown.stepUs;
    assert.match(said, / 6 of 8 ranks: /);
    assert.ok(said.includes(`${exposed.toFixed(1)} % of the mean step`), said);
    const { rank, timesLast, calls } = stragglers[0];
    assert.equal(rank, straggler.rank);
    const last = `it arrives last at ${timesLast} of its ${calls} collectives`;
    const why = '6.00 ms more in aten::sort on the device.';
    assert.ok(said.startsWith(`Rank 5 is the bottleneck: ${last}, with ${why} `), said);
  });
});

test('a broken and a missing rank are named, and the rest works', async () => {
  await withJob(broken, {}, async (job, page) => {
    const note = page.getByRole('note', { name: 'About these ranks' });
    assert.match(await note.innerText(), /node0_7\S* (?:has no|is not) /);
    assert.match(await note.innerText(), /Ranks 6, 7 have no trace here; the job has 8/);
    assert.ok(!(await note.innerText()).includes(folder), 'files are named, not their folder');
    for (const tab of ['Steps', 'Stragglers', 'Communication', 'Timeline', 'Analyses']) {
      await job.view(tab);
      assert.match(await note.innerText(), /^Ranks 6, 7 have no trace here; .* 1 more$/s, tab);
    }
    await note.getByRole('button', { name: '1 more' }).click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await job.view('Topology');
    await page.getByText('No trace of ranks 6\u20137.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Rank \d+(, late)?, GPU/ }).count(), 6);
  });
  await withJob(whole, {}, async (_, page) => {
    assert.match(await heading(page), /\. 8 ranks: /);
    assert.equal(await page.getByRole('note', { name: 'About these ranks' }).count(), 0);
  });
});

test('a straggler leads to its profile, and its reason to the line', async () => {
  await withJob(whole, {}, async (job, page) => {
    const late = page.getByRole('region', { name: 'Late ranks' });
    const rank = await job.sent('openRank', () =>
      late.getByRole('button', { name: 'Rank 5' }).click(),
    );
    assert.deepEqual(rank, { type: 'openRank', rank: 5 });
    const place = await job.sent('openSource', () =>
      late.getByRole('button', { name: 'train.py:77' }).click(),
    );
    assert.equal(place.target.file, '/job/train.py');
    assert.equal(place.target.line, 77);
    await job.view('Stragglers');
    const row = page.getByRole('row').filter({ hasText: 'aten::sort' });
    const again = await job.sent('openSource', () =>
      row.getByRole('button', { name: 'train.py:77' }).click(),
    );
    assert.equal(again.target.line, 77);
  });
});

test('the bars of the ranks say the parts of their steps, and so does the twin', async () => {
  const { rows } = commandLine('distributed', whole, ['--by', 'steps']);
  const mean = (rank, key) => {
    const own = rows.filter((row) => row.rank === rank && !row.partial);
    return own.reduce((sum, row) => sum + row[key], 0) / own.length;
  };
  await withJob(whole, {}, async (_, page) => {
    const panel = page.getByRole('region', { name: 'Time of each rank', exact: true });
    const chart = panel.getByRole('application');
    await chart.focus();
    await page.keyboard.press('End');
    assert.match(await chart.getAttribute('aria-label'), /Rank 7: .*Computation .*Exposed/s);
    await panel.getByRole('button', { name: 'Time of each rank as table' }).click();
    const line = panel.getByRole('row').nth(1 + straggler.rank);
    const shown = await line.getByRole('cell').allInnerTexts();
    const numbers = shown.map((text) => Number(text.replaceAll(',', '')));
    assert.ok(Math.abs(numbers[1] - mean(straggler.rank, 'computationUs')) < 0.06, shown.join());
    assert.ok(Math.abs(numbers[3] - mean(straggler.rank, 'communicationUs')) < 0.06, shown.join());
  });
});

test('the map of ranks and steps walks by keys and opens a rank', async () => {
  const { rows } = commandLine('distributed', whole, ['--by', 'lateness']);
  const { waitingUs } = rows.find((row) => row.rank === 1 && String(row.step) === '1');
  await withJob(whole, {}, async (job, page) => {
    await job.view('Steps');
    await page.getByRole('radio', { name: 'Waiting' }).click();
    const map = page.getByRole('application', { name: /^Waiting by rank and step/ });
    await map.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowRight');
    const label = await map.getAttribute('aria-label');
    assert.match(label, /Rank 1, step 1/);
    assert.ok(label.includes(`Waiting ${(waitingUs / 1000).toFixed(2)} ms`), label);
    const opened = await job.sent('openRank', () => page.keyboard.press('Enter'));
    assert.equal(opened.rank, 1);
    assert.equal(await page.getByRole('row').count(), 1 + 8 * 3);
  });
});

test('the charts of a job are one low strip; rows too low to be told apart can be made higher', async () => {
  await withJob(whole, {}, async (job, page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const bars = await page.getByRole('application').all();
    assert.equal(bars.length, 2);
    for (const chart of bars) {
      const { y, height } = await chart.boundingBox();
      assert.ok(height <= 120, `Overview: a chart of ${height} px`);
      assert.ok(y + height < 800, `Overview: a chart ends at ${y + height}`);
    }
    const [left, right] = await Promise.all(bars.map((chart) => chart.boundingBox()));
    assert.equal(left.y, right.y, 'charts beside each other');
    for (const [tab, table] of [
      ['Steps', 'Ranks by step'],
      ['Communication', 'Operations'],
    ]) {
      await job.view(tab);
      const charts = await chartsOf(page).getByRole('application').all();
      assert.ok(charts.length > 0);
      for (const chart of charts) {
        const { height } = await chart.boundingBox();
        assert.ok(height <= 120, `${tab}: a chart of ${height} px`);
      }
      const grid = await page.getByRole('grid', { name: table }).boundingBox();
      assert.ok(grid.y < 320, `${tab}: the table begins at ${grid.y}`);
    }
    const pairs = page.getByRole('application', { name: /^Bytes from rank to rank/ });
    const low = (await pairs.boundingBox()).height;
    await page.getByRole('button', { name: /^Show higher rows/ }).click();
    assert.ok(
      (await pairs.boundingBox()).height > 2 * low,
      'eight ranks have room for their names',
    );
    await page.getByRole('button', { name: /^Show lower rows/ }).click();
    assert.equal((await pairs.boundingBox()).height, low);
    // A bandwidth has about three figures, however large it is.
    const rate = await page
      .getByRole('grid', { name: 'Operations' })
      .locator('[data-row="0"] [data-key=busBandwidth], [data-row="0"][data-key=busBandwidth]')
      .first()
      .innerText();
    assert.match(rate, /^\d{3} GB\/s$/);
  });
});

test('of many ranks, those with the late one show first, and it is marked', async () => {
  const path = join(folder, 'many');
  const late = { rank: 37, kind: 'loader', extraNs: 1_500_000 };
  writeJob(path, { ranks: 40, steps: 2, seed: 6, devicesPerNode: 2, straggler: late });
  await withJob(path, {}, async (job, page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.match(
      await heading(page),
      /^Rank 37 .* ms more in the DataLoader on the host\. 40 ranks/,
    );
    await job.view('Timeline');
    const ranks = page.locator('vscode-single-select[label=Ranks]');
    assert.equal(await ranks.evaluate((select) => select.value), '32');
    await job.view('Topology');
    // Machines of late ranks stand among the first ones.
    assert.equal(await page.getByRole('button', { name: /^Rank \d+(, late)?, GPU/ }).count(), 24);
    await page.getByRole('button', { name: /^Rank 37, late/ }).waitFor();
    await page.getByText('and 8 more machines').waitFor();
    const members = page.getByRole('grid', { name: 'Process groups' }).getByText('0\u201339');
    await members.waitFor();
  });
});

test('ranks of a single step stand side by side', async () => {
  const path = join(folder, 'oneStep');
  writeJob(path, { ranks: 8, steps: 1, seed: 6, straggler });
  await withJob(path, {}, async (job, page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await job.view('Steps');
    // One is late: the map opens on who.
    const map = page.getByRole('application', { name: /^Lateness by rank and step/ });
    const box = await map.boundingBox();
    // Ranks stand apart by more than a hundred pixels, and each opens its own profile.
    const left = box.x + 49;
    const opened = await job.sent('openRank', () => page.mouse.click(left + 5.5 * 120, box.y + 20));
    assert.equal(opened.rank, 5);
    await map.focus();
    await page.keyboard.press('End');
    assert.match(await map.getAttribute('aria-label'), /Rank 7, step 0/);
  });
});

test('communication: sizes, pairs, operations, and each collective with who came when', async () => {
  const operations = commandLine('collectives', whole, ['--by', 'operations']).rows;
  const pairs = commandLine('collectives', whole, ['--by', 'matrix']).rows;
  const [first] = commandLine('collectives', whole, ['--by', 'calls']).rows;
  await withJob(whole, {}, async (job, page) => {
    await job.view('Communication');
    const grid = page.getByRole('grid', { name: 'Operations' });
    assert.equal(await grid.getByRole('row').count(), 1 + operations.length);
    const sizes = page.getByRole('application', { name: /^Bandwidth of collectives/ });
    await sizes.focus();
    await page.keyboard.press('End');
    assert.match(await sizes.getAttribute('aria-label'), /allReduce of 4\.00 MiB\. 8 ranks/);
    const panel = page.getByRole('region', { name: 'Traffic between ranks', exact: true });
    await panel.getByRole('button', { name: 'Traffic between ranks as table' }).click();
    await panel.getByRole('button', { name: `Show all ${pairs.length} rows` }).click();
    assert.equal(await panel.getByRole('row').count(), 1 + pairs.length);
    await page.getByRole('radio', { name: 'Calls' }).click();
    await job.settled();
    const calls = page.getByRole('treegrid', { name: 'Calls' });
    await calls.locator('[data-row="0"][data-key=operation]').dblclick();
    const members = page.getByRole('region', { name: /^Ranks of collective 0/ });
    await members.waitFor();
    assert.equal(await members.getByRole('row').count(), 1 + first.ranks);
    const opened = await job.sent('openRank', () =>
      members.getByRole('button', { name: `${first.lastRank} (last)` }).click(),
    );
    assert.equal(opened.rank, first.lastRank);
    assert.ok(opened.slice >= 0);
  });
});

test('of many ranks the bars are all in sight, and their machines are told who talks to whom', async () => {
  const many = join(folder, 'many');
  writeJob(many, { ranks: 200, steps: 1, seed: 5 });
  await withJob(many, {}, async (job, page) => {
    for (const chart of await page.getByRole('application', { name: /of each rank/ }).all()) {
      const hidden = await chart.evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.equal(hidden, 0);
    }
    await job.view('Communication');
    const map = page.getByRole('application', { name: /^Bytes from machine to machine/ });
    await map.focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await map.getAttribute('aria-label'), /From node0 to node1/);
    await page.keyboard.press('ArrowLeft');
    assert.match(await map.getAttribute('aria-label'), /Within node0/);
  });
});

test('a job of several recordings says so first, and shows the one that is chosen', async () => {
  const twice = join(folder, 'twice');
  const { files } = generateJob({ ranks: 2, steps: 3 });
  const later = generateJob({ ranks: 2, steps: 2 }).files;
  mkdirSync(twice);
  for (const { name, text } of files) writeFileSync(join(twice, name), text);
  // The first rank was recorded once.
  const [, { name, text }] = later;
  writeFileSync(join(twice, name.replace('1700000000000', '1700000009000')), text);
  await withJob(twice, {}, async (job, page) => {
    const notices = page.getByRole('note', { name: 'About these ranks' });
    assert.match(
      await notices.innerText(),
      /^\s*Rank 1 was recorded 2 times: only capture span 1 is shown\./,
    );
    await job.sent('retry', () => job.choose('Span', '2'));
  });
});

test('the timeline shows the ranks on one clock, zooms by keys, and tells of a collective', async () => {
  const [first] = commandLine('collectives', whole, ['--by', 'calls']).rows;
  await withJob(whole, {}, async (job, page) => {
    await job.view('Timeline');
    const lanes = page.getByRole('application', { name: /^Collectives of the ranks over time/ });
    await lanes.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    assert.match(await lanes.getAttribute('aria-label'), /Rank 0: allReduce, collective \d+/);
    const { durationNs } = commandLine('distributed', whole);
    // What the whole picture asked for may still be on its way.
    await job.sent(
      'request',
      () => page.keyboard.press('w'),
      ({ method, params: { fromNs, toNs } }) =>
        method === 'distributed/lanes' && Math.abs(toNs - fromNs - durationNs / 2) <= 1,
    );
    await page.getByRole('button', { name: 'Whole job' }).click();
    await job.settled();
    await lanes.focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    const members = page.getByRole('region', { name: /^Ranks of collective/ });
    await members.waitFor();
    assert.ok((await members.getByRole('row').count()) >= 1 + first.ranks);
  });
});

test("every analysis of Holistic Trace Analysis is a table with the command line's rows", async () => {
  const { tables } = commandLine('distributed', whole);
  await withJob(whole, {}, async (job, page) => {
    await job.view('Analyses');
    for (const by of [
      'temporal',
      'overlap',
      'idle',
      'kernelRanks',
      'launches',
      'queues',
      'operatorKernels',
      'annotations',
      'criticalPath',
    ]) {
      const { title } = tables.find((table) => table.by === by);
      const { rows } = commandLine('distributed', whole, ['--by', by]);
      await job.choose('Analysis', by);
      await page.getByRole('grid', { name: title, exact: true }).waitFor();
      await job.settled();
      const count = `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`;
      await rowCounts(page)
        .and(page.getByText(count, { exact: true }))
        .waitFor();
    }
  });
});

test('each launch of a rank is a row that leads to its work', async () => {
  await withJob(whole, {}, async (job, page) => {
    await job.view('Analyses');
    await job.choose('Analysis', 'launchRows');
    await page.getByRole('grid', { name: 'Launches of one rank', exact: true }).waitFor();
    await job.sent(
      'request',
      () => job.choose('Rank', '3'),
      ({ method, params }) => method === 'distributed/table' && params.rank === 3,
    );
    await job.settled();
    const options = ['--by', 'launchRows', '--rank', '3'];
    const { rows, totalRows } = commandLine('launches', whole, options);
    await rowCounts(page)
      .and(page.getByText(`${totalRows} rows`, { exact: true }))
      .waitFor();
    const { slice } = rows[0];
    await job.sent(
      'openRank',
      () => page.getByRole('button', { name: rows[0].name, exact: true }).first().click(),
      (message) => message.rank === 3 && message.slice === slice,
    );
  });
});

test('the first ranks are a picture that says so, and grows when more are there', async () => {
  await withJob(whole, { firstRanks: 2 }, async (job, page) => {
    assert.match(await heading(page), /^2 of 8 ranks: /);
    const more = page.getByRole('status').filter({ hasText: 'Figures cover 2 of 8 ranks' });
    await more.waitFor();
    await job.sent('cancelLoad', () => page.getByRole('button', { name: 'Stop' }).click());
    await job.tell(0);
    await page.getByText(/^8 ranks: /).waitFor();
    assert.equal(await more.count(), 0);
    await page.getByRole('button', { name: 'Rank 5', exact: true }).waitFor();
  });
});

test('a folder of digests shows the same as its traces', async () => {
  const digests = join(folder, 'digests');
  const made = await emberline(['digest', whole, '-o', digests]);
  assert.equal(made.status, 0, made.stderr);
  let said;
  await withJob(whole, {}, async (_, page) => (said = await heading(page)));
  await withJob(digests, { digests: true }, async (job, page) => {
    assert.equal(await heading(page), said);
    await page.getByText('8 digests').waitFor();
    await job.view('Communication');
    await page.getByRole('grid', { name: 'Operations' }).waitFor();
  });
  rmSync(
    join(
      digests,
      readdirSync(digests).find((name) => name.startsWith('node0_6.')),
    ),
  );
  await withJob(digests, { digests: true }, async (job, page) => {
    await page.getByText('Rank 6 has no digest here; the job has 8.').waitFor();
    await job.view('Topology');
    await page.getByText('No digest of rank 6.').waitFor();
  });
});

test('what cannot be shown as a job says why', async () => {
  const empty = mkdtempSync(join(folder, 'empty-'));
  const job = await harness.job(empty);
  await job.page.getByRole('heading', { name: 'This job cannot be shown' }).waitFor();
  await job.close();
});

test('a remark on a slow group leads to its bandwidth beside those of the others', async () => {
  const path = join(folder, 'slow-pair');
  writeJob(path, { ranks: 8, steps: 3, seed: 5, slowPair: 2 });
  const [note] = commandLine('distributed', path).notes;
  assert.equal(note.kind, 'slowLink');
  const group = note.arguments.find(({ name }) => name === 'group').value;
  await withJob(path, {}, async (job, page) => {
    await page.getByRole('button', { name: 'Compare bandwidths' }).click();
    await job.settled();
    assert.equal(
      await page.getByRole('tab', { name: 'Communication' }).getAttribute('aria-selected'),
      'true',
    );
    const grid = gridOf(page, 'Operations');
    const first = grid.locator('[role=gridcell][data-row="0"]');
    assert.equal((await first.and(page.locator('[data-key=group]')).innerText()).trim(), group);
    const rates = cellsOf(grid, 'busBandwidth');
    await rates.nth(3).waitFor();
    const values = await rates.evaluateAll((cells) => cells.map((cell) => +cell.dataset.value));
    assert.ok(2 * values[0] < values[1], `${values}`);
    assert.equal(await filterBox(page, 'rows').inputValue(), 'operation=allReduce');
  });
});

test('what a late rank did instead is named by its function, however little room there is', async () => {
  const path = join(folder, 'long');
  writeJob(path, { ranks: 4, steps: 3, seed: 4, straggler: { ...straggler, rank: 1 } });
  const whole =
    'void at::native::(anonymous namespace)::distribution_elementwise_grid_stride_kernel' +
    '<float, 4, at::native::templates::cuda::normal_kernel>(long, at::PhiloxCudaState)';
  for (const name of readdirSync(path)) {
    const file = join(path, name);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"aten::sort"', `"${whole}"`));
  }
  const [worst] = commandLine('distributed', path).stragglers;
  assert.equal(worst.reasons[0].name, whole);
  await withJob(path, {}, async (job, page) => {
    const said = await heading(page);
    assert.match(said, /in distribution_elementwise_grid_stride_kernel</);
    assert.ok(!said.includes('at::native::(anonymous'), said);
    await job.view('Stragglers');
    for (const [rows, key] of [
      ['Ranks', 'reason'],
      ['Reasons', 'name'],
    ]) {
      await page.getByRole('radio', { name: rows, exact: true }).click();
      const cell = page.locator(`[role=gridcell][data-row="0"][data-key="${key}"]`);
      for (const width of [1280, 640]) {
        await page.setViewportSize({ width, height: 800 });
        await cell.waitFor();
        const name = cell.locator('[data-whole]');
        assert.equal(await name.getAttribute('data-whole'), whole);
        // What is in sight: the arguments give way before the function does.
        const drawn = (await name.getAttribute('data-fitted')) ?? (await name.textContent());
        assert.match(drawn, /^distribution_elementwise.*_kernel/, `${rows} at ${width}`);
      }
    }
  });
});

test('the late and the heavy stage of a pipeline are named, and by how much in which step', async () => {
  const path = join(folder, 'pipeline');
  const { ranks } = drawPipeline({
    stages: 6,
    weight: (stage) => (stage === 4 ? 1.6 : 1),
    slow: [{ rank: 2, step: 2, extra: 900 }],
  });
  writeRanks(path, ranks);
  await withJob(path, {}, async (job, page) => {
    assert.match(
      await heading(page),
      /^Rank 4 is a heavy stage, 1\d\.\d ms more work than the other/,
    );
    const late = page.getByRole('listitem');
    const text = (await late.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    assert.match(text, /Rank 4 is a heavy stage: it has more work in every step/);
    assert.match(
      text,
      /Rank 2 works 7\.\d+ ms longer than usual before \d+ sends and receives in step 2;/,
    );
    assert.match(text, /7\.\d+ ms more in aten::sort on the device stage\.py:77/);
    await job.view('Stragglers');
    await page.getByRole('radio', { name: 'Late work', exact: true }).click();
    const against = page.locator('[role=gridcell][data-key="kind"]');
    await against.first().waitFor();
    assert.deepEqual(await against.allInnerTexts(), [
      ...Array(4).fill('the other stages'),
      'itself at other times',
    ]);
    await page.setViewportSize({ width: 600, height: 800 });
    const wide = await page.evaluate(
      () =>
        document.querySelector('#view').scrollWidth - document.querySelector('#view').clientWidth,
    );
    assert.ok(wide <= 1, `${wide} px too wide`);
  });
  for (const theme of Object.keys(themes)) {
    await withJob(path, { theme }, async (job, page) => {
      assert.deepEqual(await axe(page), [], theme);
      await job.view('Stragglers');
      await page.getByRole('radio', { name: 'Late work', exact: true }).click();
      await page.locator('[role=gridcell][data-key="kind"]').first().waitFor();
      assert.deepEqual(await axe(page), [], theme);
    });
  }
});

test('at 600 pixels nothing of a job is cut', async () => {
  await withJob(broken, {}, async (job, page) => {
    await page.setViewportSize({ width: 600, height: 800 });
    for (const tab of [
      'Overview',
      'Steps',
      'Stragglers',
      'Communication',
      'Timeline',
      'Topology',
    ]) {
      await job.view(tab);
      const wide = await page.evaluate(
        () =>
          document.querySelector('#view').scrollWidth - document.querySelector('#view').clientWidth,
      );
      assert.ok(wide <= 1, `${tab}: ${wide} px too wide`);
    }
  });
});

test('a job has no faults that axe finds, in four themes', async () => {
  for (const theme of Object.keys(themes)) {
    await withJob(broken, { theme }, async (job, page) => {
      for (const tab of [
        'Overview',
        'Steps',
        'Stragglers',
        'Communication',
        'Topology',
        'Timeline',
        'Analyses',
      ]) {
        await job.view(tab);
        assert.deepEqual(await axe(page, rulesIn(theme)), [], `${tab}, ${theme}`);
      }
    });
  }
});
