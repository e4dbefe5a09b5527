// Each column, each finding and each problem stands in some golden: whoever adds one shows what it
// says, and whoever changes one sees who reads it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readTracked, trackedFiles } from '../tidy/files.mjs';
import { readGolden } from './golden_file.mjs';

const cases = path.join(path.dirname(fileURLToPath(import.meta.url)), 'cases');
const answers = fs
  .readdirSync(cases)
  .flatMap((name) => readGolden(path.join(cases, name)).requests.map(({ answer }) => answer))
  .join('\n');

const native = trackedFiles(/^native\/.*\.(cc|h)$/).map((file) => [file, readTracked(file)]);

/** A text of C++ whose literals stand in pieces, with each in one. */
const joined = (text) => text.replace(/"\s*\n\s*"/g, '');

test('every column', () => {
  const makers =
    'TextKey|IntegerKey|TextFact|IntegerFact|FlagFact|MomentFact|Duration|Count|ByteCount|Share|Quotient|Link';
  const column = new RegExp(`\\b(?:${makers})\\(\\s*"(\\w+)",\\s*"[^"]*",\\s*"((?:[^"\\\\]|\\\\.)*)"`, 'g');
  const missing = [];
  let all = 0;
  for (const [file, text] of native) {
    for (const [, key, definition] of joined(text).matchAll(column)) {
      all += 1;
      // A comparison shows a column twice, by other keys and the same definition.
      const shown = answers.includes(`key: "${key}"`) || answers.includes(definition);
      if (!shown) missing.push(`${file}: ${key}`);
    }
  }
  assert.ok(all > 200, `${all} columns were found`);
  assert.deepEqual(missing, []);
});

/** What needs more than a golden can hold: 16 MiB in one event, four billion events. */
const tooLarge = new Set(['oversizedEvent', 'tooManyEvents']);

test('every problem', () => {
  const [, text] = native.find(([file]) => file === 'native/store/problems.cc');
  const kinds = [...text.matchAll(/^ {4}\{"(\w+)",/gm)].map(([, kind]) => kind);
  assert.ok(kinds.length > 30, `${kinds.length} problems were found`);
  assert.deepEqual(
    kinds.filter((kind) => !tooLarge.has(kind) && !answers.includes(`kind: "${kind}"`)),
    [],
  );
});

test('every finding', () => {
  const ids = native
    .filter(([file]) => /^native\/(analysis|cost)\//.test(file))
    .flatMap(([, text]) => [
      ...text.matchAll(/\bFindingText k\w+\{\s*"(\w+)"|\bf\.id = "(\w+)"|\bAdd\("(\w+)", "/g),
    ])
    .map(([, ...names]) => names.find((name) => name !== undefined));
  assert.ok(ids.length > 15, `${ids.length} findings were found`);
  assert.deepEqual(
    ids.filter((id) => !answers.includes(`id: "${id}"`)),
    [],
  );
});
