// Whatever a client sends, every request gets one answer and the daemon lives on. The requests come
// from a fixed sequence.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawTrace, frame, protocol, resolved, withDaemon } from './daemon.mjs';

/** A fixed sequence of numbers from 0 to 1. */
function sequence(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const strange = [
  null,
  true,
  -1,
  0,
  1,
  0.5,
  2 ** 53,
  -(2 ** 53),
  1e300,
  -1e300,
  '',
  'all',
  'x'.repeat(5000),
  '\u0000',

  '../../etc/passwd',
  '-name',
  '<',
  '>',
  'key>1e999',
  '(((((',
  '[',
  [],
  [null],
  [[[]]],
  {},
  { a: {} },
];

/** A value for a schema: mostly what it asks for, sometimes something else. */
function valueFor(schema, next, profileId, name) {
  if (next() < 0.15) return strange[Math.floor(next() * strange.length)];
  const actual = resolved(schema);
  if (name === 'profileId') return profileId;
  if (actual.enum) return actual.enum[Math.floor(next() * actual.enum.length)];
  const type = Array.isArray(actual.type) ? actual.type[0] : actual.type;
  switch (type) {
    case 'integer':
    case 'number':
      return Math.floor((next() - 0.1) * 10 ** Math.floor(next() * 9));
    case 'boolean':
      return next() < 0.5;
    case 'array':
      return Array.from({ length: Math.floor(next() * 4) }, () =>
        valueFor(actual.items ?? {}, next, profileId),
      );
    case 'object':
      return objectFor(actual, next, profileId);
    default:
      return ['', 'all', 'aten', 'name', '-calls', 'kernel', '1', '0-1', 'python'][
        Math.floor(next() * 9)
      ];
  }
}

function objectFor(schema, next, profileId) {
  const object = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const needed = (schema.required ?? []).includes(name);
    if (needed ? next() < 0.97 : next() < 0.4)
      object[name] = valueFor(property, next, profileId, name);
  }
  return object;
}

test('random parameters for every method', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-hostile-'));
  try {
    const path = join(folder, 'small.pt.trace.json');
    writeFileSync(path, drawTrace(50));
    await withDaemon(async (daemon) => {
      const { profileId } = await daemon.request('profile/open', { path });
      const methods = Object.entries(protocol.methods).filter(
        ([name, { kind }]) =>
          kind === 'request' && !/^(initialize|shutdown|profile\/(open|close))$/.test(name),
      );
      const next = sequence(11);
      let answered = 0;
      let failed = 0;
      for (let round = 0; round < 40; ++round) {
        const replies = methods.map(([name, { params }]) =>
          daemon.exchange(name, objectFor(resolved(params), next, profileId)),
        );
        for (const { message } of await Promise.all(replies)) {
          ++answered;
          if (!message.error) continue;
          ++failed;
          // A request can be wrong, but it must not be our fault.
          assert.notEqual(message.error.code, -32603, JSON.stringify(message.error));
          assert.ok(message.error.message.length > 0);
        }
      }
      assert.equal(answered, methods.length * 40);
      assert.ok(failed > 0 && failed < answered);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('random bytes between frames', async () => {
  await withDaemon(async (daemon) => {
    const next = sequence(5);
    for (let round = 0; round < 60; ++round) {
      const noise = Buffer.from(
        Array.from({ length: Math.floor(next() * 300) }, () => Math.floor(next() * 256)),
      );
      daemon.write(Buffer.concat([noise, Buffer.from('\r\n\r\n')]));
      const { message } = await daemon.exchange('no/such', {}, `after${round}`);
      assert.equal(message.error.code, -32601);
    }
  });
});

test('members of every kind in the envelope', async () => {
  await withDaemon(async (daemon) => {
    for (const key of ['jsonrpc', 'id', 'method', 'params']) {
      for (const value of strange) {
        daemon.write(
          frame({ jsonrpc: '2.0', id: 'e', method: 'profile/load', params: {}, [key]: value }),
        );
      }
    }
    const { message } = await daemon.exchange('no/such', {}, 'after');
    assert.equal(message.error.code, -32601);
  });
});
