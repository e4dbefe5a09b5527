// What a device's rows of the timeline say of its work, against the events of the file: busy time of
// streams, of ranges and of every pixel of a series, at any zoom. On the smaller traces of the corpus
// and on a drawn one.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { corpus, temporaryFolder } from '../lib/cli.mjs';
import { slice } from '../lib/trace_events.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { sampled, widened } from '../../webviews/src/lanes/sampling.ts';
import { corpusFiles, readText } from './corpus.mjs';

/** Larger files repeat the same kinds of events; they would only take time. */
const LIMIT_BYTES = 1_300_000;
const WORK = new Set(['kernel', 'gpu_memcpy', 'gpu_memset', 'memcpy', 'memset']);
const KERNELS = new Set(['kernel']);

let daemon;
let temporary;
before(async () => {
  temporary = temporaryFolder('device-busy');
  daemon = startDaemon();
  await daemon.initialize();
});
after(async () => {
  await daemon.stop();
  temporary.remove();
});

/** Microseconds as written, in ns: a double would lose the ns of a time since 1970. */
function ns(text) {
  const [whole, part = ''] = String(text).split('.');
  return BigInt(whole) * 1000n + BigInt(part.padEnd(3, '0').slice(0, 3));
}

/** Complete events of a device with their interval, `from` since the earliest of the file. */
function eventsOf(text) {
  const quoted = text.replace(/"(ts|dur)":\s*(\d+(?:\.\d+)?)/g, '"$1":"$2"');
  const all = JSON.parse(quoted).traceEvents.filter((e) => e.ph === 'X' && e.dur !== undefined);
  return all.map((event) => ({
    kind: (event.cat ?? '').toLowerCase(),
    // Old recorders name a stream, later ones number it.
    stream: `pid ${event.pid}, tid ${String(event.tid).replace(/^stream /, '')}`,
    name: event.name,
    from: ns(event.ts),
    to: ns(event.ts) + ns(event.dur),
  }));
}

/** Length of the union of intervals, each cut to the window. */
function union(intervals, begin = undefined, end = undefined) {
  const cut = intervals
    .map(({ from, to }) => [
      begin === undefined || from > begin ? from : begin,
      end === undefined || to < end ? to : end,
    ])
    .filter(([from, to]) => to > from)
    .sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
  let length = 0n;
  let reached = undefined;
  for (const [from, to] of cut) {
    const start = reached === undefined || from > reached ? from : reached;
    if (to > start) length += to - start;
    if (reached === undefined || to > reached) reached = to;
  }
  return Number(length);
}

async function assertDeviceRows(file, events) {
  const { profileId } = await daemon.request('profile/open', { path: file });
  const all = await daemon.request('timeline/tracks', { profileId });
  const work = events.filter(({ kind }) => WORK.has(kind));
  const streams = all.tracks.filter(({ kind }) => kind === 'stream');
  let busy = 0;
  for (const row of streams) {
    const own = work.filter(({ stream }) => `${row.detail},`.startsWith(`${stream},`));
    assert.equal(row.busyNs, union(own), `${row.group} ${row.name}`);
    busy += row.busyNs;
  }
  if (work.length > 0) assert.ok(busy > 0, 'no stream has work');
  await assertPixels(profileId, all, work);
  return { profileId, all, streams };
}

