// Overview, operators and kernels of a trace with device work, through the real daemon.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openDrawn, validate } from './daemon.mjs';

let folder, daemon, profileId, close;

/** Two steps; each: aten::linear > aten::addmm > launch > a GEMM of 40 us, and a copy of 10 us. */
function drawn() {
  const events = [];
  const slice = (cat, name, pid, tid, ts, dur, args = {}) =>
    events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  for (const step of [0, 1]) {
    const at = step * 1000;
    slice('user_annotation', `ProfilerStep#${step + 3}`, 1, 1, at, 900);
    slice('python_function', 'train.py(10): main', 1, 1, at, 890);
    slice('python_function', 'nn.Module: Linear_0', 1, 1, at + 5, 300);
    slice('cpu_op', 'aten::linear', 1, 1, at + 10, 200, { 'External id': step * 10 + 1 });
    slice('cpu_op', 'aten::addmm', 1, 1, at + 20, 100, {
      'External id': step * 10 + 2,
      'Input Dims': [[4], [2, 3], [3, 4]],
    });
    for (const [i, name] of ['cudaLaunchKernel', 'cudaMemcpyAsync'].entries()) {
      slice('cuda_runtime', name, 1, 1, at + 30 + i * 10, 5, {
        correlation: step * 10 + i + 100,
        'External id': step * 10 + 2,
      });
    }
    slice('kernel', 'ampere_bf16_s16816gemm_<b>&"quoted"', 0, 7, at + 60, 40, {
      correlation: step * 10 + 100,
      'External id': step * 10 + 2,
      device: 0,
      stream: 7,
      grid: [1, 2, 3],
      block: [64, 1, 1],
      'registers per thread': 32,
      'shared memory': 2048,
      'blocks per SM': 0.5,
      'est. achieved occupancy %': 25,
    });
    slice('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 0, 7, at + 110, 10, {
      correlation: step * 10 + 101,
      device: 0,
      stream: 7,
      bytes: 50000,
    });
  }
  return JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [
      { id: 0, name: 'NVIDIA A100', totalGlobalMem: 42949672960, computeMajor: 8, computeMinor: 0 },
    ],
    traceEvents: events,
  });
}

before(async () => {
  ({ folder, daemon, profileId, close } = await openDrawn(drawn));
});
after(() => close?.());

/** A request whose params fit the protocol too. */
function ask(method, params = {}) {
  const all = { profileId, ...params };
  validate(method, 'params', all);
  return daemon.request(method, all);
}

test('overview', async () => {
  const all = await ask('view/overview');
  assert.deepEqual(
    all.steps.map((step) => step.name),
    ['3', '4'],
  );
  for (const step of all.steps) {
    const sum = Object.values(step.parts).reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - step.durationUs) < 1e-6);
    assert.equal(step.parts.kernel, 40);
    assert.equal(step.parts.memcpy, 10);
  }
  assert.equal(all.gpus.length, 1);
  assert.equal(all.gpus[0].tensorCoreShare, 1);
  assert.equal(all.gpus[0].estOccupancy, 0.25);
  assert.equal(all.gpus[0].computeCapability, '8.0');
  assert.ok(all.recommendations.some((finding) => finding.id === 'lowUtilization'));
  const one = await ask('view/overview', { steps: '4' });
  assert.equal(one.steps.length, 1);
  assert.equal(one.average.steps, 1);
});

test('what chosen steps lack is told apart from what nobody recorded', async () => {
  const without = (category, steps) => () => {
    const trace = JSON.parse(drawn());
    trace.traceEvents = trace.traceEvents.filter(
      ({ cat, ts }) => cat !== category || !steps.includes(Math.floor(ts / 1000)),
    );
    return JSON.stringify(trace);
  };
  const lacks = async (text, method, params) => {
    const { daemon, profileId, close } = await openDrawn(text);
    try {
      const { absences } = await daemon.request(method, { profileId, ...params });
      return [absences[0].what, absences[0].argument];
    } finally {
      await close();
    }
  };
  for (const [method, what, category] of [
    ['view/kernels', 'kernels', 'kernel'],
    ['view/roofline', 'kernels', 'kernel'],
    ['view/operators', 'operators', 'cpu_op'],
  ]) {
    const inStep = await lacks(without(category, [1]), method, { steps: '4' });
    assert.deepEqual(inStep, [`No ${what} ran in the selected steps.`, ''], method);
    const nowhere = await lacks(without(category, [0, 1]), method, {});
    assert.deepEqual(nowhere, [`No ${what} were recorded.`, 'activities'], method);
  }
});

