// Tables of HTA's analyses against the events of the files themselves, counted here in another way:
// with floating-point numbers, in two passes, from the JSON text.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { corpus, emberline, emberlineJson, withoutCorpus } from '../lib/cli.mjs';
import { eventsOf, groupBy, isCall, isWork } from './events.mjs';

const skip = withoutCorpus;
const at = (name) => path.join(corpus ?? '', name);
const dlrm = 'param/et_replay/tests/inputs/extracted/dlrm_kineto';
const traces = [
  'hta/trace_diff/control/control.json.gz',
  'hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz',
  'hta/nccl_parser_config/nccl_data.json.gz',
  'hta/timeline_analysis/sampled_rank-0.json.gz',
  'hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz',
];

/** The traces of a file or folder. */
const filesOf = (name) =>
  fs.statSync(at(name)).isDirectory()
    ? fs.readdirSync(at(name)).map((file) => path.join(at(name), file))
    : [at(name)];

/** Names of kernels reach kilobytes; tables cut them. */
const nameOf = ({ name }) => name.slice(0, 1500);

/** Statistics as pandas describes a column; std is null for a single value. */
function describe(values) {
  const sum = values.reduce((total, value) => total + value, 0);
  const mean = sum / values.length;
  const squares = values.reduce((total, value) => total + (value - mean) ** 2, 0);
  return {
    count: values.length,
    sum,
    mean,
    std: values.length < 2 ? null : Math.sqrt(squares / (values.length - 1)),
    min: values.reduce((a, b) => Math.min(a, b)),
    max: values.reduce((a, b) => Math.max(a, b)),
  };
}

/** Times of the program in us against the same in ns. */
function near(us, ns, label) {
  if (ns === null) return assert.equal(us, null, label);
  assert.ok(Math.abs(us * 1000 - ns) <= 1e-9 * Math.abs(ns) + 1e-3, `${label}: ${us} us, ${ns} ns`);
}

function sameTimes(row, truth, label) {
  assert.equal(row.count, truth.count, label);
  near(row.sumUs, truth.sum, `${label} sum`);
  near(row.meanUs, truth.mean, `${label} mean`);
  near(row.stdUs, truth.std, `${label} std`);
  near(row.minUs, truth.min, `${label} min`);
  near(row.maxUs, truth.max, `${label} max`);
}

for (const name of [...traces, dlrm]) {
  test(`${name}: statistics of each kernel over all ranks, and by rank`, { skip }, async () => {
    const files = filesOf(name);
    const work = files.flatMap((file, rank) =>
      eventsOf(file)
        .filter(isWork)
        .map((event) => ({ ...event, rank })),
    );
    const truth = groupBy(work, nameOf);
    const { rows } = await emberlineJson('distributed', at(name), '--by', 'kernels');
    assert.deepEqual(rows.map(nameOf).sort(), [...truth.keys()].sort());
    for (const row of rows) {
      const lengths = truth.get(nameOf(row)).map((event) => event.length);
      sameTimes(row, describe(lengths), row.name);
    }
    const by = (rank, kernel) => `${rank} ${kernel}`;
    const apart = groupBy(work, (event) => by(event.rank, nameOf(event)));
    const ranks = await emberlineJson('distributed', at(name), '--by', 'kernelRanks');
    assert.ok(ranks.rows.length > 0);
    if (files.length > 1) assert.equal(new Set(ranks.rows.map((row) => row.rank)).size, 8);
    for (const row of ranks.rows) {
      const events = apart.get(by(files.length > 1 ? row.rank : 0, nameOf(row)));
      sameTimes(row, describe(events.map((event) => event.length)), `${row.rank} ${row.name}`);
      if (/^nccl/.test(row.name)) assert.equal(row.kernelType, 'communication');
      if (/^Memcpy/.test(row.name)) assert.equal(row.kernelType, 'memory');
    }
  });
}

