// A daemon that has one core for itself answers like one that has several: what loading and building
// the model do side by side, it does one after the other.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { availableParallelism } from 'node:os';
import { writeTrace } from '../generator/generate.mjs';
import { temporaryFolder } from '../lib/cli.mjs';
import { choices } from './choices.mjs';
import { plainMethods, withDaemon } from './daemon.mjs';

// More slices and ends of arrows (three tenths of the events) than those from which on work is
// shared by threads (kManyRows).
const events = 500_000;

let scratch;
let trace;
before(async () => {
  scratch = temporaryFolder('one-core');
  trace = join(scratch.folder, 'many.pt.trace.json.gz');
  await writeTrace({ out: trace, dialect: 'torch-2.8', events, seed: 9, steps: 3 });
});
after(() => scratch.remove());

/** All answers about the trace, by request. */
const answers = (oneCore) =>
  withDaemon(
    async (daemon) => {
      if (oneCore) {
        const pinned = spawnSync('taskset', ['-a', '-p', '-c', '0', String(daemon.child.pid)]);
        assert.equal(pinned.status, 0, String(pinned.stderr ?? pinned.error));
      }
      const { profileId } = await daemon.request('profile/open', { path: trace });
      const info = await daemon.request('profile/load', { profileId });
      assert.ok(info.slices > 100_000, `${info.slices} slices`);
      const told = new Map();
      for (const method of plainMethods) {
        for (const choice of [{}, ...choices[method].slice(0, 1)]) {
          const answer = await daemon.request(method, { profileId, ...choice });
          // How long it took, and the memory, are the machine's.
          const { stages, totalSeconds, memoryBytes, ...rest } = answer;
          told.set(`${method} ${JSON.stringify(choice)}`, JSON.stringify(rest));
          if (method === 'profile/check') assert.ok(stages && totalSeconds > 0 && memoryBytes > 0);
        }
      }
      return told;
    },
    { env: { EMBERLINE_TRACE_CACHE: 'off' } },
  );

const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

test(
  'one core gives the answers of several',
  { skip: !canPin && 'one core, or no taskset' },
  async () => {
    const many = await answers(false);
    const one = await answers(true);
    assert.ok(many.size > 20);
    for (const [request, told] of many) {
      assert.ok(one.get(request) === told, `${request} differs`);
    }
  },
);
