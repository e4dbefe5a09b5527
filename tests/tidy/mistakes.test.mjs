// The list of the TensorBoard plugin's mistakes in tests/oracles/README.md is complete, and each
// entry leads to a test that names it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

const MISTAKES = 73;

const rows = [
  ...readTracked('tests/oracles/README.md').matchAll(/^\| B(\d+) +\| (.*?) +\| (.*?) +\|$/gm),
].map(([, number, what, proof]) => ({ number: Number(number), what, proof }));

test('every mistake is listed once, in order', () => {
  assert.deepEqual(
    rows.map((row) => row.number),
    Array.from({ length: MISTAKES }, (_, index) => index + 1),
  );
});

test('every mistake has a test that names it, or a reason why it cannot be made', () => {
  const files = new Set(trackedFiles());
  const wrong = rows.filter(({ number, proof }) => {
    if (/^not applicable: \S.{10,}$/.test(proof)) return false;
    const file = /^`(\S+)`$/.exec(proof)?.[1];
    if (file === undefined || !files.has(`tests/${file}`)) return true;
    // In the name of a test, or in a comment; not as a part of another word.
    return !new RegExp(`(TEST_CASE|test\\(|//|/\\*\\*|")[^\\n]*\\bB${number}\\b`).test(
      readTracked(`tests/${file}`),
    );
  });
  assert.deepEqual(wrong, []);
});
