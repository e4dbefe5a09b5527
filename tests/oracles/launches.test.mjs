// Launches of the whole trace and of its steps, against the events of the file: each kernel belongs to
// the step of its launch, or lies outside every step. On the smaller traces of the corpus.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { emberlineJson } from '../lib/cli.mjs';
import { corpusFiles, readText } from './corpus.mjs';

/** Larger files repeat the same kinds of events; they would only take time. */
const LIMIT_BYTES = 700_000;
const LAUNCHES = new Set(['cuda_runtime', 'cuda_driver', 'runtime']);

/** Kernels of the file by what launched them: inside a step, outside every step, not in the file. */
function kernelsOf(text) {
  const events = JSON.parse(text).traceEvents.filter(({ ph }) => ph === 'X');
  const category = (event) => (event.cat ?? '').toLowerCase();
  const steps = events.filter(
    (e) => /^(user_annotation|operator|cpu_op)$/.test(category(e)) && /^ProfilerStep#/.test(e.name),
  );
  const launches = new Map(
    events
      .filter((event) => LAUNCHES.has(category(event)))
      .map((event) => [event.args?.correlation, event]),
  );
  const found = { all: 0, inside: 0, outside: 0, unknown: 0 };
  for (const event of events) {
    if (category(event) !== 'kernel') continue;
    found.all++;
    const launch = launches.get(event.args?.correlation);
    if (launch === undefined) found.unknown++;
    else if (steps.some((s) => launch.ts >= s.ts && launch.ts < s.ts + s.dur)) found.inside++;
    else found.outside++;
  }
  return { ...found, steps: steps.length };
}

for (const { name, file, isTrace } of corpusFiles()) {
  if (!isTrace || name.startsWith('ascend/') || fs.statSync(file).size > LIMIT_BYTES) continue;
  test(`${name}: launches of the whole trace and of its steps`, async () => {
    const truth = kernelsOf(readText(file).toString('utf8'));
    if (truth.all === 0 || truth.steps === 0) return;
    const whole = await emberlineJson('kernels', file, '--limit', '1');
    assert.equal(whole.launches, truth.all);
    const { steps } = await emberlineJson('overview', file);
    // By number: two profilers in one process record a step twice.
    const numbers = [...new Set(steps.map((step) => step.name))];
    let inSteps = 0;
    for (const number of numbers) {
      const one = await emberlineJson('kernels', file, '--steps', number, '--limit', '1');
      assert.equal(one.launchesOutsideSteps, 0);
      inSteps += one.launches;
    }
    assert.equal(inSteps + whole.launchesOutsideSteps, whole.launches);
    // What has no launch in the file goes by its own time, on either side.
    assert.ok(inSteps >= truth.inside && inSteps <= truth.inside + truth.unknown, `${inSteps}`);
    assert.ok(whole.launchesOutsideSteps >= truth.outside);
  });
}
