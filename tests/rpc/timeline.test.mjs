// The timeline's engine through the protocol: nothing is missing, at any zoom.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dialects as dialectNames, traceText } from '../generator/generate.mjs';
import { goldenTrace } from '../lib/golden_traces.mjs';
import { samples, startDaemon, within } from './daemon.mjs';

let daemon;
let folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-timeline-'));
  daemon = startDaemon();
  await daemon.initialize();
});
after(async () => {
  await daemon.stop();
  rmSync(folder, { recursive: true, force: true });
});

let written = 0;
/** Opens a drawn trace; `events` are trace events with times in us. */
async function open(events, rest = {}) {
  const path = join(folder, `drawn${written++}.pt.trace.json`);
  writeFileSync(path, JSON.stringify({ schemaVersion: 1, ...rest, traceEvents: events }));
  const { profileId } = await daemon.request('profile/open', { path });
  return profileId;
}

const host = (name, ts, dur, more = {}) => ({
  ph: 'X',
  cat: 'cpu_op',
  name,
  pid: 1,
  tid: 1,
  ts,
  dur,
  ...more,
});
const launch = (correlation, ts, dur = 2, more = {}) =>
  host('cudaLaunchKernel', ts, dur, { cat: 'cuda_runtime', args: { correlation }, ...more });
const kernel = (name, correlation, ts, dur, stream = 7) => ({
  ph: 'X',
  cat: 'kernel',
  name,
  pid: 0,
  tid: stream,
  ts,
  dur,
  args: { correlation, device: 0, stream },
});

async function tracksOf(profileId) {
  const all = await daemon.request('timeline/tracks', { profileId });
  return { ...all, holding: all.tracks.filter((t) => t.kind !== 'steps' && t.slices > 0) };
}

