// A bounded run of the fuzzers: the same mutated inputs every time. A crash, a broken promise of the
// engine (see the targets) or an input that takes too long fails.
//
// EMBERLINE_FUZZ: another emberline_fuzz, for example one with sanitizers (see ../README.md).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { root, serverPath, temporaryFolder } from '../lib/cli.mjs';
import { writeSeeds } from './seeds.mjs';

const { folder, remove } = temporaryFolder('fuzz');
const program = process.env.EMBERLINE_FUZZ ?? path.join(path.dirname(serverPath), 'emberline_fuzz');
let seeds;

before(() => {
  seeds = writeSeeds(folder);
});
after(remove);

function fuzz(target, runs) {
  assert.ok(existsSync(program), `there is no program at ${program}: build it first`);
  const kept = path.join(root, 'tests', 'out', 'fuzz');
  mkdirSync(kept, { recursive: true });
  const save = path.join(kept, `${target}.input`);
  const args = [target, '--runs', `${runs}`, '--seed', '1', '--save', save, seeds[target]];
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    env: {
      ...process.env,
      ASAN_OPTIONS: 'abort_on_error=1:detect_leaks=0',
      UBSAN_OPTIONS: 'halt_on_error=1:abort_on_error=1:print_stacktrace=1',
    },
  });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr.slice(0, 20_000)}`);
  assert.match(stdout, new RegExp(`${target}: ${runs} inputs`));
}

test('damaged traces', () => fuzz('trace', 6000));
test('Python sources', () => fuzz('python', 1500));
test('streams of messages', () => fuzz('rpc', 6000));
test('views with any parameters', () => fuzz('views', 1000));
test('digests that nobody made', () => fuzz('digest', 4000));
