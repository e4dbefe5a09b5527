// Two traces compared: what is planted comes out first with its size, a trace is the same as
// itself, and swapping the sides swaps every sign.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { corpus, emberline, root, withoutCorpus } from '../lib/cli.mjs';
import { layer, plainLayers, trainingTrace } from '../lib/training_trace.mjs';
import { daemonOfFile } from './daemon.mjs';

// The parser of Markdown that the packager brings along.
const { marked } = createRequire(createRequire(import.meta.url).resolve('@vscode/vsce'))('marked');

const { folder, daemon } = daemonOfFile('compare');

let files = 0;
/** Opens a trace that is drawn with `options`; gives how requests name it. */
async function drawn(options) {
  const path = join(folder, `trace-${files++}.pt.trace.json`);
  writeFileSync(path, trainingTrace(options));
  const { profileId } = await daemon.request('profile/open', { path });
  return { profileId, path };
}
const side = ({ profileId, steps }) => ({ profileId, ...(steps ? { steps } : {}) });
const compare = (method, baseline, candidate, more = {}) =>
  daemon.request(`compare/${method}`, {
    baseline: side(baseline),
    candidate: side(candidate),
    ...more,
  });
const rowsBy = async (by, baseline, candidate, more = {}) =>
  (await compare('table', baseline, candidate, { by, limit: -1, ...more })).rows;
/** `plainLayers` with one of them replaced by others. */
const changed = (module, ...others) =>
  plainLayers().flatMap((one) => (one.module === module ? others : [one]));

const levels = ['steps', 'modules', 'operators', 'operatorShapes', 'kernels'];

test('a trace against itself is all zero, at every level', async () => {
  const trace = await drawn();
  for (const by of levels) {
    for (const row of await rowsBy(by, trace, trace)) {
      assert.equal(row.status, 'both', `${by}: ${row.name}`);
      assert.equal(row.deltaUs, 0, `${by}: ${row.name}`);
      assert.equal(row.deltaPercent, 0, `${by}: ${row.name}`);
      assert.equal(row.baselineCalls, row.candidateCalls);
    }
  }
  const { verdict, grew, shrank } = await compare('verdict', trace, trace);
  assert.equal(verdict.deltaUs, 0);
  assert.deepEqual([grew, shrank], [[], []]);
  assert.match(verdict.text, /the same/);
});

/** Planted changes: the layers of the candidate, and what must stand first by kernels. */
const planted = {
  'a slower kernel': {
    layers: () => changed('Linear_1', layer('Linear_1', 'aten::addmm', { sgemm_64x64: 160 })),
    kernel: { name: 'sgemm_64x64', status: 'both', deltaUs: 300, baselineCalls: 3 },
  },
  'a removed layer': {
    layers: () => changed('Linear_0'),
    kernel: { name: 'sgemm_128x64', status: 'gone', deltaUs: -240, candidateCalls: 0 },
  },
  'an added layer': {
    layers: () => [...plainLayers(), layer('Softmax_0', 'aten::softmax', { softmax_kernel: 55 })],
    kernel: { name: 'softmax_kernel', status: 'new', deltaUs: 165, baselineCalls: 0 },
  },
  'another dtype': {
    layers: () => changed('Linear_0', layer('Linear_0', 'aten::addmm', { hgemm_128x64: 20 })),
    kernel: { name: 'sgemm_128x64', status: 'replaced', deltaUs: -240 },
  },
};
for (const [name, { layers, kernel }] of Object.entries(planted)) {
  test(`${name} comes out first, and mirrored when the sides are swapped`, async () => {
    const baseline = await drawn();
    const candidate = await drawn({ layers });
    const [first, ...rest] = await rowsBy('kernels', baseline, candidate);
    for (const [key, value] of Object.entries(kernel)) assert.equal(first[key], value, key);
    for (const row of rest) {
      // Another dtype has two rows: what went and what came.
      if (row.status === 'both') assert.equal(row.deltaUs, 0, row.name);
    }
    for (const by of levels) {
      const there = new Map((await rowsBy(by, baseline, candidate)).map((r) => [r.key, r]));
      const back = new Map((await rowsBy(by, candidate, baseline)).map((r) => [r.key, r]));
      assert.equal(there.size, back.size);
      const sum = (rows, key) => [...rows.values()].map((row) => row[key]).sort((a, b) => a - b);
      const negated = sum(back, 'deltaUs')
        .map((value) => (value === 0 ? 0 : -value))
        .reverse();
      assert.deepEqual(
        sum(there, 'deltaUs').map((value) => value + 0),
        negated,
        by,
      );
      assert.deepEqual(sum(there, 'baselineUs'), sum(back, 'candidateUs'), by);
    }
    const [forth, reverse] = [
      await compare('verdict', baseline, candidate),
      await compare('verdict', candidate, baseline),
    ];
    assert.equal(forth.verdict.deltaUs, -reverse.verdict.deltaUs);
    assert.equal(forth.verdict.baselineUs, reverse.verdict.candidateUs);
  });
}