async function windowOf(profileId, startNs, endNs, tracks, pixels = 1000) {
  return daemon.request('timeline/window', { profileId, startNs, endNs, pixels, tracks });
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

for (const [name, path] of Object.entries(samples)) {
  test(`${name}: every slice is drawn over the full range`, async () => {
    const { profileId } = await daemon.request('profile/open', { path });
    const { slices } = await daemon.request('profile/load', { profileId });
    const { startNs, endNs, holding, totalSlices } = await tracksOf(profileId);
    assert.equal(totalSlices, slices);
    assert.equal(sum(holding.map((t) => t.slices)), slices);
    for (const pixels of [10, 1000]) {
      let drawn = 0;
      for (const { id, slices: expected } of holding) {
        const { rows } = await windowOf(profileId, startNs, endNs, [id], pixels);
        assert.equal(sum(rows[0].count), expected);
        assert.equal(rows[0].totalSlices, expected);
        drawn += expected;
      }
      assert.equal(drawn, slices);
    }
  });

  test(`${name}: zooming in reaches single slices`, async () => {
    const { profileId } = await daemon.request('profile/open', { path });
    const { startNs, endNs, holding } = await tracksOf(profileId);
    const row = holding.reduce((a, b) => (a.slices > b.slices ? a : b));
    let window = [startNs, endNs];
    for (let depth = 0; ; ++depth) {
      assert.ok(depth < 64, 'zooming ends');
      const { rows } = await windowOf(profileId, ...window, [row.id], 200);
      const [boxes] = rows;
      assert.equal(sum(boxes.count), boxes.totalSlices);
      for (let i = 0; i < boxes.start.length; ++i) {
        assert.equal(boxes.slice[i] >= 0, boxes.count[i] === 1, 'a box of one slice names it');
      }
      const at = boxes.count.findIndex((count) => count > 1);
      if (at < 0) break;
      // Into the first box that stands for several, until every box is one slice.
      const length = Math.max(1, boxes.length[at]);
      assert.ok(length < window[1] - window[0] || window[1] - window[0] <= 200);
      if (window[1] - window[0] <= 200) break;
      window = [boxes.start[at], boxes.start[at] + Math.max(length, 200)];
    }
  });
}

test('a merged box has the name of its longest slice, and boxes do not overlap in a lane', async () => {
  const events = [];
  for (let i = 0; i < 5000; ++i)
    events.push(host(i % 50 === 25 ? 'long' : 'short', i * 10, i % 50 === 25 ? 9 : 2));
  const profileId = await open(events);
  const { rows, names } = await windowOf(profileId, 0, 50_000_000, [0], 20);
  const [boxes] = rows;
  assert.equal(sum(boxes.count), 5000);
  assert.ok(boxes.start.length <= 41, `${boxes.start.length} boxes on 20 pixels`);
  boxes.count.forEach((count, i) => {
    if (count >= 50) assert.equal(names[boxes.name[i]], 'long');
  });
  assert.ok(boxes.count.some((count) => count >= 50));
  for (let i = 1; i < boxes.start.length; ++i) {
    assert.ok(boxes.start[i] >= boxes.start[i - 1] + boxes.length[i - 1]);
  }
});

test('overlapping slices of a stream get sub-lanes, nested ones of a thread get depths', async () => {
  const profileId = await open([
    host('outer', 0, 100),
    host('middle', 10, 50),
    host('inner', 20, 10),
    host('after', 70, 20),
    kernel('a', 1, 0, 50),
    kernel('b', 2, 25, 50),
    kernel('c', 3, 40, 50),
    kernel('d', 4, 92, 10),
  ]);
  const { holding } = await tracksOf(profileId);
  const picture = {};
  for (const { id, kind, lanes } of holding) {
    const { rows, names } = await windowOf(profileId, 0, 100_000, [id]);
    const [boxes] = rows;
    const text = Array.from({ length: lanes }, () => []);
    boxes.lane.forEach((lane, i) => text[lane].push(names[boxes.name[i]]));
    picture[kind] = text.map((lane) => lane.join(' '));
  }
  assert.deepEqual(picture.thread, ['outer', 'middle after', 'inner']);
  assert.deepEqual(picture.stream, ['a d', 'b', 'c']);
});

test('counters of one name and several ids are rows of their own', async () => {
  const queue = (id, ts, length) => {
    return { ph: 'C', name: 'Queue', pid: 0, tid: 0, id, ts, args: { Queue: length } };
  };
  const profileId = await open([
    host('op', 0, 100),
    ...[queue(7, 10, 1), queue(20, 11, 5), queue(7, 20, 2), queue(20, 21, 0)],
  ]);
  const { tracks } = await daemon.request('timeline/tracks', { profileId });
  const counters = tracks.filter(({ kind }) => kind === 'counter');
  assert.deepEqual(
    counters.map(({ name, maxValue }) => [name, maxValue]),
    [
      ['Queue [7]', 2],
      ['Queue [20]', 5],
    ],
  );
  const ids = counters.map(({ id }) => id);
  const { series } = await windowOf(profileId, 0, 100_000, ids, 100);
  assert.deepEqual(
    series.map(({ ns, value }) => [ns, value]),
    [
      [
        [0, 10_000, 20_000],
        [0, 1, 2],
      ],
      [
        [0, 11_000, 21_000],
        [0, 5, 0],
      ],
    ],
  );
});

test('rows: steps, streams by load, derived rows, launching threads, the rest folded', async () => {
  const profileId = await open([
    host('ProfilerStep#3', 0, 100, { cat: 'user_annotation' }),
    launch(1, 10),
    launch(2, 20),
    host('idle', 5, 10, { tid: 99 }),
    kernel('small', 1, 30, 5, 7),
    kernel('large', 2, 40, 50, 8),
    { ph: 'C', name: 'free', pid: 1, ts: 10, args: { blocks: 5 } },
    { ph: 'C', name: 'free', pid: 1, ts: 20, args: { blocks: 3 } },
    { ph: 'i', name: 'mark', pid: 1, tid: 1, ts: 15, s: 't', args: { why: 'test' } },
  ]);
  const { tracks, steps } = await daemon.request('timeline/tracks', { profileId });
  assert.equal(tracks[0].kind, 'steps');
  assert.deepEqual(
    steps.map((s) => [s.name, s.startNs, s.endNs]),
    [['3', 0, 100_000]],
  );
  const streams = tracks.filter((t) => t.kind === 'stream').map((t) => t.name);
  assert.deepEqual(streams, ['Stream 8', 'Stream 7']);
  const threads = tracks.filter((t) => t.kind === 'thread');
  assert.deepEqual(
    threads.map((t) => t.folded),
    [false, true],
  );
  assert.equal(threads[0].instants, 1);
  const order = tracks.map((t) => t.kind);
  assert.ok(order.indexOf('stream') < order.indexOf('thread'));
  const named = Object.fromEntries(tracks.map((t) => [t.name, t]));
  assert.equal(named['free: blocks'].kind, 'counter');
  assert.equal(named['free: blocks'].maxValue, 5);

  const window = await windowOf(
    profileId,
    0,
    100_000,
    tracks.map((t) => t.id),
    100,
  );
  const series = (name) => window.series.find((s) => s.track === named[name].id);
  const counter = series('free: blocks');
  assert.deepEqual(
    [counter.ns, counter.value],
    [
      [0, 10_000, 20_000],
      [0, 5, 3],
    ],
  );
  const busy = series('Utilization');
  assert.deepEqual(
    [busy.ns, busy.value],
    [
      [0, 30_000, 35_000, 40_000, 90_000],
      [0, 1, 0, 1, 0],
    ],
  );
  const queue = series('Queue depth, stream 8');
  assert.deepEqual(
    [queue.ns, queue.value],
    [
      [0, 20_000, 40_000],
      [0, 1, 0],
    ],
  );
  const { instants } = window.rows.find((r) => r.track === threads[0].id);
  assert.equal(instants.length, 1);
  const mark = await daemon.request('timeline/instant', { profileId, index: instants[0].index });
  assert.deepEqual(
    [mark.name, mark.ns, mark.args],
    ['mark', 15_000, [{ key: 'why', value: 'test' }]],
  );
});

test('a device is called what its recorder calls it', async () => {
  const label = (pid, labels) => ({
    ph: 'M',
    name: 'process_labels',
    pid,
    tid: 0,
    ts: 0,
    args: { labels },
  });
  const on = (pid) => ({ ...kernel('work', pid, 10, 5), pid, args: { device: pid, stream: 7 } });
  const profileId = await open([
    host('aten::a', 0, 10),
    label(9, 'MTIA 9'),
    on(9),
    label(4, 'something else'),
    on(4),
  ]);
  const { tracks } = await tracksOf(profileId);
  const groups = tracks.filter((track) => track.kind === 'stream').map((track) => track.group);
  assert.deepEqual(groups, ['GPU 4', 'MTIA 9']);
});

test('a utilization that is zoomed out is the mean of each pixel', async () => {
  const events = [];
  for (let i = 0; i < 10_000; ++i) events.push(kernel('k', i, i * 10, i < 5000 ? 2 : 6));
  const profileId = await open(events);
  const { tracks } = await daemon.request('timeline/tracks', { profileId });
  const { id } = tracks.find((t) => t.name === 'Utilization');
  const { series } = await windowOf(profileId, 0, 100_000_000, [id], 10);
  const at = (ns) => series[0].value[series[0].ns.findLastIndex((t) => t <= ns)];
  assert.ok(Math.abs(at(25_000_000) - 0.2) < 1e-9);
  assert.ok(Math.abs(at(75_000_000) - 0.6) < 1e-9);
  const { device } = await daemon.request('timeline/density', { profileId, buckets: 10 });
  assert.equal(device.length, 10);
  assert.ok(Math.abs(device[2] - 0.2) < 0.001 && Math.abs(device[7] - 0.6) < 0.001);
});

test('utilization is that of the overview: kernels alone; copies make a device busy', async () => {
  const profileId = await open([
    host('ProfilerStep#1', 0, 100, { cat: 'user_annotation' }),
    launch(1, 5),
    launch(2, 10),
    kernel('k', 1, 20, 30, 7),
    { ...kernel('Memcpy DtoD (Device -> Device)', 2, 60, 20, 7), cat: 'gpu_memcpy' },
  ]);
  const { gpus } = await daemon.request('view/overview', { profileId });
  const { tracks } = await daemon.request('timeline/tracks', { profileId });
  const mean = async (name) => {
    const { id } = tracks.find((track) => track.name === name);
    const { series } = await windowOf(profileId, 0, 100_000, [id], 100);
    const { ns, value } = series[0];
    return value.reduce((area, v, i) => area + v * ((ns[i + 1] ?? 100_000) - ns[i]), 0) / 100_000;
  };
  assert.ok(Math.abs((await mean('Utilization')) - gpus[0].utilization) < 1e-9);
  assert.equal(gpus[0].utilization, 0.3);
  assert.ok(Math.abs((await mean('Busy')) - 0.5) < 1e-9);
});

test('everything about a slice, and the way from kernel to operator and back', async () => {
  const profileId = await open([
    host('ProfilerStep#0', 0, 200, { cat: 'user_annotation' }),
    host('model.py(10): forward', 1, 150, { cat: 'python_function', args: { 'Python id': 1 } }),
    host('nn.Module: Linear_0', 2, 140, {
      cat: 'python_function',
      args: { 'Python id': 2, 'Python parent id': 1 },
    }),
    host('aten::linear', 5, 100, {
      args: { 'Input Dims': [[2, 3]], odd: null, 'Sequence number': 4 },
    }),
    launch(9, 20, 10),
    kernel('gemm', 9, 60, 30),
  ]);
  const found = await daemon.request('timeline/search', { profileId, name: 'gemm' });
  assert.equal(found.total, 1);
  const gemm = await daemon.request('timeline/slice', { profileId, slice: found.results[0].slice });
  assert.equal(gemm.kind, 'kernel');
  assert.equal(gemm.startNs, 60_000);
  assert.equal(gemm.durationNs, 30_000);
  assert.equal(gemm.launch.name, 'cudaLaunchKernel');
  assert.equal(gemm.queueDelayNs, 30_000);
  assert.equal(gemm.op.name, 'aten::linear');
  assert.equal(gemm.module.name, 'nn.Module: Linear_0');
  assert.equal(gemm.step, '0');
  assert.deepEqual(
    gemm.args.map((a) => a.key),
    ['correlation', 'device', 'stream'],
  );
  assert.deepEqual(
    gemm.stack.map((f) => [f.file, f.line, f.function]),
    [['model.py', 10, 'forward']],
  );

  const linear = await daemon.request('timeline/slice', { profileId, slice: gemm.op.slice });
  assert.deepEqual(linear.args, [
    { key: 'Input Dims', value: '[[2,3]]' },
    { key: 'odd', value: 'null' },
    { key: 'Sequence number', value: '4' },
  ]);
  assert.equal(linear.launchedTotal, 1);
  assert.deepEqual(
    linear.launched.map((s) => s.name),
    ['gemm'],
  );
  assert.equal(linear.selfNs, 90_000);
  assert.equal(linear.children, 1);
  assert.equal(linear.eventIndex, 3);

  const { arrows, total } = await daemon.request('timeline/flows', {
    profileId,
    slice: linear.slice,
  });
  assert.equal(total, 1);
  assert.deepEqual(
    [arrows[0].from.name, arrows[0].to.name, arrows[0].kind],
    ['cudaLaunchKernel', 'gemm', 'launch'],
  );
});

test('forward and backward partners', async () => {
  const profileId = await open([
    host('aten::mul', 0, 10, { args: { 'Sequence number': 5, 'Fwd thread id': 0 } }),
    host('MulBackward0', 50, 20, { tid: 2, args: { 'Sequence number': 5, 'Fwd thread id': 1 } }),
    { ph: 's', cat: 'fwdbwd', name: 'fwdbwd', id: 5, pid: 1, tid: 1, ts: 0 },
    { ph: 'f', bp: 'e', cat: 'fwdbwd', name: 'fwdbwd', id: 5, pid: 1, tid: 2, ts: 50 },
  ]);
  const { results } = await daemon.request('timeline/search', { profileId, text: 'mul' });
  assert.deepEqual(
    results.map((r) => r.name),
    ['aten::mul', 'MulBackward0'],
  );
  const [forward, backward] = await Promise.all(
    results.map(({ slice }) => daemon.request('timeline/slice', { profileId, slice })),
  );
  assert.equal(backward.forward.slice, forward.slice);
  assert.deepEqual(
    forward.backward.map((s) => s.slice),
    [backward.slice],
  );
  const { arrows, total } = await daemon.request('timeline/flows', {
    profileId,
    startNs: 0,
    endNs: 100_000,
  });
  assert.equal(total, 1);
  assert.equal(arrows[0].kind, 'forwardBackward');
});

test('the keyboard reaches every slice', async () => {
  const { profileId } = await daemon.request('profile/open', { path: samples.inference });
  const { holding } = await tracksOf(profileId);
  const row = holding
    .filter((t) => t.kind === 'thread')
    .reduce((a, b) => (a.slices > b.slices ? a : b));
  const step = (slice, direction) =>
    daemon.request('timeline/neighbor', { profileId, slice, direction }).then((r) => r.slice);
  const { rows } = await windowOf(profileId, 0, 1_000_000_000_000, [row.id], 1);
  assert.equal(rows[0].totalSlices, row.slices);
  const first = await daemon.request('timeline/search', { profileId, limit: 1 });
  // Down to a leaf, then along its lane, then up to the top.
  let at = first.results[0];
  for (let inner = await step(at.slice, 'in'); inner; inner = await step(inner.slice, 'in')) {
    assert.ok(
      inner.startNs >= at.startNs && inner.startNs + inner.durationNs <= at.startNs + at.durationNs,
    );
    assert.equal((await step(inner.slice, 'out')).slice, at.slice);
    at = inner;
  }
  const next = await step(at.slice, 'next');
  if (next) {
    assert.ok(next.startNs >= at.startNs + at.durationNs);
    assert.equal((await step(next.slice, 'previous')).slice, at.slice);
  }
});

test('search: text, expression, kind, module, pages and counts per row', async () => {
  const { profileId } = await daemon.request('profile/open', { path: samples.transformer });
  const search = (params) => daemon.request('timeline/search', { profileId, ...params });
  const all = await search({});
  const { totalSlices } = await tracksOf(profileId);
  assert.equal(all.total, totalSlices);
  const text = await search({ text: 'ADDMM', limit: 500 });
  assert.ok(text.total > 0 && text.results.every((r) => /addmm/i.test(r.name)));
  assert.equal(sum(text.byTrack.map((t) => t.count)), text.total);
  const starts = text.results.map((r) => r.startNs);
  assert.deepEqual(
    starts,
    [...starts].sort((a, b) => a - b),
  );
  const regex = await search({ text: '^aten::(addmm|mm)$', regex: true, limit: 500 });
  const addmm = await search({ name: 'aten::addmm' });
  const mm = await search({ name: 'aten::mm' });
  assert.equal(regex.total, addmm.total + mm.total);
  const page = await search({ text: '^aten::(addmm|mm)$', regex: true, offset: 3, limit: 4 });
  assert.deepEqual(page.results, regex.results.slice(3, 7));
  const python = await search({ text: 'aten::', kind: 'pythonFunction' });
  assert.equal(python.total, 0);
  const inside = await search({ module: 'LayerNorm', kind: 'cpuOp', limit: 500 });
  assert.ok(inside.total > 0 && inside.total < all.total);
  assert.ok(inside.results.some((r) => r.name === 'aten::layer_norm'));
  for (const wrong of [{ text: '(', regex: true }, { kind: 'nonsense' }]) {
    const { message } = await daemon.exchange('timeline/search', { profileId, ...wrong });
    assert.equal(message.error.code, -32602);
  }
});

test('expressions that explode elsewhere are answered', async () => {
  const names = Array.from({ length: 500 }, (_, i) => `${'a'.repeat(3000)}${i}!`);
  const profileId = await open(names.map((name, i) => host(name, 20 * i, 10)));
  for (const text of ['(a+)+$', '(a|aa)+$', '(.*a){20}$', '(x+x+)+y|(a*)*b', '(?:a?){25}a{25}b']) {
    const { total } = await daemon.request('timeline/search', { profileId, text, regex: true });
    assert.equal(total, 0, text);
  }
});

test('an expression that repeats without measure is refused, and the daemon lives on', async () => {
  const profileId = await open([host('a'.repeat(3000) + '!', 0, 10)]);
  for (const text of ['((a?){100}){100}', '(((a{0,99}){1,99}){99})b']) {
    const { message } = await daemon.exchange('timeline/search', { profileId, text, regex: true });
    assert.equal(message.error?.code, -32602, text);
  }
  // A wrong one says where it is wrong.
  const { message } = await daemon.exchange('timeline/search', {
    profileId,
    text: 'conv(2d',
    regex: true,
  });
  assert.match(message.error.message, /not closed: `\(2d` at character 5/);
  for (const text of ['(?:a?){20}a{9}', `${'('.repeat(200)}a${')'.repeat(200)}`, '\\{|a']) {
    const { total } = await daemon.request('timeline/search', { profileId, text, regex: true });
    assert.equal(total, 1, text);
  }
});

test('slices of a line', async () => {
  const profileId = await open([
    host('/w/train.py(7): step', 0, 100, { cat: 'python_function', args: { 'Python id': 1 } }),
    host('aten::add', 10, 10),
    host('aten::mul', 200, 10),
  ]);
  const at = (line) =>
    daemon.request('timeline/search', {
      profileId,
      kind: 'cpuOp',
      line: { file: '/w/train.py', line },
    });
  assert.deepEqual(
    (await at(7)).results.map((r) => r.name),
    ['aten::add'],
  );
  assert.equal((await at(8)).total, 0);
  assert.equal((await at(0)).total, 1);
});

test('sums of a range are clipped to it, and unions count once', async () => {
  const profileId = await open([
    host('outer', 0, 100),
    host('inner', 20, 40),
    kernel('a', 1, 0, 60, 7),
    kernel('b', 2, 30, 60, 8),
  ]);
  const { kinds, names, totalSlices } = await daemon.request('timeline/range', {
    profileId,
    startNs: 40_000,
    endNs: 80_000,
  });
  assert.equal(totalSlices, 4);
  const of = (kind) => kinds.find((k) => k.kind === kind);
  assert.deepEqual(of('cpuOp'), { kind: 'cpuOp', slices: 2, sumNs: 60_000, unionNs: 40_000 });
  assert.deepEqual(of('kernel'), { kind: 'kernel', slices: 2, sumNs: 60_000, unionNs: 40_000 });
  assert.deepEqual(names.map((n) => [n.name, n.sumNs]).sort(), [
    ['a', 20_000],
    ['b', 40_000],
    ['inner', 20_000],
    ['outer', 40_000],
  ]);
  const { message } = await daemon.exchange('timeline/range', { profileId, startNs: 5, endNs: 5 });
  assert.equal(message.error.code, -32602);
});

test('each idle gap says what the device waited for', async () => {
  const profileId = await open([
    host('ProfilerStep#0', 0, 10_000, { cat: 'user_annotation' }),
    launch(1, 90),
    kernel('first', 1, 100, 100),
    // 200..1000: the data loader.
    host('enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__', 210, 700, {
      cat: 'user_annotation',
    }),
    host('aten::a', 960, 20),
    launch(2, 970),
    kernel('second', 2, 1000, 100),
    // 1100..2000: a long operator before the launch.
    host('aten::slow', 1050, 900),
    launch(3, 1940),
    kernel('third', 3, 2000, 100),
    // 2100..3000: a synchronization that lasted into the gap.
    host('cudaDeviceSynchronize', 1990, 115, { cat: 'cuda_runtime' }),
    launch(4, 2950),
    kernel('fourth', 4, 3000, 100),
    // 3100..3200: launched long before.
    launch(5, 2980),
    kernel('fifth', 5, 3200, 100),
    // 3300..4000: no launch recorded.
    kernel('sixth', 6, 4000, 100),
    // 4100..5000: a collective.
    host('c10d::allreduce_', 4110, 800),
    launch(7, 4950),
    kernel('seventh', 7, 5000, 10),
  ]);
  const { gaps, byReason, idleNs, total, device } = await daemon.request('timeline/gaps', {
    profileId,
  });
  assert.equal(device, 0);
  const inOrder = [...gaps].sort((a, b) => a.startNs - b.startNs);
  assert.deepEqual(
    inOrder.map((g) => [g.startNs / 1000, g.durationNs / 1000, g.reason, g.confidence]),
    [
      [0, 100, 'startOfTrace', 'high'],
      [200, 800, 'dataLoader', 'high'],
      [1100, 900, 'launchLate', 'high'],
      [2100, 900, 'synchronization', 'high'],
      [3100, 100, 'unknown', 'low'],
      [3300, 700, 'unknown', 'low'],
      [4100, 900, 'collective', 'high'],
    ],
  );
  assert.equal(inOrder[2].host.name, 'aten::slow');
  assert.match(inOrder[2].text, /aten::slow/);
  assert.equal(inOrder[3].endedBy.name, 'fourth');
  assert.equal(total, 7);
  assert.equal(idleNs, 4_400_000);
  assert.equal(sum(byReason.map((r) => r.sumNs)), idleNs);
  const lengths = gaps.map((g) => g.durationNs);
  assert.deepEqual(
    lengths,
    [...lengths].sort((a, b) => b - a),
  );
  const some = await daemon.request('timeline/gaps', {
    profileId,
    minNs: 850_000,
    startNs: 1_500_000,
    limit: 1,
  });
  assert.equal(some.total, 3);
  assert.equal(some.gaps.length, 1);
});

test('a launch that takes long itself explains the gap, and little recorded is called little', async () => {
  const profileId = await open([
    host('ProfilerStep#0', 0, 2000, { cat: 'user_annotation' }),
    launch(1, 10),
    kernel('first', 1, 20, 80),
    // 100..900: the call that launches the next kernel lasts nearly as long.
    host('aten::add', 105, 790),
    launch(2, 110, 770),
    kernel('second', 2, 900, 100),
    // 1000..1800: of the host hardly anything is known.
    host('aten::short', 1100, 20),
    launch(3, 1780),
    kernel('third', 3, 1800, 10),
  ]);
  const { gaps } = await daemon.request('timeline/gaps', { profileId });
  const at = (us) => gaps.find((gap) => gap.startNs === us * 1000);
  assert.deepEqual(
    [at(100).reason, at(100).confidence, at(100).host.name],
    ['launchLate', 'high', 'cudaLaunchKernel'],
  );
  assert.match(
    at(100).text,
    /in cudaLaunchKernel \(770 µs of the gap\)\. The launch began after 10\.0 µs/,
  );
  assert.deepEqual([at(1000).reason, at(1000).confidence], ['hostBusy', 'low']);
  assert.match(at(1000).text, /^Little host work was recorded; the longest was aten::short/);
});

test('recorded arrows of other kinds are drawn with what they carry', async () => {
  const edge = (ph, ts, args) => ({
    ph,
    cat: 'critical_path',
    name: 'edge',
    id: 7,
    pid: 1,
    tid: 1,
    ts,
    ...(args === undefined ? {} : { args }),
  });
  const profileId = await open([
    host('aten::a', 0, 10),
    host('aten::b', 20, 10),
    host('aten::c', 40, 10),
    edge('s', 5, { weight: 12, critical: true }),
    edge('t', 20),
    edge('f', 40, { type: 'dependency' }),
    // An arrow of a launch whose kernel has no correlation is still an arrow.
    host('cudaLaunchKernel', 60, 2, { cat: 'cuda_runtime', args: { correlation: 5 } }),
    { ...kernel('linked', 5, 70, 5) },
    host('cudaLaunchKernel', 80, 2, { cat: 'cuda_runtime' }),
    { ...kernel('loose', 0, 90, 5), args: {} },
    { ph: 's', cat: 'ac2g', name: 'ac2g', id: 9, pid: 1, tid: 1, ts: 80 },
    { ph: 'f', cat: 'ac2g', name: 'ac2g', id: 9, pid: 0, tid: 7, ts: 90, bp: 'e' },
  ]);
  const { arrows, total } = await daemon.request('timeline/flows', { profileId });
  assert.equal(total, 4);
  assert.deepEqual(
    arrows.map((arrow) => [arrow.from.name, arrow.to.name, arrow.kind, arrow.name]).sort(),
    [
      ['aten::a', 'aten::b', 'other', 'edge'],
      ['aten::b', 'aten::c', 'other', 'edge'],
      ['cudaLaunchKernel', 'linked', 'launch', ''],
      ['cudaLaunchKernel', 'loose', 'other', 'ac2g'],
    ],
  );
  const first = arrows.find((arrow) => arrow.to.name === 'aten::b');
  assert.deepEqual(first.args, [
    { key: 'weight', value: '12' },
    { key: 'critical', value: 'true' },
  ]);
  const last = arrows.find((arrow) => arrow.to.name === 'aten::c');
  assert.deepEqual(last.args, [{ key: 'type', value: 'dependency' }]);
});

test('asynchronous events have rows of their own', async () => {
  const request = (ph, name, id, ts, more = {}) => ({
    ph,
    cat: 'request',
    name,
    id,
    pid: 1,
    tid: 3,
    ts,
    ...more,
  });
  const profileId = await open([
    host('aten::a', 0, 10),
    request('b', 'generate', 1, 0, { args: { tokens: 4 } }),
    request('b', 'prefill', 1, 1),
    request('b', 'generate', 2, 2),
    request('n', 'first token', 1, 5),
    request('e', 'prefill', 1, 6),
    request('e', 'generate', 1, 20),
    request('e', 'generate', 2, 30),
  ]);
  const { tracks } = await tracksOf(profileId);
  const row = tracks.find((track) => track.kind === 'async');
  assert.equal(row.name, 'Asynchronous: request');
  assert.deepEqual([row.slices, row.instants, row.lanes], [3, 1, 3]);
  const { rows, names } = await windowOf(profileId, 0, 40_000, [row.id]);
  assert.deepEqual(
    rows[0].name.map((name, i) => [names[name], rows[0].start[i], rows[0].length[i]]),
    [
      ['generate', 0, 20_000],
      ['prefill', 1000, 5000],
      ['generate', 2000, 28_000],
    ],
  );
  assert.deepEqual([...new Set(rows[0].lane)].sort(), [0, 1, 2]);
  const detail = await daemon.request('timeline/slice', { profileId, slice: rows[0].slice[0] });
  assert.deepEqual(detail.args, [
    { key: 'id', value: '1' },
    { key: 'tid', value: '3' },
    { key: 'tokens', value: '4' },
  ]);
  assert.equal(detail.children, 1);
});

test('a part of a trace becomes a trace of its own', async () => {
  const profileId = await open(
    [
      { ph: 'M', name: 'process_name', pid: 1, tid: 0, ts: 0, args: { name: 'python "x"\n' } },
      host('before', 0, 10),
      host('aten::linear', 100.001, 50.5, { args: { 'Input Dims': [[2]], 'a "b"': '\u001b[0m' } }),
      launch(3, 110),
      kernel('gemm', 3, 130, 10.123),
      host('after', 500, 10),
      { ph: 'i', name: 'mark', pid: 1, tid: 1, ts: 120, s: 't' },
    ],
    {
      baseTimeNanoseconds: 1_700_000_000_000_000_000,
      deviceProperties: [{ id: 0, name: 'Card', numSms: 80 }],
    },
  );
  const { text, events } = await daemon.request('timeline/export', {
    profileId,
    startNs: 90_000,
    endNs: 200_000,
  });
  assert.equal(events, 3);
  const exported = JSON.parse(text);
  const slices = exported.traceEvents.filter((e) => e.ph === 'X');
  assert.deepEqual(
    slices.map((e) => [e.name, e.ts, e.dur]),
    [
      ['aten::linear', 100.001, 50.5],
      ['cudaLaunchKernel', 110, 2],
      ['gemm', 130, 10.123],
    ],
  );
  assert.deepEqual(slices[0].args, { 'Input Dims': [[2]], 'a "b"': '\u001b[0m' });

  const path = join(folder, 'part.pt.trace.json');
  writeFileSync(path, text);
  const part = await daemon.request('profile/open', { path });
  const info = await daemon.request('profile/load', { profileId: part.profileId });
  assert.equal(info.slices, 3);
  assert.deepEqual(info.problems, []);
  const hit = await daemon.request('timeline/search', { profileId: part.profileId, name: 'gemm' });
  const gemm = await daemon.request('timeline/slice', {
    profileId: part.profileId,
    slice: hit.results[0].slice,
  });
  assert.equal(gemm.op.name, 'aten::linear');
  assert.equal(gemm.durationNs, 10_123);
});

test('an exported part keeps every kind of event, and both ends of every arrow', async () => {
  const request = (ph, ts) => ({ ph, cat: 'r', name: 'req', id: '0xa', pid: 1, tid: 3, ts });
  const profileId = await open(
    [
      { ph: 'M', name: 'process_name', pid: 1, tid: 0, ts: 0, args: { name: 'python' } },
      { ph: 'M', name: 'process_sort_index', pid: 1, tid: 0, ts: 0, args: { sort_index: 4 } },
      { ph: 'M', name: 'thread_name', pid: 1, tid: 1, ts: 0, args: { name: 'main' } },
      { ph: 'M', name: 'thread_sort_index', pid: 1, tid: 1, ts: 0, args: { sort_index: 9 } },
      host('before', 0, 10),
      host('aten::a', 100, 20),
      host('aten::b', 130, 20),
      host('after', 500, 10),
      request('b', 100),
      request('n', 120),
      request('e', 140),
      {
        ph: 'i',
        name: '[memory]',
        s: 't',
        pid: 1,
        tid: 1,
        ts: 110,
        args: { 'Device Type': 1, 'Device Id': 0, Addr: 64, Bytes: 512, 'Total Allocated': 512 },
      },
      { ph: 'C', name: 'load', pid: 1, tid: 0, ts: 115, args: { value: 3.5 } },
      { ph: 'i', name: 'mark', s: 'g', pid: '', tid: '', ts: 120 },
      ...[
        ['s', 105, 'inside'],
        ['f', 130, 'inside'],
        ['s', 5, 'cut'],
        ['f', 101, 'cut'],
      ].map(([ph, ts, name]) => ({
        ph,
        cat: 'critical_path',
        name,
        id: name,
        pid: 1,
        tid: 1,
        ts,
        args: { weight: ts },
        ...(ph === 'f' ? { bp: 'e' } : {}),
      })),
    ],
    {
      displayTimeUnit: 'ms',
      with_stack: 1,
      Framework: 'pytorch-lightning',
      distributedInfo: { backend: 'nccl', rank: 3, world_size: 8 },
    },
  );
  const { text } = await daemon.request('timeline/export', {
    profileId,
    startNs: 90_000,
    endNs: 200_000,
  });
  const exported = JSON.parse(text);
  const phases = exported.traceEvents.map((event) => event.ph).sort();
  assert.deepEqual(phases, ['C', 'M', 'M', 'M', 'M', 'X', 'X', 'b', 'e', 'f', 'i', 'i', 'n', 's']);
  assert.deepEqual(exported.distributedInfo, { backend: 'nccl', rank: 3, world_size: 8 });
  assert.deepEqual(
    [exported.displayTimeUnit, exported.with_stack, exported.Framework],
    ['ms', 1, 'pytorch-lightning'],
  );
  assert.deepEqual(
    exported.traceEvents
      .filter((event) => event.ph === 's' || event.ph === 'f')
      .map((event) => [event.ph, event.cat, event.name, event.args]),
    [
      ['s', 'critical_path', 'inside', { weight: 105 }],
      ['f', 'critical_path', 'inside', { weight: 130 }],
    ],
  );
  const path = join(folder, 'every.pt.trace.json');
  writeFileSync(path, text);
  const part = await daemon.request('profile/open', { path });
  const check = await daemon.request('profile/check', { profileId: part.profileId });
  assert.deepEqual(check.counts, {
    slices: 3,
    paired: 1,
    instants: 2,
    memory: 1,
    counters: 1,
    flows: 2,
    metadata: 4,
    dropped: 0,
  });
  const names = (id) =>
    daemon
      .request('timeline/tracks', { profileId: id })
      .then((all) => all.tracks.map((track) => `${track.kind} ${track.group} ${track.name}`));
  assert.deepEqual(await names(part.profileId), await names(profileId));
  // Only the chosen rows.
  const { tracks } = await tracksOf(profileId);
  const chosen = await daemon.request('timeline/export', {
    profileId,
    startNs: 90_000,
    endNs: 200_000,
    tracks: [tracks.find((track) => track.kind === 'async').id],
  });
  const few = JSON.parse(chosen.text).traceEvents.map((event) => event.ph);
  assert.deepEqual(few.sort(), ['M', 'M', 'b', 'e', 'n']);
});

test('a window of many busy rows stays small and complete', async () => {
  const events = [];
  for (let tid = 1; tid <= 40; ++tid) {
    for (let i = 0; i < 500; ++i)
      events.push(host(`op${i % 90}`, i * 20, 19, { tid }), host('in', i * 20 + 1, 5, { tid }));
  }
  const profileId = await open(events);
  const { holding } = await tracksOf(profileId);
  const { rows } = await windowOf(
    profileId,
    0,
    10_000_000,
    holding.map((t) => t.id),
    4000,
  );
  assert.equal(sum(rows.map((r) => sum(r.count))), 40_000);
});

test('what does not exist is refused', async () => {
  const profileId = await open([host('only', 0, 10)]);
  for (const [method, params] of [
    ['timeline/slice', { slice: 1 }],
    ['timeline/slice', { slice: -1 }],
    ['timeline/instant', { index: 0 }],
    ['timeline/neighbor', { slice: 5, direction: 'next' }],
    ['timeline/window', { startNs: 0, endNs: 10, pixels: 10, tracks: [77] }],
    ['timeline/gaps', { device: 3 }],
  ]) {
    const { message } = await daemon.exchange(method, { profileId, ...params });
    assert.equal(message.error?.data.kind, 'notFound', method);
  }
  const none = await daemon.request('timeline/gaps', { profileId });
  assert.deepEqual([none.device, none.gaps], [null, []]);
  const { message } = await daemon.exchange('timeline/window', {
    profileId,
    startNs: 9,
    endNs: 3,
    pixels: 10,
    tracks: [],
  });
  assert.equal(message.error.code, -32602);
});

test('absurd times are answered', async () => {
  const events = [];
  for (let i = 0; i < 400; ++i) events.push(host(`op${i}`, i * 2.3e13, i % 3 === 0 ? 9.2e15 : 1));
  events.push(kernel('k', 1, -9e15, 1e15), kernel('l', 2, 9e15, 9e15));
  const profileId = await open(events);
  const { startNs, endNs, holding } = await tracksOf(profileId);
  for (const { id, slices } of holding) {
    const { rows } = await windowOf(profileId, startNs, endNs, [id], 50);
    assert.equal(sum(rows[0].count), slices);
  }
  const { totalSlices } = await daemon.request('timeline/range', { profileId, startNs, endNs });
  assert.equal(totalSlices, 402);
  await daemon.request('timeline/gaps', { profileId });
  await daemon.request('timeline/density', { profileId, buckets: 100 });
  const { text } = await daemon.request('timeline/export', { profileId, startNs, endNs });
  assert.equal(JSON.parse(text).traceEvents.filter((e) => e.ph === 'X').length, 402);
});

test('an empty trace has an empty timeline', async () => {
  const profileId = await open([]);
  const { tracks, totalSlices } = await daemon.request('timeline/tracks', { profileId });
  assert.deepEqual([tracks, totalSlices], [[], 0]);
  await daemon.request('timeline/density', { profileId, buckets: 3 });
});

test('what the file says about itself', async () => {
  const profileId = await open([host('a', 0, 1)], { record_shapes: 1, custom: { deep: [1] } });
  const { entries } = await daemon.request('timeline/metadata', { profileId });
  const named = Object.fromEntries(entries.map((e) => [e.key, e.value]));
  assert.equal(named.record_shapes, 'true');
  assert.equal(named.schemaVersion, '1');
  assert.deepEqual(JSON.parse(named.custom), { deep: [1] });
});

/** The rules of the trace event format that Perfetto's importer of JSON keeps to, checked one by one. */
function checkForImporters(text) {
  const trace = JSON.parse(text);
  assert.ok([undefined, 'ms', 'ns'].includes(trace.displayTimeUnit));
  const known = 'XBEiCMstfbenSFTpNODvVPc';
  const id = (value) => typeof value === 'number' || typeof value === 'string';
  const raw = [...text.matchAll(/"ts":([^,}]+)/g)].map(([, ts]) => ts);
  // Decimals, not powers: some readers take the digits apart to keep every nanosecond.
  for (const ts of raw) assert.match(ts, /^-?\d+(\.\d{1,3})?$/);
  let metadata = true;
  const slices = new Map();
  const flows = new Map();
  const open = new Map();
  const row = ({ pid, tid }) => JSON.stringify([pid, tid]);
  trace.traceEvents.forEach((event, at) => {
    const where = `event ${at}: ${JSON.stringify(event).slice(0, 300)}`;
    assert.ok(event.ph.length === 1 && known.includes(event.ph), where);
    assert.equal(typeof event.name, 'string', where);
    assert.ok(event.cat === undefined || typeof event.cat === 'string', where);
    assert.ok(id(event.pid) && id(event.tid), where);
    assert.ok(event.args === undefined || !Array.isArray(event.args), where);
    if (event.ph === 'M') {
      assert.ok(metadata, `names come first: ${where}`);
      const [value] = Object.values(event.args);
      assert.equal(typeof value, /sort_index/.test(event.name) ? 'number' : 'string', where);
      return;
    }
    metadata = false;
    assert.ok(Number.isFinite(event.ts), where);
    if (event.ph === 'X') {
      assert.ok(event.dur >= 0, where);
      assert.equal(flows.size, 0, `a slice is there before the arrows that bind to it: ${where}`);
      if (!slices.has(row(event))) slices.set(row(event), []);
      slices.get(row(event)).push(event);
    } else if (event.ph === 'i') {
      assert.ok(['t', 'p', 'g'].includes(event.s), where);
    } else if (event.ph === 'C') {
      assert.ok(Object.values(event.args).some(Number.isFinite), where);
    } else if ('sf'.includes(event.ph)) {
      const key = JSON.stringify([event.cat, event.name, event.id]);
      assert.ok(Number.isInteger(event.id), where);
      if (event.ph === 's') {
        assert.ok(!flows.has(key), `an id stands for one arrow: ${where}`);
        flows.set(key, [event]);
      } else {
        assert.equal(event.bp, 'e', where);
        flows.get(key).push(event);
      }
    } else if ('ben'.includes(event.ph)) {
      assert.ok(id(event.id) || typeof event.id2 === 'object', where);
      const key = JSON.stringify([event.cat, event.pid, event.id ?? event.id2, event.name]);
      if (event.ph === 'b') open.set(key, (open.get(key) ?? 0) + 1);
      if (event.ph === 'e') {
        assert.ok(open.get(key) > 0, `an end has a begin: ${where}`);
        open.set(key, open.get(key) - 1);
      }
    }
  });
  assert.deepEqual(
    [...open.values()].filter((count) => count !== 0),
    [],
  );
  let arrows = 0;
  for (const [key, ends] of flows) {
    assert.equal(ends.length, 2, `both ends of ${key}`);
    if (!['ac2g', 'fwdbwd'].includes(ends[0].name)) continue;
    arrows++;
    for (const { pid, tid, ts } of ends) {
      const around = (slices.get(row({ pid, tid })) ?? []).some(
        (slice) => slice.ts <= ts && (ts < slice.ts + slice.dur || ts === slice.ts),
      );
      assert.ok(around, `the end of ${key} at ${ts} binds to a slice`);
    }
  }
  return { slices: [...slices.values()].flat().length, arrows };
}

