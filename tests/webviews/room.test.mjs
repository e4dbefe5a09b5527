// How the views use the room they have: one scroller, columns by their weight, names in whole letters.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { traceText } from '../generator/generate.mjs';
import {
  columnsGivingWay,
  givingWayToNames,
  leftAlone,
  mostNamesPx,
  namesPx,
  namesWidth,
  narrowNamesPx,
  withSpare,
  withoutExcess,
} from '../../webviews/src/lib/columns.ts';
import { slice } from '../lib/trace_events.mjs';
import { Harness, axe, commandLine, sample } from './harness.mjs';
import {
  chartsOf,
  findings,
  firstCells,
  flameCanvas,
  goToCells,
  gridOf,
  headline,
  hotLines,
  trackRows,
} from '../lib/roles.mjs';

let harness, folder, trace;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-room-'));
  trace = join(folder, 'worker.pt.trace.json');
  writeFileSync(trace, traceText({ dialect: 'torch-2.8', events: 6000, seed: 3 }).text);
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const withPage = (...args) => harness.withPage(...args);

/** What scrolls on the page, and which way. */
const scrollers = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('#view, #view *')].flatMap((element) => {
      const style = getComputedStyle(element);
      const can = (overflow, over) => /auto|scroll/.test(overflow) && over > 1;
      const name = element.id || (element.getAttribute('role') ?? element.tagName);
      return [
        ...(can(style.overflowY, element.scrollHeight - element.clientHeight)
          ? [`${name} up and down`]
          : []),
        ...(can(style.overflowX, element.scrollWidth - element.clientWidth)
          ? [`${name} sideways`]
          : []),
      ];
    }),
  );

test('columns give way by their weight, the last ones first', () => {
  const columns = ['name', 'calls', 'total', 'mean', 'min'].map((key) => ({
    key,
    px: 100,
    stays: key === 'name',
  }));
  assert.deepEqual(columnsGivingWay(columns, ['mean'], 500), []);
  assert.deepEqual(columnsGivingWay(columns, ['mean', 'gone'], 499), ['mean']);
  assert.deepEqual(columnsGivingWay(columns, ['mean'], 399), ['mean', 'min']);
  assert.deepEqual(columnsGivingWay(columns, ['name'], 0), ['min', 'mean', 'total', 'calls']);
  // A column that is named twice gives its room once.
  assert.deepEqual(columnsGivingWay(columns, ['mean', 'mean'], 399), ['mean', 'min']);
});

test('lesser columns give way to names, and no more of them than these need', () => {
  const columns = [
    ['name', 300],
    ['baselineCalls', 90],
    ['candidateCalls', 100],
    ['grid', 60],
    ['share', 70],
  ].map(([key, px]) => ({ key, px, stays: key === 'name' }));
  assert.deepEqual(givingWayToNames(columns, ['grid', 'share'], 0), []);
  assert.deepEqual(givingWayToNames(columns, ['grid', 'share'], 60), ['grid']);
  assert.deepEqual(givingWayToNames(columns, ['grid', 'share'], 71), ['grid', 'share']);
  assert.deepEqual(givingWayToNames(columns, ['grid', 'share'], 61), ['share']);
  assert.deepEqual(givingWayToNames(columns, ['name', 'gone', 'grid', 'grid'], 500), ['grid']);
  // Both sides go together, after which the first one has room again.
  assert.deepEqual(givingWayToNames(columns, ['grid', 'candidateCalls'], 100), [
    'candidateCalls',
    'baselineCalls',
  ]);
  assert.deepEqual(leftAlone(columns, ['candidateCalls']), ['baselineCalls']);
  assert.deepEqual(leftAlone(columns, ['baselineCalls']), []);
  assert.equal(mostNamesPx(2000, true), 440);
  assert.equal(mostNamesPx(2000, false), 320);
  assert.equal(mostNamesPx(400, true), 280);
});