/** Quartiles, between two values in proportion, as pandas has them. */
function quartiles(values) {
  const order = values.toSorted((a, b) => a - b);
  return [0.25, 0.5, 0.75].map((share) => {
    const position = share * (order.length - 1);
    const below = Math.floor(position);
    const above = Math.min(below + 1, order.length - 1);
    return order[below] + (order[above] - order[below]) * (position - below);
  });
}

/** Gaps of each stream by HTA's classes; gaps of no length, which HTA counts too, are none. */
function gapsOf(events) {
  const launches = new Map(
    events
      .filter(({ category }) => /^(cuda_runtime|cuda_driver|hip|runtime)/.test(category))
      .map((event) => [event.args?.correlation, event]),
  );
  const gaps = [];
  const streams = groupBy(events.filter(isWork), ({ args }) => `${args.device} ${args.stream}`);
  for (const [stream, works] of streams) {
    works.sort((a, b) => a.start - b.start);
    let end = works[0].start + works[0].length;
    for (const work of works.slice(1)) {
      const length = work.start - end;
      const launch = launches.get(work.args.correlation);
      const late = launch !== undefined && launch.start > end;
      const category = late ? 'hostWait' : length < 30_000 ? 'kernelWait' : 'other';
      if (length > 0) gaps.push({ key: `${stream} ${category}`, length });
      end = Math.max(end, work.start + work.length);
    }
  }
  return groupBy(gaps, (gap) => gap.key);
}

for (const name of traces) {
  test(`${name}: gaps of each stream, described by class`, { skip }, async () => {
    const truth = gapsOf(eventsOf(at(name)));
    const { rows } = await emberlineJson('idle', at(name));
    const key = (row) => `${row.device} ${row.stream} ${row.idleCategory}`;
    assert.deepEqual(rows.map(key).sort(), [...truth.keys()].sort());
    for (const row of rows) {
      const lengths = truth.get(key(row)).map((gap) => gap.length);
      const { count, sum, mean, std, min, max } = describe(lengths);
      const [p25, median, p75] = quartiles(lengths);
      assert.equal(row.count, count, key(row));
      near(row.idleTimeUs, sum, `${key(row)} sum`);
      near(row.meanUs, mean, `${key(row)} mean`);
      near(row.stdUs, std, `${key(row)} std`);
      near(row.shortestUs, min, `${key(row)} shortest`);
      near(row.longestUs, max, `${key(row)} longest`);
      // Kept in whole nanoseconds.
      for (const [us, ns] of [
        [row.p25Us, p25],
        [row.medianUs, median],
        [row.p75Us, p75],
      ]) {
        assert.ok(Math.abs(us * 1000 - ns) <= 0.501, `${key(row)}: ${us} us, ${ns} ns`);
      }
    }
  });
}

/** Launches with one piece of work each: [call, work]. */
function launchesOf(events) {
  const calls = new Map(events.filter(isCall).map((event) => [event.args?.correlation, event]));
  const works = groupBy(events.filter(isWork), (event) => event.args?.correlation);
  return [...works]
    .filter(([correlation, list]) => calls.has(correlation) && list.length === 1)
    .map(([correlation, [work]]) => ({ correlation, call: calls.get(correlation), work }))
    .filter(({ call }) => !/GraphLaunch/.test(call.name));
}

for (const name of traces) {
  test(`${name}: each launch by its correlation`, { skip }, async () => {
    const truth = new Map(launchesOf(eventsOf(at(name))).map((one) => [one.correlation, one]));
    const { rows } = await emberlineJson('launches', at(name), '--by', 'launchRows');
    assert.deepEqual(
      rows.map((row) => row.correlation).sort((a, b) => a - b),
      [...truth.keys()].sort((a, b) => a - b),
    );
    for (const row of rows) {
      const { call, work } = truth.get(row.correlation);
      const delay = Math.max(0, work.start - call.start - call.length);
      const label = `correlation ${row.correlation}`;
      near(row.cpuDurationUs, call.length, label);
      near(row.gpuDurationUs, work.length, label);
      near(row.launchDelayUs, delay, label);
      assert.deepEqual(
        [row.call, row.name, row.workCount, row.device, row.stream],
        [call.name, work.name, 1, work.args.device, work.args.stream],
        label,
      );
      const short = work.length < call.length && call.length <= 50_000;
      assert.deepEqual(
        [row.shortKernel, row.runtimeOutlier, row.launchDelayOutlier],
        [short, call.length > 50_000, delay > 100_000],
        label,
      );
      assert.ok(row.avoidableDelayUs >= 0 && row.avoidableDelayUs <= row.launchDelayUs, label);
    }
    const starts = rows.map((row) => row.startUs);
    assert.deepEqual(
      starts,
      starts.toSorted((a, b) => a - b),
      'in the order of the calls',
    );
  });
}

