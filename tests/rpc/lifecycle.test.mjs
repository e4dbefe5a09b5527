// How the daemon's life begins and ends.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { frame, protocol, serverPath, startDaemon, withDaemon, within } from './daemon.mjs';

test('initialize exchanges versions', async () => {
  const daemon = startDaemon();
  try {
    const reply = await daemon.initialize();
    const { stdout } = spawnSync(serverPath, ['--version'], { encoding: 'utf8' });
    assert.equal(stdout, `emberline ${reply.serverVersion}\n`);
    assert.equal(reply.protocolVersion, 2);
  } finally {
    await daemon.stop();
  }
});

test('initialize must come first, and once', async () => {
  const daemon = startDaemon();
  try {
    const early = await daemon.exchange('profile/open', { path: '/' });
    assert.equal(early.message.error.code, -32002);
    const wrong = await daemon.exchange('initialize', {});
    assert.equal(wrong.message.error.code, -32602);
    await daemon.initialize();
    const again = await daemon.exchange('initialize', { clientVersion: 'test' });
    assert.equal(again.message.error.code, -32600);
  } finally {
    await daemon.stop();
  }
});

test('unknown methods and notifications', async () => {
  await withDaemon(async (daemon) => {
    const unknown = await daemon.exchange('view/nothing', {});
    assert.equal(unknown.message.error.code, -32601);
    assert.match(unknown.message.error.message, /view\/nothing/);
    const optional = await daemon.exchange('$/unknown', {});
    assert.equal(optional.message.error.code, -32601);
    daemon.notify('$/setTrace', { value: 'off' });
    daemon.notify('whatever', {});
    daemon.notify('$/cancelRequest', { id: 'never sent' });
    const after = await daemon.exchange('view/nothing', {});
    assert.equal(after.message.error.code, -32601);
  });
});

test('wrong parameters are named', async () => {
  await withDaemon(async (daemon) => {
    const cases = [
      ['profile/open', undefined, /"path"/],
      ['profile/open', { path: 7 }, /params\.path must be string/],
      ['profile/open', [], /object/],
      ['profile/load', { profileId: 'p1', run: null }, /params\.run/],
      ['profile/check', {}, /"profileId"/],
    ];
    for (const [method, params, expected] of cases) {
      const { message } = await daemon.exchange(method, params);
      assert.equal(message.error.code, -32602, `${method} ${JSON.stringify(params)}`);
      assert.equal(message.error.data.kind, 'invalidArgument');
      assert.match(message.error.message, expected);
    }
  });
});

test('a profile that is not open', async () => {
  await withDaemon(async (daemon) => {
    for (const method of ['profile/load', 'profile/check', 'profile/close']) {
      const { message } = await daemon.exchange(method, { profileId: 'p99' });
      assert.equal(message.error.code, -32803);
      assert.equal(message.error.data.kind, 'notFound');
    }
  });
});

test('shutdown, then exit', async () => {
  const daemon = startDaemon();
  await daemon.initialize();
  assert.equal(await daemon.request('shutdown'), null);
  const late = await daemon.exchange('profile/open', { path: '/' });
  assert.equal(late.message.error.code, -32600);
  daemon.notify('exit', {});
  assert.deepEqual(await within(daemon.exited, 'the end'), { code: 0, signal: null });
});

test('exit without shutdown', async () => {
  const daemon = startDaemon();
  daemon.notify('exit', {});
  assert.deepEqual(await within(daemon.exited, 'the end'), { code: 1, signal: null });
});

test('the end of input ends the daemon', async () => {
  const daemon = startDaemon();
  await daemon.initialize();
  daemon.child.stdin.end();
  assert.deepEqual(await within(daemon.exited, 'the end'), { code: 0, signal: null });
});

test('the end of input inside a message ends the daemon', async () => {
  const daemon = startDaemon();
  await daemon.initialize();
  daemon.child.stdin.end('Content-Length: 100\r\n\r\n{"json');
  assert.deepEqual(await within(daemon.exited, 'the end'), { code: 0, signal: null });
  assert.match(daemon.stderr, /middle of a message/);
});

test('a client that was killed ends the daemon', async () => {
  // The client's process dies while the daemon's input stays open.
  const client = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const daemon = startDaemon();
  try {
    await daemon.initialize({ processId: client.pid });
    client.kill('SIGKILL');
    assert.deepEqual(await within(daemon.exited, 'the end'), { code: 0, signal: null });
    assert.match(daemon.stderr, /process has ended/);
  } finally {
    client.kill('SIGKILL');
    await daemon.stop();
  }
});

test('logs go to stderr', async () => {
  const daemon = startDaemon({ args: ['--log-level', 'debug'] });
  await daemon.initialize();
  await daemon.exchange('profile/open', { path: '/nowhere' });
  await daemon.stop();
  assert.match(daemon.stderr, /\[info\] Serving/);
  assert.match(daemon.stderr, /\[debug\] profile\/open/);
});

test('requests from a file, replies into a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-rpc-'));
  try {
    const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { clientVersion: 't' } };
    writeFileSync(join(folder, 'in'), frame(request));
    const input = openSync(join(folder, 'in'), 'r');
    const output = openSync(join(folder, 'out'), 'w');
    const { status } = spawnSync(serverPath, ['serve'], { stdio: [input, output, 'pipe'] });
    closeSync(input);
    closeSync(output);
    assert.equal(status, 0);
    assert.match(
      readFileSync(join(folder, 'out'), 'utf8'),
      /^Content-Length: \d+\r\n\r\n\{.*"protocolVersion":2/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the version of the protocol belongs to its schemas', async () => {
  // Whoever changes a schema meets this test. A member that was added needs no new version: daemons
  // accept what they do not know, and clients ignore it. What was renamed or removed, or means
  // something else, does: raise kProtocolVersion in rpc/server.h and protocolVersion in the
  // extension's client. Then write the new hash here.
  // Words may change.
  const text = JSON.stringify([protocol.$defs, protocol.methods], (key, value) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  const schema = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const daemon = startDaemon();
  const { protocolVersion } = await daemon.initialize();
  await daemon.stop();
  assert.deepEqual({ protocolVersion, schema }, { protocolVersion: 2, schema: 'cf1440a9d1554d54' });
});
