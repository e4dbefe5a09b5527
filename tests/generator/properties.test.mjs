// Properties that hold for every trace, tried on generated ones of all dialects and several seeds:
// parts sum to wholes, however a whole is cut (by role, step, range, filter, child, page, form).

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { emberline, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { dialects, traceText } from './generate.mjs';

const SEEDS = [2, 71, 4099];
const EVENTS = 1200;

const { folder, remove } = temporaryFolder('properties');
let daemon;
before(async () => {
  daemon = startDaemon();
  await daemon.initialize();
});
after(async () => {
  await daemon.stop();
  remove();
});

/** Microseconds with three decimals as the whole nanoseconds that they are; bytes stay. */
const exact = (key, value) =>
  key.endsWith('Us') || key === 'us' ? Math.round((value ?? 0) * 1000) : (value ?? 0);
const sum = (rows, key) => rows.reduce((total, row) => total + exact(key, row[key]), 0);
const sums = (rows, keys) => Object.fromEntries(keys.map((key) => [key, sum(rows, key)]));
const plus = (a, b) => Object.fromEntries(Object.keys(a).map((key) => [key, a[key] + b[key]]));

/** Every node of a tree, without recursion. */
function* nodes(roots) {
  const pending = [...roots];
  while (pending.length > 0) {
    const node = pending.pop();
    yield node;
    pending.push(...node.children);
  }
}

/** Tables: how they are asked for, and the figures of their rows that add up. */
const tables = [
  {
    method: 'view/operators',
    add: ['calls', 'hostSelfUs', 'hostTotalUs', 'deviceSelfUs', 'deviceTotalUs'],
  },
  {
    method: 'view/operators',
    params: { groupBy: 'operatorAndShapes' },
    add: ['calls', 'hostSelfUs', 'hostTotalUs', 'deviceSelfUs', 'deviceTotalUs'],
  },
  { method: 'view/kernels', add: ['calls', 'totalUs'] },
  { method: 'view/kernels', params: { groupBy: 'properties' }, add: ['calls', 'totalUs'] },
  { method: 'view/copies', add: ['calls', 'totalUs', 'bytes'] },
  { method: 'view/lines', add: ['deviceSelfUs', 'hostSelfUs'] },
  { method: 'view/lines', params: { groupBy: 'function' }, add: ['deviceSelfUs', 'hostSelfUs'] },
  { method: 'view/stackFunctions', add: ['selfUs'] },
  {
    method: 'view/memoryStatistics',
    add: [
      'sizeIncreaseBytes',
      'selfSizeIncreaseBytes',
      'allocationCount',
      'selfAllocationCount',
      'allocationSizeBytes',
      'selfAllocationSizeBytes',
    ],
    bySteps: false,
  },
  { method: 'view/memoryEvents', add: ['sizeBytes'], bySteps: false },
];

const label = ({ method, params }) => `${method} ${JSON.stringify(params ?? {})}`;

// -- one property each

async function partsSumToTheStep({ all }) {
  const overview = await all('view/overview');
  assert.equal(overview.steps.length, overview.totalSteps);
  for (const step of overview.steps) {
    const parts = Object.values(step.parts);
    assert.ok(parts.every((part) => part >= 0));
    const whole = parts.reduce((total, part) => total + exact('Us', part), 0);
    assert.equal(whole, exact('Us', step.durationUs), `step ${step.name}`);
  }
  const whole = overview.steps.filter((step) => !step.partial);
  const mean = (of) => whole.reduce((total, step) => total + of(step), 0) / whole.length;
  assert.ok(Math.abs(overview.average.durationUs - mean((step) => step.durationUs)) < 1e-6);
  for (const [role, part] of Object.entries(overview.average.parts)) {
    assert.ok(Math.abs(part - mean((step) => step.parts[role])) < 1e-6, `average ${role}`);
  }
  for (const gpu of overview.gpus) {
    for (const key of ['utilization', 'estSmEfficiency', 'estOccupancy', 'tensorCoreShare']) {
      assert.ok(gpu[key] === null || (gpu[key] >= 0 && gpu[key] <= 1), `${key} is ${gpu[key]}`);
    }
    assert.ok(exact('Us', gpu.kernelUs) >= 0);
  }
  return overview;
}

/** Self is at most total, shares are at most 1. */
async function rowsAreSound({ all }) {
  for (const table of tables) {
    const { rows } = await all(table.method, table.params);
    for (const row of rows) {
      const name = `${label(table)}: ${row.name ?? row.operator ?? row.function}`;
      for (const [self, total] of [
        ['hostSelfUs', 'hostTotalUs'],
        ['deviceSelfUs', 'deviceTotalUs'],
        ['selfUs', 'totalUs'],
        ['selfAllocationCount', 'allocationCount'],
        ['selfAllocationSizeBytes', 'allocationSizeBytes'],
        ['minUs', 'meanUs'],
        ['meanUs', 'maxUs'],
        ['maxUs', 'totalUs'],
      ]) {
        if (typeof row[self] !== 'number' || typeof row[total] !== 'number') continue;
        assert.ok(row[self] <= row[total] + 1e-6, `${name}: ${self} above ${total}`);
      }
      for (const [key, value] of Object.entries(row)) {
        if (!/^tensorCore(Self|Total)$|share$|Occupancy$/i.test(key)) continue;
        assert.ok(value === null || (value >= 0 && value <= 1), `${name}: ${key} is ${value}`);
      }
    }
  }
}

/** Groupings cut the same whole; rings and sums beside the tables are the tables'. */
async function groupingsAgree({ all }) {
  const keys = ['calls', 'hostSelfUs', 'deviceSelfUs', 'hostTotalUs', 'deviceTotalUs'];
  const operators = await all('view/operators', { topN: 1000 });
  const byShape = await all('view/operators', { groupBy: 'operatorAndShapes' });
  assert.deepEqual(sums(byShape.rows, keys), sums(operators.rows, keys));
  for (const key of ['hostSelf', 'hostTotal', 'deviceSelf', 'deviceTotal']) {
    const ring = operators.rings[key];
    assert.equal(sum(ring, 'us'), sum(operators.rows, `${key}Us`), `ring ${key}`);
  }
  assert.equal(exact('Us', operators.hostSelfUs), sum(operators.rows, 'hostSelfUs'));
  assert.equal(exact('Us', operators.deviceSelfUs), sum(operators.rows, 'deviceSelfUs'));

  const kernels = await all('view/kernels', { topN: 1000 });
  const byLaunch = await all('view/kernels', { groupBy: 'properties' });
  assert.deepEqual(
    sums(byLaunch.rows, ['calls', 'totalUs']),
    sums(kernels.rows, ['calls', 'totalUs']),
  );
  assert.equal(sum(kernels.rows, 'calls'), kernels.launches);
  assert.equal(sum(kernels.rows, 'totalUs'), exact('Us', kernels.totalUs));
  assert.equal(sum(kernels.ring, 'us'), exact('Us', kernels.totalUs), 'the time ring');
  for (const part of ['busyUs', 'tensorCoreUs', 'communicationUs']) {
    assert.ok(kernels[part] <= kernels.totalUs + 1e-6, part);
  }
  const copies = await all('view/copies');
  const device = sum(kernels.rows, 'totalUs') + sum(copies.rows, 'totalUs');
  assert.ok(sum(operators.rows, 'deviceSelfUs') <= device, 'operators launch what there is');

  const lines = await all('view/lines');
  const functions = await all('view/lines', { groupBy: 'function' });
  const lineKeys = ['deviceSelfUs', 'hostSelfUs'];
  assert.deepEqual(sums(functions.rows, lineKeys), sums(lines.rows, lineKeys));
  const { totals } = lines;
  assert.ok(sum(lines.rows, 'deviceSelfUs') <= exact('Us', totals.deviceUs), 'lines of device');
  assert.ok(sum(lines.rows, 'hostSelfUs') <= exact('Us', totals.hostUs), 'lines of host');
  assert.ok(exact('Us', totals.deviceUs) <= device);
}

/** What the views sum to, for one choice of steps. */
async function wholeOf({ all }, steps) {
  const whole = {};
  for (const table of tables) {
    if (table.bySteps === false) continue;
    const { rows, totals } = await all(table.method, { ...table.params, steps });
    Object.entries(sums(rows, table.add)).forEach(([key, value]) => {
      whole[`${label(table)} ${key}`] = value;
    });
    for (const [key, value] of Object.entries(totals ?? {})) {
      whole[`${label(table)} totals.${key}`] = exact('Us', value);
    }
  }
  for (const weight of ['device', 'host']) {
    const { totalUs } = await all('view/stacks', { steps, weight });
    whole[`stacks by ${weight}`] = exact('Us', totalUs);
  }
  const { modules } = await all('view/modules', { steps });
  const list = [...nodes(modules)];
  for (const key of ['occurrences', 'operators', 'hostSelfUs', 'deviceSelfUs', 'allocatedBytes']) {
    whole[`modules ${key}`] = sum(list, key);
  }
  const overview = await all('view/overview', { steps });
  whole['length of steps'] = sum(overview.steps, 'durationUs');
  return whole;
}

async function stepsAddUp(trace, overview) {
  const names = overview.steps.map((step) => step.name);
  const parts = [];
  for (const name of names) parts.push(await wholeOf(trace, name));
  const together = parts.reduce(plus);
  const range = names.length > 1 ? `${names[0]}-${names.at(-1)}` : names[0];
  assert.deepEqual(await wholeOf(trace, range), together, `steps ${range}`);
  const all = await wholeOf(trace, 'all');
  for (const [key, value] of Object.entries(together)) {
    assert.ok(value <= all[key], `${key}: ${value} in steps, ${all[key]} in all`);
  }
  // Kernels of earlier launches are the only thing that the generator puts outside of steps.
  if (trace.answers.orphans === 0) {
    const outside = Object.keys(all).filter((key) => all[key] !== together[key]);
    assert.deepEqual(outside, []);
  }
}

/** What a filter keeps and what its opposite keeps are the whole. */
async function filtersPartition({ all }) {
  for (const table of tables) {
    const whole = await all(table.method, table.params);
    if (whole.rows.length === 0) continue;
    const kept = async (filter) => {
      const { rows, totalRows, unfilteredRows } = await all(table.method, {
        ...table.params,
        filter,
      });
      assert.equal(totalRows, rows.length);
      assert.equal(unfilteredRows, whole.rows.length);
      return rows;
    };
    for (const key of table.add) {
      const values = whole.rows.map((row) => row[key]).filter((value) => value !== null);
      if (values.length === 0) continue;
      const middle = values.sort((a, b) => a - b)[values.length >> 1];
      const above = await kept(`${key}>${middle}`);
      const below = await kept(`${key}<=${middle}`);
      assert.equal(above.length + below.length, values.length, `${label(table)}: ${key}`);
      assert.deepEqual(
        plus(sums(above, table.add), sums(below, table.add)),
        sums(whole.rows, table.add),
        `${label(table)}: ${key} about ${middle}`,
      );
    }
    // A word keeps exactly the rows that show it, so the others are what it leaves out.
    const texts = whole.columns
      .filter((column) => column.type === 'text' && !column.hidden)
      .map(({ key }) => key);
    const holds = (row) =>
      texts.some((key) => typeof row[key] === 'string' && /aten::|er/i.test(row[key]));
    assert.deepEqual(await kept('aten::|ER'), whole.rows.filter(holds), label(table));
  }
}

const order = (a, b, type) => {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (type !== 'text') return Number(a) - Number(b);
  // Runs of digits by their value, whatever else by its letters in lower case.
  const [x, y] = [a, b].map((text) => text.toLowerCase().split(/(\d+)/));
  for (let i = 0; i < Math.min(x.length, y.length); ++i) {
    const [one, other] = [x[i], y[i]];
    if (i % 2 === 1 && BigInt(one) !== BigInt(other)) return BigInt(one) < BigInt(other) ? -1 : 1;
    if (i % 2 === 0 && one !== other) {
      // A digit follows where the text between ends.
      const [rest, otherRest] = [one + (x[i + 1] ?? ''), other + (y[i + 1] ?? '')];
      return rest < otherRest ? -1 : 1;
    }
  }
  return x.length - y.length;
};

/** Sorting keeps all rows, and pages are the whole. */
async function sortingPermutes({ all, ask }) {
  for (const table of tables) {
    const { rows, columns } = await all(table.method, table.params);
    const bag = rows.map((row) => JSON.stringify(row)).sort();
    for (const { key, type } of columns) {
      for (const [sort, sign] of [
        [key, 1],
        [`-${key}`, -1],
      ]) {
        const sorted = (await all(table.method, { ...table.params, sort })).rows;
        assert.deepEqual(sorted.map((row) => JSON.stringify(row)).sort(), bag, sort);
        for (let i = 1; i < sorted.length; ++i) {
          const [a, b] = [sorted[i - 1][key], sorted[i][key]];
          // Missing values come last in both directions.
          if (a === null || b === null) assert.equal(b, null, `${label(table)} by ${sort}`);
          else assert.ok(sign * order(a, b, type) <= 0, `${label(table)} by ${sort}: ${a}, ${b}`);
        }
      }
    }
    const pages = [];
    while (pages.length < rows.length) {
      const page = await ask(table.method, { ...table.params, offset: pages.length, limit: 7 });
      assert.ok(page.rows.length > 0 && page.rows.length <= 7);
      pages.push(...page.rows);
    }
    assert.deepEqual(pages, rows, `pages of ${label(table)}`);
  }
}

/** The allocator's curve is the running sum of its records, which the test reads by itself. */
async function memoryIsARunningSum({ all, text, answers }) {
  const { memory } = answers;
  const view = await all('view/memory', { points: 4000 });
  if (memory.records === 0) {
    assert.deepEqual(view.devices, []);
    return;
  }
  const document = JSON.parse(text);
  const records = document.traceEvents.filter((event) => event.name === '[memory]');
  // Stamps hold too many digits for a number; written with equal width they sort as text.
  const stamps = [...text.matchAll(/"name": "\[memory\]".*?"ts": (\d+(?:\.\d+)?)/g)].map(
    ([, stamp]) => stamp.padEnd(24, '0'),
  );
  const inTime = records
    .map((event, index) => ({ bytes: event.args.Bytes, stamp: stamps[index], index }))
    .sort((a, b) => (a.stamp < b.stamp ? -1 : a.stamp > b.stamp ? 1 : a.index - b.index));
  const running = [];
  inTime.forEach(({ bytes }) => running.push((running.at(-1) ?? 0) + bytes));
  assert.equal(running.at(-1), 0, 'all memory is released');

  assert.equal(view.devices.length, 1);
  const [device] = view.devices;
  assert.equal(device.records, running.length);
  assert.equal(device.peakAllocatedBytes, Math.max(...running));
  // The curve may go on to the end of the range with the last value.
  const { allocatedBytes, timesNs } = view.curve;
  assert.ok(allocatedBytes.length - running.length <= 1);
  assert.deepEqual(allocatedBytes.slice(0, running.length), running);
  assert.ok(timesNs.every((time, index) => index === 0 || time >= timesNs[index - 1]));
  const peak = view.peak.byOperator.rows;
  for (const table of Object.values(view.peak)) {
    if (peak.length > 0) assert.equal(sum(table.rows, 'sizeBytes'), device.peakAllocatedBytes);
  }

  // Two ranges side by side hold all that the operators allocated.
  const keys = tables.find((table) => table.method === 'view/memoryStatistics').add;
  const cut = timesNs[timesNs.length >> 1];
  const part = async (startNs, endNs) =>
    sums((await all('view/memoryStatistics', { startNs, endNs })).rows, keys);
  const whole = await part(0, view.endNs);
  assert.deepEqual(plus(await part(0, cut), await part(cut + 1, view.endNs)), whole);
  assert.equal(whole.selfAllocationSizeBytes, memory.allocatedBytes);

  // Each allocation is one block, and its release, where addresses tell, is the same one.
  const events = (await all('view/memoryEvents')).rows;
  const released = events.filter((event) => event.state === 'released');
  if (device.relative) {
    assert.equal(events.length, memory.records);
  } else {
    assert.equal(events.length, memory.allocations);
    assert.equal(released.length, memory.allocations);
    assert.equal(sum(events, 'sizeBytes'), memory.allocatedBytes);
  }
}

/** B72: in each single quantity a module holds its sub-modules, whatever the flame graph shows. */
async function modulesHoldTheirChildren({ all, answers }) {
  const { modules, nodeCount } = await all('view/modules');
  const list = [...nodes(modules)];
  assert.equal(list.length, nodeCount);
  assert.equal(sum(list, 'occurrences'), answers.modules);
  for (const node of list) {
    for (const key of [
      'hostTotalUs',
      'deviceTotalUs',
      'backwardHostUs',
      'backwardDeviceTotalUs',
      'recomputeHostUs',
      'recomputeDeviceTotalUs',
      'allocatedBytes',
    ]) {
      const parts = sum(node.children, key);
      assert.ok(parts <= exact(key, node[key]), `${node.name}: ${key} of the children is ${parts}`);
    }
    for (const [self, total] of [
      ['hostSelfUs', 'hostTotalUs'],
      ['deviceSelfUs', 'deviceTotalUs'],
      ['backwardDeviceSelfUs', 'backwardDeviceTotalUs'],
      ['recomputeDeviceSelfUs', 'recomputeDeviceTotalUs'],
    ]) {
      assert.equal(
        exact(self, node[self]) + sum(node.children, total),
        exact(total, node[total]),
        `${node.name}: ${self} and the children's`,
      );
    }
    assert.equal(node.children.length, node.childCount);
  }
  const ids = new Set(list.map((node) => node.id));
  assert.equal(ids.size, list.length, 'ids tell rows apart');
}

async function flameGraphsAddUp({ all }) {
  for (const weight of ['device', 'host']) {
    const down = await all('view/stacks', { weight });
    for (const options of [{}, { bottomUp: true }, { foldLibrary: true }]) {
      const { tree, totalUs } = await all('view/stacks', { weight, ...options });
      assert.equal(totalUs, down.totalUs, JSON.stringify(options));
      assert.equal(tree.totalUs, totalUs);
      for (const node of nodes([tree])) {
        assert.equal(node.children.length, node.childCount);
        assert.equal(
          exact('Us', node.selfUs) + sum(node.children, 'totalUs'),
          exact('Us', node.totalUs),
          `${weight} ${JSON.stringify(options)} ${node.function}`,
        );
      }
    }
    // The functions' own times are the whole, less what has no stack.
    const { rows } = await all('view/stackFunctions', { weight });
    assert.equal(
      sum(rows, 'selfUs') + exact('Us', down.tree.selfUs),
      exact('Us', down.totalUs),
      `functions by ${weight}`,
    );
  }
  // Host time of stacks and lines is the same, whether there are frames around it or not.
  const host = await all('view/stacks', { weight: 'host' });
  const { totals } = await all('view/lines');
  if (host.form !== 'none') assert.equal(host.totalUs, totals.hostUs);
}

/** Two windows side by side hold the time of both; nothing is left out or drawn twice. */
async function timelineAddsUp({ ask, answers }) {
  const { tracks, startNs, endNs } = await ask('timeline/tracks');
  const rows = tracks.filter((track) => track.kind !== 'steps');
  assert.equal(
    rows.reduce((total, track) => total + track.slices, 0),
    answers.slices,
  );
  const cut = Math.floor((startNs + endNs) / 2);
  const part = async (from, to) => {
    const { kinds } = await ask('timeline/range', { startNs: from, endNs: to });
    return Object.fromEntries(kinds.map((kind) => [kind.kind, kind]));
  };
  const whole = await part(startNs, endNs);
  const [left, right] = [await part(startNs, cut), await part(cut, endNs)];
  for (const [kind, { sumNs, unionNs }] of Object.entries(whole)) {
    for (const [key, total] of Object.entries({ sumNs, unionNs })) {
      assert.equal((left[kind]?.[key] ?? 0) + (right[kind]?.[key] ?? 0), total, `${kind} ${key}`);
    }
    assert.ok(unionNs <= sumNs && unionNs <= endNs - startNs, kind);
  }
}

for (const dialect of Object.keys(dialects)) {
  for (const seed of SEEDS) {
    test(`${dialect}, seed ${seed}`, async () => {
      const { text, answers } = traceText({ dialect, events: EVENTS, seed });
      const file = path.join(folder, `${dialect}.${seed}.pt.trace.json`);
      writeFileSync(file, text);
      const { profileId } = await daemon.request('profile/open', { path: file });
      const ask = (method, params = {}) => daemon.request(method, { profileId, ...params });
      const all = (method, params) => ask(method, { limit: -1, ...params });
      const trace = { ask, all, text, answers };
      const overview = await partsSumToTheStep(trace);
      await rowsAreSound(trace);
      await groupingsAgree(trace);
      await stepsAddUp(trace, overview);
      await memoryIsARunningSum(trace);
      await modulesHoldTheirChildren(trace);
      await flameGraphsAddUp(trace);
      await timelineAddsUp(trace);
      // These ask for every column of every table: one seed is enough.
      if (seed === SEEDS[0]) {
        await filtersPartition(trace);
        await sortingPermutes(trace);
      }
      await ask('profile/close');
    });
  }
}

// -- CSV, JSON and RPC say the same

/** Cells of a CSV text, quotes undone. */
function readCsv(text) {
  const rows = [[]];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') {
        cell += '"';
        i += 1;
      } else quoted = false;
    } else if (c === '"') quoted = true;
    else if (c === ',' || c === '\n') {
      rows.at(-1).push(cell.replace(/\r$/, ''));
      cell = '';
      if (c === '\n') rows.push([]);
    } else cell += c;
  }
  rows.pop();
  return rows;
}

