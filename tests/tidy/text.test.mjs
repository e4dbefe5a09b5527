// Rules for every text file of the project.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

const binary = /\.(gz|png|ico|woff2?|ttf|zip)$/;
const textFiles = () => trackedFiles().filter((file) => !binary.test(file));

/** Damaged inputs and recorded output are what they are. */
const asTheyAre =
  /^(samples\/.*\.(json|txt)|tests\/(golden|malformed|rpc)\/.*\.(json|txt|golden|test)|package-lock\.json)$/;

function linesWith(pattern, files) {
  const found = [];
  for (const file of files) {
    for (const [index, line] of readTracked(file).split('\n').entries()) {
      if (pattern.test(line)) found.push(`${file}:${index + 1}: ${line.trim().slice(0, 120)}`);
    }
  }
  return found;
}

test('text files end with a newline and hold no carriage returns', () => {
  const wrong = textFiles().filter((file) => {
    if (asTheyAre.test(file)) return false;
    const text = readTracked(file);
    return text !== '' && (!text.endsWith('\n') || text.includes('\r\n'));
  });
  assert.deepEqual(wrong, []);
});

test('nothing is left to be done later', () => {
  // Put together here, so that this file does not find itself.
  const words = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|');
  const files = textFiles().filter((file) => !/^(package-lock\.json|samples\/)/.test(file));
  assert.deepEqual(linesWith(new RegExp(`\\b(${words})\\b`), files), []);
});

test('no path of a machine that we worked on, and no registry', () => {
  const folders = ['work', 'root', 'farm'].map((name) => `/${name}/`).join('|');
  const hosts = ['registry\\.npm' + 'js', 'npm\\.pkg\\.', 'artifact' + 'ory'].join('|');
  const files = textFiles().filter((file) => !/^tests\/tidy\//.test(file));
  // A path in the middle of another (tests/bench/x) is none of a machine.
  const pattern = new RegExp(`(^|[^\\w.~}\\])*-])(${folders})|${hosts}`);
  assert.deepEqual(linesWith(pattern, files), []);
});

test('the lock file names no place that packages came from', () => {
  const lock = JSON.parse(readTracked('package-lock.json'));
  const resolved = Object.entries(lock.packages).filter(
    ([, entry]) => entry.resolved !== undefined,
  );
  assert.deepEqual(resolved, []);
});

test('every native header guards itself', () => {
  const wrong = trackedFiles(/^native\/.*\.h$/).filter(
    (file) => !/^#pragma once$/m.test(readTracked(file)),
  );
  assert.deepEqual(wrong, []);
});