for (const [name, path] of Object.entries({
  ...samples,
  drawn: goldenTrace('timeline'),
  steps: goldenTrace('two-steps'),
})) {
  test(`${name}: an exported part is what importers of the trace event format expect`, async () => {
    const { profileId } = await daemon.request('profile/open', { path });
    const { startNs, endNs } = await tracksOf(profileId);
    // Small enough to stay a part.
    const { text, events } = await daemon.request('timeline/export', {
      profileId,
      startNs,
      endNs: Math.min(endNs, startNs + Math.ceil((endNs - startNs) / 4)),
    });
    const checked = checkForImporters(text);
    assert.ok(checked.slices > 0 && checked.slices <= events);
    const whole = join(folder, `${name}-part.pt.trace.json`);
    writeFileSync(whole, text);
    const part = await daemon.request('profile/open', { path: whole });
    const info = await daemon.request('profile/load', { profileId: part.profileId });
    assert.equal(info.slices, events);
    assert.deepEqual(
      info.problems.map((problem) => problem.kind).filter((kind) => kind !== 'unfinishedEvent'),
      [],
    );
  });
}

for (const dialect of Object.keys(dialectNames)) {
  test(`generated ${dialect}: an exported part is what importers expect`, async () => {
    const path = join(folder, `${dialect}.pt.trace.json`);
    writeFileSync(path, traceText({ dialect, events: 1500, seed: 11 }).text);
    const { profileId } = await daemon.request('profile/open', { path });
    const { startNs, endNs } = await tracksOf(profileId);
    const { text } = await daemon.request('timeline/export', {
      profileId,
      startNs: startNs + Math.floor((endNs - startNs) / 3),
      endNs,
    });
    assert.ok(checkForImporters(text).slices > 0);
  });
}

