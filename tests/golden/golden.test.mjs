// Golden tests: a drawn trace, requests, and the text that must come out (`golden_file.mjs` says how
// the files in cases/ are written).
//
//   node --test tests/golden/golden.test.mjs              compares
//   node tests/golden/golden.test.mjs --update [NAME...]  writes what the program answers now
//
// The traces are drawn by hand: small enough to check an answer with a pencil. After an update, read
// the difference: it is the change that users will see.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { emberline, temporaryFolder } from '../lib/cli.mjs';
import { RpcError, startDaemon } from '../rpc/daemon.mjs';
import { readGolden, writeGolden, writeTraces } from './golden_file.mjs';

const cases = path.join(path.dirname(fileURLToPath(import.meta.url)), 'cases');

/** Takes out what differs from run to run. */
function settle(text, folder, options) {
  // CSV lines end with carriage returns: shown, so that the files are plain text.
  let settled = text.replaceAll(folder, 'TRACES').replaceAll('\r', '\\r');
  if (options.includes('json') && settled.startsWith('{')) {
    const result = JSON.parse(settled);
    for (const key of ['totalSeconds', 'memoryBytes']) if (key in result) result[key] = 0;
    for (const stage of result.stages ?? []) stage.seconds = 0;
    settled = `${lines(result)}`;
  }
  return settled;
}

/** A result with one line for each entry of its lists, and one for each other member. */
function lines(result) {
  const line = (value) =>
    JSON.stringify(value)
      .replaceAll(/(?<=[,{])"(\w+)":/g, ' $1: ')
      // Libraries notice damage some bytes earlier or later.
      .replaceAll(/(kind: "damagedGzip".*firstOffset: )\d+/g, '$1near the damage');
  return Object.entries(result)
    .map(([key, value]) => {
      const isList = Array.isArray(value) && value.some((entry) => typeof entry === 'object');
      if (!isList) return `${key}: ${line(value)}\n`;
      return `${key}:\n${value.map((entry) => `  ${line(entry)}\n`).join('')}`;
    })
    .join('');
}

/** What the command line answers: what went wrong first, then what it printed. */
async function ask({ name, rest }, paths, folder) {
  const options = rest.split(' ').filter((word) => word !== '');
  const args = options.map((word) => paths[word] ?? (word === '.' ? folder : word));
  const { status, stdout, stderr } = await emberline([name, ...args], { cwd: folder });
  const messages = stderr
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => `stderr: ${text}\n`)
    .join('');
  const ending = status === 0 ? '' : `exit status ${status}\n`;
  return `${settle(messages, folder, [])}${settle(stdout, folder, options)}${ending}`;
}

/** A conversation with the daemon about some traces. */
async function converse(paths, folder) {
  const daemon = startDaemon();
  await daemon.initialize();
  const ids = {};
  const open = async (name) => {
    // A folder of traces is not one of them.
    const file = paths[name] ?? path.join(folder, name);
    ids[name] ??= (await daemon.request('profile/open', { path: file })).profileId;
    return ids[name];
  };
  return {
    async say({ name, rest, part }) {
      let text = rest || '{}';
      for (const [named, trace] of text.matchAll(/"@([^"]+)"/g)) {
        text = text.replaceAll(named, JSON.stringify(await open(trace)));
      }
      const params = JSON.parse(text);
      const own = /^(view|timeline|source|profile\/(load|check|close))/.test(name);
      if (own) params.profileId ??= await open(Object.keys(paths)[0]);
      try {
        const result = (await daemon.request(name, params)) ?? {};
        return settle(lines(part === undefined ? result : { [part]: result[part] }), folder, []);
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        return settle(lines({ error: error.message, ...error.data }), folder, []);
      }
    },
    end: () => daemon.stop(),
  };
}

/** The requests of a golden file with what they answer now. */
async function answers(golden) {
  const { folder, remove } = temporaryFolder('golden');
  let daemon;
  try {
    const home = path.join(folder, 'traces');
    const paths = writeTraces(golden, home);
    const made = [];
    for (const request of golden.requests) {
      if (request.form === '>') daemon ??= await converse(paths, home);
      const answer =
        request.form === '$' ? await ask(request, paths, home) : await daemon.say(request);
      made.push({ ...request, answer });
    }
    return made;
  } finally {
    await daemon?.end();
    remove();
  }
}

const files = fs.readdirSync(cases).sort();

if (process.argv[2] === '--update') {
  const chosen = process.argv.slice(3);
  for (const name of files) {
    if (chosen.length > 0 && !chosen.includes(name.replace('.golden', ''))) continue;
    const golden = readGolden(path.join(cases, name));
    golden.requests = await answers(golden);
    writeGolden(path.join(cases, name), golden);
  }
} else {
  for (const name of files) {
    test(name, async (t) => {
      const golden = readGolden(path.join(cases, name));
      assert.match(golden.why, /\w+ \w+ \w+/, 'a golden file says why it is there');
      const made = await answers(golden);
      for (const [index, request] of golden.requests.entries()) {
        await t.test(request.head, () => {
          assert.match(request.reason, /^# /, 'a request says why it is made');
          assert.equal(made[index].answer, request.answer);
        });
      }
    });
  }
}