test('operators that were fused are a replacement, in the tree and in the table', async () => {
  const baseline = await drawn({
    layers: () => [
      layer('Block_0', 'aten::mul', { mul_kernel: 20 }),
      layer('Block_1', 'aten::add', { add_kernel: 20 }),
      ...plainLayers(),
    ],
  });
  const candidate = await drawn({
    layers: () => [layer('Fused_0', 'fused_mul_add', { fused_kernel: 25 }), ...plainLayers()],
  });
  const { children } = await compare('tree', baseline, candidate, { path: '0' });
  assert.equal(children[0].status, 'replaced');
  assert.equal(children[0].baseline.name, 'Block_0 + Block_1');
  assert.equal(children[0].candidate.name, 'Fused_0');
  assert.deepEqual([children[0].baseline.deviceUs, children[0].candidate.deviceUs], [40, 25]);
  assert.ok(children.slice(1).every((item) => item.status === 'both'));
  const status = new Map((await rowsBy('operators', baseline, candidate)).map((r) => [r.name, r]));
  for (const name of ['aten::mul', 'aten::add', 'fused_mul_add']) {
    assert.equal(status.get(name).status, 'replaced', name);
  }
});

test('branches in another order have moved, and nothing is gone', async () => {
  const baseline = await drawn();
  const candidate = await drawn({
    layers: () => {
      const [a, b, c, d, e] = plainLayers();
      return [a, d, b, c, e];
    },
  });
  const { children } = await compare('tree', baseline, candidate, { path: '0' });
  assert.equal(children.length, 5);
  assert.ok(children.every((item) => item.status === 'both'));
  for (const row of await rowsBy('kernels', baseline, candidate)) {
    assert.equal(row.deltaUs, 0, row.name);
  }
});

test('steps with other numbers are the same steps', async () => {
  const baseline = await drawn({ firstStep: 1 });
  const candidate = await drawn({ firstStep: 101, startUs: 900_000 });
  for (const by of levels) {
    for (const row of await rowsBy(by, baseline, candidate)) {
      assert.equal(row.status, 'both', `${by}: ${row.name}`);
      assert.equal(row.deltaUs, 0, `${by}: ${row.name}`);
    }
  }
});

test('another number of steps: figures are per step', async () => {
  const baseline = await drawn({ steps: 3 });
  const candidate = await drawn({ steps: 6 });
  const answer = await compare('table', baseline, candidate, { by: 'kernels' });
  assert.equal(answer.per, 'step');
  for (const row of answer.rows) assert.equal(row.deltaUs, 0, row.name);
  const { notes } = await compare('verdict', baseline, candidate);
  assert.match(notes.join(' '), /per step/);
});

test('one slow step is noise, and the same difference in every step is not', async () => {
  const plain = { steps: 6, extraUs: (step) => step };
  const baseline = await drawn(plain);
  const one = await drawn({ ...plain, extraUs: (step) => step + (step === 2 ? 60 : 0) });
  const all = await drawn({ ...plain, extraUs: (step) => step + 60 });
  const lonely = await compare('verdict', baseline, one);
  assert.equal(lonely.verdict.beyondNoise, false);
  assert.match(lonely.verdict.text, /beyond noise/);
  const steady = await compare('verdict', baseline, all);
  assert.equal(steady.verdict.beyondNoise, true);
  assert.ok(Math.abs(steady.verdict.deltaUs - 60) < 1e-6);
  // Welch's t-test by hand: both spreads are those of 0..5, so s^2 = 3.5, 10 degrees of freedom,
  // t = 2.228139.
  const half = 2.228139 * Math.sqrt((2 * 3.5) / 6);
  const figure = steady.figures.find(({ key }) => key === 'step');
  assert.ok(Math.abs(figure.noise - half) < 1e-4, `${figure.noise} and ${half}`);
});

