// Every method on every trace of the corpus, with each of its groupings and choices: answers fit the
// protocol and stay small, groupings cut the same whole, and the timeline draws every slice. Needs
// EMBERLINE_CORPUS.
import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { after, before, test } from 'node:test';
import { choices, tracesIn } from './choices.mjs';
import { plainMethods, protocol, resolved, startDaemon } from './daemon.mjs';

const corpus = process.env.EMBERLINE_CORPUS;
const skip = corpus ? false : 'EMBERLINE_CORPUS is not set';

let daemon;
before(async () => {
  if (skip) return;
  daemon = startDaemon();
  await daemon.initialize();
});
after(() => daemon?.stop());

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

async function drawnSlices(profileId) {
  const { startNs, endNs, tracks } = await daemon.request('timeline/tracks', { profileId });
  const rows = tracks.filter((track) => track.kind !== 'steps' && track.slices > 0);
  let drawn = 0;
  for (let first = 0; first < rows.length; first += 8) {
    const reply = await daemon.request('timeline/window', {
      profileId,
      startNs,
      endNs: Math.max(endNs, startNs + 1),
      pixels: 800,
      tracks: rows.slice(first, first + 8).map((track) => track.id),
    });
    drawn += sum(reply.rows.map((row) => sum(row.count)));
  }
  return drawn;
}

test('the choices are those of the views', () => {
  for (const [method, choice] of [
    ['view/operators', { groupBy: 'operatorAndShapes' }],
    ['view/kernels', { groupBy: 'properties' }],
    ['view/lines', { groupBy: 'file' }],
    ['view/stacks', { weight: 'host' }],
    ['view/stacks', { bottomUp: true }],
    ['view/stackFunctions', { foldLibrary: true }],
  ]) {
    assert.ok(
      choices[method].some((one) => JSON.stringify(one) === JSON.stringify(choice)),
      `${method} ${JSON.stringify(choice)}`,
    );
  }
});

/** Every method with every choice, and with one step where steps can be chosen. */
async function assertAnswers(profileId, { steps }, name) {
  for (const method of plainMethods) {
    const { properties } = resolved(protocol.methods[method].params);
    const all = [{}, ...choices[method]];
    if (steps.length > 1 && properties.steps !== undefined) all.push({ steps: steps.at(-1).name });
    for (const params of all) {
      await assert.doesNotReject(
        daemon.request(method, { profileId, ...params }),
        `${name}: ${method} ${JSON.stringify(params)}`,
      );
    }
  }
  const { devices } = await daemon.request('view/memory', { profileId });
  for (const device of devices.slice(1)) {
    for (const method of ['view/memory', 'view/memoryEvents', 'view/memoryStatistics']) {
      await daemon.request(method, { profileId, device: device.name });
    }
  }
}

/** What a row opens to: the heaviest operator's stacks, the heaviest kernel's launches. */
async function assertDetails(profileId, name) {
  for (const groupBy of ['operator', 'operatorAndShapes']) {
    const { rows } = await daemon.request('view/operators', { profileId, groupBy, limit: 1 });
    if (rows.length === 0) continue;
    const [{ name: operator, calls, inputShapes }] = rows;
    const { stacks, totalStacks } = await daemon.request('view/operatorStacks', {
      profileId,
      name: operator,
      ...(inputShapes ? { inputShapes } : {}),
    });
    assert.ok(sum(stacks.map((stack) => stack.calls)) <= calls || groupBy !== 'operator', name);
    assert.ok(stacks.length <= totalStacks, name);
  }
  const { rows } = await daemon.request('view/kernels', { profileId, limit: 1 });
  if (rows.length === 0) return;
  const launches = await daemon.request('view/kernelLaunches', { profileId, name: rows[0].name });
  assert.equal(sum(launches.operators.rows.map((row) => row.calls)), rows[0].calls, name);
}

/** Figures in ns, so that sums are exact however the rows are cut. */
const total = (rows, key) => sum(rows.map((row) => Math.round((row[key] ?? 0) * 1000)));

async function assertGroupings(profileId, name) {
  for (const [method, groupings, keys] of [
    // Totals differ: a call inside one of other shapes adds to the row of its own shapes (L2).
    ['view/operators', ['operator', 'operatorAndShapes'], ['calls', 'hostSelfUs', 'deviceSelfUs']],
    ['view/kernels', ['name', 'properties'], ['calls', 'totalUs']],
    ['view/lines', ['line', 'function', 'file'], ['deviceSelfUs', 'hostSelfUs']],
  ]) {
    const found = [];
    for (const groupBy of groupings) {
      const { rows } = await daemon.request(method, { profileId, groupBy, limit: -1 });
      found.push(Object.fromEntries(keys.map((key) => [key, total(rows, key)])));
      for (const row of rows) {
        const label = `${name}: ${method} by ${groupBy}: ${row.name ?? row.function}`;
        for (const side of ['host', 'device']) {
          const self = row[`${side}SelfUs`] ?? 0;
          // Files have no totals: their lines call each other.
          const all = row[`${side}TotalUs`] ?? Infinity;
          assert.ok(self >= 0 && self <= all + 1e-3, `${label}: ${side} self ${self} of ${all}`);
        }
      }
    }
    for (const other of found.slice(1)) assert.deepEqual(other, found[0], `${name}: ${method}`);
  }
  for (const weight of ['host', 'device']) {
    const whole = await daemon.request('view/stacks', { profileId, weight });
    for (const options of [{ bottomUp: true }, { foldLibrary: true }]) {
      const { totalUs } = await daemon.request('view/stacks', { profileId, weight, ...options });
      assert.equal(totalUs, whole.totalUs, `${name}: stacks ${JSON.stringify(options)}`);
    }
    const { rows } = await daemon.request('view/stackFunctions', { profileId, weight, limit: -1 });
    assert.ok(
      total(rows, 'selfUs') + total([whole.tree], 'selfUs') === total([whole], 'totalUs'),
      `${name}: functions by ${weight}`,
    );
  }
}

test('every method answers on every trace', { skip }, async () => {
  let read = 0;
  for (const path of tracesIn(corpus)) {
    const name = relative(corpus, path);
    const opened = await daemon.exchange('profile/open', { path });
    const load = opened.message.result
      ? await daemon.exchange('profile/load', { profileId: opened.message.result.profileId })
      : opened;
    if (load.message.error) {
      // Some files beside the traces are no traces; they are refused with a reason.
      assert.equal(
        load.message.error.data.kind,
        'unreadable',
        `${name}: ${load.message.error.message}`,
      );
      continue;
    }
    ++read;
    const { profileId } = opened.message.result;
    await assertAnswers(profileId, load.message.result, name);
    await assertDetails(profileId, name);
    await assertGroupings(profileId, name);
    assert.equal(await drawnSlices(profileId), load.message.result.slices, `${name}: slices drawn`);
    await daemon.request('profile/close', { profileId });
  }
  assert.ok(read > 50, `only ${read} traces were read`);
});