test('the column of names is as wide as they are, within half of the room', () => {
  const longest = namesPx('aten::cudnn_convolution_backward_weight'.length);
  assert.equal(namesWidth(namesPx(16), 1200), 139, 'short names leave the room to figures');
  assert.equal(namesWidth(namesPx(1), 1200), 96);
  assert.equal(namesWidth(longest, 900), 305, 'beside the Explorer');
  assert.equal(namesWidth(longest, 600), 300);
  assert.equal(namesWidth(longest, 600, true), 252, 'beside shapes');
  assert.equal(namesWidth(4000, 2000), 320, 'one long name does not push all figures away');
  assert.equal(namesWidth(longest, 300), 172);
});

test('names in a table of differences have a fifth of the room', () => {
  assert.equal(narrowNamesPx(400, 1280), 256);
  assert.equal(narrowNamesPx(400, 920), 256, 'beside figures most operators stay whole');
  assert.equal(narrowNamesPx(400, 620), 186, 'little room does not cut them to nothing');
  assert.equal(narrowNamesPx(103, 1280), 103, 'short names take no more than they need');
});

test('names have what the figures leave, up to half of the room', () => {
  assert.equal(withSpare(280, 384, 123, 900), 384);
  assert.equal(withSpare(280, 384, 50, 900), 330);
  assert.equal(withSpare(280, 4000, 600, 900), 450, 'figures keep the other half');
  assert.equal(withSpare(280, 200, 600, 900), 280, 'short names take nothing');
  assert.equal(withSpare(280, 384, -40, 900), 280, 'all columns, which are wider than the room');
});

test('where even the columns that stay have no room, names give some of theirs', () => {
  assert.equal(withoutExcess(172, 8), 164);
  assert.equal(withoutExcess(172, 500), 96, 'names still tell rows apart');
  assert.equal(withoutExcess(80, 8), 80);
});

test('a flame graph of one level more than its first ones shows it', async () => {
  const frames = (count) =>
    Array.from({ length: count }, (_, index) =>
      slice('python_function', `train.py(${index + 1}): f${index}`, index, 900 - 2 * index, {
        'Python id': index + 1,
        ...(index === 0 ? {} : { 'Python parent id': index }),
      }),
    );
  for (const [count, more] of [
    [7, 0],
    [9, 1],
  ]) {
    const path = join(folder, `deep${count}.pt.trace.json`);
    const traceEvents = [...frames(count), slice('cpu_op', 'aten::mm', 300, 100)];
    writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents }));
    await withPage(path, {}, async (profile, page) => {
      await profile.view('Stacks');
      const canvas = flameCanvas(page);
      await canvas.waitFor();
      assert.equal((await canvas.boundingBox()).height, 20 * (count + 1) + 2);
      assert.equal(await page.getByRole('button', { name: /Show all levels/ }).count(), more);
    });
  }
});

test('names of operators and hooks are whole where the figures leave room', async () => {
  const name = 'autograd::engine::evaluate_function: MeanBackward1';
  const hook = '[Strategy]SingleDeviceStrategy.training_step';
  const path = join(folder, 'names.pt.trace.json');
  writeFileSync(
    path,
    JSON.stringify({
      schemaVersion: 1,
      Framework: 'pytorch-lightning',
      traceEvents: [
        slice('user_annotation', '[pl][profile]run_training_batch', 0, 900),
        slice('user_annotation', `[pl][profile]${hook}`, 10, 600),
        slice('cpu_op', name, 20, 100),
        slice('cpu_op', 'aten::mean', 30, 50),
      ],
    }),
  );
  await withPage(path, {}, async (profile, page) => {
    await page.setViewportSize({ width: 924, height: 640 });
    await profile.view('Operators');
    const cell = gridOf(page, 'Operators').locator(`[data-whole="${name}"]`);
    await cell.waitFor();
    assert.equal(await cell.getAttribute('data-fitted'), null);
    await page.setViewportSize({ width: 1000, height: 640 });
    await profile.view('Lightning');
    const tree = gridOf(page, 'Lightning hooks');
    await tree.waitFor();
    assert.equal(await tree.getByRole('columnheader').first().innerText(), 'Hook');
    const texts = await firstCells(tree).evaluateAll((all) =>
      all.map((one) => ({
        text: one.textContent,
        cut: [...one.querySelectorAll('span')].some(
          ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
        ),
      })),
    );
    assert.ok(
      texts.some(({ text }) => text.includes(hook)),
      JSON.stringify(texts),
    );
    assert.deepEqual(
      texts.filter(({ cut }) => cut),
      [],
    );
  });
});

