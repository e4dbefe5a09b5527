// The analyses of Holistic Trace Analysis on traces of the corpus, all steps included: its figures
// where it is right, and for each of its mistakes a figure that it gets wrong.

import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { corpus, emberline, emberlineJson, withoutCorpus } from '../lib/cli.mjs';

const skip = withoutCorpus;
const file = (name) => path.join(corpus ?? '', 'hta', `${name}.json.gz`);
const rows = async (command, name, ...options) =>
  (await emberlineJson(command, file(name), ...options)).rows;
const by = (name) => ['--by', name];

const dlrm = path.join(corpus ?? '', 'param/et_replay/tests/inputs/extracted/dlrm_kineto');

// idle, compute, non-compute, span (us); overlap (%); launches, sums of calls, short kernels, slow
// calls, long delays.
const figures = {
  'trace_diff/control/control': {
    temporal: [76007, 281336, 107251, 464594],
    overlap: 46.24,
    launches: [9450, 139446, 3674, 30, 6098],
  },
  'df_index_resolver/df_index_resolver': {
    temporal: [732352, 620516, 380097, 1732965],
    overlap: 0,
    launches: [22290, 193875, 11913, 3, 8920],
  },
  'timeline_analysis/sampled_rank-0': {
    temporal: [675191, 210320, 337336, 1222847],
    overlap: 14.95,
    launches: [1204, 11050, 280, 2, 937],
  },
  'trace_filter/sampled_rank-1': {
    temporal: [651136, 271973, 308077, 1231186],
    overlap: 19.93,
    launches: [1154, 9602, 278, 0, 880],
  },
};

for (const [name, expected] of Object.entries(figures)) {
  test(`${name}: temporal breakdown, overlap and launches`, { skip }, async () => {
    const [time] = await rows('distributed', name, ...by('temporal'));
    assert.deepEqual(
      [time.idleTimeUs, time.computeTimeUs, time.nonComputeTimeUs, time.kernelTimeUs],
      expected.temporal,
    );
    const [overlap] = await rows('overlap', name);
    assert.equal(Math.round(overlap.compCommOverlap * 10000) / 100, expected.overlap);
    const [launches] = await rows('launches', name);
    assert.deepEqual(
      [
        launches.launches,
        launches.cpuDurationSumUs,
        launches.shortKernels,
        launches.runtimeOutliers,
        launches.launchDelayOutliers,
      ],
      expected.launches,
    );
  });
}

test('negative_queue_length: launches without those of orphans', { skip }, async () => {
  const [launches] = await rows('launches', 'negative_queue_length_values_check/rank0');
  assert.deepEqual(
    [launches.launches, launches.cpuDurationSumUs, launches.shortKernels, launches.runtimeOutliers],
    [6530, 858754, 2080, 136],
  );
  for (const queue of await rows('queue', 'negative_queue_length_values_check/rank0')) {
    assert.ok(queue.min >= 0, 'no queue is shorter than empty');
  }
});

test(
  'mistake 1: statistics of kernels are those of their runs, not of their sums',
  { skip },
  async () => {
    const kernels = await rows(
      'distributed',
      'ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace',
      ...by('kernels'),
    );
    const gemm = kernels.find((row) => row.name === 'volta_sgemm_64x64_tn');
    assert.ok(gemm.count > 1);
    assert.ok(gemm.minUs <= gemm.medianUs && gemm.medianUs <= gemm.maxUs);
    assert.ok(gemm.maxUs < gemm.sumUs, 'HTA: sum = max = min = mean = 18,140');
    assert.ok(Math.abs(gemm.meanUs * gemm.count - gemm.sumUs) < 1e-6 * gemm.sumUs);
  },
);

test('mistake 2: nanoseconds are kept, so that no duration is negative', { skip }, async () => {
  const [time] = await rows(
    'distributed',
    'ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace',
    ...by('temporal'),
  );
  // HTA rounds each row inward: 464,915 of computation.
  assert.ok(time.computeTimeUs > 464915 && time.computeTimeUs < 464915 + 6095 * 2);
  const sequences = await emberline(['sequences', file('nccl_parser_config/nccl_data')]);
  assert.equal(sequences.status, 0, 'HTA throws here');
});

