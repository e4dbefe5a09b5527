// Generated traces of every kind of device and recorder: each view opens, says nothing false, and
// shows the command line's figures. The selectors choose among runs, workers and steps.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { traceText } from '../generator/generate.mjs';
import { slice } from '../lib/trace_events.mjs';
import { Harness, axe, commandLine, patience } from './harness.mjs';
import {
  factOf,
  failures,
  goToCells,
  gridOf,
  openedDetails,
  rowCounts,
  rowOpeners,
} from '../lib/roles.mjs';

let harness;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-devices-'));
  harness = await Harness.start();
});
after(async () => {
  await harness?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function generated(dialect, seed = 1, name = dialect) {
  const file = join(folder, `${name}.pt.trace.json`);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, traceText({ dialect, events: 4000, seed }).text);
  return file;
}

const withPage = (...args) => harness.withPage(...args);

const values = (page, grid, key) =>
  page
    .locator(`[role$=grid][aria-label="${grid}"] [role=gridcell][data-key="${key}"]`)
    .evaluateAll((cells) => cells.map((cell) => Number(cell.dataset.value)));

const lightning = {
  schemaVersion: 1,
  Framework: 'pytorch-lightning',
  traceEvents: [0, 1].flatMap((step) => {
    const at = 1000 + 1000 * step;
    const annotation = (name, ts, dur) => slice('user_annotation', name, at + ts, dur);
    return [
      annotation(`ProfilerStep#${step + 1}`, 0, 990),
      annotation('[pl][profile][Strategy]SingleDeviceStrategy.training_step', 10, 500),
      annotation('[pl][module]model.Net: net', 20, 400),
      annotation('[pl][module]torch.nn.modules.linear.Linear: net.first', 30, 100),
      slice('cpu_op', 'aten::linear', at + 40, 80),
      annotation('[pl][profile][Strategy]SingleDeviceStrategy.backward', 520, 300),
    ];
  }),
};

const kinds = [
  ['torch-1.8', 'dark'],
  ['torch-2.13', 'hc-light'],
  ['nccl', 'light'],
  ['rocm', 'hc-dark'],
  ['xpu', 'light'],
  ['gpu-only', 'dark'],
  ['bare-array', 'light'],
];

for (const [dialect, theme] of kinds) {
  test(`every view of a ${dialect} trace opens and is accessible (${theme})`, async () => {
    await withPage(generated(dialect), { theme }, async (profile, page) => {
      const found = [];
      for (const tab of await page.getByRole('tab', { includeHidden: true }).allTextContents()) {
        await profile.view(tab);
        assert.equal(await failures(page).count(), 0, `${tab} failed`);
        for (const finding of await axe(page)) found.push(`${tab}: ${finding}`);
      }
      assert.deepEqual(found, []);
    });
  });
}

test('Lightning shows modules and hooks', async () => {
  const file = join(folder, 'lightning.pt.trace.json');
  writeFileSync(file, JSON.stringify(lightning));
  await withPage(file, {}, async (profile, page) => {
    await profile.view('Lightning');
    await page.getByRole('treegrid', { name: 'Lightning hooks' }).waitFor();
    assert.deepEqual(await values(page, 'Lightning hooks', 'hostTotalUs'), [1000, 600]);
    await page.getByRole('radio', { name: 'Modules' }).click();
    const tree = page.getByRole('treegrid', { name: 'Lightning modules' });
    await tree.waitFor();
    assert.deepEqual(await values(page, 'Lightning modules', 'hostTotalUs'), [800, 200]);
    // The tree closes and opens by keyboard.
    await tree.locator('[data-line="0"]').focus();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.querySelectorAll('[data-line]').length === 1);
    // A tree opens by itself once; after that it stays as it was left.
    await profile.view('Overview');
    await profile.view('Lightning');
    await tree.waitFor();
    assert.equal(await page.locator('[data-line]').count(), 1);
    await tree.locator('[data-line="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelectorAll('[data-line]').length === 2);
    assert.deepEqual(await axe(page), []);
  });
});

test('kernels agree with the command line in both groupings, and lead to operators', async () => {
  const trace = generated('torch-2.13', 7, 'kernels');
  const byName = commandLine('kernels', trace, ['--sort', '-totalUs']);
  const byLaunch = commandLine('kernels', trace, [
    '--sort',
    '-totalUs',
    '--group-by',
    'properties',
  ]);
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Kernels');
    const totals = (count) => values(page, 'Kernels', 'totalUs').then((all) => all.slice(0, count));
    const expect = (table) => table.rows.slice(0, 8).map((row) => row.totalUs);
    assert.deepEqual(await totals(expect(byName).length), expect(byName));
    await page.getByRole('radio', { name: 'By operator and launch config' }).click();
    await page.waitForFunction(
      (rows) =>
        document
          .querySelector('[aria-label=Kernels][role$=grid]')
          ?.getAttribute('aria-rowcount') === String(rows + 1),
      byLaunch.rows.length,
    );
    await profile.settled();
    assert.deepEqual(await totals(expect(byLaunch).length), expect(byLaunch));
    // An order that the other grouping does not have gives way to the usual one.
    await page.getByRole('columnheader', { name: /^Grid/ }).click();
    await profile.settled();
    await page.getByRole('radio', { name: 'Kernels', exact: true }).click();
    await page.waitForFunction(
      () =>
        document
          .querySelector('[aria-label=Kernels] [role=columnheader][data-key=totalUs]')
          ?.getAttribute('aria-sort') === 'descending',
    );
    await profile.settled();
    assert.equal(await failures(page).count(), 0);
    assert.deepEqual(await totals(expect(byName).length), expect(byName));
    await page.getByRole('radio', { name: 'By operator and launch config' }).click();
    await page.waitForSelector('[aria-label=Kernels] [role=columnheader][data-key=grid]');
    await profile.settled();
    await rowOpeners(gridOf(page, 'Kernels')).first().click();
    await openedDetails(page).getByRole('table').waitFor();
    await openedDetails(page)
      .getByTitle(/in Operators$/)
      .first()
      .click();
    await page.waitForFunction(
      () => document.querySelector('#tab-operators')?.getAttribute('aria-selected') === 'true',
    );
    await rowCounts(page).filter({ hasText: ' of ' }).waitFor();
  });
});