test('with one step nothing is known of noise', async () => {
  const baseline = await drawn({ steps: 1 });
  const candidate = await drawn({ steps: 1, extraUs: () => 50 });
  const { verdict } = await compare('verdict', baseline, candidate);
  assert.equal(verdict.noisePercent, null);
  assert.match(verdict.text, /the noise is unknown/);
});

test('sums agree with the views of each side', async () => {
  const baseline = await drawn();
  const candidate = await drawn({ layers: planted['a slower kernel'].layers });
  for (const [by, view, key] of [
    ['kernels', 'view/kernels', 'totalUs'],
    ['operators', 'view/operators', 'deviceSelfUs'],
  ]) {
    const rows = await rowsBy(by, baseline, candidate);
    for (const [name, trace] of [
      ['baseline', baseline],
      ['candidate', candidate],
    ]) {
      const own = await daemon.request(view, { profileId: trace.profileId, limit: -1 });
      const figures = new Map(own.rows.map((row) => [row.name, row[key]]));
      for (const row of rows) assert.equal(row[`${name}Us`], figures.get(row.name) ?? 0, row.name);
    }
  }
});

test('step time, not the device, is what the verdict and the gate are about', async () => {
  const baseline = await drawn();
  const candidate = await drawn({ extraUs: () => 200 });
  const run = (...options) => emberline(['diff', baseline.path, candidate.path, ...options]);
  const json = await run('--format', 'json', '--by', 'kernels');
  assert.equal(json.status, 0);
  const document = JSON.parse(json.stdout);
  for (const key of [
    'text',
    'baselineUs',
    'candidateUs',
    'deltaUs',
    'deltaPercent',
    'noisePercent',
  ]) {
    assert.ok(key in document.verdict, key);
  }
  assert.equal(Math.round(document.verdict.deltaUs), 200);
  for (const key of [
    'key',
    'name',
    'status',
    'baselineUs',
    'candidateUs',
    'deltaUs',
    'deltaPercent',
    'baselineCalls',
    'candidateCalls',
  ]) {
    assert.ok(key in document.rows[0], key);
  }
  assert.equal((await run('--fail-above', '5')).status, 1);
  assert.match((await run('--fail-above', '5')).stderr, /step grew by/);
  assert.equal((await run('--fail-above', '900')).status, 0);
  assert.equal((await run('--fail-above', '5:kernel')).status, 0);
  // A recording that holds nothing passes no gate.
  const path = join(folder, 'nothing.json');
  writeFileSync(path, '{"schemaVersion":1,"traceEvents":[]}');
  const nothing = await emberline(['diff', baseline.path, path, '--fail-above', '5']);
  assert.equal(nothing.status, 2);
  assert.match(nothing.stderr, /step is not known of both traces/);
  const unknown = await run('--fail-above', '5:nonsense');
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /Metrics: step, kernel/);
  const markdown = await run('--format', 'markdown');
  assert.match(markdown.stdout, /^\*\*Step time went from/);
  assert.match(markdown.stdout, /\| Figure \| Baseline \|/);
  const csv = await run('--format', 'csv', '--by', 'operators');
  assert.match(csv.stdout, /^key,name,status,/);
});

test('the tables of a block hold what ran in it, and nothing else', async () => {
  const baseline = await drawn();
  const candidate = await drawn({ layers: planted['a slower kernel'].layers });
  const { children } = await compare('tree', baseline, candidate, { path: '0' });
  for (const { position, baseline: before, candidate: after } of children) {
    const path = `0.${position}`;
    for (const by of ['operators', 'kernels']) {
      const rows = await rowsBy(by, baseline, candidate, { block: path, time: 'device' });
      const sum = (key) => rows.reduce((total, row) => total + row[key], 0);
      assert.equal(sum('baselineUs'), before.deviceUs, `${by} of ${before.name}`);
      assert.equal(sum('candidateUs'), after.deviceUs, `${by} of ${after.name}`);
    }
  }
  // A step of three: what the tables of the whole selection hold, a third of it.
  const whole = await rowsBy('kernels', baseline, candidate);
  const step = await rowsBy('kernels', baseline, candidate, { block: '0' });
  const delta = (rows) => rows.reduce((total, row) => total + row.deltaUs, 0);
  assert.equal(3 * delta(step), delta(whole));
});

