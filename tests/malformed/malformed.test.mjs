// The real program on damaged inputs: it opens what can be read and says what is missing, or
// refuses with a reason; it never crashes, hangs or forgets an event.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import zlib from 'node:zlib';
import { traceText } from '../generator/generate.mjs';
import { assertCountsAddUp, emberline, temporaryFolder } from '../lib/cli.mjs';
import { cases } from './cases.mjs';

const { folder, remove } = temporaryFolder('malformed');
after(remove);

let files = 0;
async function check(bytes, suffix = '.pt.trace.json') {
  const file = path.join(folder, `input${files++}${suffix}`);
  fs.writeFileSync(file, bytes);
  try {
    return await emberline(['check', file, '--format', 'json'], { timeoutMs: 60_000 });
  } finally {
    fs.rmSync(file);
  }
}

/** Whatever the input: an orderly end, and an account of every event. */
function assertOrderly(result, label) {
  assert.equal(result.timedOut, false, `${label}: timed out`);
  assert.equal(result.signal, null, `${label}: ended by ${result.signal}\n${result.stderr}`);
  assert.ok([0, 3].includes(result.status), `${label}: status ${result.status}\n${result.stderr}`);
  if (result.status === 0) {
    const answer = JSON.parse(result.stdout);
    assertCountsAddUp(answer, label);
    for (const problem of answer.problems) {
      assert.ok(problem.count > 0 && problem.firstOffset >= 0, `${label}: ${problem.kind}`);
      assert.match(problem.message, /\S/, `${label}: ${problem.kind} has no message`);
    }
    return answer;
  }
  assert.match(result.stderr, /\S/, `${label}: refused without a reason`);
  assert.equal(result.stdout, '', `${label}: refused, yet something on stdout`);
  return null;
}

for (const { name, make, opens, refused } of cases) {
  test(name, async () => {
    const result = await check(make());
    const answer = assertOrderly(result, name);
    if (refused) {
      assert.equal(result.status, 3, `${name} was not refused`);
      assert.match(result.stderr, refused);
      return;
    }
    assert.ok(answer, `${name} was refused: ${result.stderr}`);
    const kinds = answer.problems.map((problem) => problem.kind);
    const seen = `slices ${answer.counts.slices}, problems ${kinds.join(', ') || 'none'}`;
    if (opens.orMore || opens.slices >= 1000) {
      assert.ok(answer.counts.slices >= opens.slices, seen);
    } else {
      assert.equal(answer.counts.slices, opens.slices, seen);
    }
    for (const kind of opens.problems) assert.ok(kinds.includes(kind), seen);
    if (answer.counts.dropped > 0) assert.ok(kinds.length > 0, `dropped in silence: ${seen}`);
  });
}

test('cut at many places, plain', async () => {
  const { text } = traceText({ dialect: 'torch-2.6', events: 60, seed: 2, steps: 1 });
  const bytes = Buffer.from(text);
  const step = Math.max(7, Math.floor(bytes.length / 90));
  for (let length = 1; length < bytes.length; length += step) {
    const result = await check(bytes.subarray(0, length));
    const answer = assertOrderly(result, `cut at ${length}`);
    if (answer) {
      assert.ok(
        answer.problems.some((problem) => problem.kind === 'truncated'),
        `cut at ${length} and not said`,
      );
    }
  }
});

test('cut at many places, packed', async () => {
  const { text } = traceText({ dialect: 'torch-1.9', events: 400, seed: 2, steps: 1 });
  const bytes = zlib.gzipSync(text);
  const step = Math.max(11, Math.floor(bytes.length / 70));
  for (let length = 1; length < bytes.length; length += step) {
    const result = await check(bytes.subarray(0, length), '.pt.trace.json.gz');
    assertOrderly(result, `cut at ${length}`);
  }
});

test('random damage', async () => {
  const { text } = traceText({ dialect: 'torch-2.8', events: 300, seed: 4, steps: 1 });
  const original = Buffer.from(text);
  const alphabet = Buffer.from('{}[]",:\\0-.eE \n\u0000NaInftrul');
  let state = 12345;
  const random = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 4294967296) * limit);
  };
  for (let round = 0; round < 90; ++round) {
    let bytes = Buffer.from(original);
    const hits = 1 + random(12);
    for (let i = 0; i < hits; ++i) {
      const at = random(bytes.length);
      const kind = random(4);
      if (kind === 0) bytes[at] = random(256);
      else if (kind === 1) bytes[at] = alphabet[random(alphabet.length)];
      else if (kind === 2) {
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(40))]);
      } else {
        const piece = original.subarray(at, at + random(300));
        bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]);
      }
    }
    assertOrderly(await check(bytes), `round ${round}`);
  }
});
