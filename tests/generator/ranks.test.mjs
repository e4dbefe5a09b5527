// Jobs that are drawn event by event: sends and receives, groups without names, machines, what is
// broken among many.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberline, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { DrawnRank, world, writeRanks } from './drawn_ranks.mjs';

const { folder, remove } = temporaryFolder('ranks');
after(remove);

let number = 0;
function written(ranks, name) {
  const at = path.join(folder, `job${(number += 1)}`);
  writeRanks(at, ranks, name);
  return at;
}
const table = async (at, by, command = 'distributed') =>
  (await emberlineJson(command, at, '--by', by)).rows;
const notes = async (at, kind) =>
  (await emberlineJson('distributed', at)).notes.filter((note) => note.kind === kind);

/** Stages of a pipeline: each sends twice a step to the next, 1 ms a step. */
function pipeline(count, { steps = 3, transferOf = () => 40, first = {}, p2p = {} } = {}) {
  const group = world(count);
  const ranks = group.ranks.map(
    (rank) => new DrawnRank(rank, { worldSize: count, groups: p2p.groups ?? [group] }),
  );
  for (let step = 0; step < steps; step += 1) {
    const start = 1000 + step * 1000;
    for (const rank of ranks) {
      if (step < (first[rank.rank] ?? 0)) continue;
      rank.step(step, start, 990);
      rank.kernel('gemm', start + 20, 50);
      rank.collective('allreduce', group, 64, start + 900, 30, p2p.world ?? {});
    }
    for (let stage = 0; stage + 1 < count; stage += 1) {
      for (let micro = 0; micro < 2; micro += 1) {
        // Sizes of all sends are equal: their order alone tells them apart.
        const at = start + 100 + micro * 300 + stage * 60;
        const took = transferOf(stage);
        const [from, to] = [ranks[stage], ranks[stage + 1]];
        if (step >= (first[from.rank] ?? 0)) {
          const more = { 'Dst Rank': stage + 1 };
          const range = `nccl:send ${stage}->${stage + 1}`;
          from.collective('send', group, 1000, at, took, { more, range, ...p2p.pair });
        }
        if (step >= (first[to.rank] ?? 0)) {
          const more = { 'Src Rank': stage };
          const range = `nccl:recv ${stage + 1}<-${stage}`;
          to.collective('recv', group, 1000, at - 5, took + 5, { more, range, ...p2p.pair });
        }
      }
    }
  }
  return ranks;
}

test('a rank that begins to record a step later receives what was sent in that step', async () => {
  const at = written(pipeline(3, { first: { 1: 1 } }));
  const pairs = (await table(at, 'calls')).filter(({ operation }) => operation !== 'allReduce');
  const matched = pairs.filter(({ ranks }) => ranks === 2);
  // Two pairs of stages in two common steps, twice each; the receiver is 5 us early in each.
  assert.equal(matched.length, 8);
  for (const row of matched) assert.equal(Math.round(row.spreadUs), 5, `${row.startUs}`);
  // What was sent to a rank that did not record yet stands alone, and is missing on nobody.
  const alone = pairs.filter(({ ranks }) => ranks === 1);
  assert.deepEqual(alone.map(({ operation }) => operation).sort(), [
    'recv',
    'recv',
    'send',
    'send',
  ]);
  for (const row of alone) assert.equal(row.lacking, 0);
});

test('peers that only the range around a call names are read from it', async () => {
  const at = written(pipeline(3, { p2p: { pair: { without: 'all' }, groups: [] } }));
  const pairs = (await table(at, 'calls')).filter(({ operation }) => operation === 'send');
  assert.equal(pairs.length, 12);
  for (const row of pairs) assert.equal(row.ranks, 2);
  assert.deepEqual(await notes(at, 'unmatchedPairs'), []);
});

test('sends and receives whose peers are not known are listed, and said not to be matched', async () => {
  const p2p = { pair: { without: 'all', range: undefined }, groups: [] };
  const at = written(pipeline(3, { p2p }));
  const rows = (await table(at, 'operations', 'collectives')).filter(
    ({ operation }) => operation !== 'allReduce',
  );
  assert.equal(
    rows.reduce((sum, row) => sum + row.calls, 0),
    24,
  );
  assert.ok(rows.every((row) => row.matchedCalls === 0));
  assert.equal((await notes(at, 'unmatchedPairs')).length, 1);
});

test('a pair whose link is slow is named', async () => {
  const at = written(pipeline(5, { transferOf: (stage) => (stage === 2 ? 50 : 20) }));
  const [note, ...others] = await notes(at, 'slowLink');
  assert.deepEqual(note.ranks, [2, 3]);
  assert.deepEqual(others, []);
});

