// Every view in the window, figure by figure against the command line: the sample that was recorded
// on a CPU, and a generated trace of a device. Tables are compared cell by cell as far as they are
// on the screen, charts by their table twins.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { traceText } from '../generator/generate.mjs';
import {
  assertCells,
  assertSays,
  commandLine,
  factOf,
  profileFrame,
  showView,
  twinOf,
  unitOf,
  written,
} from './product.mjs';
import { Workbench, startWorkbench, waitUntil } from './workbench.mjs';
import {
  bodyRows,
  busyParts,
  cellsOf,
  findings,
  foundCount,
  gridOf,
  settledTimeline,
  timelineCanvas,
  trackNames,
} from '../lib/roles.mjs';

const sample = 'train_cnn/slow.pt.trace.json.gz';
const device = 'device.pt.trace.json';
const hooks = 'lightning.pt.trace.json';
let workbench;
let traces;

before(async () => {
  workbench = await startWorkbench();
  const inWorkspace = (name) => join(workbench.workspace, name);
  traces = { sample: inWorkspace(sample), device: inWorkspace(device), hooks: inWorkspace(hooks) };
  const { text } = traceText({ dialect: 'torch-2.13', events: 3000, seed: 11 });
  writeFileSync(traces.device, text);
  writeFileSync(traces.hooks, lightningText());
});
after(() => workbench?.stop());

const step = Workbench.steps(test, () => workbench);

function lightningText() {
  const range = (name, ts, dur) => ({
    ph: 'X',
    cat: 'user_annotation',
    name,
    pid: 1,
    tid: 1,
    ts,
    dur,
    args: {},
  });
  return JSON.stringify({
    schemaVersion: 1,
    Framework: 'pytorch-lightning',
    traceEvents: [
      range('[pl][profile]run_training_batch', 0, 900),
      range('[pl][module]model.Net: net', 20, 400),
      range('[pl][module]torch.nn.modules.linear.Linear: net.first', 30, 100),
    ],
  });
}

async function open(name) {
  await workbench.openFile(name);
  await workbench.tab(name.split('/').at(-1)).waitFor();
  const frame = await profileFrame(workbench);
  await waitUntil(`the trace ${name}`, async () => (await frame.title()) !== '');
  return frame;
}

/** Goes to a view whose own content is there. */
async function view(title, content) {
  const frame = await showView(workbench, title);
  await content(frame).first().waitFor();
  await waitUntil(`${title} at rest`, async () => {
    return (await busyParts(frame).count()) === 0;
  });
  return frame;
}

const table = (command, trace, ...options) =>
  commandLine(command, trace, '--limit', '-1', ...options);

/** The parts of a ring: the largest by name, and in one sum what else there is. */
async function assertRing(frame, name, parts, total) {
  const { head, rows } = await twinOf(frame, name);
  const left = new Map(parts.filter((part) => part.us > 0).map((part) => [part.name, part.us]));
  let shown = 0;
  for (const [part, value, share] of rows) {
    const us = left.get(part) ?? total - shown;
    assertSays(value, us, unitOf(head[1]), `${name}: ${part}`);
    assertSays(share, us / total, '%', `${name}: share of ${part}`);
    shown += us;
  }
  assert.ok(rows.length >= Math.min(10, left.size), `${name}: only ${rows.length} parts`);
  return rows.length;
}

