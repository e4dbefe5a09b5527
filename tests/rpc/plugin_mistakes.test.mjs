// Small traces on which the TensorBoard plugin fails or misleads (tests/oracles/README.md): each
// opens, every view answers, and the figure that the plugin got wrong is right.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { slice } from '../lib/trace_events.mjs';
import { plainMethods, startDaemon } from './daemon.mjs';

let folder, daemon;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-mistakes-'));
  daemon = startDaemon();
  await daemon.initialize();
});
after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

const op = (name, ts, dur, args, more) => slice('cpu_op', name, ts, dur, args, more);
const step = (number, ts, dur) => slice('user_annotation', `ProfilerStep#${number}`, ts, dur);
const launch = (correlation, ts, dur = 2) =>
  slice('cuda_runtime', 'cudaLaunchKernel', ts, dur, { correlation });
const kernel = (name, correlation, ts, dur, args = { device: 0, stream: 7 }, more = {}) =>
  slice('kernel', name, ts, dur, { correlation, ...args }, { pid: 0, tid: 7, ...more });
const record = (ts, bytes, args = {}) => ({
  ph: 'i',
  s: 't',
  name: '[memory]',
  cat: 'cpu_instant_event',
  pid: 1,
  tid: 1,
  ts,
  args: {
    'Device Type': 1,
    'Device Id': 0,
    Addr: 4096 + ts,
    Bytes: bytes,
    'Total Allocated': 5000 + bytes,
    'Total Reserved': 8192,
    ...args,
  },
});
const instant = (name, ts) => ({ ph: 'i', s: 'g', name, pid: '', tid: '', ts });
const flow = (ph, id, ts, tid) => ({
  ph,
  id,
  pid: 1,
  tid,
  ts,
  cat: 'fwdbwd',
  name: 'fwdbwd',
  ...(ph === 'f' ? { bp: 'e' } : {}),
});