test('what a rank sent to one without a trace is in the matrix', async () => {
  const at = written(pipeline(3).filter(({ rank }) => rank !== 2));
  const row = (await table(at, 'matrix')).find(({ rank, peer }) => rank === 1 && peer === 2);
  assert.equal(row.calls, 6);
  assert.equal(row.bytes, 12_000);
});

/** Ranks that only reduce over everybody, once. */
function plain(count, { device = (rank) => rank, header = () => ({}) } = {}) {
  const group = world(count);
  return group.ranks.map((rank) => {
    const drawn = new DrawnRank(rank, {
      worldSize: count,
      device: device(rank),
      groups: [group],
      header: header(rank),
    });
    drawn.kernel('gemm', 1000, 50);
    drawn.collective('allreduce', group, 64, 1100, 30);
    return drawn;
  });
}

test('machines are those that were recorded; else devices tell', async () => {
  const nodes = async (ranks) =>
    (await emberlineJson('distributed', written(ranks))).nodes.map((node) => node.ranks);
  const header = (rank) => ({ top: { host_name: rank % 2 === 0 ? 'even' : 'odd' } });
  assert.deepEqual(await nodes(plain(4, { header })), [
    [0, 2],
    [1, 3],
  ]);
  // Names of files tell ranks apart, not machines.
  assert.deepEqual(await nodes(plain(4, { device: (rank) => rank % 2 })), [
    [0, 1],
    [2, 3],
  ]);
  assert.deepEqual(await nodes(plain(4)), [[0, 1, 2, 3]]);
});

test('ranks with another NCCL are named', async () => {
  const header = (rank) => ({
    distributedInfo: { nccl_version: rank === 2 ? '2.18.1' : '2.21.5' },
  });
  const [note] = await notes(written(plain(4, { header })), 'mixedVersions');
  assert.match(note.text, /nccl_version: 2\.18\.1 on 2; 2\.21\.5 on 0, 1, 3/);
});

test('files named for other ranks than those in them are said to be, once', async () => {
  const swapped = { 1: 3, 3: 1 };
  const at = written(plain(4), (rank) => `rank${swapped[rank] ?? rank}.json`);
  const [note, ...others] = await notes(at, 'otherName');
  assert.deepEqual(note.ranks, [1, 3]);
  assert.match(note.text, /rank3\.json is from rank 1/);
  assert.deepEqual(others, []);
});

test('empty and damaged files named like ranks are broken ranks; others are only named', async () => {
  const at = written(plain(4), (rank) => `rank${rank}.json.gz`);
  fs.writeFileSync(path.join(at, 'rank1.json.gz'), '');
  fs.writeFileSync(path.join(at, 'rank2.json.gz'), Buffer.from([0x1f, 0x8b]));
  fs.writeFileSync(path.join(at, 'settings.json'), '');
  const broken = (await notes(at, 'brokenFile')).map(({ text }) => text);
  assert.equal(broken.length, 3);
  assert.match(broken[0], /^\S*\/rank1\.json\.gz is empty\.$/);
  assert.match(broken[1], /^\S*\/rank2\.json\.gz [^/]+\.$/);
  assert.match(broken[2], /^\S*\/settings\.json is empty\.$/);
  const digests = await emberline(['digest', at, '-o', path.join(folder, 'of-broken')]);
  assert.equal(digests.status, 3);
  assert.match(digests.stdout, /2 digests made, 0 already there, 2 traces failed/);
  const { stdout } = await emberline(['jobs', 'slurm', at]);
  for (const name of ['rank0', 'rank1', 'rank2', 'rank3'])
    assert.match(stdout, RegExp(`/${name}\\.`));
  assert.doesNotMatch(stdout, /settings/);
});

test('a job has more ranks than files that are looked at', async () => {
  const at = path.join(folder, 'thousands');
  fs.mkdirSync(at);
  const text = JSON.stringify({ traceEvents: [] });
  for (let rank = 0; rank < 2100; rank += 1) {
    fs.writeFileSync(path.join(at, `rank${rank}_trace.json`), text);
  }
  const { stdout } = await emberline(['jobs', 'slurm', at]);
  assert.equal(stdout.match(/rank\d+_trace\.json/g).length, 2100);
});

const bySize = { without: ['Process Group'] };

