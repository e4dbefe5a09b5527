// How fast jobs are put together, and what memory each rank takes. Prints figures and the goals; asserts
// nothing.
//
//   node tests/bench/jobs.mjs [--ranks 1,8,64,512] [--steps 20] [--digests 1000] [--rounds 3]
//
// Of several rounds the fastest counts: on a machine that others share, it is the one they disturbed least.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { writeJob } from '../generator/job.mjs';
import { serverPath } from '../lib/cli.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { Goals } from './goals.mjs';
import { argument, cpuSecondsOf, timed } from './lib.mjs';
import { measured } from './measure.mjs';

const sizes = argument('--ranks', '1,8,64,512').split(',').map(Number);
const steps = Number(argument('--steps', '20'));
const rounds = Number(argument('--rounds', '3'));
const digestCount = Number(argument('--digests', '1000'));

const measure = (args) => measured(serverPath, args);

/** The fastest of some measures, by its `seconds`. */
const fastest = (measures) => measures.reduce((a, b) => (b.seconds < a.seconds ? b : a));

/**
 * Makes digests of `traces` with every core and with one, in turns, so that both meet the same machine;
 * those of the last round stay in `digests`.
 */
async function digesting(traces, digests) {
  const made = [];
  const alone = [];
  for (let round = 0; round < rounds; ++round) {
    for (const [measures, more] of [
      [alone, ['--threads', '1']],
      [made, []],
    ]) {
      rmSync(digests, { recursive: true, force: true });
      measures.push(await measure(['digest', traces, '-o', digests, ...more]));
    }
  }
  return { made: fastest(made), alone: fastest(alone) };
}

async function repeated(work) {
  const measures = [];
  for (let round = 0; round < rounds; ++round) measures.push(await work());
  return fastest(measures);
}

const bytesIn = (folder) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
const mb = (bytes) => (bytes / 1e6).toFixed(2);
const s = (seconds) => seconds.toFixed(2);

/** What the editor asks first of a folder of digests, of a daemon that knows nothing of it. */
async function firstPicture(digests) {
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const before = cpuSecondsOf(daemon.child.pid);
    const { ms } = await timed(() => daemon.request('distributed/job', { digests }));
    return { seconds: ms / 1000, cpu: cpuSecondsOf(daemon.child.pid) - before };
  } finally {
    await daemon.stop();
  }
}

const cores = availableParallelism();
const goals = new Goals();
const folder = mkdtempSync(path.join(tmpdir(), 'emberline-jobs-'));
try {
  console.log(`${cores} cores, ${steps} steps a rank`);
  for (const ranks of sizes) {
    const traces = path.join(folder, `traces${ranks}`);
    writeJob(traces, { ranks, steps });
    const digests = path.join(folder, `digests${ranks}`);
    const { made, alone } = await digesting(traces, digests);
    const shown = await repeated(() => measure(['distributed', traces]));
    const merged = await repeated(() => measure(['distributed', digests]));
    const picture = await repeated(() => firstPicture(digests));
    const scaling = alone.seconds / made.seconds;
    const size = bytesIn(digests) / ranks;
    console.log(
      `${ranks} ranks of ${mb(bytesIn(traces) / ranks)} MB: digests ${s(made.seconds)} s ` +
        `(${(ranks / made.seconds).toFixed(1)} ranks/s; one thread ${s(alone.seconds)} s, ` +
        `${scaling.toFixed(2)} times that), ` +
        `${mb(made.peakBytes)} MB peak, ${(size / 1000).toFixed(1)} kB each; ` +
        `shown from traces ${s(shown.seconds)} s, ${mb(shown.peakBytes / ranks)} MB a rank; ` +
        `from digests ${s(merged.seconds)} s, ${mb(merged.peakBytes / ranks)} MB a rank; ` +
        `first picture ${s(picture.seconds)} s (${s(picture.cpu)} s of processors)`,
    );
    goals.atMost(`first picture of ${ranks} digests`, picture.seconds, 1, 's');
    // One rank is one file, which one thread reads.
    if (ranks >= 2 * cores) {
      goals.atLeast(`digests of ${ranks} ranks: ${cores} cores over one`, scaling, 0.8 * cores);
    }
    rmSync(traces, { recursive: true });
    rmSync(digests, { recursive: true });
  }
  const traces = path.join(folder, 'many');
  writeJob(traces, { ranks: digestCount, steps });
  const digests = path.join(folder, 'merged');
  await measure(['digest', traces, '-o', digests]);
  const merged = await repeated(() =>
    measure(['merge', digests, '-o', path.join(folder, 'all.digest')]),
  );
  const one = path.join(folder, 'all.digest');
  const size = statSync(one).size;
  const opened = await repeated(() => measure(['distributed', one]));
  console.log(
    `${digestCount} digests of ${(bytesIn(digests) / digestCount / 1000).toFixed(1)} kB merged in ` +
      `${s(merged.seconds)} s, ${mb(merged.peakBytes)} MB peak, ${mb(size)} MB as one; ` +
      `that is opened in ${s(opened.seconds)} s, ${mb(opened.peakBytes)} MB peak`,
  );
  goals.atMost(`merging ${digestCount} digests`, merged.seconds, 2, 's');
  goals.print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
