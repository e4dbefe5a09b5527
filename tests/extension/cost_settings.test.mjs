// The settings of the cost model: what can be used goes to the daemon, what cannot is named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCostRules, checkDevicePeaks } from '../../extension/src/workspace/cost_settings.ts';

test('devices with peaks pass as they are', () => {
  const peaks = [{ name: 'My Accelerator', bf16: 500, memoryGbPerS: 2000 }, { name: 'H100' }];
  assert.deepEqual(checkDevicePeaks(peaks), { entries: peaks, problems: [] });
});

test('a wrong device is left out and named, the others stay', () => {
  const good = { name: 'A', fp32: 1 };
  const { entries, problems } = checkDevicePeaks([
    good,
    { name: 'B', bf61: 3 },
    { name: 'C', bf16: -1 },
    { bf16: 1 },
    'D',
    { name: 'E', tf32: '3' },
  ]);
  assert.deepEqual(entries, [good]);
  assert.equal(problems.length, 5);
  assert.match(
    problems[0],
    /^emberline\.devicePeaks, entry 2: "bf61" is not a peak\. Peaks: fp64,/,
  );
  assert.match(problems[1], /entry 3: "bf16" must be a number from 0/);
  assert.match(problems[2], /entry 4: "name" must be a string/);
});

test('rules: expressions are texts; an object is no list', () => {
  const rule = { name: 'my::op', flops: '2 * numel(0)', matrix: true };
  const { entries, problems } = checkCostRules([
    rule,
    { name: 'x', flops: 3 },
    { name: 'x', matrix: 'yes' },
    { name: 'x', bytes: '1' },
  ]);
  assert.deepEqual(entries, [rule]);
  assert.match(problems[0], /entry 2: "flops" must be an expression in quotes/);
  assert.match(problems[1], /entry 3: "matrix" must be true or false/);
  assert.match(problems[2], /entry 4: "bytes" is not part of a rule/);
  assert.deepEqual(checkCostRules({}), {
    entries: [],
    problems: ['emberline.costRules must be a list.'],
  });
});