test('groups that a recorder did not name are those of their size in the header', async () => {
  const all = world(4);
  const pairs = [
    { name: '1', description: 'tp', ranks: [0, 1] },
    { name: '1', description: 'tp', ranks: [2, 3] },
  ];
  const groups = [all, ...pairs];
  const ranks = all.ranks.map((rank) => {
    const drawn = new DrawnRank(rank, { worldSize: 4, groups });
    drawn.collective('allreduce', pairs[rank >> 1], 64, 1000, 20, bySize);
    drawn.collective('allreduce', all, 64, 1100, 20, bySize);
    return drawn;
  });
  const calls = await table(written(ranks), 'calls');
  assert.deepEqual(calls.map((row) => row.ranks).sort(), [2, 2, 4]);
});

test('calls of groups that nothing tells apart are not matched, and that is said', async () => {
  const ranks = world(4).ranks.map((rank) => {
    const drawn = new DrawnRank(rank, { worldSize: 4 });
    drawn.collective('allreduce', { ranks: [0, 1] }, 64, 1000, 20, bySize);
    return drawn;
  });
  const at = written(ranks);
  const calls = await table(at, 'calls');
  assert.deepEqual(
    calls.map((row) => row.ranks),
    [1, 1, 1, 1],
  );
  const [note] = await notes(at, 'ambiguousGroups');
  assert.match(note.text, /process groups of 2 ranks: 4 collectives are not matched/);
});

const kernelNames = [
  [
    'void c10d::symmetric_memory::(anonymous namespace)::multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)',
    'allReduce',
  ],
  [
    'void at::native::(anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(float**)',
    'allReduce',
  ],
  ['c10d::symmetric_memory::barrier_kernel(unsigned int**, int)', 'barrier'],
  ['userbuffers_fp16_sum_inplace_gpu_rw<4>(int)', 'allReduce'],
  ['hcom_broadcast__586_4_1', 'broadcast'],
  ['hcom_batchSendRecv__586_7_1', 'sendRecv'],
  ['triton_for_fused_all_reduce_2', null],
  ['triton_tem_fused_mm_all_gather_1', null],
];

test('names of kernels that communicate, and of those that only sound like it', async () => {
  const drawn = new DrawnRank(0, { worldSize: 1 });
  kernelNames.forEach(([name], index) => drawn.kernel(name, 1000 + index * 100, 20));
  const calls = await table(written([drawn]), 'calls');
  assert.deepEqual(
    calls.map(({ operation }) => operation),
    kernelNames.map(([, operation]) => operation).filter((operation) => operation !== null),
  );
});

/** Calls outside of NCCL, which nothing but the operator that makes them describes: [operator, shapes
 * and types of its arguments, kernel, what is told of it]. */
const custom = 'void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(vllm::RankData*)';
const multimem = (what) =>
  `void c10d::symmetric_memory::(anonymous namespace)::multimem_${what}_kernel<c10::BFloat16, 16>()`;
const BF16 = 'c10::BFloat16';
const described = [
  [
    '_C_custom_ar::all_reduce',
    [[], [16, 4096], [16, 4096], [], []],
    ['Scalar', BF16, BF16, 'Scalar', 'Scalar'],
    custom,
    { operation: 'allReduce', bytes: 131_072, dtype: BF16 },
  ],
  [
    'symm_mem::multimem_all_reduce_',
    [[8, 4096], [], []],
    [BF16, '', ''],
    multimem('all_reduce'),
    { operation: 'allReduce', bytes: 65_536, dtype: BF16 },
  ],
  [
    // A shared buffer, which is larger, and what is copied into it.
    'symm_mem::one_shot_all_reduce_copy',
    [[1_048_576], [8, 4096], [], []],
    ['unsigned char', 'c10::Half', '', ''],
    'void one_shot_all_reduce_kernel<c10::Half, 16, 8>(c10::Half**)',
    { operation: 'allReduce', bytes: 65_536, dtype: 'c10::Half' },
  ],
  [
    'symm_mem::multimem_all_gather_out',
    [[8, 4096], [], [16, 4096]],
    [BF16, '', BF16],
    multimem('all_gather'),
    { operation: 'allGather', bytes: 131_072, dtype: BF16 },
  ],
  [
    // The output comes first.
    'c10d::_reduce_scatter_base_',
    [[4, 64], [8, 64], [], [], []],
    ['float', 'float', '', '', 'Scalar'],
    'void reduce_scatter_kernel<float>(float*)',
    { operation: 'reduceScatter', bytes: 2048, dtype: 'float' },
  ],
  [
    // Of how many ranks all is, nothing tells: pairs have groups of their own.
    'my::all_gather',
    [[8, 64], []],
    ['float', ''],
    'void my_all_gather_kernel<float>(float*)',
    { operation: 'allGather', bytes: null, dtype: 'float' },
  ],
  [
    // Its product is reduced, which is not among its arguments.
    'my::gemm_all_reduce',
    [
      [8, 64],
      [64, 64],
    ],
    ['float', 'float'],
    'void my_all_reduce_kernel<float>(float*)',
    { operation: 'allReduce', bytes: null, dtype: null },
  ],
  [
    // A list of tensors has no type; what adds them up says in which.
    'my::all_reduce_coalesced',
    [
      [
        [8, 64],
        [4, 64],
      ],
      [],
    ],
    ['TensorList', ''],
    'void my_all_reduce_kernel<__half, 4>(__half**)',
    { operation: 'allReduce', bytes: 1536, dtype: 'half' },
  ],
  [
    'my::all_gather_coalesced',
    [
      [
        [8, 64],
        [4, 64],
      ],
      [],
    ],
    ['TensorList', ''],
    'void my_all_gather_kernel<float>(float*)',
    { operation: 'allGather', bytes: null, dtype: null },
  ],
  [
    'aten::mm',
    [
      [8, 64],
      [64, 64],
    ],
    ['float', 'float'],
    'void my_all_reduce_kernel<float>(float*)',
    { operation: 'allReduce', bytes: null, dtype: null },
  ],
];

