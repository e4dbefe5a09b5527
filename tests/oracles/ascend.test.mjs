// An Ascend trace of the corpus against the tables that its own recorder computed from the same
// recording. Each figure agrees, or the test says why it differs.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { before, test } from 'node:test';
import { allRows, corpus, emberlineJson, withoutCorpus } from '../lib/cli.mjs';

const name = 'level1_rank1';
const trace = corpus && path.join(corpus, 'ascend', name, 'trace_view.json.gz');
const computed = corpus && path.join(corpus, '..', 'ascend-computed', name);
const skip = withoutCorpus || (fs.existsSync(computed) ? false : 'no computed tables');

/** Rows of a CSV file as objects; values may be quoted and hold commas. */
function csv(file) {
  const records = fs
    .readFileSync(path.join(computed, file), 'utf8')
    .trim()
    .split(/\r?\n/)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => (m[1] ?? m[2]).trim()),
    );
  const [head, ...rows] = records;
  return rows.map((row) => Object.fromEntries(head.map((key, i) => [key, row[i]])));
}

/** `{ calls, us }` by a key. */
function sums(rows, key, calls, us) {
  const out = new Map();
  for (const row of rows) {
    const sum = out.get(key(row)) ?? { calls: 0, us: 0 };
    sum.calls += calls(row);
    sum.us += us(row);
    out.set(key(row), sum);
  }
  return out;
}

/** Durations are rounded to nanoseconds by both, in their own way. */
function assertSame(ours, theirs) {
  assert.deepEqual([...ours.keys()].sort(), [...theirs.keys()].sort());
  for (const [key, sum] of theirs) {
    assert.equal(ours.get(key).calls, sum.calls, `${key}: calls`);
    const slack = 0.002 * sum.calls;
    assert.ok(Math.abs(ours.get(key).us - sum.us) <= slack, `${key}: ${ours.get(key).us} us`);
  }
}

let kernels, overview, details;
before(async () => {
  if (skip) return;
  kernels = await allRows('kernels', trace);
  overview = await emberlineJson('overview', trace);
  details = csv('kernel_details.csv');
});

test('kernels are those of kernel_details.csv, collectives among them', { skip }, () => {
  assertSame(
    sums(
      kernels.rows,
      (row) => row.name,
      (row) => row.calls,
      (row) => row.totalUs,
    ),
    sums(
      details,
      (row) => row.Name,
      () => 1,
      (row) => Number(row['Duration(us)']),
    ),
  );
});

test('sums by type of operator are those of op_statistic.csv', { skip }, () => {
  const typeOf = new Map(details.map((row) => [row.Name, row.Type]));
  assertSame(
    sums(
      kernels.rows.filter((row) => !row.communication),
      (row) => typeOf.get(row.name),
      (row) => row.calls,
      (row) => row.totalUs,
    ),
    sums(
      csv('op_statistic.csv'),
      (row) => row['OP Type'],
      (row) => Number(row.Count),
      (row) => Number(row['Total Time(us)']),
    ),
  );
});

test('collectives take the time that communication.json tells', { skip }, () => {
  const text = fs.readFileSync(path.join(computed, 'communication.json'), 'utf8');
  const theirs = new Map();
  for (const step of Object.values(JSON.parse(text))) {
    for (const [key, one] of Object.entries(step.collective)) {
      if (key === 'Total Op Info') continue;
      const us = one['Communication Time Info']['Elapse Time(ms)'] * 1000;
      theirs.set(key.split('@')[0], { calls: 1, us });
    }
  }
  const ours = sums(
    kernels.rows.filter((row) => row.communication),
    (row) => row.name,
    (row) => row.calls,
    (row) => row.totalUs,
  );
  assertSame(ours, theirs);
});

test('the step splits as step_trace_time.csv says', { skip }, () => {
  const [theirs] = csv('step_trace_time.csv');
  const [step] = overview.steps;
  assert.equal(step.name, theirs.Step);
  const near = (ours, figure, what) =>
    assert.ok(Math.abs(ours - Number(figure)) < 0.5, `${what}: ${ours}, not ${figure}`);
  near(step.parts.kernel, theirs.Computing, 'computing');
  // The recorder counts copies nowhere. Ours come before communication: a collective that runs
  // beside a copy is time of the copy.
  const exposed = Number(theirs['Communication(Not Overlapped)']);
  assert.ok(step.parts.communication <= exposed + 0.5);
  assert.ok(step.parts.communication + step.parts.memcpy >= exposed - 0.5);
});

test(
  'there is one NPU, and every piece of its work has a launch and an operator',
  { skip },
  async () => {
    assert.deepEqual(
      overview.gpus.map((gpu) => gpu.label),
      ['NPU 1'],
    );
    const check = await emberlineJson('check', trace);
    assert.deepEqual(check.problems, []);
    assert.equal(check.unlinkedDeviceSlices, 0);
    assert.equal(check.opLink, 'arrow');
  },
);

/** Every text of an answer. */
function* textsOf(value) {
  if (typeof value === 'string') yield value;
  else if (value !== null && typeof value === 'object') {
    for (const inner of Object.values(value)) yield* textsOf(inner);
  }
}

test(
  'no text of its views, or of a comparison with itself, calls the device a GPU',
  { skip },
  async () => {
    const answers = [];
    for (const command of [
      'overview',
      'operators',
      'kernels',
      'memory',
      'modules',
      'stacks',
      'lines',
    ]) {
      answers.push([command, await emberlineJson(command, trace)]);
    }
    answers.push(['roofline', await emberlineJson('roofline', trace)]);
    for (const by of ['steps', 'operators', 'kernels', 'communication', 'lines']) {
      answers.push([`diff by ${by}`, await emberlineJson('diff', trace, trace, '--by', by)]);
    }
    for (const [what, answer] of answers) {
      const texts = [...textsOf(answer)];
      assert.ok(texts.length > 0, what);
      assert.deepEqual(
        texts.filter((text) => /\b(GPU|GPUs)\b/.test(text)),
        [],
        what,
      );
    }
  },
);
