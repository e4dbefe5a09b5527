// Pipelines and rings with planted delays: who was late, in which step and by how much is found,
// and nobody is named where stages only wait for each other as pipelines do.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberline, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { DrawnRank, world, writeRanks } from './drawn_ranks.mjs';
import { drawPipeline } from './pipeline.mjs';

const { folder, remove } = temporaryFolder('pipeline');
after(remove);

let number = 0;
function written(ranks) {
  const at = path.join(folder, `job${(number += 1)}`);
  writeRanks(at, ranks);
  return at;
}
const stragglers = async (at) => (await emberlineJson('distributed', at)).stragglers;
const lateWork = async (at) => (await emberlineJson('distributed', at, '--by', 'lateWork')).rows;

/** Within so much of what was planted: work differs by itself. */
function near(found, planted, part = 0.12) {
  assert.ok(Math.abs(found - planted) <= part * planted, `${found} instead of ${planted}`);
}

/** The planted excess of a rank by step. */
function plantedOf(planted, rank) {
  const steps = new Map();
  for (const [key, extra] of planted) {
    const [of, step] = key.split(' ');
    if (Number(of) === rank) steps.set(step, extra);
  }
  return steps;
}

async function assertOnce(job, expected) {
  const { ranks, planted } = drawPipeline(job);
  const at = written(ranks);
  const found = await stragglers(at);
  assert.deepEqual(found.map(({ rank }) => rank).sort(), expected);
  const rows = await lateWork(at);
  for (const late of found) {
    const work = late.work.find(({ kind }) => kind === 'once');
    assert.ok(work, `rank ${late.rank}: ${late.work.map(({ kind }) => kind)}`);
    const steps = plantedOf(planted, late.rank);
    assert.equal(work.stepCount, steps.size);
    for (const [step, extra] of steps) {
      const row = rows.find((one) => one.rank === late.rank && one.step === step);
      near(row.excessUs, extra);
      assert.ok(row.tracedUs >= 0.8 * extra, `others waited ${row.tracedUs}`);
    }
  }
  return { at, found };
}

test('nobody is late in healthy pipelines, whatever their bubbles and jitter', async () => {
  for (let seed = 0; seed < 48; seed += 1) {
    const random = randomNumbers(seed * 7919);
    const pick = (list) => list[Math.floor(random() * list.length)];
    const job = {
      seed,
      stages: pick([2, 3, 4, 6, 8, 16]),
      micro: pick([2, 4, 8, 12]),
      steps: pick([1, 2, 3, 5]),
      schedule: pick(['gpipe', '1f1b']),
      jitter: pick([0, 0.05, 0.1, 0.2, 0.35]),
      beside: random() < 0.4,
      replicas: pick([1, 1, 2]),
      forward: pick([100, 300, 2000]),
      backward: pick([150, 600, 4000]),
    };
    if (job.stages * job.replicas > 16) job.replicas = 1;
    if (random() < 0.3) job.skew = (rank) => (((rank * 7919) % 13) - 6) * 1000;
    if (random() < 0.3) {
      // Micro-batches of any length: all stages take longer for a long one.
      const lengths = Array.from({ length: 100 }, () => 0.5 + 1.5 * random());
      job.length = (step, i) => lengths[(step * 17 + i * 5) % 100];
    }
    const at = written(drawPipeline(job).ranks);
    const found = await stragglers(at);
    assert.deepEqual(found, [], JSON.stringify(job));
    fs.rmSync(at, { recursive: true });
  }
});

for (const [schedule, beside] of [
  ['gpipe', false],
  ['gpipe', true],
  ['1f1b', false],
  ['1f1b', true],
]) {
  const how = `${schedule}${beside ? ', sends beside other work' : ''}`;
  test(`a stage that is slow in one step is found, with the step and the excess: ${how}`, async () => {
    for (const rank of [1, 3]) {
      const slow = [{ rank, step: 2, extra: 500, what: 'backward' }];
      const job = { stages: 4, steps: 4, schedule, beside, slow, seed: rank };
      const { found } = await assertOnce(job, [rank]);
      const [reason] = found[0].reasons;
      assert.equal(reason.name, 'aten::sort');
      assert.match(reason.place, /stage\.py:77 \(run\)/);
      near(reason.timeUs, 8 * 500);
    }
  });
}