test('what calls outside of NCCL move is told by the arguments of their operators', async () => {
  const groups = [
    world(4),
    { name: '1', description: 'tp', ranks: [0, 1] },
    { name: '2', description: 'tp', ranks: [2, 3] },
  ];
  const ranks = world(4).ranks.map((rank) => {
    const drawn = new DrawnRank(rank, { worldSize: 4, groups });
    described.forEach(([operator, shapes, types, kernel], i) => {
      const inputs = { 'Input Dims': shapes, 'Input type': types };
      drawn.kernel(kernel, 1000 + 100 * i, 20, { operator, inputs });
    });
    return drawn;
  });
  const calls = await table(written(ranks.slice(0, 1)), 'calls', 'collectives');
  assert.deepEqual(
    calls.map(({ operation, bytes, dtype }) => ({ operation, bytes, dtype })),
    described.map(([, , , , told]) => told),
  );
});

test('a delay is traced through another group to the rank with which it began', async () => {
  const all = world(4);
  const pairs = [
    { name: '1', description: 'tp', ranks: [0, 1] },
    { name: '2', description: 'tp', ranks: [2, 3] },
  ];
  const ranks = all.ranks.map((rank) => new DrawnRank(rank, { worldSize: 4, groups: [all] }));
  for (let step = 0; step < 4; step += 1) {
    const start = 1000 + step * 2000;
    const at = ({ rank }) => start + 100 + (rank === 3 ? 600 : rank);
    for (const drawn of ranks) {
      drawn.step(step, start, 1990);
      drawn.kernel(drawn.rank === 3 ? 'sort' : 'gemm', start + 20, at(drawn) - start - 30);
      const pair = pairs[drawn.rank >> 1];
      const pairEnd = Math.max(...pair.ranks.map((rank) => at(ranks[rank]))) + 50;
      drawn.collective('allreduce', pair, 64, at(drawn), pairEnd - at(drawn));
      // Rank 2 comes last by a little, as it waited for rank 3.
      const begin = pairEnd + 10 + (drawn.rank === 2 ? 5 : 0);
      drawn.collective('allreduce', all, 64, begin, start + 900 - begin);
    }
  }
  const written_ = written(ranks);
  const job = await emberlineJson('distributed', written_);
  assert.deepEqual(
    job.stragglers.map(({ rank }) => rank),
    [3],
  );
  const rows = Object.fromEntries(
    (await table(written_, 'stragglers')).map((row) => [row.rank, row]),
  );
  assert.ok(rows[2].causedUs > 0);
  assert.equal(rows[2].tracedUs, 0);
  assert.equal(Math.round(rows[3].tracedUs), Math.round(rows[2].causedUs + rows[3].causedUs));
  assert.match(rows[2].reason, /, waiting for rank 3$/);
});

