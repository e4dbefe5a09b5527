// Figures that the TensorBoard plugin computed on traces of the corpus, against the program's own.
// Each figure agrees, or deviations.mjs names the plugin's error that explains the difference.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { allRows, corpus, emberlineJson, withoutCorpus } from '../lib/cli.mjs';
import { deviations } from './deviations.mjs';

const folder = corpus ? path.join(corpus, 'oracles', 'torch-tb-profiler') : '';
const names = corpus ? fs.readdirSync(folder).filter((name) => name.endsWith('.json')) : [];

/** Collects the figures that differ, as `{ figure, plugin, ours }`. */
class Comparison {
  differences = [];
  compared = 0;

  /** `tolerance` is absolute: what the plugin's rounding and its doubles explain. */
  number(figure, plugin, ours, tolerance) {
    this.compared += 1;
    const both = typeof plugin === 'number' && typeof ours === 'number';
    if (both ? Math.abs(plugin - ours) <= tolerance : (plugin ?? null) === (ours ?? null)) return;
    this.differences.push({ figure, plugin, ours });
  }

  same(figure, plugin, ours) {
    this.compared += 1;
    if (plugin !== ours) this.differences.push({ figure, plugin, ours });
  }
}

/** Findings that the plugin has too; the others are Emberline's own. */
const PLUGIN_ADVICE = new Set([
  'dataLoading',
  'dataParallel',
  'backend',
  'communication',
  'lowUtilization',
  'mixedPrecision',
  'memoryNearCapacity',
]);

/** Every key of an oracle: a new one must be compared too. */
const ORACLE_KEYS = [
  'tool',
  'trace',
  'steps',
  'average',
  'gpus',
  'recommendations',
  'operators',
  'operatorsByShapeRows',
  'kernelColumns',
  'kernels',
  'kernelsByPropertiesRows',
  'memoryStatistics',
  'memoryPeakBytes',
  'views',
];

function compareOverview(comparison, oracle, overview) {
  // Times in doubles around 1.7e15 us have a grain of 0.25 us (B15), which adds up in unions.
  const tolerance = (value) => 1 + Math.abs(value) * 2e-5;
  const expected = oracle.steps.map((step) => step.name).join(' ');
  comparison.same('steps', expected, overview.steps.map((step) => step.name).join(' '));
  if (oracle.steps.length === overview.steps.length) {
    oracle.steps.forEach((step, index) => {
      const ours = overview.steps[index];
      for (const [role, value] of Object.entries(step)) {
        if (role === 'name') continue;
        const figure = role === 'total' ? ours.durationUs : ours.parts[role];
        comparison.number(`step ${step.name} ${role}`, value, figure, tolerance(step.total));
      }
    });
  }
  for (const [role, value] of Object.entries(oracle.average)) {
    const figure = role === 'total' ? overview.average.durationUs : overview.average.parts[role];
    comparison.number(`average ${role}`, value, figure, tolerance(oracle.average.total));
  }
  comparison.same('gpus', oracle.gpus.length, overview.gpus.length);
  oracle.gpus.forEach((gpu) => {
    const ours = overview.gpus.find((candidate) => candidate.index === gpu.index);
    comparison.same(`gpu ${gpu.index}`, true, ours !== undefined);
    if (!ours) return;
    const close = 1e-4;
    comparison.number(`gpu utilization`, gpu.utilization, ours.utilization, close);
    comparison.number(`gpu estSmEfficiency`, gpu.estSmEfficiency, ours.estSmEfficiency, close);
    const occupancy = gpu.estOccupancy === null ? null : gpu.estOccupancy / 100;
    comparison.number(`gpu estOccupancy`, occupancy, ours.estOccupancy, close);
    // Where the plugin gave no share, there is nothing to compare with.
    if (gpu.tensorCoreShare !== null) {
      comparison.number(`gpu tensorCoreShare`, gpu.tensorCoreShare, ours.tensorCoreShare, close);
    }
  });
  const advice = overview.recommendations.filter(({ id }) => PLUGIN_ADVICE.has(id));
  comparison.same('recommendations', oracle.recommendations, advice.length);
}

