// What every level of a comparison says alike: how far its differences are beyond noise, and what
// stands in the place of something else.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { emberline } from '../lib/cli.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { layer, plainLayers, trainingTrace } from '../lib/training_trace.mjs';
import { daemonOfFile } from './daemon.mjs';

const { folder, daemon } = daemonOfFile('compare-levels');
const allReduce = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
const allGather = 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)';

let files = 0;

/** Each operator allocates on the GPU at its begin: as many bytes as `bytesOf` says. */
function withMemory(text, bytesOf) {
  const trace = JSON.parse(text);
  let total = 0;
  trace.traceEvents.push(
    ...trace.traceEvents
      .filter(({ cat }) => cat === 'cpu_op')
      .map(({ name, pid, tid, ts }, index) => {
        const bytes = bytesOf(name);
        total += bytes;
        const args = {
          'Device Type': 1,
          'Device Id': 0,
          Addr: 4096 * (index + 1),
          Bytes: bytes,
          'Total Allocated': total,
          'Total Reserved': total,
        };
        return {
          ph: 'i',
          s: 't',
          cat: 'cpu_instant_event',
          name: '[memory]',
          pid,
          tid,
          ts: ts + 1,
          args,
        };
      }),
  );
  return JSON.stringify(trace);
}

/** Opens a trace in which each kernel, step and allocation takes a little more or less each time. */
async function drawn({
  seed,
  layers = plainLayers,
  steps = 8,
  mib = 1,
  changed = (text) => text,
  ...options
}) {
  const next = randomNumbers(seed);
  const jitter = () => Math.floor(next() * 5);
  const jittered = (step) =>
    layers(step).map(({ module, op, kernels }) =>
      layer(
        module,
        op,
        Object.fromEntries(Object.entries(kernels).map(([name, us]) => [name, us + jitter()])),
      ),
    );
  const extraUs = (step) => 10 + jitter() + (options.extraUs?.(step) ?? 0);
  const text = withMemory(
    trainingTrace({ ...options, steps, layers: jittered, extraUs }),
    (name) => (name === 'aten::relu' ? mib : 1) * 1_048_576 + 512 * jitter(),
  );
  const path = join(folder, `trace-${files++}.pt.trace.json`);
  writeFileSync(path, changed(text));
  const { profileId } = await daemon.request('profile/open', { path });
  return { profileId, path };
}

const table = (by, { profileId: baseline }, { profileId: candidate }, more = {}) =>
  daemon.request('compare/table', {
    baseline: { profileId: baseline },
    candidate: { profileId: candidate },
    by,
    limit: -1,
    ...more,
  });
const rowsOf = async (...args) => (await table(...args)).rows;

const slowRelu = (extra) => () => [
  ...plainLayers().map((one) =>
    one.op === 'aten::relu' ? layer(one.module, one.op, { relu_kernel: 10 + extra }) : one,
  ),
  layer('DDP_0', 'c10d::allreduce_', { [allReduce]: 100 + extra, [allGather]: 40 }),
];

for (const [by, more, key, changed] of [
  ['modules', {}, 'noiseUs', /ReLU_0|DDP_0/],
  ['modules', { time: 'host' }, 'noiseUs', /ReLU_0|DDP_0/],
  ['communication', {}, 'noiseUs', /reduce/i],
  ['operators', {}, 'noiseUs', /relu|allreduce/],
  ['operatorShapes', {}, 'noiseUs', /relu|allreduce/],
  ['memory', {}, 'noiseBytes', /relu/],
]) {
  test(`by ${by} ${JSON.stringify(more)}, only what is beyond noise is said to have changed`, async () => {
    const baseline = await drawn({ seed: 60, layers: slowRelu(0) });
    const candidate = await drawn({ seed: 61, layers: slowRelu(60), mib: 3 });
    const rows = await rowsOf(by, baseline, candidate, more);
    assert.ok(rows.length > 1);
    for (const row of rows) {
      assert.ok(row[key] > 0, `${row.name}: ${row[key]}`);
      assert.equal(row.beyondNoise, changed.test(row.name), row.name);
    }
    const back = await rowsOf(by, candidate, baseline, more);
    const noise = (all) =>
      all.map((row) => [row.name, row[key].toFixed(6), row.beyondNoise]).sort();
    assert.deepEqual(noise(back), noise(rows));
    // Nothing is known of one step.
    const one = await rowsOf(
      by,
      await drawn({ seed: 3, layers: slowRelu(0), steps: 1 }),
      await drawn({ seed: 4, layers: slowRelu(60), steps: 1, mib: 3 }),
      more,
    );
    for (const row of one) assert.deepEqual([row[key], row.beyondNoise], [null, null], row.name);
  });
}

