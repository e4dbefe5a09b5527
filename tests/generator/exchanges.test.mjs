// Calls that run as one, and exchanges with uneven parts: who sent what to whom is found.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { DrawnRank, world, writeRanks } from './drawn_ranks.mjs';

const { folder, remove } = temporaryFolder('exchanges');
after(remove);

/** Bytes of an element of the drawn records. */
const SIZE = 2;

let number = 0;
function written(ranks) {
  const at = path.join(folder, `job${(number += 1)}`);
  writeRanks(at, ranks);
  return at;
}
const table = async (at, by, command = 'distributed') =>
  (await emberlineJson(command, at, '--by', by)).rows;
const notes = async (at, kind) =>
  (await emberlineJson('distributed', at)).notes.filter((note) => note.kind === kind);

function drawn(count, { named = true } = {}) {
  const group = world(count);
  const ranks = group.ranks.map(
    (rank) => new DrawnRank(rank, { worldSize: count, groups: named ? [group] : [] }),
  );
  return { group, ranks };
}

async function assertMatrix(at, planted, exact = true) {
  const rows = await table(at, 'matrix');
  const found = Object.fromEntries(
    rows.filter(({ bytes }) => bytes > 0).map((row) => [`${row.rank}>${row.peer}`, row.bytes]),
  );
  assert.deepEqual(found, planted);
  for (const row of rows) assert.equal(row.exact, exact, `${row.rank}>${row.peer}`);
}

/** Elements that a rank sends: others in each step. */
const share = (rank, step) => 1000 + 10 * rank + step;

/** Each rank sends to the next and receives from the one before, at once. */
function ring(count, { steps = 3, options = {}, ranges = false, late = -1 } = {}) {
  const { group, ranks } = drawn(count);
  for (let step = 0; step < steps; step += 1) {
    const start = 1000 + step * 1000;
    for (const rank of ranks) {
      const next = (rank.rank + 1) % count;
      const before = (rank.rank + count - 1) % count;
      const from = rank.rank === late ? 30 : 0;
      const send = ranges ? `nccl:send ${rank.rank}->${next}` : undefined;
      const recv = ranges ? `nccl:recv ${rank.rank}<-${before}` : undefined;
      rank.step(step, start, 990);
      rank.kernel('gemm', start + 20, 50);
      rank.batch(
        [
          { call: 'send', peer: next, elements: share(rank.rank, step), range: send },
          { call: 'recv', peer: before, elements: share(before, step), range: recv },
        ],
        group,
        start + 200 + from,
        100 - from,
        options,
      );
    }
  }
  return ranks;
}
const ringMatrix = (count, steps) => {
  const sent = {};
  for (let rank = 0; rank < count; rank += 1) {
    const key = `${rank}>${(rank + 1) % count}`;
    for (let step = 0; step < steps; step += 1) {
      sent[key] = (sent[key] ?? 0) + SIZE * share(rank, step);
    }
  }
  return sent;
};

for (const [what, options, ranges] of [
  ['whose calls are recorded', {}, false],
  ['whose calls are numbered', { more: { Seq: 7 } }, false],
  ['whose peers only ranges name', { without: ['Src', 'Dst'] }, true],
]) {
  test(`a ring ${what} is one exchange a step, with what each sent to whom`, async () => {
    const at = written(ring(5, { options, ranges, late: 2 }));
    const calls = await table(at, 'calls');
    assert.equal(calls.length, 3);
    for (const [step, row] of calls.entries()) {
      assert.equal(row.operation, 'sendRecv');
      assert.equal(row.ranks, 5);
      assert.equal(row.lacking, 0);
      assert.equal(row.bytes, SIZE * share(4, step));
      assert.equal(row.transferUs, 70);
      assert.equal(row.waitingUs, 4 * 30);
      assert.equal(row.lastRank, 2);
      assert.match(row.operator, /^c10d::(send|recv)$/);
    }
    await assertMatrix(at, ringMatrix(5, 3));
    const job = await emberlineJson('distributed', at);
    // Neighbors that exchange do not leave together: clocks come from collectives alone.
    assert.deepEqual(
      job.notes.map(({ kind }) => kind),
      ['clockUntied'],
    );
    assert.equal(job.unmatchedCalls, 0);
    const [sums, ...more] = await table(at, 'operations', 'collectives');
    assert.deepEqual(more, []);
    assert.equal(sums.calls, 3);
    assert.equal(sums.totalUs, 3 * (4 * 100 + 70), 'each kernel counts once');
  });
}

test('what was sent to a rank without a trace is told by the others of its exchange', async () => {
  const at = written(ring(4).filter(({ rank }) => rank !== 2));
  await assertMatrix(at, ringMatrix(4, 3));
  for (const row of await table(at, 'calls')) {
    assert.equal(row.ranks, 3);
    assert.equal(row.lacking, 0);
  }
});