test('a block that is not there, or has no such table, is refused', async () => {
  const trace = await drawn();
  await assert.rejects(compare('table', trace, trace, { by: 'kernels', block: '0.77' }), /0\.77/);
  await assert.rejects(
    compare('table', trace, trace, { by: 'lines', block: '0' }),
    /no table of lines/,
  );
});

test('a kernel whose template arguments changed is the same kernel', async () => {
  const kernel = (extra) =>
    `void at::reduce_kernel<512, 1, at::ReduceOp<float, at::Sum<${extra}>, 4>>(int)`;
  const other = 'void at::reduce_kernel<128, 4, at::ReduceOp<double, at::Norm<double>, 4>>(int)';
  const traceOf = (name, us) =>
    drawn({
      layers: () => changed('ReLU_0', layer('ReLU_0', 'aten::relu', { [name]: us, [other]: 7 })),
    });
  const before = await traceOf(kernel('float'), 30);
  const after = await traceOf(kernel('float, 8'), 50);
  for (const [a, b, sign] of [
    [before, after, 1],
    [after, before, -1],
  ]) {
    const rows = await rowsBy('kernels', a, b);
    assert.ok(rows.every(({ status }) => status === 'both'));
    assert.equal(rows[0].deltaUs, sign * 60);
    assert.equal(rows[0].name, kernel(sign > 0 ? 'float, 8' : 'float'));
    assert.equal(rows[0].baselineName, kernel(sign > 0 ? 'float' : 'float, 8'));
    assert.equal(rows.find(({ name }) => name === other).deltaUs, 0);
  }
});

test('every level says how much of its measure is on both sides', async () => {
  const path = join(root, 'samples', 'train_cnn', 'slow.pt.trace.json.gz');
  const sample = await daemon.request('profile/open', { path });
  for (const by of ['steps', 'modules', 'operators', 'kernels', 'memory', 'lines', 'functions']) {
    const { matchedShare, totalRows } = await compare('table', sample, sample, { by });
    assert.equal(matchedShare, totalRows > 0 ? 1 : 0, by);
  }
});

const cnn = (name) => join(root, 'samples', 'train_cnn', name);
async function cnnSides() {
  const open = (name) => daemon.request('profile/open', { path: cnn(`${name}.pt.trace.json.gz`) });
  return [await open('slow'), await open('fixed')];
}
const space = { sourceRoots: [join(root, 'samples')] };

test('lines of a document stand where they are now, with the figures of the table', async () => {
  const [slow, fixed] = await cnnSides();
  for (const [name, side] of [
    ['fixed.py', 'candidate'],
    ['slow.py', 'baseline'],
  ]) {
    const text = readFileSync(cnn(name), 'utf8');
    const shifted = `# two lines\n# more\n${text}`;
    const at = (document) =>
      compare('annotations', slow, fixed, { ...space, path: cnn(name), text: document });
    const [plain, moved] = [await at(text), await at(shifted)];
    assert.equal(plain.time, 'host');
    assert.ok(plain.lines.length > 10 && plain.functions.length > 4);
    const module = ({ function: name }) => name === '<module>';
    assert.deepEqual(
      moved.lines.filter((line) => !module(line)),
      plain.lines.filter((line) => !module(line)).map((line) => ({ ...line, line: line.line + 2 })),
    );
    const rows = await rowsBy('lines', slow, fixed, space);
    for (const line of plain.lines) {
      assert.equal(line.side, side);
      const row = rows.find(
        (one) => one[`${side}File`] === line.file && one[`${side}Line`] === line.recordedLine,
      );
      assert.equal(line.status, row.status);
      assert.deepEqual(line.self, {
        baselineUs: row.baselineUs,
        candidateUs: row.candidateUs,
        deltaUs: row.deltaUs,
      });
      assert.equal(line.total.deltaUs, row.deltaHostTotalUs);
    }
    // Classes are matched across both files; their figures are those of each side's own source.
    const lensOf = async ({ profileId }, file) => {
      const params = {
        profileId,
        ...space,
        path: cnn(file),
        text: readFileSync(cnn(file), 'utf8'),
      };
      const { lenses } = await daemon.request('source/annotations', params);
      return lenses.find(({ name: own }) => own === 'SmallCnn');
    };
    const [before, after] = [await lensOf(slow, 'slow.py'), await lensOf(fixed, 'fixed.py')];
    const [net] = plain.classes.filter(({ function: own }) => own === 'SmallCnn');
    assert.equal(net.line, (side === 'candidate' ? after : before).line);
    assert.deepEqual([net.status, net.side], ['both', side === 'candidate' ? side : net.side]);
    assert.deepEqual(
      [net.total.baselineUs, net.total.candidateUs, net.baselineCalls, net.candidateCalls],
      [before.hostUs, after.hostUs, before.calls, after.calls],
    );
    assert.deepEqual(
      moved.classes,
      plain.classes.map((one) => ({ ...one, line: one.line + 2 })),
    );
    // What a text has that no side ran, or ran on one side alone, says so.
    const other = side === 'candidate' ? 'new' : 'gone';
    assert.ok(plain.lines.some(({ status }) => status === other));
    assert.ok(plain.lines.every(({ status }) => status === 'both' || status === other));
  }
});

