// The first picture of a large trace: shown while the rest is read, told apart from the whole, and
// without a trace of itself in what is loaded.
import assert from 'node:assert/strict';
import { createWriteStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeTrace } from '../generator/generate.mjs';
import { temporaryFolder } from '../lib/cli.mjs';
import { choices } from './choices.mjs';
import { drawTrace, plainMethods, startDaemon, validate, withDaemon } from './daemon.mjs';

// Loading takes long enough that a client is told of the picture well before the end: the beginning is
// a quarter of the file at most, and nothing but its own reading comes before it.
const events = 1_000_000;
const env = { EMBERLINE_FIRST_PICTURE_LEAST_KB: '8192', EMBERLINE_TRACE_CACHE: 'off' };

let scratch;
let large;
before(async () => {
  scratch = temporaryFolder('first-picture');
  large = join(scratch.folder, 'large.pt.trace.json.gz');
  await writeTrace({ out: large, dialect: 'torch-2.8', events, seed: 3, steps: 80 });
});
after(() => scratch.remove());

const isPictured = (token) => (message) =>
  message.method === '$/progress' &&
  message.params.token === token &&
  message.params.value.firstPicture === true;

const open = async (daemon, path) => (await daemon.request('profile/open', { path })).profileId;

/** Begins a load; `pictured()` waits until there is a picture. */
function beginLoad(daemon, profileId, token = 'load') {
  const done = daemon.exchange('profile/load', {
    profileId,
    workDoneToken: token,
    firstPicture: true,
  });
  return { done, pictured: () => daemon.message(isPictured(token), 'a first picture') };
}

/** The picture of a trace and the results of its load, and whether they came in this order. */
async function pictureAndLoad(daemon, path) {
  const profileId = await open(daemon, path);
  const { done, pictured } = beginLoad(daemon, profileId);
  await pictured();
  const asked = await daemon.exchange('profile/firstPicture', { profileId });
  const loaded = await done;
  assert.equal(asked.message.error, undefined, JSON.stringify(asked.message.error));
  validate('profile/firstPicture', 'result', asked.message.result);
  const at = (message) => daemon.messages.indexOf(message);
  assert.ok(at(asked.message) < at(loaded.message), 'the picture comes before the whole');
  return { profileId, picture: asked.message.result, loaded: loaded.message };
}

/** What was measured while reading is not the trace's. */
function comparable(method, { message }) {
  const { result, error } = message;
  if (method !== 'profile/check' || result === undefined) return JSON.stringify(result ?? error);
  const { stages, totalSeconds, memoryBytes, ...rest } = result;
  assert.ok(Array.isArray(stages) && totalSeconds >= 0 && memoryBytes > 0);
  return JSON.stringify(rest);
}

/** All answers about a loaded trace, by request. */
async function answers(daemon, profileId) {
  const told = new Map();
  for (const method of plainMethods) {
    for (const choice of [{}, ...choices[method].slice(0, 2)]) {
      const answer = await daemon.exchange(method, { profileId, ...choice });
      told.set(`${method} ${JSON.stringify(choice)}`, comparable(method, answer));
    }
  }
  return told;
}

/** Everything that is said of a trace that was loaded without a picture. */
async function plainAnswers(path) {
  return withDaemon(
    async (daemon) => {
      const profileId = await open(daemon, path);
      const loaded = await daemon.exchange('profile/load', { profileId, workDoneToken: 'load' });
      assert.ok(!daemon.messages.some(isPictured('load')), 'nobody asked for a picture');
      return {
        loaded: JSON.stringify(loaded.message.result ?? loaded.message.error),
        told: loaded.message.error ? new Map() : await answers(daemon, profileId),
      };
    },
    { env },
  );
}

