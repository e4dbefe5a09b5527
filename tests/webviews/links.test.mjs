// Rows lead on: to slices, to code, to rows of other views and back. Tables export in every form,
// names can be told apart, and what a setting changes is asked again.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { slice } from '../lib/trace_events.mjs';
import { Harness, axe } from './harness.mjs';
import {
  bodyRows,
  cellsOf,
  firstCells,
  goToCells,
  gridOf as grid,
  openedDetails,
  rowOpeners,
  timelinePanel,
} from '../lib/roles.mjs';

const at = (cat, name, pid, tid, ts, dur, args) => slice(cat, name, ts, dur, args, { pid, tid });

const kernels = [
  'void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)',
  'void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, std::array<char*, 1ul> >(int, at::native::AddFunctor<float>, std::array<char*, 1ul>)',
];

/** Two modules; each calls an operator that allocates, launches a kernel and a copy. */
const events = ['Linear_0', 'Conv2d_0'].flatMap((module, i) => {
  const ts = 1000 * i;
  const link = (offset) => ({ correlation: 10 * i + offset, 'External id': i + 1 });
  const device = { device: 0, stream: 7 };
  const memory = (when, bytes, address) => ({
    ph: 'i',
    s: 't',
    cat: 'cpu_instant_event',
    name: '[memory]',
    pid: 1,
    tid: 1,
    ts: ts + when,
    args: {
      'Device Type': 1,
      'Device Id': 0,
      Addr: address,
      Bytes: bytes,
      'Total Allocated': 4096 * (i + 1),
      'Total Reserved': 1 << 20,
    },
  });
  return [
    at('python_function', 'train.py(10): main', 1, 1, ts, 900),
    at('python_function', `nn.Module: ${module}`, 1, 1, ts + 5, 300),
    at('python_function', `layers.py(${20 + i}): forward`, 1, 1, ts + 6, 290),
    at('cpu_op', i === 0 ? 'aten::linear' : 'aten::conv2d', 1, 1, ts + 10, 200, {
      'External id': i + 1,
    }),
    at('cuda_runtime', 'cudaLaunchKernel', 1, 1, ts + 30, 5, link(1)),
    at('cuda_runtime', 'cudaMemcpyAsync', 1, 1, ts + 40, 5, link(2)),
    at('kernel', kernels[i], 0, 7, ts + 60, 40 - i, { ...link(1), ...device }),
    at('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 0, 7, ts + 110, 10, {
      ...link(2),
      ...device,
      bytes: 5000,
    }),
    memory(20, 4096, 100 + i),
    ...(i === 0 ? [memory(400, -4096, 100)] : []),
    memory(500, -512, 900 + i),
  ];
});

let harness, folder, trace;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-links-'));
  trace = join(folder, 'worker.pt.trace.json');
  writeFileSync(
    trace,
    JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA A100', totalGlobalMem: 1 << 30, computeMajor: 8 }],
      traceEvents: events,
    }),
  );
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const withPage = (...args) => harness.withPage(...args);

const names = (page, name) => cellsOf(grid(page, name), 'name').allTextContents();
/** A link of a row shows on hover; the keyboard and a click reach it anyway. */
const follow = (row, title) => row.getByTitle(title).first().click({ force: true });
const onTab = (page, tab) =>
  page.waitForFunction(
    (id) => document.querySelector(`#tab-${id}`)?.getAttribute('aria-selected') === 'true',
    tab,
  );

test('modules lead to their operators, and operators to their modules', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Modules');
    const row = grid(page, 'Modules').getByRole('row').filter({ hasText: 'Conv2d_0' });
    await follow(row, 'Show the operators inside Conv2d_0');
    await onTab(page, 'operators');
    await page.getByRole('group', { name: 'Trace' }).getByText('Inside Conv2d_0').waitFor();
    await profile.settled();
    assert.deepEqual(await names(page, 'Operators'), ['aten::conv2d']);
    assert.deepEqual(await axe(page), []);
    await page.getByRole('button', { name: 'Remove Inside Conv2d_0' }).click();
    await profile.settled();
    assert.deepEqual((await names(page, 'Operators')).sort(), ['aten::conv2d', 'aten::linear']);
    const linear = grid(page, 'Operators').getByRole('row').filter({ hasText: 'aten::linear' });
    await rowOpeners(linear).click();
    await page.getByRole('radio', { name: 'Modules' }).click();
    await follow(openedDetails(page), 'Show Linear_0 in Modules');
    await onTab(page, 'modules');
    await profile.settled();
    const shown = await firstCells(grid(page, 'Modules')).allTextContents();
    assert.deepEqual(
      shown.filter((text) => text.includes('_0')).map((text) => text.trim().split(' ')[0]),
      ['Linear_0'],
    );
  });
});