async function assertOverview(trace) {
  const frame = await view('Overview', (page) =>
    page.getByRole('region', { name: 'Average step time' }),
  );
  const { steps, average, roles, gpus, recommendations, configuration } = commandLine(
    'overview',
    trace,
  );
  const shown = roles.filter((role) => role.present);
  const { rows } = await twinOf(frame, 'Step time');
  assert.equal(rows.length, steps.length);
  rows.forEach(([name, total, ...parts], index) => {
    const { partial, durationUs } = steps[index];
    assert.equal(name, partial ? `${steps[index].name} (partial)` : steps[index].name);
    assertSays(total, durationUs, '\u00b5s', `step ${name}`);
    shown.forEach((role, at) =>
      assertSays(parts[at], steps[index].parts[role.key], '\u00b5s', `step ${name}: ${role.title}`),
    );
  });
  const averages = frame.getByRole('region', { name: 'Average step time' }).locator('tbody tr');
  assert.equal(await averages.count(), shown.length + 1);
  for (const [at, role] of shown.entries()) {
    const [time, share] = await averages
      .nth(at + 1)
      .locator('td')
      .allInnerTexts();
    assertSays(time, average.parts[role.key], '\u00b5s', role.title);
    assertSays(share, average.parts[role.key] / average.durationUs, '%', role.title);
  }
  // "Devices used 0" would tell nothing, and is left out.
  const facts = configuration.filter(({ name }) => gpus.length > 0 || name !== 'Devices used');
  for (const { name, value } of facts) assert.equal(await factOf(frame, name), value);
  for (const gpu of gpus) {
    assert.equal(await factOf(frame, `GPU ${gpu.index}`), gpu.name);
    for (const [name, ratio] of [
      ['Utilization', gpu.utilization],
      ['Est. SM efficiency', gpu.estSmEfficiency],
      ['Est. occupancy', gpu.estOccupancy],
      ['Tensor core share', gpu.tensorCoreShare],
    ]) {
      // Behind it may stand for how much it is unknown.
      const [said] = (await factOf(frame, name)).split(' (');
      assertSays(said, ratio, '%', name);
    }
  }
  // Advice of costs comes a moment later; warnings stand before what is only said.
  const all = [...recommendations, ...commandLine('roofline', trace).findings];
  const said = ({ severity }) => severity === 'info';
  const advice = [...all.filter((finding) => !said(finding)), ...all.filter(said)];
  await waitUntil('the first findings', async () => {
    const titles = await findings(frame).allInnerTexts();
    return isDeepStrictEqual(
      titles,
      advice.slice(0, 3).map((finding) => finding.title),
    );
  });
  const events = commandLine('check', trace).events;
  assertSays(await factOf(frame, 'Events'), events, '', 'events');
}

async function assertOperators(trace, order) {
  const frame = await view('Operators', (page) => gridOf(page, 'Operators'));
  const operators = table('operators', trace, `--sort=-${order}`, '--param', 'topN=10');
  assert.ok((await assertCells(frame, 'Operators', operators)) > 60);
  for (const [title, key] of [
    ['Host self', 'hostSelf'],
    ...(order === 'deviceSelfUs' ? [['Device self', 'deviceSelf']] : []),
  ]) {
    const parts = operators.rings[key];
    await assertRing(frame, title, parts, operators[`${key}Us`]);
  }
  await frame.getByRole('radio', { name: 'Operator and shapes' }).click();
  const byShape = table('operators', trace, '--group-by', 'shape', `--sort=-${order}`);
  await waitUntil('rows by shape', async () => {
    const grid = gridOf(frame, 'Operators');
    return (await grid.getAttribute('aria-rowcount')) === String(byShape.rows.length + 1);
  });
  await assertCells(frame, 'Operators', byShape);
  await frame.getByRole('radio', { name: 'Operator', exact: true }).click();
}

async function assertMemory(trace) {
  const frame = await view('Memory', (page) => gridOf(page, 'Memory statistics'));
  const memory = table('memory', trace);
  const current = memory.devices.find((one) => one.name === memory.device);
  const [peak] = (await factOf(frame, 'Peak allocated')).split(' at ');
  assertSays(peak, current.peakAllocatedBytes, '', 'peak');
  assertSays(await factOf(frame, 'Records'), current.records, '', 'records');
  if (current.capacityBytes !== null) {
    assertSays(await factOf(frame, 'Capacity'), current.capacityBytes, '', 'capacity');
  }
  const device = ['--param', `device=${memory.device}`];
  const statistics = table('memoryStatistics', trace, ...device, '--sort=-selfSizeIncreaseBytes');
  assert.ok((await assertCells(frame, 'Memory statistics', statistics)) > 10);

  const { rows } = await twinOfCurve(frame);
  assert.equal(rows.length, memory.curve.timesNs.length);
  rows.forEach(([ms, allocated], index) => {
    assertSays(ms, memory.curve.timesNs[index] / 1000, 'ms', `point ${index}`);
    assertSays(allocated, memory.curve.allocatedBytes[index], 'B', `point ${index}`);
  });

  await frame.getByRole('radio', { name: 'Allocations' }).click();
  await gridOf(frame, 'Memory events').waitFor();
  await assertCells(frame, 'Memory events', table('memoryEvents', trace, ...device));

  await frame.getByRole('radio', { name: 'At the peak' }).click();
  const held = frame.getByRole('region', { name: 'Memory at the peak' }).locator('tbody tr');
  await held.first().waitFor();
  const expected = memory.peak.byOperator.rows;
  for (let row = 0; row < Math.min(10, expected.length); ++row) {
    const titles = await held
      .nth(row)
      .locator('th, td')
      .evaluateAll((cells) => cells.map((cell) => cell.title));
    assert.equal(titles[0], expected[row].name);
    assertSays(titles[1].replace(' bytes', ' B'), expected[row].sizeBytes, '', expected[row].name);
  }
  await frame.getByRole('radio', { name: 'Operators' }).click();
}