test('the overview of the beginning comes before the whole, which is what it is without', async () => {
  const plain = await plainAnswers(large);
  await withDaemon(
    async (daemon) => {
      const { profileId, picture, loaded } = await pictureAndLoad(daemon, large);
      const whole = loaded.result;
      assert.ok(picture.fraction > 0.05 && picture.fraction < 0.3, `${picture.fraction}`);
      assert.ok(picture.trace.events > 0.5 * picture.fraction * whole.events);
      assert.ok(picture.trace.events < 1.5 * picture.fraction * whole.events);
      assert.ok(picture.hostSlices > 0 && picture.deviceSlices > 0);
      assert.ok(picture.hostSlices + picture.deviceSlices <= picture.trace.slices);
      // Its text ends in the middle, which is no fault of the file.
      assert.deepEqual(picture.trace.problems, []);
      // Nothing is concluded from a part.
      const { overview } = picture;
      assert.deepEqual(overview.recommendations, []);
      assert.equal(overview.headline.code, 'readPartBusy');
      assert.equal(overview.headline.bound, 'unknown');
      // This recorder writes a step's range behind what is in it: the steps that are there were read to
      // their ends. Work that the last of them left running may lie behind what was read.
      const { steps } = JSON.parse(plain.told.get('view/overview {}'));
      const read = overview.steps.slice(0, -1);
      assert.ok(read.length >= 1 && overview.steps.length < steps.length);
      assert.deepEqual(read, steps.slice(0, read.length));

      assert.equal(JSON.stringify(whole), plain.loaded);
      assert.deepEqual(await answers(daemon, profileId), plain.told);
      const late = await daemon.exchange('profile/firstPicture', { profileId });
      assert.equal(late.message.error.data.kind, 'notFound');
    },
    { env },
  );
});

const steps = 50;
const calls = 300_000;
/** Microseconds of a step. */
const stepUs = (10 * calls) / steps;

/** A trace in which the ranges of all steps come first, and kernels beside their calls or at the end. */
async function drawLarge(path, { deviceLast, kernelUs }) {
  const out = createWriteStream(path);
  const write = async (text) => out.write(text) || (await once(out, 'drain'));
  const event = (cat, name, tid, ts, dur, args) =>
    `{"ph":"X","cat":"${cat}","name":"${name}","pid":${tid === 7 ? 0 : 1},"tid":${tid},` +
    `"ts":${ts},"dur":${dur},"args":${args}},\n`;
  const kernel = (i) => {
    const args = `{"External id":${i},"correlation":${i},"device":0,"stream":7}`;
    return event('kernel', `kernel${i % 5}`, 7, 10 * (i - 1) + 5, kernelUs, args);
  };
  await write('{"schemaVersion":1,"traceEvents":[\n');
  for (let i = 0; i < steps; ++i) {
    await write(event('user_annotation', `ProfilerStep#${i}`, 1, i * stepUs, stepUs, '{}'));
  }
  for (let i = 1; i <= calls; ++i) {
    const ts = 10 * (i - 1);
    const id = `"External id":${i}`;
    await write(
      event('cpu_op', `aten::op${i % 7}`, 1, ts, 8, `{${id}}`) +
        event('cuda_runtime', 'cudaLaunchKernel', 1, ts + 2, 2, `{${id},"correlation":${i}}`) +
        (deviceLast ? '' : kernel(i)),
    );
  }
  for (let i = 1; deviceLast && i <= calls; ++i) await write(kernel(i));
  await write('{"ph":"M","name":"process_name","pid":1,"tid":0,"args":{"name":"python"}}]}');
  out.end();
  await once(out, 'close');
}

test('recorders write device work last: then none is read, and that is said', async () => {
  const path = join(scratch.folder, 'host-first.pt.trace.json');
  await drawLarge(path, { deviceLast: true, kernelUs: 4 });
  const plain = await plainAnswers(path);
  await withDaemon(
    async (daemon) => {
      const { profileId, picture, loaded } = await pictureAndLoad(daemon, path);
      const { overview } = picture;
      assert.equal(picture.deviceSlices, 0);
      assert.equal(overview.hasDeviceWork, false);
      assert.equal(overview.headline.code, 'readPartHoldsNoDeviceWork');
      const whole = overview.steps.filter((step) => !step.partial);
      const cut = overview.steps.filter((step) => step.partial);
      assert.ok(whole.length >= 1 && cut.length >= 1 && whole.length + cut.length === steps);
      for (const step of whole) assert.equal(step.durationUs, stepUs);
      assert.equal(overview.average.steps, whole.length);
      // Of the step in which reading ended there is what was read, and no idle time behind it; of
      // those behind it nothing.
      assert.ok(cut[0].durationUs < stepUs && cut[0].parts.other <= 0.3 * cut[0].durationUs);
      for (const step of cut.slice(1)) assert.equal(step.durationUs, 0);
      assert.equal(JSON.stringify(loaded.result), plain.loaded);
      assert.deepEqual(await answers(daemon, profileId), plain.told);
    },
    { env },
  );
  rmSync(path);
});

test('a device that is busy so far says nothing of what limits the whole', async () => {
  const path = join(scratch.folder, 'busy.pt.trace.json');
  await drawLarge(path, { deviceLast: false, kernelUs: 9.5 });
  await withDaemon(
    async (daemon) => {
      const { profileId, picture } = await pictureAndLoad(daemon, path);
      const { headline } = picture.overview;
      assert.ok(headline.busy > 0.9, `${headline.busy}`);
      assert.equal(headline.code, 'readPartBusy');
      assert.equal(headline.bound, 'unknown');
      const whole = await daemon.request('view/overview', { profileId });
      assert.equal(whole.headline.bound, 'gpu');
    },
    { env },
  );
  rmSync(path);
});