for (const beside of [false, true]) {
  const how = beside ? 'sends beside other work' : 'one exchange after each piece of work';
  test(`nobody is late in healthy interleaved pipelines: ${how}`, async () => {
    for (let seed = 0; seed < 12; seed += 1) {
      const random = randomNumbers(seed * 6133);
      const pick = (list) => list[Math.floor(random() * list.length)];
      const stages = pick([2, 3, 4, 8]);
      const job = { seed, beside, stages, schedule: 'interleaved', chunks: pick([2, 2, 3]) };
      Object.assign(job, { micro: stages * pick([1, 2, 3]), steps: pick([1, 2, 5]) });
      Object.assign(job, { jitter: pick([0, 0.1, 0.35]), replicas: pick([1, 2]) });
      const at = written(drawPipeline(job).ranks);
      const { stragglers: found, notes } = await emberlineJson('distributed', at);
      assert.deepEqual([found, notes], [[], []], JSON.stringify(job));
      fs.rmSync(at, { recursive: true });
    }
  });

  test(`a stage that is slow in interleaved pipelines is found: ${how}`, async () => {
    const job = { schedule: 'interleaved', beside, micro: 8 };
    for (const [stages, rank] of [
      [2, 1],
      [4, 0],
      [4, 2],
      [8, 7],
    ]) {
      const slow = [{ rank, step: 2, extra: 500, what: 'backward' }];
      const { found } = await assertOnce({ ...job, stages, slow, seed: rank }, [rank]);
      assert.equal(found[0].reasons[0].name, 'aten::sort');
    }
    const weight = (stage) => (stage === 2 ? 2 : 1);
    const [heavy, ...others] = await stragglers(written(drawPipeline({ ...job, weight }).ranks));
    assert.deepEqual([heavy.rank, heavy.work[0].kind, others], [2, 'heavy', []]);
    near(heavy.work[0].excessUs, 4 * 8 * 2 * 900);
    const always = { ...job, replicas: 3, steps: 5, slow: [{ rank: 6, extra: 150 }] };
    const [late, ...more] = await stragglers(written(drawPipeline(always).ranks));
    assert.deepEqual([late.rank, late.work[0].kind, more], [6, 'always', []]);
    near(late.work[0].excessUs, 5 * 8 * 2 * 150, 0.2);
  });
}

test('of two stages, interleaved or not, the late one is found with all of its excess', async () => {
  for (const job of [
    { schedule: 'interleaved', chunks: 2, micro: 8, steps: 4 },
    { schedule: 'interleaved', chunks: 3, micro: 8, steps: 4 },
    { schedule: 'interleaved', chunks: 3, micro: 8, steps: 4, beside: true },
    { schedule: 'interleaved', chunks: 2, micro: 4, steps: 3, replicas: 2 },
    { schedule: 'interleaved', chunks: 3, micro: 8, steps: 4, beside: true, replicas: 2 },
    { schedule: '1f1b', micro: 8, steps: 4 },
  ]) {
    const slow = [{ rank: 1, step: 1, extra: 300 }];
    await assertOnce({ stages: 2, ...job, slow }, [1]);
  }
});

/** The jobs of `count` seeds, with what of each is drawn by chance. */
function* drawnJobs(count, { stages = [4], steps = [2, 3, 4, 5], jitter = [0, 0.05, 0.1] }) {
  for (let seed = 0; seed < count; seed += 1) {
    const random = randomNumbers(seed * 7919 + 13);
    const pick = (list) => list[Math.floor(random() * list.length)];
    const job = { seed, stages: pick(stages), schedule: pick(['gpipe', '1f1b', 'interleaved']) };
    Object.assign(job, { micro: job.stages * pick([1, 2, 3]), beside: random() < 0.7 });
    Object.assign(job, { steps: pick(steps), jitter: pick(jitter), replicas: pick([1, 1, 2]) });
    yield { job, pick, random };
  }
}

