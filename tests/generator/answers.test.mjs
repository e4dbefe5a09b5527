// The real program on generated traces of every dialect: its answers are the generator's.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { allRows, assertCountsAddUp, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { dialects, writeTrace } from './generate.mjs';

const { folder, remove } = temporaryFolder('generated');
after(remove);

/** Microseconds with three decimals back to the nanoseconds that they are. */
const toNs = (us) => Math.round(us * 1000);

function assertCheck(check, answers) {
  assertCountsAddUp(check, answers.dialect);
  assert.equal(check.events, answers.events, 'events');
  assert.equal(check.counts.slices, answers.slices, 'slices');
  assert.equal(check.counts.paired ?? 0, answers.phases.E ?? 0, 'paired ends');
  assert.equal(check.counts.memory, answers.memory.records, 'memory records');
  assert.equal(check.counts.flows, (answers.phases.s ?? 0) + (answers.phases.f ?? 0), 'flows');
  assert.equal(check.counts.metadata, answers.phases.M ?? 0, 'metadata');
  assert.equal(check.counts.dropped, 0, 'dropped');
  assert.deepEqual(check.problems, [], 'problems');
  // Categories of what is no duration have the phase before them: "f ac2g".
  const counted = {};
  for (const row of check.categories) {
    const category = row.category.replace(/^[A-Za-z] /, '');
    counted[category] = (counted[category] ?? 0) + row.count;
  }
  for (const [category, count] of Object.entries(answers.categories)) {
    assert.equal(counted[category], count, `events of category ${category}`);
  }
}

function assertOverview(overview, answers) {
  assert.deepEqual(
    overview.steps.map((step) => step.name),
    answers.steps.map((step) => step.name),
  );
  overview.steps.forEach((step, index) => {
    const expected = answers.steps[index];
    const label = `step ${step.name}`;
    assert.equal(step.startNs, expected.beginNs, `${label}: start`);
    assert.equal(toNs(step.durationUs), expected.endNs - expected.beginNs, `${label}: duration`);
    const parts = Object.values(step.parts).reduce((sum, part) => sum + toNs(part), 0);
    assert.equal(parts, toNs(step.durationUs), `${label}: parts sum to the step`);
    for (const [role, ns] of Object.entries(answers.breakdown[index])) {
      assert.equal(toNs(step.parts[role]), ns, `${label}: ${role}`);
    }
  });
}

function assertOperators(operators, answers) {
  const rows = new Map(operators.rows.map((row) => [row.name, row]));
  assert.deepEqual([...rows.keys()].sort(), Object.keys(answers.operators).sort());
  for (const [name, expected] of Object.entries(answers.operators)) {
    const row = rows.get(name);
    assert.equal(row.calls, expected.calls, `${name}: calls`);
    assert.equal(toNs(row.hostTotalUs), expected.hostTotalNs, `${name}: host total`);
    assert.equal(toNs(row.hostSelfUs), expected.hostSelfNs, `${name}: host self`);
    assert.equal(toNs(row.deviceSelfUs ?? 0), expected.deviceSelfNs, `${name}: device self`);
    assert.equal(toNs(row.deviceTotalUs ?? 0), expected.deviceTotalNs, `${name}: device total`);
  }
}

function assertKernels(kernels, answers) {
  const rows = new Map(kernels.rows.map((row) => [row.name, row]));
  for (const [name, expected] of Object.entries(answers.kernels)) {
    const row = rows.get(name);
    assert.ok(row, `no row for ${name}`);
    assert.equal(row.calls, expected.calls, `${name}: calls`);
    assert.equal(toNs(row.totalUs), expected.totalNs, `${name}: total`);
    assert.equal(toNs(row.minUs), expected.minNs, `${name}: min`);
    assert.equal(toNs(row.maxUs), expected.maxNs, `${name}: max`);
  }
  assert.equal(rows.size, Object.keys(answers.kernels).length);
}

