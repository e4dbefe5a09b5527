// One build at a time in a checkout: `npm start` beside `npm test`, and after one that was killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { whileBuilding } from '../../scripts/lib/lock.mjs';
import { root } from '../../scripts/lib/paths.mjs';

const lock = pathToFileURL(join(root, 'scripts', 'lib', 'lock.mjs')).href;

/** Another process that takes the lock, runs `part`, and tells what it does. */
function builder(part) {
  const script = `import { whileBuilding } from '${lock}'; await whileBuilding(${part});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (child.text += part));
  child.says = async (wanted) => {
    while (!child.text.includes(wanted)) await once(child.stdout, 'data');
  };
  return child;
}

test('a second build waits for the first one, and says for whom', async () => {
  let second;
  await whileBuilding(async () => {
    second = builder(`() => console.log('built')`);
    await second.says('waiting for it');
    assert.match(second.text, new RegExp(`^Process ${process.pid} is building`));
    assert.doesNotMatch(second.text, /^built/m);
  });
  const [status] = await once(second, 'close');
  assert.equal(status, 0);
  assert.match(second.text, /^built$/m);
});

test('the lock of a build that was killed is nobody’s', async () => {
  const killed = builder(
    `async () => { console.log('holding'); await new Promise((r) => setTimeout(r, 600_000)); }`,
  );
  await killed.says('holding');
  killed.kill('SIGKILL');
  await once(killed, 'close');
  assert.equal(await whileBuilding(() => 'built'), 'built');
});
