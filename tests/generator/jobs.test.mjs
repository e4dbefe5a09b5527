// Generated jobs: what was planted is found, exactly where the clocks are exact.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberline, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { writeJob } from './job.mjs';

const { folder, remove } = temporaryFolder('jobs');
after(remove);

let number = 0;
function planted(options) {
  const at = path.join(folder, `job${(number += 1)}`);
  return { at, answers: writeJob(at, options) };
}

const toNs = (us) => Math.round(us * 1000);
const table = async (at, by, command = 'distributed') =>
  (await emberlineJson(command, at, '--by', by)).rows;
const summary = (at) => emberlineJson('distributed', at);

async function assertCalls(at, answers) {
  const rows = await table(at, 'calls');
  const found = new Map(rows.map((row) => [`${row.group} ${row.step} ${row.sequence}`, row]));
  assert.equal(rows.length, answers.calls.length);
  for (const call of answers.calls) {
    const row = found.get(`${call.group} ${call.step} ${call.sequence}`);
    const label = `group ${call.group}, step ${call.step}, call ${call.sequence}`;
    assert.ok(row, label);
    assert.equal(row.operation, 'allReduce', label);
    assert.equal(row.ranks, call.ranks, label);
    assert.equal(row.bytes, call.bytes, label);
    assert.equal(toNs(row.transferUs), call.transferNs, label);
    assert.equal(toNs(row.spreadUs), call.spreadNs, label);
    assert.equal(row.lastRank, call.lastRank, label);
    const n = row.ranks;
    const rate = call.bytes / call.transferNs;
    assert.ok(Math.abs(row.algorithmBandwidth - rate) < 1e-9, label);
    assert.ok(Math.abs(row.busBandwidth - (rate * 2 * (n - 1)) / n) < 1e-9, label);
  }
}

/** ±500 us and some nanoseconds, another for each rank. */
const skews = (ranks) =>
  Object.fromEntries(Array.from({ length: ranks }, (_, r) => [r, ((r * 7919) % 1000) * 1001]));

for (const ranks of [2, 8, 64]) {
  test(`${ranks} ranks whose clocks are off: every call, wait and correction is exact`, async () => {
    const skewNs = skews(ranks);
    const { at, answers } = planted({ ranks, steps: ranks > 8 ? 2 : 3, skewNs, seed: ranks });
    await assertCalls(at, answers);
    for (const row of await table(at, 'ranks')) {
      // The smallest rank's clock is the job's.
      assert.equal(toNs(row.correctionUs), skewNs[0] - skewNs[row.rank], `rank ${row.rank}`);
      assert.equal(row.residualUs, 0);
      assert.equal(toNs(row.waitingUs), answers.waitingNs[row.rank], `rank ${row.rank}`);
      assert.equal(toNs(row.causedUs), answers.causedNs[row.rank], `rank ${row.rank}`);
    }
    const job = await summary(at);
    assert.equal(job.ranks.length, ranks);
    assert.equal(job.nodes.length, Math.ceil(ranks / 8));
    assert.equal(job.unmatchedCalls, 0);
    assert.deepEqual(job.notes, []);
  });
}

for (const noiseNs of [0, 400]) {
  test(`clocks that drift and are off: rate and offset are found (noise of ${noiseNs} ns)`, async () => {
    const ranks = 8;
    const driftPpm = { 0: 3, 1: -40, 2: 25.5, 3: 0, 4: 120, 5: -7.25, 6: 60, 7: -90 };
    const skewNs = skews(ranks);
    const { at, answers } = planted({
      ranks,
      steps: noiseNs === 0 ? 40 : 120,
      skewNs,
      driftPpm,
      noiseNs,
    });
    const rows = await table(at, 'ranks');
    const [first] = rows;
    for (const row of rows) {
      const label = `rank ${row.rank}: ${row.driftPpm}`;
      const planted = driftPpm[row.rank] - driftPpm[0];
      assert.ok(Math.abs(row.driftPpm - planted) < (noiseNs === 0 ? 0.05 : 8), label);
      assert.ok(
        row.residualUs * 1000 <= (noiseNs === 0 ? 3 : noiseNs),
        `residual ${row.residualUs}`,
      );
      // All began to record within the first operators.
      assert.ok(Math.abs(row.startUs - first.startUs) < 1, `${label} starts at ${row.startUs}`);
    }
    const found = new Map(
      (await table(at, 'calls')).map((row) => [`${row.group} ${row.sequence}`, row]),
    );
    // Without the rate, the last steps would be some microseconds off.
    const exact = 2 * noiseNs + 10;
    for (const call of answers.calls) {
      const row = found.get(`${call.group} ${call.sequence}`);
      assert.equal(row.ranks, call.ranks);
      assert.ok(Math.abs(toNs(row.transferUs) - call.transferNs) <= exact + call.transferNs * 1e-3);
      assert.ok(Math.abs(toNs(row.spreadUs) - call.spreadNs) <= exact + call.spreadNs * 1e-3);
    }
  });
}

