// Everything that the daemon's threads share, at once: several profiles loading, asked, cancelled and
// closed while they load, jobs beside them, images written and read. What is asserted is that each
// request is answered; the thread sanitizer (see ../README.md) sees the rest.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { temporaryFolder } from '../lib/cli.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { drawTrace, plainMethods, samples, withDaemon } from './daemon.mjs';

const jobMethods = ['job', 'lanes', 'table'].map((name) => `distributed/${name}`);
const jobParams = { 'distributed/table': { by: 'calls', limit: 10 } };

const kinds = new Map(); // how many answers were of each kind

/** Whatever a request got, it was an answer and no fault of ours. */
function assertAnswered({ message }, label) {
  const kind = message.error?.data.kind ?? 'result';
  kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  if (!message.error) return message.result;
  assert.notEqual(message.error.code, -32603, `${label}: ${JSON.stringify(message.error)}`);
  return null;
}

/** Sends a request and its cancellation right behind it; gives the reply. */
function cancelled(daemon, method, params) {
  const id = daemon.nextId++;
  const reply = daemon.exchange(method, params, id);
  daemon.notify('$/cancelRequest', { id });
  return reply.then((one) => assertAnswered(one, method));
}

async function aRound(daemon, paths, folder, random) {
  const opened = await Promise.all(paths.map((path) => daemon.exchange('profile/open', { path })));
  const ids = opened.map((reply, at) => assertAnswered(reply, paths[at]).profileId);
  const waiting = [];
  const ask = (method, params) =>
    waiting.push(daemon.exchange(method, params).then((reply) => assertAnswered(reply, method)));
  ids.forEach((profileId, at) => {
    const params = { profileId, workDoneToken: `load${daemon.nextId}`, firstPicture: true };
    ask('profile/load', params);
    if (random() < 0.3) waiting.push(cancelled(daemon, 'profile/load', { profileId }));
    if (random() < 0.5) ask('profile/firstPicture', { profileId });
    const isFolder = !paths[at].endsWith('json') && !paths[at].endsWith('.gz');
    for (const method of isFolder ? jobMethods : plainMethods) {
      if (random() < 0.5) ask(method, { profileId, ...jobParams[method] });
      if (random() < 0.1) {
        waiting.push(cancelled(daemon, method, { profileId, ...jobParams[method] }));
      }
    }
    if (random() < 0.3) ask('profile/close', { profileId });
  });
  const [a, b] = ids;
  const sides = { baseline: { profileId: a }, candidate: { profileId: b } };
  for (const method of ['compare/verdict', 'compare/tree']) {
    ask(method, sides);
    waiting.push(cancelled(daemon, method, sides));
  }
  waiting.push(cancelled(daemon, 'profile/open', { path: folder }));
  await Promise.all(waiting);
  for (const profileId of ids) {
    assertAnswered(await daemon.exchange('profile/close', { profileId }), 'profile/close');
  }
}

test('many profiles and jobs at once, cancelled and closed while they load', async () => {
  const { folder, remove } = temporaryFolder('threads');
  try {
    const path = (name) => join(folder, name);
    writeFileSync(path('small.pt.trace.json'), drawTrace(60));
    writeFileSync(path('large.pt.trace.json'), drawTrace(20_000));
    writeJob(path('job'), { ranks: 6 });
    mkdirSync(path('cache'));
    const paths = [samples.slow, samples.fixed, path('large.pt.trace.json'), path('job')];
    const random = randomNumbers(3);
    const env = {
      EMBERLINE_TRACE_CACHE: path('cache'),
      EMBERLINE_TRACE_CACHE_LEAST_KB: '1',
      EMBERLINE_FIRST_PICTURE_LEAST_KB: '1',
    };
    await withDaemon(
      async (daemon) => {
        for (let round = 0; round < 3; ++round) await aRound(daemon, paths, folder, random);
        // Gone in the middle of everything.
        for (const one of paths) {
          const { message } = await daemon.exchange('profile/open', { path: one });
          daemon.exchange('profile/load', { profileId: message.result.profileId }).catch(() => {});
        }
      },
      { env },
    );
    assert.ok(kinds.get('result') > 0);
    for (const kind of kinds.keys()) {
      assert.ok(['result', 'cancelled', 'notFound'].includes(kind), kind);
    }
  } finally {
    remove();
  }
});