test('the late stage is found in recordings of few steps, with sends beside other work', async () => {
  const missed = [];
  for (const { job, pick, random } of drawnJobs(24, {})) {
    const rank = Math.floor(random() * 4 * job.replicas);
    // What comes before the first call of a recording is not known.
    const step = job.steps - 1;
    const slow = [{ rank, step, extra: pick([500, 800]), what: pick(['forward', 'backward']) }];
    const at = written(drawPipeline({ ...job, slow }).ranks);
    const found = await stragglers(at);
    const named = found.map((late) => late.rank);
    assert.deepEqual(
      named.filter((one) => one !== rank),
      [],
      JSON.stringify(job),
    );
    if (named.length === 0) missed.push(job);
    for (const { reasons } of found) {
      assert.equal(reasons[0].name, 'aten::sort');
      assert.match(reasons[0].place, /stage\.py:77 \(run\)/);
    }
    fs.rmSync(at, { recursive: true });
  }
  assert.deepEqual(missed, []);
});

test('of two steps, the one in which a stage was late does not hide it', async () => {
  const two = { stages: 4, beside: true, steps: 2 };
  for (const [job, late] of [
    [{ seed: 40, schedule: 'interleaved', micro: 12, jitter: 0.1 }, [1, 0, 500, 'backward']],
    [{ seed: 132, schedule: 'interleaved', micro: 12, jitter: 0.1 }, [2, 1, 500, 'backward']],
    [{ seed: 171, schedule: '1f1b', micro: 12, jitter: 0 }, [1, 1, 800, 'forward']],
    [{ seed: 230, schedule: 'interleaved', micro: 8, jitter: 0 }, [2, 0, 800, 'backward']],
  ]) {
    const [rank, step, extra, what] = late;
    const slow = [{ rank, step, extra, what }];
    const at = written(drawPipeline({ ...two, ...job, slow }).ranks);
    const found = await stragglers(at);
    assert.deepEqual(
      found.map((one) => one.rank),
      [rank],
      JSON.stringify(job),
    );
    fs.rmSync(at, { recursive: true });
  }
});

test('nobody is late where nothing ends a step, or where one step is recorded', async () => {
  for (const { job, random } of drawnJobs(36, {
    stages: [2, 3, 6, 8],
    steps: [1, 2, 3],
    jitter: [0, 0.1, 0.35],
  })) {
    if (random() < 0.6) job.reduce = [];
    if (random() < 0.4) {
      const lengths = Array.from({ length: 100 }, () => 0.5 + 1.5 * random());
      job.length = (step, i) => lengths[(step * 17 + i * 5) % 100];
    }
    const at = written(drawPipeline(job).ranks);
    assert.deepEqual(await stragglers(at), [], JSON.stringify(job));
    fs.rmSync(at, { recursive: true });
  }
});

test('what a late stage did is told in the text, with its line', async () => {
  const slow = [{ rank: 2, step: 1, extra: 400 }];
  const { stdout } = await emberline(['distributed', written(drawPipeline({ slow }).ranks)]);
  assert.match(
    stdout,
    /Rank 2 was late before \d+ sends and receives in step 1: its work took 3\.\d+ ms longer than usual, and others waited [\d.]+ ms because of it; most in aten::sort at \/job\/stage\.py:77 \(run\) \(3\.\d+ ms more\)\./,
  );
});

test('one slow micro-batch is found', async () => {
  await assertOnce({ slow: [{ rank: 1, step: 1, only: 3, extra: 4000 }] }, [1]);
});

test('two stages that are slow in different steps, or in the same, are both found', async () => {
  await assertOnce(
    {
      slow: [
        { rank: 1, step: 1, extra: 500 },
        { rank: 3, step: 3, extra: 700 },
      ],
    },
    [1, 3],
  );
  const at = written(
    drawPipeline({
      stages: 6,
      slow: [
        { rank: 1, step: 2, extra: 700 },
        { rank: 4, step: 2, extra: 700 },
      ],
    }).ranks,
  );
  assert.deepEqual((await stragglers(at)).map(({ rank }) => rank).sort(), [1, 4]);
});

