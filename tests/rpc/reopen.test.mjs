// A trace that is opened again from the cache on the disk answers as the one that was read: every
// method with every choice, check and export, byte for byte, over the samples and the corpus.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { corpus, emberline, temporaryFolder } from '../lib/cli.mjs';
import { choices, tracesIn } from './choices.mjs';
import { drawTrace, patienceMs, plainMethods, samples, startDaemon } from './daemon.mjs';

let scratch;
before(() => {
  scratch = temporaryFolder('reopen');
});
after(() => scratch.remove());

const environment = (folder) => ({
  EMBERLINE_TRACE_CACHE: folder,
  EMBERLINE_TRACE_CACHE_LEAST_KB: '0',
});

/** Images of a folder; drafts are none. */
const images = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.trace')) : [];

async function until(what, holds) {
  const end = Date.now() + patienceMs;
  while (!holds()) {
    assert.ok(Date.now() < end, `Waited ${patienceMs} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What was measured while reading is not the trace's. */
function withoutMeasures({ stages, totalSeconds, memoryBytes, ...rest }) {
  assert.ok(Array.isArray(stages) && totalSeconds >= 0 && memoryBytes >= 0);
  return rest;
}

/** All answers about a trace as one text each, by request; whether it came from the cache. */
async function answers(path, folder) {
  const daemon = startDaemon({ env: environment(folder) });
  try {
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path });
    const load = await daemon.exchange('profile/load', { profileId });
    const told = new Map();
    const ask = async (method, params) => {
      const { message } = await daemon.exchange(method, { profileId, ...params });
      let answer = message.error ?? message.result;
      if (method === 'profile/check' && message.result) answer = withoutMeasures(message.result);
      told.set(`${method} ${JSON.stringify(params)}`, JSON.stringify(answer));
      return message.result;
    };
    if (load.message.error)
      return { told: new Map([['load', JSON.stringify(load.message.error)]]) };
    told.set('profile/load', JSON.stringify(load.message.result));
    for (const method of plainMethods) {
      await ask(method, {});
      for (const choice of choices[method]) await ask(method, choice);
    }
    const { startNs, endNs, tracks } = await ask('timeline/tracks', {});
    const rows = tracks.filter((track) => track.slices > 0).map((track) => track.id);
    const span = Math.max(1, endNs - startNs);
    for (const part of [1, 0.01]) {
      const window = { startNs, endNs: startNs + Math.max(1, Math.round(span * part)) };
      for (let first = 0; first < Math.min(rows.length, 40); first += 8) {
        const some = { tracks: rows.slice(first, first + 8), pixels: 500 };
        await ask('timeline/window', { ...window, ...some });
      }
      await ask('timeline/flows', window);
      await ask('timeline/export', window);
    }
    const { stages } = await daemon.request('profile/check', { profileId });
    return { told, reopened: stages[0].name === 'reopen' };
  } finally {
    await daemon.stop();
  }
}

async function assertSame(path) {
  const folder = join(scratch.folder, 'cache');
  rmSync(folder, { recursive: true, force: true });
  const read = await answers(path, folder);
  if (read.told.size === 1) return; // not a trace
  assert.equal(read.reopened, false);
  assert.deepEqual(images(folder).length, 1, 'it is kept');
  const again = await answers(path, folder);
  assert.equal(again.reopened, true);
  assert.deepEqual([...again.told.keys()], [...read.told.keys()]);
  for (const [request, text] of read.told) {
    assert.equal(again.told.get(request), text, `${basename(path)}: ${request}`);
  }
  assert.ok(read.told.size > plainMethods.length);
}

for (const [name, path] of Object.entries(samples)) {
  test(`sample ${name}: what is opened again answers alike`, () => assertSame(path));
}

test('the corpus: what is opened again answers alike', { skip: !corpus }, async (t) => {
  // Each is asked everything twice; what the largest ones would add is time.
  for (const path of tracesIn(corpus).filter((trace) => statSync(trace).size < 2e6)) {
    await t.test(basename(path), () => assertSame(path));
  }
});

test('the command line keeps large traces, and prints the same from them', async () => {
  const folder = join(scratch.folder, 'cli');
  const run = (...args) => emberline(args, { env: environment(folder) });
  for (const args of [
    ['operators', samples.slow, '--format', 'csv'],
    ['overview', samples.slow],
    ['export', samples.slow, '--window', '0:50000000'],
  ]) {
    rmSync(folder, { recursive: true, force: true });
    const read = await run(...args);
    assert.equal(read.status, 0, read.stderr);
    assert.equal(images(folder).length, 1, 'written before it ended');
    const again = await run(...args);
    assert.deepEqual(again, read);
    const off = await run(...args, '--trace-cache', 'off');
    assert.equal(off.stdout, read.stdout);
  }
  const { stages } = JSON.parse((await run('check', samples.slow, '--format', 'json')).stdout);
  assert.equal(stages[0].name, 'reopen');
  const other = join(scratch.folder, 'other');
  await run('overview', samples.slow, '--trace-cache', other);
  assert.equal(images(other).length, 1);
  const off = join(scratch.folder, 'off');
  await emberline(['overview', samples.slow, '--trace-cache', 'off'], { env: environment(off) });
  await emberline(['overview', samples.slow], {
    env: { ...environment(off), EMBERLINE_TRACE_CACHE: 'off' },
  });
  assert.equal(images(off).length, 0);
});

test('small traces are not kept, and nothing lies beside the trace', async () => {
  const file = join(scratch.folder, 'small.pt.trace.json');
  writeFileSync(file, drawTrace(50));
  const home = join(scratch.folder, 'home');
  const plain = { XDG_CACHE_HOME: home, EMBERLINE_TRACE_CACHE: '' };
  await emberline(['overview', file], { env: plain });
  assert.equal(existsSync(home), false);
  // Where nobody says otherwise, the folder is the desktop's for caches.
  await emberline(['overview', file], { env: { ...plain, EMBERLINE_TRACE_CACHE_LEAST_KB: '0' } });
  assert.equal(images(join(home, 'emberline', 'traces')).length, 1);
  assert.deepEqual(
    readdirSync(scratch.folder).filter((name) => name.startsWith('small')),
    ['small.pt.trace.json'],
  );
});

test('a damaged image is read anew, and replaced', async () => {
  const folder = join(scratch.folder, 'damaged');
  const env = environment(folder);
  const run = () => emberline(['operators', samples.fixed, '--format', 'json'], { env });
  const read = await run();
  const [name] = images(folder);
  const image = join(folder, name);
  const size = statSync(image).size;
  writeFileSync(image, Buffer.alloc(size, 7), { mode: 0o600 });
  assert.deepEqual(await run(), read);
  assert.equal(images(folder).length, 1);
  const { stages } = JSON.parse(
    (await emberline(['check', samples.fixed, '--format', 'json'], { env })).stdout,
  );
  assert.equal(stages[0].name, 'reopen', 'the good one took its place');
});

test('two processes that keep and read one trace at the same time agree', async () => {
  const folder = join(scratch.folder, 'together');
  const file = join(scratch.folder, 'together.pt.trace.json.gz');
  copyFileSync(samples.transformer, file);
  const outputs = await Promise.all(
    Array.from({ length: 6 }, () =>
      emberline(['operators', file, '--format', 'csv'], { env: environment(folder) }),
    ),
  );
  for (const output of outputs) assert.deepEqual(output, outputs[0]);
  assert.equal(outputs[0].status, 0);
  assert.deepEqual(readdirSync(folder).length, 1, 'no drafts are left');
});

test('a daemon that ends in the middle leaves no draft behind', async () => {
  const folder = join(scratch.folder, 'ending');
  const daemon = startDaemon({ env: environment(folder) });
  await daemon.initialize();
  const { profileId } = await daemon.request('profile/open', { path: samples.transformer });
  await daemon.request('profile/load', { profileId });
  await daemon.stop();
  const left = existsSync(folder) ? readdirSync(folder) : [];
  assert.deepEqual(
    left.filter((name) => !name.endsWith('.trace')),
    [],
  );
  // What it had begun, it finished.
  await until('the image', () => images(folder).length === 1);
});
