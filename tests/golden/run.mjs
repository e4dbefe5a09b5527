// Golden tests: a drawn trace, a command, and the text that must come out.
//
//   node --test tests/golden/run.mjs        compares
//   node tests/golden/run.mjs --update      writes what the program answers now
//
// A command with a slash is a method of the daemon and its parameters. The traces in traces/ are drawn by hand: small enough to check an answer with a pencil. After an
// update, read the difference: it is the change that users will see.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emberline } from '../lib/cli.mjs';
import { startDaemon } from '../rpc/daemon.mjs';

const folder = path.dirname(fileURLToPath(import.meta.url));
const update = process.argv.includes('--update');

/** Commands by trace. Each is one file in expected/. */
const cases = {
  'two-steps': [
    'runs --format csv',
    'overview',
    'overview --steps 2',
    'operators',
    'operators --group-by shape',
    'operators --sort -hostTotalUs --limit 3',
    'operators --filter linear --format csv',
    'operators --steps 1 --format json',
    'kernels',
    'kernels --group-by properties',
    'kernels --format csv',
    'memory',
  ],
  stacks: ['overview', 'operators', 'operators --format csv', 'modules', 'stacks'],
  'old-recorder': ['overview', 'operators', 'kernels', 'stacks', 'memory'],
  graph: ['overview', 'operators', 'kernels', 'kernels --group-by properties'],
  damaged: ['operators', 'check --format json'],
  timeline: [
    'timeline',
    'timeline --window 0:5000000 --pixels 100 --track 0',
    'timeline/window {"startNs":0,"endNs":130000,"pixels":1300,"tracks":[2,3,4]}',
    'timeline/flows',
    'timeline/gaps',
  ],
  // One NPU in the layers of torch_npu, and a trace that is not PyTorch's.
  ascend: ['overview', 'operators', 'kernels', 'stacks', 'timeline', 'check --format json'],
  'other-recorder': ['overview', 'kernels', 'kernels --format csv', 'timeline', 'check --format json'],
};

/** Takes out what differs from run to run, and words of advice, which have tests of their own. */
function settle(text, command, options) {
  // CSV lines end with carriage returns: shown, so that the expected files are plain text.
  let settled = text.replaceAll(path.join(folder, 'traces'), 'TRACES').replaceAll('\r', '\\r');
  if (options.includes('json') && settled.startsWith('{')) {
    const result = JSON.parse(settled);
    delete result.columns;
    for (const key of ['totalSeconds', 'memoryBytes']) if (key in result) result[key] = 0;
    for (const stage of result.stages ?? []) stage.seconds = 0;
    settled = `${JSON.stringify(result, null, 1)}\n`;
  }
  if (command === 'overview') settled = settled.replace(/\n(Recommendations|Findings)\n[^]*$/, '');
  return settled;
}

/** Name of a case's file. */
const slugOf = (trace, command) =>
  `${trace}.${command.replace(/--?/g, '').replace(/[^A-Za-z0-9]+/g, '-')}.txt`;

/** A result with one line for each entry of its lists, and one for each other member. */
function lines(result) {
  const line = (value) => JSON.stringify(value).replaceAll(/(?<=[,{])"(\w+)":/g, ' $1: ');
  return Object.entries(result)
    .map(([key, value]) => {
      const isList = Array.isArray(value) && value.some((entry) => typeof entry === 'object');
      if (!isList) return `${key}: ${line(value)}\n`;
      return `${key}:\n${value.map((entry) => `  ${line(entry)}\n`).join('')}`;
    })
    .join('');
}

async function askDaemon(method, file, params) {
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path: file });
    return lines(await daemon.request(method, { profileId, ...params }));
  } finally {
    await daemon.stop();
  }
}

async function answer(trace, command) {
  const [name, ...options] = command.split(' ');
  const file = path.join(folder, 'traces', `${trace}.pt.trace.json`);
  if (name.includes('/')) {
    const params = JSON.parse(options.join(' ') || '{}');
    return `> ${command}\n${await askDaemon(name, file, params)}`;
  }
  const { status, stdout, stderr } = await emberline([name, file, ...options]);
  const messages = stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `stderr: ${line}\n`)
    .join('');
  const title = `$ emberline ${name} ${trace}.pt.trace.json ${options.join(' ')}`.trimEnd();
  const ending = status === 0 ? '' : `exit status ${status}\n`;
  return `${title}\n${settle(messages, name, [])}${settle(stdout, name, options)}${ending}`;
}

for (const [trace, commands] of Object.entries(cases)) {
  for (const command of commands) {
    const file = path.join(folder, 'expected', slugOf(trace, command));
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

if (update) {
  const known = new Set(
    Object.entries(cases).flatMap(([trace, all]) => all.map((one) => slugOf(trace, one))),
  );
  for (const name of fs.readdirSync(path.join(folder, 'expected'))) {
    if (!known.has(name)) fs.rmSync(path.join(folder, 'expected', name));
  }
} else {
  test('every expected file belongs to a case', () => {
    const known = Object.entries(cases).flatMap(([trace, all]) =>
      all.map((one) => slugOf(trace, one)),
    );
    assert.deepEqual(fs.readdirSync(path.join(folder, 'expected')).sort(), known.sort());
  });
}