function compareOperators(comparison, oracle, rows, byShapeRows) {
  const ours = new Map(rows.map((row) => [row.name, row]));
  for (const operator of oracle.operators) {
    const row = ours.get(operator.name);
    const label = `operator ${operator.name}`;
    comparison.same(label, true, row !== undefined);
    if (!row) continue;
    ours.delete(operator.name);
    comparison.same(`${label} calls`, operator.calls, row.calls);
    for (const key of ['deviceSelfUs', 'deviceTotalUs', 'hostSelfUs', 'hostTotalUs']) {
      const tolerance = 0.6 + operator.calls * 0.3;
      comparison.number(`${label} ${key}`, operator[key] ?? 0, row[key] ?? 0, tolerance);
    }
    comparison.same(
      `${label} tensorCoreEligible`,
      operator.tensorCoreEligible,
      row.tensorCoreEligible,
    );
  }
  for (const name of ours.keys()) comparison.same(`operator ${name}`, false, true);
  comparison.same('rows by operator and shape', oracle.operatorsByShapeRows, byShapeRows);
}

function compareKernels(comparison, oracle, rows, byPropertiesRows) {
  const ours = new Map(rows.map((row) => [row.name, row]));
  for (const kernel of oracle.kernels ?? []) {
    const row = ours.get(kernel.Name);
    const label = `kernel ${kernel.Name}`;
    comparison.same(label, true, row !== undefined);
    if (!row) continue;
    ours.delete(kernel.Name);
    comparison.same(
      `${label} tensor cores`,
      kernel['Tensor Cores Used'] === 'Yes',
      row.usesTensorCores,
    );
    comparison.same(`${label} calls`, kernel.Calls, row.calls);
    comparison.number(`${label} total`, kernel['Total Duration (us)'], row.totalUs, 0.51);
    comparison.number(`${label} mean`, kernel['Mean Duration (us)'], row.meanUs, 0.51);
    comparison.number(`${label} max`, kernel['Max Duration (us)'], row.maxUs, 0.51);
    comparison.number(`${label} min`, kernel['Min Duration (us)'], row.minUs, 0.51);
    const blocks = kernel['Mean Blocks Per SM'];
    if (blocks !== undefined) {
      comparison.number(`${label} blocks`, blocks, row.meanBlocksPerSm, 0.0051);
      const occupancy = kernel['Mean Est. Achieved Occupancy (%)'];
      comparison.number(`${label} occupancy`, occupancy / 100, row.meanEstOccupancy, 0.000051);
    }
  }
  for (const name of ours.keys()) comparison.same(`kernel ${name}`, false, true);
  comparison.same(
    'rows by kernel properties',
    oracle.kernelsByPropertiesRows ?? 0,
    byPropertiesRows,
  );
}

const MEMORY_KEYS = {
  'Size Increase (B)': 'sizeIncreaseBytes',
  'Self Size Increase (B)': 'selfSizeIncreaseBytes',
  'Allocation Count': 'allocationCount',
  'Self Allocation Count': 'selfAllocationCount',
  'Allocation Size (B)': 'allocationSizeBytes',
  'Self Allocation Size (B)': 'selfAllocationSizeBytes',
};