/** All-to-alls of uneven shares without numbers, 3 steps of 8, at uneven distances. */
function exchanges(count, skip) {
  const group = world(count);
  const ranks = group.ranks.map(
    (rank) => new DrawnRank(rank, { worldSize: count, groups: [group] }),
  );
  for (let step = 0; step < 3; step += 1) {
    const start = 1000 + step * 3000;
    for (const drawn of ranks) {
      const off = [0, 260, -260, 7_200_000_000][drawn.rank]; // by less than a call, and by hours
      if (!skip(drawn.rank, step, -1)) drawn.step(step, start + off, 2990);
      for (let call = 0; call < 8; call += 1) {
        if (skip(drawn.rank, step, call)) continue;
        // Shares that agree by chance tell nothing.
        const share = 100 + ((drawn.rank * 7 + call * 3 + step) % 3);
        const end = start + 100 + call * 300 + ((call * call * 37 + step * 11) % 90);
        drawn.collective('alltoall', group, share, end - 40 - drawn.rank + off, 40 + drawn.rank);
      }
    }
  }
  return ranks;
}
const ranksOfCalls = async (at) => {
  const rows = await table(at, 'calls');
  for (const row of rows) assert.ok(row.spreadUs < 4, `call ${row.call}: ${row.spreadUs}`);
  return rows.map((row) => row.ranks).sort();
};

test('uneven exchanges without numbers match around a call that one rank lacks', async () => {
  const at = written(exchanges(4, (rank, step, call) => rank === 2 && step === 1 && call === 3));
  assert.deepEqual(await ranksOfCalls(at), [3, ...Array(23).fill(4)]);
});

test('a recording that begins within a step takes part in what is left of it', async () => {
  const at = written(exchanges(4, (rank, step, call) => rank === 1 && step === 0 && call < 5));
  assert.deepEqual(await ranksOfCalls(at), [...Array(5).fill(3), ...Array(19).fill(4)]);
  assert.deepEqual(await notes(at, 'missingCalls'), []);
});

test('work of several devices in one process stays apart in each table', async () => {
  const group = world(2);
  const ranks = group.ranks.map((rank) => new DrawnRank(rank, { worldSize: 2, groups: [group] }));
  for (const drawn of ranks) {
    drawn.step(1, 900, 2000);
    drawn.step(2, 2900, 200);
    for (const [at, device] of [0, 1, 1].entries()) {
      drawn.device = device;
      for (const part of [0, 1, 2]) drawn.kernel('gemm', 1000 + 500 * at + 50 * part, 40 + device);
      drawn.host('aten::big', 985 + 500 * at, 130);
      drawn.host('cudaDeviceSynchronize', 1116 + 500 * at, 30, 'cuda_runtime');
    }
  }
  const at = written(ranks);
  const kernels = await table(at, 'kernelRanks');
  assert.deepEqual(
    kernels.map((row) => [row.rank, row.device, row.count, row.sumUs]),
    [0, 1].flatMap((rank) => [
      [rank, 0, 3, 120],
      [rank, 1, 6, 246],
    ]),
  );
  const path = await table(at, 'criticalKernels');
  const devices = new Set(path.map((row) => `${row.rank} ${row.device}`));
  assert.deepEqual([...devices].sort(), ['0 0', '0 1', '1 0', '1 1']);
  // What is summed over ranks has neither column.
  const { tables } = await emberlineJson('distributed', at);
  const whole = ['stragglers', 'reasons', 'lateWork', 'lateness', 'ranks', 'matrix'];
  for (const { by } of tables) {
    const result = await emberlineJson('distributed', at, '--by', by);
    const keys = result.columns.map((column) => column.key);
    if (!keys.includes('rank') || whole.includes(by)) continue;
    const lines = by === 'criticalOperators' || by === 'criticalLines';
    assert.equal(keys.includes('device'), !lines, by);
  }
});

test('a graph over two devices is a launch on each of them', async () => {
  const drawn = new DrawnRank(0, { worldSize: 1 });
  drawn.step(1, 900, 3000);
  for (const [at, devices] of [
    [1000, [0, 1, 1, 0]],
    [1500, [1, 0]],
    [2000, [1, 1]],
  ]) {
    drawn.correlation += 1;
    const { correlation } = drawn;
    drawn.host('cudaGraphLaunch', at - 20, 5, 'cuda_runtime', { correlation });
    devices.forEach((device, k) =>
      drawn.slice('kernel', 'gemm', device, 7, at + 50 * k, 40, { device, stream: 7, correlation }),
    );
  }
  drawn.device = 1;
  drawn.kernel('gemm', 2500, 40);
  const rows = await table(written([drawn]), 'launches');
  assert.deepEqual(
    rows.map((row) => [row.device, row.launches, row.graphLaunches, row.graphWork]),
    [
      [0, 0, 2, 3],
      [1, 1, 3, 5],
    ],
  );
});

