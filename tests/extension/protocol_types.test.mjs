// Types from schemas: what several methods share is written once, and keeps its name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocolTypes } from '../../scripts/protocol-types.mjs';

const text = { type: 'string', description: 'A text.' };
const Choice = { type: 'object', properties: { run: text }, required: ['run'] };
const Page = { type: 'object', properties: { offset: { type: 'integer' } } };
const reference = (name) => ({ $ref: `#/$defs/${name}` });

const compiled = (methods) => protocolTypes({ $defs: { Choice, Page }, methods, views: [] });
const once = (source, name) =>
  assert.equal(source.match(new RegExp(`interface ${name}\\d* `, 'g'))?.length, 1, source);

test('what stands beside a reference is joined to it', async () => {
  const types = await compiled({
    'a/beside': {
      params: { ...reference('Choice'), properties: { more: text }, unevaluatedProperties: false },
    },
    'a/all': {
      params: {
        allOf: [reference('Choice'), reference('Page')],
        type: 'object',
        properties: { more: text },
        unevaluatedProperties: false,
      },
    },
  });
  assert.match(types, /type ABesideParams = Choice & \{/);
  assert.match(types, /type AAllParams = Choice &\s+Page & \{/);
  once(types, 'Choice');
  once(types, 'Page');
});

test('a reference with a description of its own keeps the name of its type', async () => {
  const types = await compiled({
    'a/described': {
      params: reference('Choice'),
      result: {
        type: 'object',
        properties: { chosen: { ...reference('Choice'), description: 'The one that was chosen.' } },
        required: ['chosen'],
        additionalProperties: false,
      },
    },
  });
  assert.match(types, /The one that was chosen\.\s+\*\/\s+chosen: Choice;/);
  assert.match(types, /type ADescribedParams = Choice;/);
  once(types, 'Choice');
});

test('a reference may name the file of the definition', async () => {
  const types = await compiled({ 'a/file': { params: { $ref: 'common.json#/$defs/Page' } } });
  assert.match(types, /type AFileParams = Page;/);
});
