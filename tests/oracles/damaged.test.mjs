// Damaged traces beside the corpus, with how many events each holds and how many may be lost: what
// was read and what was counted as a problem make up the whole.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { assertCountsAddUp, corpus, emberlineJson } from '../lib/cli.mjs';

const folder = corpus && path.join(corpus, '..', 'damaged');
const list = folder && path.join(folder, 'cases.tsv');

const cases =
  list && existsSync(list)
    ? readFileSync(list, 'utf8')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => line.split('\t'))
    : [];

test('there are damaged traces', { skip: cases.length === 0 && 'no damaged traces here' }, () => {
  assert.ok(cases.length >= 10);
});

for (const [name, events, mostLost] of cases) {
  test(`${name}: at most ${mostLost} of ${events} lost, none uncounted`, async () => {
    const check = await emberlineJson('check', path.join(folder, name));
    assertCountsAddUp(check, name);
    const read = check.events - check.counts.dropped;
    const seen = JSON.stringify({ ...check.counts, problems: check.problems });
    assert.ok(Number(events) - read <= Number(mostLost), `${read} were read: ${seen}`);
    assert.ok(check.events >= Number(events), `some are not counted: ${seen}`);
    assert.ok(check.problems.length > 0, 'the damage is not told');
  });
}
