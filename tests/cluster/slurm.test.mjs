// The script of `emberline jobs slurm`, run as it is by a real Slurm.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { emberline, serverPath, temporaryFolder } from '../lib/cli.mjs';
import { startSlurm, until, withoutSlurm } from './slurm.mjs';

const skip = withoutSlurm();
const { folder, remove } = temporaryFolder('cluster');
let slurm;
let failure = 'Slurm is not running';
before(async () => {
  if (skip) return;
  // A machine may have the programs and still be none on which a scheduler starts.
  slurm = await startSlurm().catch((error) => {
    failure = `Slurm does not start here: ${error.message}`;
    return undefined;
  });
});
after(async () => {
  await slurm?.stop();
  remove();
});

/** A test that needs the scheduler. */
const clusterTest = (name, body) =>
  test(name, { skip }, async (context) => {
    if (slurm === undefined) context.skip(failure);
    else await body();
  });

const digestsIn = (out) =>
  fs.readdirSync(out).filter((name) => name.endsWith('.digest') && name !== 'merged.digest');

async function script(traces, out, { program = serverPath, options = [] } = {}) {
  const made = await emberline([
    'jobs',
    'slurm',
    traces,
    '-o',
    out,
    '--program',
    program,
    ...options,
  ]);
  assert.equal(made.status, 0, made.stderr);
  const file = path.join(folder, `${path.basename(out)}.sh`);
  fs.writeFileSync(file, made.stdout);
  return {
    submit: () =>
      execFileSync('sh', [file], { env: { ...slurm.env, EMBERLINE_CPUS: '1' }, encoding: 'utf8' }),
  };
}

/** What the merge said: its job is the last to end. */
const mergeLog = (out) => fs.readFileSync(path.join(out, 'log', 'merge.txt'), 'utf8');

clusterTest(
  'an array that is smaller than the job makes every digest and merges them',
  async () => {
    const traces = path.join(folder, 'many traces');
    writeJob(traces, { ranks: 7, steps: 1 });
    const out = path.join(folder, 'many');
    const { submit } = await script(traces, out, {
      options: ['--max-array', '3', '--throttle', '2'],
    });
    assert.match(submit(), /^Submitted 3 tasks/);
    await slurm.drained();
    assert.equal(digestsIn(out).length, 7);
    assert.match(mergeLog(out), /^7 traces merged/);
    const merged = await emberline(['distributed', path.join(out, 'merged.digest')]);
    assert.equal(merged.status, 0, merged.stderr);
    assert.match(merged.stdout, /^7 ranks of 7/);
  },
);

clusterTest('a broken rank does not keep the others from being merged', async () => {
  const traces = path.join(folder, 'broken');
  writeJob(traces, { ranks: 4, steps: 1 });
  const file = fs.readdirSync(traces).find((name) => name.includes('_2.'));
  fs.writeFileSync(path.join(traces, file), '{"traceEvents": 5}');
  const out = path.join(folder, 'broken-out');
  const { submit } = await script(traces, out);
  submit();
  await slurm.drained();
  assert.equal(digestsIn(out).length, 3);
  const log = mergeLog(out);
  assert.match(log, /3 traces merged/);
  assert.match(log, /node0_2\..* has no digest/);
  assert.match(log, /Rank 2 has no digest here; the job has 4\./);
});

clusterTest('a job that is killed is made up for by running the script again', async () => {
  const traces = path.join(folder, 'killed');
  writeJob(traces, { ranks: 3, steps: 1 });
  const out = path.join(folder, 'killed-out');
  // A program that hangs on one rank until its task is killed.
  const hanging = path.join(folder, 'hanging');
  fs.writeFileSync(
    hanging,
    `#!/bin/sh\ncase "$2" in *_1.*) [ -e '${folder}/mended' ] || exec sleep 600 ;; esac\nexec '${serverPath}' "$@"\n`,
    { mode: 0o755 },
  );
  const { submit } = await script(traces, out, { program: hanging });
  const [, array] = submit().match(/tasks as (\d+)/);
  await until('the other digests are there', () => digestsIn(out).length === 2);
  slurm.run('scancel', `${array}_1`);
  await slurm.drained();
  assert.match(mergeLog(out), /2 traces merged/);
  assert.match(mergeLog(out), /node0_1\..* has no digest/);
  const times = () =>
    Object.fromEntries(
      digestsIn(out).map((name) => [name, fs.statSync(path.join(out, name)).mtimeMs]),
    );
  const before = times();
  fs.writeFileSync(path.join(folder, 'mended'), '');
  submit();
  await slurm.drained();
  assert.equal(digestsIn(out).length, 3);
  assert.match(mergeLog(out), /^3 traces merged/);
  for (const [name, time] of Object.entries(before)) {
    assert.equal(times()[name], time, `${name} was left alone`);
  }
});

clusterTest('the script stays plain whatever paths are called', async () => {
  const traces = path.join(folder, `it's "odd" $(touch pwned) \`x\``);
  writeJob(traces, { ranks: 2, steps: 1 });
  const out = path.join(folder, `out $HOME 'q'`);
  const { submit } = await script(traces, out, {
    options: ['--sbatch=--comment=a b', '--sbatch=--nice=0'],
  });
  submit();
  await slurm.drained();
  assert.equal(digestsIn(out).length, 2);
  assert.match(mergeLog(out), /^2 traces merged/);
  assert.ok(!fs.existsSync('pwned'));
});

test('what no script can hold is refused', async () => {
  const traces = path.join(folder, 'refused');
  writeJob(traces, { ranks: 2, steps: 1 });
  const refused = await emberline(['jobs', 'slurm', traces, '--sbatch=partition']);
  assert.equal(refused.status, 2);
  assert.match(refused.stderr, /"partition" is not an sbatch option/);
  const unknown = await emberline(['jobs', 'pbs', traces]);
  assert.equal(unknown.status, 2);
});
