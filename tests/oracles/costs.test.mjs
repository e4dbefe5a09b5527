// Costs of real traces: no modeled operator above its device's peak without a named reason, sums that
// add up, and the layers of two networks counted by hand.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emberlineJson } from '../lib/cli.mjs';
import { corpusFiles, readText } from './corpus.mjs';

/** Why a kernel may need less time than its device's peaks ask for; undefined where it may not. */
function reasonAbove(row, rows, device, strides) {
  const seconds = row.sil * 1e-9;
  if (row.bound !== 'memory') {
    // Fewer multiplications than the direct algorithm, which the formula counts. Its product is a
    // plain GEMM between kernels that transform.
    const near = rows.slice(Math.max(0, row.idx - 4), row.idx + 3);
    const other = near.some(({ owner, name }) => owner === row.owner && /winograd|fft/i.test(name));
    return other ? 'another algorithm' : undefined;
  }
  if (/upper bound/.test(row.note ?? '')) return 'upper bound';
  if (/estimate/.test(row.note ?? '')) return 'estimate';
  const memory = device.bandwidths.find(({ level }) => level === 'memory');
  const cache = device.bandwidths.find(({ level }) => level === 'cache');
  const bytes = row.bytes - (cache?.sizeMib ?? 0) * 2 ** 20;
  // Times are recorded in whole microseconds in old traces.
  if (bytes / (memory.gbPerS * 1e9) <= seconds + 0.5e-6) return 'caches';
  // An expanded tensor is stored once, which only strides tell.
  if (!strides) return 'strides were not recorded';
  return undefined;
}

const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1);

for (const { name, file, isTrace } of corpusFiles()) {
  if (!isTrace || name.includes('capture_traces/')) continue;
  test(`${name}: no modeled operator above its device's peak`, async () => {
    const list = await emberlineJson('kernelList', file);
    if (list.rows.length === 0) return;
    const cost = await emberlineJson('cost', file);
    const devices = new Map(cost.devices.map((device) => [device.device, device]));
    const strides = readText(file).includes('"Input Strides"');
    const above = list.rows.filter((row) => row.roofShare !== null && row.roofShare > 1);
    const unexplained = above.filter(
      (row) => reasonAbove(row, list.rows, devices.get(row.device), strides) === undefined,
    );
    assert.deepEqual(
      unexplained.map(({ owner, kernel, params, sil, roofShare, bound }) => ({
        owner,
        kernel,
        params,
        sil,
        roofShare,
        bound,
      })),
      [],
    );
    // Every kernel is in both, with the same sums.
    const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);
    assert.equal(sum(cost.rows, 'kernels'), list.rows.length);
    assert.ok(close(sum(cost.rows, 'flops'), sum(list.rows, 'flops')));
    assert.ok(close(sum(cost.rows, 'totalUs') * 1000, sum(list.rows, 'sil')));
    assert.ok(cost.totals.unknownShare >= 0 && cost.totals.unknownShare <= 1);
  });
}

const found = (ending) => corpusFiles().find(({ name }) => name.endsWith(ending))?.file;

test('a vision transformer on H100: FLOPs of its layers by hand', async (t) => {
  const file = found('h100/Falconsai_nsfw_image_detection__1016002.json.gz');
  if (file === undefined) return t.skip('no corpus');
  const { rows } = await emberlineJson('cost', file);
  const flops = (operator) => rows.find((row) => row.name === operator)?.flops;
  // 4 images of 196 patches and a class token, width 768, 12 layers of 4 projections and an MLP of
  // 3072; a pooler for the 4 class tokens.
  const tokens = 4 * 197;
  const layer = 2 * tokens * (4 * 768 * 768 + 2 * 768 * 3072);
  const pooler = 2 * 4 * 768 * 768;
  assert.equal(flops('aten::addmm'), 12 * layer + pooler);
  assert.equal(flops('aten::_flash_attention_forward'), 12 * 476_884_992);
  assert.equal(flops('aten::cudnn_convolution'), 924_844_032);
});

test('ResNet-18 on MI300X: FLOPs by hand, backward twice forward', async (t) => {
  const file = found('mi300/ddp_resnet18_no_pool/train_resnet18.json.gz');
  if (file === undefined) return t.skip('no corpus');
  const list = await emberlineJson('kernelList', file);
  const steps = new Set(list.rows.filter(({ step }) => step !== null).map(({ step }) => step));
  // 512 images: stem 7x7, then 4 stages of 2 blocks of 2 convolutions 3x3 and a 1x1 shortcut.
  const conv = (channels, inputs, size, window) =>
    2 * 512 * channels * inputs * size ** 2 * window ** 2;
  let forward = conv(64, 3, 112, 7);
  for (const [channels, inputs, size] of [
    [64, 64, 56],
    [128, 64, 28],
    [256, 128, 14],
    [512, 256, 7],
  ]) {
    forward += conv(channels, inputs, size, 3) + 3 * conv(channels, channels, size, 3);
    if (channels !== inputs) forward += conv(channels, inputs, size, 1);
  }
  const of = (owner) =>
    list.rows.filter((row) => row.owner === owner).reduce((sum, { flops }) => sum + flops, 0);
  const forwards = of('aten::miopen_convolution') / forward;
  assert.ok(forwards >= 1, `${forwards} of ${steps.size}`);
  assert.equal(forwards, Math.round(forwards));
  // The first layer's input needs no gradient.
  const backward = 2 * forward - conv(64, 3, 112, 7);
  assert.equal(of('aten::convolution_backward') / backward, forwards);
});

test('ResNet-50 on V100, recorded without numbers: convolutions by the sizes of backward', async (t) => {
  const file = found('resnet50_num_workers_4/worker0.1623212756351.pt.trace.json.gz');
  if (file === undefined) return t.skip('no corpus');
  const { rows, totals } = await emberlineJson('cost', file);
  const flops = (operator) => rows.find((row) => row.name === operator)?.flops;
  // 32 images in each of 6 steps: stem 7x7, then stages of bottlenecks 1x1, 3x3, 1x1, of which the
  // first has a shortcut and strides in its 3x3.
  const conv = (channels, inputs, size, window) =>
    2 * 6 * 32 * channels * inputs * size ** 2 * window ** 2;
  const stem = conv(64, 3, 112, 7);
  let all = stem;
  for (const [blocks, width, inputs, size, before] of [
    [3, 64, 64, 56, 56],
    [4, 128, 256, 28, 56],
    [6, 256, 512, 14, 28],
    [3, 512, 1024, 7, 14],
  ]) {
    all += conv(width, inputs, before, 1) + conv(4 * width, inputs, size, 1);
    all += (blocks - 1) * conv(width, 4 * width, size, 1);
    all += blocks * (conv(width, width, size, 3) + conv(4 * width, width, size, 1));
  }
  assert.equal(flops('aten::cudnn_convolution'), all);
  assert.equal(flops('aten::cudnn_convolution_backward_weight'), all);
  // The first layer's input needs no gradient.
  assert.equal(flops('aten::cudnn_convolution_backward_input'), all - stem);
  assert.ok(totals.unknownFlopsShare < 0.1, String(totals.unknownFlopsShare));
});