for (const file of ['device', 'sample']) {
  test(`every view fits into 700 pixels and has one scroller (${file})`, async () => {
    const path = file === 'device' ? trace : sample('transformer/train.pt.trace.json.gz');
    await withPage(path, {}, async (profile, page) => {
      await page.setViewportSize({ width: 700, height: 500 });
      const tabs = await page.getByRole('tab', { includeHidden: true }).allTextContents();
      const found = [];
      const cut = [];
      for (const tab of tabs) {
        // The timeline is a canvas that fills the view, with a scroller of its own.
        if (tab === 'Timeline') continue;
        await profile.view(tab);
        const groups = {
          Kernels: 'Rows',
          Memory: 'Table',
          Lines: 'Rows per',
          Operators: 'Group by',
        };
        const choices = page.getByRole('radiogroup', { name: groups[tab], exact: true });
        const radios =
          groups[tab] === undefined || (await choices.count()) === 0
            ? []
            : await choices.getByRole('radio').all();
        for (const radio of radios.length === 0 ? [undefined] : radios) {
          await radio?.click();
          await profile.settled();
          for (const one of await scrollers(page)) {
            // Bars of many steps and lines of code are as wide as they are.
            if (one === 'view up and down' || /^(application|PRE) sideways/.test(one)) continue;
            found.push(`${tab}: ${one}`);
          }
          cut.push(
            ...(await page.evaluate(() =>
              [...document.querySelectorAll('[role=columnheader] > :first-child')]
                .filter(
                  (head) =>
                    head.scrollWidth > head.clientWidth + 1 ||
                    head.scrollHeight > head.clientHeight + 1,
                )
                .map((head) => head.textContent),
            )),
          );
        }
      }
      assert.deepEqual(found, []);
      assert.deepEqual(cut, []);
    });
  });
}

test('what a CPU trace lacks stands at one height in every view', async () => {
  await withPage(sample('train_cnn/slow.pt.trace.json.gz'), {}, async (profile, page) => {
    const tops = [];
    for (const [view, title] of [
      ['Kernels', 'No kernels'],
      ['Roofline', 'No roofline'],
    ]) {
      await profile.view(view);
      tops.push((await page.getByRole('heading', { name: title }).boundingBox()).y);
    }
    assert.equal(tops[0], tops[1]);
  });
});

test('in the least room, modules still have a figure and names that tell them apart', async () => {
  await withPage(sample('train_cnn/slow.pt.trace.json.gz'), {}, async (profile, page) => {
    await page.setViewportSize({ width: 300, height: 700 });
    await profile.view('Modules');
    const table = gridOf(page, 'Modules');
    const keys = () =>
      table.getByRole('columnheader').evaluateAll((heads) => heads.map((head) => head.dataset.key));
    // The metric of the chart.
    assert.ok((await keys()).includes('hostTotalUs'), (await keys()).join());
    const rows = await table.evaluate((grid) => [grid.scrollWidth, grid.clientWidth]);
    assert.ok(rows[0] <= rows[1] + 1, rows.join());
    // The column that rows are sorted by takes its place.
    await page.getByRole('button', { name: /more columns/ }).click();
    await table.locator('[role=columnheader][data-key=occurrences]').click();
    await page.getByRole('button', { name: /columns/ }).click();
    assert.deepEqual(
      (await keys()).filter((key) => key !== undefined),
      ['occurrences'],
    );
  });
});