test('a range of memory holds for the tables, and Escape takes it back', async () => {
  const trace = generated('torch-2.13', 3, 'memory');
  await withPage(trace, {}, async (profile, page) => {
    await profile.view('Memory');
    const requested = () =>
      profile.messages.filter((message) => message.method === 'view/memoryStatistics').at(-1)
        .params;
    assert.equal(requested().startNs, undefined);
    const rowCount = () =>
      page.locator('[aria-label="Memory statistics"]').getAttribute('aria-rowcount');
    const whole = await rowCount();
    const curve = page.getByRole('application', { name: /Plus and minus zoom/ });
    const plot = curve.locator('canvas');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 8 });
    await page.mouse.up();
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
    await profile.settled();
    const range = requested();
    assert.ok(range.endNs > range.startNs && range.startNs > 0);
    await curve.focus();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' });
    await profile.settled();
    assert.equal(await rowCount(), whole);
    await page.getByText('Drag over the curve to select a range.').waitFor();
  });
});

test('runs, workers and ranges of steps are chosen at the top', async () => {
  const log = join(folder, 'log');
  generated('torch-2.8', 1, 'log/first/worker0');
  generated('torch-2.8', 2, 'log/first/worker1');
  generated('nccl', 3, 'log/second/worker0');
  const second = commandLine('operators', log, ['--run', 'second', '--sort', '-hostSelfUs']);
  await withPage(log, {}, async (profile, page) => {
    const labels = () =>
      page
        .getByRole('group', { name: 'Selection', exact: true })
        .locator('vscode-single-select')
        .evaluateAll((all) => all.map((x) => x.label));
    const shown = async (wanted) => {
      const end = Date.now() + patience;
      while ((await labels()).join() !== wanted.join()) {
        assert.ok(Date.now() < end, (await labels()).join());
      }
    };
    await shown(['Run', 'Worker', 'Steps']);
    await profile.choose('Run', 'second');
    await shown(['Run', 'Steps']);
    await profile.view('Operators');
    await page.getByRole('columnheader', { name: /^Host self/ }).click();
    await profile.settled();
    assert.deepEqual(
      (await values(page, 'Operators', 'hostSelfUs')).slice(0, 6),
      second.rows.slice(0, 6).map((row) => row.hostSelfUs),
    );
    await profile.choose('Steps', 'range');
    await page.getByRole('button', { name: 'Whole trace' }).waitFor();
    await profile.settled();
    const asked = profile.messages.filter((message) => message.method === 'view/operators').at(-1);
    assert.match(asked.params.steps, /^\d+-\d+$/);
    assert.equal(asked.params.run, 'second');
    await page.getByRole('button', { name: 'Whole trace' }).click();
    await profile.settled();
  });
});

