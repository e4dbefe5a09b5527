// Types of C++ have one definition each. Two of one name in one namespace share what the linker keeps
// once (constructors, members of a vector of them), and whichever it keeps is wrong for one of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

/** The types that a text defines beside its unnamed namespaces, each with its namespace. */
function typesIn(text) {
  const types = new Set();
  let space = '';
  let unnamed = false;
  for (const line of text.split('\n')) {
    const opened = /^(?:inline )?namespace ([\w:]+) \{/.exec(line);
    if (opened !== null) space = opened[1];
    if (/^namespace \{/.test(line)) unnamed = true;
    if (/^\}.*\/\/ namespace$/.test(line)) unnamed = false;
    if (unnamed) continue;
    const type = /^(?:struct|class|union|enum(?: class)?) (\w+)(?: final)?(?: : [^;]+)? \{/.exec(
      line,
    );
    if (type !== null) types.add(`${space}::${type[1]}`);
  }
  return types;
}

/** `files` are pairs of a name and a text. */
function definedTwice(files) {
  const places = new Map();
  for (const [file, text] of files) {
    for (const type of typesIn(text)) places.set(type, [...(places.get(type) ?? []), file]);
  }
  return [...places]
    .filter(([, found]) => found.length > 1)
    .map(([type, found]) => [type, ...found]);
}

test('a type is defined in one file', () => {
  const files = trackedFiles(/^(native|tests\/(native|fuzz))\/.*\.(h|cc)$/);
  assert.ok(files.length > 300, 'the sources were not found');
  assert.deepEqual(definedTwice(files.map((file) => [file, readTracked(file)])), []);
});

test('types of one name are found where they share a namespace', () => {
  const open = 'namespace emberline {\n';
  const one = `${open}struct Point {\n  int x;\n};\n}  // namespace emberline\n`;
  const other = `${open}class Point final : public Base {\n};\n}  // namespace emberline\n`;
  const apart = `namespace emberline::drawn {\nstruct Point {\n};\n}  // namespace emberline::drawn\n`;
  const own = `${open}namespace {\nstruct Point {\n};\n}  // namespace\n}  // namespace emberline\n`;
  const named = `${open}class Point;\nstruct Pointer {\n};\n}  // namespace emberline\n`;
  assert.deepEqual(
    definedTwice([
      ['a.h', one],
      ['b.h', other],
      ['c.h', apart],
      ['d.cc', own],
      ['e.h', named],
    ]),
    [['emberline::Point', 'a.h', 'b.h']],
  );
});