test('many instants of a row are all in its marks, and one leads to the next', async () => {
  const mark = (i) => ({ ph: 'i', s: 't', name: `mark ${i}`, pid: 1, tid: 1, ts: i * 10 });
  const profileId = await open([
    host('around', 0, 100_000),
    ...Array.from({ length: 5000 }, (_, i) => mark(i)),
    ...Array.from({ length: 30 }, (_, i) => ({ ...mark(i), tid: 2, name: `other ${i}` })),
  ]);
  const { startNs, endNs, tracks } = await tracksOf(profileId);
  const rows = tracks.filter((track) => track.instants > 0);
  assert.deepEqual(rows.map((track) => track.instants).sort(), [30, 5000]);
  for (const pixels of [10, 1000, 16384]) {
    const window = await windowOf(
      profileId,
      startNs,
      endNs,
      rows.map((track) => track.id),
      pixels,
    );
    for (const { track, instants } of window.rows) {
      const { instants: expected } = rows.find((one) => one.id === track);
      assert.equal(sum(instants.map((one) => one.count)), expected, `${pixels} pixels`);
    }
  }
  const busy = rows.find((track) => track.instants === 5000);
  const { rows: part } = await windowOf(profileId, 10_000, 20_000, [busy.id], 2000);
  assert.equal(part[0].instants.length, 2);
  let at = await daemon.request('timeline/instant', {
    profileId,
    index: part[0].instants[0].index,
  });
  assert.deepEqual([at.name, at.kind, at.track], ['mark 1', 'instant', busy.id]);
  const way = [];
  for (let i = 0; i < 3; i++) {
    at = await daemon.request('timeline/instant', { profileId, index: at.next });
    way.push(at.name);
  }
  assert.deepEqual(way, ['mark 2', 'mark 3', 'mark 4']);
  at = await daemon.request('timeline/instant', { profileId, index: at.previous });
  assert.equal(at.name, 'mark 3');
});

