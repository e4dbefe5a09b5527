// Jobs in the extension: addresses, messages of their page, and the session of a folder of ranks
// against the real daemon.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firstPictures, readJob, writeJob } from '../../extension/shared/job.ts';
import { DaemonClient } from '../../extension/src/daemon/client.ts';
import { Profiles } from '../../extension/src/daemon/profiles.ts';
import { Supervisor } from '../../extension/src/daemon/supervisor.ts';
import { JobSession } from '../../extension/src/editors/job_session.ts';
import { editorState, parseMessage } from '../../extension/src/editors/messages.ts';
import { bestMatches } from '../../extension/src/source/path_mappings.ts';
import { writeJob as writeTraces } from '../generator/job.mjs';
import { emberline } from '../lib/cli.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const server = process.env.EMBERLINE_SERVER ?? join(root, 'build', 'bin', 'emberline');
if (!existsSync(server)) throw new Error(`There is no daemon at ${server}: build it first.`);
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

let folder;
let supervisor;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-jobs-'));
  supervisor = new Supervisor({
    log: quiet,
    launch: () =>
      DaemonClient.launch({ command: server, args: ['serve'], clientVersion: 'test', log: quiet }),
  });
});
after(async () => {
  await supervisor?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an address holds the folder and the run', () => {
  for (const job of [{ path: '/data/a b' }, { path: '/data/c&d', run: 'r' }]) {
    assert.deepEqual(readJob(writeJob(job)), job);
  }
  assert.equal(writeJob({ run: 'r', path: '/a' }), writeJob({ path: '/a', run: 'r' }));
  for (const text of ['', '{', '[]', 'null', '{"path":3}', '{"path":""}']) {
    assert.equal(readJob(text), undefined, text);
  }
  assert.deepEqual(readJob('{"path":"/a","run":7,"more":1}'), { path: '/a' });
});

test('small jobs are read at once, large ones in a few growing parts', () => {
  assert.deepEqual(firstPictures(0), []);
  assert.deepEqual(firstPictures(2), []);
  assert.deepEqual(firstPictures(8), [2]);
  assert.deepEqual(firstPictures(64), [2, 8, 32]);
});

test('a page may ask for what jobs have, but names no folder', () => {
  const asked = parseMessage({
    type: 'request',
    id: 1,
    method: 'distributed/table',
    params: { by: 'ranks', digests: '/etc', profileId: 'p9' },
  });
  assert.deepEqual(asked.params, { by: 'ranks' });
  assert.deepEqual(parseMessage({ type: 'openRank', rank: 3, slice: 7, path: '/etc' }), {
    type: 'openRank',
    rank: 3,
    slice: 7,
  });
  assert.deepEqual(parseMessage({ type: 'openRank', rank: 3, slice: -1 }), {
    type: 'openRank',
    rank: 3,
  });
  assert.equal(parseMessage({ type: 'openRank', rank: '3' }), undefined);
  assert.equal(editorState({ view: 'job', selection: {}, views: {} }).view, 'job');
});

test('of files with one name those are taken whose folders agree the most', () => {
  const files = ['/w/a/train.py', '/w/b/job/train.py', '/w/c/job/train.py'];
  assert.deepEqual(bestMatches('/cluster/job/train.py', files), files.slice(1));
  assert.deepEqual(bestMatches('/x/a/train.py', files), files.slice(0, 1));
  assert.deepEqual(bestMatches('/x/other.py', files), []);
});

/** What a session tells its page until all is there, or nothing more comes. */
async function loaded(session, told, act = () => session.loadTrace()) {
  await act();
  return told.filter(({ type }) => type === 'loadedJob').map(({ job }) => job);
}

function open(source) {
  const told = [];
  const state = { view: 'job', selection: {}, views: {} };
  const session = new JobSession(source, supervisor, state, (message) => told.push(message));
  return { session, told };
}

test('the first ranks come first, then all; a rank leads to its worker', async () => {
  const at = join(folder, 'traces');
  writeTraces(at, { ranks: 12, steps: 2 });
  writeFileSync(join(at, 'node0_3.1700000000000.pt.trace.json'), '{"schema');
  const profiles = new Profiles(supervisor);
  const { session, told } = open({ profile: profiles.acquire(at) });
  const jobs = await loaded(session, told);
  assert.deepEqual(
    jobs.map(({ maxRanks, result }) => [maxRanks, result.ranks.length]),
    [
      [2, 2],
      [8, 7],
      [0, 11],
    ],
  );
  assert.deepEqual(jobs[0].result.notes, []);
  assert.deepEqual(
    jobs[2].result.notes.map(({ kind }) => kind),
    ['brokenFile', 'missingRank'],
  );
  assert.equal(session.rank(5).worker, 'node0_5');
  assert.equal(session.rank(3), undefined);
  told.length = 0;
  await session.request(1, 'distributed/table', { by: 'ranks', maxRanks: 0 });
  assert.equal(told[0].result.totalRows, 11);
  session.dispose();
  profiles.dispose();
});

test('a folder of digests is there at once and has no profile', async () => {
  const at = join(folder, 'few');
  const digests = join(folder, 'digests');
  writeTraces(at, { ranks: 4, steps: 2 });
  const made = await emberline(['digest', at, '-o', digests]);
  assert.equal(made.status, 0, made.stderr);
  const { session, told } = open({ digests });
  const jobs = await loaded(session, told);
  assert.deepEqual(
    jobs.map(({ maxRanks, result, profile }) => [maxRanks, result.ranks.length, profile]),
    [[0, 4, undefined]],
  );
  told.length = 0;
  await session.request(1, 'distributed/call', { call: 0 });
  assert.equal(told[0].result.call, 0);
  session.dispose();
});

test('a cancelled load leaves what there is, and says that it was ended', async () => {
  const at = join(folder, 'many');
  writeTraces(at, { ranks: 24, steps: 2 });
  const profiles = new Profiles(supervisor);
  const { session, told } = open({ profile: profiles.acquire(at) });
  const post = told.push.bind(told);
  told.push = (message) => {
    post(message);
    if (message.type === 'loadedJob' && message.job.maxRanks === 2) session.cancelLoad();
    return told.length;
  };
  const jobs = await loaded(session, told);
  assert.equal(jobs.at(-1).stopped, true);
  assert.equal(jobs.at(-1).maxRanks, 2);
  const { length } = told;
  await session.loadTrace();
  assert.ok(told.slice(length).some(({ type }) => type === 'loadedJob'));
  session.dispose();
  profiles.dispose();
});