/** Why tables of a job have no rows, by table: codes. */
async function absencesOf(at) {
  const found = {};
  for (const { by } of (await emberlineJson('distributed', at)).tables) {
    const { rows, absences } = await emberlineJson('distributed', at, '--by', by);
    assert.equal(absences.length, rows.length === 0 ? 1 : 0, by);
    for (const { code, what } of absences) {
      assert.match(what, /^[A-Z].*\.$/, by);
      found[by] = code;
    }
  }
  return found;
}

test('a table without rows says what was looked for and not found', async () => {
  const host = new DrawnRank(0, { worldSize: 1 });
  host.step(1, 900, 500);
  host.host('aten::mm', 1000, 40);
  const onHost = written([host]);
  const noDevice = 'noDeviceWorkOfJob';
  const silent = 'noCommunicationRecorded';
  assert.deepEqual(await absencesOf(onHost), {
    reasons: silent,
    lateWork: 'noSendsOrReceives',
    lateness: silent,
    operations: silent,
    calls: silent,
    sizes: silent,
    groups: silent,
    matrix: silent,
    nodeMatrix: silent,
    idle: noDevice,
    gaps: noDevice,
    kernels: noDevice,
    kernelRanks: noDevice,
    launches: noDevice,
    launchRows: noDevice,
    queues: noDevice,
    copies: noDevice,
    sequences: noDevice,
    operatorKernels: noDevice,
    counters: 'noCounters',
    criticalKernels: noDevice,
  });
  for (const [command, sentence] of [
    [
      'collectives',
      /No communication was recorded: .*\n {2}torch\.profiler argument: activities\n$/,
    ],
    ['idle', /No device work was recorded/],
    ['launches', /No device work was recorded/],
    ['queue', /No device work was recorded/],
    ['sequences', /No device work was recorded/],
  ]) {
    assert.match((await emberline([command, onHost])).stdout, sentence, command);
    assert.match(
      (await emberline([command, onHost, '--format', 'markdown'])).stdout,
      /was recorded/,
    );
    const { stdout, stderr } = await emberline([command, onHost, '--format', 'csv']);
    assert.match(stderr, /was recorded/, command);
    assert.equal(stdout.split('\r\n').length, 2, 'only the head');
  }
  // One kernel, whose launch was not recorded; one call that no other rank has.
  const lone = new DrawnRank(0, { worldSize: 2, groups: [world(2)] });
  lone.step(1, 900, 500);
  lone.slice('kernel', 'gemm', 0, 7, 1000, 40, { device: 0, stream: 7 });
  lone.slice('kernel', 'ncclDevKernel_AllReduce_Sum_f32', 0, 7, 1040, 40, { device: 0, stream: 7 });
  assert.deepEqual(await absencesOf(written([lone])), {
    reasons: 'nothingMatched',
    lateWork: 'noSendsOrReceives',
    lateness: 'nothingMatched',
    sizes: 'nothingMatched',
    matrix: 'nothingMatched',
    nodeMatrix: 'nothingMatched',
    idle: 'noIdleStream',
    launches: 'noLinkedLaunches',
    launchRows: 'noLinkedLaunches',
    queues: 'noLinkedLaunches',
    copies: 'noCopiesOfJob',
    sequences: 'noSequences',
    operatorKernels: 'noLaunchingOperators',
    counters: 'noCounters',
    criticalKernels: 'noKernelOnPath',
  });
  // What a filter leaves nothing of is not missing.
  const { rows, absences } = await emberlineJson(
    'distributed',
    onHost,
    '--by',
    'ranks',
    '--filter',
    'nothing',
  );
  assert.deepEqual([rows, absences], [[], []]);
});

test('a table without rows says that the missing part of a cut file may contain what it lacks', async () => {
  const at = written(plain(3));
  const absence = async (of, by) =>
    (await emberlineJson('distributed', of, '--by', by)).absences.map((one) => [
      one.what.replace(/^.*: (?=the missing)/, ''),
      one.argument,
    ]);
  const [[whole, argument]] = await absence(at, 'counters');
  assert.doesNotMatch(whole, /missing part/);
  assert.equal(argument, 'experimental_config');
  const cut = (file) => {
    const text = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, text.slice(0, text.lastIndexOf('"ph"')));
  };
  const files = fs.readdirSync(at).map((name) => path.join(at, name));
  cut(files[1]);
  const one = 'the missing part of the file of rank 1 may contain some.';
  assert.deepEqual(await absence(at, 'counters'), [[one, '']]);
  cut(files[2]);
  const two = 'the missing parts of the files of ranks 1, 2 may contain some.';
  assert.deepEqual(await absence(at, 'counters'), [[two, '']]);
  const digests = path.join(folder, 'cutDigests');
  assert.equal((await emberline(['digest', at, '-o', digests])).status, 0);
  assert.deepEqual(await absence(digests, 'counters'), [[two, '']]);
  assert.deepEqual(await absence(files[2], 'counters'), [
    ['the missing part may contain some.', ''],
  ]);
});

