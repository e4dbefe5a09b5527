// Roofs: points, savings and launches are those of the command line; keys and links lead to them.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { quantity } from '../../extension/shared/numbers.ts';
import { Harness, axe, commandLine, sample } from './harness.mjs';
import { factOf, findings as findingTitles, tooltips } from '../lib/roles.mjs';
import { themes } from './themes.mjs';

const h100 = join(
  process.env.EMBERLINE_CORPUS ?? '',
  'tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz',
);
const corpus = { skip: existsSync(h100) ? false : 'no corpus' };
const v100 = join(
  process.env.EMBERLINE_CORPUS ?? '',
  'kineto-samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz',
);
const v100Corpus = { skip: existsSync(v100) ? false : 'no corpus' };

// Marks of a drawing, which screen readers have as the table beside it.
const roofPoints = '.roof-point';
const roofLines = '.roof-line';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

test('no mark lies over the edge of the chart', v100Corpus, async () => {
  await harness.withPage(v100, {}, async (profile, page) => {
    await profile.view('Roofline');
    await page.locator(roofPoints).first().waitFor();
    const over = await page.locator(roofPoints).evaluateAll(
      (points) =>
        points.filter((point) => {
          // The chart has a margin of 16 pixels to the right of its plot.
          const { right } = point.closest('svg').getBoundingClientRect();
          return point.getBoundingClientRect().right > right - 15;
        }).length,
    );
    assert.equal(over, 0);
  });
});

test('points are the rows with operations and bytes', corpus, async () => {
  const expected = commandLine('roofline', h100);
  await harness.withPage(h100, {}, async (profile, page) => {
    await profile.view('Roofline');
    const points = page.locator(roofPoints);
    await points.first().waitFor();
    const drawn = expected.rows.filter((row) => row.intensity > 0 && row.tflopsPerS > 0);
    assert.equal(await points.count(), drawn.length);
    assert.ok(drawn.length > 3);
    const units = new Set(expected.rows.map((row) => row.unit).filter(Boolean));
    assert.equal(await page.locator(roofLines).count(), units.size + 1);
    const saved = factOf(page, 'Potential gain');
    assert.ok((await saved.innerText()).includes(quantity(expected.totals.savedUs, 'us')));

    // The first key shows the longest, Enter picks it, its row is one step away.
    const longest = [...drawn].sort((a, b) => b.totalUs - a.totalUs)[0];
    const chart = page.getByRole('application', { name: /^Roofline of operators/ });
    await chart.focus();
    await chart.press('Home');
    const tooltip = tooltips(page);
    assert.equal((await tooltip.innerText()).split('\n')[0], longest.name);
    assert.ok((await tooltip.innerText()).includes(longest.flopsFormula));
    const sizes = longest.bytesFormula.replace(/\b\d{5,}\b/g, (n) =>
      Number(n).toLocaleString('en-US'),
    );
    assert.notEqual(sizes, longest.bytesFormula);
    assert.ok((await tooltip.innerText()).replaceAll('\n', ' ').includes(sizes));
    await chart.press('Enter');
    await page
      .getByRole('status')
      .filter({ hasText: longest.name })
      .getByRole('button', { name: 'Row' })
      .click();
    await profile.settled();
    const grid = page.getByRole('grid', { name: 'Costs' });
    assert.equal(await grid.getAttribute('aria-rowcount'), '2');
    // For how much something is not known matters less than what is known.
    const titles = await grid.getByRole('columnheader').allTextContents();
    assert.ok(
      titles.includes('Share of roof') && !titles.join().includes('unknown'),
      titles.join(),
    );

    await page.getByRole('button', { name: 'Roofline of operators as table' }).click();
    const twin = page
      .getByRole('region', { name: 'Roofline of operators', exact: true })
      .last()
      .locator('tbody tr');
    assert.equal(await twin.count(), drawn.length);
  });
});

test('lines have their place, which opens them', corpus, async () => {
  const [line] = commandLine('roofline', h100, ['--group-by', 'line']).rows;
  await harness.withPage(h100, {}, async (profile, page) => {
    await profile.view('Roofline');
    await page.getByRole('radio', { name: 'Lines' }).click();
    await profile.settled();
    const grid = page.getByRole('grid', { name: 'Costs' });
    const name = `${line.path.split('/').at(-1)}:${line.at}`;
    const opened = await profile.sent('openSource', () =>
      grid.getByRole('button', { name, exact: true }).first().click(),
    );
    assert.deepEqual([opened.target.file, opened.target.line], [line.path, line.at]);
    // Its number stands in the place alone.
    const titles = await grid.getByRole('columnheader').allTextContents();
    assert.ok(titles.includes('File') && !titles.includes('Line'), titles.join());
  });
});