function assertMemory(memory, answers) {
  assert.equal(memory.devices.length, 1);
  const [device] = memory.devices;
  assert.equal(device.records, answers.memory.records);
  assert.equal(device.peakAllocatedBytes, answers.memory.peakBytes);
  const rows = new Map(memory.statistics.map((row) => [row.operator, row]));
  for (const [name, { allocations, bytes }] of Object.entries(answers.memory.byOperator)) {
    const row = rows.get(name);
    assert.equal(row.allocationCount, allocations, `${name}: allocations`);
    assert.equal(row.allocationSizeBytes, bytes, `${name}: bytes`);
    assert.equal(row.calls, answers.operators[name].calls, `${name}: calls`);
    assert.equal(row.selfAllocationSizeBytes, name === 'aten::empty' ? bytes : 0, name);
  }
  // Nothing but these allocates; what is released at the end of a step belongs to no operator.
  const allocated = memory.statistics.reduce((sum, row) => sum + row.selfAllocationSizeBytes, 0);
  assert.equal(allocated, answers.memory.allocatedBytes, 'bytes by operators');
}

async function compare(dialect, events, seed, packed) {
  const out = path.join(folder, `${dialect}.${events}.pt.trace.json${packed ? '.gz' : ''}`);
  const answers = await writeTrace({ dialect, events, seed, out });
  assertCheck(await emberlineJson('check', out), answers);
  assertOverview(await emberlineJson('overview', out), answers);
  if (dialects[dialect].host) assertOperators(await allRows('operators', out), answers);
  if (Object.keys(answers.kernels).length > 0)
    assertKernels(await allRows('kernels', out), answers);
  if (dialects[dialect].host) {
    const byShape = await allRows('operators', out, '--group-by', 'shape');
    assert.equal(byShape.totalRows, answers.shapeGroups, 'groups of operator and shape');
  }
  if (answers.memory.records > 0) assertMemory(await allRows('memory', out), answers);
}

for (const dialect of Object.keys(dialects)) {
  test(`${dialect}: the program's answers are the generator's`, () =>
    compare(dialect, 2000, 17, false));
}

for (const dialect of ['torch-1.9', 'torch-2.1', 'torch-2.13', 'begin-end']) {
  test(`${dialect}: the same at a larger scale, packed`, () => compare(dialect, 120000, 23, true));
}

for (const dialect of ['graph-annotations', 'graph-capture']) {
  test(`${dialect}: kernels of graphs belong to the lines that captured them`, async () => {
    const out = path.join(folder, `lines.${dialect}.pt.trace.json`);
    const answers = await writeTrace({ dialect, events: 3000, seed: 41, out });
    assert.ok(Object.keys(answers.graphLines).length >= 4);
    const { rows } = await allRows('lines', out);
    const row = (line) => rows.find((r) => r.line === line && r.confidence === 'exact');
    let graphs = 0;
    for (const [line, expected] of Object.entries(answers.graphLines)) {
      const found = row(Number(line));
      assert.ok(found, `a row for line ${line}`);
      assert.equal(toNs(found.deviceSelfUs), expected.deviceSelfNs, `line ${line}`);
      assert.equal(toNs(found.backwardDeviceUs), expected.backwardNs, `line ${line}: backward`);
      graphs += expected.deviceSelfNs;
    }
    // What a graph runs is part of the line that launched it, and counts once.
    const kernels = answers.kernels.graphed_kernel.totalNs;
    assert.ok(toNs(row(31).deviceTotalUs) >= kernels);
    assert.equal(graphs < kernels, dialect === 'graph-annotations');
    const self = rows.reduce((sum, r) => sum + toNs(r.deviceSelfUs), 0);
    const all = Object.values(answers.kernels).reduce((sum, r) => sum + r.totalNs, 0);
    assert.ok(self <= all + answers.copies.totalNs + answers.sets.totalNs);
  });
}

for (const dialect of ['torch-1.9', 'torch-2.8', 'cpu-only']) {
  test(`${dialect}: the steps' operators sum to the whole`, async () => {
    const out = path.join(folder, `steps.${dialect}.pt.trace.json`);
    const answers = await writeTrace({ dialect, events: 3000, seed: 31, out });
    const sums = {};
    for (const step of answers.steps) {
      const { rows } = await allRows('operators', out, '--steps', step.name);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        const sum = (sums[row.name] ??= { calls: 0, hostSelfNs: 0, deviceSelfNs: 0 });
        sum.calls += row.calls;
        sum.hostSelfNs += toNs(row.hostSelfUs);
        sum.deviceSelfNs += toNs(row.deviceSelfUs ?? 0);
      }
    }
    for (const [name, { calls, hostSelfNs, deviceSelfNs }] of Object.entries(answers.operators)) {
      assert.deepEqual(sums[name], { calls, hostSelfNs, deviceSelfNs }, name);
    }
  });
}
