// Only importers spell the keys of args: behind the store, code asks for the role that an arg plays,
// so that it reads every format.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

/** Reads of an arg by its key: `store.ArgInt(i, "correlation")`. */
const spelled = /\bArg(?:Int|Number|Text)?\([^;()]*(?:\([^;()]*\)[^;()]*)*"/;

/** Keys that importers name, as in `{ArgRole::kCorrelation, "correlation"}`. */
function namedKeys() {
  const keys = new Set();
  for (const file of trackedFiles(/^native\/ingest\/.*\.cc$/)) {
    for (const match of readTracked(file).matchAll(/\{ArgRole::k\w+, "([^"]+)"\}/g)) {
      keys.add(match[1]);
    }
  }
  return keys;
}

test('no code behind the store spells the key of an arg', () => {
  const keys = namedKeys();
  assert.ok(keys.size > 20, 'the keys that importers name were not found');
  const wrong = [];
  for (const file of trackedFiles(/^native\/(?!ingest\/).*\.(h|cc)$/)) {
    const text = readTracked(file);
    for (const statement of text.split(';')) {
      if (spelled.test(statement)) wrong.push(`${file}: ${statement.trim().slice(0, 120)}`);
    }
    for (const match of text.matchAll(/strings\(\)\.Find\("([^"]+)"\)/g)) {
      if (keys.has(match[1])) wrong.push(`${file}: looks for "${match[1]}"`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('every role of args is named by some importer', () => {
  const roles = [...readTracked('native/store/arg_roles.h').matchAll(/^ {2}(k\w+),/gm)].map(
    (match) => match[1],
  );
  assert.ok(roles.length > 20);
  const text = trackedFiles(/^native\/ingest\/.*\.cc$/)
    .map(readTracked)
    .join('\n');
  assert.deepEqual(
    roles.filter((role) => !text.includes(`ArgRole::${role},`)),
    [],
  );
});
