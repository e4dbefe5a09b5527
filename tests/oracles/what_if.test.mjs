// Predictions for another device against the recordings of the same program on it: the answer says how
// far they are off, and this is where its words come from.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { corpus, emberlineJson, withoutCorpus } from '../lib/cli.mjs';

const programs = [
  'Falconsai_nsfw_image_detection__1016002',
  'Qwen_Qwen1.5-0.5B-Chat__1016005',
  'gaunernst_bert-small-uncased__1016001',
  'google_owlv2-large-patch14-ensemble__1016001',
];
const devices = { h100: 'H100 SXM', mi300: 'MI300X' };

const whatIf = async (folder, program, device) => {
  const file = join(corpus, 'tracelens', folder, `${program}.json.gz`);
  const { whatIf: prediction } = await emberlineJson(
    'roofline',
    file,
    '--what-if',
    device,
    '--limit',
    '1',
  );
  return prediction;
};

const off = (predicted, measured) => Math.abs(predicted / measured - 1);

/** "10 to 53 %" of a list of shares. */
const range = (shares) =>
  `${Math.round(100 * Math.min(...shares))} to ${Math.round(100 * Math.max(...shares))} %`;

test('predictions are as far off as the answer says', { skip: withoutCorpus }, async () => {
  const kernels = [];
  const steps = [];
  let words;
  for (const program of programs) {
    const measured = {};
    for (const [folder, own] of Object.entries(devices)) {
      measured[folder] = await whatIf(folder, program, own);
    }
    for (const [folder, other] of [
      ['h100', 'mi300'],
      ['mi300', 'h100'],
    ]) {
      const prediction = await whatIf(folder, program, devices[other]);
      words = prediction.accuracy;
      kernels.push(off(prediction.predictedKernelUs, measured[other].kernelUs));
      steps.push(off(prediction.predictedStepUs, measured[other].stepUs));
    }
  }
  assert.ok(
    words.includes(`kernel times were off by ${range(kernels)}`),
    `${words} ${range(kernels)}`,
  );
  assert.ok(words.includes(`step times by ${range(steps)}`), `${words} ${range(steps)}`);
});

test('a device is predicted to be as fast as itself', { skip: withoutCorpus }, async () => {
  for (const [folder, own] of Object.entries(devices)) {
    for (const program of programs) {
      const same = await whatIf(folder, program, own);
      assert.ok(off(same.predictedKernelUs, same.kernelUs) < 1e-6, program);
      assert.ok(off(same.predictedStepUs, same.stepUs) < 1e-6, program);
      assert.ok(off(same.predictedBusyUs, same.busyUs) < 1e-6, program);
    }
  }
});