test('exchanges of two neighbors stay apart, and match one that does not coalesce', async () => {
  const { group, ranks } = drawn(4);
  const exchange = (rank, peer, sent, received) =>
    rank.batch(
      [
        { call: 'send', peer, elements: sent },
        { call: 'recv', peer, elements: received },
      ],
      group,
      1000,
      40,
    );
  for (const [a, b] of [
    [0, 1],
    [2, 3],
  ]) {
    exchange(ranks[a], b, 100, 50);
    exchange(ranks[b], a, 50, 100);
  }
  // One call in a batch is that call.
  ranks[1].batch([{ call: 'send', peer: 2, elements: 30 }], group, 2000, 20);
  ranks[2].collective('recv', group, 30, 2000, 20, { more: { 'Src Rank': 1 } });
  const at = written(ranks);
  const calls = await table(at, 'calls');
  assert.deepEqual(
    calls.map((row) => [row.operation, row.ranks, row.bytes]),
    [
      ['sendRecv', 2, 200],
      ['sendRecv', 2, 200],
      ['send', 2, 60],
    ],
  );
  await assertMatrix(at, { '0>1': 200, '1>0': 100, '2>3': 200, '3>2': 100, '1>2': 60 });
});

test('a kernel whose calls were not recorded stays unmatched, and that is said', async () => {
  const { group, ranks } = drawn(2);
  for (const rank of ranks) {
    rank.batch([], group, 1000, 40);
    rank.collective('allreduce', group, 64, 2000, 30);
  }
  const at = written(ranks);
  assert.equal((await notes(at, 'unmatchedPairs')).length, 1);
  const job = await emberlineJson('distributed', at);
  assert.equal(job.unmatchedCalls, 2);
});