for (const [driftPpm, noiseNs] of [
  [{ 1: 5000 }, 0],
  [{ 1: 5000, 3: -20000 }, 300],
  [{ 6: -5000 }, 1000],
  [{ 2: 20000 }, 100],
]) {
  const what = JSON.stringify(driftPpm);
  test(`a clock that is wrong by a few thousandths shows in four steps: ${what}, noise of ${noiseNs} ns`, async () => {
    const { at } = planted({ ranks: 8, steps: 4, driftPpm, noiseNs });
    for (const row of await table(at, 'ranks')) {
      const label = `rank ${row.rank}: ${row.driftPpm}`;
      assert.ok(Math.abs(row.driftPpm - (driftPpm[row.rank] ?? 0)) <= 0.5 + noiseNs / 2, label);
      assert.ok(row.residualUs * 1000 <= noiseNs + 2, `residual ${row.residualUs}`);
    }
    const { notes } = await summary(at);
    assert.deepEqual(
      notes.filter(({ kind }) => kind === 'clockRate').map(({ ranks }) => ranks),
      Object.entries(driftPpm)
        .sort(([, a], [, b]) => b - a)
        .map(([rank]) => [Number(rank)]),
    );
  });
}

test('of two ranks that drift against each other, the larger group tells which does', async () => {
  // Most calls of ranks 6 and 7 are theirs alone.
  const { at } = planted({ ranks: 8, steps: 4, driftPpm: { 6: 1500 }, noiseNs: 300 });
  for (const row of await table(at, 'ranks')) {
    const planted = row.rank === 6 ? 1500 : 0;
    assert.ok(Math.abs(row.driftPpm - planted) < 150, `rank ${row.rank}: ${row.driftPpm}`);
  }
});

test('four noisy steps have no drift', async () => {
  for (let seed = 1; seed <= 8; seed += 1) {
    const { at } = planted({ ranks: 8, steps: 4, seed, skewNs: skews(8), noiseNs: 3000 });
    for (const row of await table(at, 'ranks')) assert.equal(row.driftPpm, 0, `rank ${row.rank}`);
    assert.deepEqual((await summary(at)).notes, []);
  }
});

test('clocks that only are off have no drift, however noisy the ends are', async () => {
  const { at } = planted({ ranks: 4, steps: 30, skewNs: skews(4), noiseNs: 3000 });
  for (const row of await table(at, 'ranks')) assert.equal(row.driftPpm, 0, `rank ${row.rank}`);
});

test('steps are computation, exposed communication and the rest', async () => {
  const { at, answers } = planted({ ranks: 4 });
  const sums = {};
  for (const row of await table(at, 'steps')) {
    const sum = (sums[row.rank] ??= { computation: 0, communication: 0 });
    sum.computation += toNs(row.computationUs);
    sum.communication += toNs(row.communicationUs);
    const parts = row.computationUs + row.overlapUs + row.communicationUs + row.otherUs;
    assert.equal(toNs(parts), toNs(row.stepUs));
  }
  for (const [rank, sum] of Object.entries(sums)) {
    assert.equal(sum.computation, answers.computationNs[rank]);
    assert.equal(sum.communication, answers.communicationNs[rank]);
  }
});

