// `npm start`: the address that it prints shows the sample profile.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { root, toolsDir } from '../../scripts/lib/paths.mjs';
import { workbenchFolders } from '../../scripts/lib/code-server.mjs';
import { codeServerDir } from '../../scripts/setup.mjs';
import { profileFrame } from './product.mjs';
import { Workbench, launchBrowser, waitUntil } from './workbench.mjs';

let child;
let browser;
let output = '';

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
  child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs'), '--no-open'], {
    cwd: root,
    // Named, so that it is taken also where a `code` command is at hand.
    env: { ...process.env, CI: 'true', EMBERLINE_CODE_SERVER: codeServerDir() },
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

test('an interrupt ends it with everything that it started', async () => {
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
  assert.ok(address, 'it has started');
  await end('SIGINT');
  assert.equal(child.signalCode, null, 'it ended by itself');
  await assert.rejects(fetch(address));
});