/** The curve's twin has another name than the button that shows it. */
async function twinOfCurve(frame) {
  const button = frame.getByRole('button', { name: 'Memory as table', exact: true });
  await button.click();
  const region = frame.getByRole('region', { name: 'Memory over time' });
  await region.locator('tbody tr').first().waitFor();
  const rows = await region.evaluate((element) =>
    [...element.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell) => cell.textContent.trim()),
    ),
  );
  await button.click();
  return { rows };
}

/** Nodes of a tree with their depths, in no particular order. */
function flat(roots) {
  const pending = roots.map((node) => ({ node, depth: 0 }));
  const list = [];
  while (pending.length > 0) {
    const { node, depth } = pending.pop();
    list.push({ node, depth });
    pending.push(...node.children.map((child) => ({ node: child, depth: depth + 1 })));
  }
  return list;
}

/** A flame graph's boxes: names, values, shares of the roots and depths of all that have any. */
async function assertFlame(frame, name, roots, key, text) {
  const { head, rows } = await twinOf(frame, name);
  const total = roots.reduce((sum, node) => sum + node[key], 0);
  const expected = flat(roots).filter(({ node }) => node[key] > 0);
  assert.equal(rows.length, Math.min(500, expected.length), `boxes of ${name}`);
  const left = [...expected];
  for (const [box, value, share, depth] of rows) {
    const { value: shown, within } = written(value, unitOf(head[1]));
    const at = left.findIndex(
      (one) =>
        text(one.node) === box &&
        String(one.depth) === depth &&
        Math.abs(one.node[key] - shown) <= within,
    );
    assert.ok(at >= 0, `${name}: no ${box} of ${value} at depth ${depth}`);
    assertSays(share, left[at].node[key] / total, '%', `${name}: ${box}`);
    left.splice(at, 1);
  }
}

async function assertModules(trace, key) {
  const frame = await view('Modules', (page) => gridOf(page, 'Modules'));
  const { modules } = table('modules', trace);
  const rows = bodyRows(gridOf(frame, 'Modules'));
  const shown = await rows.evaluateAll((lines) =>
    lines.map((line) => ({
      level: Number(line.getAttribute('aria-level')),
      name: line.querySelector('[role=gridcell]').textContent.trim(),
      values: Object.fromEntries(
        [...line.querySelectorAll('[data-key]')].map((cell) => [
          cell.dataset.key,
          Number(cell.dataset.value),
        ]),
      ),
    })),
  );
  const inOrder = [];
  const visit = (node, level) => {
    inOrder.push({ node, level });
    node.children.forEach((child) => visit(child, level + 1));
  };
  modules.forEach((node) => visit(node, 1));
  assert.ok(shown.length >= Math.min(10, inOrder.length), `${shown.length} modules`);
  const open = inOrder.filter(({ level }) => level <= Math.max(...shown.map((one) => one.level)));
  shown.forEach(({ level, name, values }, index) => {
    const expected = open[index];
    assert.equal(level, expected.level, name);
    assert.ok(name.startsWith(expected.node.name), `${name} for ${expected.node.name}`);
    assert.ok(Object.keys(values).length >= 4);
    for (const [column, value] of Object.entries(values)) {
      assert.equal(value, expected.node[column], `${name}: ${column}`);
    }
  });
  await assertFlame(frame, 'Modules', modules, key, (node) => node.name);
}

async function assertStacks(trace) {
  const frame = await view('Stacks', (page) => gridOf(page, 'Functions'));
  const params = ['--param', 'foldLibrary=true'];
  const { tree } = table('stacks', trace, ...params);
  await assertFlame(frame, 'Python stacks', [tree], 'totalUs', (node) =>
    node.file === ''
      ? node.function
      : `${node.function}  ${node.file.split('/').at(-1)}:${node.line}`,
  );
  const functions = table('stackFunctions', trace, ...params, '--sort=-selfUs');
  assert.ok((await assertCells(frame, 'Functions', functions)) > 0);
}