test('launches by page, by kind and by rank', { skip }, async () => {
  const control = at(traces[0]);
  // HTA's numbers.
  for (const [kind, count] of [
    ['shortKernel', 3674],
    ['runtimeOutlier', 30],
    ['launchDelayOutlier', 6098],
  ]) {
    const options = ['--by', 'launchRows', '--filter', `${kind}:true`, '--limit', '2'];
    const page = await emberlineJson('launches', control, ...options);
    assert.equal(page.totalRows, count, kind);
    assert.equal(page.rows.length, 2);
  }
  const longest = await emberlineJson(
    ...['launches', control, '--by', 'launchRows', '--sort', '-launchDelayUs', '--limit', '1'],
  );
  const [sums] = (await emberlineJson('launches', control)).rows;
  assert.equal(longest.rows[0].launchDelayUs, sums.launchDelayMaxUs);
  for (const rank of [0, 5]) {
    const options = ['--by', 'launchRows', '--rank', String(rank)];
    const { rows } = await emberlineJson('launches', at(dlrm), ...options);
    const ofRanks = (await emberlineJson('launches', at(dlrm))).rows;
    const own = ofRanks.find((row) => row.rank === rank);
    assert.equal(rows.filter((row) => row.shortKernel !== null).length, own.launches);
    assert.ok(rows.every((row) => row.rank === rank));
  }
  const absent = await emberline(['launches', at(dlrm), '--by', 'launchRows', '--rank', '9']);
  assert.notEqual(absent.status, 0);
  assert.match(absent.stderr, /The job has no trace of rank 9\..*Ranks: 0-7\./s);
});

/** Ranges that recorders before 1.10 wrote as operators. */
const isRange = (name) => /^(ProfilerStep|enumerate\(DataLoader\)|Optimizer\.)/.test(name);

/** The innermost operator around each launching call, by a sweep over each thread. */
function callers(events) {
  const found = new Map();
  const threads = groupBy(
    events.filter((e) => isCall(e) || (e.category === 'cpu_op' && !isRange(e.name))),
    (event) => `${event.pid} ${event.tid}`,
  );
  for (const [, list] of threads) {
    // Of equal starts, the longer is outside.
    list.sort((a, b) => a.start - b.start || b.length - a.length);
    const open = [];
    for (const event of list) {
      while (open.length > 0 && open.at(-1).start + open.at(-1).length <= event.start) open.pop();
      if (isCall(event)) found.set(event, open.at(-1));
      else open.push(event);
    }
  }
  return found;
}

/** What each operator launched itself, by its name and the names of the work. */
function workOfOperators(events) {
  const operators = callers(events);
  const calls = new Map(events.filter(isCall).map((event) => [event.args?.correlation, event]));
  const launched = new Map();
  for (const work of events.filter(isWork)) {
    const call = calls.get(work.args?.correlation);
    const operator = call && operators.get(call);
    if (operator === undefined) continue;
    if (!launched.has(operator)) launched.set(operator, []);
    launched.get(operator).push({ call, work });
  }
  const rows = [];
  for (const [operator, list] of launched) {
    list.sort((a, b) => a.call.start - b.call.start || a.work.start - b.work.start);
    const [{ call, work }] = list;
    rows.push({
      key: `${operator.name}: ${list.map((one) => one.work.name).join('|')}`,
      kernels: list.length,
      time: list.reduce((total, one) => total + one.work.length, 0),
      toCall: call.start - operator.start,
      toStart: Math.max(0, work.start - call.start),
    });
  }
  return groupBy(rows, (row) => row.key);
}

