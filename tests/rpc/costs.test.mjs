// Kernel list, costs and roofline through the real daemon and command line.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { emberline } from '../lib/cli.mjs';
import { openDrawn, validate } from './daemon.mjs';

let folder, file, daemon, profileId, close;

const types = (...names) => names.map((name) => (name === '' ? 'Scalar' : name));

/** Two steps, each with a product of 4096^3 on half of the peak, a custom operator, a lost kernel. */
function drawn() {
  const events = [];
  const slice = (cat, name, pid, tid, ts, dur, args = {}) =>
    events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  for (const step of [0, 1]) {
    const at = step * 2000;
    slice('user_annotation', `ProfilerStep#${step + 1}`, 1, 1, at, 1900);
    slice('cpu_op', 'aten::mm', 1, 1, at + 10, 50, {
      'Input Dims': [
        [4096, 4096],
        [4096, 4096],
      ],
      'Input type': types('c10::BFloat16', 'c10::BFloat16'),
    });
    slice('cpu_op', 'my op::fused', 1, 1, at + 100, 50, {
      'Input Dims': [[1000], []],
      'Input type': types('float', ''),
      'Concrete Inputs': ['', '3'],
    });
    for (const [i, ts] of [20, 110].entries()) {
      slice('cuda_runtime', 'cudaLaunchKernel', 1, 1, at + ts, 5, {
        correlation: step * 10 + i + 1,
      });
    }
    const kernel = { device: 0, stream: 7, grid: [8, 1, 1], block: [128, 1, 1] };
    slice('kernel', 'nvjet_tst<a, b>', 0, 7, at + 200, 277.8, {
      ...kernel,
      correlation: step * 10 + 1,
    });
    slice('kernel', 'mine', 0, 7, at + 600, 10, { ...kernel, correlation: step * 10 + 2 });
    slice('kernel', 'lost', 0, 7, at + 700, 10, { ...kernel, correlation: 900 + step });
  }
  return JSON.stringify({
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: 'NVIDIA H100 80GB HBM3', computeMajor: 9, numSms: 132 }],
    traceEvents: events,
  });
}

before(async () => {
  ({ folder, file, daemon, profileId, close } = await openDrawn(drawn));
});
after(() => close?.());

async function ask(method, params = {}) {
  const result = await daemon.request(method, { profileId, ...params });
  validate(method, 'result', result);
  return result;
}

const rules = [
  { name: 'my op::.*', flops: '2 * numel(0) * value(1)', readBytes: 'bytes(0)', writtenBytes: '0' },
];

test('each kernel is a row, in pages', async () => {
  const all = await ask('view/kernelList');
  assert.equal(all.totalRows, 6);
  const [product, custom, lost] = all.rows;
  assert.equal(product.flops, 2 * 4096 ** 3);
  assert.equal(product.bytes, 3 * 2 * 4096 ** 2);
  assert.ok(Math.abs(product.roofShare - 0.5) < 0.001);
  assert.equal(product.kernel, 'nvjet_tst');
  assert.equal(product.grid, '8,1,1');
  assert.equal(custom.flops, null);
  assert.equal(lost.op, null);
  const page = await ask('view/kernelList', { offset: 4, limit: 1, sort: '-sil' });
  assert.equal(page.rows.length, 1);
  assert.equal(page.totalRows, 6);
  assert.equal((await ask('view/kernelList', { filter: 'op:mm' })).totalRows, 2);
  assert.equal((await ask('view/kernelList', { steps: '2' })).totalRows >= 2, true);
  assert.equal((await ask('view/kernelList', { costMode: 'pyprof2' })).rows[2].flops, 0);
});

test('rules and peaks of the user go before the tables', async () => {
  const own = await ask('view/kernelList', { costRules: rules });
  assert.equal(own.rows[1].flops, 6000);
  assert.equal(own.rows[1].bytes, 4000);
  const peaks = [{ name: 'h100', bf16: 2 * 989.4 }];
  const slow = await ask('view/kernelList', { devicePeaks: peaks });
  assert.ok(Math.abs(slow.rows[0].roofShare - 0.25) < 0.001);
  await assert.rejects(
    ask('view/cost', { costRules: [{ name: 'x', flops: '1 +' }] }),
    /cannot be read/,
  );
  await assert.rejects(
    ask('view/cost', { costRules: [{ name: '(', flops: '1' }] }),
    /cannot be used/,
  );
  await assert.rejects(ask('view/cost', { devicePeaks: [{ name: 'x', bf16: -1 }] }), /bf16/);
  await assert.rejects(ask('view/cost', { whatIf: 'abacus' }), /abacus/);
});