test('marks of the recorder outside of everything else stand at the ends of the trace', async () => {
  const mark = (name, ts) => ({ ph: 'i', s: 'g', name, pid: '', tid: '', ts });
  const profileId = await open([
    host('only', 1000, 10),
    mark('Iteration Start: PyTorch Profiler', 10),
    mark('Record Window End', 90_000),
  ]);
  const { startNs, endNs, tracks } = await tracksOf(profileId);
  const row = tracks.find((track) => track.instants > 0);
  assert.equal(row.instants, 2);
  const { rows } = await windowOf(profileId, startNs, endNs, [row.id], 100);
  assert.equal(sum(rows[0].instants.map((one) => one.count)), 2);
  assert.deepEqual(
    rows[0].instants.map((one) => one.ns),
    [startNs, endNs],
  );
  const { ns } = await daemon.request('timeline/instant', {
    profileId,
    index: rows[0].instants[1].index,
  });
  assert.ok(ns > endNs, 'what is said of it is as recorded');
  const middle = await windowOf(profileId, startNs + 1, endNs - 1, [row.id], 100);
  assert.deepEqual(middle.rows[0].instants, []);
});

test('objects, memory dumps, samples and clock marks are drawn, and exported as what they were', async () => {
  const point = (ph, name, ts, more = {}) => ({
    ph,
    cat: 'memory',
    name,
    pid: 1,
    tid: 1,
    ts,
    ...more,
  });
  const events = [
    point('N', 'Tensor', 10, { id: '0x1000' }),
    point('O', 'Tensor', 20, { id: '0x1000', args: { snapshot: { size: 4 } } }),
    point('D', 'Tensor', 30, { id: '0x1000' }),
    point('v', 'periodic', 40, { id: 7, args: { dumps: { level: 'light' } } }),
    point('P', 'cpu', 50),
    point('c', 'clock_sync', 60, { args: { sync_id: 'a' } }),
  ];
  const profileId = await open([host('around', 0, 100), ...events]);
  const { counts, problems } = await daemon.request('profile/check', { profileId });
  assert.deepEqual([counts.instants, counts.dropped, problems], [6, 0, []]);
  const { tracks } = await tracksOf(profileId);
  const row = tracks.find((track) => track.instants > 0);
  assert.deepEqual([row.instants, row.slices], [6, 1]);
  const { rows } = await windowOf(profileId, 0, 100_000, [row.id], 100);
  const kinds = [];
  for (const { index, count } of rows[0].instants) {
    assert.equal(count, 1);
    const { kind, name, args } = await daemon.request('timeline/instant', { profileId, index });
    kinds.push([kind, name, args.map(({ key, value }) => `${key}=${value}`).join()]);
  }
  assert.deepEqual(kinds, [
    ['objectCreated', 'Tensor', 'id=0x1000'],
    ['objectSnapshot', 'Tensor', 'snapshot={"size":4},id=0x1000'],
    ['objectDeleted', 'Tensor', 'id=0x1000'],
    ['memoryDump', 'periodic', 'dumps={"level":"light"},id=7'],
    ['sample', 'cpu', ''],
    ['clockSync', 'clock_sync', 'sync_id=a'],
  ]);
  const { text } = await daemon.request('timeline/export', {
    profileId,
    startNs: 0,
    endNs: 100_000,
  });
  checkForImporters(text);
  const back = JSON.parse(text).traceEvents.filter((event) => event.ph !== 'X');
  assert.deepEqual(
    back,
    events.map(({ args = {}, ...event }) => ({ ...event, args })),
  );
});

