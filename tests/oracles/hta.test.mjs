// Figures that Holistic Trace Analysis computed on traces of the corpus, where it counts the same
// things over the same time (its last step included). Left out are traces where it does not: it
// drops device work whose launch is not in the file, takes the rows of synchronization for work,
// and rounds decimal stamps to whole microseconds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutCorpus } from '../lib/cli.mjs';
import { opened } from './hta_traces.mjs';

const skip = withoutCorpus;

const sum = (rows, key) => rows.reduce((total, row) => total + row[key], 0);

/** Device rows, the sum of their durations, and the time in which some computation runs. */
async function deviceWork(ask) {
  const kernels = await ask('view/kernels', { limit: -1 });
  const copies = await ask('view/copies', { limit: -1 });
  const overview = await ask('view/overview', { limit: -1 });
  return {
    rows: kernels.launches + sum(copies.rows, 'calls'),
    sumUs: kernels.totalUs + sum(copies.rows, 'totalUs'),
    computeUs: overview.steps.reduce((total, step) => total + step.parts.kernel, 0),
  };
}

/** Idle time between the first and the last work of the device. */
async function idleUs(ask) {
  const { idleNs, byReason } = await ask('timeline/gaps', { minNs: 1, limit: 1 });
  const begin = byReason.find((one) => one.reason === 'startOfTrace')?.sumNs ?? 0;
  return (idleNs - begin) / 1000;
}

/** Most work that was launched on a stream and had not begun. */
async function longestQueue(ask, stream) {
  const { tracks, startNs, endNs } = await ask('timeline/tracks');
  const track = tracks.find((one) => one.name === `Queue depth, stream ${stream}`);
  // Extremes are kept at every zoom.
  const { series } = await ask('timeline/window', {
    startNs,
    endNs,
    pixels: 1000,
    tracks: [track.id],
  });
  assert.ok(Math.min(...series[0].value) >= 0);
  return Math.max(...series[0].value);
}

const figures = {
  'trace_diff/control/control': { rows: 9450, sumUs: 501567, computeUs: 281336, idleUs: 76007 },
  'df_index_resolver/df_index_resolver': {
    rows: 22290,
    sumUs: 1000613,
    computeUs: 620516,
    idleUs: 732352,
  },
  'timeline_analysis/sampled_rank-0': {
    rows: 1204,
    sumUs: 607844,
    computeUs: 210320,
    idleUs: 675191,
  },
  'trace_filter/sampled_rank-1': { rows: 1154, sumUs: 667530, computeUs: 271973, idleUs: 651136 },
  // Rows of synchronization begin and end the device's time there.
  'critical_path/alexnet/benchmark_result_2869224_1695835535_trace': {
    rows: 98,
    sumUs: 66203,
    computeUs: 10630,
  },
  'critical_path/end_to_end/simple_add/input/trace': { rows: 98, sumUs: 49816, computeUs: 10670 },
  'critical_path/cuda_event_sync/event_sync_trace': { rows: 5, sumUs: 51, computeUs: 49 },
  'critical_path/cuda_event_sync_multi_stream/event_sync_trace': {
    rows: 6,
    sumUs: 372,
    computeUs: 369,
  },
};

for (const [name, expected] of Object.entries(figures)) {
  test(`${name}: device work and idle time`, { skip }, async () => {
    const ask = await opened(name);
    const found = await deviceWork(ask);
    if (expected.idleUs !== undefined) found.idleUs = await idleUs(ask);
    // Stamps are whole microseconds here: nothing is rounded.
    assert.deepEqual(found, expected);
  });
}

// What remains of the sums when decimal stamps are not rounded.
for (const [name, rows, sumUs] of [
  ['ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace', 6095, 472454],
  ['nccl_parser_config/nccl_data', 3774, 165186],
  ['amd_trace/mi250_minitoy_train_ROCm6_2_kineto', 16, 149],
]) {
  test(`${name}: device work in nanoseconds`, { skip }, async () => {
    const found = await deviceWork(await opened(name));
    assert.equal(found.rows, rows);
    assert.equal(Math.round(found.sumUs), sumUs);
  });
}

// The longest queues; of the last step, which HTA leaves out here, they hold at most as much.
for (const [name, queues] of [
  ['trace_diff/control/control', { 20: 10, 21: 2, 22: 22 }],
  ['ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace', { 7: 1022 }],
  ['nccl_parser_config/nccl_data', { 7: 10 }],
]) {
  test(`${name}: longest queue of launches`, { skip }, async () => {
    const ask = await opened(name);
    for (const [stream, longest] of Object.entries(queues)) {
      assert.equal(await longestQueue(ask, stream), longest, `stream ${stream}`);
    }
  });
}

test('a kernel by its name, without the last step', { skip }, async () => {
  const ask = await opened('ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace');
  const { rows } = await ask('view/kernels', {
    limit: -1,
    steps: '101-104',
    filter: 'name=volta_sgemm_64x64_tn',
  });
  assert.equal(rows.length, 1);
  // 18140 us after up to 2 us were rounded off each call.
  const lost = rows[0].totalUs - 18140;
  assert.ok(lost >= 0 && lost <= 2 * rows[0].calls, `${rows[0].totalUs} us in ${rows[0].calls}`);
});

test('MTIA: copies are no kernels', { skip }, async () => {
  const found = async (method) => {
    const ask = await opened('mtia_trace_single_rank/mtia_rank_0');
    return ask(method, { limit: -1 });
  };
  const { launches } = await found('view/kernels');
  const copies = sum((await found('view/copies')).rows, 'calls');
  const { parts } = (await found('view/overview')).steps[0];
  assert.equal(launches, 3453);
  // Computing and copying of the one step, after up to 2 us were rounded off each row.
  assert.ok(Math.abs(parts.kernel - 7305597) <= 2 * launches, `${parts.kernel} us`);
  assert.ok(Math.abs(parts.memcpy - 372998) <= 2 * copies, `${parts.memcpy} us`);
});