for (const dialect of ['torch-1.9', 'torch-2.13', 'nccl', 'rocm']) {
  test(`${dialect}: CSV, JSON and RPC say the same`, async () => {
    const { text } = traceText({ dialect, events: EVENTS, seed: 5 });
    const file = path.join(folder, `${dialect}.forms.pt.trace.json`);
    writeFileSync(file, text);
    const { profileId } = await daemon.request('profile/open', { path: file });
    for (const [command, method, ...options] of [
      ['operators', 'view/operators'],
      ['operators', 'view/operators', 'groupBy', 'shape'],
      ['kernels', 'view/kernels'],
      ['kernels', 'view/kernels', 'groupBy', 'properties'],
      ['copies', 'view/copies'],
      ['lines', 'view/lines'],
      ['stackFunctions', 'view/stackFunctions'],
      ['memoryStatistics', 'view/memoryStatistics'],
      ['memoryEvents', 'view/memoryEvents'],
    ]) {
      const params = options.length > 0 ? { [options[0]]: options[1] } : {};
      const rpc = await daemon.request(method, { profileId, limit: -1, ...params });
      const more = options.length > 0 ? ['--group-by', options[1]] : [];
      const json = await emberlineJson(command, file, '--limit', '-1', ...more);
      assert.deepEqual(json.rows, rpc.rows, `${command} ${options}`);
      const csv = await emberline([command, file, '--format', 'csv', '--limit', '-1', ...more]);
      assert.equal(csv.status, 0, csv.stderr);
      const [keys, ...cells] = readCsv(csv.stdout);
      assert.equal(cells.length, rpc.rows.length, command);
      cells.forEach((row, index) => {
        keys.forEach((key, at) => {
          const value = rpc.rows[index][key];
          const shown = row[at];
          const where = `${command}, row ${index}, ${key}`;
          if (value === null) assert.equal(shown, '', where);
          else if (typeof value === 'number') assert.equal(Number(shown), value, where);
          else if (typeof value === 'boolean') assert.equal(shown, String(value), where);
          else assert.equal(shown.replace(/^'(?=[=+\-@])/, ''), value, where);
        });
      });
    }
  });
}
