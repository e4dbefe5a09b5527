// The critical path in the windows for which Holistic Trace Analysis has figures: where it is right,
// ours are its figures; where they differ, the test says by which of its rules.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { emberlineJson, temporaryFolder, withoutCorpus } from '../lib/cli.mjs';
import { opened } from './hta_traces.mjs';

const skip = withoutCorpus;

/** Slices of a name in the order of their begin. */
const ranges = async (ask, name) => {
  const { results } = await ask('timeline/search', { name, kind: 'userAnnotation' });
  return results.sort((a, b) => a.startNs - b.startNs);
};

/** Microseconds of the path by kind in a window, of which `whole` is on the path. */
async function pathIn(ask, startNs, endNs) {
  const { sums, wholeNs, parts } = await ask('timeline/criticalPath', { startNs, endNs });
  const us = Object.fromEntries(sums.map(({ kind, timeNs }) => [kind, timeNs / 1000]));
  return { us, whole: wholeNs / 1000, parts };
}

const MEASURED = '[param|pytorch.model.alex_net|0|0|0|measure|forward]';

test('alexnet: device, launch, and host as HTA has them', { skip }, async () => {
  const ask = await opened('critical_path/alexnet/benchmark_result_2869224_1695835535_trace');
  const { startNs, durationNs } = (await ranges(ask, MEASURED))[1];
  const { us } = await pathIn(ask, startNs, startNs + durationNs);
  assert.equal(us.computation + us.copy, 3712);
  assert.equal(us.launch, 30);
  // 50, and the microsecond from one stream to the other, which weighs nothing in HTA.
  assert.equal(us.kernelGap, 51);
  // 32,042 without the time between operators, which weighs nothing either: the path begins with the
  // range, and its first launch on the path is 32,282 us later.
  assert.equal(us.host, 32282);
  assert.ok(us.host > 32042);
});

test(
  'simple_add: a call that finds the device idle does not wait for it, as it does in HTA',
  { skip },
  async () => {
    const ask = await opened('critical_path/end_to_end/simple_add/input/trace');
    const { startNs, durationNs } = (await ranges(ask, MEASURED))[1];
    const { us } = await pathIn(ask, startNs, startNs + durationNs);
    // HTA: 508 us of the device, which has done all 235 us before the host asks for it. Its path
    // goes there because the host's 42 us between the last operators weigh nothing.
    assert.deepEqual(Object.keys(us), ['host']);
    const inRange = ({ startNs: at }) => at >= startNs && at < startNs + durationNs;
    const lastOf = async (params) =>
      (await ask('timeline/search', { limit: 1000, ...params })).results
        .filter(inRange)
        .reduce((last, one) => (one.startNs > last.startNs ? one : last));
    const sync = await lastOf({ name: 'cudaDeviceSynchronize' });
    const kernel = await lastOf({ kind: 'kernel' });
    assert.equal(sync.startNs - (kernel.startNs + kernel.durationNs), 235_000);
  },
);

test(
  'ns_resolution: where the device is behind, the path is its work and the gaps between',
  { skip },
  async () => {
    const ask = await opened('ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace');
    const [step] = await ranges(ask, 'ProfilerStep#102');
    // What this step launches begins 65,998.5 us into it, when the steps before are done, and is
    // done at 161,734.5 us: HTA's 95,735 us, which it rounds to microseconds.
    const begin = step.startNs + 65_998_500;
    const end = step.startNs + 161_734_500;
    const { us, whole } = await pathIn(ask, begin, end);
    assert.deepEqual(Object.keys(us).sort(), ['computation', 'copy', 'kernelGap']);
    assert.equal(whole, 95_736);
    // Rounding takes up to 2 us off each of 1,219 kernels, and adds them to the gaps: HTA has 93,692
    // and 2,043.
    const device = us.computation + us.copy;
    // Stamps have quarters of a microsecond, by which kernels overlap at times.
    assert.ok(Math.abs(device - 94_591.138) < 0.25, String(device));
    assert.ok(device - 93_692 < 1219 * 2);
    assert.equal(Math.round((device + us.kernelGap) * 1000), 95_736_000);
    // With edges from launches, HTA has 1,773 us of the host before launches that ran 66 ms later, a
    // path of 97,176 us: longer than the time from its first work to its last.
    assert.equal(us.host, undefined);
  },
);

test('amd: a step is the range on the host, and not its copy on the device', { skip }, async () => {
  const ask = await opened('amd_trace/mi250_minitoy_train_ROCm6_2_kineto');
  const [step] = await ranges(ask, 'ProfilerStep#1');
  const { us, whole, parts } = await pathIn(ask, step.startNs, step.startNs + step.durationNs);
  // HTA takes the copy of 1,031 us for another step: 741 us of the host.
  assert.equal(whole, 9288.291);
  assert.equal(Math.round(Object.values(us).reduce((a, b) => a + b) * 1000), 9_288_291);
  // Its path lacks the launch that takes most of the step.
  assert.ok(parts.some(({ startNs, endNs }) => endNs - startNs === 6_543_109));
  // HTA: none, though the host waits for two copies.
  assert.equal(us.copy, 22.441 + 15.72);
});

test('mistake 3: steps on the device are none, however far they reach', async () => {
  const { folder, remove } = temporaryFolder('steps');
  try {
    let correlation = 0;
    const slice = (cat, name, tid, ts, dur, args = {}) => ({
      ph: 'X',
      cat,
      name,
      pid: cat.startsWith('gpu') || cat === 'kernel' ? 0 : 1,
      tid,
      ts,
      dur,
      args,
    });
    const launched = (name, asked, ts, dur) => {
      correlation += 1;
      const device = { device: 0, stream: 7, correlation };
      return [
        slice('cpu_op', `aten::${name}`, 1, asked, 20),
        slice('cuda_runtime', 'cudaLaunchKernel', 1, asked + 5, 10, { correlation }),
        slice('kernel', name, 7, ts, dur, device),
      ];
    };
    // The device is behind: it works for the first step when the host is in the last.
    const events = [
      slice('user_annotation', 'ProfilerStep#1', 1, 1000, 1000),
      ...launched('first', 1100, 1500, 500),
      ...launched('second', 1200, 2000, 600),
      slice('user_annotation', 'ProfilerStep#2', 1, 2000, 1000),
      ...launched('third', 2100, 2600, 900),
      slice('gpu_user_annotation', 'ProfilerStep#1', 7, 1500, 1100),
      slice('gpu_user_annotation', 'ProfilerStep#2', 7, 2600, 900),
    ];
    const file = path.join(folder, 'behind.pt.trace.json');
    const header = { schemaVersion: 1, deviceProperties: [{ id: 0, name: 'Device' }] };
    writeFileSync(file, JSON.stringify({ ...header, traceEvents: events }));
    const kernelsOf = async (...steps) =>
      (await emberlineJson('kernels', file, ...steps)).rows.map(({ name }) => name).sort();
    // HTA counts what the host does at 2,100 to step 1, and leaves the last step where it is.
    assert.deepEqual(await kernelsOf('--steps', '1'), ['first', 'second']);
    assert.deepEqual(await kernelsOf('--steps', '2'), ['third']);
    assert.deepEqual(await kernelsOf(), ['first', 'second', 'third']);
    const { rows } = await emberlineJson('distributed', file, '--by', 'steps');
    assert.deepEqual(
      rows.map((row) => row.computationUs),
      [1100, 900],
    );
  } finally {
    remove();
  }
});
