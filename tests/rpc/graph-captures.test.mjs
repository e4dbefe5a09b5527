// Graphs whose capture was recorded into a file of its own, beside the trace that replays them, as
// inference servers do.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { allRows, corpus, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { slice as x } from '../lib/trace_events.mjs';

const { folder, remove } = temporaryFolder('captures');
after(remove);

const write = (path, traceEvents) => writeFileSync(path, JSON.stringify({ traceEvents }));

/** Two steps that replay one graph each: kernels "gemm" and "act", of 40 and 10 us. */
function replaying(kernels = ['gemm', 'act']) {
  const events = [];
  for (const step of [0, 1]) {
    const at = 1000 * step;
    events.push(
      x('user_annotation', `ProfilerStep#${step}`, at, 900),
      x('cpu_op', 'aten::copy_', at + 10, 20, { 'External id': 1 }),
      x('cuda_runtime', 'hipGraphLaunch', at + 100, 30, { correlation: 7 + step }),
    );
    kernels.forEach((name, k) =>
      events.push(
        x(
          'kernel',
          name,
          at + 200 + 50 * k,
          k === 0 ? 40 : 10,
          { correlation: 7 + step, device: 0, stream: 3 },
          { pid: 0, tid: 3 },
        ),
      ),
    );
  }
  return events;
}

/** What recorded the graph. Its ids are those of other rows in the replaying trace. */
function capturing({ module = 'Net_0', kernels = ['gemm', 'act'], named = true, batch = 4 } = {}) {
  const call = (name, ts, kernel, correlation) =>
    x('cuda_runtime', name, ts, 5, { correlation, 'External id': 1, ...(named && { kernel }) });
  return [
    x('python_function', 'serve.py(10): capture', 0, 900),
    x('python_function', `nn.Module: ${module}`, 100, 500),
    x('python_function', 'model.py(20): forward', 110, 480),
    x('python_function', 'nn.Module: Idle_0', 620, 10),
    x('cuda_runtime', 'hipStreamBeginCapture', 50, 5, { correlation: 900 }),
    x('cpu_op', 'aten::linear', 120, 100, { 'External id': 1 }),
    x('cpu_op', 'aten::mm', 130, 60, {
      'External id': 2,
      'Input Dims': [
        [batch, 8],
        [8, 8],
      ],
    }),
    call('hipExtModuleLaunchKernel', 140, kernels[0], 7),
    x('cpu_op', 'aten::gelu', 300, 50, { 'External id': 3 }),
    call('hipLaunchKernel', 310, kernels[1], 8),
    x('cuda_runtime', 'hipStreamEndCapture', 700, 5, { correlation: 901 }),
  ];
}

function place(name, main, captures) {
  const dir = join(folder, name);
  mkdirSync(join(dir, 'capture_traces'), { recursive: true });
  write(join(dir, 'replay.json'), main);
  for (const [file, events] of Object.entries(captures)) {
    write(join(dir, 'capture_traces', file), events);
  }
  return join(dir, 'replay.json');
}

const rowsOf = async (...request) => (await allRows(...request)).rows;

const deviceSelf = async (path, ...options) =>
  Object.fromEntries(
    (await rowsOf('operators', path, ...options)).map((row) => [row.name, row.deviceSelfUs]),
  );

const captureFact = async (path) =>
  (await emberlineJson('overview', path)).configuration.find(
    (entry) => entry.name === 'Graph captures',
  )?.value;

test('work of a graph is its recorder’s, in every view', async () => {
  const path = place('plain', replaying(), { 'bs_4.json': capturing() });
  const rows = await rowsOf('operators', path);
  const row = (name) => rows.find((r) => r.name === name);
  assert.equal(row('aten::mm').deviceSelfUs, 80);
  assert.equal(row('aten::linear').deviceSelfUs, 0);
  assert.equal(row('aten::linear').deviceTotalUs, 80);
  assert.equal(row('aten::gelu').deviceSelfUs, 20);
  assert.equal(row('aten::mm').calls, 0, 'a replay is no call');
  assert.equal(row('aten::mm').hostTotalUs, 0, 'the capture ran at another time');
  assert.equal(row('aten::copy_').deviceSelfUs, 0, 'ids of the capture are its own');
  assert.equal(row('aten::copy_').calls, 2);

  const step = await rowsOf('operators', path, '--steps', '1');
  assert.equal(step.find((r) => r.name === 'aten::mm').deviceSelfUs, 40);

  const modules = await emberlineJson('modules', path);
  assert.match(JSON.stringify(modules), /Net_0/);
  assert.doesNotMatch(JSON.stringify(modules), /Idle_0/, 'it recorded nothing');
  const stacks = await emberlineJson('stacks', path);
  assert.match(
    JSON.stringify(stacks),
    /"file":"model\.py","line":20,"library":false,"kind":"function","selfUs":100/,
  );
  const kernels = await rowsOf('kernels', path, '--group-by', 'properties');
  assert.deepEqual(
    kernels.map((k) => [k.name, k.operator]),
    [
      ['gemm', 'aten::mm'],
      ['act', 'aten::gelu'],
    ],
  );
  assert.match(await captureFact(path), /^4 of 4 .*bs_4\.json$/);
});

