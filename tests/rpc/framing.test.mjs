// The base protocol: frames may be split and merged; bad ones are answered and do no harm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { frame, startDaemon, withDaemon } from './daemon.mjs';

const hello = { jsonrpc: '2.0', id: 'h', method: 'initialize', params: { clientVersion: 'test' } };

async function replyTo(chunks) {
  const daemon = startDaemon();
  try {
    for (const chunk of chunks) {
      await new Promise((resolve) => daemon.child.stdin.write(chunk, resolve));
    }
    return await daemon.message((m) => m.id === 'h', 'the reply to initialize');
  } finally {
    await daemon.stop();
  }
}

test('a frame that arrives byte by byte', async () => {
  const bytes = frame(hello);
  const chunks = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1));
  const reply = await replyTo(chunks);
  assert.equal(reply.result.protocolVersion, 2);
});

test('several frames in one piece', async () => {
  const daemon = startDaemon();
  try {
    const more = [1, 2, 3].map((id) => frame({ jsonrpc: '2.0', id, method: 'no/such' }));
    daemon.write(Buffer.concat([frame(hello), ...more]));
    for (const id of [1, 2, 3]) {
      const reply = await daemon.message((m) => m.id === id);
      assert.equal(reply.error.code, -32601);
    }
  } finally {
    await daemon.stop();
  }
});

test('headers in any order and case, with a content type', async () => {
  const body = JSON.stringify(hello);
  const type = 'Content-Type: application/vscode-jsonrpc; charset=utf-8';
  const reply = await replyTo([`${type}\r\ncontent-length:${body.length}\r\n\r\n${body}`]);
  assert.ok(reply.result);
});

test('the length counts bytes, not characters', async () => {
  await withDaemon(async (daemon) => {
    const { message } = await daemon.exchange('profile/open', { path: '/nowhere/größe-🔥.json' });
    assert.equal(message.error.data.kind, 'notFound');
    assert.match(message.error.message, /🔥/);
  });
});

for (const [what, bytes] of [
  ['no length', 'Content-Type: x\r\n\r\n'],
  ['a length that is no number', 'Content-Length: many\r\n\r\n{}'],
  ['a negative length', 'Content-Length: -5\r\n\r\n'],
  ['a line without a colon', 'GET / HTTP/1.1\r\n\r\n'],
  ['no end', 'x'.repeat(20_000)],
]) {
  test(`a header with ${what} is answered, and the next frame is read`, async () => {
    await withDaemon(async (daemon) => {
      daemon.write(bytes);
      const fault = await daemon.message((m) => m.id === null && m.error, 'an error');
      assert.equal(fault.error.code, -32700);
      assert.ok(fault.error.data.hint.includes('Content-Length'));
      const { message } = await daemon.exchange('no/such');
      assert.equal(message.error.code, -32601);
    });
  });
}

test('a body above the limit is skipped and answered', async () => {
  await withDaemon(async (daemon) => {
    const size = 64 * 1024 * 1024 + 1;
    daemon.write(`Content-Length: ${size}\r\n\r\n`);
    daemon.write(Buffer.alloc(size, 0x20));
    const fault = await daemon.message((m) => m.id === null && m.error, 'an error');
    assert.equal(fault.error.code, -32600);
    const { message } = await daemon.exchange('no/such');
    assert.equal(message.error.code, -32601);
  });
});

for (const [what, body, code] of [
  ['no JSON', '{"jsonrpc": ', -32700],
  ['a number beyond all bounds', '{"jsonrpc":"2.0","id":1e999}', -32700],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), -32700],
  ['deep nesting', '['.repeat(100_000), -32700],
  ['a batch', '[]', -32600],
  ['a string', '"initialize"', -32600],
  ['another version', '{"jsonrpc":"1.0","id":1,"method":"initialize"}', -32600],
  ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"x"}', -32600],
]) {
  test(`a body with ${what}`, async () => {
    await withDaemon(async (daemon) => {
      const bytes = Buffer.from(body);
      const before = daemon.messages.length;
      daemon.write(Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`), bytes]));
      const isFault = (m) => daemon.messages.indexOf(m) >= before && m.error !== undefined;
      const fault = await daemon.message(isFault, 'an error');
      assert.equal(fault.error.code, code);
      const { message } = await daemon.exchange('no/such', {}, 'after');
      assert.equal(message.error.code, -32601);
    });
  });
}

test('a request that holds half a character is answered with its id', async () => {
  await withDaemon(async (daemon) => {
    const { message } = await daemon.exchange('profile/open', { path: '/no/where/\ud83d.json' });
    assert.equal(message.error.data.kind, 'notFound');
    assert.ok(message.error.message.includes('\ufffd'));
  });
});
