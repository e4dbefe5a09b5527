// Pairs of traces with one planted change: it comes out first, with its exact size, at each level that
// can tell it, and nothing else stands above noise. Every kernel and every step has a jitter of its own.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { randomNumbers } from '../lib/random.mjs';
import { layer, plainLayers, trainingTrace } from '../lib/training_trace.mjs';
import { daemonOfFile } from './daemon.mjs';

const { folder, daemon } = daemonOfFile('compare-planted');

const steps = 8;
let files = 0;

/** Opens a trace whose kernels and steps take a little more or less each time, as `seed` says. */
async function noisy(seed, layersOf = plainLayers, options = {}, changed = (text) => text) {
  const next = randomNumbers(seed);
  const jitter = () => Math.floor(next() * 5);
  const path = join(folder, `trace-${files++}.pt.trace.json`);
  const layers = (step) =>
    layersOf(step).map(({ module, op, kernels }) =>
      layer(
        module,
        op,
        Object.fromEntries(Object.entries(kernels).map(([name, us]) => [name, us + jitter()])),
      ),
    );
  const { extraUs = () => 0, ...more } = options;
  const noise = { extraUs: (step) => 10 + jitter() + extraUs(step) };
  writeFileSync(path, changed(trainingTrace({ steps, layers, ...more, ...noise })));
  const { profileId } = await daemon.request('profile/open', { path });
  return { profileId };
}

const compare = (method, baseline, candidate, params = {}) =>
  daemon.request(`compare/${method}`, { baseline, candidate, ...params });

/** Rows of a level, and the sum of a kernel over a side, which holds its jitter. */
async function rowsOf(by, baseline, candidate) {
  return (await compare('table', baseline, candidate, { by, limit: -1 })).rows;
}

const withInstead = (module, ...others) =>
  plainLayers().flatMap((one) => (one.module === module ? others : [one]));

/**
 * What is planted; which rows are first by kernels, with the microseconds of each step that they
 * differ by, and what became of them. All other rows are on both sides and within their noise.
 */
const planted = {
  'a slower kernel': {
    layers: () => withInstead('Linear_1', layer('Linear_1', 'aten::addmm', { sgemm_64x64: 160 })),
    rows: { sgemm_64x64: ['both', 100] },
  },
  'a removed layer': {
    layers: () => withInstead('Linear_0'),
    rows: { sgemm_128x64: ['gone', -80] },
  },
  'an added layer': {
    layers: () => [...plainLayers(), layer('Softmax_0', 'aten::softmax', { softmax_kernel: 55 })],
    rows: { softmax_kernel: ['new', 55] },
  },
  'fused operators': {
    layers: () => [
      ...plainLayers().filter(({ module }) => !/Linear_1|LayerNorm_0/.test(module)),
      layer('Fused_0', 'fused_addmm_layer_norm', { triton_fused_addmm_layer_norm: 70 }),
    ],
    rows: {
      triton_fused_addmm_layer_norm: ['replaced', 70],
      sgemm_64x64: ['replaced', -60],
      layer_norm_kernel: ['replaced', -30],
    },
  },
  'another dtype': {
    layers: () => withInstead('Linear_0', layer('Linear_0', 'aten::addmm', { hgemm_128x64: 20 })),
    rows: { sgemm_128x64: ['replaced', -80], hgemm_128x64: ['replaced', 20] },
  },
  'shifted steps': { options: { firstStep: 101, startUs: 777_000 }, rows: {} },
  'branches in another order': {
    layers: () => {
      const [a, b, c, d, e] = plainLayers();
      return [a, d, b, c, e];
    },
    rows: {},
  },
  'one slow step': { options: { extraUs: (step) => (step === 5 ? 400 : 0) }, rows: {} },
};

/** The time of a kernel in a trace, microseconds: what the planted change has to be exact to. */
async function kernelUs({ profileId }, name) {
  const { rows } = await daemon.request('view/kernels', { profileId, limit: -1 });
  return rows.find((row) => row.name === name)?.totalUs ?? 0;
}

for (const [name, { layers = plainLayers, options = {}, rows: wanted }] of Object.entries(
  planted,
)) {
  test(`${name}: first, with its exact size, and nothing else above noise`, async () => {
    const baseline = await noisy(11);
    const candidate = await noisy(12, layers, options);
    const rows = await rowsOf('kernels', baseline, candidate);
    const count = Object.keys(wanted).length;
    assert.deepEqual(
      new Map(rows.slice(0, count).map((row) => [row.name, row.status])),
      new Map(
        rows.slice(0, count).map((row) => [row.name, wanted[row.name]?.[0] ?? 'not planted']),
      ),
    );
    for (const row of rows.slice(0, count)) {
      const [before, after] = [
        await kernelUs(baseline, row.name),
        await kernelUs(candidate, row.name),
      ];
      assert.equal(row.deltaUs, after - before, row.name);
      // Of each step, within the jitter of 0 to 4.
      assert.ok(Math.abs(row.deltaUs / steps - wanted[row.name][1]) <= 4, row.name);
      if (row.status === 'both') assert.equal(row.beyondNoise, true, row.name);
    }
    for (const row of rows.slice(count)) {
      assert.equal(row.status, 'both', row.name);
      assert.equal(row.beyondNoise, false, `${row.name} by ${row.deltaUs}`);
    }
  });
}