async function assertLines(trace, order) {
  const frame = await view('Lines', (page) => gridOf(page, 'Lines'));
  const options = ['--source', workbench.workspace];
  const lines = table('lines', trace, ...options, `--sort=-${order}`);
  assert.ok((await assertCells(frame, 'Lines', lines)) > 10);
  const name = order === 'hostSelfUs' ? 'Host time' : 'Device time';
  const whole = order === 'hostSelfUs' ? lines.totals.hostUs : lines.totals.deviceUs;
  assertSays(await factOf(frame, name), whole, '', name);
  for (const [title, group] of [
    ['Function', 'function'],
    ['File', 'file'],
  ]) {
    await frame.getByRole('radio', { name: title, exact: true }).click();
    const grouped = table('lines', trace, ...options, '--group-by', group, `--sort=-${order}`);
    await waitUntil(`rows per ${group}`, async () => {
      const grid = gridOf(frame, 'Lines');
      return (
        (await grid.count()) === 1 &&
        (await grid.getAttribute('aria-rowcount')) === String(grouped.rows.length + 1)
      );
    });
    await assertCells(frame, 'Lines', grouped);
  }
  await frame.getByRole('radio', { name: 'Line', exact: true }).click();
}

/** Slices of the file by name: start and duration in microseconds, from the first work on. */
function recordedSlices(trace) {
  const bytes = readFileSync(trace);
  const { traceEvents } = JSON.parse(bytes[0] === 0x1f ? gunzipSync(bytes) : bytes);
  const work = traceEvents.filter(
    ({ ph, cat, name }) =>
      (ph === 'X' && cat !== 'Trace') || (ph === 'i' && name !== 'Record Window End'),
  );
  const begin = work.reduce((least, { ts }) => Math.min(least, ts), Infinity);
  const byName = new Map();
  for (const { ph, name, ts, dur } of traceEvents) {
    if (ph !== 'X' && ph !== 'i') continue;
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push({ start: ts - begin, duration: dur ?? 0, instant: ph === 'i' });
  }
  return byName;
}

async function assertTimeline(trace, words) {
  const frame = await view('Timeline', settledTimeline);
  const { tracks } = commandLine('timeline', trace);
  const names = await trackNames(frame);
  assert.equal(names.length, tracks.length);
  for (const track of tracks) assert.ok(names.includes(track.name), `row ${track.name}`);

  const panel = (name) =>
    frame
      .getByRole('radio', { name, exact: true })
      .or(frame.getByRole('button', { name, exact: true }))
      .first()
      .click();
  await panel('Table');
  const region = frame.getByRole('region', { name: 'Slices in the window' });
  await region.locator('tbody tr').first().waitFor();
  const rows = await region.evaluate((element) =>
    [...element.querySelectorAll('tbody tr')].map((row) =>
      [...row.children].map((cell, index) => {
        // Names are shown short, and say what the whole is.
        const whole = index === 0 ? cell.querySelector('[data-whole]')?.dataset.whole : undefined;
        return (whole ?? cell.textContent).trim();
      }),
    ),
  );
  const byName = recordedSlices(trace);
  let single = 0;
  for (const [link, row, start, duration] of rows) {
    if (/^\d+ slices?, longest /.test(link) || row === 'Steps') continue;
    // Those before and after everything else stand at the ends of the trace.
    const instant = /^(?:\d+ instants, the first )?(.*) instant$/.exec(link);
    if (instant !== null) {
      assert.ok(
        byName.get(instant[1])?.some((recorded) => recorded.instant),
        link,
      );
      continue;
    }
    const name = link.endsWith(` ${duration}`) ? link.slice(0, -duration.length - 1) : link;
    const [from, length] = [written(start), written(duration)];
    assert.ok(
      (byName.get(name) ?? []).some(
        (slice) =>
          // Doubles hold these stamps to some hundred nanoseconds.
          Math.abs(slice.start - from.value) <= from.within + 0.6 &&
          Math.abs(slice.duration - length.value) <= length.within,
      ),
      `no ${name} at ${start} for ${duration} in the file`,
    );
    single += 1;
  }
  assert.ok(single > 3, `${single} slices stand alone`);

  // A search counts what the tables count.
  await timelineCanvas(frame).focus();
  await workbench.page.keyboard.press('/');
  await frame.getByRole('textbox', { name: 'Find slices' }).fill(words);
  const expected = [...byName].filter(([name]) => name.includes(words));
  const total = expected.reduce((sum, [, slices]) => sum + slices.length, 0);
  assert.ok(total > 3);
  await waitUntil(`${total} slices with ${words}`, async () => {
    const text = await foundCount(frame).innerText();
    return text.replaceAll(',', '').startsWith(`${total} `);
  });
}