test('a lower target saves less', corpus, async () => {
  const [low, high] = ['0.4', '0.9'].map((target) =>
    commandLine('roofline', h100, ['--param', `target=${target}`]),
  );
  assert.ok(low.totals.savedUs < high.totals.savedUs);
  assert.deepEqual(
    high.rows.map((row) => row.savedUs),
    high.rows.map((row) => row.savedUs).sort((a, b) => b - a),
  );
});

test(
  'another device: what the command line predicts, with how far it may be off',
  corpus,
  async () => {
    const own = commandLine('roofline', h100).devices[0].known;
    const { whatIf, knownDevices } = commandLine('roofline', h100, [
      '--what-if',
      'AMD Instinct MI300X',
    ]);
    assert.ok(knownDevices.includes(whatIf.device));
    await harness.withPage(h100, {}, async (profile, page) => {
      await profile.view('Roofline');
      const panel = page.getByRole('region', { name: 'What if', exact: true });
      await panel.getByText('Choose a device').waitFor();
      await profile.choose('On another device', whatIf.device);
      const fact = (name) => factOf(panel, name);
      await fact('Kernel time').waitFor();
      const text = await fact('Kernel time').innerText();
      assert.ok(text.includes(quantity(whatIf.kernelUs, 'us')), text);
      assert.ok(text.includes(quantity(whatIf.predictedKernelUs, 'us')), text);
      const steps = await fact('Steps').innerText();
      assert.ok(steps.includes(quantity(whatIf.predictedStepUs, 'us')), steps);
      assert.ok((await panel.innerText()).includes(whatIf.accuracy));
      // On its own device nothing changes, and no range goes from a figure to itself.
      await profile.choose('On another device', own);
      await fact('Kernel time').filter({ hasText: 'unchanged' }).waitFor();
      assert.match(await fact('Steps').innerText(), /^Steps\s+\S+ ms, unchanged$/);
      await profile.choose('On another device', '');
      await panel.getByText('Choose a device').waitFor();
    });
  },
);

test('the kernels view lists every launch', corpus, async () => {
  const expected = commandLine('kernelList', h100);
  await harness.withPage(h100, {}, async (profile, page) => {
    await profile.view('Kernels');
    await page.getByRole('radio', { name: 'Launches' }).click();
    await profile.settled();
    const grid = page.getByRole('grid', { name: 'Kernel launches' });
    await grid.waitFor();
    assert.equal(await grid.getAttribute('aria-rowcount'), String(expected.rows.length + 1));
  });
});

test('without device work the view says what to record', async () => {
  await harness.withPage(
    sample('transformer/train.pt.trace.json.gz'),
    {},
    async (profile, page) => {
      await profile.view('Roofline');
      await page
        .getByRole('region', { name: /No kernels/ })
        .first()
        .waitFor();
      assert.equal(await page.getByRole('application', { name: /^Roofline/ }).count(), 0);
    },
  );
});

for (const theme of Object.keys(themes)) {
  test(`roofs are accessible (${theme})`, corpus, async () => {
    await harness.withPage(h100, { theme }, async (profile, page) => {
      await profile.view('Roofline');
      await page.locator(roofPoints).first().waitFor();
      await profile.settled();
      assert.deepEqual(await axe(page), []);
      await page.setViewportSize({ width: 480, height: 800 });
      // The page is drawn again in its new width.
      await page.waitForFunction(() => {
        const chart = document.querySelector('[role=application]');
        return chart.scrollWidth <= chart.clientWidth;
      });
    });
  });
}

test('the overview holds the advice of costs', corpus, async () => {
  const { findings } = commandLine('roofline', h100);
  assert.ok(findings.length > 0);
  await harness.withPage(h100, {}, async (profile, page) => {
    await page.getByRole('button', { name: /more finding/ }).click();
    const titles = findingTitles(page);
    await titles.filter({ hasText: findings[0].title }).waitFor();
    // What changes nothing about the step is left to the view of the roofs.
    const { totalUs } = commandLine('overview', h100).headline;
    const shown = await titles.allTextContents();
    for (const { title, gainUs } of findings) {
      assert.equal(shown.includes(title), gainUs >= totalUs / 100, title);
    }
  });
});
