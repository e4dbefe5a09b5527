// Jobs over the protocol: every table of every kind of job is what the schemas say.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { corpus, emberline, withoutCorpus } from '../lib/cli.mjs';
import { daemonOfFile } from './daemon.mjs';

const { folder, daemon } = daemonOfFile('distributed');

let number = 0;
async function opened(options) {
  const path = join(folder, `job${number++}`);
  writeJob(path, options);
  const { profileId } = await daemon.request('profile/open', { path });
  return { path, profileId };
}
const ask = (method, params) => daemon.request(`distributed/${method}`, params);

test('every table has one row a key, and pages add up', async () => {
  const straggler = { rank: 2, kind: 'host', extraNs: 2_000_000 };
  const { profileId } = await opened({ ranks: 6, straggler });
  const job = await ask('job', { profileId });
  assert.ok(job.tables.length >= 20);
  for (const { by } of job.tables) {
    const all = await ask('table', { profileId, by, limit: -1 });
    assert.equal(all.by, by);
    assert.equal(all.rows.length, all.totalRows);
    const keys = all.columns.filter((column) => column.role === 'key').map(({ key }) => key);
    const seen = new Set(all.rows.map((row) => JSON.stringify(keys.map((key) => row[key]))));
    assert.equal(seen.size, all.rows.length, `${by}: keys ${keys}`);
    const page = await ask('table', { profileId, by, limit: 2, offset: 1 });
    assert.deepEqual(page.rows, all.rows.slice(1, 3), by);
  }
});

test('one call is told with what each rank did before', async () => {
  const straggler = { rank: 3, kind: 'device', extraNs: 2_000_000 };
  const { profileId } = await opened({ ranks: 4, straggler });
  const { rows } = await ask('table', { profileId, by: 'calls', sort: '-latenessUs', limit: 1 });
  const call = await ask('call', { profileId, call: rows[0].call });
  assert.equal(call.lastRank, 3);
  assert.equal(call.members.length, 4);
  const [late] = call.members.filter((member) => member.rank === 3);
  assert.equal(late.waitingUs, 0);
  assert.equal(late.before[0].name, 'aten::sort');
  assert.equal(late.place, '/job/train.py:90 (reduce)');
  await assert.rejects(ask('call', { profileId, call: 100000 }), /There is no call 100000/);
});

/** Boxes of a lane as objects. */
function boxesOf({ boxes }) {
  assert.equal(boxes.length % 6, 0);
  return Array.from({ length: boxes.length / 6 }, (_, at) => {
    const [startNs, lengthNs, waitingNs, call, count, operation] = boxes.slice(6 * at, 6 * at + 6);
    return { startNs, lengthNs, waitingNs, call, count, operation };
  });
}

test('lanes hold every collective of every rank at its place on the common clock', async () => {
  const skewNs = { 1: 500_000, 2: -300_000 };
  const { profileId } = await opened({ ranks: 4, steps: 2, skewNs });
  const job = await ask('job', { profileId });
  const { rows } = await ask('table', { profileId, by: 'calls', limit: -1 });
  const all = await ask('lanes', { profileId, pixels: 10_000 });
  assert.deepEqual([all.fromNs, all.toNs], [0, job.durationNs]);
  assert.deepEqual(
    all.lanes.map(({ rank, device, steps }) => [rank, device, steps.length]),
    [0, 1, 2, 3].map((rank) => [rank, null, 2]),
  );
  for (const { call } of rows) {
    for (const member of (await ask('call', { profileId, call })).members) {
      const lane = all.lanes.find(({ rank }) => rank === member.rank);
      const box = boxesOf(lane).find((one) => one.call === call);
      assert.equal(box.count, 1);
      assert.equal(box.startNs, member.startNs);
      assert.equal(box.lengthNs, member.durationNs);
      assert.equal(box.waitingNs, Math.round(member.waitingUs * 1000));
      assert.equal(all.operations[box.operation], 'allReduce');
    }
  }
  // One pixel for all: nothing is lost.
  const coarse = await ask('lanes', { profileId, pixels: 1 });
  for (const [at, lane] of coarse.lanes.entries()) {
    const fine = boxesOf(all.lanes[at]);
    const sum = (boxes, key) => boxes.reduce((total, box) => total + box[key], 0);
    assert.equal(boxesOf(lane).length, 1);
    assert.equal(sum(boxesOf(lane), 'count'), fine.length);
    assert.equal(sum(boxesOf(lane), 'waitingNs'), sum(fine, 'waitingNs'));
  }
  const [one] = boxesOf(all.lanes[0]);
  const window = { fromNs: one.startNs, toNs: one.startNs + one.lengthNs };
  const part = await ask('lanes', { profileId, ...window, firstRank: 0, rankCount: 1 });
  assert.equal(part.lanes.length, 1);
  assert.deepEqual(boxesOf(part.lanes[0])[0], one);
  for (const odd of [{ fromNs: -5, toNs: -9 }, { fromNs: 1e15, toNs: 2e15 }, { firstRank: 99 }]) {
    const { lanes } = await ask('lanes', { profileId, ...odd });
    assert.ok(Array.isArray(lanes));
  }
});

