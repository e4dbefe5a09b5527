// A job with all kinds of parallelism at once: tensor, context, expert, and pipeline, whose data
// parallel ranks are replicas of shards (HSDP).

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { DrawnRank, world, writeRanks } from './drawn_ranks.mjs';

const { folder, remove } = temporaryFolder('parallelisms');
after(remove);

/** Two of each, the innermost last, as a device mesh lays ranks out. */
const AXES = ['pp', 'dp_replicate', 'dp_shard', 'cp', 'tp'];
const COUNT = 2 ** AXES.length;
const bitOf = (axis) => 2 ** (AXES.length - 1 - AXES.indexOf(axis));

/** The groups of ranks that differ along these axes alone. */
function along(...axes) {
  const mask = axes.reduce((sum, axis) => sum + bitOf(axis), 0);
  const groups = new Map();
  for (let rank = 0; rank < COUNT; rank += 1) {
    const key = rank & ~mask;
    groups.set(key, [...(groups.get(key) ?? []), rank]);
  }
  return [...groups.values()];
}

/** What makes the groups of a kind, and what they are for. */
const KINDS = {
  mesh_pp: { ranks: along('pp'), told: 'pipeline' },
  mesh_dp_replicate: { ranks: along('dp_replicate'), told: 'data' },
  mesh_dp_shard_cp: { ranks: along('dp_shard', 'cp'), told: 'data' },
  mesh_cp: { ranks: along('cp'), told: 'context' },
  mesh_tp: { ranks: along('tp'), told: 'tensor' },
  mesh_ep: { ranks: along('dp_shard', 'cp'), told: 'expert' },
  mesh_loss: { ranks: along('dp_replicate', 'dp_shard', 'cp'), told: 'data' },
};

const STEPS = 4;
const EXTRA_US = 600;

/**
 * Steps in which every kind of group communicates, with one rank that sorts before them. Ranks wait
 * for each other as they would: what is late in one group makes others late.
 */
function drawJob({ late = -1 } = {}) {
  const all = world(COUNT);
  let number = 0;
  const groups = Object.entries(KINDS).flatMap(([description, { ranks }]) =>
    ranks.map((of) => ({ name: `${(number += 1)}`, description, ranks: of })),
  );
  const drawn = all.ranks.map(
    (rank) => new DrawnRank(rank, { worldSize: COUNT, device: rank % 8, groups: [all, ...groups] }),
  );
  const now = all.ranks.map(() => 1000);
  const sequence = new Map();
  const work = (rank, name, dur) => {
    drawn[rank].kernel(name, now[rank] + 12, dur);
    now[rank] += dur + 12;
  };
  /** Whoever comes waits for the others of its group; then all leave together. */
  const meet = (description, dur, draw) => {
    for (const group of groups.filter((one) => one.description === description)) {
      const seq = (sequence.get(group.name) ?? 0) + 1;
      sequence.set(group.name, seq);
      const begins = group.ranks.map((rank) => now[rank] + 20);
      const end = Math.max(...begins) + dur;
      group.ranks.forEach((rank, i) => {
        draw(drawn[rank], group, begins[i], end - begins[i], { Seq: seq });
        now[rank] = end;
      });
    }
  };
  const collective = (call, description, dur) =>
    meet(description, dur, (rank, group, ts, length, more) =>
      rank.collective(call, group, 4096, ts, length, { more }),
    );
  /** The keys and values of the other half of the sequence. */
  const ring = () =>
    meet('mesh_cp', 30, (rank, group, ts, length) => {
      const peer = group.ranks.find((one) => one !== rank.rank);
      const calls = ['send', 'recv'].map((call) => ({ call, peer, elements: 2048 }));
      rank.batch(calls, group, ts, length);
    });
  const handOn = (back) =>
    meet('mesh_pp', 20, (rank, group, ts, length) => {
      const sends = (rank.rank === group.ranks[0]) !== back;
      const peer = group.ranks.find((one) => one !== rank.rank);
      const more = sends ? { 'Dst Rank': peer } : { 'Src Rank': peer };
      rank.collective(sends ? 'send' : 'recv', group, 1024, ts, length, { more });
    });
  const pass = (name) => {
    collective('_allgather_base', 'mesh_dp_shard_cp', 40);
    for (const { rank } of drawn) work(rank, name, 300);
    ring();
    collective('allreduce', 'mesh_tp', 25);
    collective('alltoall', 'mesh_ep', 35);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const begins = [...now];
    for (const { rank } of drawn) {
      work(rank, 'embedding', 100);
      if (rank === late) {
        drawn[rank].host('/job/train.py(77): prepare', now[rank] - 5, 10, 'python_function');
        drawn[rank].kernel('radix_sort', now[rank] + 12, EXTRA_US, { operator: 'aten::sort' });
        now[rank] += EXTRA_US + 12;
      }
    }
    pass('gemm');
    handOn(false);
    handOn(true);
    pass('gemm_grad');
    collective('_reduce_scatter_base', 'mesh_dp_shard_cp', 40);
    collective('allreduce', 'mesh_dp_replicate', 30);
    collective('allreduce', 'mesh_loss', 10);
    for (const rank of drawn)
      rank.step(step, begins[rank.rank] - 30, now[rank.rank] - begins[rank.rank]);
  }
  const at = path.join(folder, `late${late}`);
  writeRanks(at, drawn);
  return { at, groups };
}
const table = async (at, by) =>
  (await emberlineJson('distributed', at, '--by', by, '--limit', '-1')).rows;

test('groups of every kind are told, and all of their calls are matched', async () => {
  const { at, groups } = drawJob();
  const rows = await table(at, 'groups');
  assert.equal(rows.length, groups.length);
  for (const row of rows) {
    const { description, ranks } = groups[Number(row.group) - 1];
    assert.equal(row.parallelism, KINDS[description].told, description);
    assert.equal(row.size, ranks.length, description);
    assert.equal(row.description, description);
  }
  for (const row of await table(at, 'calls')) {
    assert.equal(row.lacking, 0);
    assert.equal(row.ranks, groups[Number(row.group) - 1].ranks.length);
  }
  const job = await emberlineJson('distributed', at);
  assert.equal(job.unmatchedCalls, 0);
  // Sends alone tie the stages together, and do not end at the same moment.
  assert.deepEqual(
    job.notes.map(({ kind, ranks }) => [kind, ranks.length]),
    [['clockUntied', COUNT / 2]],
  );
  assert.deepEqual(job.stragglers, []);
});

test('a late rank is named through all kinds of groups', async () => {
  const { at } = drawJob({ late: 13 });
  const job = await emberlineJson('distributed', at);
  assert.deepEqual(
    job.stragglers.map(({ rank }) => rank),
    [13],
  );
  const [{ reasons, work }] = job.stragglers;
  assert.equal(reasons[0].name, 'aten::sort');
  // Of the first step, the recording lacks what was before its first call.
  const { steps } = work.find(({ kind }) => kind === 'always');
  for (const { step, excessUs } of steps.filter((one) => one.step !== '0')) {
    assert.equal(excessUs, EXTRA_US + 12, `step ${step}`);
  }
  assert.equal(steps.length, STEPS);
});