test('mistake 4: copies of AMD devices are copies', { skip }, async () => {
  const types = await rows(
    'distributed',
    'amd_trace/mi250_minitoy_train_ROCm6_2_kineto',
    ...by('kernelTypes'),
  );
  assert.ok(types.every((row) => !row.kernelType.includes('COMMUNICATION')));
});

test('mistake 5: launches of AMD and of Triton are launches', { skip }, async () => {
  for (const name of [
    'amd_trace/mi250_minitoy_train_ROCm6_2_kineto',
    'triton_example/triton_example',
  ]) {
    const found = await rows('launches', name);
    assert.ok(found.reduce((sum, row) => sum + row.launches, 0) > 0, name);
  }
});

test(
  'mistake 7: every stream with a full queue is told, at the plateau that there is',
  { skip },
  async () => {
    const [queue] = (
      await rows('queue', 'ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace')
    ).filter((row) => row.stream === 7);
    assert.equal(queue.max, 1022);
    assert.ok(queue.durationAtMaxQueueLengthUs > 168555 * 0.95, 'HTA finds nothing at 1,024');
    const streams = (await rows('queue', 'trace_diff/control/control')).map((row) => row.stream);
    assert.deepEqual(streams, [7, 20, 21, 22]);
  },
);

// Durations of these traces are cut to whole microseconds, and the recorded rates, which HTA takes, are not:
// of bytes by duration, the highest of the first trace would be 991 GB/s.
const fastest = {
  'trace_diff/control/control': [934.014, 3.708, 11.697, 693.39],
  'negative_queue_length_values_check/rank0': [865.162, 0.333, 21.166, 2.909],
};
for (const [name, expected] of Object.entries(fastest)) {
  test(`${name}: the highest bandwidths of copies`, { skip }, async () => {
    const copies = await rows('distributed', name, ...by('copies'));
    const kinds = ['Memcpy DtoD', 'Memcpy DtoH', 'Memcpy HtoD', 'Memset'];
    assert.deepEqual(
      copies.map((row) => row.name),
      kinds,
    );
    for (const [index, { maxBandwidth }] of copies.entries()) {
      assert.ok(
        Math.abs(maxBandwidth - expected[index]) < 0.001,
        `${kinds[index]} ${maxBandwidth}`,
      );
    }
  });
}

test('mistake 8: bandwidth has no residue', { skip }, async () => {
  const copies = await rows('distributed', 'trace_diff/test/test', ...by('copies'));
  assert.ok(copies.every((row) => row.meanBandwidth === null || row.meanBandwidth > 1e-3));
});

test(
  'mistake 10: current kernel names are matched, and any number of ranks',
  { skip },
  async () => {
    const one = await rows('collectives', 'nccl_parser_config/nccl_data');
    assert.equal(
      one.reduce((sum, row) => sum + row.calls, 0),
      21,
    );
    const [reduce] = one.filter((row) => row.operation === 'allReduce');
    const calls = await rows('collectives', 'nccl_parser_config/nccl_data', ...by('calls'));
    const longest = calls.reduce((a, b) => (a.transferUs > b.transferUs ? a : b));
    assert.equal(longest.bytes, 2049000 * 4);
    assert.equal(reduce.group, '0');
    const stragglers = await rows(
      'distributed',
      'nccl_parser_config/nccl_data',
      ...by('stragglers'),
    );
    assert.equal(stragglers.length, 1, 'HTA fails where there are fewer ranks than candidates');
  },
);

test('mistake 11: every gap has the class of its launch, in microseconds', { skip }, async () => {
  const idle = await rows('idle', 'trace_diff/control/control');
  for (const stream of [7, 20, 21, 22]) {
    const own = idle.filter((row) => row.stream === stream);
    const sum = own.reduce((total, row) => total + row.idleTimeRatio, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9);
  }
});

