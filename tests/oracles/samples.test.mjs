// The samples of this repository: their traces open without a problem, and their stacks lead to
// real lines of the programs beside them.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { allRows, assertCountsAddUp, emberlineJson, root } from '../lib/cli.mjs';

const samples = path.join(root, 'samples');
const traces = {
  'train_cnn/slow': { steps: ['1', '2', '3', '4'] },
  'train_cnn/fixed': { steps: ['1', '2', '3', '4'] },
  'transformer/train': { steps: ['1', '2', '3'] },
  'inference/classify': { steps: ['0'] },
};

const readTrace = (name) =>
  JSON.parse(zlib.gunzipSync(fs.readFileSync(path.join(samples, `${name}.pt.trace.json.gz`))));

/** The file of the repository that a frame of a sample names, or undefined for library frames. */
function sampleFile(recorded) {
  const relative = recorded.replace('/workspace/emberline-samples/', '');
  const file = path.join(samples, relative);
  return !path.isAbsolute(relative) && fs.existsSync(file) ? file : undefined;
}

for (const [name, { steps }] of Object.entries(traces)) {
  const file = path.join(samples, `${name}.pt.trace.json.gz`);

  test(`${name}: opens without a problem`, async () => {
    const check = await emberlineJson('check', file);
    assert.deepEqual(check.problems, []);
    assert.equal(check.events, readTrace(name).traceEvents.length);
    assertCountsAddUp(check, name);
    const overview = await emberlineJson('overview', file);
    assert.deepEqual(
      overview.steps.map((step) => step.name),
      steps,
    );
    const { rows } = await allRows('operators', file);
    assert.ok(rows.length > 20 && rows.every((row) => row.hostSelfUs <= row.hostTotalUs + 0.01));
  });

  test(`${name}: frames name functions of the programs`, () => {
    const seen = new Set();
    for (const event of readTrace(name).traceEvents) {
      const match = /^(.*\.py)\((\d+)\): (.*)$/.exec(event.name);
      if (event.cat !== 'python_function' || !match) continue;
      const source = sampleFile(match[1]);
      if (!source || seen.has(event.name)) continue;
      seen.add(event.name);
      const lines = fs.readFileSync(source, 'utf8').split('\n');
      const line = Number(match[2]);
      assert.ok(line <= lines.length, event.name);
      // Frames that were open when recording began name the line they stood at.
      if (/^(main|<.*>)$/.test(match[3])) continue;
      const near = lines.slice(line - 1, line + 1).join('\n');
      assert.match(near, new RegExp(`def ${match[3]}\\b`), event.name);
    }
    assert.ok(seen.size >= 6, `only ${seen.size} frames of the programs`);
  });

  test(`${name}: the truth file names lines of callers`, () => {
    const { traceEvents } = readTrace(name);
    const { frames } = JSON.parse(
      fs.readFileSync(path.join(samples, `${name}.truth.json`), 'utf8'),
    );
    assert.ok(frames.length > 100);
    let own = 0;
    for (const { event, file: recorded, line } of frames) {
      assert.equal(traceEvents[event].cat, 'python_function');
      const source = sampleFile(recorded);
      if (!source) continue;
      own += 1;
      assert.ok(line >= 1 && line <= fs.readFileSync(source, 'utf8').split('\n').length);
    }
    assert.ok(own > 30, `only ${own} calls from the programs`);
  });
}

test('train_cnn: slow loads data too slowly, fixed does not', async () => {
  const share = async (name) => {
    const overview = await emberlineJson('overview', path.join(samples, name));
    return overview.average.parts.dataLoader / overview.average.durationUs;
  };
  assert.ok((await share('train_cnn/slow.pt.trace.json.gz')) > 0.05);
  assert.ok((await share('train_cnn/fixed.pt.trace.json.gz')) < 0.05);
});

test('no path of the recording machine is in the samples', () => {
  for (const name of Object.keys(traces)) {
    for (const file of [`${name}.pt.trace.json.gz`, `${name}.truth.json`]) {
      const bytes = fs.readFileSync(path.join(samples, file));
      const text = (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString();
      assert.doesNotMatch(text, /"(\/root|\/home|\/usr|\/tmp)\//, file);
    }
  }
});
