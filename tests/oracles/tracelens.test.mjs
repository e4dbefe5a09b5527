// What TraceLens reports for operators of its own traces (the CSV files beside them in its repository):
// operations, bytes, operations per byte and rate. Equal here, or different for a reason that is named
// and whose size is computed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { corpus, emberlineJson, withoutCorpus } from '../lib/cli.mjs';

const published = JSON.parse(readFileSync(new URL('tracelens.json', import.meta.url), 'utf8'));

const product = (numbers) => numbers.reduce((all, one) => all * one, 1);
/** "M=788,N=768" to { M: 788, N: 768 }. */
const sizesOf = (params) =>
  Object.fromEntries([...params.matchAll(/(\w+)=(\d+)/g)].map(([, key, size]) => [key, +size]));
/** Elements of the tensor that the parameters begin with, and of its last dimension. */
function tensorOf(params) {
  const sizes = /T=\[([\d,]+)\]/.exec(params)[1].split(',').map(Number);
  return { n: product(sizes), last: sizes.at(-1) };
}
/** Bytes of a part of the formula: "saved statistics 6304". */
const partOf = (formula, part) => Number(new RegExp(`${part} (\\d+)`).exec(formula)?.[1] ?? 0);

/**
 * Why TraceLens' figure is another one: what it is, from ours. `time`: it counts time that is no kernel
 * of the operator.
 */
const reasons = {
  // Adding the bias counts, one operation per element.
  bias: {
    flops: ({ flops }, { params }) => {
      const { M, N } = sizesOf(params);
      return flops + M * N;
    },
  },
  // What forward saves for backward is written, too; TraceLens leaves it out.
  statistics: {
    bytes: ({ bytes, bytesFormula }) => bytes - partOf(bytesFormula, 'log-sum-exp'),
  },
  // Each copied element is an operation there.
  copies: { flops: (_, { params }) => tensorOf(params).n },
  // Its dimensions are texts, which TraceLens skips: all results are taken for one.
  reduction: {
    flops: (_, { params }) => tensorOf(params).n,
    bytes: ({ bytes, bytesFormula }) => bytes - partOf(bytesFormula, 'written out') + 4,
  },
  // It takes layers for batch normalization in training: 5 operations per element and 6 per channel
  // instead of 8 per element, and statistics of channels that are read and written, not saved ones.
  layerNorm: {
    flops: (_, { params }) => {
      const { n, last } = tensorOf(params);
      return 5 * n + 6 * last;
    },
    bytes: ({ bytes, bytesFormula }, { params }) =>
      bytes - partOf(bytesFormula, 'saved statistics') + 4 * tensorOf(params).last * 2,
  },
  // Two more per row, for mean and root.
  rmsNorm: {
    flops: ({ flops }, { params }) => {
      const { n, last } = tensorOf(params);
      return flops + (2 * n) / last;
    },
  },
  // Half a square instead of a triangle with its diagonal.
  diagonal: {
    flops: ({ flops }, { params }) => {
      const { Sq } = sizesOf(params);
      return (flops * Sq) / (Sq + 1);
    },
  },
  // Where each key and value goes is read, too.
  slots: { bytes: ({ bytes, bytesFormula }) => bytes - partOf(bytesFormula, 'slots') },
  // Memory that is set before, and for aten::convolution the bias that is added behind.
  otherWork: { time: true },
};

/** Why a figure of TraceLens is unknown here. */
const unknown = {
  // It takes experts as wide as the hidden state, which no recorded argument says.
  experts: /^(?!aten::)/,
  // It reads the lengths of the sequences from the text of an annotation of vLLM.
  lengths: /unified_attention|paged/,
};

const close = (ours, theirs, tolerance, what) =>
  assert.ok(
    Math.abs(ours - theirs) <= tolerance * Math.abs(theirs),
    `${what}: ${ours}, TraceLens has ${theirs}`,
  );

const traces = new Map();
for (const row of published) traces.set(row.trace, [...(traces.get(row.trace) ?? []), row]);

for (const [trace, rows] of traces) {
  test(`TraceLens on ${trace}`, { skip: withoutCorpus }, async () => {
    const list = await emberlineJson('kernelList', join(corpus, trace), '--limit', '-1');
    for (const row of rows) {
      const label = `${row.operator} ${row.shapes}`;
      if (row.reasons.some((reason) => reason in unknown)) continue;
      const kernels = list.rows.filter(
        ({ owner, params }) => owner === row.owner && params === row.params,
      );
      assert.ok(kernels.length > 0, `${label}: no kernel of ${row.owner} ${row.params}`);
      const sum = (key) => kernels.reduce((all, one) => all + one[key], 0);
      // One call; its kernels share what it costs.
      const ours = {
        flops: sum('flops') / row.calls,
        bytes: sum('bytes') / row.calls,
        bytesFormula: kernels.find(({ bytesFormula }) => bytesFormula !== null)?.bytesFormula,
      };
      const named = row.reasons.map((reason) => reasons[reason]);
      const expected = { ...ours };
      for (const reason of named) {
        if (reason.flops) expected.flops = reason.flops(expected, row);
        if (reason.bytes) expected.bytes = reason.bytes(expected, row);
      }
      // A reason that explains nothing is none.
      for (const reason of named) {
        if (reason.flops) assert.notEqual(expected.flops, ours.flops, `${label}: no difference`);
        if (reason.bytes) assert.notEqual(expected.bytes, ours.bytes, `${label}: no difference`);
      }
      close(expected.flops, row.gflops * 1e9, 1e-9, `${label}: operations`);
      close(expected.bytes, row.mebibytes * 2 ** 20, 1e-9, `${label}: bytes`);
      const intensity = (row.gflops * 1e9) / (row.mebibytes * 2 ** 20);
      close(expected.flops / expected.bytes, intensity, 1e-9, `${label}: operations per byte`);
      const us = sum('sil') / 1000;
      if (named.some(({ time }) => time)) {
        assert.ok(us < row.kernelUs, `${label}: TraceLens counts other work, too`);
      } else {
        // It keeps times as multiples of 1/1024 us.
        close(us, row.kernelUs, 1e-3, `${label}: kernel time`);
        // Its rate is the mean of the calls' rates.
        const rates = kernels.map(({ sil }) => expected.flops / (sil * 1000));
        if (kernels.length === row.calls) {
          const mean = rates.reduce((all, one) => all + one, 0) / rates.length;
          close(mean, row.teraflopsPerS, 1e-3, `${label}: TFLOP/s`);
        }
      }
    }
  });
}

test('what TraceLens guesses is unknown here', { skip: withoutCorpus }, async () => {
  const guessed = published.filter((row) => row.reasons.some((reason) => reason in unknown));
  assert.ok(guessed.length > 0);
  for (const trace of new Set(guessed.map((row) => row.trace))) {
    const { rows, totals } = await emberlineJson('cost', join(corpus, trace));
    assert.ok(totals.unknownFlopsShare > 0);
    for (const [reason, pattern] of Object.entries(unknown)) {
      const named = rows.filter(({ name }) => name !== null && pattern.test(name));
      assert.ok(
        named.some(({ flops, unknown: why }) => flops === null && why !== null),
        `${reason}: ${trace} has figures`,
      );
    }
  }
});