test('names of groups tell what they are for, word by word', async () => {
  const names = {
    TENSOR_MODEL_PARALLEL_GROUP: 'tensor',
    PIPELINE_MODEL_PARALLEL_GROUP: 'pipeline',
    DATA_PARALLEL_GROUP: 'data',
    EXPERT_MODEL_PARALLEL_GROUP: 'expert',
    EXPERT_TENSOR_PARALLEL_GROUP: 'tensor',
    EXPERT_DATA_PARALLEL_GROUP: 'data',
    INTRA_EXPERT_DATA_PARALLEL_GROUP: 'data',
    TENSOR_AND_DATA_PARALLEL_GROUP: 'tensor and data',
    TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP: 'tensor and data',
    TENSOR_AND_CONTEXT_PARALLEL_GROUP: 'tensor and context',
    EXPERT_TENSOR_AND_MODEL_PARALLEL_GROUP: 'tensor and expert',
    EXPERT_TENSOR_MODEL_PIPELINE_PARALLEL_GROUP: 'tensor and expert and pipeline',
    HIERARCHICAL_CONTEXT_PARALLEL_GROUPS: 'context',
    INTRA_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP: null,
    INTER_DISTRIBUTED_OPTIMIZER_INSTANCE_GROUP: 'data',
    MODEL_PARALLEL_GROUP: null,
    EMBEDDING_GROUP: 'pipeline',
    POSITION_EMBEDDING_GROUP: 'pipeline',
    mesh_dp_replicate: 'data',
    mesh_dp_shard_cp: 'data',
    mesh_dp_shard_mod_ep: 'data',
    mesh_efsdp: 'data',
    mesh_etp: 'tensor',
    mesh_batch: 'data',
    mesh_loss: 'data',
    'tp:0': 'tensor',
    'pp:0': 'pipeline',
    'dcp:0': 'context',
    'world:0': 'world',
    moe_tp: 'tensor',
    moe_ep: 'expert',
    data_loader: null,
    'tp-0': 'tensor',
    mesh_pp: 'pipeline',
    DATA_PARALLEL_GROUP_WITH_CP: 'data',
    'mesh_dp-shard': 'data',
    CONTEXT_PARALLEL_GROUP: 'context',
    cp_1: 'context',
    ep_size_4: 'expert',
    // Whether the tensor parallel ranks split sequences, or others do, such names do not tell.
    mesh_sp: 'sequence',
    'sp:0': 'sequence',
    SEQUENCE_PARALLEL_GROUP: 'sequence',
    SEQUENCE_DATA_PARALLEL_GROUP: 'data',
    mesh_dp_shard_sp: 'data',
    mesh_ulysses: 'sequence',
    step_2: null,
    my_app_group: null,
  };
  const groups = Object.keys(names).map((description, i) => ({
    name: `${i + 1}`,
    description,
    ranks: [0, 1],
  }));
  const ranks = [0, 1].map((rank) => new DrawnRank(rank, { worldSize: 4, groups }));
  for (const rank of ranks) {
    rank.step(1, 900, 5000);
    groups.forEach((group, i) => rank.collective('allreduce', group, 64, 1000 + 100 * i, 30));
  }
  const other = new DrawnRank(2, { worldSize: 4, groups });
  other.step(1, 900, 5000);
  const rows = await table(written([...ranks, other]), 'groups');
  const found = rows.map((row) => [groups[Number(row.group) - 1].description, row.parallelism]);
  assert.deepEqual(Object.fromEntries(found), names);
});