test('the recorded calls take no time here', async () => {
  const path = place('time', replaying(), { 'bs_4.json': capturing() });
  const alone = place('alone', replaying(), {});
  const steps = (overview) => JSON.stringify(overview.steps);
  assert.equal(
    steps(await emberlineJson('overview', path)),
    steps(await emberlineJson('overview', alone)),
  );
  const [a, b] = [await emberlineJson('check', path), await emberlineJson('check', alone)];
  assert.deepEqual(a.counts, b.counts);
});

test('nothing is guessed', async () => {
  const cases = {
    'other kernels': { 'a.json': capturing({ kernels: ['gemm', 'other'] }) },
    'another order': { 'a.json': capturing({ kernels: ['act', 'gemm'] }) },
    'no names': { 'a.json': capturing({ named: false }) },
    'no trace': { 'a.json': 'nonsense' },
  };
  for (const [name, captures] of Object.entries(cases)) {
    const path = place(name, replaying(), captures);
    const self = await deviceSelf(path);
    assert.equal(self['aten::mm'], undefined, name);
    assert.match(await captureFact(path), /^0 of 4 .*a\.json: /, name);
  }
});

test('captures that disagree give what they agree on', async () => {
  const path = place('two', replaying(), {
    'a.json': [
      ...capturing({ module: 'Net_0', batch: 4 }),
      ...capturing({ module: 'Net_1', batch: 8 }).map((e) => ({ ...e, ts: e.ts + 2000 })),
    ],
  });
  const self = await deviceSelf(path);
  assert.equal(self['aten::mm'], 80);
  const modules = JSON.stringify(await emberlineJson('modules', path));
  assert.doesNotMatch(modules, /Net_/);
  const shapes = await rowsOf('operators', path, '--group-by', 'operatorAndShapes');
  assert.ok(!shapes.find((r) => r.name === 'aten::mm').inputShapes);
});

test('files of the own rank come first, and links are not followed', async () => {
  const path = place('ranks', replaying(), {
    'bs_4_rank0.json': capturing({ module: 'Zero_0' }),
    'bs_4_rank1.json': capturing({ module: 'One_0' }),
  });
  const main = join(folder, 'ranks', 'replay_rank1.json');
  write(main, replaying());
  assert.match(JSON.stringify(await emberlineJson('modules', main)), /One_0/);
  assert.doesNotMatch(JSON.stringify(await emberlineJson('modules', main)), /Zero_0/);
  assert.ok(existsSync(path));

  const linked = place('linked', replaying(), {});
  symlinkSync(
    join(folder, 'plain', 'capture_traces', 'bs_4.json'),
    join(folder, 'linked', 'capture_traces', 'bs_4.json'),
  );
  assert.equal((await deviceSelf(linked))['aten::mm'], undefined);
});

const inference = corpus === undefined ? '' : join(corpus, 'tracelens', 'inference');
test('real inference servers', { skip: !existsSync(inference) }, async () => {
  for (const file of [
    'vllm_decode_full/graph_execution.json.gz',
    'sglang_decode/sglang_Qwen3-8B_decode.json.gz',
  ]) {
    const path = join(inference, file);
    const [replayed, all] = /^(\d+) of (\d+) /
      .exec(await captureFact(path))
      .slice(1)
      .map(Number);
    assert.equal(replayed, all, file);
    const rows = await rowsOf('operators', path);
    const kernels = await emberlineJson('kernels', path);
    const self = rows.reduce((sum, row) => sum + row.deviceSelfUs, 0);
    assert.ok(self >= 0.95 * kernels.totalUs, `${file}: ${self}`);
    assert.match(JSON.stringify(await emberlineJson('stacks', path)), /forward/);
  }
});