function write(name, text) {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const device = (id = 0) => ({
  id,
  name: `Device ${id}`,
  totalGlobalMem: 10000,
  computeMajor: 8,
  computeMinor: 0,
  warpSize: 32,
});

let files = 0;
/** Opens a drawn trace, asks every view once, and gives a way to ask further. */
async function opened(events, header = { deviceProperties: [device()] }) {
  const text =
    typeof events === 'string'
      ? events
      : JSON.stringify({ schemaVersion: 1, ...header, traceEvents: events });
  const path = write(`trace${files++}.pt.trace.json`, text);
  const { profileId } = await daemon.request('profile/open', { path });
  for (const method of plainMethods) await daemon.request(method, { profileId });
  const ask = (method, params = {}) => daemon.request(method, { profileId, ...params });
  return { ask, all: (method, params) => ask(method, { limit: -1, ...params }) };
}

const named = (rows, name) => rows.find((row) => row.name === name || row.operator === name);

test('B9: of two nested operators that start together one has the backward work', async () => {
  const { all } = await opened([
    slice('python_function', 'nn.Module: Net_0', 0, 100, { 'Python id': 1 }),
    op('aten::linear', 10, 40),
    op('aten::addmm', 10, 30),
    op('autograd::engine::evaluate_function: AddmmBackward0', 200, 20, {}, { tid: 2 }),
    slice('cuda_runtime', 'cudaLaunchKernel', 205, 2, { correlation: 9 }, { tid: 2 }),
    kernel('k', 9, 210, 7),
    flow('s', 1, 10, 1),
    flow('f', 1, 200, 2),
  ]);
  const { modules } = await all('view/modules');
  assert.equal(modules[0].backwardHostUs, 20);
  assert.equal(modules[0].backwardDeviceTotalUs, 7);
});

test('B10: two links into one backward operator, and a first one that accumulates', async () => {
  const { all } = await opened([
    slice('python_function', 'nn.Module: Net_0', 0, 100, { 'Python id': 1 }),
    op('aten::a', 10, 10),
    op('aten::b', 30, 10),
    op(
      'autograd::engine::evaluate_function: torch::autograd::AccumulateGrad',
      200,
      5,
      {},
      { tid: 2 },
    ),
    op('autograd::engine::evaluate_function: ABackward0', 210, 20, {}, { tid: 2 }),
    flow('s', 1, 10, 1),
    flow('f', 1, 210, 2),
    flow('s', 2, 30, 1),
    flow('f', 2, 210, 2),
  ]);
  const { rows } = await all('view/operators');
  assert.equal(rows.length, 4);
  const { modules } = await all('view/modules');
  // The backward work counts once, whatever number of links leads to it; what was accumulated
  // before it has no forward partner.
  assert.equal(modules[0].backwardHostUs, 20);
});

test('B16: a module call that crosses the end of its caller', async () => {
  const { all } = await opened([
    slice('python_function', 'nn.Module: Net_0', 0, 100, { 'Python id': 1 }),
    slice('python_function', 'nn.Module: Linear_0', 60, 80, {
      'Python id': 2,
      'Python parent id': 1,
    }),
    slice('python_function', 'nn.Module: Linear_1', 200, 10, { 'Python id': 3 }),
    op('aten::linear', 70, 10),
  ]);
  const { modules, nodeCount } = await all('view/modules');
  assert.equal(nodeCount, 3);
  const list = [];
  const visit = (node) => {
    list.push(node);
    node.children.forEach(visit);
  };
  modules.forEach(visit);
  const linear = list.find((node) => node.name === 'Linear_0');
  assert.equal(linear.occurrences, 1);
  assert.equal(linear.operators, 1);
});

test('B19: the thread that launches and has the steps stands before the first of the file', async () => {
  const { ask } = await opened([
    op('aten::helper', 0, 1000, {}, { tid: 5 }),
    step(1, 10, 500),
    op('aten::mm', 20, 50),
    launch(1, 30),
    kernel('k', 1, 90, 10),
  ]);
  const { tracks } = await ask('timeline/tracks');
  const threads = tracks.filter((track) => track.kind === 'thread');
  assert.deepEqual(
    threads.map(({ name, folded }) => [name, folded]),
    [
      ['Thread 1', false],
      ['Thread 5', true],
    ],
  );
});

test('B21: memory of a device that the properties do not list', async () => {
  const { all, ask } = await opened([
    op('aten::empty', 0, 100),
    record(10, 512, { 'Device Id': 5, 'Total Allocated': 99999 }),
  ]);
  const { devices } = await all('view/memory');
  assert.deepEqual(
    devices.map(({ name, records, capacityBytes }) => [name, records, capacityBytes]),
    [['GPU 5', 1, null]],
  );
  const { recommendations } = await ask('view/overview');
  assert.ok(!recommendations.some((finding) => finding.id === 'memoryNearCapacity'));
});

test('B24: device work alone is one step over all of it', async () => {
  const { ask } = await opened([kernel('k', 1, 10, 5), kernel('k', 2, 30, 5)]);
  const { steps, gpus, recommendations } = await ask('view/overview');
  assert.deepEqual(
    steps.map(({ name, durationUs }) => [name, durationUs]),
    [['0', 25]],
  );
  assert.equal(gpus[0].utilization, 10 / 25);
  assert.equal(steps[0].parts.kernel, 10);
  assert.ok(recommendations.every((finding) => !/-\d/.test(finding.text)));
});

test('B25: steps without length', async () => {
  const { ask } = await opened([step(1, 100, 0), op('aten::a', 100, 0)]);
  const { steps, average } = await ask('view/overview');
  assert.equal(steps[0].durationUs, 0);
  assert.equal(average.durationUs, 0);
  assert.ok(Object.values(average.parts).every((part) => part === 0));
});

test('B26: kernels without a device, and devices beyond the 64th', async () => {
  const { all, ask } = await opened([
    op('aten::mm', 0, 50),
    launch(1, 5),
    launch(2, 10),
    kernel('lost', 1, 60, 10, {}),
    kernel('far', 2, 80, 10, { device: 70, stream: 7 }, { pid: 70 }),
  ]);
  const { gpus } = await ask('view/overview');
  assert.ok(gpus.some((gpu) => gpu.index === 70));
  const { rows } = await all('view/operators');
  assert.equal(named(rows, 'aten::mm').deviceSelfUs, 20);
  const { totalSlices } = await ask('timeline/tracks').then(({ tracks }) => ({
    totalSlices: tracks.reduce((sum, track) => sum + (track.slices ?? 0), 0),
  }));
  assert.equal(totalSlices, 5);
});

test('B27: a recording shorter than a microsecond', async () => {
  const { ask } = await opened([
    op('aten::a', 0.1, 0.6),
    launch(1, 0.2, 0.1),
    kernel('k', 1, 0.3, 0.2),
  ]);
  const { steps, gpus } = await ask('view/overview');
  assert.equal(steps[0].durationUs, 0.6);
  assert.ok(Math.abs(gpus[0].utilization - 1 / 3) < 1e-9);
});

test('B28: no category, text for a thread, an odd step, a nameless event among markers', async () => {
  const { all, ask } = await opened([
    step('x', 0, 10),
    { ...op('uncategorised', 20, 5), cat: undefined },
    op('aten::text', 30, 5, {}, { tid: 'worker' }),
    instant('Iteration Start: PyTorch Profiler', 0),
    { ...op('', 40, 5), name: undefined },
    instant('Record Window End', 50),
  ]);
  const { counts } = await ask('profile/check');
  assert.equal(counts.slices, 4);
  const { rows } = await all('view/operators');
  assert.ok(named(rows, 'aten::text'));
  const { steps, hasRecordedSteps } = await ask('view/overview');
  assert.equal(hasRecordedSteps, false);
  assert.equal(steps.length, 1);
});

test('B28: a bare list of begins and ends', async () => {
  const events = [op('aten::a', 10, 0, {}, { ph: 'B' }), op('aten::a', 25, 0, {}, { ph: 'E' })];
  const { all } = await opened(JSON.stringify(events));
  const { rows } = await all('view/operators');
  assert.deepEqual(
    rows.map(({ name, calls, hostTotalUs }) => [name, calls, hostTotalUs]),
    [['aten::a', 1, 15]],
  );
});

for (const [what, afterUs] of [
  ['100 s', 100e6],
  ['two days', 2 * 86_400e6],
]) {
  test(`B29: a window that ends ${what} later neither stretches the profile nor is lost`, async () => {
    const { ask } = await opened([
      instant('Iteration Start: PyTorch Profiler', 1000),
      step(1, 1000, 500),
      instant('Record Window End', 1000 + afterUs),
    ]);
    const { counts } = await ask('profile/check');
    assert.equal(counts.instants, 2);
    assert.equal(counts.dropped, 0);
    assert.equal((await ask('profile/load')).durationNs, 500_000);
  });
}

test('B32: memory of HIP and XPU devices has a curve, events and statistics', async () => {
  for (const [type, name] of [
    [6, 'GPU 0'],
    [12, 'XPU 0'],
  ]) {
    const { all } = await opened([
      op('aten::empty', 0, 100),
      record(10, 512, { 'Device Type': type }),
      record(20, 256, { 'Device Type': type }),
    ]);
    const memory = await all('view/memory');
    assert.equal(memory.device, name);
    assert.equal(memory.curve.records, 2);
    assert.equal((await all('view/memoryEvents')).totalRows, 2);
    assert.equal((await all('view/memoryStatistics')).rows[0].selfAllocationCount, 2);
  }
});

test('B33: the capacity of a device is known to its curve', async () => {
  const { all } = await opened([op('aten::empty', 0, 100), record(10, 512)]);
  assert.equal((await all('view/memory')).devices[0].capacityBytes, 10000);
});

test('B34: small allocations are listed beside large ones', async () => {
  const sizes = [1_000_000, 4, 64, 512];
  const { ask } = await opened([
    op('aten::empty', 0, 100),
    ...sizes.map((bytes, index) => record(10 + index, bytes)),
  ]);
  const { rows } = await ask('view/memoryEvents');
  assert.deepEqual(
    rows.map((row) => row.sizeBytes).sort((a, b) => a - b),
    [...sizes].sort((a, b) => a - b),
  );
});

test('B35: devices come from all records, also where no operator is known', async () => {
  const { all } = await opened([
    op('aten::a', 500, 10),
    record(10, 512),
    record(20, 128, { 'Device Id': 1 }),
  ]);
  const memory = await all('view/memory');
  assert.deepEqual(memory.devices.map((one) => one.name).sort(), ['GPU 0', 'GPU 1']);
  assert.ok(memory.devices.every((one) => one.curve.records === 1));
});

test('B37: a collective that crosses steps belongs to those it is in, and to no step "null"', async () => {
  const { ask, all } = await opened([
    step(1, 0, 100),
    step(2, 100, 100),
    slice('user_annotation', 'gloo:all_reduce', 80, 40),
    slice('user_annotation', 'gloo:broadcast', 300, 40),
  ]);
  const { steps } = await ask('view/overview');
  assert.deepEqual(
    steps.map(({ name, parts }) => [name, parts.communication]),
    [
      ['1', 20],
      ['2', 20],
    ],
  );
  assert.equal((await all('view/overview', { steps: '2' })).average.parts.communication, 20);
});

test('B38: collectives without types, and with lists of tensors', async () => {
  const { all } = await opened([
    op('nccl:all_reduce', 0, 10, { 'Input Dims': [[4, 4]] }),
    op('nccl:all_gather', 20, 10, {
      'Input Dims': [[[4, 4], [2]], [8]],
      'Input type': ['TensorList', 'float'],
    }),
    op('nccl:reduce_scatter', 40, 10, { 'Input Dims': [], 'Input type': [] }),
  ]);
  const { rows } = await all('view/operators', { groupBy: 'operatorAndShapes' });
  assert.equal(rows.length, 3);
  assert.equal(named(rows, 'nccl:all_gather').inputShapes, '[[[4, 4], [2]], [8]]');
});

test('B45: the share of tensor cores is one figure, in the overview and among kernels', async () => {
  // Half of the kernels hang under no operator, where two definitions would differ.
  const { ask } = await opened([
    op('aten::mm', 0, 50),
    launch(1, 5),
    launch(2, 60),
    kernel('ampere_bf16_s16816gemm_bf16_128x64_tn', 1, 100, 30),
    kernel('elementwise_kernel', 2, 140, 90),
  ]);
  const overview = await ask('view/overview');
  const kernels = await ask('view/kernels');
  assert.equal(overview.tensorCoreShare, 0.25);
  assert.equal(overview.gpus[0].tensorCoreShare, 0.25);
  assert.equal(kernels.tensorCoreUs / kernels.totalUs, 0.25);
});

test('B48: operators nested 3000 deep', async () => {
  const depth = 3000;
  const { all } = await opened(
    Array.from({ length: depth }, (_, i) => op(`f${i}`, i, 2 * (depth - i))),
  );
  const { rows } = await all('view/operators');
  assert.equal(rows.length, depth);
  assert.ok(rows.every((row) => row.hostSelfUs >= 0 && row.hostSelfUs <= row.hostTotalUs));
});

test('B54: operators without host time of their own', async () => {
  const { ask } = await opened([op('aten::a', 0, 0), kernel('k', 1, 5, 5)]);
  const { rows, rings } = await ask('view/operators');
  assert.deepEqual(
    rows.map((row) => row.hostSelfUs),
    [0],
  );
  assert.deepEqual(rings.hostSelf, []);
});

test('B59: utilization refers to all of the selected time, the pauses between steps included', async () => {
  const { ask } = await opened([
    step(1, 0, 100),
    step(2, 300, 100),
    launch(1, 5),
    launch(2, 305),
    kernel('k', 1, 10, 80),
    kernel('k', 2, 310, 80),
  ]);
  const both = await ask('view/overview');
  assert.equal(both.gpus[0].utilization, 160 / 400);
  const one = await ask('view/overview', { steps: '2' });
  assert.equal(one.gpus[0].utilization, 80 / 100);
  // The parts of the steps leave pauses out: they are those of the steps alone.
  assert.equal(both.average.parts.kernel, 80);
});

test('B64: the memory of a device is given once, in bytes', async () => {
  const { ask } = await opened([launch(1, 0), kernel('k', 1, 5, 5)]);
  const [gpu] = (await ask('view/overview')).gpus;
  assert.equal(gpu.memoryBytes, 10000);
  assert.deepEqual(
    Object.keys(gpu).filter((key) => /mem/i.test(key)),
    ['memoryBytes'],
  );
});

test('B71: the same figure has the same digits in every reply', async () => {
  const { ask, all } = await opened([
    step(1, 0.0005, 100.5),
    op('aten::mm', 1.5, 50.125),
    launch(1, 5),
    kernel('k', 1, 60, 10.125),
  ]);
  const overview = await ask('view/overview');
  const byName = await all('view/kernels');
  const byLaunch = await all('view/kernels', { groupBy: 'properties' });
  const operators = await all('view/operators');
  assert.equal(overview.steps[0].parts.kernel, 10.125);
  assert.equal(overview.average.parts.kernel, 10.125);
  for (const { rows } of [byName, byLaunch]) {
    assert.deepEqual(
      [rows[0].totalUs, rows[0].meanUs, rows[0].maxUs, rows[0].minUs],
      [10.125, 10.125, 10.125, 10.125],
    );
  }
  assert.equal(operators.rows[0].deviceSelfUs, 10.125);
  assert.equal(operators.rows[0].hostTotalUs, 50.125);
});

test('B47: capture spans come in the order of time, not of text', async () => {
  for (const stamp of [900, 1000, 10000]) {
    write(`spans/w.${stamp}.pt.trace.json`, JSON.stringify({ traceEvents: [op('a', stamp, 1)] }));
  }
  const { runs } = await daemon.request('profile/open', { path: join(folder, 'spans') });
  const { spans } = runs[0].workers[0];
  assert.deepEqual(
    spans.map(({ span, file }) => [span, file]),
    [
      ['1', 'w.900.pt.trace.json'],
      ['2', 'w.1000.pt.trace.json'],
      ['3', 'w.10000.pt.trace.json'],
    ],
  );
});

test('B73: a run shows files that came later, and one that cannot be read does no harm', async () => {
  const trace = (name) => JSON.stringify({ traceEvents: [op(name, 0, 10)] });
  write('log/run/good.pt.trace.json', trace('aten::good'));
  write('log/run/bad.pt.trace.json', 'no trace at all');
  write('log/hopeless/bad.pt.trace.json', 'no trace at all');
  const path = join(folder, 'log');
  const workers = ({ runs }) =>
    runs.find((run) => run.name === 'run').workers.map((worker) => worker.name);
  const first = await daemon.request('profile/open', { path });
  assert.deepEqual(workers(first), ['bad', 'good']);
  write('log/run/late.pt.trace.json', trace('aten::late'));
  const second = await daemon.request('profile/open', { path });
  assert.deepEqual(workers(second), ['bad', 'good', 'late']);
  const load = (params) =>
    daemon.exchange('profile/load', { profileId: second.profileId, ...params });
  for (const worker of ['good', 'late']) {
    const { message } = await load({ run: 'run', worker });
    assert.equal(message.result.slices, 1, worker);
  }
  for (const params of [{ run: 'run', worker: 'bad' }, { run: 'hopeless' }]) {
    const { message } = await load(params);
    assert.equal(message.error.data.kind, 'unreadable');
  }
});