test('columns without room come back, and the heading stays in sight', async () => {
  await withPage(sample('transformer/train.pt.trace.json.gz'), {}, async (profile, page) => {
    await page.setViewportSize({ width: 640, height: 500 });
    await profile.view('Lines');
    const keys = () =>
      gridOf(page, 'Lines')
        .getByRole('columnheader')
        .evaluateAll((heads) => heads.map((head) => head.dataset.key));
    const few = await keys();
    assert.ok(!few.includes('confidence') && few.includes('hostSelfUs'), few.join());
    await page.getByRole('button', { name: /more columns/ }).click();
    const all = await keys();
    assert.ok(all.includes('confidence') && all.length > few.length, all.join());
    await page.evaluate(() => document.querySelector('#view').scrollTo(300, 1e6));
    const head = await gridOf(page, 'Lines').locator('[aria-rowindex="1"]').boundingBox();
    const view = await page.locator('#view').boundingBox();
    assert.ok(Math.abs(head.y - view.y) < 2, `the heading is at ${head.y}, the view at ${view.y}`);
    const filter = await page.getByRole('button', { name: 'All columns' }).boundingBox();
    assert.ok(filter.x >= 0 && filter.x + filter.width <= 640, 'the tools stay in sight');
    // The keyboard reaches what is out of sight.
    await gridOf(page, 'Lines').getByRole('gridcell').first().focus();
    await page.keyboard.press('End');
    await page.waitForFunction(() => {
      const cell = document.activeElement.getBoundingClientRect();
      return cell.left >= 0 && cell.right <= window.innerWidth;
    });
    assert.deepEqual(await axe(page), []);
    await page.getByRole('button', { name: 'All columns' }).click();
    assert.deepEqual(await keys(), few);
  });
});

test('beside code the tabs of a profile stand on one line', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await page.setViewportSize({ width: 600, height: 700 });
    const tops = await page
      .getByRole('tab')
      .evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().top));
    assert.ok(tops.length >= 9 && new Set(tops).size === 1, tops.join());
  });
});

test('shapes have room before columns that matter less', async () => {
  await withPage(sample('transformer/train.pt.trace.json.gz'), {}, async (profile, page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await profile.view('Operators');
    await page.getByRole('radio', { name: 'Operator and shapes' }).click();
    await profile.settled();
    const head = gridOf(page, 'Operators').locator('[role=columnheader][data-key=inputShapes]');
    const { width } = await head.boundingBox();
    assert.ok(width >= 200, `${width} pixels`);
    // Beside code figures come first.
    await page.setViewportSize({ width: 640, height: 800 });
    const keys = await gridOf(page, 'Operators')
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.map((one) => one.dataset.key));
    assert.ok(keys.includes('calls') && keys.includes('hostSelfUs'), keys.join());
  });
});

test('beside code, functions of one name are told apart by their file', async () => {
  await withPage(sample('train_cnn/slow.pt.trace.json.gz'), {}, async (profile, page) => {
    await page.setViewportSize({ width: 600, height: 800 });
    await profile.view('Stacks');
    const keys = await gridOf(page, 'Functions')
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.map((one) => one.dataset.key));
    assert.ok(keys.includes('file') && keys.includes('selfUs'), keys.join());
  });
});

test('where there is little room, a row leads on by a menu, with the keyboard too', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Operators');
    const cell = goToCells(gridOf(page, 'Operators')).first();
    const wide = await cell.getByRole('button').allTextContents();
    assert.ok(wide.includes('Kernels'), wide.join());
    await page.setViewportSize({ width: 560, height: 500 });
    await cell.getByRole('button', { name: 'Go to' }).waitFor();
    await cell.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    assert.deepEqual(await page.getByRole('menuitem').allTextContents(), wide);
    assert.deepEqual(await axe(page), []);
    const menu = await page.getByRole('menu').boundingBox();
    assert.ok(menu.x >= 0 && menu.x + menu.width <= 560 && menu.y + menu.height <= 500);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('menu').count(), 0);
    assert.equal(await page.evaluate(() => document.activeElement.title), 'Go to');
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.getByRole('menuitem', { name: 'Kernels' }).press('Enter');
    await page.waitForFunction(
      () => document.querySelector('#tab-kernels')?.getAttribute('aria-selected') === 'true',
    );
  });
});