test('each row has a way to its slice, its code and other rows', async () => {
  await withPage(trace, {}, async (profile, page) => {
    const links = async (tab, table) => {
      await profile.view(tab);
      const cell = goToCells(grid(page, table)).first();
      return (await cell.getByRole('button').allTextContents()).sort();
    };
    const expect = {
      Operators: ['Operators', ['Code', 'Kernels', 'Timeline']],
      Kernels: ['Kernels', ['Code', 'Timeline']],
      Memory: ['Memory statistics', ['Code', 'Operator', 'Timeline']],
      Modules: ['Modules', ['Code', 'Operators', 'Timeline']],
      Stacks: ['Functions', ['Code', 'Lines', 'Timeline']],
      Lines: ['Lines', ['Code', 'Operators', 'Stacks', 'Timeline']],
    };
    for (const [tab, [table, buttons]] of Object.entries(expect)) {
      assert.deepEqual(await links(tab, table), buttons, tab);
    }
    await profile.view('Kernels');
    // The code is that of the row's own slice.
    const opened = await profile.sent('openSource', () =>
      follow(bodyRows(grid(page, 'Kernels')).first(), /^Open layers\.py/),
    );
    assert.deepEqual([opened.target.file, opened.target.line], ['layers.py', 20]);
    await page.getByRole('radio', { name: 'Memcpy / Memset' }).click();
    await profile.settled();
    assert.deepEqual(
      await goToCells(grid(page, 'Memcpy / Memset')).getByRole('button').allTextContents(),
      ['Timeline', 'Code'],
    );
    // What launched the copies.
    await rowOpeners(grid(page, 'Memcpy / Memset')).first().click();
    const detail = openedDetails(page);
    await detail.getByText('aten::conv2d').waitFor();
    await detail.getByRole('radio', { name: 'Modules' }).click();
    await detail.getByText('Linear_0').waitFor();
    await detail.getByRole('radio', { name: 'Lines' }).click();
    await detail.getByText('layers.py').first().waitFor();
    assert.deepEqual(await axe(page), []);
  });
});

test('opened rows are still open after another view', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Kernels');
    await rowOpeners(grid(page, 'Kernels')).first().click();
    await openedDetails(page).getByRole('table').waitFor();
    await profile.view('Operators');
    await profile.view('Kernels');
    await openedDetails(page).getByRole('table').waitFor();
  });
});

test('kernels that begin alike are told apart; hover and copies have the whole name', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await page.setViewportSize({ width: 1280, height: 700 });
    await profile.view('Kernels');
    const shown = await names(page, 'Kernels');
    assert.deepEqual(shown, [
      'vectorized_elementwise_kernel<\u2026FillFunctor\u2026>',
      'vectorized_elementwise_kernel<\u2026AddFunctor\u2026>',
    ]);
    const first = cellsOf(grid(page, 'Kernels'), 'name').first();
    assert.equal(await first.getAttribute('title'), kernels[0]);
    // Where there is no room for all of it, what tells the two apart is whole in sight.
    await page.setViewportSize({ width: 420, height: 700 });
    const drawn = first.locator('[data-fitted]');
    await drawn.waitFor();
    assert.match(await drawn.getAttribute('data-fitted'), /^vect\w*\u2026<FillFunctor>$/);
    await first.focus();
    const copied = await profile.sent('copy', () => page.keyboard.press('Control+c'));
    assert.ok(copied.text.startsWith(kernels[0]));
  });
});

test('allocations filter by their state', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Memory');
    await page.getByRole('radio', { name: 'Allocations' }).click();
    await profile.settled();
    const cells = () => cellsOf(grid(page, 'Memory events'), 'state').allTextContents();
    const all = (await cells()).sort();
    assert.deepEqual(all, ['open', 'release only', 'release only', 'released']);
    for (const [term, state] of [
      ['state=open', 'open'],
      ['state=released', 'released'],
      ['state="release only"', 'release only'],
    ]) {
      await page.locator('vscode-single-select').evaluateAll((selects, value) => {
        const select = selects.find((one) => one.label === 'State');
        select.value = value;
        select.dispatchEvent(new Event('change'));
      }, term);
      await page.waitForFunction(
        ([wanted, count]) => {
          const found = [...document.querySelectorAll('[role=gridcell][data-key=state]')];
          return (
            found.length === count && found.every((cell) => cell.textContent.trim() === wanted)
          );
        },
        [state, all.filter((one) => one === state).length],
      );
    }
    await page.getByRole('columnheader', { name: /^State/ }).click();
    await profile.settled();
  });
});