test('a data loader that stalls the first stage is found, as what the host did', async () => {
  const slow = [{ rank: 0, step: 2, extra: 800, on: 'loader' }];
  const { found } = await assertOnce({ slow, steps: 4 }, [0]);
  assert.match(found[0].reasons[0].name, /DataLoader/);
  assert.equal(found[0].reasons[0].where, 'host');
});

test('a stage that is slow in all steps is said to be heavy, and by how much', async () => {
  for (const schedule of ['gpipe', '1f1b']) {
    const { ranks } = drawPipeline({
      stages: 5,
      schedule,
      weight: (stage) => (stage === 3 ? 2 : 1),
    });
    const [late, ...others] = await stragglers(written(ranks));
    assert.deepEqual(others, []);
    assert.equal(late.rank, 3);
    const [work] = late.work;
    assert.equal(work.kind, 'heavy');
    near(work.excessUs, 4 * 8 * 900);
    near(work.usualUs, 4 * 8 * 900);
  }
});

test('a rank that is slow in all steps is told from ranks that do the same elsewhere', async () => {
  const slow = [{ rank: 6, extra: 150 }];
  const [late, ...others] = await stragglers(
    written(drawPipeline({ replicas: 3, slow, steps: 5 }).ranks),
  );
  assert.deepEqual(others, []);
  assert.equal(late.rank, 6);
  assert.equal(late.work[0].kind, 'always');
  near(late.work[0].excessUs, 5 * 8 * 150, 0.2);
  assert.equal(late.reasons[0].name, 'aten::sort');
});

test('a slow stage in one of several replicas is found through the collectives', async () => {
  const slow = [{ rank: 5, step: 1, extra: 600 }];
  const { found } = await assertOnce({ replicas: 2, slow }, [5]);
  // Ranks of the other replica have waited too: in the collective after the last micro-batch.
  assert.ok(found[0].work[0].tracedUs > 5 * 8 * 600, `${found[0].work[0].tracedUs}`);
});

test('clocks that are off by much more than a step change nothing', async () => {
  const slow = [{ rank: 2, step: 2, extra: 500 }];
  await assertOnce({ slow, skew: (rank) => [0, 70_000, -50_000, 3_600_000_000][rank] }, [2]);
  // Without a collective nothing ties them; pairs end together.
  const apart = { slow, reduce: [], skew: (rank) => [0, 70_000, -50_000, 9_000_000][rank] };
  await assertOnce(apart, [2]);
});

test('excess that nobody waits for delays nobody', async () => {
  // The last stage has so much to do that the others wait for it anyway.
  const slow = [{ rank: 0, step: 2, extra: 250, what: 'forward' }];
  const { ranks } = drawPipeline({
    stages: 3,
    schedule: 'gpipe',
    beside: true,
    jitter: 0.01,
    slow,
    weight: (stage) => (stage === 2 ? 3 : 1),
  });
  const found = await stragglers(written(ranks));
  for (const late of found.filter(({ rank }) => rank === 0)) {
    const [work] = late.work;
    assert.ok(work.tracedUs < work.excessUs, `${work.tracedUs} of ${work.excessUs}`);
  }
});