test('no function of a kernel is cut beside a lesser column', async () => {
  const kernel = (name, ts, dur, correlation) => [
    slice('cuda_runtime', 'cudaLaunchKernel', ts, 2, { correlation }),
    slice(
      'kernel',
      name,
      ts + 5,
      dur,
      { device: 0, stream: 7, correlation, grid: [64, 1, 1], block: [128, 1, 1] },
      { pid: 0, tid: 7 },
    ),
  ];
  const elementwise = (functor) =>
    `void at::native::vectorized_elementwise_kernel<4, at::native::${functor}, std::array<char*, 2ul> >(int, at::native::${functor}, std::array<char*, 2ul>)`;
  const write = (name, kernels) => {
    const path = join(folder, `${name}.pt.trace.json`);
    const events = kernels.flatMap((one, at) => kernel(one, 1000 * at, 900 - at, at + 1));
    writeFileSync(
      path,
      JSON.stringify({
        schemaVersion: 1,
        deviceProperties: [{ id: 0, name: 'NVIDIA H100', computeMajor: 9, computeMinor: 0 }],
        traceEvents: events,
      }),
    );
    return path;
  };
  const keys = (page) =>
    gridOf(page, 'Kernels')
      .getByRole('columnheader')
      .evaluateAll((heads) => heads.map((head) => head.dataset.key));
  const long = write('functions', [
    'ampere_bf16_s16816gemm_bf16_128x64_tn',
    elementwise('(anonymous namespace)::pow_tensor_scalar_kernel_impl<float, float>'),
    elementwise('CUDAFunctor_add<c10::BFloat16>'),
    elementwise('MulFunctor<float>'),
  ]);
  await withPage(long, {}, async (profile, page) => {
    for (const width of [640, 920]) {
      await page.setViewportSize({ width, height: 700 });
      await profile.view('Kernels');
      await profile.drawn();
      const names = await page.evaluate(() =>
        [...document.querySelectorAll('[role=gridcell] [data-whole]')].map((name) => ({
          name: /^\w+/.exec(name.textContent)[0],
          drawn: name.dataset.fitted ?? name.textContent,
        })),
      );
      assert.equal(names.length, 4);
      for (const { name, drawn } of names) assert.ok(drawn.startsWith(name), `${width}: ${drawn}`);
      const shown = await keys(page);
      assert.ok(shown.includes('calls') && shown.includes('totalUs'), shown.join());
      if (width === 640) assert.ok(!shown.includes('usesTensorCores'), shown.join());
      else assert.ok(shown.includes('share') && shown.includes('meanUs'), shown.join());
    }
  });
  await withPage(
    write('short', ['ampere_bf16_s16816gemm_tn', 'ampere_sgemm_tn']),
    {},
    async (profile, page) => {
      await page.setViewportSize({ width: 640, height: 700 });
      await profile.view('Kernels');
      await profile.drawn();
      const shown = await keys(page);
      assert.ok(shown.includes('usesTensorCores') && shown.includes('share'), shown.join());
    },
  );
});

test('a name that is cut is cut once, by script, at any width', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Kernels');
    let shortened = 0;
    for (const width of [420, 500, 580, 660, 740, 900, 1200]) {
      await page.setViewportSize({ width, height: 700 });
      await profile.drawn();
      const names = await page.evaluate(() =>
        [...document.querySelectorAll('[role=gridcell] [data-whole]')].map((name) => {
          const drawn = name.cloneNode(true);
          drawn.removeAttribute('data-fitted');
          drawn.style.cssText = 'position: absolute; width: max-content';
          drawn.firstElementChild.textContent = name.dataset.fitted ?? name.textContent;
          name.parentElement.append(drawn);
          const over = drawn.getBoundingClientRect().width - name.getBoundingClientRect().width;
          drawn.remove();
          return { text: name.dataset.fitted ?? name.textContent, whole: name.textContent, over };
        }),
      );
      assert.ok(names.length > 0);
      for (const { text, whole, over } of names) {
        assert.ok(over <= 0.5, `${width} pixels: ${text} is ${over} too wide`);
        if (text !== whole) shortened += 1;
        // Inside of "<\u2026word\u2026>" stand two marks, elsewhere one tells that something is missing.
        assert.ok(text.split('\u2026').length <= 3, text);
      }
    }
    assert.ok(shortened > 0, 'there are long names');
  });
});