test('what was chosen in one run gives way in another that does not have it (B35)', async () => {
  const record = (device, ts) => ({
    ph: 'i',
    s: 't',
    name: '[memory]',
    pid: 1,
    tid: 1,
    ts,
    args: {
      'Device Type': 1,
      'Device Id': device,
      Addr: 64 + ts,
      Bytes: 1024 - 512 * device,
      'Total Allocated': 1024 - 512 * device,
      'Total Reserved': 4096,
    },
  });
  const frame = (name, ts, dur) => ({
    ph: 'X',
    cat: 'python_function',
    name,
    pid: 1,
    tid: 1,
    ts,
    dur,
    args: {},
  });
  const log = join(folder, 'runs');
  for (const [run, devices] of [
    ['first', [0, 1]],
    ['second', [0]],
  ]) {
    mkdirSync(join(log, run), { recursive: true });
    const traceEvents = [
      frame(`${run}.py(1): main`, 0, 1000),
      frame(`${run}.py(9): work`, 100, 400),
      ...devices.map((device) => record(device, 200 + device)),
    ];
    writeFileSync(join(log, run, 'w.pt.trace.json'), JSON.stringify({ traceEvents }));
  }
  await withPage(log, {}, async (profile, page) => {
    const heading = (text) => page.getByRole('heading', { name: text, exact: true }).waitFor();
    await profile.view('Memory');
    await heading('Memory of GPU 0');
    await profile.choose('Device', 'GPU 1');
    await heading('Memory of GPU 1');
    await profile.choose('Run', 'second');
    await heading('Memory of GPU 0');
    assert.equal(await failures(page).count(), 0);
    await profile.choose('Run', 'first');
    await profile.settled();
    assert.equal(await failures(page).count(), 0);
  });
});

test('a share is unknown where no name of a kernel says anything', async () => {
  const kernel = (name, ts) => ({
    ...slice('kernel', name, ts, 100),
    pid: 0,
    tid: 7,
    args: { device: 0, stream: 7 },
  });
  const written = (name, kernels) => {
    const file = join(folder, `${name}.pt.trace.json`);
    const deviceProperties = [{ id: 0, name: 'NVIDIA H100 80GB HBM3', numSms: 132 }];
    const host = slice('cpu_op', 'aten::mm', 0, 900);
    writeFileSync(
      file,
      JSON.stringify({ schemaVersion: 1, deviceProperties, traceEvents: [host, ...kernels] }),
    );
    return file;
  };
  const share = (file) =>
    harness.open(file).then(async (profile) => {
      const text = await factOf(profile.page, 'Tensor core share').innerText();
      await profile.close();
      return text;
    });
  const unnamed = [kernel('triton__0d1d2d', 100), kernel('triton__0d1d2d', 300)];
  assert.match(await share(written('unnamed', unnamed)), /unknown$/);
  const half = [unnamed[0], kernel('ampere_bf16_s16816gemm_bf16_128x128', 300)];
  assert.match(await share(written('half', half)), /50\.0 % \(50\.0 % unknown\)$/);
});

