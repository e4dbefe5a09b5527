// Overview, operators and kernels of a trace with device work, through the real daemon.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startDaemon, validate } from './daemon.mjs';

let folder, daemon, profileId;

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
  folder = mkdtempSync(join(tmpdir(), 'emberline-device-'));
  const path = join(folder, 'worker.pt.trace.json');
  writeFileSync(path, drawn());
  daemon = startDaemon();
  await daemon.initialize();
  ({ profileId } = await daemon.request('profile/open', { path }));
});
after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

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
  const wrong = await daemon.exchange('view/operators', { profileId, groupBy: 'colour' });
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