test('a long twin shows its first rows until all are wanted, and is exported whole', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Memory');
    await page.getByRole('button', { name: 'Memory as table' }).click();
    const rows = page.getByRole('region', { name: 'Memory over time' }).locator('tbody tr');
    const count = await rows.count();
    assert.ok(count > 20, `${count} rows`);
    assert.equal(await rows.filter({ visible: true }).count(), 20);
    const sent = await profile.sent('copy', async () => {
      await page.getByRole('button', { name: 'Export' }).first().click();
      await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
    });
    assert.equal(JSON.parse(sent.text).length, count);
    await page
      .getByRole('button', { name: `Show all ${count.toLocaleString('en-US')} rows` })
      .click();
    assert.equal(await rows.filter({ visible: true }).count(), count);
  });
});

test('tables come first: the charts above them are one low strip that folds away', async () => {
  await withPage(trace, {}, async (profile, page) => {
    for (const tab of ['Operators', 'Kernels', 'Modules']) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await profile.view(tab);
      const strip = chartsOf(page);
      await strip.getByRole('region').or(strip.getByRole('application')).first().waitFor();
      const box = await strip.boundingBox();
      assert.ok(box.height <= 150, `${tab}: the charts are ${box.height} high`);
      const table = await gridOf(page, tab).first().boundingBox();
      assert.ok(table.y < 320, `${tab}: the table begins at ${table.y}`);
      await strip.locator('summary').click();
      assert.ok((await strip.boundingBox()).height < 40, `${tab}: folded`);
      await strip.locator('summary').click();
      await page.setViewportSize({ width: 460, height: 700 });
      const beside = await gridOf(page, tab).first().boundingBox();
      assert.ok(beside.y < 420, `${tab}: beside an editor the table begins at ${beside.y}`);
    }
    assert.deepEqual(await axe(page), []);
  });
});

test('above the fold of the overview stand the answer, findings and the hottest lines', async () => {
  await withPage(sample('train_cnn/slow.pt.trace.json.gz'), {}, async (_, page) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    const fifth = hotLines(page).nth(4);
    await fifth.waitFor();
    for (const part of [headline(page), findings(page).first(), fifth]) {
      const box = await part.boundingBox();
      assert.ok(box.y + box.height < 500, `${part} ends at ${box.y + box.height}`);
    }
    const table = await page.getByRole('region', { name: 'Average step time' }).boundingBox();
    assert.ok(table.y + table.height < 800, `the breakdown ends at ${table.y + table.height}`);
  });
});

test('names of files and threads that have room are whole', async () => {
  const text = gunzipSync(readFileSync(sample('train_cnn/slow.pt.trace.json.gz'))).toString();
  const path = join(folder, 'names.pt.trace.json');
  writeFileSync(path, text.replaceAll('slow.py', 'resolve_future_token_ids.py'));
  await withPage(path, {}, async (_, page) => {
    await page.setViewportSize({ width: 1222, height: 700 });
    await hotLines(page).nth(4).waitFor();
    const place = hotLines(page).first().locator('> :first-child');
    assert.match(await place.textContent(), /^resolve_future_token_ids\.py:\d+$/);
    assert.ok(await place.evaluate((it) => it.scrollWidth <= it.clientWidth));
  });
  const op = (name, tid, ts) => slice('cpu_op', name, ts, 900, {}, { tid });
  const names = (tid, name) => ({ ph: 'M', name: 'thread_name', pid: 1, tid, args: { name } });
  const threads = join(folder, 'threads.pt.trace.json');
  writeFileSync(
    threads,
    JSON.stringify({
      traceEvents: [
        op('aten::add', 2300490, 0),
        op('aten::mul', 2300680, 100),
        names(2300490, 'thread 2300490 (python)'),
        names(2300680, 'thread 2300680 (pt_autograd_0)'),
      ],
    }),
  );
  await withPage(threads, {}, async (profile, page) => {
    await page.setViewportSize({ width: 1222, height: 700 });
    await profile.view('Modules');
    const face = page
      .getByText('thread 2300490 (python), main: 900 µs', { exact: true })
      .filter({ visible: true })
      .first();
    await face.waitFor();
    assert.ok(await face.evaluate((it) => it.scrollWidth <= it.clientWidth));
    await profile.view('Timeline');
    const name = trackRows(page).filter({ hasText: 'pt_autograd_0)' }).getByText('pt_autograd_0)');
    await name.first().waitFor();
    assert.ok(await name.last().evaluate((it) => it.scrollWidth <= it.clientWidth));
  });
});