for (const [kind, name, place] of [
  ['device', 'aten::sort', '/job/train.py:77 (layer)'],
  ['host', 'augment', '/job/augment.py:12 (augment)'],
  ['loader', 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', ''],
  ['sleep', 'unrecorded work', ''],
]) {
  test(`a straggler by its ${kind} is named with what it did instead`, async () => {
    const straggler = { rank: 5, kind, extraNs: 3_000_000 };
    const { at, answers } = planted({ ranks: 8, straggler, skewNs: skews(8) });
    await assertCalls(at, answers);
    const job = await summary(at);
    assert.deepEqual(
      job.stragglers.map((late) => late.rank),
      [5],
    );
    const [reason] = job.stragglers[0].reasons;
    assert.equal(reason.name, name);
    assert.equal(reason.place, place);
    // Three steps, each late by what was planted, apart from the jitter of the layers.
    assert.ok(Math.abs(reason.timeUs - 9000) < 300, String(reason.timeUs));
  });
}

test('without recorded numbers, calls are matched by step and order', async () => {
  const { at, answers } = planted({ ranks: 8, sequences: false, skewNs: skews(8) });
  const rows = await table(at, 'calls');
  assert.equal(rows.length, answers.calls.length);
  assert.ok(rows.every((row) => row.ranks === (row.group === '0' ? 8 : 2)));
  const sums = (list, key) => list.reduce((sum, one) => sum + one[key], 0);
  assert.equal(
    toNs(sums(rows, 'transferUs')),
    sums(answers.calls, 'transferNs'),
    'the same calls, whatever their numbers',
  );
});

test('a rank that began to record later lacks nothing', async () => {
  for (const sequences of [true, false]) {
    const { at } = planted({ ranks: 4, steps: 4, sequences, late: { 2: 2 } });
    const job = await summary(at);
    assert.deepEqual(
      job.notes.map((note) => note.kind),
      [],
      `sequences ${sequences}`,
    );
    const rows = (await table(at, 'calls')).filter((row) => row.group === '0');
    assert.deepEqual(
      rows.map((row) => row.ranks),
      [3, 3, 4, 4],
    );
  }
});

test('a call that one rank lacks is missed, and the others still match', async () => {
  for (const sequences of [true, false]) {
    const { at } = planted({ ranks: 4, sequences, lacks: { rank: 3, step: 1 } });
    const job = await summary(at);
    assert.deepEqual(
      job.notes.map((note) => [note.kind, note.ranks]),
      [['missingCalls', [3]]],
      `sequences ${sequences}`,
    );
    const rows = (await table(at, 'calls')).filter((row) => row.group === '0');
    assert.deepEqual(
      rows.map((row) => row.ranks),
      [4, 3, 4],
    );
    assert.ok(rows.every((row) => row.spreadUs < 1000));
  }
});

test('a group with slow links is named', async () => {
  const { at } = planted({ ranks: 8, slowPair: 2 });
  const job = await summary(at);
  assert.deepEqual(
    job.notes.map((note) => [note.kind, note.ranks]),
    [['slowLink', [4, 5]]],
  );
});

test('missing and broken ranks are named, and the rest works', async () => {
  const { at } = planted({ ranks: 8, missing: [2, 3, 6] });
  const file = fs.readdirSync(at).find((name) => name.includes('_7.'));
  fs.writeFileSync(path.join(at, file), '{"traceEvents": ');
  const job = await summary(at);
  assert.equal(job.loaded, 4);
  const kinds = Object.fromEntries(job.notes.map((note) => [note.kind, note]));
  assert.deepEqual(Object.keys(kinds).sort(), ['brokenFile', 'missingRank']);
  assert.deepEqual(kinds.missingRank.ranks, [2, 3, 6, 7]);
  assert.match(kinds.brokenFile.text, /_7\./);
  assert.match(kinds.missingRank.text, /^Ranks 2, 3, 6, 7 have no trace here; the job has 8\.$/);
});

test('one rank twice, a rank of another job, a clock hours apart, mixed versions', async () => {
  const versions = { 0: '12.4', 1: '12.4', 2: '12.8', 3: '12.4' };
  const { at } = planted({ ranks: 4, hoursApart: { 3: 5 }, versions });
  const kernels = await table(at, 'kernels');
  writeJob(path.join(folder, 'other'), { ranks: 2, steps: 1, versions: { 0: '12.4' } });
  const other = fs.readdirSync(path.join(folder, 'other'))[0];
  fs.copyFileSync(
    path.join(folder, 'other', other),
    path.join(at, 'alien_9.1700000000000.pt.trace.json'),
  );
  writeJob(path.join(folder, 'again'), { ranks: 4, steps: 1, versions });
  const again = fs.readdirSync(path.join(folder, 'again')).find((name) => name.includes('_1.'));
  fs.copyFileSync(
    path.join(folder, 'again', again),
    path.join(at, 'again_1.1700000000000.pt.trace.json'),
  );
  const job = await summary(at);
  const kinds = job.notes.map((note) => note.kind).sort();
  assert.deepEqual(kinds, ['clockApart', 'duplicateRank', 'mixedVersions', 'otherJob']);
  assert.equal(job.ranks.length, 4);
  const apart = job.ranks.find((rank) => rank.rank === 3);
  assert.equal(apart.correctionNs, -5 * 3600 * 1e9);
  assert.deepEqual(await table(at, 'kernels'), kernels);
});

test('of several recordings of a job one is shown, never ranks of different ones', async () => {
  const { at } = planted({ ranks: 4, steps: 2 });
  const kernels = await table(at, 'kernels');
  // The same program an hour later, with more of some ranks and less of others, and without one.
  for (const [name, steps, ranks] of [
    ['more', 3, [0, 2]],
    ['less', 1, [1]],
  ]) {
    const from = path.join(folder, `later-${name}`);
    writeJob(from, { ranks: 4, steps, hoursApart: { 0: 1, 1: 1, 2: 1, 3: 1 } });
    for (const rank of ranks) {
      const file = fs.readdirSync(from).find((one) => one.includes(`_${rank}.`));
      fs.copyFileSync(path.join(from, file), path.join(at, `later_${rank}.17.pt.trace.json`));
    }
  }
  const job = await summary(at);
  assert.deepEqual(
    job.ranks.map(({ rank, path: file }) => [rank, path.basename(file).startsWith('later')]),
    [0, 1, 2, 3].map((rank) => [rank, false]),
  );
  assert.deepEqual(
    job.notes.map((note) => note.kind),
    ['otherRecording'],
  );
  assert.match(job.notes[0].text, /3 traces are left out, the first of them .*later_0\./);
  // Sums over all ranks are those of the shown traces, also where digests were made.
  assert.ok(kernels.length > 0);
  assert.deepEqual(await table(at, 'kernels'), kernels);
  const digests = path.join(folder, 'digests-of-several');
  const { status } = await emberline(['digest', at, '-o', digests]);
  assert.equal(status, 0);
  assert.deepEqual(await table(digests, 'kernels'), kernels);
  // And in one file of all, whichever were merged first, beside digests that are in it already.
  const names = fs.readdirSync(digests).sort();
  const bytes = [];
  for (const [first, second] of [
    [names.slice(0, 4), names.slice(2)],
    [names.filter((_, i) => i % 2 === 1), names],
  ]) {
    const halves = path.join(folder, `halves-of-several${bytes.length}`);
    for (const [i, half] of [first, second].entries()) {
      const part = path.join(folder, `part-of-several${bytes.length}-${i}`);
      fs.mkdirSync(part);
      fs.mkdirSync(halves, { recursive: true });
      for (const name of half) {
        fs.copyFileSync(path.join(digests, name), path.join(part, name));
      }
      const out = path.join(halves, `${i}.digest`);
      assert.equal((await emberline(['merge', part, '-o', out])).status, 0);
    }
    const whole = path.join(folder, `several${bytes.length}.digest`);
    assert.equal((await emberline(['merge', halves, '-o', whole])).status, 0);
    bytes.push(fs.readFileSync(whole));
    for (const merged of [halves, whole]) {
      assert.deepEqual(await table(merged, 'kernels'), kernels);
      assert.deepEqual(
        (await summary(merged)).notes.map(({ kind, text }) => [kind, text]),
        job.notes.map(({ kind, text }) => [kind, text]),
      );
    }
  }
  assert.ok(bytes[0].equals(bytes[1]), 'the same bytes');
});

test('a file that is there twice is said to be, and counts once', async () => {
  const { at } = planted({ ranks: 4 });
  const file = fs.readdirSync(at).find((name) => name.includes('_2.'));
  // Whichever comes first: the copy's name tells no machine.
  for (const name of ['zz_copy', 'a_copy']) {
    const copy = path.join(at, `${name}.1700000000000.pt.trace.json`);
    fs.copyFileSync(path.join(at, file), copy);
    const job = await summary(at);
    assert.deepEqual(
      job.notes.map((note) => [note.kind, note.ranks]),
      [['copiedRank', [2]]],
    );
    assert.match(job.notes[0].text, new RegExp(`${name}.*is left out: it is a copy of .*_2\\.`));
    assert.equal(job.ranks.length, 4);
    assert.equal(job.nodes.length, 1);
    fs.rmSync(copy);
  }
});

test('a rank that a trace does not say is never a figure', async () => {
  const { at } = planted({ ranks: 2 });
  const [first, second] = fs.readdirSync(at).map((name) => path.join(at, name));
  const trace = JSON.parse(fs.readFileSync(first, 'utf8'));
  delete trace.distributedInfo;
  fs.rmSync(first);
  fs.rmSync(second);
  for (const name of ['some', 'same']) {
    fs.writeFileSync(path.join(at, `${name}.pt.trace.json`), JSON.stringify(trace));
  }
  const job = await summary(at);
  assert.deepEqual(
    job.notes.map((note) => [note.kind, note.ranks]),
    [['copiedRank', [0]]],
  );
  assert.match(job.notes[0].text, /is a copy of .*, the trace of rank 0\.$/);
  const kernels = await table(at, 'kernels');
  assert.ok(kernels.length > 0);
  for (const row of kernels) assert.equal(row.maxRank, null);
});

test('a trace without a time of day begins with the others, and collectives place it', async () => {
  const { at } = planted({ ranks: 4 });
  const before = await summary(at);
  // What a trace lacks that was cut: the recorder writes it last.
  const name = fs.readdirSync(at).find((file) => file.includes('_2.'));
  const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
  for (const base of [undefined, 0, -5, 9e18]) {
    trace.baseTimeNanoseconds = base;
    fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
    const job = await summary(at);
    assert.deepEqual(
      job.notes.map((note) => [note.kind, note.ranks]),
      [['clockUnknown', [2]]],
    );
    assert.match(job.notes[0].text, /^The trace of rank 2 does not say .* collectives tell its/);
    assert.ok(Math.abs(job.durationNs - before.durationNs) < 1e6, `${job.durationNs}`);
    for (const rank of job.ranks) {
      assert.ok(Math.abs(rank.startNs - before.ranks[rank.rank].startNs) < 1e6, `${rank.startNs}`);
    }
  }
  // Without collectives nothing does.
  trace.traceEvents = trace.traceEvents.filter((event) => !/nccl|record_param/.test(event.name));
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  const job = await summary(at);
  const clocks = job.notes.filter((note) => note.kind.startsWith('clock'));
  assert.deepEqual(
    clocks.map((note) => [note.kind, note.ranks]),
    [['clockUnknown', [2]]],
  );
  assert.match(clocks[0].text, /it is shown as beginning with the first\.$/);
  assert.equal(job.ranks[2].startNs, 0);
});

test('a rank whose clock is years away stretches nothing, and its collectives place it', async () => {
  const { at } = planted({ ranks: 4 });
  const before = await summary(at);
  const name = fs.readdirSync(at).find((file) => file.includes('_2.'));
  const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
  const recorded = trace.baseTimeNanoseconds;
  const days = 24 * 3600e9;
  for (const apart of [-8 * days, 8 * days, 10_000 * days]) {
    trace.baseTimeNanoseconds = recorded + apart;
    fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
    const job = await summary(at);
    assert.deepEqual(
      job.notes.map((note) => [note.kind, note.ranks]),
      [['clockApart', [2]]],
    );
    assert.match(job.notes[0].text, /collectives correct that/);
    assert.ok(Math.abs(job.durationNs - before.durationNs) < 1e6, `${job.durationNs}`);
    for (const rank of job.ranks) {
      assert.ok(Math.abs(rank.startNs - before.ranks[rank.rank].startNs) < 1e6, `${rank.startNs}`);
    }
  }
  trace.traceEvents = trace.traceEvents.filter((event) => !/nccl|record_param/.test(event.name));
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  const far = await summary(at);
  const clocks = far.notes.filter((note) => note.kind.startsWith('clock'));
  assert.deepEqual(
    clocks.map((note) => [note.kind, note.ranks]),
    [['clockApart', [2]]],
  );
  assert.match(
    clocks[0].text,
    /ahead of the others, .* shown as beginning with the first, and may/,
  );
  assert.equal(far.ranks[2].startNs, 0);
  assert.ok(Math.abs(far.durationNs - before.durationNs) < 1e9, `${far.durationNs}`);
  // Hours are no reason to doubt what was recorded.
  trace.baseTimeNanoseconds = recorded + days / 4;
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  const hours = await summary(at);
  assert.ok(Math.abs(hours.ranks[2].startNs - days / 4) < 60e9, `${hours.ranks[2].startNs}`);
});

test('an event far away in a trace of one rank stretches no length of the job', async () => {
  const { at } = planted({ ranks: 4 });
  const before = await summary(at);
  const name = fs.readdirSync(at).find((file) => file.includes('_1.'));
  const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
  const kernel = trace.traceEvents.find((event) => event.cat === 'kernel');
  for (const bad of [{ ts: kernel.ts + 9e14 }, { ts: -9e14 }, { dur: 9e14 }]) {
    const text = JSON.stringify({
      ...trace,
      traceEvents: [...trace.traceEvents, { ...kernel, name: 'bad', ...bad }],
    });
    fs.writeFileSync(path.join(at, name), text);
    const job = await summary(at);
    assert.ok(Math.abs(job.durationNs - before.durationNs) < 1e3, `${job.durationNs}`);
    for (const rank of job.ranks) assert.equal(rank.startNs, before.ranks[rank.rank].startNs);
    const idle = (await emberlineJson('idle', at)).rows;
    assert.ok(idle.length > 0 && idle.every((row) => row.idleTimeUs < 1e6), JSON.stringify(idle));
  }
});

test('a rank beyond the number of ranks is none, and neither is a number of none', async () => {
  const { at } = planted({ ranks: 4 });
  const name = fs.readdirSync(at).find((file) => file.includes('_3.'));
  const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
  trace.distributedInfo.rank = 77;
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  let job = await summary(at);
  assert.deepEqual(
    job.ranks.map(({ rank, recorded }) => [rank, recorded]),
    [
      [0, true],
      [1, true],
      [2, true],
      [3, false],
    ],
  );
  assert.deepEqual(
    job.notes.map((note) => [note.kind, note.ranks]),
    [['impossibleRank', [3]]],
  );
  assert.match(job.notes[0].text, /is from rank 77 of 4, which does not exist; .* as rank 3\.$/);
  trace.distributedInfo.rank = 3;
  trace.distributedInfo.world_size = 0;
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  job = await summary(at);
  assert.deepEqual([job.worldSize, job.ranks.length, job.notes], [4, 4, []]);
});

test('more ranks than the traces say there are keep their numbers', async () => {
  const { at } = planted({ ranks: 4 });
  for (const name of fs.readdirSync(at)) {
    const file = path.join(at, name);
    fs.writeFileSync(
      file,
      fs.readFileSync(file, 'utf8').replace('"world_size":4', '"world_size":2'),
    );
  }
  const job = await summary(at);
  assert.deepEqual(
    job.ranks.map(({ rank, recorded }) => [rank, recorded]),
    [0, 1, 2, 3].map((rank) => [rank, true]),
  );
  assert.equal(job.worldSize, null);
  assert.deepEqual(
    job.notes.map(({ text }) => text),
    [
      'The traces say that the job has 2 ranks, but they are from 4 different ones. ' +
        'How many there were is not known.',
    ],
  );
});

test('no percentile is less than the smallest or more than the largest', async () => {
  const { at } = planted({
    ranks: 4,
    straggler: { rank: 1, kind: 'device', extraNs: 900_000 },
  });
  const kernels = await table(at, 'kernels');
  // The planted kernel always lasts as long.
  const sort = kernels.find((row) => row.name === 'sort_kernel');
  assert.deepEqual([sort.medianUs, sort.p95Us], [sort.minUs, sort.maxUs]);
  for (const row of [...kernels, ...(await table(at, 'launches'))]) {
    for (const key of Object.keys(row).filter((name) => /(median|p95)Us$/i.test(name))) {
      const of = (end) =>
        row[
          key.replace(/(median|p95)Us$/i, (part) =>
            /^[MP]/.test(part) ? `${end[0].toUpperCase()}${end.slice(1)}Us` : `${end}Us`,
          )
        ];
      assert.ok(row[key] >= of('min') && row[key] <= of('max'), `${key}: ${row[key]}`);
    }
  }
});

/** The checksum of a digest's body, as `ranks/digest_file.cc` makes it. */
function checksum(body) {
  const bits = (value) => BigInt.asUintN(64, value);
  let h = bits(BigInt(body.length) * 0x9e3779b97f4a7c15n);
  let at = 0;
  for (; at + 8 <= body.length; at += 8) {
    h = bits((h ^ body.readBigUInt64LE(at)) * 0xff51afd7ed558ccdn);
    h ^= h >> 32n;
  }
  let rest = 0xcbf29ce484222325n;
  for (const byte of body.subarray(at)) rest = bits((rest ^ BigInt(byte)) * 0x100000001b3n);
  rest = bits((rest ^ (rest >> 33n)) * 0xff51afd7ed558ccdn);
  rest = bits((rest ^ (rest >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return bits(h ^ rest ^ (rest >> 33n))
    .toString(16)
    .padStart(16, '0');
}

/** Writes a digest as a program of another version would have begun it. */
function withVersion(file, version) {
  const bytes = fs.readFileSync(file);
  const begin = bytes.indexOf('\n') + 1;
  const body = bytes.subarray(begin + 17);
  assert.equal(checksum(body), bytes.toString('latin1', begin, begin + 16));
  const known = body[0] >> 1; // a small number, with its sign in the lowest bit
  body[0] = version(known) << 1;
  bytes.write(checksum(body), begin, 'latin1');
  fs.writeFileSync(file, bytes);
  return { known, name: path.basename(file) };
}

test('digests of an older and of a newer program are named with both versions, and the rest works', async () => {
  const { at } = planted({ ranks: 5 });
  const digests = path.join(folder, 'versions');
  assert.equal((await emberline(['digest', at, '-o', digests])).status, 0);
  const files = fs.readdirSync(digests).sort();
  const changed = [
    [files[1], (known) => known - 1],
    [files[3], (known) => known + 1],
  ].map(([file, version]) => withVersion(path.join(digests, file), version));
  const job = await summary(digests);
  assert.deepEqual(
    job.ranks.map((rank) => rank.rank),
    [0, 2, 4],
  );
  const broken = job.notes.filter(({ kind }) => kind === 'brokenFile').map(({ text }) => text);
  const { known } = changed[0];
  assert.equal(broken.length, 2);
  [known - 1, known + 1].forEach((version, i) => {
    assert.ok(broken[i].includes(changed[i].name), broken[i]);
    assert.ok(
      broken[i].includes(`has version ${version}; this program reads version ${known}`),
      broken[i],
    );
  });
  // Merging says the same, and keeps what it can read.
  const merged = path.join(folder, 'versions.digest');
  const { stderr } = await emberline(['merge', digests, '-o', merged]);
  for (const { name } of changed) assert.ok(stderr.includes(name), stderr);
  assert.deepEqual(
    (await summary(merged)).ranks.map((rank) => rank.rank),
    [0, 2, 4],
  );
  // As the message advises: those alone are made again.
  const again = await emberline(['digest', at, '-o', digests]);
  assert.match(again.stdout, /^2 digests made, 3 already there, 0 traces failed/);
  assert.equal((await summary(digests)).ranks.length, 5);
});

test('a trace that was cut before its first event is left out, and moves nobody in time', async () => {
  const { at } = planted({ ranks: 2 });
  const whole = await summary(at);
  fs.writeFileSync(path.join(at, 'cut_5.1700000000000.pt.trace.json'), '{"traceEvents": [{"ph":');
  const job = await summary(at);
  assert.deepEqual([job.baseNs, job.durationNs], [whole.baseNs, whole.durationNs]);
  assert.deepEqual(job.ranks, whole.ranks);
  const notes = job.notes.filter(({ kind }) => !whole.notes.some((note) => note.kind === kind));
  assert.deepEqual(
    notes.map(({ kind }) => kind),
    ['emptyRank'],
  );
  assert.match(notes[0].text, /cut_5\..* is left out/);
  assert.match((await emberline(['distributed', at])).stdout, /^2 ranks of 2 on 1 node/);
});

test('a rank without communication is named', async () => {
  const { at } = planted({ ranks: 3 });
  const file = fs.readdirSync(at).find((name) => name.includes('_2.'));
  const text = fs.readFileSync(path.join(at, file), 'utf8');
  const silent = JSON.parse(text);
  silent.traceEvents = silent.traceEvents.filter(
    (event) => !/nccl|record_param|c10d/.test(event.name),
  );
  fs.writeFileSync(path.join(at, file), JSON.stringify(silent));
  const kinds = (await summary(at)).notes.map((note) => [note.kind, note.ranks]);
  assert.deepEqual(kinds[kinds.length - 1], ['noCommunication', [2]]);
});

test('groups that were not recorded are matched by stream, and that is said', async () => {
  const { at } = planted({ ranks: 2, named: false, sequences: false });
  const job = await summary(at);
  assert.deepEqual(
    job.notes.map((note) => note.kind),
    ['unknownGroups'],
  );
  assert.equal(job.unmatchedCalls, 0);
});

test('digests give what traces give, are kept, and merge to the same bytes in any order', async () => {
  const { at } = planted({
    ranks: 6,
    skewNs: skews(6),
    straggler: { rank: 1, kind: 'device', extraNs: 2_000_000 },
  });
  const digests = path.join(folder, 'digests');
  const made = await emberline(['digest', at, '-o', digests]);
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^6 digests made, 0 already there, 0 traces failed/);
  const times = fs
    .readdirSync(digests)
    .map((name) => fs.statSync(path.join(digests, name)).mtimeMs);
  const again = await emberline(['digest', at, '-o', digests]);
  assert.match(again.stdout, /^0 digests made, 6 already there, 0 traces failed/);
  assert.deepEqual(
    fs.readdirSync(digests).map((name) => fs.statSync(path.join(digests, name)).mtimeMs),
    times,
  );
  const each = ['ranks', 'calls', 'stragglers', 'kernels', 'idle', 'launches', 'queues'];
  for (const by of [...each, 'kernelRanks', 'operatorKernels', 'annotations']) {
    const strip = (rows) => rows.map((row) => ({ ...row, path: '' }));
    assert.deepEqual(strip(await table(digests, by)), strip(await table(at, by)), by);
  }
  // Merge in three different orders, by merging merged ones.
  const names = fs.readdirSync(digests).sort();
  const bytes = [];
  for (const order of [
    [[0, 1, 2, 3, 4, 5]],
    [[5, 3], [1, 0, 4], [2]],
    [[2, 4], [5], [0], [3, 1]],
  ]) {
    const parts = path.join(folder, `parts${bytes.length}`);
    fs.mkdirSync(parts);
    for (const [i, members] of order.entries()) {
      const part = path.join(folder, `part${bytes.length}-${i}`);
      fs.mkdirSync(part);
      for (const member of members)
        fs.copyFileSync(path.join(digests, names[member]), path.join(part, names[member]));
      const merged = await emberline(['merge', part, '-o', path.join(parts, `${i}.digest`)]);
      assert.equal(merged.status, 0, merged.stderr);
    }
    const out = path.join(folder, `whole${bytes.length}.digest`);
    assert.equal((await emberline(['merge', parts, '-o', out])).status, 0);
    bytes.push(fs.readFileSync(out));
  }
  assert.ok(bytes[0].equals(bytes[1]) && bytes[0].equals(bytes[2]), 'the same bytes');
});

test('a broken trace and damaged digests are named; the status tells', async () => {
  const { at } = planted({ ranks: 3 });
  const bad = path.join(at, 'bad_9.1700000000000.pt.trace.json');
  fs.writeFileSync(bad, 'no trace at all');
  const digests = path.join(folder, 'damaged');
  const made = await emberline([
    'digest',
    ...fs.readdirSync(at).map((name) => path.join(at, name)),
    '-o',
    digests,
  ]);
  assert.equal(made.status, 3);
  assert.match(made.stderr, /bad_9/);
  assert.match(made.stdout, /^3 digests made, 0 already there, 1 trace failed/);
  const names = fs.readdirSync(digests).sort();
  assert.equal(names.length, 3, 'no half-written files');
  const whole = fs.readFileSync(path.join(digests, names[0]));
  fs.writeFileSync(path.join(digests, 'cut.digest'), whole.subarray(0, whole.length >> 1));
  fs.writeFileSync(path.join(digests, 'empty.digest'), '');
  const list = path.join(folder, 'expected.txt');
  fs.writeFileSync(
    list,
    `${fs
      .readdirSync(at)
      .map((name) => path.join(at, name))
      .join('\n')}\n`,
  );
  const merged = await emberline(['merge', digests, '--expect', list]);
  assert.equal(merged.status, 3);
  assert.match(merged.stderr, /cut\.digest: .*checksum/);
  assert.match(merged.stderr, /empty\.digest/);
  assert.match(merged.stderr, /bad_9.* has no digest/);
  assert.match(merged.stdout, /^3 traces merged/);
});

test('a stride takes its part of a list', async () => {
  const { at } = planted({ ranks: 5 });
  const list = path.join(folder, 'list.txt');
  const files = fs.readdirSync(at).map((name) => path.join(at, name));
  fs.writeFileSync(list, files.join('\n'));
  const digests = path.join(folder, 'strided');
  for (const [part, count] of [
    [0, 3],
    [1, 2],
  ]) {
    const made = await emberline([
      'digest',
      '--list',
      list,
      '--stride',
      `${part}/2`,
      '-o',
      digests,
    ]);
    assert.equal(made.status, 0, made.stderr);
    assert.match(made.stdout, new RegExp(`^${count} digests? made`));
  }
  assert.equal(fs.readdirSync(digests).length, 5);
});

test('what machines send each other is what their ranks do', async () => {
  const { at } = planted({ ranks: 24, steps: 1, seed: 3, missing: [9] });
  const machine = (rank) => (rank === 9 ? '' : `node${Math.floor(rank / 8)}`);
  const expected = {};
  for (const row of await table(at, 'matrix')) {
    const key = `${machine(row.rank)}>${machine(row.peer)}`;
    expected[key] = (expected[key] ?? 0) + row.bytes;
  }
  const rows = await table(at, 'nodeMatrix');
  assert.equal(rows.length, 9);
  for (const row of rows) {
    const sum = expected[`${row.node ?? ''}>${row.peerNode ?? ''}`];
    // Bytes of pairs are rounded.
    assert.ok(Math.abs(row.bytes - sum) < 100, `${row.node}>${row.peerNode}: ${row.bytes}, ${sum}`);
  }
});
