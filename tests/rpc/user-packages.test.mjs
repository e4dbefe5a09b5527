// Installed packages that the user calls their own are their code in stacks, flame graphs and lines.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { emberline, temporaryFolder } from '../lib/cli.mjs';

const scratch = temporaryFolder('user-packages');
after(() => scratch.remove());

const layers = '/venv/lib/python3.11/site-packages/team/layers.py';
const trace = join(scratch.folder, 'packages.pt.trace.json');
const slice = (cat, name, ts, dur) => ({ ph: 'X', cat, name, pid: 1, tid: 1, ts, dur, args: {} });
writeFileSync(
  trace,
  JSON.stringify({
    schemaVersion: 1,
    traceEvents: [
      slice('python_function', '/home/me/train.py(1): main', 0, 1000),
      slice('python_function', `${layers}(7): forward`, 100, 800),
      slice('cpu_op', 'aten::mm', 200, 600),
    ],
  }),
);

async function answer(command, args, env = {}) {
  const { status, stdout, stderr } = await emberline(
    [command, trace, '--format', 'json', ...args],
    { env },
  );
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

const functionsIn = (node) => [node.function, ...node.children.flatMap(functionsIn)];

async function assertOwn(own, args, env) {
  const { tree } = await answer('stacks', [...args, '--param', 'foldLibrary=true'], env);
  assert.equal(functionsIn(tree).includes('forward'), own, 'the folded flame graph');
  const { rows } = await answer('lines', args, env);
  assert.equal(
    rows.some(({ file }) => file === layers),
    own,
    'the lines',
  );
}

test('an installed package is a library until the user calls it their own', async () => {
  await assertOwn(false, []);
  await assertOwn(true, ['--user-packages', 'other,team']);
  await assertOwn(true, [], { EMBERLINE_USER_PACKAGES: 'team.layers' });
  await assertOwn(false, ['--user-packages', 'tea'], { EMBERLINE_USER_PACKAGES: 'team' });
});