test('a file that was cut says so on every view, and is advised nothing', async () => {
  const whole = readFileSync(sample('train_cnn/slow.pt.trace.json.gz'));
  const folder = mkdtempSync(join(tmpdir(), 'emberline-cut-'));
  const path = join(folder, 'cut.pt.trace.json.gz');
  writeFileSync(path, whole.subarray(0, 200_000));
  try {
    await withPage(path, {}, async (profile, page) => {
      for (const tab of await page.getByRole('tab', { includeHidden: true }).allTextContents()) {
        await profile.view(tab);
        const note = page.getByRole('note', { name: 'About this trace' });
        assert.match(await note.innerText(), /truncated.*Read: [\d,]+ events over/s, tab);
        assert.equal(await note.locator('p').count(), 1, 'one problem and not two');
      }
      await profile.view('Overview');
      await page.getByRole('button', { name: 'Incomplete' }).waitFor();
      assert.equal(await page.getByText('Some data was not recorded').count(), 0);
      assert.deepEqual(await axe(page), []);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a file that is damaged inside says on every view what that cost', async () => {
  const event = (name, ts) =>
    `{"ph":"X","cat":"cpu_op","name":"${name}","pid":1,"tid":1,"ts":${ts},"dur":5}`;
  const lost = '{"ph":"X","cat":"cpu_op","name":"aten::lost","pid":1,"tid":1,"dur":5}';
  const folder = mkdtempSync(join(tmpdir(), 'emberline-damage-'));
  const path = join(folder, 'damaged.pt.trace.json');
  const events = [event('aten::add', 0), lost, lost, '{"ph":"X","na', event('aten::mul', 10)];
  writeFileSync(path, `{"schemaVersion":1,"traceEvents":[${events.join(',\n')}]}`);
  try {
    await withPage(path, {}, async (profile, page) => {
      for (const tab of await page.getByRole('tab', { includeHidden: true }).allTextContents()) {
        await profile.view(tab);
        const note = page.getByRole('note', { name: 'About this trace' });
        assert.match(
          await note.innerText(),
          /no usable timestamp.*Read: 2 events\. Missing: at least\u00a0[23]\./s,
          tab,
        );
        assert.equal(await note.locator('p').count(), 1, 'one problem and not two');
      }
      await page.getByRole('button', { name: 'Incomplete' }).waitFor();
      await profile.view('Overview');
      const health = page.getByRole('region', { name: 'Trace health' });
      await health.getByText(/^2 read, at least [23] missing$/).waitFor();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('what is left of a damaged file without any work is not said to be all that was recorded', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-damage-'));
  const path = join(folder, 'flows.pt.trace.json');
  const flow = (id, end = '"') =>
    `{"ph":"s","id":${id},"pid":1,"tid":1,"ts":${id},"cat":"ac2g","name":"ac2g","bp":"e${end}}`;
  writeFileSync(path, `{"traceEvents":[${[flow(0), flow(1, ''), flow(2)].join(',')}]}`);
  try {
    await withPage(path, {}, async (profile, page) => {
      await profile.view('Overview');
      await page.getByRole('heading', { name: 'No work was read' }).waitFor();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an event that ends early is one problem in the health of the trace', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-early-'));
  const path = join(folder, 'early.pt.trace.json');
  const event = (ts) => slice('cpu_op', 'aten::add', ts, 5, {}, { pid: 1, tid: 1 });
  const text = JSON.stringify({ schemaVersion: 1, traceEvents: [event(0), event(10), event(20)] });
  // Its brace closes before its time.
  writeFileSync(path, text.replace('"ts":10,', '},"ts":10,'));
  assert.ok(commandLine('check', path).problems.length > 1, 'of several kinds where it is read');
  try {
    await withPage(path, {}, async (profile, page) => {
      await profile.view('Overview');
      const health = page.getByRole('region', { name: 'Trace health' });
      const found = health.getByRole('region', { name: 'Problems found while reading' });
      await found.waitFor();
      assert.equal(await found.locator('tbody tr').count(), 1);
      await health
        .getByText(/^What was left of damaged events was skipped in \d places?\.$/)
        .waitFor();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('beside code the figures of a comparison are not cut, and no two titles touch', async () => {
  const [slow, fixed] = ['slow', 'fixed'].map((name) =>
    sample(`train_cnn/${name}.pt.trace.json.gz`),
  );
  const profile = await harness.compare(slow, fixed);
  const { page } = profile;
  try {
    await page.setViewportSize({ width: 640, height: 800 });
    const figures = page.getByRole('region', { name: 'Figures of both sides' });
    await figures.waitFor();
    assert.ok(await figures.evaluate((one) => one.scrollWidth <= one.clientWidth));
    await profile.view('Execution');
    await page.getByText('Sum (ms)').waitFor();
    const [sum, difference] = [page.getByText('Sum (ms)'), page.getByText('Difference (ms)')];
    const [left, right] = [await sum.boundingBox(), await difference.boundingBox()];
    assert.ok(left.x + left.width < right.x);
  } finally {
    await profile.close();
  }
});

test('a trace of library code alone shows its frames, and says why no line has any time', async () => {
  const path = join(folder, 'library.pt.trace.json');
  writeFileSync(
    path,
    JSON.stringify({
      schemaVersion: 1,
      traceEvents: [
        slice('python_function', 'vllm/run.py(1): execute', 0, 900, { 'Python id': 1 }),
        slice('cpu_op', 'aten::mm', 20, 100),
      ],
    }),
  );
  await withPage(path, {}, async (profile, page) => {
    await profile.view('Stacks');
    await page.getByText('All of this is library code', { exact: false }).waitFor();
    await gridOf(page, 'Functions').getByText('execute').waitFor();
    await profile.view('Lines');
    await page.getByText('all frames are in libraries', { exact: false }).waitFor();
  });
});

test('communication has the color that it has among the parts of a step', async () => {
  const path = join(folder, 'communication.pt.trace.json');
  const kernel = (name, ts, dur) =>
    slice('kernel', name, ts, dur, { device: 0, stream: 7 }, { pid: 0, tid: 7 });
  writeFileSync(
    path,
    JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA A100' }],
      traceEvents: [kernel('ncclDevKernel_AllReduce_Sum_f32', 0, 90), kernel('gemm', 100, 50)],
    }),
  );
  await withPage(path, {}, async (profile, page) => {
    await profile.view('Kernels');
    const bar = page.getByRole('img', { name: /^Communication: Communication/ });
    await bar.waitFor();
    const fills = await bar.locator('rect').evaluateAll((all) => all.map((one) => one.outerHTML));
    assert.match(fills[0], /purple/);
    assert.match(fills[1], /blue/);
  });
});

test('what closes gives the focus to what is left', async () => {
  await withPage(sample('train_cnn/slow.pt.trace.json.gz'), {}, async (profile, page) => {
    const holds = (locator) => locator.and(page.locator(':focus')).waitFor();
    await profile.choose('Steps', '2');
    await page.getByRole('button', { name: 'Remove Step 2' }).press('Enter');
    await holds(page.getByRole('button', { name: 'Complete' }));
    await profile.view('Timeline');
    const canvas = page.getByRole('application', { name: /^Timeline/ });
    await canvas.focus();
    await canvas.press('?');
    await page.getByRole('dialog', { name: 'Timeline shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await holds(canvas);
  });
});