test('one slow step: the step time stays within its noise, and that step is the first row', async () => {
  const baseline = await noisy(21);
  const candidate = await noisy(22, plainLayers, planted['one slow step'].options);
  const { verdict } = await compare('verdict', baseline, candidate);
  assert.equal(verdict.beyondNoise, false);
  const { rows } = await compare('table', baseline, candidate, {
    by: 'steps',
    limit: -1,
    time: 'host',
  });
  assert.match(rows[0].name, /#6$/);
  assert.ok(Math.abs(rows[0].deltaUs - 400) <= 50, rows[0].deltaUs);
});

/** Layers whose operators run on lines of a function each, from one file. */
const inFunctions = (events) => {
  const trace = JSON.parse(events);
  const python = trace.traceEvents
    .filter(({ cat, name }) => cat === 'python_function' && name.startsWith('nn.Module: '))
    .map(({ name, ts, dur, ...rest }) => {
      const module = name.slice('nn.Module: '.length);
      const line = 10 * (1 + plainLayers().findIndex((one) => one.module === module));
      return {
        ...rest,
        name: `/run/train.py(${line}): ${module.toLowerCase()}`,
        ts: ts + 1,
        dur: dur - 2,
      };
    });
  trace.traceEvents.push(...python);
  return JSON.stringify(trace);
};

test('of functions and lines, only what is beyond noise is said to have changed', async () => {
  const sides = [];
  for (const [seed, layersOf] of [
    [51, plainLayers],
    [52, planted['a slower kernel'].layers],
  ]) {
    const { profileId } = await noisy(seed, layersOf, {}, inFunctions);
    sides.push({ profileId });
  }
  for (const by of ['functions', 'lines']) {
    const rows = await rowsOf(by, ...sides);
    assert.equal(rows[0].function, 'linear_1', by);
    assert.deepEqual(
      rows.map((row) => row.beyondNoise),
      rows.map((_, i) => i === 0),
      by,
    );
  }
  const { verdict, level, grew, shrank } = await compare('verdict', ...sides);
  assert.equal(level, 'functions');
  assert.match(verdict.text, /because linear_1 went from/);
  for (const change of [...grew, ...shrank]) {
    assert.equal(change.beyondNoise, change.name === 'linear_1', change.name);
  }
});

test('the verdict names a module that came or went, not the functions that it ran', async () => {
  const baseline = await noisy(61, plainLayers, {}, inFunctions);
  for (const [name, words] of [
    ['a removed layer', /because Linear_0, which took 8\d\.\d µs, is gone\.$/],
    ['an added layer', /because Softmax_0 is new and takes 5\d\.\d µs\.$/],
  ]) {
    const { verdict } = await compare(
      'verdict',
      baseline,
      await noisy(62, planted[name].layers, {}, inFunctions),
    );
    assert.match(verdict.text, words);
  }
});

test('the verdict names what was fused into what, where work went from one line to another', async () => {
  // The fused operator is called from a line of its own, as a compiler's code is.
  const { verdict } = await compare(
    'verdict',
    await noisy(63, plainLayers, {}, inFunctions),
    await noisy(64, planted['fused operators'].layers, {}, inFunctions),
  );
  assert.match(
    verdict.text,
    /because Fused_0 replaces Linear_1 \+ LayerNorm_0: 9\d\.\d µs to 7\d\.\d µs\.$/,
  );
});

test('two recordings of the same: the verdict says so, and no figure is beyond its noise', async () => {
  const { verdict, figures } = await compare('verdict', await noisy(31), await noisy(32));
  assert.equal(verdict.beyondNoise, false);
  for (const { key, beyondNoise } of figures) assert.notEqual(beyondNoise, true, key);
});

test('at every level A against B mirrors B against A, whatever is planted', async () => {
  const baseline = await noisy(41);
  for (const [name, { layers = plainLayers, options = {} }] of Object.entries(planted)) {
    const candidate = await noisy(42, layers, options);
    for (const by of ['steps', 'modules', 'operators', 'kernels']) {
      const figures = (rows, sign, [own, other]) =>
        rows
          .map((row) => [row[`${own}Us`], row[`${other}Us`], sign * row.deltaUs + 0, row.noiseUs])
          .map((row) => JSON.stringify(row.map((us) => (us === null ? null : us?.toFixed(6)))))
          .map((text) => text.replaceAll('-0.000000', '0.000000'))
          .sort();
      const forth = await rowsOf(by, baseline, candidate);
      const back = await rowsOf(by, candidate, baseline);
      assert.deepEqual(
        figures(forth, 1, ['baseline', 'candidate']),
        figures(back, -1, ['candidate', 'baseline']),
        `${name} by ${by}`,
      );
    }
  }
});
