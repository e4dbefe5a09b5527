// The critical path over the protocol, and traces that carry it along.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { writeJob } from '../generator/job.mjs';
import { emberline, emberlineJson } from '../lib/cli.mjs';
import { daemonOfFile } from './daemon.mjs';

const { folder, daemon } = daemonOfFile('path');

let number = 0;
/** One rank of a job that waits for its device at the end of each step. */
function traceFile(options = {}) {
  const at = path.join(folder, `job${(number += 1)}`);
  writeJob(at, { ranks: 2, steps: 3, ...options });
  return path.join(at, readdirSync(at).sort()[0]);
}
async function opened(file) {
  const { profileId } = await daemon.request('profile/open', { path: file });
  return profileId;
}
const all = { startNs: -1, endNs: 1e15 };
const sum = (list, value) => list.reduce((total, one) => total + value(one), 0);

test('parts follow each other and fill the whole steps; a window has its own', async () => {
  const profileId = await opened(traceFile());
  const path = await daemon.request('timeline/criticalPath', { profileId, ...all });
  const { steps } = await daemon.request('timeline/tracks', { profileId });
  assert.equal(path.steps, 3);
  assert.equal(path.totalParts, path.parts.length);
  assert.equal(
    path.wholeNs,
    sum(path.parts, (part) => part.endNs - part.startNs),
  );
  assert.equal(
    path.wholeNs,
    sum(path.sums, (one) => one.timeNs),
  );
  for (const step of steps) {
    const inside = path.parts.filter(
      (part) => part.startNs >= step.startNs && part.endNs <= step.endNs,
    );
    assert.equal(inside[0].startNs, step.startNs);
    assert.equal(inside.at(-1).endNs, step.endNs);
    inside.slice(1).forEach((part, i) => assert.equal(part.startNs, inside[i].endNs));
    const window = await daemon.request('timeline/criticalPath', {
      profileId,
      startNs: step.startNs,
      endNs: step.endNs,
    });
    assert.equal(window.wholeNs, step.endNs - step.startNs);
  }
  assert.ok(path.edges.some((edge) => edge.kind === 'launch'));
  assert.ok(path.edges.some((edge) => edge.from.track !== edge.to.track));
  for (const edge of path.edges) {
    assert.ok(edge.endNs >= edge.startNs);
    assert.notEqual(edge.from.slice, edge.to.slice);
  }
});

test('sums by operator, line and kernel say what the steps would take without each', async () => {
  const straggler = { rank: 0, kind: 'device', extraNs: 3_000_000 };
  const file = traceFile({ straggler });
  const profileId = await opened(file);
  const by = async (what) => daemon.request('timeline/criticalSums', { profileId, by: what });
  const operators = await by('operators');
  assert.equal(
    sum(operators.rows, (row) => row.timeNs),
    operators.wholeNs,
  );
  const sort = operators.rows.find((row) => row.name === 'aten::sort');
  // The other rank waits for this one: nothing else holds the step up for so long.
  const saved = operators.wholeNs - sort.withoutNs;
  assert.ok(saved > 3 * 2_900_000 && saved < 3 * 3_300_000, String(saved));
  const line = (await by('lines')).rows.find((row) => row.place === '/job/train.py:77 (layer)');
  assert.ok(operators.wholeNs - line.withoutNs >= saved);
  const kernel = (await by('kernels')).rows.find((row) => row.name === 'sort_kernel');
  assert.ok(operators.wholeNs - kernel.withoutNs <= saved);
  // The command line says the same.
  const { rows } = await emberlineJson('critical-path', file, '--by', 'criticalOperators');
  const told = rows.find((row) => row.operator === 'aten::sort');
  assert.equal(Math.round(told.timeUs * 1000), sort.timeNs);
  assert.equal(Math.round(told.withoutUs * 1000), sort.withoutNs);
});

/** Counters, marks and arrows of an augmented trace. */
function assertAugmented(text, before) {
  const events = JSON.parse(text).traceEvents;
  const recorded = JSON.parse(before).traceEvents.filter((event) => event.ph === 'X');
  const slices = events.filter((event) => event.ph === 'X');
  assert.equal(slices.length, recorded.length);
  const key = (event) => `${event.name} ${Number(event.ts).toFixed(3)} ${event.dur}`;
  assert.deepEqual(slices.map(key).sort(), recorded.map(key).sort());
  const critical = slices.filter((event) => event.args.critical === 1);
  assert.ok(critical.length > 10 && critical.length < slices.length);
  const counters = events.filter((event) => event.ph === 'C');
  const queues = counters.filter((event) => event.name === 'Queue Length');
  const kernels = recorded.filter((event) => event.cat === 'kernel').length;
  assert.equal(queues.length, 2 * kernels);
  assert.ok(queues.every((event) => event.args['Queue Length'] >= 0));
  assert.deepEqual(
    queues.filter((event) => event.id === queues[0].id).at(-1).args,
    { 'Queue Length': 0 },
    'what was launched has begun',
  );
  const arrows = events.filter((event) => event.cat === 'critical_path');
  assert.ok(arrows.length > 10);
  const starts = arrows.filter((event) => event.ph === 's');
  assert.equal(starts.length * 2, arrows.length);
  for (const arrow of arrows) {
    const within = slices.some(
      (slice) =>
        slice.pid === arrow.pid &&
        slice.tid === arrow.tid &&
        slice.ts <= arrow.ts + 1e-6 &&
        arrow.ts <= slice.ts + slice.dur + 1e-6,
    );
    assert.ok(within, JSON.stringify(arrow));
  }
  return { critical, arrows };
}

test('an augmented trace holds what was recorded, counters, and the path', async () => {
  const file = traceFile();
  const profileId = await opened(file);
  const { text } = await daemon.request('timeline/export', {
    profileId,
    ...all,
    augmented: true,
  });
  assertAugmented(text, readFileSync(file, 'utf8'));
  const plain = await daemon.request('timeline/export', { profileId, ...all });
  assert.doesNotMatch(plain.text, /critical|Queue Length/);
  // It opens again, with its arrows.
  const again = path.join(folder, 'again.pt.trace.json');
  writeFileSync(again, text);
  const { arrows } = await daemon.request('timeline/flows', { profileId: await opened(again) });
  assert.ok(arrows.some((arrow) => arrow.name === 'critical_path'));
});

test('the command writes whole traces, packed where their names say so, and names what fails', async () => {
  const file = traceFile();
  const packed = path.join(path.dirname(file), 'node0_7.1.pt.trace.json.gz');
  writeFileSync(packed, zlib.gzipSync(readFileSync(file)));
  const broken = path.join(folder, 'broken.json');
  writeFileSync(broken, 'none');
  const out = path.join(folder, 'augmented');
  const done = await emberline(['augment', file, packed, broken, '-o', out]);
  assert.equal(done.status, 3);
  assert.match(done.stderr, /broken\.json/);
  assert.match(done.stdout, /^2 traces written, 1 failed\.$/m);
  const plain = path.join(out, path.basename(file).replace('.json', '_with_counters.json'));
  const text = readFileSync(plain, 'utf8');
  assertAugmented(text, readFileSync(file, 'utf8'));
  const zipped = readFileSync(path.join(out, 'node0_7.1.pt.trace_with_counters.json.gz'));
  assertAugmented(zlib.gunzipSync(zipped).toString(), readFileSync(file, 'utf8'));
  assert.ok(existsSync(file), 'the trace itself stays');
  assert.deepEqual(
    readdirSync(out).filter((name) => name.includes('.tmp.')),
    [],
  );
  const wrong = await emberline(['augment', file]);
  assert.equal(wrong.status, 2);
});
