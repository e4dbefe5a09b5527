// The daemon checks parameters by the part of JSON Schema that it knows (native/rpc/schema.h).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

/** What the check in the daemon asks for. */
const checked = new Set(
  'type properties required items enum minimum maximum maxItems allOf anyOf oneOf $ref'.split(' '),
);
/** What it passes over on purpose: words, and members that an older daemon does not know. */
const passedOver = new Set(['description', 'additionalProperties', 'unevaluatedProperties']);

const files = trackedFiles(/^native\/rpc\/protocol\/.*\.json$/).map((file) =>
  JSON.parse(readTracked(file)),
);
const definitions = Object.assign({}, ...files.map((file) => file.$defs));

/** Keywords of a schema and of what it refers to. */
function keywords(schema, found, seen = new Set()) {
  if (schema === null || typeof schema !== 'object') return found;
  for (const [keyword, value] of Object.entries(schema)) {
    found.add(keyword);
    if (keyword === 'properties') {
      for (const member of Object.values(value)) keywords(member, found, seen);
    } else if (keyword === '$ref') {
      const name = value.replace('#/$defs/', '');
      assert.ok(definitions[name], `${value} is defined`);
      if (!seen.has(name)) keywords(definitions[name], found, seen.add(name));
    } else if (keyword === 'items') {
      keywords(value, found, seen);
    } else if (['allOf', 'anyOf', 'oneOf'].includes(keyword)) {
      for (const part of value) keywords(part, found, seen);
    }
  }
  return found;
}

test('the daemon knows every keyword that parameters use', () => {
  const wrong = [];
  let methods = 0;
  for (const file of files) {
    for (const [method, { params }] of Object.entries(file.methods ?? {})) {
      methods += 1;
      for (const keyword of keywords(params ?? {}, new Set())) {
        if (!checked.has(keyword) && !passedOver.has(keyword)) wrong.push(`${method}: ${keyword}`);
      }
    }
  }
  assert.ok(methods > 40, `${methods} methods were found`);
  assert.deepEqual(wrong, []);
});