test('costs add up, and say how much is unknown', async () => {
  for (const groupBy of ['operator', 'shape', 'kernel', 'module', 'line', 'class']) {
    const { rows, totals } = await ask('view/cost', { groupBy });
    assert.equal(
      rows.reduce((sum, { flops }) => sum + (flops ?? 0), 0),
      4 * 4096 ** 3,
    );
    assert.equal(totals.kernels, 6);
    assert.ok(Math.abs(totals.unknownShare - 40 / 595.6) < 1e-6);
  }
  const { utilization, devices } = await ask('view/cost');
  assert.equal(utilization.unit, 'bf16 matrix');
  assert.equal(devices[0].known, 'NVIDIA H100 SXM5 80 GB');
  assert.ok(utilization.mfu > 0 && utilization.mfu === utilization.hfu);
});

test('the roofline ranks what could be saved, and predicts other devices', async () => {
  const { rows, findings, target, whatIf } = await ask('view/roofline', {
    target: 1,
    whatIf: 'B200',
  });
  assert.equal(target, 1);
  assert.equal(rows[0].name, 'aten::mm');
  assert.ok(Math.abs(rows[0].savedUs - 277.8) < 0.5);
  assert.ok(Array.isArray(findings));
  assert.ok(whatIf.predictedKernelUs < whatIf.kernelUs);
  assert.ok(Math.abs(whatIf.unscaledShare - 40 / 595.6) < 1e-6);
  assert.ok(whatIf.predictedBusyUs < whatIf.busyUs);
  assert.ok(whatIf.predictedStepUs <= whatIf.stepUs);
  assert.match(whatIf.accuracy, /off by \d+ to \d+ %/);
  const own = [{ name: 'My device', fp32: 1, bf16: 1, memoryGbPerS: 1 }];
  const slow = await ask('view/roofline', { whatIf: 'My device', devicePeaks: own });
  assert.deepEqual(slow.knownDevices.slice(0, 1), ['My device']);
  assert.ok(slow.knownDevices.includes('NVIDIA B200'));
  assert.ok(slow.whatIf.predictedStepUs > 10 * slow.whatIf.stepUs);
});

test('kernels --each speaks to awk, spreadsheets and documents', async () => {
  const run = async (...args) => {
    const { status, stdout, stderr } = await emberline(['kernels', file, '--each', ...args]);
    return { status, stdout, stderr, lines: stdout.trimEnd().split('\n') };
  };
  const words = await run('-c', 'idx,op,kernel,flops,tc');
  assert.deepEqual(words.lines[0].split(' '), ['idx', 'op', 'kernel', 'flops', 'tc']);
  assert.equal(words.lines.length, 7);
  assert.equal(words.lines[2], '2 my_op::fused mine - -');
  const narrow = await run('-w', '6', '-c', 'kernel,idx', '--limit', '2');
  assert.equal(narrow.lines.length, 3);
  assert.equal(narrow.lines[1], 'nvjet… 1');
  const csv = await run('--format', 'csv', '-c', 'idx,bytes');
  assert.deepEqual(csv.stdout.split('\r\n').slice(0, 2), ['idx,bytes', '1,100663296']);
  assert.match((await run('--format', 'markdown', '-c', 'idx')).stdout, /^\| \\# \|/);
  assert.deepEqual(
    Object.keys(JSON.parse((await run('--format', 'json', '-c', 'op')).stdout).rows[0]),
    ['op'],
  );
  const wrong = await run('-c', 'idx,nothing');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /no column "nothing"/);
  const rulesFile = join(folder, 'rules.json');
  writeFileSync(rulesFile, JSON.stringify(rules));
  assert.equal((await run('--cost-rules', rulesFile, '-c', 'flops')).lines[2], '6000');
  assert.equal((await run('--cost-rules', join(folder, 'none.json'))).status, 3);
});