step('the sample opens', () => open(sample));
step('sample: Overview', () => assertOverview(traces.sample));
step('sample: Operators', () => assertOperators(traces.sample, 'hostSelfUs'));
step('sample: Memory', () => assertMemory(traces.sample));
step('sample: Modules', () => assertModules(traces.sample, 'hostTotalUs'));
step('sample: Stacks', () => assertStacks(traces.sample));
step('sample: Lines', () => assertLines(traces.sample, 'hostSelfUs'));
step('sample: Timeline', () => assertTimeline(traces.sample, 'convolution_backward'));

step('sample: Kernels says what is missing, Lightning is not offered', async () => {
  const { absences, rows } = commandLine('kernels', traces.sample);
  assert.equal(rows.length, 0);
  const frame = await showView(workbench, 'Kernels');
  await frame.getByText('No kernels').first().waitFor();
  await frame.getByText(absences[0].what).first().waitFor();
  assert.equal(await frame.getByRole('tab', { name: 'Lightning' }).count(), 0);
});

step('the trace of a device opens', () => open(device));
step('device: Overview', () => assertOverview(traces.device));
step('device: Operators', () => assertOperators(traces.device, 'deviceSelfUs'));

step('device: Kernels, tensor cores, copies', async () => {
  const frame = await view('Kernels', (page) => gridOf(page, 'Kernels'));
  const kernels = table('kernels', traces.device, '--sort=-totalUs');
  assert.ok((await assertCells(frame, 'Kernels', kernels)) > 30);
  await assertRing(frame, 'Kernel time', kernels.ring, kernels.totalUs);
  await assertRing(
    frame,
    'Tensor cores',
    [
      { name: 'Using tensor cores', us: kernels.tensorCoreUs },
      {
        name: 'Not using tensor cores',
        us: kernels.totalUs - kernels.tensorCoreUs - kernels.tensorCoreUnknownUs,
      },
      { name: 'Unknown', us: kernels.tensorCoreUnknownUs },
    ],
    kernels.totalUs,
  );
  await frame.getByRole('radio', { name: 'Memcpy / Memset' }).click();
  await assertCells(frame, 'Memcpy / Memset', table('copies', traces.device, '--sort=-totalUs'));
  await frame.getByRole('radio', { name: 'By operator and launch config' }).click();
  const byLaunch = table('kernels', traces.device, '--group-by', 'properties', '--sort=-totalUs');
  await waitUntil('rows by launch', async () => {
    const grid = gridOf(frame, 'Kernels');
    return (
      (await grid.count()) === 1 &&
      (await grid.getAttribute('aria-rowcount')) === String(byLaunch.rows.length + 1)
    );
  });
  await assertCells(frame, 'Kernels', byLaunch);
});

step('device: Memory', () => assertMemory(traces.device));
step('device: Modules', () => assertModules(traces.device, 'deviceTotalUs'));
step('device: Stacks', () => assertStacks(traces.device));
step('device: Lines', () => assertLines(traces.device, 'deviceSelfUs'));
step('device: Timeline', () => assertTimeline(traces.device, 'aten::'));

step('a trace of Lightning has its view', async () => {
  await open(hooks);
  const frame = await view('Lightning', (page) => gridOf(page, 'Lightning hooks'));
  const lightning = table('lightning', traces.hooks);
  const values = (name) =>
    cellsOf(gridOf(frame, name), 'hostTotalUs').evaluateAll((cells) =>
      cells.map((cell) => Number(cell.dataset.value)),
    );
  assert.deepEqual(
    await values('Lightning hooks'),
    flat(lightning.hooks).map(({ node }) => node.hostTotalUs),
  );
  await frame.getByRole('radio', { name: 'Modules' }).click();
  await gridOf(frame, 'Lightning modules').waitFor();
  assert.deepEqual(
    await values('Lightning modules'),
    flat(lightning.modules).map(({ node }) => node.hostTotalUs),
  );
});

step('no page reported an error', async () => {
  assert.deepEqual(workbench.pageErrors, []);
});
