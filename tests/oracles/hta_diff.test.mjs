// HTA's trace diff of `trace_diff/control` and `trace_diff/test`, first iteration: it joins both traces
// by name alone. The same figures where it counts the same; where not, the test says why.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { corpus, withoutCorpus } from '../lib/cli.mjs';
import { startDaemon } from '../rpc/daemon.mjs';

const skip = withoutCorpus;
let daemon;
const sides = {};
before(async () => {
  if (skip) return;
  daemon = startDaemon();
  await daemon.initialize();
  for (const name of ['control', 'test']) {
    const path = join(corpus, 'hta', 'trace_diff', name, `${name}.json.gz`);
    const { profileId } = await daemon.request('profile/open', { path });
    sides[name] = { profileId, steps: '1009' };
  }
});
after(() => daemon?.stop());

/** Rows of the comparison of kernels, and of the copies and sets of each side. */
async function deviceWork() {
  const { rows } = await daemon.request('compare/table', {
    baseline: sides.control,
    candidate: sides.test,
    by: 'kernels',
    limit: -1,
  });
  const copies = {};
  for (const [name, side] of Object.entries(sides)) {
    copies[name] = (await daemon.request('view/copies', { ...side, limit: -1 })).rows;
  }
  return { rows, copies };
}
const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);

test('calls and time of the device in the control trace', { skip }, async () => {
  const { rows, copies } = await deviceWork();
  const { control } = copies;
  assert.equal(sum(rows, 'baselineCalls') + sum(control, 'calls'), 1575);
  assert.equal(sum(rows, 'baselineUs') + sum(control, 'totalUs'), 68591);
});

test('names that were added and deleted', { skip }, async () => {
  const { rows } = await deviceWork();
  // HTA takes two names for two kernels. Those that differ only in template arguments are one here,
  // and three of these pairs are in this trace.
  const renamed = rows.filter(({ baselineName }) => (baselineName ?? '') !== '');
  assert.equal(renamed.length, 3);
  const added = rows.filter(({ baselineCalls }) => baselineCalls === 0);
  const deleted = rows.filter(({ candidateCalls }) => candidateCalls === 0);
  assert.deepEqual([added.length + renamed.length, deleted.length + renamed.length], [27, 66]);
});

test('copies inside the device grew most', { skip }, async () => {
  const { copies } = await deviceWork();
  const within = (rows) => rows.find((row) => [3, 768].includes(row.calls));
  const [before_, after_] = [within(copies.control), within(copies.test)];
  assert.deepEqual([before_.calls, after_.calls], [3, 768]);
  assert.equal(after_.totalUs - before_.totalUs, 14900);
});

test('HTA leaves out device work whose launch was not recorded', { skip }, async () => {
  // The test trace has 614 kernels and copies without a launch; HTA knows no iteration of them. Here
  // those that ran between work of the step belong to it.
  const { rows, copies } = await deviceWork();
  const calls = sum(rows, 'candidateCalls') + sum(copies.test, 'calls');
  assert.ok(calls > 2503 && calls <= 2503 + 614, `${calls} calls`);
});
