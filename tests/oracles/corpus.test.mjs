// Every file of the corpus: it opens or is refused with a clear error, and where it opens the
// invariants hold that the views promise.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allRows,
  assertCountsAddUp,
  emberline,
  emberlineJson,
  withoutCorpus,
} from '../lib/cli.mjs';
import { corpusFiles, countEvents, readText } from './corpus.mjs';

/** Sums of decimals may differ from a sum in ns by half a ns per term. */
const NEAR_US = 0.01;

function assertOverview(overview) {
  assert.ok(overview.steps.length > 0, 'a trace has at least one step');
  let previousEnd = -Infinity;
  for (const step of overview.steps) {
    const label = `step ${step.name}`;
    assert.ok(step.durationUs >= 0, `${label} has negative length`);
    assert.ok(step.startNs + 1 >= previousEnd, `${label} begins before the one before it ends`);
    previousEnd = step.startNs + step.durationUs * 1000;
    const parts = Object.entries(step.parts);
    for (const [role, part] of parts) assert.ok(part >= 0, `${label}: ${role} is ${part}`);
    const sum = parts.reduce((total, [, part]) => total + part, 0);
    assert.ok(
      Math.abs(sum - step.durationUs) <= NEAR_US,
      `${label}: parts sum to ${sum}, the step takes ${step.durationUs}`,
    );
  }
  for (const gpu of overview.gpus) {
    for (const key of ['utilization', 'estSmEfficiency', 'estOccupancy', 'tensorCoreShare']) {
      const value = gpu[key];
      if (value === null || value === undefined) continue;
      assert.ok(value >= 0 && value <= 1 + 1e-9, `GPU ${gpu.index}: ${key} is ${value}`);
    }
  }
}

function assertOperators(operators) {
  for (const row of operators.rows) {
    // An operator that only recorded a graph did not run here; its work did.
    const replayed = row.calls === 0 && row.hostTotalUs === 0 && row.deviceTotalUs > 0;
    assert.ok(row.calls > 0 || replayed, `${row.name}: no calls`);
    assert.ok(row.hostTotalUs >= 0, `${row.name}: host total ${row.hostTotalUs}`);
    assert.ok(row.hostSelfUs <= row.hostTotalUs + NEAR_US, `${row.name}: host self above total`);
    if (row.deviceTotalUs !== undefined) {
      assert.ok(row.deviceSelfUs >= 0, `${row.name}: device self ${row.deviceSelfUs}`);
      assert.ok(
        row.deviceSelfUs <= row.deviceTotalUs + NEAR_US,
        `${row.name}: device self above total`,
      );
    }
    for (const key of ['tensorCoreSelf', 'tensorCoreTotal']) {
      const share = row[key];
      if (share !== null && share !== undefined) {
        assert.ok(share >= 0 && share <= 1 + 1e-9, `${row.name}: ${key} is ${share}`);
      }
    }
  }
}

function assertKernels(kernels) {
  for (const row of kernels.rows) {
    assert.ok(row.calls > 0, `${row.name}: no calls`);
    assert.ok(row.minUs <= row.meanUs + NEAR_US, `${row.name}: min above mean`);
    assert.ok(row.meanUs <= row.maxUs + NEAR_US, `${row.name}: mean above max`);
    assert.ok(
      Math.abs(row.meanUs * row.calls - row.totalUs) <= NEAR_US * row.calls + NEAR_US,
      `${row.name}: mean times calls is not the total`,
    );
  }
}

test('the corpus is there', { skip: withoutCorpus }, () => {
  assert.ok(corpusFiles().length > 50);
});

for (const { name, file, isTrace } of corpusFiles()) {
  if (!isTrace) {
    test(`${name} is refused`, async () => {
      const { status, signal, stderr } = await emberline(['check', file, '--format', 'json']);
      assert.equal(signal, null);
      assert.equal(status, 3, stderr);
      assert.match(stderr, /\S{3,}/);
    });
    continue;
  }
  test(name, async () => {
    const check = await emberlineJson('check', file);
    assert.equal(check.events, countEvents(readText(file)), 'events in the file');
    assertCountsAddUp(check, name);
    if (check.counts.dropped > 0) assert.ok(check.problems.length > 0, 'dropped in silence');
    if (check.counts.slices > 0) assertOverview(await emberlineJson('overview', file));
    assertOperators(await allRows('operators', file));
    assertKernels(await allRows('kernels', file));
  });
}
