// `npm start`: the address that it prints shows the sample profile.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, toolsDir } from '../../scripts/lib/paths.mjs';
import { workbenchFolders } from '../../scripts/lib/code-server.mjs';
import { codeServerDir } from '../../scripts/setup.mjs';
import { profileFrame } from './product.mjs';
import { Workbench, launchBrowser, waitUntil } from './workbench.mjs';

// Named, so that it is taken also where a `code` command is at hand.
const env = { ...process.env, CI: 'true', EMBERLINE_CODE_SERVER: codeServerDir() };
const startScript = join(root, 'scripts', 'start.mjs');

let child;
let browser;
let output = '';

/** Runs `npm start` to its end. */
function start(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [startScript, ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 300_000,
  });
  return { status, stdout, stderr };
}

/** A listener on a free port of localhost. */
async function listener() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Ends the program, which ends its server, or else the whole group of processes. */
async function end(signal) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 30_000);
  await ended;
  clearTimeout(timer);
}

after(async () => {
  await browser?.close();
  await end('SIGTERM');
  child?.stdout.destroy();
  child?.stderr.destroy();
});

test('npm start serves a VS Code with the sample profile showing', async () => {
  // A port of its own: without one, a VS Code that is served here already would be taken.
  const free = await listener();
  const { port } = free.address();
  free.close();
  child = spawn(process.execPath, [startScript, '--no-open', '--port', String(port)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => (output += part));
  }
  const address = await waitUntil(
    'an address',
    () => {
      assert.equal(child.exitCode, null, output);
      return /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(output)?.[0];
    },
    300_000,
  );
  browser = await launchBrowser();
  const page = await browser.newPage();
  const folders = workbenchFolders(join(toolsDir, 'workbench'));
  const workbench = new Workbench({ folders, workspace: join(root, 'samples'), browser, page });
  await workbench.watched('npm-start', async () => {
    await page.goto(address);
    await workbench.waitForReady();
    await workbench.tab('slow.pt.trace.json.gz').waitFor();
    const frame = await profileFrame(workbench);
    await frame.getByRole('region', { name: 'Average step time' }).waitFor();
  });
});

test('another start takes the VS Code that is served already', () => {
  const address = /http:\/\/127\.0\.0\.1:\d+\/\S+/.exec(output)?.[0];
  const second = start('--no-open');
  assert.equal(second.status, 0, second.stderr);
  assert.ok(second.stdout.includes(address), second.stdout);
  assert.match(second.stdout, /earlier `npm start`/);
});

test('a port that is taken, and arguments that there are not, are told', async () => {
  const taken = await listener();
  const { port } = taken.address();
  const refused = start('--no-open', '--port', String(port));
  taken.close();
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, new RegExp(`^Port ${port} is taken`, 'm'));
  for (const args of [['--prot', '8080'], ['--port'], ['--port', '8o80']]) {
    const wrong = start(...args);
    assert.equal(wrong.status, 1);
    assert.match(wrong.stderr, /--port/);
  }
});

test('an interrupt ends it with everything that it started', async () => {
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
  assert.ok(address, 'it has started');
  await end('SIGINT');
  assert.equal(child.signalCode, null, 'it ended by itself');
  await assert.rejects(fetch(address));
});