test('a copy says which row of the copies it belongs to', async () => {
  const profileId = await open([
    host('around', 0, 10),
    { ...kernel('Memcpy HtoD (Pageable -> Device)', 1, 20, 5), cat: 'gpu_memcpy' },
    { ...kernel('Memset (Device)', 2, 30, 5), cat: 'gpu_memset' },
    kernel('work', 3, 40, 5),
  ]);
  const copies = await daemon.request('view/copies', { profileId });
  const keys = copies.rows.map(({ direction, source, target }) => ({ direction, source, target }));
  for (const name of ['Memcpy', 'Memset']) {
    const { results } = await daemon.request('timeline/search', { profileId, text: name });
    const { copy } = await daemon.request('timeline/slice', { profileId, slice: results[0].slice });
    assert.ok(
      keys.some((key) => Object.keys(copy).every((part) => (key[part] ?? '') === copy[part])),
      JSON.stringify(copy),
    );
  }
  const { results } = await daemon.request('timeline/search', { profileId, name: 'work' });
  const { copy } = await daemon.request('timeline/slice', { profileId, slice: results[0].slice });
  assert.equal(copy, null);
});

/** A trace whose timeline takes a while to prepare. */
function large(name) {
  const path = join(folder, `${name}.pt.trace.json`);
  const events = [];
  for (let i = 0; i < 150_000; ++i) events.push(host(`op${i % 50}`, i * 10, 9, { tid: i % 20 }));
  writeFileSync(path, JSON.stringify({ traceEvents: events }));
  return path;
}