test('groups without names are told by what they exchange, where that tells', async () => {
  // Tensor, expert and data parallelism of two, and two stages; groups of neighbors do not tell.
  const strided = (stride) =>
    [...Array(8).keys()]
      .filter((rank) => Math.floor(rank / stride) % 2 === 0)
      .map((rank) => [rank, rank + stride]);
  const lists = { tensor: strided(1), expert: strided(2), pipeline: strided(4) };
  lists.ring = [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
  ];
  // Both ways between two ranks are a ring, or two stages with the gradients of the second; one way
  // alone is no ring.
  lists.bothWays = [
    [0, 3],
    [1, 2],
    [4, 7],
    [5, 6],
  ];
  lists.oneWay = [
    [0, 5],
    [1, 4],
    [2, 7],
    [3, 6],
  ];
  let count = 0;
  const named = Object.fromEntries(
    Object.entries(lists).map(([kind, all]) => [
      kind,
      all.map((of) => ({ name: `${(count += 1)}`, description: 'undefined', ranks: of })),
    ]),
  );
  const all = Object.values(named).flat();
  const ranks = world(8).ranks.map((rank) => new DrawnRank(rank, { worldSize: 8, groups: all }));
  for (const rank of ranks) {
    rank.step(1, 900, 9000);
    const of = (kind) => named[kind].find((group) => group.ranks.includes(rank.rank));
    rank.collective('allreduce', of('tensor'), 64, 1000, 30);
    const splits = rank.rank % 4 < 2 ? [10, 30] : [30, 10];
    const parts = { 'In split size': JSON.stringify(splits), 'Out split size': '[20, 20]' };
    rank.collective('alltoall', of('expert'), 40, 2000, 30, { more: parts });
    const first = rank.rank < 4;
    const peer = (rank.rank + 4) % 8;
    rank.collective(first ? 'send' : 'recv', of('pipeline'), 64, 3000, 30, {
      more: { [first ? 'Dst Rank' : 'Src Rank']: peer },
    });
    // A ring whose sends and receives are calls of their own.
    const at = rank.rank - (rank.rank % 4);
    const to = at + ((rank.rank + 1) % 4);
    const from = at + ((rank.rank + 3) % 4);
    const ring = of('ring');
    rank.collective('send', ring, 64, 4000, 30, { more: { 'Dst Rank': to }, stream: 21 });
    rank.collective('recv', ring, 64, 4010, 30, { more: { 'Src Rank': from }, stream: 22 });
    const both = of('bothWays');
    const other = both.ranks.find((one) => one !== rank.rank);
    rank.collective('send', both, 64, 5000, 30, { more: { 'Dst Rank': other }, stream: 21 });
    rank.collective('recv', both, 64, 5010, 30, { more: { 'Src Rank': other }, stream: 22 });
    // From the later rank to the earlier one, as gradients go.
    const one = of('oneWay');
    const sends = rank.rank === one.ranks[1];
    const more = sends ? { 'Dst Rank': one.ranks[0] } : { 'Src Rank': one.ranks[1] };
    rank.collective(sends ? 'send' : 'recv', one, 64, 6000, 30, { more });
  }
  const rows = await table(written(ranks), 'groups');
  const kindOf = (name) =>
    Object.keys(named).find((kind) => named[kind].some((one) => one.name === name));
  const found = {};
  for (const row of rows) (found[kindOf(row.group)] ??= new Set()).add(row.parallelism);
  assert.deepEqual(Object.fromEntries(Object.entries(found).map(([k, v]) => [k, [...v]])), {
    tensor: [null],
    expert: ['expert'],
    pipeline: ['pipeline'],
    ring: [null],
    bothWays: [null],
    oneWay: ['pipeline'],
  });
});

test('a rank that was recorded several times is said to be, and shows one recording', async () => {
  const at = path.join(folder, 'spans');
  const begin = 1_700_000_000_000;
  for (const span of [0, 1, 2]) {
    const ranks = plain(2);
    for (const drawn of ranks) {
      for (let more = 0; more < span; more += 1) drawn.kernel('extra', 3000 + 100 * more, 10);
    }
    // Rank 1 was recorded once.
    const these = span === 0 ? ranks : ranks.slice(0, 1);
    writeRanks(at, these, (rank) => `node_${rank}.${begin + span}.pt.trace.json`);
  }
  const [note, ...others] = (await emberlineJson('distributed', at)).notes;
  assert.equal(note.kind, 'moreSpans');
  assert.deepEqual(note.ranks, [0]);
  assert.equal(note.text, 'Rank 0 was recorded 3 times: only capture span 1 is shown.');
  assert.deepEqual(others, []);
  for (const args of [
    ['collectives'],
    ['idle', '--format', 'csv'],
    ['distributed', '--by', 'ranks', '--format', 'json'],
  ]) {
    const [command, ...options] = args;
    const { stderr } = await emberline([command, at, ...options]);
    assert.match(stderr, /Note: Rank 0 was recorded 3 times/, command);
  }
  const third = await emberline(['distributed', at, '--span', '3']);
  assert.match(third.stdout, /Note: Rank 0 was recorded 3 times: only capture span 3 is shown/);
  assert.match(third.stdout, /no capture span/, 'rank 1 has none');
});