test('without steps the breakdown says which part of the recording its time covers', async () => {
  const written = (name, more) => {
    const file = join(folder, `${name}.pt.trace.json`);
    const traceEvents = [slice('cpu_op', 'aten::mm', 100, 900), ...more];
    writeFileSync(file, JSON.stringify({ schemaVersion: 1, traceEvents }));
    return file;
  };
  const rows = (page) => page.getByRole('region', { name: 'Average step time' }).locator('tbody');
  const covers =
    /Time counts from the first operation to the last: 900\sµs of the 1\.90\sms recorded/;
  const longer = written('longer', [slice('python_function', 'train.py(1): main', 0, 1900)]);
  await withPage(longer, {}, async (profile, page) => {
    await page.getByText(covers).waitFor();
    assert.match(await rows(page).innerText(), /^First to last operation\s+900 µs/);
  });
  await withPage(written('equal', []), {}, async (profile, page) => {
    await rows(page).getByText('Whole trace').waitFor();
    assert.equal(await page.getByText(covers).count(), 0);
  });
});

test('a cell of an unknown share says why, and its color is that of the strip', async () => {
  const launched = (name, id, ts) => [
    { ...slice('cuda_runtime', 'cudaLaunchKernel', ts, 2), args: { correlation: id } },
    {
      ...slice('kernel', name, ts + 5, 100),
      pid: 0,
      tid: 7,
      args: { device: 0, stream: 7, correlation: id },
    },
  ];
  const file = join(folder, 'own-unknown.pt.trace.json');
  writeFileSync(
    file,
    JSON.stringify({
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA H100 80GB HBM3', numSms: 132 }],
      traceEvents: [
        slice('cpu_op', 'aten::linear', 0, 900),
        slice('cpu_op', 'aten::addmm', 10, 90),
        ...launched('ampere_bf16_s16816gemm_bf16_128x128', 1, 20),
        ...launched('fused_thing', 2, 400),
      ],
    }),
  );
  await withPage(file, {}, async (profile, page) => {
    await profile.view('Operators');
    const cell = (row, key) =>
      gridOf(page, 'Operators')
        .getByRole('row', { name: row })
        .locator(`[role=gridcell][data-key=${key}]`);
    assert.equal(await cell('aten::linear', 'tensorCoreSelf').innerText(), '\u2013');
    assert.match(
      await cell('aten::linear', 'tensorCoreSelf').getAttribute('title'),
      /kernel names do not say/,
    );
    assert.equal(await cell('aten::linear', 'tensorCoreTotal').innerText(), '50.0 %');
    assert.equal(await cell('aten::addmm', 'tensorCoreSelf').innerText(), '100 %');
    await profile.view('Kernels');
    const colors = (rows) =>
      rows.evaluateAll((all) =>
        all.map((one) => [
          one.innerText.trim().split(/\s/)[0],
          one.querySelector('rect').getAttribute('fill'),
        ]),
      );
    const cells = await colors(
      gridOf(page, 'Kernels').locator('[role=gridcell][data-key=usesTensorCores]'),
    );
    const legend = new Map(
      await colors(page.getByRole('listitem').filter({ hasText: /^(Using|Unk)/ })),
    );
    assert.deepEqual(
      new Map(cells),
      new Map([
        ['Yes', legend.get('Using')],
        ['Unknown', legend.get('Unknown')],
      ]),
    );
  });
});

test('what a row of a tree leads to is not cut off', async () => {
  await withPage(generated('torch-2.13', 3, 'tree'), {}, async (profile, page) => {
    await profile.view('Modules');
    const grid = page.getByRole('treegrid', { name: 'Modules' });
    await goToCells(grid).first().getByRole('button').nth(1).waitFor();
    const cut = await goToCells(grid).evaluateAll(
      (cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length,
    );
    assert.equal(cut, 0);
  });
});