test('the timeline is prepared after a load, once, and what is asked meanwhile is right', async () => {
  const other = startDaemon({ args: ['--log-level', 'debug'] });
  await other.initialize();
  const { profileId } = await other.request('profile/open', { path: large('prepared') });
  // Each of these loads asks for the same preparation.
  await Promise.all([1, 2, 3].map(() => other.request('profile/load', { profileId })));
  const { tracks, startNs, endNs } = await other.request('timeline/tracks', { profileId });
  const drawn = await other.request('timeline/window', {
    profileId,
    startNs,
    endNs,
    pixels: 100,
    tracks: tracks.filter((track) => track.slices > 0).map((track) => track.id),
  });
  assert.equal(sum(drawn.rows.flatMap((row) => row.count)), 150_000);
  await within(
    (async () => {
      while (!other.stderr.includes('The timeline is prepared.')) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })(),
    'the preparation',
  );
  assert.ok(!other.stderr.includes('Preparing the timeline was cancelled.'), other.stderr);
  await other.stop();
});

test('a profile that is closed or written anew while its timeline is prepared', async () => {
  const other = startDaemon({ args: ['--log-level', 'debug'] });
  await other.initialize();
  const path = large('closed');
  for (let round = 0; round < 3; ++round) {
    const { profileId } = await other.request('profile/open', { path });
    await other.request('profile/load', { profileId });
    // Closed at once: nobody wants it any more.
    await other.request('profile/close', { profileId });
    const { message } = await other.exchange('timeline/tracks', { profileId });
    assert.equal(message.error?.data.kind, 'notFound');
  }
  const outcomes = () =>
    [...other.stderr.matchAll(/The timeline is prepared|Preparing the timeline was cancelled/g)]
      .length;
  await within(
    (async () => {
      while (outcomes() < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    })(),
    'the preparations to end',
  );
  // The file is another one by the time it is prepared: the answers are of the new one.
  const { profileId } = await other.request('profile/open', { path });
  await other.request('profile/load', { profileId });
  writeFileSync(path, JSON.stringify({ traceEvents: [host('only', 0, 10)] }));
  const { slices } = await other.request('profile/load', { profileId });
  const { totalSlices, tracks } = await other.request('timeline/tracks', { profileId });
  assert.deepEqual([slices, totalSlices, tracks.length], [1, 1, 1]);
  assert.doesNotMatch(other.stderr, /Preparing the timeline failed/);
  await other.stop();
});

test('the daemon ends while a timeline is prepared', async () => {
  const other = startDaemon();
  await other.initialize();
  const { profileId } = await other.request('profile/open', { path: large('ended') });
  await other.request('profile/load', { profileId });
  await other.request('shutdown');
  other.notify('exit');
  const { code, signal } = await within(other.exited, 'the daemon to end');
  assert.deepEqual([code, signal], [0, null]);
});