test('operators, rings and stacks', async () => {
  const result = await ask('view/operators', { groupBy: 'operatorAndShapes', topN: 1 });
  const addmm = result.rows.find((row) => row.name === 'aten::addmm');
  assert.equal(addmm.calls, 2);
  assert.equal(addmm.deviceSelfUs, 100);
  assert.equal(addmm.hostSelfUs, 180);
  assert.equal(addmm.inputShapes, '[[4], [2, 3], [3, 4]]');
  assert.equal(addmm.tensorCoreSelf, 1);
  assert.equal(addmm.stacks, 1);
  assert.deepEqual(result.rings.deviceSelf, [{ name: 'aten::addmm', us: 100 }]);
  assert.equal(result.rings.hostTotal.length, 1);
  const { stacks } = await ask('view/operatorStacks', {
    name: 'aten::addmm',
    inputShapes: addmm.inputShapes,
  });
  assert.equal(stacks.length, 1);
  assert.equal(stacks[0].calls, 2);
  assert.deepEqual(
    stacks[0].frames.map((frame) => [frame.file, frame.line, frame.function]),
    [['train.py', 10, 'main']],
  );
  const missing = await daemon.exchange('view/operatorStacks', { profileId, name: 'aten::none' });
  assert.equal(missing.message.error.data.kind, 'notFound');
  const wrong = await daemon.exchange('view/operators', { profileId, groupBy: 'color' });
  assert.ok(wrong.message.error);
});

test('kernels, their launches, copies', async () => {
  const byName = await ask('view/kernels');
  assert.equal(byName.launches, 2);
  assert.equal(byName.tensorCoreUs, 80);
  assert.equal(byName.rows[0].meanBlocksPerSm, 0.5);
  const { rows } = await ask('view/kernels', { groupBy: 'properties' });
  assert.equal(rows.length, 1);
  assert.equal(rows[0].operator, 'aten::addmm');
  assert.equal(rows[0].grid, '[1, 2, 3]');
  assert.equal(rows[0].sharedBytes, 2048);
  const launches = await ask('view/kernelLaunches', {
    name: rows[0].name,
    operator: 'aten::addmm',
    grid: rows[0].grid,
    block: rows[0].block,
  });
  assert.equal(launches.slices.length, 2);
  assert.deepEqual(
    launches.modules.rows.map((row) => row.module),
    ['Linear_0'],
  );
  assert.equal(launches.lines.rows[0].line, 10);
  const copies = await ask('view/copies');
  assert.equal(copies.rows[0].bytes, 100000);
  assert.equal(copies.rows[0].bandwidthGbPerS, 5);
});

test('rows lead to code, to modules and back', async () => {
  const { rows } = await ask('view/operators');
  const addmm = rows.find((row) => row.name === 'aten::addmm');
  assert.deepEqual([addmm.file, addmm.line, addmm.function], ['train.py', 10, 'main']);
  const { modules } = await ask('view/operatorStacks', { name: 'aten::addmm' });
  assert.deepEqual(
    modules.rows.map((row) => [row.module, row.calls, row.deviceSelfUs]),
    [['Linear_0', 2, 100]],
  );
  const inside = await ask('view/operators', { module: 'Linear_0' });
  assert.deepEqual(
    inside.rows.map((row) => row.name),
    ['aten::addmm', 'aten::linear'],
  );
  assert.equal(inside.deviceSelfUs, 100);
  const nowhere = await ask('view/operators', { module: 'Conv2d_0' });
  assert.equal(nowhere.totalRows, 0);
  // Carried columns are not what a word of the filter means.
  assert.equal((await ask('view/operators', { filter: 'train.py' })).totalRows, 0);
  assert.equal((await ask('view/operators', { filter: 'file:train.py' })).totalRows, 2);
  const { rows: copies } = await ask('view/copies');
  const launches = await ask('view/copyLaunches', {
    direction: copies[0].direction,
    source: copies[0].source,
    target: copies[0].target,
  });
  assert.deepEqual(
    launches.operators.rows.map((row) => [row.operator, row.calls]),
    [['aten::addmm', 2]],
  );
  assert.equal(launches.modules.rows[0].module, 'Linear_0');
  const missing = await daemon.exchange('view/copyLaunches', { profileId, direction: 'DtoH' });
  assert.equal(missing.message.error.data.kind, 'notFound');
});

