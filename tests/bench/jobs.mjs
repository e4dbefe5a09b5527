// How fast jobs are put together, and what memory each rank takes. Prints figures; asserts nothing.
//
//   node tests/bench/jobs.mjs [--ranks 1,8,64,512] [--steps 20] [--digests 1000]
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { writeJob } from '../generator/job.mjs';
import { serverPath } from '../lib/cli.mjs';
import { measured } from './measure.mjs';
import { argument } from './lib.mjs';

const sizes = argument('--ranks', '1,8,64,512').split(',').map(Number);
const steps = Number(argument('--steps', '20'));
const digestCount = Number(argument('--digests', '1000'));

const measure = (args) => measured(serverPath, args);

const bytesIn = (folder) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
const mb = (bytes) => (bytes / 1e6).toFixed(2);
const s = (seconds) => seconds.toFixed(2);

const folder = mkdtempSync(path.join(tmpdir(), 'emberline-jobs-'));
try {
  console.log(`${availableParallelism()} cores, ${steps} steps a rank`);
  for (const ranks of sizes) {
    const traces = path.join(folder, `traces${ranks}`);
    writeJob(traces, { ranks, steps });
    const digests = path.join(folder, `digests${ranks}`);
    const made = await measure(['digest', traces, '-o', digests]);
    const alone = await measure([
      'digest',
      traces,
      '-o',
      path.join(folder, 'alone'),
      '--threads',
      '1',
    ]);
    rmSync(path.join(folder, 'alone'), { recursive: true });
    const shown = await measure(['distributed', traces]);
    const merged = await measure(['distributed', digests]);
    const size = bytesIn(digests) / ranks;
    console.log(
      `${ranks} ranks of ${mb(bytesIn(traces) / ranks)} MB: digests ${s(made.seconds)} s ` +
        `(${(ranks / made.seconds).toFixed(1)} ranks/s; one thread ${s(alone.seconds)} s), ` +
        `${mb(made.peakBytes)} MB peak, ${(size / 1000).toFixed(1)} kB each; ` +
        `shown from traces ${s(shown.seconds)} s, ${mb(shown.peakBytes / ranks)} MB a rank; ` +
        `from digests ${s(merged.seconds)} s, ${mb(merged.peakBytes / ranks)} MB a rank`,
    );
    rmSync(traces, { recursive: true });
    rmSync(digests, { recursive: true });
  }
  const traces = path.join(folder, 'many');
  writeJob(traces, { ranks: digestCount, steps });
  const digests = path.join(folder, 'merged');
  await measure(['digest', traces, '-o', digests]);
  const merged = await measure(['merge', digests, '-o', path.join(folder, 'all.digest')]);
  const size = statSync(path.join(folder, 'all.digest')).size;
  console.log(
    `${digestCount} digests of ${(bytesIn(digests) / digestCount / 1000).toFixed(1)} kB merged in ` +
      `${s(merged.seconds)} s, ${mb(merged.peakBytes)} MB peak, ${mb(size)} MB as one`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