function compareMemory(comparison, oracle, memory) {
  const key = (device, operator) => `${device.replace(' ', '')} ${operator}`;
  const ours = new Map(memory.statistics.map((row) => [key(row.device, row.operator), row]));
  for (const [device, rows] of Object.entries(oracle.memoryStatistics ?? {})) {
    for (const expected of rows) {
      const label = `memory ${key(device, expected['Operator Name'])}`;
      const row = ours.get(key(device, expected['Operator Name']));
      comparison.same(label, true, row !== undefined);
      if (!row) continue;
      comparison.same(`${label} calls`, expected.Calls, row.calls);
      for (const [column, field] of Object.entries(MEMORY_KEYS)) {
        comparison.number(`${label} ${field}`, expected[column], row[field], 0);
      }
      ours.delete(key(device, expected['Operator Name']));
    }
  }
  for (const name of ours.keys()) comparison.same(`memory ${name}`, false, true);
  // Keys such as "(<DeviceType.CUDA: 1>, 0)"; the plugin has no name for HIP devices (B32).
  for (const [device, peak] of Object.entries(oracle.memoryPeakBytes ?? {})) {
    const name = device.includes('CPU') ? 'CPU' : `GPU ${/(\d+)\)$/.exec(device)[1]}`;
    const gpus = memory.devices.filter((one) => one.name.startsWith('GPU'));
    // The plugin has PyTorch's number of the device, ROCm's kernels another one.
    const row =
      memory.devices.find((one) => one.name === name) ?? (gpus.length === 1 ? gpus[0] : undefined);
    comparison.number(`memory peak ${name}`, peak, row?.peakAllocatedBytes, 0);
  }
}

/** Which views and columns there are says what the trace was found to hold. */
function compareViews(comparison, oracle, views) {
  const has = (name) => oracle.views.includes(name);
  comparison.same('view Kernel', has('Kernel'), views.kernels.launches > 0);
  comparison.same('view Memory', has('Memory'), views.memory.devices.length > 0);
  comparison.same('view Module', has('Module'), views.modules.modules.length > 0);
  comparison.same('view Lightning', has('Lightning'), views.lightning.modules.length > 0);
  const column = (name) => (oracle.kernelColumns ?? []).includes(name);
  comparison.same(
    'column blocks per SM',
    column('Mean Blocks Per SM'),
    views.kernels.hasBlocksPerSm,
  );
  comparison.same(
    'column occupancy',
    column('Mean Est. Achieved Occupancy (%)'),
    views.kernels.hasOccupancy,
  );
}

test('the oracles are there', { skip: withoutCorpus }, () => assert.ok(names.length >= 14));

const used = new Set();

for (const name of names) {
  const oracle = JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'));
  test(oracle.trace, async () => {
    const file = path.join(corpus, oracle.trace);
    const comparison = new Comparison();
    compareOverview(comparison, oracle, await emberlineJson('overview', file));
    const operators = await allRows('operators', file);
    const byShape = await emberlineJson('operators', file, '--group-by', 'shape', '--limit', '1');
    compareOperators(comparison, oracle, operators.rows, byShape.totalRows);
    const kernels = await allRows('kernels', file);
    const options = ['--group-by', 'properties', '--limit', '1'];
    const byProperties = await emberlineJson('kernels', file, ...options);
    compareKernels(comparison, oracle, kernels.rows, byProperties.totalRows);
    const memory = await allRows('memory', file);
    if (oracle.memoryStatistics) compareMemory(comparison, oracle, memory);
    const modules = await emberlineJson('modules', file);
    const lightning = await emberlineJson('lightning', file);
    compareViews(comparison, oracle, { kernels, memory, modules, lightning });
    assert.deepEqual(
      Object.keys(oracle).filter((key) => !ORACLE_KEYS.includes(key)),
      [],
    );

    assert.ok(comparison.compared > 100, `only ${comparison.compared} figures compared`);
    const unexplained = [];
    for (const difference of comparison.differences) {
      const reasons = deviations.filter(
        ({ trace, figure }) => trace.test(oracle.trace) && figure.test(difference.figure),
      );
      reasons.forEach((reason) => used.add(reason));
      if (reasons.length === 0) unexplained.push(difference);
    }
    const lines = unexplained.map(
      ({ figure, plugin, ours }) => `${figure}: plugin ${plugin}, here ${ours}`,
    );
    assert.equal(lines.length, 0, `${lines.length} figures differ:\n${lines.join('\n')}`);
  });
}

test('every deviation occurs', { skip: withoutCorpus }, () => {
  const unused = deviations.filter((deviation) => !used.has(deviation));
  assert.deepEqual(unused, []);
});