const alexnet = 'hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz';

for (const name of [alexnet, ...traces]) {
  test(`${name}: what each operator launched, and how soon`, { skip }, async () => {
    const truth = workOfOperators(eventsOf(at(name)));
    const { rows } = await emberlineJson('launches', at(name), '--by', 'operatorKernels');
    assert.equal(rows.length, Math.min(100, truth.size));
    // Names that are too long for a cell, and more than 64 of them, are cut.
    const whole = rows.filter((row) => row.kernels <= 64 && !row.pattern.includes('…'));
    assert.ok(whole.length > rows.length / 2);
    for (const row of whole) {
      const key = `${row.operator}: ${row.pattern}`;
      const calls = truth.get(key);
      assert.ok(calls !== undefined, key);
      const sum = (part) => calls.reduce((total, call) => total + call[part], 0);
      const max = (part) => calls.reduce((most, call) => Math.max(most, call[part]), 0);
      assert.deepEqual([row.count, row.kernels], [calls.length, calls[0].kernels], key);
      near(row.gpuKernelDurationUs, sum('time'), key);
      near(row.meanOpLaunchDelayUs, sum('toCall') / calls.length, key);
      near(row.maxOpLaunchDelayUs, max('toCall'), key);
      near(row.meanRuntimeDelayUs, sum('toStart') / calls.length, key);
      near(row.maxRuntimeDelayUs, max('toStart'), key);
    }
  });
}

test('what operators launched, as HTA has it', { skip }, async () => {
  const { rows } = await emberlineJson('launches', at(alexnet), '--by', 'operatorKernels');
  const of = (operator) => {
    const [row, ...others] = rows.filter((one) => one.operator === operator && one.count >= 10);
    assert.deepEqual(others, []);
    const rounded = (us) => Math.round(us * 1000) / 1000;
    return [row.count, rounded(row.meanOpLaunchDelayUs), rounded(row.meanRuntimeDelayUs)];
  };
  assert.deepEqual(of('aten::clamp_min_'), [14, 9.357, 705.643]);
  assert.deepEqual(of('aten::add_'), [10, 18.3, 609]);
  // Its stamps have decimals, which HTA rounds.
  const mtia = at('hta/mtia_trace_single_rank/mtia_rank_0.json.gz');
  const [most] = (
    await emberlineJson('launches', mtia, '--by', 'operatorKernels', '--sort', '-count')
  ).rows;
  assert.deepEqual(
    [most.operator, most.pattern, most.count],
    ['aten::mul', 'customized_fba_mul_const-dtype_Float', 822],
  );
  assert.ok(Math.abs(most.meanOpLaunchDelayUs - 1092.5) < 2);
  assert.ok(Math.abs(most.meanRuntimeDelayUs - 293.1) < 2);
});

/** Calls of an operator by the works of `isRow` that they launched, in order of their starts. */
function sequencesOf(events, operator, isRow) {
  const calls = new Map(events.filter(isCall).map((event) => [event.args?.correlation, event]));
  const rows = events.filter(isRow).toSorted((a, b) => a.start - b.start);
  const within = (event, outer) =>
    event.tid === outer.tid &&
    event.start >= outer.start &&
    event.start + event.length <= outer.start + outer.length;
  const found = events
    .filter((event) => event.category === 'cpu_op' && event.name === operator)
    .map((outer) => {
      const launched = rows.filter(({ args }) => {
        const call = calls.get(args?.correlation);
        return call !== undefined && within(call, outer);
      });
      const time = launched.reduce((sum, event) => sum + event.length, 0);
      return { pattern: launched.map(({ name }) => name).join('|'), time, host: outer.length };
    });
  return [...groupBy(found, ({ pattern }) => pattern)].map(([pattern, list]) => ({
    pattern,
    count: list.length,
    timeUs: list.reduce((sum, one) => sum + one.time, 0) / 1000,
    hostUs: list.reduce((sum, one) => sum + one.host, 0) / 1000,
  }));
}

