// The critical path in the timeline: its panel, its marks on the tracks, and the trace it exports.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { axe, commandLine, Harness, patience } from './harness.mjs';
import { settledTimeline, timelineCanvas } from '../lib/roles.mjs';
import { themes } from './themes.mjs';

let harness;
let folder;
let trace;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-path-'));
  const straggler = { rank: 0, kind: 'device', extraNs: 3_000_000 };
  writeJob(folder, { ranks: 2, steps: 3, straggler });
  trace = join(folder, readdirSync(folder).sort()[0]);
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The color of the path's marks in the dark theme. */
const red = [0xf1, 0x4c, 0x4c];

async function patiently(holds) {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error('It never came to hold.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function withTimeline(options, work) {
  const opened = await harness.open(trace, options);
  try {
    await opened.view('Timeline');
    await settledTimeline(opened.page).waitFor();
    await work(opened, opened.page);
    assert.deepEqual(opened.errors, []);
  } finally {
    await opened.close();
  }
}

const openPath = async (page) => {
  await page.getByRole('radio', { name: 'Critical path' }).click();
  await page.getByRole('heading', { name: 'Critical path' }).waitFor();
  await page.getByRole('region', { name: 'Critical path by operator' }).waitFor();
};

test('the panel sums the path by operator, line and kernel, with what each would save', async () => {
  await withTimeline({}, async (opened, page) => {
    await openPath(page);
    const row = page
      .getByRole('region', { name: 'Critical path by operator' })
      .getByRole('row', { name: /aten::sort/ });
    const { rows } = commandLine('critical-path', trace, ['--by', 'criticalOperators']);
    const known = rows.find((one) => one.operator === 'aten::sort');
    const cells = await row.getByRole('cell').allTextContents();
    const wholeUs = known.timeUs / known.share;
    const ms = (us) => `${(us / 1000).toPrecision(3)} ms`;
    assert.equal(cells[0], ms(known.timeUs));
    assert.equal(cells.at(-1), ms(wholeUs - known.withoutUs));
    await page.getByRole('radio', { name: 'Lines' }).click();
    const lines = page.getByRole('region', { name: 'Critical path by line' });
    const { target } = await opened.sent('openSource', () =>
      lines.getByRole('button', { name: 'train.py:77' }).click(),
    );
    assert.deepEqual([target.file, target.line], ['/job/train.py', 77]);
    await page.getByRole('radio', { name: 'Kernels' }).click();
    await page
      .getByRole('region', { name: 'Critical path by kernel' })
      .getByRole('row', { name: /sort_kernel/ })
      .waitFor();
  });
});

test('the path is drawn while its panel is open', async () => {
  await withTimeline({}, async (_, page) => {
    const overlay = timelineCanvas(page);
    await page.getByRole('radio', { name: 'File' }).click();
    await page.getByRole('heading', { name: 'File metadata' }).waitFor();
    await settledTimeline(page).waitFor();
    const reds = () =>
      overlay.evaluate((canvas, color) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) {
          if (color.every((part, i) => Math.abs(data[at + i] - part) < 8)) count += 1;
        }
        return count;
      }, red);
    const before = await reds();
    await openPath(page);
    await patiently(async () => (await reds()) > before + 200);
    await page.getByRole('radio', { name: 'File' }).click();
    await patiently(async () => (await reds()) === before);
  });
});

test('the exported trace holds counters and the path', async () => {
  await withTimeline({}, async (opened, page) => {
    await openPath(page);
    const { suggestedName, content } = await opened.sent('save', () =>
      page.getByRole('button', { name: 'Export with Counters and Path' }).click(),
    );
    assert.match(suggestedName, /_with_counters\.pt\.trace\.json$/);
    const events = JSON.parse(content).traceEvents;
    assert.ok(events.some((event) => event.name === 'Queue Length'));
    assert.ok(events.some((event) => event.cat === 'critical_path'));
  });
});

test('the panel has no faults that axe finds, in four themes', async () => {
  for (const theme of Object.keys(themes)) {
    await withTimeline({ theme }, async (_, page) => {
      await openPath(page);
      assert.deepEqual(await axe(page), [], theme);
    });
  }
});