test('what only the baseline ran stands at its own line of a text that both share', async () => {
  // One file, of which the candidate ran one line less.
  const [slow] = await cnnSides();
  const steps = (steps) => ({ profileId: slow.profileId, steps });
  const names = (await daemon.request('profile/load', { profileId: slow.profileId })).steps.map(
    ({ name }) => name,
  );
  const text = readFileSync(cnn('slow.py'), 'utf8');
  const params = { ...space, path: cnn('slow.py'), text };
  const answer = await compare('annotations', steps('all'), steps(names[0]), params);
  assert.equal(answer.per, 'step');
  for (const { line, recordedLine, stale } of answer.lines) {
    assert.equal(stale, false);
    if (recordedLine > 1) assert.equal(line, recordedLine);
  }
  const nowhere = await compare('annotations', steps('all'), steps(names[0]), {
    ...params,
    path: cnn('other.py'),
    text: 'print(1)\n',
  });
  assert.deepEqual(
    [nowhere.files, nowhere.lines, nowhere.functions, nowhere.classes],
    [[], [], [], []],
  );
});

test("the baseline's lines follow from the text of its revision to that of now", async () => {
  // On disk stands what the candidate ran: the baseline's file with seven lines more.
  const [slow, fixed] = await cnnSides();
  const recorded = readFileSync(cnn('slow.py'), 'utf8');
  const now = `${'# A note.\n'.repeat(7)}${recorded}`;
  const path = join(folder, 'train_cnn', 'slow.py');
  mkdirSync(join(folder, 'train_cnn'), { recursive: true });
  writeFileSync(path, now);
  const params = { sourceRoots: [folder], path, text: now };
  const shifts = async (more) => {
    const { lines, functions } = await compare('annotations', slow, fixed, { ...params, ...more });
    const inside = lines.filter(({ recordedLine }) => recordedLine > 1);
    assert.ok(inside.length > 5 && functions.length > 2);
    assert.ok(lines.every(({ stale, side }) => !stale && side === 'baseline'));
    return new Set([...inside, ...functions].map((one) => one.line - one.recordedLine));
  };
  assert.deepEqual(await shifts({}), new Set([0]));
  const revision = { baselineRevision: '0'.repeat(40), baselineText: recorded };
  assert.deepEqual(await shifts(revision), new Set([7]));
  assert.deepEqual(await shifts({}), new Set([0]), 'the text of a revision is of no other one');
  const { rows } = await compare('table', slow, fixed, { by: 'lines', ...params, ...revision });
  assert.ok(rows.length > 0);
});

test('collectives are compared by operation and size, with bytes and both times', async () => {
  const allReduce = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
  const allGather = 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
  const withCalls = (calls) => ({
    layers: () => [...plainLayers(), layer('DDP_0', 'c10d::allreduce_', calls)],
  });
  const baseline = await drawn(withCalls({ [allReduce]: 100 }));
  const candidate = await drawn(withCalls({ [allReduce]: 140, [allGather]: 30 }));
  const answer = await compare('table', baseline, candidate, { by: 'communication' });
  const [grown, added, ...rest] = answer.rows;
  assert.deepEqual(rest, []);
  assert.equal(answer.measure, 'deviceUs');
  assert.deepEqual(
    [grown.status, grown.baselineUs, grown.candidateUs, grown.deltaUs, grown.candidateCalls],
    ['both', 300, 420, 120, 3],
  );
  assert.equal(grown.baselineBandwidth, null, 'no size was recorded');
  assert.deepEqual([added.status, added.candidateUs, added.baselineCalls], ['new', 90, 0]);
  for (const row of await rowsBy('communication', candidate, candidate)) {
    assert.equal(row.deltaUs, 0, row.name);
  }
  const table = await emberline([
    ...['diff', baseline.path, candidate.path, '--by', 'communication', '--format', 'json'],
  ]);
  assert.deepEqual(
    JSON.parse(table.stdout).rows.map(({ deltaUs }) => deltaUs),
    [120, 90],
  );
});