test('a step is beyond noise where it differs by more than steps differ from each other', async () => {
  const baseline = await drawn({ seed: 5 });
  const slow = await drawn({ seed: 6, extraUs: (step) => (step === 5 ? 400 : 0) });
  const rows = await rowsOf('steps', baseline, slow, { time: 'host' });
  assert.equal(rows.length, 8);
  assert.match(rows[0].name, /#6$/);
  assert.deepEqual(
    rows.map(({ beyondNoise }) => beyondNoise),
    rows.map((_, i) => i === 0),
  );
  const all = await drawn({ seed: 7, extraUs: () => 400 });
  for (const row of await rowsOf('steps', baseline, all, { time: 'host' })) {
    assert.equal(row.beyondNoise, true, row.name);
  }
  for (const row of await rowsOf('steps', slow, slow, { time: 'host' })) {
    assert.deepEqual([row.deltaUs, row.beyondNoise], [0, false], row.name);
  }
  // One that only one side has is new, whatever the others vary by.
  const longer = await drawn({ seed: 8, steps: 9 });
  const added = (await rowsOf('steps', baseline, longer)).filter(({ status }) => status === 'new');
  assert.deepEqual(
    added.map(({ noiseUs, beyondNoise }) => [noiseUs, beyondNoise]),
    [[null, null]],
  );
  const [single] = await rowsOf(
    'steps',
    await drawn({ seed: 9, steps: 1 }),
    await drawn({ seed: 10, steps: 1 }),
  );
  assert.deepEqual([single.noiseUs, single.beyondNoise], [null, null]);
});

test('nothing is known of the noise of what ran outside the steps', async () => {
  /** Adds an operator in front of the first step. */
  const withSetup = (dur) => (text) => {
    const trace = JSON.parse(text);
    const first = Math.min(...trace.traceEvents.flatMap(({ ph, ts }) => (ph === 'X' ? [ts] : [])));
    const { pid, tid } = trace.traceEvents.find(({ cat }) => cat === 'cpu_op');
    const setup = {
      ph: 'X',
      cat: 'cpu_op',
      name: 'aten::setup',
      pid,
      tid,
      ts: first - 90_000,
      dur,
    };
    trace.traceEvents.push(setup);
    return JSON.stringify(trace);
  };
  const extraUs = () => 400;
  const baseline = await drawn({ seed: 15, changed: withSetup(100) });
  const candidate = await drawn({ seed: 16, extraUs, changed: withSetup(80_000) });
  const rows = await rowsOf('operators', baseline, candidate, { time: 'host' });
  const setup = rows.find(({ name }) => name === 'aten::setup');
  assert.equal(setup.deltaUs, 79_900);
  assert.deepEqual([setup.noiseUs, setup.beyondNoise], [null, null]);
  // It is no reason why steps take longer, however much it grew.
  const { verdict } = await daemon.request('compare/verdict', {
    baseline,
    candidate,
    time: 'host',
  });
  assert.equal(verdict.beyondNoise, true);
  assert.doesNotMatch(verdict.text, /setup/);
});

/** Status of the rows whose names match, by name. */
async function statusOf(by, baseline, candidate, name) {
  const rows = await rowsOf(by, baseline, candidate);
  const found = rows.filter((row) => name.test(`${row.name} ${row.function ?? ''}`));
  assert.ok(found.length > 0, `${by}: ${rows.map((row) => row.name).join()}`);
  return [...new Set(found.map(({ status }) => status))];
}

/** What became of the parts of the first step, in any of its levels, whose name on `side` matches. */
async function itemsNamed(baseline, candidate, side, name) {
  const found = new Map();
  const ask = (method, params) =>
    daemon.request(method, {
      baseline: { profileId: baseline.profileId },
      candidate: { profileId: candidate.profileId },
      ...params,
    });
  const look = async (path) => {
    const { children } = await ask('compare/tree', { path });
    for (const item of children) {
      if (name.test(item[side]?.name ?? '')) {
        const { status, elsewhere } = item;
        found.set(`${status} ${elsewhere}`, { status, elsewhere });
        // Its slice on the timelines has had the same fate.
        const match = await ask('compare/slice', { side, slice: item[side].slice });
        assert.deepEqual([match.status, match.elsewhere], [status, elsewhere], item[side].name);
      }
      if (item.hasChildren) await look(`${path === '' ? '' : `${path}.`}${item.position}`);
    }
  };
  await look('');
  return [...found.values()];
}

const fusedLevels = [
  ['operators', /addmm$|layer_norm/],
  ['operatorShapes', /layer_norm/],
  ['kernels', /layer_norm/],
  ['memory', /layer_norm/],
  ['modules', /Linear_1|LayerNorm_0|Fused_0/],
];

test('what was fused is replaced at every level', async () => {
  const fused = layer('Fused_0', 'fused_addmm_layer_norm', { triton_fused_addmm_layer_norm: 70 });
  const rest = plainLayers().filter(({ module }) => !/Linear_|LayerNorm_0/.test(module));
  const plain = plainLayers().filter(({ module }) => module !== 'Linear_0');
  const baseline = await drawn({ seed: 11, layers: () => plain });
  const candidate = await drawn({ seed: 12, layers: () => [...rest, fused] });
  for (const [by, name] of fusedLevels) {
    assert.deepEqual(await statusOf(by, baseline, candidate, name), ['replaced'], by);
    assert.deepEqual(await statusOf(by, candidate, baseline, name), ['replaced'], `${by}, back`);
  }
});

test('what was fused with something elsewhere is replaced by what is named after it', async () => {
  // The embedding and the activation stay between: nothing stands at the place of the norm itself.
  const fused = layer('Linear_0', 'fused_addmm_layer_norm', {
    triton_fused_addmm_native_layer_norm: 90,
  });
  const baseline = await drawn({ seed: 13 });
  const candidate = await drawn({
    seed: 14,
    layers: () =>
      plainLayers()
        .filter(({ module }) => module !== 'LayerNorm_0')
        .map((one) => (one.module === 'Linear_0' ? fused : one)),
  });
  for (const by of ['operators', 'kernels', 'memory', 'modules']) {
    const name = /layer_?norm/i;
    assert.deepEqual(await statusOf(by, baseline, candidate, name), ['replaced'], by);
    assert.deepEqual(await statusOf(by, candidate, baseline, name), ['replaced'], `${by}, back`);
  }
  // The execution says so too, and by what.
  assert.deepEqual(await itemsNamed(baseline, candidate, 'baseline', /LayerNorm_0/), [
    { status: 'replaced', elsewhere: 'fused_addmm_layer_norm' },
  ]);
  assert.deepEqual(await itemsNamed(candidate, baseline, 'candidate', /LayerNorm_0/), [
    { status: 'replaced', elsewhere: 'fused_addmm_layer_norm' },
  ]);
  // What nothing is named after is gone.
  const removed = await drawn({
    seed: 15,
    layers: () =>
      plainLayers()
        .filter(({ module }) => module !== 'LayerNorm_0')
        .map((one) =>
          one.module === 'Linear_0'
            ? layer('Linear_0', 'fused_addmm_gelu', { triton_fused_addmm_gelu: 90 })
            : one,
        ),
  });
  for (const by of ['operators', 'kernels', 'modules']) {
    const name = /layer_?norm/i;
    assert.deepEqual(await statusOf(by, baseline, removed, name), ['gone'], by);
  }
  assert.deepEqual(await itemsNamed(baseline, removed, 'baseline', /LayerNorm_0/), [
    { status: 'gone', elsewhere: null },
  ]);
});

test('a fused operator that stands at no place of what it is made of replaces it', async () => {
  // The first layer of all, before one that stays: what it is made of went from places behind it.
  const fused = layer('Fused_0', 'fused_addmm_layer_norm', { triton_fused_addmm_layer_norm: 70 });
  const baseline = await drawn({ seed: 16 });
  const candidate = await drawn({
    seed: 17,
    layers: () => [
      fused,
      ...plainLayers().filter(({ module }) => !/Linear_0|LayerNorm_0/.test(module)),
    ],
  });
  const made = { status: 'replaced', elsewhere: 'aten::addmm + aten::layer_norm' };
  assert.deepEqual(await itemsNamed(baseline, candidate, 'candidate', /Fused_0/), [made]);
  assert.deepEqual(await itemsNamed(candidate, baseline, 'baseline', /Fused_0/), [made]);
  assert.deepEqual(await statusOf('modules', baseline, candidate, /Fused_0/), ['replaced']);
});

/** Kernels that a layer's module launched itself, outside of every operator. */
const byModules = (text) => {
  const trace = JSON.parse(text);
  return JSON.stringify({
    ...trace,
    traceEvents: trace.traceEvents.filter(({ cat }) => cat !== 'cpu_op'),
  });
};

test('kernels that a module launched itself are replaced by others of its own', async () => {
  const baseline = await drawn({ seed: 22, changed: byModules });
  const candidate = await drawn({
    seed: 23,
    changed: byModules,
    layers: () =>
      plainLayers().map((one) =>
        one.module === 'Linear_0' ? layer('Linear_0', one.op, { hgemm_128x64: 20 }) : one,
      ),
  });
  for (const [a, b] of [
    [baseline, candidate],
    [candidate, baseline],
  ]) {
    assert.deepEqual(await statusOf('kernels', a, b, /[sh]gemm_128x64/), ['replaced']);
  }
});

test('a kernel that an operator launches beside those of before is new', async () => {
  const with2 = (kernels) => () =>
    plainLayers().map((one) =>
      one.module === 'Linear_0' ? layer('Linear_0', one.op, { sgemm_128x64: 80, ...kernels }) : one,
    );
  const baseline = await drawn({ seed: 24 });
  const more = await drawn({ seed: 25, layers: with2({ splitk_reduce: 12 }) });
  assert.deepEqual(await statusOf('kernels', baseline, more, /splitk/), ['new']);
  assert.deepEqual(await statusOf('kernels', more, baseline, /splitk/), ['gone']);
});

test('differences have their sign wherever people read them, and are numbers elsewhere', async () => {
  const baseline = await drawn({ seed: 16, layers: slowRelu(0) });
  const candidate = await drawn({ seed: 17, layers: slowRelu(60), mib: 3 });
  for (const [by, name] of [
    ['kernels', 'relu_kernel'],
    ['operators', 'aten::relu'],
    ['modules', 'ReLU_0'],
    ['memory', 'aten::relu'],
    ['communication', 'allReduce'],
  ]) {
    for (const format of ['table', 'markdown']) {
      const { stdout } = await emberline([
        ...['diff', baseline.path, candidate.path, '--by', by, '--format', format],
      ]);
      const line = stdout.split('\n').find((one) => one.replaceAll('\\', '').includes(name));
      assert.match(
        line,
        /both.* \+[\d.,]+ (ns|µs|ms|B|KiB|MiB|s) .*\+[\d.,]+ %/,
        `${by}: ${stdout}`,
      );
    }
    const { stdout } = await emberline([
      ...['diff', baseline.path, candidate.path, '--by', by, '--format', 'csv'],
    ]);
    assert.doesNotMatch(stdout, /,'?\+\d/, by);
  }
});

const notesOf = async ({ profileId: baseline }, { profileId: candidate }) => {
  const sides = { baseline: { profileId: baseline }, candidate: { profileId: candidate } };
  return (await daemon.request('compare/verdict', sides)).notes.join('\n');
};

test('another size in one operator of many is not another batch', async () => {
  const layers = () => Array.from({ length: 10 }, plainLayers).flat();
  const withRows = (rowsOf) => (text) => {
    const trace = JSON.parse(text);
    const operators = trace.traceEvents.filter(({ cat }) => cat === 'cpu_op');
    operators.forEach((event, index) => {
      event.args = { ...event.args, 'Input Dims': [[rowsOf(index % 50), 64], [8]] };
    });
    return JSON.stringify(trace);
  };
  const baseline = await drawn({ seed: 30, layers, changed: withRows(() => 32) });
  const table = await drawn({
    seed: 31,
    layers,
    changed: withRows((place) => (place === 0 ? 512 : 32)),
  });
  const batch = await drawn({ seed: 32, layers, changed: withRows(() => 64) });
  assert.doesNotMatch(await notesOf(baseline, table), /batch/);
  assert.match(await notesOf(baseline, batch), /batch sizes differ: .* 32 and 64\./);
});

test('two ranks are said to be ranks, not devices that differ by their numbers', async () => {
  const ofRank = (rank) => (text) => {
    const trace = JSON.parse(text);
    for (const event of trace.traceEvents) {
      if (event.cat === 'kernel') event.args = { ...event.args, device: rank };
    }
    return JSON.stringify({
      ...trace,
      distributedInfo: { backend: 'nccl', rank, world_size: 8 },
    });
  };
  const baseline = await drawn({ seed: 33, changed: ofRank(1) });
  const candidate = await drawn({ seed: 34, changed: ofRank(5) });
  const notes = await notesOf(baseline, candidate);
  assert.match(notes, /different ranks, 1 and 5,/);
  assert.doesNotMatch(notes, /devices/);
  assert.doesNotMatch(await notesOf(baseline, baseline), /ranks/);
});