test('operators of the user are eligible for tensor cores', async () => {
  const eligible = async (rules) => {
    const { rows } = await ask('view/kernels', {
      groupBy: 'properties',
      ...(rules === undefined ? {} : { tensorCoreRules: rules }),
    });
    return rows.find((row) => row.operator === 'mine::gemm')?.operatorTensorCoreEligible;
  };
  const path = join(folder, 'own.pt.trace.json');
  const link = { correlation: 1, 'External id': 1 };
  writeFileSync(
    path,
    JSON.stringify({
      deviceProperties: [{ id: 0, name: 'NVIDIA A100', computeMajor: 8 }],
      traceEvents: [
        {
          ph: 'X',
          cat: 'cpu_op',
          name: 'mine::gemm',
          pid: 1,
          tid: 1,
          ts: 0,
          dur: 9,
          args: { 'External id': 1 },
        },
        {
          ph: 'X',
          cat: 'cuda_runtime',
          name: 'cudaLaunchKernel',
          pid: 1,
          tid: 1,
          ts: 1,
          dur: 2,
          args: link,
        },
        {
          ph: 'X',
          cat: 'kernel',
          name: 'my_kernel',
          pid: 0,
          tid: 7,
          ts: 9,
          dur: 5,
          args: { ...link, device: 0, stream: 7 },
        },
      ],
    }),
  );
  const before = profileId;
  ({ profileId } = await daemon.request('profile/open', { path }));
  assert.equal(await eligible(), false);
  assert.equal(await eligible(['op:mine::gemm']), true);
  profileId = before;
});

test('MTIA: its own name, copies and events that are no kernels', async () => {
  const path = join(folder, 'mtia.pt.trace.json');
  const work = (name, ts, dur, args = {}) => ({
    ph: 'X',
    cat: 'mtia_ccp_events',
    name,
    pid: 9,
    tid: 4,
    ts,
    dur,
    args: { stream: 1, ...args },
  });
  writeFileSync(
    path,
    JSON.stringify({
      profile_memory: 1,
      record_shapes: 1,
      distributedInfo: { backend: 'mtia:hccl', rank: 0, world_size: 2 },
      traceEvents: [
        { ph: 'M', name: 'process_labels', pid: 9, tid: 0, ts: 0, args: { labels: 'MTIA 9' } },
        { ph: 'X', cat: 'cpu_op', name: 'aten::add', pid: 1, tid: 1, ts: 0, dur: 9 },
        { ph: 'X', cat: 'cpu_op', name: 'aten::slow', pid: 1, tid: 1, ts: 20, dur: 90 },
        work('add-dtype_Float', 10, 40),
        work('dma_request', 60, 10, { direction: 'DEVICE_TO_HOST', size: 4096 }),
        work('event_wait', 80, 30),
        work('event_record', 120, 1),
      ],
    }),
  );
  const { profileId: mtia } = await daemon.request('profile/open', { path });
  const of = async (method, params = {}) => {
    const result = await daemon.request(method, { profileId: mtia, ...params });
    validate(method, 'result', result);
    return result;
  };
  const overview = await of('view/overview');
  const configuration = new Map(overview.configuration.map(({ name, value }) => [name, value]));
  // The folder holds the traces of the tests before this one too.
  assert.ok(Number(configuration.get('Workers in the run')) >= 1);
  assert.equal(configuration.get('Device type'), 'MTIA');
  assert.equal(configuration.get('World size'), '2');
  assert.equal(configuration.get('Backend'), 'mtia:hccl');
  assert.equal(overview.gpus[0].label, 'MTIA 9');
  assert.deepEqual(
    (await of('view/kernels')).rows.map((row) => [row.name, row.totalUs]),
    [['add-dtype_Float', 40]],
  );
  const copies = await of('view/copies');
  assert.deepEqual(
    copies.rows.map((row) => [row.direction, row.bytes, row.totalUs]),
    [['DtoH', 4096, 10]],
  );
  // No kernel leads back to an operator: host time sorts.
  const operators = await of('view/operators');
  assert.equal(operators.defaultSort, '-hostSelfUs');
  assert.deepEqual(
    operators.rows.map((row) => row.name),
    ['aten::slow', 'aten::add'],
  );
  // Memory recording was on: to switch it on is no advice.
  const more = overview.recommendations.find((finding) => finding.id === 'recordMore');
  assert.ok(!more.snippet.includes('profile_memory'), more.snippet);
  assert.match(more.text, /Memory recording was on, but the trace contains no allocations/);
  const { absences } = await of('profile/check');
  assert.ok(
    absences.some(({ what, argument }) => /recording was on/.test(what) && argument === ''),
  );
  const { tracks } = await of('timeline/tracks');
  assert.ok(tracks.some((row) => row.group.startsWith('MTIA 9')));
  assert.ok(!tracks.some((row) => row.group.startsWith('GPU')));
});