test('a kernel in the place of another is replaced, one that only came is new', async () => {
  const baseline = await drawn();
  const candidate = await drawn({
    layers: () => [
      ...changed('Linear_0', layer('Linear_0', 'aten::addmm', { hgemm_128x64: 20 })),
      layer('Softmax_0', 'aten::softmax', { softmax_kernel: 55 }),
    ],
  });
  const status = Object.fromEntries(
    (await rowsBy('kernels', baseline, candidate)).map((row) => [row.name, row.status]),
  );
  assert.deepEqual(status, {
    sgemm_128x64: 'replaced',
    softmax_kernel: 'new',
    hgemm_128x64: 'replaced',
    sgemm_64x64: 'both',
    layer_norm_kernel: 'both',
    gather_kernel: 'both',
    relu_kernel: 'both',
  });
});

/** The slices of a trace with their names, by what they are. */
async function slicesOf({ profileId }, name) {
  const { results } = await daemon.request('timeline/search', { profileId, name, limit: 200 });
  return results;
}

test('the clocks of a trace and itself are one, and knots mirror when sides are swapped', async () => {
  const baseline = await drawn();
  const candidate = await drawn({ layers: planted['a slower kernel'].layers });
  const own = await compare('timeline', baseline, baseline);
  assert.ok(own.baselineNs.length > 30, `${own.baselineNs.length} knots`);
  assert.deepEqual(own.baselineNs, own.candidateNs);
  const there = await compare('timeline', baseline, candidate);
  const back = await compare('timeline', candidate, baseline);
  assert.deepEqual(there.baselineNs, back.candidateNs);
  assert.deepEqual(there.candidateNs, back.baselineNs);
  for (const list of [there.baselineNs, there.candidateNs]) {
    assert.ok(list.every((ns, at) => at === 0 || ns >= list[at - 1]));
  }
  // Every begin and end of what is matched is a knot; Linear_1 ends 100 us later in each step.
  const [before, after] = [
    await slicesOf(baseline, 'nn.Module: Linear_1'),
    await slicesOf(candidate, 'nn.Module: Linear_1'),
  ];
  assert.equal(before.length, 3);
  before.forEach((slice, step) => {
    for (const [end, late] of [
      [0, 0],
      [1, 100],
    ]) {
      const at = slice.startNs + end * slice.durationNs;
      const knot = there.baselineNs.lastIndexOf(at);
      const other = after[step].startNs + end * after[step].durationNs;
      assert.ok(knot >= 0, `no knot at ${at}`);
      assert.equal(there.candidateNs[knot], other);
      assert.equal(other - at, step * 100_000 + late * 1000);
    }
  });
  const window = { startNs: before[1].startNs, endNs: before[1].startNs + 1 };
  const near = await compare('timeline', baseline, candidate, window);
  assert.ok(near.baselineNs.includes(before[1].startNs));
});

test('every slice of a trace is its own match, and a match leads back', async () => {
  const baseline = await drawn();
  const candidate = await drawn({ layers: planted['a slower kernel'].layers });
  const names = ['nn.Module: Linear_1', 'aten::addmm', 'cudaLaunchKernel', 'sgemm_64x64'];
  for (const name of names) {
    const slices = await slicesOf(baseline, name);
    const others = await slicesOf(candidate, name);
    assert.equal(slices.length, others.length);
    assert.ok(slices.length > 0, name);
    for (const [at, { slice }] of slices.entries()) {
      const own = await compare('slice', baseline, baseline, { side: 'baseline', slice });
      assert.deepEqual([own.status, own.slice?.slice], ['both', slice], name);
      const there = await compare('slice', baseline, candidate, { side: 'baseline', slice });
      assert.deepEqual([there.status, there.slice?.slice], ['both', others[at].slice], name);
      const back = await compare('slice', baseline, candidate, {
        side: 'candidate',
        slice: there.slice.slice,
      });
      assert.deepEqual([back.status, back.slice?.slice], ['both', slice], name);
      assert.equal(back.path, there.path);
    }
  }
});