test('sequences of kernels, as HTA has them, but for its waits of streams', { skip }, async () => {
  const events = eventsOf(at(alexnet));
  const times = (list) =>
    list.map((one) => [one.count, one.timeUs]).toSorted((a, b) => b[0] - a[0] || b[1] - a[1]);
  // HTA takes a stream's wait for another for a kernel. Two calls that launched the same kernels
  // are two patterns with it, for their waits began in different places between the kernels, and
  // the waits count as kernel time.
  const isHtaRow = (event) => isWork(event) || event.name === 'Stream Wait Event';
  assert.deepEqual(times(sequencesOf(events, 'aten::conv2d', isHtaRow)), [
    [6, 2403],
    [1, 1230],
    [1, 1225],
    [1, 750],
    [1, 735],
  ]);
  const truth = sequencesOf(events, 'aten::conv2d', isWork);
  assert.deepEqual(times(truth), [
    [6, 2403],
    [2, 1475],
    [1, 1230],
    [1, 1225],
  ]);
  const { rows } = await emberlineJson(
    'sequences',
    at(alexnet),
    '--param',
    'operator=aten::conv2d',
  );
  const byPattern = (a, b) => (a.pattern < b.pattern ? -1 : 1);
  assert.deepEqual(
    rows
      .map((row) => ({
        pattern: row.pattern,
        count: row.count,
        timeUs: row.gpuKernelDurationUs,
        hostUs: row.cpuOpDurationUs,
      }))
      .toSorted(byPattern),
    truth.toSorted(byPattern),
  );
});

const annotated = [
  traces[1],
  traces[2],
  traces[4],
  'hta/trace_filter/sampled_rank-1.json.gz',
  'tracelens/mi300/ddp_resnet18_no_pool/train_resnet18.json.gz',
];

for (const name of annotated) {
  test(`${name}: named ranges on the host and on the device`, { skip }, async () => {
    const events = eventsOf(at(name));
    const { rows } = await emberlineJson('distributed', at(name), '--by', 'annotations');
    for (const [where, category] of [
      ['host', 'user_annotation'],
      ['device', 'gpu_user_annotation'],
    ]) {
      const ranges = events.filter((event) => event.category === category);
      const truth = groupBy(ranges, (event) => event.name);
      const own = rows.filter((row) => row.where === where);
      assert.deepEqual(own.map((row) => row.name).sort(), [...truth.keys()].sort());
      for (const row of own) {
        const lengths = truth.get(row.name).map((event) => event.length);
        sameTimes(row, describe(lengths), `${where} ${row.name}`);
      }
      if (where === 'host') continue;
      // Each work is that of the shortest range that runs on its stream when it begins.
      const found = new Map(own.map((row) => [row.name, { works: 0, time: 0 }]));
      const lane = ({ pid, tid }) => `${pid} ${tid}`;
      const lanes = groupBy(ranges, lane);
      for (const work of events.filter(isWork)) {
        const around = (lanes.get(lane(work)) ?? []).filter(
          (range) => range.start <= work.start && work.start < range.start + range.length,
        );
        if (around.length === 0) continue;
        const shortest = around.reduce((a, b) => (b.length < a.length ? b : a));
        const sums = found.get(shortest.name);
        sums.works += 1;
        sums.time += work.length;
      }
      for (const row of own) {
        assert.equal(row.workCount, found.get(row.name).works, row.name);
        near(row.workUs, found.get(row.name).time, row.name);
      }
    }
  });
}

test("named ranges of HTA's own trace", { skip }, async () => {
  const { rows } = await emberlineJson('distributed', at(traces[1]), '--by', 'annotations');
  const device = rows.filter((row) => row.where === 'device').map((row) => row.name);
  assert.deepEqual(device.sort(), [
    '## backward ##',
    'DistributedDataParallel.forward',
    'Optimizer.step#SGD.step',
  ]);
  assert.equal(rows.filter((row) => row.where === 'host').length, 12 + 1, 'and the last step');
});
