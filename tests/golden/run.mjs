// Golden tests: a drawn trace, a command, and the text that must come out.
//
//   node --test tests/golden/run.mjs        compares
//   node tests/golden/run.mjs --update      writes what the program answers now
//
// The traces in traces/ are drawn by hand: small enough to check an answer with a pencil. After an
// update, read the difference: it is the change that users will see.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emberline } from '../lib/cli.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const update = process.argv.includes('--update');

/** Commands by trace. Each is one file in expected/. */
const cases = {
  'two-steps': [
    'runs',
    'overview',
    'overview --format json',
    'overview --steps 2',
    'operators',
    'operators --group-by shape',
    'operators --sort -hostTotalUs --limit 3',
    'operators --filter linear --format csv',
    'operators --steps 1 --format json',
    'kernels',
    'kernels --group-by properties',
    'kernels --format json',
    'memory',
  ],
  stacks: ['overview', 'operators', 'operators --format csv', 'modules', 'stacks'],
  'torch-1.9': ['overview', 'operators', 'kernels', 'stacks', 'memory'],
  graph: ['overview', 'operators', 'kernels', 'kernels --group-by properties'],
  damaged: ['operators', 'check'],
};

/** Times of loading and places on disk differ from run to run. */
function settle(text) {
  return text
    .replaceAll(path.join(folder, 'traces'), 'TRACES')
    .replace(/"(seconds|totalSeconds|memoryBytes)": ?[\d.e+-]+/g, '"$1": 0')
    .replace(/\b\d+(\.\d+)? ?(ns|us|µs|ms|s)\b(?=.*(read|inflate|tokenize|build))/g, 'TIME');
}

async function answer(trace, command) {
  const [name, ...options] = command.split(' ');
  const file = path.join(folder, 'traces', `${trace}.pt.trace.json`);
  const { status, stdout, stderr } = await emberline([name, file, ...options]);
  const messages = stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `stderr: ${line}\n`)
    .join('');
  return settle(`$ emberline ${name} ${trace}.pt.trace.json ${options.join(' ')}`.trimEnd()) +
    `\n${settle(messages + stdout)}` + (status === 0 ? '' : `exit status ${status}\n`);
}

for (const [trace, commands] of Object.entries(cases)) {
  for (const command of commands) {
    const slug = `${trace}.${command.replace(/--?/g, '').replace(/[^A-Za-z0-9]+/g, '-')}`;
    const file = path.join(folder, 'expected', `${slug}.txt`);
    if (update) {
      fs.writeFileSync(file, await answer(trace, command));
      continue;
    }
    test(`${trace}: ${command}`, async () => {
      const expected = fs.readFileSync(file, 'utf8');
      assert.equal(await answer(trace, command), expected);
    });
  }
}

if (!update) {
  test('every expected file belongs to a case', () => {
    const known = Object.entries(cases).flatMap(([trace, commands]) =>
      commands.map(
        (command) =>
          `${trace}.${command.replace(/--?/g, '').replace(/[^A-Za-z0-9]+/g, '-')}.txt`,
      ),
    );
    assert.deepEqual(fs.readdirSync(path.join(folder, 'expected')).sort(), known.sort());
  });
}