test('damage stays what it is', async () => {
  const whole = readFileSync(large);
  const damaged = join(scratch.folder, 'damaged.pt.trace.json.gz');
  const cases = [
    ['cut', whole.subarray(0, Math.round(0.6 * whole.length))],
    ['overwritten behind the beginning', Buffer.from(whole).fill(0, whole.length >> 1)],
    ['overwritten in the beginning', Buffer.from(whole).fill(0x55, whole.length >> 5)],
  ];
  for (const [what, bytes] of cases) {
    writeFileSync(damaged, bytes);
    const plain = await plainAnswers(damaged);
    await withDaemon(
      async (daemon) => {
        const profileId = await open(daemon, damaged);
        const { message } = await beginLoad(daemon, profileId).done;
        assert.equal(JSON.stringify(message.result ?? message.error), plain.loaded, what);
        if (message.result) assert.deepEqual(await answers(daemon, profileId), plain.told, what);
      },
      { env },
    );
  }
  rmSync(damaged);
});

test('a load that is cancelled takes its picture with it, and can be tried again', async () => {
  await withDaemon(
    async (daemon) => {
      const profileId = await open(daemon, large);
      const first = beginLoad(daemon, profileId, 'first');
      await first.pictured();
      daemon.notify('$/cancelRequest', { id: daemon.nextId - 1 });
      const { message } = await first.done;
      assert.equal(message.error?.code, -32800, JSON.stringify(message));
      const gone = await daemon.exchange('profile/firstPicture', { profileId });
      assert.equal(gone.message.error.data.kind, 'notFound');
      const again = beginLoad(daemon, profileId, 'again');
      await again.pictured();
      const picture = await daemon.exchange('profile/firstPicture', { profileId });
      assert.ok(picture.message.result.trace.events > 0);
      assert.ok((await again.done).message.result.events > 0.9 * events);
    },
    { env },
  );
});

test('a profile that is closed while it is read', async () => {
  await withDaemon(
    async (daemon) => {
      const profileId = await open(daemon, large);
      const { done, pictured } = beginLoad(daemon, profileId);
      await pictured();
      const asked = daemon.exchange('profile/firstPicture', { profileId });
      const closed = daemon.exchange('profile/close', { profileId });
      assert.equal((await closed).message.result, null);
      // Answered in time or cancelled, but answered.
      const { message } = await asked;
      assert.ok(message.result !== undefined || message.error !== undefined);
      assert.ok((await done).message.error !== undefined);
      const other = await open(daemon, large);
      assert.ok((await daemon.request('profile/load', { profileId: other })).events > 0.9 * events);
    },
    { env },
  );
});

test('the daemon ends while a beginning is read', async () => {
  const daemon = startDaemon({ env });
  await daemon.initialize();
  const { done, pictured } = beginLoad(daemon, await open(daemon, large));
  // Its answer may be lost with the daemon.
  done.catch(() => undefined);
  await pictured();
  assert.deepEqual(await daemon.stop(), { code: 0, signal: null });
});

test('whoever joins a load later is told, too', async () => {
  await withDaemon(
    async (daemon) => {
      const profileId = await open(daemon, large);
      const first = beginLoad(daemon, profileId, 'first');
      await first.pictured();
      const second = beginLoad(daemon, profileId, 'second');
      const told = await second.pictured();
      const done = await Promise.all([first.done, second.done]);
      assert.ok(
        daemon.messages.indexOf(told) <
          Math.min(...done.map(({ message }) => daemon.messages.indexOf(message))),
      );
    },
    { env },
  );
});

test('small traces have none, and those that are read already', async () => {
  const small = join(scratch.folder, 'small.pt.trace.json');
  writeFileSync(small, drawTrace(2000));
  await withDaemon(
    async (daemon) => {
      const profileId = await open(daemon, small);
      assert.ok((await beginLoad(daemon, profileId).done).message.result.events > 2000);
      assert.ok(!daemon.messages.some(isPictured('load')));
      const { message } = await daemon.exchange('profile/firstPicture', { profileId });
      assert.equal(message.error.data.kind, 'notFound');
      const nobody = await daemon.exchange('profile/firstPicture', { profileId: 'p99' });
      assert.equal(nobody.message.error.data.kind, 'notFound');
    },
    { env },
  );
});