test('mistake 14: the rank of compact JSON is read', { skip }, async () => {
  const job = await emberlineJson('distributed', path.join(corpus, 'hta/df_index_resolver'));
  assert.deepEqual(
    job.ranks.map((rank) => rank.rank),
    [1],
  );
});

test('mistake 15: a rank without device work is no failure', { skip }, async () => {
  for (const name of [
    'cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace',
    'rank_non_gpu/rank_non_gpu',
  ]) {
    const { status, stderr } = await emberline(['distributed', file(name), '--by', 'temporal']);
    assert.equal(status, 0, stderr);
  }
});

test(
  'mistake 17: Python between operators is on the critical path, which fills the steps',
  { skip },
  async () => {
    const name = 'critical_path/cuda_event_sync/event_sync_trace';
    const parts = await rows('critical-path', name);
    const sum = parts.reduce((total, row) => total + row.timeUs, 0);
    const [step] = await rows('distributed', name, ...by('steps'));
    assert.equal(Math.round(sum), Math.round(step.stepUs), 'HTA: 2,411, without the time between');
    const kind = (boundBy) =>
      parts.filter((row) => row.boundBy === boundBy).reduce((total, row) => total + row.timeUs, 0);
    // As HTA has it.
    assert.equal(kind('computation'), 36);
    assert.ok(kind('hostUnknown') > 0);
  },
);

test(
  'the critical path over two streams has the device, gaps and launches of HTA',
  { skip },
  async () => {
    const parts = await rows(
      'critical-path',
      'critical_path/cuda_event_sync_multi_stream/event_sync_trace',
    );
    const of = (...kinds) =>
      parts
        .filter(({ boundBy }) => kinds.includes(boundBy))
        .reduce((total, { timeUs }) => total + timeUs, 0);
    assert.equal(of('computation', 'copy'), 124);
    assert.equal(of('kernelGap'), 15);
    assert.equal(of('launch'), 14);
    // HTA has 1,025: without the calls that order the streams, and the operator around the outermost.
    assert.ok(of('host') >= 1025 && of('host') < 1025 * 1.02);
    assert.ok(of('hostUnknown') > 0, 'HTA: 1,178 in all, without the time between operators');
  },
);

test(
  'counters of kernels belong to the operators that launched them, as HTA has them',
  { skip },
  async () => {
    const name = 'cupti_profiler/benchmark_result_924719_1679055439_trace';
    const counters = await rows('distributed', name, ...by('counters'));
    const sum = (list, value) => list.reduce((total, one) => total + value(one), 0);
    const flops = counters.filter((row) => row.counter === 'flops');
    assert.equal(
      sum(flops, (row) => row.count),
      77,
    );
    assert.equal(
      sum(flops, (row) => row.sum),
      80_231_038_456,
    );
    const [fft] = counters.filter(
      (row) => row.kernel.includes('fft2d_r2c_32x32<float, false, 5u') && /fadd/.test(row.counter),
    );
    assert.equal(fft.max, 86_114_304);
    assert.deepEqual([fft.operator, fft.topOperator], ['aten::cudnn_convolution', 'aten::conv2d']);
    const instructions = new Set(counters.map((row) => row.counter));
    assert.equal(instructions.size, 10, 'nine of the recorder, and their sum');
  },
);

test('a complete job of eight ranks: calls, clocks and who was late', { skip }, async () => {
  const job = await emberlineJson('distributed', dlrm);
  assert.equal(job.ranks.length, 8);
  assert.equal(job.nodes.length, 1);
  assert.equal(job.collectives, 8);
  assert.equal(job.unmatchedCalls, 0);
  // One machine, one clock: what is found is noise of stamps in whole microseconds.
  for (const rank of job.ranks) assert.ok(Math.abs(rank.correctionNs) <= 2000);
  const { rows: calls } = await emberlineJson('collectives', dlrm, '--by', 'calls');
  assert.ok(calls.every((call) => call.ranks === 8 && call.lacking === 0));
  assert.equal(job.stragglers[0].rank, 7);
});
