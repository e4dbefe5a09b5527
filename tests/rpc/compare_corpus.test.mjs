// Changes planted in a real trace, which is edited in memory: each comes out first, with its exact size,
// and nothing else differs.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { corpus, withoutCorpus } from '../lib/cli.mjs';
import { daemonOfFile } from './daemon.mjs';

// One forward pass of 24 equal layers, with modules, shapes and frames.
const original = 'tracelens/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz';
const { folder, daemon } = daemonOfFile('compare-corpus');

const read = () => JSON.parse(gunzipSync(readFileSync(join(corpus, original))));
async function open(path) {
  const { profileId } = await daemon.request('profile/open', { path });
  return { profileId };
}
async function edited(name, edit) {
  const trace = read();
  edit(trace);
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(trace));
  return open(path);
}
const rowsOf = async (by, baseline, candidate) =>
  (await daemon.request('compare/table', { baseline, candidate, by, limit: -1 })).rows;

const onDevice = ({ cat }) => ['kernel', 'gpu_memcpy', 'gpu_memset'].includes(cat);
/** Nanoseconds of device work, as whole numbers. */
const nsOf = (events) => events.reduce((sum, { dur }) => sum + Math.round(dur * 1000), 0);
const changeOf = (rows) => Math.round(rows.reduce((sum, { deltaUs }) => sum + deltaUs, 0) * 1000);

/** Takes a call of a module out of a trace with all that it ran. Gives its device work. */
function withoutLayer(trace, module) {
  const call = trace.traceEvents.find(({ name }) => name === `nn.Module: ${module}`);
  const end = call.ts + call.dur;
  const inside = ({ pid, tid, ts }) =>
    pid === call.pid && tid === call.tid && ts >= call.ts && ts < end;
  const correlations = new Set(
    trace.traceEvents.filter(inside).flatMap(({ args }) => args?.correlation ?? []),
  );
  const gone = (event) => onDevice(event) && correlations.has(event.args.correlation);
  const work = trace.traceEvents.filter(gone);
  trace.traceEvents = trace.traceEvents.filter((event) => !inside(event) && !gone(event));
  return work;
}

/** That the layer is what one side has alone, and that all of the difference is its. */
async function onlyLayer(baseline, candidate, work, status, sign) {
  const modules = await rowsOf('modules', baseline, candidate);
  const first = modules.filter(({ deltaUs }) => deltaUs !== 0);
  assert.deepEqual(modules.slice(0, first.length), first);
  assert.ok(first.length > 0);
  for (const row of first) {
    assert.equal(row.status, status, row.name);
    assert.match(row.name, /Qwen2DecoderLayer_/);
  }
  assert.equal(changeOf(first), sign * nsOf(work));
  const kernels = await rowsOf('kernels', baseline, candidate);
  for (const { name, deltaUs } of kernels) {
    const own = nsOf(work.filter((event) => event.name === name));
    assert.equal(Math.round(deltaUs * 1000) - sign * own, 0, name);
  }
}

test('a layer that was removed', { skip: withoutCorpus }, async () => {
  let work;
  const baseline = await open(join(corpus, original));
  const candidate = await edited('removed', (trace) => {
    work = withoutLayer(trace, 'Qwen2DecoderLayer_5');
  });
  assert.ok(work.length > 10);
  await onlyLayer(baseline, candidate, work, 'gone', -1);
});

test('a layer that was added', { skip: withoutCorpus }, async () => {
  let work;
  const baseline = await edited('shorter', (trace) => {
    work = withoutLayer(trace, 'Qwen2DecoderLayer_17');
  });
  const candidate = await open(join(corpus, original));
  await onlyLayer(baseline, candidate, work, 'new', 1);
});

test('another dtype', { skip: withoutCorpus }, async () => {
  const kernels = read().traceEvents.filter(({ cat }) => cat === 'kernel');
  const sums = new Map();
  for (const kernel of kernels) {
    if (!/gemm/i.test(kernel.name)) continue;
    sums.set(kernel.name, (sums.get(kernel.name) ?? 0) + kernel.dur);
  }
  const [[hottest]] = [...sums].sort(([, a], [, b]) => b - a);
  const halves = 'cutlass_80_tensorop_f16_s16816gemm_f16_128x128_32x5_tn_align8';
  const before = kernels.filter(({ name }) => name === hottest);
  let changed;
  const baseline = await open(join(corpus, original));
  const candidate = await edited('dtype', ({ traceEvents }) => {
    changed = traceEvents.filter(({ cat, name }) => cat === 'kernel' && name === hottest);
    const launches = new Set(changed.map(({ args }) => args['External id']));
    for (const kernel of changed) {
      kernel.name = halves;
      kernel.dur = Math.round(kernel.dur * 500) / 1000;
    }
    for (const { cat, args } of traceEvents) {
      if (cat !== 'cpu_op' || !launches.has(args?.['External id'])) continue;
      args['Input type'] = args['Input type']?.map((type) => type.replace(/float/, 'c10::Half'));
    }
  });
  const rows = await rowsOf('kernels', baseline, candidate);
  const wanted = [
    [hottest, 'replaced', -nsOf(before)],
    [halves, 'replaced', nsOf(changed)],
  ];
  assert.deepEqual(
    rows.slice(0, 2).map(({ name, status, deltaUs }) => [name, status, Math.round(deltaUs * 1000)]),
    wanted,
  );
  for (const row of rows.slice(2)) assert.equal(row.deltaUs, 0, row.name);
  // Who launched it is known of most of the work, not of all.
  const launched = new Set(
    read()
      .traceEvents.filter(({ cat }) => cat === 'cuda_runtime')
      .map(({ args }) => args.correlation),
  );
  const known = (events) => nsOf(events.filter(({ args }) => launched.has(args.correlation)));
  assert.ok(known(before) > 0.6 * nsOf(before));
  for (const by of ['modules', 'operators']) {
    const changes = (await rowsOf(by, baseline, candidate)).filter(({ deltaUs }) => deltaUs !== 0);
    assert.equal(changeOf(changes), known(changed) - known(before), by);
    for (const { name, status } of changes) {
      assert.equal(status, 'both');
      assert.match(name, by === 'modules' ? /Linear_\d+$/ : /^aten::(add)?mm$/);
    }
  }
});