test('a call that was recorded long before a kernel without a record is not that kernel', async () => {
  const { group, ranks } = drawn(2);
  for (const rank of ranks) {
    // A library on the host, then one that records nothing.
    rank.batch([{ call: 'allreduce', elements: 8 }], group, 1000, 40);
    rank.events = rank.events.filter(({ cat }) => cat === 'cpu_op');
    rank.kernel('ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 9000, 40, { stream: 20 });
  }
  const [call] = await table(written(ranks), 'calls');
  assert.equal(call.operation, 'allReduce');
  assert.equal(call.bytes, null);
});

test('collectives that a manager coalesces are one call with the bytes of all', async () => {
  const { group, ranks } = drawn(3);
  for (const rank of ranks) {
    // Recorded one by one, run as one.
    const calls = [100, 200, 300].map((elements) => ({ call: 'alltoall', elements }));
    rank.batch(calls, group, 1000, 40, { more: { Seq: 4 } });
    // Recorded as one.
    rank.collective('allreduce_coalesced', group, 900, 2000, 30, { more: { Seq: 5 } });
  }
  const at = written(ranks);
  const calls = await table(at, 'calls');
  assert.deepEqual(
    calls.map((row) => [row.operation, row.ranks, row.sequence, row.bytes]),
    [
      ['allToAll', 3, 4, SIZE * 600],
      ['allReduce', 3, 5, SIZE * 900],
    ],
  );
  const [one] = calls;
  assert.ok(Math.abs(one.algorithmBandwidth - (SIZE * 600) / 40_000) < 1e-9);
});

test('a coalesced call that runs as several kernels counts its bytes once', async () => {
  const { group, ranks } = drawn(2);
  for (const rank of ranks) {
    rank.host('c10d::allreduce_coalesced_', 900, 60);
    rank.host('record_param_comms', 901, 50, 'cpu_op', {
      'Collective name': 'allreduce_coalesced',
      dtype: 'BFloat16',
      'In msg nelems': 901,
      'Out msg nelems': 901,
      'Group size': 2,
      'Process Group Name': group.name,
      'Process Group Ranks': JSON.stringify(group.ranks),
      Seq: 9,
    });
    for (const k of [0, 1]) {
      const correlation = 77 + k;
      rank.host('cudaLaunchKernelExC', 910 + 10 * k, 2, 'cuda_runtime', { correlation });
      rank.slice(
        'kernel',
        'ncclDevKernel_AllReduce_Sum_bf16_RING_LL',
        rank.device,
        20,
        1000 + 50 * k,
        40,
        {
          device: rank.device,
          stream: 20,
          correlation,
        },
      );
    }
  }
  const at = written(ranks);
  const calls = await table(at, 'calls');
  assert.deepEqual(
    calls.map((row) => [row.operation, row.ranks, row.bytes]),
    [
      ['allReduce', 2, 901],
      ['allReduce', 2, 901],
    ],
  );
});

test('a batch that runs as several kernels is one exchange, however the other side splits it', async () => {
  const { group, ranks } = drawn(4);
  const steps = 2;
  for (let step = 0; step < steps; step += 1) {
    const start = 1000 + step * 1000;
    for (const rank of ranks) {
      const next = (rank.rank + 1) % 4;
      const before = (rank.rank + 3) % 4;
      rank.step(step, start, 990);
      rank.kernel('gemm', start + 20, 50);
      // One kernel; two after each other; three side by side, the first launched the last to run.
      const also = [
        [],
        [{ ts: start + 250, dur: 50, stream: 20 }],
        [
          { ts: start + 205, dur: 80, stream: 21 },
          { ts: start + 195, dur: 105, stream: 22 },
        ],
        [{ ts: start + 210, dur: 90, stream: 21 }],
      ][rank.rank];
      const first = rank.rank === 1 ? 45 : 100;
      rank.batch(
        [
          { call: 'send', peer: next, elements: share(rank.rank, step) },
          { call: 'recv', peer: before, elements: share(before, step) },
        ],
        group,
        start + 200,
        first,
        { also },
      );
    }
  }
  const at = written(ranks);
  const calls = await table(at, 'calls');
  assert.deepEqual(
    calls.map((row) => [row.operation, row.ranks, row.lacking, row.bytes]),
    [0, 1].map((step) => ['sendRecv', 4, 0, SIZE * share(3, step)]),
  );
  // From the first of its kernels to the last: 100 us, and 105 on rank 2.
  for (const row of calls) {
    assert.equal(row.transferUs, 100);
    assert.equal(row.waitingUs, 5);
  }
  await assertMatrix(at, ringMatrix(4, steps));
  assert.deepEqual(await notes(at, 'unmatchedPairs'), []);
  assert.equal((await emberlineJson('distributed', at)).unmatchedCalls, 0);
});

test('coalesced collectives that run as several kernels count their bytes once', async () => {
  const { group, ranks } = drawn(3);
  for (const rank of ranks) {
    const calls = [100, 201].map((elements) => ({ call: 'alltoall', elements }));
    rank.batch(calls, group, 1000, 40, {
      more: { Seq: 4 },
      also: [{ ts: 1050, dur: 40, stream: 20 }],
    });
    // What follows without a record, in another range, is not of the batch.
    rank.batch([], group, 2000, 40);
  }
  const rows = await table(written(ranks), 'calls');
  assert.deepEqual(
    rows.filter(({ operation }) => operation === 'allToAll').map((row) => [row.ranks, row.bytes]),
    [
      [3, 301],
      [3, 301],
    ],
  );
  assert.equal(rows.filter(({ operation }) => operation === 'sendRecv').length, 3);
});

/** All-to-all with parts of any size; `cut` lists end as recorders cut them. */
function uneven(count, { cut = false } = {}) {
  const { group, ranks } = drawn(count);
  const rows = (from, to) => 1 + ((from * 3 + to * 5) % 7);
  const width = 8;
  const planted = {};
  for (const rank of ranks) {
    const out = group.ranks.map((to) => rows(rank.rank, to));
    const into = group.ranks.map((from) => rows(from, rank.rank));
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    const text = (list) => `[${list.join(', ')}${cut ? ', ...' : ''}]`;
    rank.collective('alltoall', group, sum(out) * width, 1000, 40, {
      more: {
        'Collective name': 'all_to_allv',
        'Out msg nelems': sum(into) * width,
        'In split size': text(out),
        'Out split size': text(into),
      },
    });
    for (const to of group.ranks) {
      if (to !== rank.rank) planted[`${rank.rank}>${to}`] = rows(rank.rank, to) * width * SIZE;
    }
  }
  return { ranks, planted };
}

test('an uneven all-to-all is in the matrix as its splits were recorded', async () => {
  const { ranks, planted } = uneven(4);
  await assertMatrix(written(ranks), planted);
});

test('what a rank without a trace sent in an all-to-all, those who received it tell', async () => {
  const { ranks, planted } = uneven(4);
  await assertMatrix(written(ranks.filter(({ rank }) => rank !== 1)), planted);
});

test('an uneven all-to-all whose splits were cut is in the matrix in equal parts', async () => {
  const { ranks } = uneven(3, { cut: true });
  const at = written(ranks);
  const rows = await table(at, 'matrix');
  assert.equal(rows.length, 6);
  for (const row of rows) assert.equal(row.exact, false);
});

test('an all-to-all with equal parts is in the matrix as recorded', async () => {
  const { group, ranks } = drawn(4);
  for (const rank of ranks) {
    rank.collective('alltoall', group, 400, 1000, 40, { more: { 'In split size': '[]' } });
  }
  const planted = {};
  for (const a of group.ranks) {
    for (const b of group.ranks) if (a !== b) planted[`${a}>${b}`] = 100 * SIZE;
  }
  await assertMatrix(written(ranks), planted);
});
