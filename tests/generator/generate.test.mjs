// The generator itself: its text is JSON, says what the answers say, and repeats with its seed.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';
import { dialects, traceText, writeTrace } from './generate.mjs';

const sum = (values) => values.reduce((total, value) => total + value, 0);

for (const dialect of Object.keys(dialects)) {
  test(`${dialect}: the text holds what the answers say`, () => {
    const { text, answers } = traceText({ dialect, events: 2500, seed: 5 });
    const document = JSON.parse(text);
    const events = Array.isArray(document) ? document : document.traceEvents;
    assert.equal(events.length, answers.events);
    assert.ok(answers.events > 2000 && answers.events < 4000, `${answers.events} events`);

    const phases = {};
    for (const event of events) phases[event.ph] = (phases[event.ph] ?? 0) + 1;
    assert.deepEqual(phases, answers.phases);
    assert.equal(answers.slices, sum(Object.values(answers.slicesByMeaning)));
    assert.equal((phases.X ?? 0) + (phases.B ?? 0), answers.slices);
    assert.equal(phases.E, phases.B);

    answers.steps.forEach((step, index) => {
      const parts = sum(Object.values(answers.breakdown[index]));
      assert.equal(parts, step.endNs - step.beginNs, `parts of step ${step.name}`);
    });
    for (const [name, row] of Object.entries(answers.operators)) {
      assert.ok(row.hostSelfNs > 0 && row.hostSelfNs <= row.hostTotalNs, name);
      assert.ok(row.deviceSelfNs <= row.deviceTotalNs, name);
    }
  });
}

test('a seed repeats, another differs', () => {
  const options = { dialect: 'torch-2.8', events: 1000 };
  const first = traceText({ ...options, seed: 1 });
  assert.equal(first.text, traceText({ ...options, seed: 1 }).text);
  assert.notEqual(first.text, traceText({ ...options, seed: 2 }).text);
});

test('files, plain and packed, hold the same text', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'emberline-generator-'));
  try {
    const options = { dialect: 'torch-2.6', events: 3000, seed: 9 };
    const { text } = traceText(options);
    const plain = path.join(folder, 'a.json');
    const packed = path.join(folder, 'a.json.gz');
    const answers = await writeTrace({ ...options, out: plain });
    await writeTrace({ ...options, out: packed });
    assert.equal(fs.readFileSync(plain, 'utf8'), text);
    assert.equal(zlib.gunzipSync(fs.readFileSync(packed)).toString(), text);
    assert.equal(answers.textBytes, Buffer.byteLength(text));
    await assert.rejects(writeTrace({ ...options, out: path.join(folder, 'missing', 'a.json') }));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test('an unknown dialect is refused by name', () => {
  assert.throws(
    () => traceText({ dialect: 'torch-0.1', events: 10 }),
    /unknown dialect torch-0\.1/,
  );
});