test('every table exports as CSV, Markdown and JSON', async () => {
  await withPage(trace, {}, async (profile, page) => {
    const forms = [
      ['Copy as CSV', (text) => text.includes(',') && text.includes('\r\n')],
      ['Copy as Markdown', (text) => text.startsWith('| ')],
      ['Copy as JSON', (text) => Array.isArray(JSON.parse(text)) && JSON.parse(text).length > 0],
    ];
    for (const tab of [
      'Overview',
      'Operators',
      'Kernels',
      'Memory',
      'Modules',
      'Stacks',
      'Lines',
    ]) {
      await profile.view(tab);
      // Charts have theirs behind their table twins.
      for (const twin of await page.getByRole('button', { name: / as table$/ }).all()) {
        await twin.click();
      }
      await profile.settled();
      const menus = page.getByRole('button', { name: 'Export', exact: true });
      const count = await menus.count();
      assert.ok(count > 0, tab);
      for (let i = 0; i < count; i++) {
        for (const [label, good] of forms) {
          await menus.nth(i).click();
          const items = page.getByRole('menuitem');
          assert.equal(await items.count(), 6, `${tab} ${i}`);
          const sent = await profile.sent('copy', () => items.getByText(label).click());
          assert.ok(good(sent.text), `${tab} ${i} ${label}: ${sent.text.slice(0, 80)}`);
        }
      }
    }
  });
});

test('times of the timeline are exported as numbers, their unit in the heading', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Timeline');
    await page.locator('canvas').first().waitFor();
    for (const [panel, wanted] of [
      ['Table', ['Start (ns)', 'Duration (ns)']],
      ['Idle time', ['Time (ns)']],
    ]) {
      await page.getByRole('radio', { name: panel, exact: true }).click();
      await timelinePanel(page).locator('tbody tr').first().waitFor();
      const { text } = await profile.sent('copy', async () => {
        await timelinePanel(page)
          .getByRole('button', { name: 'Export', exact: true })
          .first()
          .click();
        await page.getByRole('menuitem', { name: 'Copy as JSON' }).click();
      });
      const rows = JSON.parse(text);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        for (const title of wanted) assert.equal(typeof row[title], 'number', `${title}: ${text}`);
      }
    }
  });
});

test('every heading has a definition, and a row is copied with its line', async () => {
  await withPage(trace, {}, async (profile, page) => {
    for (const tab of ['Operators', 'Kernels', 'Memory', 'Modules', 'Stacks', 'Lines']) {
      await profile.view(tab);
      const bare = await page
        .locator('[role=columnheader]:not([title])')
        .filter({ hasNotText: 'Go to' })
        .allTextContents();
      assert.deepEqual(bare, [], tab);
    }
    await grid(page, 'Lines').locator('[role=gridcell][data-row="0"]').first().focus();
    const { text } = await profile.sent('copy', () => page.keyboard.press('Control+c'));
    const [file, line] = text.split('\t');
    assert.match(`${file}:${line}`, /^(layers|train)\.py:\d+$/);
  });
});

test('kernels are searched by their own name and by that of their operator', async () => {
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Kernels');
    await page.getByRole('radio', { name: 'By operator and launch config' }).click();
    await profile.settled();
    const rows = cellsOf(grid(page, 'Kernels'), 'operator');
    assert.deepEqual((await rows.allTextContents()).sort(), ['aten::conv2d', 'aten::linear']);
    const box = (name) => page.getByRole('textbox', { name, exact: true });
    await box('Filter operators').fill('conv');
    await page.getByText('1 of 2 rows').first().waitFor();
    await profile.settled();
    assert.deepEqual(await rows.allTextContents(), ['aten::conv2d']);
    await box('Filter kernels').fill('FillFunctor');
    await page.getByText('No matching rows.').waitFor();
    await box('Filter operators').fill('');
    await page.getByText('1 of 2 rows').first().waitFor();
    await profile.settled();
    assert.deepEqual(await rows.allTextContents(), ['aten::linear']);
    // Another grouping has no operators to search.
    await page.getByRole('radio', { name: 'Kernels', exact: true }).click();
    await profile.settled();
    assert.equal(await box('Filter operators').count(), 0);
  });
});

test('what a setting changes is asked again', async () => {
  await withPage(trace, {}, async (profile) => {
    await profile.view('Kernels');
    const asked = () => profile.messages.filter(({ method }) => method === 'view/kernels').length;
    const before = asked();
    await profile.view('Operators');
    await profile.view('Kernels');
    assert.equal(asked(), before, 'an answer is kept');
    await profile.send({ type: 'refresh' });
    await profile.settled();
    const end = Date.now() + 60_000;
    while (asked() === before && Date.now() < end) await new Promise((r) => setTimeout(r, 20));
    assert.ok(asked() > before);
    await profile.settled();
  });
});
