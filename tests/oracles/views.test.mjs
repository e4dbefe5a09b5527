// Invariants between the views: their figures are parts of one whole, on the samples and on the
// smaller traces of the corpus.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { allRows, emberlineJson, root } from '../lib/cli.mjs';
import { corpusFiles } from './corpus.mjs';

/** Larger files repeat the same kinds of events; they would only take time. */
const LIMIT_BYTES = 500_000;
/** Sums of decimals, and slices that touch by rounding. */
const NEAR_US = 0.01;

const samples = ['train_cnn/slow', 'train_cnn/fixed', 'transformer/train', 'inference/classify'];
const files = [
  ...samples.map((name) => ({
    name: `samples/${name}`,
    file: path.join(root, 'samples', `${name}.pt.trace.json.gz`),
  })),
  ...corpusFiles().filter(({ file, isTrace }) => isTrace && fs.statSync(file).size < LIMIT_BYTES),
];

const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);

/** `part` is at most `whole`; the tolerance grows with the number of terms. */
function atMost(part, whole, label, terms = 1) {
  assert.ok(part <= whole + NEAR_US * (1 + terms), `${label}: ${part} of ${whole}`);
}

/** Every node of a tree, without recursion. */
function* nodes(roots) {
  const pending = [...roots];
  while (pending.length > 0) {
    const node = pending.pop();
    yield node;
    pending.push(...(node.children ?? []));
  }
}

function assertModules({ modules }, deviceUs) {
  for (const node of nodes(modules)) {
    const { children } = node;
    atMost(node.hostSelfUs, node.hostTotalUs, `${node.name}: host self`);
    atMost(node.deviceSelfUs, node.deviceTotalUs, `${node.name}: device self`);
    atMost(sum(children, 'hostTotalUs'), node.hostTotalUs, `${node.name}: host`, children.length);
    atMost(
      sum(children, 'deviceTotalUs'),
      node.deviceTotalUs,
      `${node.name}: device`,
      children.length,
    );
    // A module that only recorded a graph did not run here; its work did.
    const replayed = node.hostTotalUs === 0 && node.deviceTotalUs > 0;
    assert.ok(node.occurrences > 0 || replayed, node.name);
  }
  atMost(sum(modules, 'deviceTotalUs'), deviceUs, 'device time of all modules', modules.length);
}

function assertStacks({ tree, totalUs }) {
  assert.ok(Math.abs(tree.totalUs - totalUs) <= NEAR_US);
  for (const node of nodes([tree])) {
    const { children } = node;
    if (children === undefined || children.length < node.childCount) continue;
    const parts = node.selfUs + sum(children, 'totalUs');
    assert.ok(
      Math.abs(parts - node.totalUs) <= NEAR_US * (1 + children.length),
      `${node.function}: self and callees sum to ${parts}, total is ${node.totalUs}`,
    );
  }
}

function assertLines({ rows, totals }, deviceUs) {
  for (const row of rows) {
    const label = `${row.file}:${row.line}`;
    atMost(row.deviceSelfUs, row.deviceTotalUs, `${label} device`);
    atMost(row.hostSelfUs, row.hostTotalUs, `${label} host`);
  }
  atMost(sum(rows, 'deviceSelfUs'), totals.deviceUs, 'device self of all lines', rows.length);
  atMost(totals.lineDeviceUs + totals.functionDeviceUs, totals.deviceUs, 'device on lines', 2);
  atMost(totals.deviceUs, deviceUs, 'device time of the lines view', rows.length);
}

function assertMemory({ devices, curve, statistics, events }) {
  for (const device of devices) {
    atMost(Math.max(0, ...device.curve.allocatedBytes), device.peakAllocatedBytes, device.name);
    assert.equal(device.curve.timesNs.length, device.curve.allocatedBytes.length);
  }
  if (curve) assert.equal(curve.timesNs.length, curve.allocatedBytes.length);
  for (const row of statistics) {
    const label = `memory of ${row.operator} on ${row.device}`;
    assert.ok(row.selfAllocationCount <= row.allocationCount, label);
    assert.ok(row.selfAllocationSizeBytes <= row.allocationSizeBytes, label);
  }
  for (const event of events) assert.ok(event.sizeBytes > 0, 'a block has a size');
}

test('there are samples', () => assert.ok(files.length >= samples.length));

for (const { name, file } of files) {
  test(name, async () => {
    const kernels = await emberlineJson('kernels', file);
    const byProperties = await allRows('kernels', file, '--group-by', 'properties');
    assert.equal(sum(byProperties.rows, 'calls'), kernels.launches, 'launches in both groupings');
    const copies = await allRows('copies', file);
    const deviceUs = kernels.totalUs + sum(copies.rows, 'totalUs');
    const timeline = await emberlineJson('timeline', file);
    assert.equal(timeline.totalSlices, timeline.trace.slices, 'slices of the timeline');

    const operators = await allRows('operators', file);
    atMost(sum(operators.rows, 'deviceSelfUs'), deviceUs, 'operators', operators.rows.length);
    assertModules(await emberlineJson('modules', file), deviceUs);
    assertStacks(await emberlineJson('stacks', file));
    assertLines(await allRows('lines', file), deviceUs);
    assertMemory(await allRows('memory', file));
    await emberlineJson('lightning', file);
  });
}