test('a slice that the other side lacks is gone, new, or replaced', async () => {
  const baseline = await drawn();
  const removed = await drawn({ layers: planted['a removed layer'].layers });
  const other = await drawn({ layers: planted['another dtype'].layers });
  const [{ slice }] = await slicesOf(baseline, 'nn.Module: Linear_0');
  const gone = await compare('slice', baseline, removed, { side: 'baseline', slice });
  assert.deepEqual([gone.status, gone.slice], ['gone', null]);
  const came = await compare('slice', removed, baseline, { side: 'candidate', slice });
  assert.deepEqual([came.status, came.slice], ['new', null]);
  // Another kernel of the same operator is its match.
  const [kernel] = await slicesOf(baseline, 'sgemm_128x64');
  const [theirs] = await slicesOf(other, 'hgemm_128x64');
  const found = await compare('slice', baseline, other, { side: 'baseline', slice: kernel.slice });
  assert.equal(found.slice.slice, theirs.slice);
  await assert.rejects(
    compare('slice', baseline, other, { side: 'baseline', slice: 1e9 }),
    /slice/i,
  );
});

test('a trace that cannot be read names its side', async () => {
  const good = await drawn();
  const path = join(folder, 'notes.json');
  writeFileSync(path, '{"a": 1}');
  const missing = await emberline(['diff', good.path, join(folder, 'nowhere.json')]);
  assert.equal(missing.status, 3);
  const broken = await emberline(['diff', good.path, path]);
  assert.equal(broken.status, 3);
});

test('names in Markdown stay text', async () => {
  const name = '[click](http://evil) <img src=x> | `a` *b*';
  // What becomes a link by itself: on GitHub some of it whatever stands before it, but in code.
  const addresses = [
    'ftp://evil.example/x',
    'HTTPS://EVIL.example/?a=1&b=_2_',
    'WWW.evil.example',
    'evil.example',
    'me@evil.example',
    '@everybody',
    'owner/project#12',
    'train.py:12',
  ];
  const plain = ['**x** __init__ ~~y~~ $z$', 'a.5 1.5 end.', '# h', 'k`a.b`[y](z.q)`'];
  const kernels = Object.fromEntries([name, ...addresses, ...plain].map((n, i) => [n, 500 + i]));
  const baseline = await drawn();
  const candidate = await drawn({
    layers: () => changed('ReLU_0', layer('ReLU_0', 'aten::relu', kernels)),
  });
  const { stdout } = await emberline([
    'diff',
    baseline.path,
    candidate.path,
    '--by',
    'kernels',
    '--format',
    'markdown',
    '--limit',
    '-1',
  ]);
  assert.match(stdout, /\\\[click\\\]\\\(`http:\/\/evil`\\\) \\<img src=x\\> \\\|/);
  for (const address of addresses) assert.ok(stdout.includes(`| \`${address}\` |`), address);
  assert.match(stdout, /\| a\.5 1\.5 end\. \|/);
  const table = stdout.slice(stdout.indexOf('\n|'));
  assert.doesNotMatch(marked.parse(table, { gfm: true }), /<(?:a|img|em|strong|del|h\d)\b/i);
});

test('HTA: the kernels of one iteration', { skip: withoutCorpus }, async () => {
  // HTA compares the first iteration by name: 3 copies inside the device became 768, and
  // cutlass::Kernel went from 273 calls to none.
  const path = (name) => join(corpus, 'hta', 'trace_diff', name, `${name}.json.gz`);
  const open = async (name, steps) => ({
    ...(await daemon.request('profile/open', { path: path(name) })),
    steps,
  });
  const [control, test_] = [await open('control', '1009'), await open('test', '1009')];
  const rows = await rowsBy('kernels', control, test_);
  const cutlass = rows.filter((row) => /cutlass/.test(row.name));
  assert.equal(
    cutlass.reduce((sum, row) => sum + row.baselineCalls, 0),
    273,
  );
  assert.equal(
    cutlass.reduce((sum, row) => sum + row.candidateCalls, 0),
    0,
  );
});