test('sequences of operators by name come from the traces', async () => {
  const path = join(folder, 'named');
  mkdirSync(path);
  for (const rank of [0, 1]) {
    const at = (ts, dur, rest) => ({ ph: 'X', pid: 1, tid: 1, ts, dur, ...rest });
    const kernels = ['a', 'b', 'c'].flatMap((name, index) => [
      at(20 + 10 * index, 5, {
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        args: { correlation: index + 1 },
      }),
      at(100 + 10 * index, 8, {
        cat: 'kernel',
        name,
        pid: 0,
        tid: 7,
        args: { device: 0, stream: 7, correlation: index + 1 },
      }),
    ]);
    const traceEvents = [
      at(5, 90, { cat: 'cpu_op', name: 'outer_block' }),
      at(10, 60, { cat: 'cpu_op', name: 'inner_norm' }),
      ...kernels,
    ];
    const distributedInfo = { backend: 'nccl', rank, world_size: 2 };
    const text = JSON.stringify({ schemaVersion: 1, distributedInfo, traceEvents });
    writeFileSync(join(path, `w${rank}.1.pt.trace.json`), text);
  }
  const { profileId } = await daemon.request('profile/open', { path });
  const params = { profileId, by: 'sequences', limit: -1 };
  for (const [operator, found] of [
    ['outer', 'outer_block'],
    ['norm', 'inner_norm'],
  ]) {
    const { rows } = await ask('table', { ...params, operator });
    assert.deepEqual(
      rows.map((row) => [row.rank, row.operator, row.pattern, row.count]),
      [0, 1].map((rank) => [rank, found, 'a|b|c', 1]),
    );
  }
  assert.deepEqual((await ask('table', { ...params, operator: 'nothing' })).rows, []);
  const digests = join(folder, 'named-digests');
  assert.equal((await emberline(['digest', path, '-o', digests])).status, 0);
  await assert.rejects(
    ask('table', { digests, by: 'sequences', operator: 'norm' }),
    /Digests do not contain/,
  );
});

test('a first picture needs the first ranks alone', async () => {
  const { profileId } = await opened({ ranks: 8 });
  const first = await ask('job', { profileId, maxRanks: 2 });
  assert.deepEqual([first.files, first.loaded, first.ranks.length], [8, 2, 2]);
  assert.deepEqual(first.notes, [], 'what is not read yet is not missing');
  const all = await ask('job', { profileId });
  assert.deepEqual([all.files, all.loaded], [8, 8]);
});

test('a folder of digests is a job without a profile', async () => {
  const { path, profileId } = await opened({ ranks: 3 });
  const digests = join(folder, 'digests');
  assert.equal((await emberline(['digest', path, '-o', digests])).status, 0);
  const job = await ask('job', { digests });
  const traces = await ask('job', { profileId });
  assert.deepEqual({ ...job, ranks: [] }, { ...traces, ranks: [] });
  await assert.rejects(ask('job', { digests: join(folder, 'none') }), /There is no file or folder/);
  await assert.rejects(ask('job', {}), /neither a profile nor digests/);
});

test('a run without a readable rank says so', async () => {
  const path = join(folder, 'unreadable');
  mkdirSync(path);
  writeFileSync(join(path, 'a_1.1700000000000.pt.trace.json'), '{"traceEvents": 7}');
  const { profileId } = await daemon.request('profile/open', { path });
  await assert.rejects(ask('job', { profileId }), /No rank of this run can be read/);
});

test('real traces of every kind make valid tables', { skip: withoutCorpus }, async () => {
  for (const name of [
    'ascend/level1_rank1',
    'tracelens/mi300/ddp_resnet18_no_pool',
    'tracelens/inference/vllm_decode_full',
    'hta/mtia_inference_trace',
    'hta/cpu_only',
    'tracelens/mi210/gpu_only_trace',
  ]) {
    const { profileId } = await daemon.request('profile/open', { path: join(corpus, name) });
    const job = await ask('job', { profileId });
    for (const { by } of job.tables) {
      const { columns, rows } = await ask('table', { profileId, by, limit: 500 });
      for (const row of rows) {
        for (const { key, unit, type } of columns) {
          if (type !== 'number' && type !== 'integer') continue;
          if (row[key] === null || ['correctionUs', 'otherUs'].includes(key)) continue;
          assert.ok(row[key] >= -1, `${name} ${by} ${key} (${unit}) = ${row[key]}`);
        }
      }
    }
    await daemon.request('profile/close', { profileId });
  }
});