/** A series' mean over all pixels, times their span, is the device's busy time. */
async function assertPixels(profileId, all, work) {
  const devices = new Set(all.tracks.filter(({ kind }) => kind === 'stream').map((t) => t.device));
  if (devices.size !== 1 || work.length === 0) return;
  // The daemon's times begin with the trace; the first work tells where that is.
  const rows = all.tracks.filter((t) => t.kind === 'stream' && t.slices > 0);
  const range = { startNs: all.startNs, endNs: all.endNs, tracks: rows.map(({ id }) => id) };
  const { devices: whole } = await daemon.request('timeline/range', { profileId, ...range });
  assert.equal(whole.length, 1);
  assert.equal(whole[0].busyNs, union(work), 'busy time of the whole range');
  const first = work.reduce((least, { from }) => (from < least ? from : least), work[0].from);
  const { begin } = await firstWork(profileId, rows, range);
  const zero = first - BigInt(begin);
  for (const name of ['Utilization', 'Busy']) {
    const row = all.tracks.find((t) => t.kind === 'derived' && t.name === name);
    if (row === undefined) continue;
    const of = name === 'Busy' ? work : work.filter(({ kind }) => KERNELS.has(kind));
    for (const zoom of [1, 3, 40, 1000]) {
      const span = Math.max(1, Math.floor((all.endNs - all.startNs) / zoom));
      const from = zoom === 1 ? all.startNs : Math.max(all.startNs, begin - Math.floor(span / 7));
      const to = Math.min(all.endNs, from + span);
      for (const pixels of [7, 613, 1400]) {
        // As the page asks: more on both sides.
        const asked = widened({ startNs: from, endNs: to, pixels });
        const window = { profileId, ...asked, tracks: [row.id] };
        const { series } = await daemon.request('timeline/window', window);
        const { value } = sampled(series[0], Math.min(asked.endNs, all.endNs), from, to, pixels);
        const width = (to - from) / pixels;
        const area = value.reduce((sum, mean) => sum + mean * width, 0);
        const truth = union(of, zero + BigInt(from), zero + BigInt(to));
        // The edges of the answer's columns are whole ns.
        assert.ok(
          Math.abs(area - truth) <= 6 + 1e-9 * truth,
          `${name}, zoom ${zoom}, ${pixels} pixels: ${area} of ${truth} ns`,
        );
        for (const mean of value) assert.ok(mean >= 0 && mean <= 1 + 1e-9, `${name}: ${mean}`);
      }
    }
  }
}

/** The start of the earliest device work, in the daemon's time. */
async function firstWork(profileId, rows, range) {
  let begin = Infinity;
  for (const kind of ['kernel', 'memcpy', 'memset']) {
    const { results } = await daemon.request('timeline/search', { profileId, kind, limit: 1 });
    if (results.length > 0) begin = Math.min(begin, results[0].startNs);
  }
  assert.ok(begin >= range.startNs && begin < range.endNs && rows.length > 0);
  return { begin };
}

/** A device that works a tenth of the time below an annotation that covers all of it. */
function drawn() {
  const events = [slice('cpu_op', 'aten::mm', 0, 40_000, {}, { pid: 1, tid: 1 })];
  const on = (cat, name, ts, dur, correlation) =>
    slice(cat, name, ts, dur, { device: 0, stream: 7, correlation }, { pid: 0, tid: 7 });
  events.push(on('gpu_user_annotation', 'decode', 0, 40_000, 0));
  for (let i = 0; i < 1000; ++i) {
    events.push(on('kernel', 'k', 40 * i, 4, 2 * i + 1));
    if (i % 2 === 0) {
      events.push(on('gpu_memcpy', 'Memcpy DtoD (Device -> Device)', 40 * i + 20, 2, 2 * i));
    }
  }
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

test('a drawn device below an annotation is busy while it works', async () => {
  const file = path.join(temporary.folder, 'annotated.pt.trace.json');
  fs.writeFileSync(file, drawn());
  const { profileId, all, streams } = await assertDeviceRows(file, eventsOf(drawn()));
  assert.equal(streams.length, 1);
  assert.equal(streams[0].busyNs, 5_000_000);
  const { devices, kinds } = await daemon.request('timeline/range', {
    profileId,
    startNs: 0,
    endNs: 20_000_000,
  });
  assert.deepEqual(devices, [{ device: 0, busyNs: 2_500_000 }]);
  assert.equal(kinds.find(({ kind }) => kind === 'gpuUserAnnotation').unionNs, 20_000_000);
  const { id } = all.tracks.find(({ name }) => name === 'Utilization');
  const { series } = await daemon.request('timeline/window', {
    profileId,
    startNs: 0,
    endNs: 40_000_000,
    pixels: 1000,
    tracks: [id],
  });
  // Few enough points to be exact, which a page must not draw as one solid block.
  const { value } = sampled(series[0], 40_000_000, 0, 40_000_000, 100);
  for (const mean of value) assert.ok(Math.abs(mean - 0.1) < 1e-9, String(mean));
});

for (const { name, file, isTrace } of corpus === undefined ? [] : corpusFiles()) {
  if (!isTrace || name.startsWith('ascend/') || fs.statSync(file).size > LIMIT_BYTES) continue;
  test(`${name}: devices are busy while they work`, async () => {
    const text = readText(file).toString('utf8');
    if (!/"cat":\s*"[Kk]ernel"/.test(text)) return;
    await assertDeviceRows(file, eventsOf(text));
  });
}