/** A ring: rounds of computing and handing on; each leaves when its neighbors have come. */
function ring(count, { rounds = 8, steps = 4, late = () => 0, jitter = 0.1, seed = 1 } = {}) {
  const random = randomNumbers(seed);
  const group = world(count);
  const ranks = group.ranks.map(
    (rank) => new DrawnRank(rank, { worldSize: count, groups: [group] }),
  );
  const now = ranks.map(() => 1000);
  for (let step = 0; step < steps; step += 1) {
    const begins = [...now];
    for (let round = 0; round < rounds; round += 1) {
      ranks.forEach((rank, i) => {
        now[i] += 70;
        const extra = late(i, step, round);
        const took = Math.round(400 * (1 + jitter * (2 * random() - 1)));
        rank.kernel('attention', now[i], took);
        now[i] += took;
        if (extra > 0) {
          rank.kernel('radix_sort', now[i] + 20, extra, { operator: 'aten::sort' });
          now[i] += extra + 20;
        }
        now[i] += 80;
      });
      const ends = now.map(
        (_, i) => Math.max(now[i], now[(i + 1) % count], now[(i + count - 1) % count]) + 30,
      );
      ranks.forEach((rank, i) => {
        const next = (i + 1) % count;
        const before = (i + count - 1) % count;
        rank.batch(
          [
            { call: 'send', peer: next, elements: 1000 },
            { call: 'recv', peer: before, elements: 1000 },
          ],
          group,
          now[i],
          ends[i] - now[i],
        );
      });
      ends.forEach((end, i) => (now[i] = end));
    }
    const all = Math.max(...now) + 100;
    ranks.forEach((rank, i) => {
      rank.collective('allreduce', group, 64, now[i] + 20, all - now[i] - 20);
      rank.step(step, begins[i] + 1, all + 5 - begins[i]);
      now[i] = all + 10;
    });
  }
  return ranks;
}

test('nobody is late in healthy rings', async () => {
  for (let seed = 0; seed < 12; seed += 1) {
    const ranks = ring(2 + (seed % 6), { seed, jitter: [0, 0.05, 0.1, 0.2][seed % 4] });
    assert.deepEqual(await stragglers(written(ranks)), [], `seed ${seed}`);
  }
});

test('a rank that is late in a ring is found: in one step, or in all', async () => {
  const once = written(ring(5, { late: (rank, step) => (rank === 3 && step === 2 ? 300 : 0) }));
  const [late, ...others] = await stragglers(once);
  assert.deepEqual(others, []);
  assert.equal(late.rank, 3);
  const row = (await lateWork(once)).find(({ step }) => step === '2');
  assert.equal(row.kind, 'itself at other times');
  near(row.excessUs, 8 * 320);
  assert.ok(row.tracedUs > 3 * row.excessUs, 'each of the four others waited');
  assert.equal(late.reasons[0].name, 'aten::sort');

  const always = await stragglers(written(ring(5, { late: (rank) => (rank === 1 ? 100 : 0) })));
  assert.deepEqual(
    always.map(({ rank }) => rank),
    [1],
  );
  assert.equal(always[0].work[0].kind, 'always');
  near(always[0].work[0].excessUs, 4 * 8 * 120, 0.2);
});

test('digests of a pipeline merge to the same bytes in any order, with the same answer', async () => {
  const slow = [{ rank: 2, step: 2, extra: 400 }];
  const at = written(drawPipeline({ slow }).ranks);
  const files = [0, 1, 2, 3].map((rank) => path.join(at, `rank${rank}.json`));
  const digests = `${at}-digests`;
  assert.equal((await emberline(['digest', ...files, '-o', digests])).status, 0);
  const made = fs.readdirSync(digests).map((name) => path.join(digests, name));
  const merge = async (name, parts) => {
    const from = path.join(folder, name);
    fs.mkdirSync(from);
    for (const [k, part] of parts.entries()) {
      fs.copyFileSync(part, path.join(from, `part${k}.digest`));
    }
    const into = path.join(folder, `${name}.digest`);
    const { status, stderr } = await emberline(['merge', from, '-o', into]);
    assert.equal(status, 0, stderr);
    return into;
  };
  const whole = await merge('whole', made);
  const left = await merge('left', [made[3], made[0]]);
  const right = await merge('right', [made[2], made[1]]);
  const merged = [
    whole,
    await merge('leftRight', [left, right]),
    await merge('rightLeft', [right, left]),
  ].map((file) => fs.readFileSync(file));
  for (const bytes of merged) assert.ok(bytes.equals(merged[0]));
  const only = path.join(folder, 'only-merged');
  fs.mkdirSync(only);
  fs.writeFileSync(path.join(only, 'job.digest'), merged[0]);
  assert.deepEqual(await stragglers(only), await stragglers(at));
});