test('the minimap shows collectives that stand alone, and little work in a long recording', async () => {
  const path = join(folder, 'gloo.pt.trace.json');
  const slice = (cat, name, tid, ts, dur) => ({ ph: 'X', cat, name, pid: 1, tid, ts, dur });
  writeFileSync(
    path,
    JSON.stringify({
      traceEvents: [
        slice('user_annotation', 'ProfilerStep#1', 1, 0, 10000000),
        slice('cpu_op', 'aten::empty', 1, 9000000, 1),
        slice('user_annotation', 'gloo:all_reduce', 2, 2000000, 3000000),
      ],
    }),
  );
  const { profileId: gloo } = await daemon.request('profile/open', { path });
  const { host } = await daemon.request('timeline/density', { profileId: gloo, buckets: 10 });
  // The step that holds an operator is no work; the collective is; one microsecond is seen.
  assert.deepEqual(host, [0, 0, 1, 1, 1, 0, 0, 0, 0, 0.0001]);
});

test("the user's tensor core rules", async () => {
  const without = await ask('view/kernels', { tensorCoreRules: ['-s16816gemm'] });
  assert.equal(without.tensorCoreUs, 0);
  assert.equal(without.rows[0].usesTensorCores, false);
  const again = await ask('view/kernels');
  assert.equal(again.tensorCoreUs, 80);
  const wrong = await daemon.exchange('view/kernels', { profileId, tensorCoreRules: ['-'] });
  assert.equal(wrong.message.error.data.kind, 'invalidArgument');
});

test('replies stay small, whatever the trace holds', async () => {
  const events = [];
  const slice = (cat, name, pid, tid, ts, dur, args = {}) =>
    events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  const long = 'x'.repeat(4000);
  const steps = 1500;
  for (let i = 0; i < steps; i++) {
    const at = i * 100;
    slice('user_annotation', `ProfilerStep#${i}`, 1, 1, at, 90);
    slice('cpu_op', `ns::op_${i}_${long}`, 1, 1, at + 1, 80, { 'External id': i + 1 });
    slice('cuda_runtime', 'cudaLaunchKernel', 1, 1, at + 5, 2, {
      correlation: i + 1,
      'External id': i + 1,
    });
    const name = i % 2 === 0 ? `kernel_${i}_${long}` : `one_${long}`;
    slice('kernel', name, 0, 7, at + 10, 20 + (i % 7), {
      correlation: i + 1,
      device: 0,
      stream: 7,
    });
  }
  for (let depth = 0; depth < 3000; depth++) {
    const width = 2 * steps * 100 - 2 * depth;
    slice(
      'python_function',
      `deep_${depth}.py(${depth + 1}): ${'f'.repeat(100)}`,
      1,
      1,
      -depth,
      width,
    );
  }
  const path = join(folder, 'large.pt.trace.json');
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, traceEvents: events }));
  const opened = await daemon.request('profile/open', { path });
  const large = (method, params) =>
    daemon.request(method, { profileId: opened.profileId, ...params });
  // `request` fails when a reply is larger than 256 KiB.
  const overview = await large('view/overview');
  assert.equal(overview.totalSteps, steps);
  assert.ok(overview.steps.length < steps);
  const every = await large('view/overview', { limit: -1 });
  assert.equal(every.steps.length, steps);
  const operators = await large('view/operators', { topN: 200 });
  assert.ok(operators.rows.length > 0);
  await large('view/kernels', { topN: 200, groupBy: 'properties' });
  const launches = await large('view/kernelLaunches', { name: `one_${long}` });
  assert.equal(launches.slices.length, 100);
  const { stacks } = await large('view/operatorStacks', { name: operators.rows[0].name });
  assert.equal(stacks.length, 1);
});
