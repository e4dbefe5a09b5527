// Comparisons in the extension: addresses and links, messages of their page, and the session of two
// profiles against the real daemon.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  readComparison,
  readComparisonLink,
  swapped,
  writeComparison,
  writeComparisonLink,
} from '../../extension/shared/comparison.ts';
import { DaemonClient } from '../../extension/src/daemon/client.ts';
import { Profiles } from '../../extension/src/daemon/profiles.ts';
import { Supervisor } from '../../extension/src/daemon/supervisor.ts';
import { ComparisonSession } from '../../extension/src/editors/comparison_session.ts';
import { parseComparisonLink } from '../../extension/src/editors/link.ts';
import { editorState, parseMessage } from '../../extension/src/editors/messages.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const server = process.env.EMBERLINE_SERVER ?? join(root, 'build', 'bin', 'emberline');
if (!existsSync(server)) throw new Error(`There is no daemon at ${server}: build it first.`);
const sample = (name) => join(root, 'samples', 'train_cnn', `${name}.pt.trace.json.gz`);
const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const comparison = {
  baseline: { path: '/data/a b.pt.trace.json', worker: 'w0' },
  candidate: { path: '/data/c&d', run: 'r', steps: '2-4' },
};

test('an address and a link hold both sides with their selections', () => {
  assert.deepEqual(readComparison(writeComparison(comparison)), comparison);
  const link = new URL(writeComparisonLink('vscode://emberline.emberline', comparison));
  assert.deepEqual(readComparisonLink(link.pathname, link.search.slice(1)), comparison);
  assert.deepEqual(parseComparisonLink(link.pathname, link.search.slice(1)), comparison);
  assert.deepEqual(swapped(swapped(comparison)), comparison);
  // What means the same is the same address, whatever the order of its keys.
  const { path, ...rest } = comparison.candidate;
  assert.equal(
    writeComparison({ ...comparison, candidate: { ...rest, path } }),
    writeComparison(comparison),
  );
});

test('what is no comparison is refused', () => {
  for (const text of ['', '{', '[]', 'null', '{"baseline":{"path":"/a"}}']) {
    assert.equal(readComparison(text), undefined, text);
  }
  const sides = JSON.stringify({ baseline: { path: 'a.json' }, candidate: { path: '/b.json' } });
  assert.equal(parseComparisonLink('/compare', `sides=${encodeURIComponent(sides)}`), undefined);
  assert.equal(parseComparisonLink('/timeline', `sides=${encodeURIComponent(sides)}`), undefined);
  const odd = { baseline: { path: '/a', steps: 3, extra: 1 }, candidate: { path: '/b' } };
  assert.deepEqual(readComparison(JSON.stringify(odd)), {
    baseline: { path: '/a' },
    candidate: { path: '/b' },
  });
});

test('messages of a comparison pass, and say nothing that is not theirs', () => {
  const state = {
    view: 'compare',
    selection: {},
    views: { compare: { tab: 'execution' } },
    sides: { baseline: { steps: '2' }, candidate: {} },
  };
  for (const message of [
    { type: 'state', state },
    { type: 'swapSides', state },
    { type: 'request', id: 1, method: 'compare/tree', params: { path: '0' } },
    { type: 'request', id: 2, method: 'source/stack', params: { slice: 3 }, side: 'baseline' },
    { type: 'openSource', target: { file: 'a.py', line: 3 }, toSide: false, side: 'baseline' },
    { type: 'showInProfile', side: 'candidate', to: { slice: 7 } },
    { type: 'showInProfile', side: 'baseline', to: { line: { file: 'a.py', line: 2 } } },
  ]) {
    assert.deepEqual(parseMessage(message), message);
  }
  for (const message of [
    { type: 'showInProfile', side: 'neither', to: {} },
    { type: 'showInProfile', side: 'baseline' },
    { type: 'swapSides' },
    { type: 'request', id: 1, method: 'compare/../shutdown', params: {} },
  ]) {
    assert.equal(parseMessage(message), undefined);
  }
  assert.deepEqual(editorState({ ...state, sides: { baseline: { steps: 2 } } }).sides, {
    baseline: {},
    candidate: {},
  });
});

const supervisors = [];
after(async () => {
  for (const supervisor of supervisors) await supervisor.stop();
});

/** A session of slow and fixed; `message` waits for one that its page would get. */
function begin(sides) {
  const supervisor = new Supervisor({
    launch: () =>
      DaemonClient.launch({
        command: server,
        args: ['serve'],
        clientVersion: '0.0.0-test',
        log: quiet,
      }),
    log: quiet,
  });
  supervisors.push(supervisor);
  const profiles = new Profiles(supervisor);
  const acquired = {
    baseline: profiles.acquire(sample('slow')),
    candidate: profiles.acquire(sample('fixed')),
  };
  const state = { view: 'compare', selection: {}, views: {}, sides };
  const messages = [];
  const waiting = [];
  const session = new ComparisonSession(acquired, supervisor, state, (message) => {
    messages.push(message);
    for (const check of [...waiting]) check();
  });
  const message = (is) =>
    new Promise((resolve) => {
      const check = () => {
        const found = messages.find(is);
        if (found !== undefined) resolve(found);
      };
      waiting.push(check);
      check();
    });
  return { session, supervisor, profiles, acquired, messages, message };
}

test('both profiles load, and requests carry the handle and the selection of each side', async () => {
  const page = begin({ baseline: { steps: '2' }, candidate: {} });
  await page.session.loadTrace();
  const { sides } = await page.message(({ type }) => type === 'loadedSides');
  assert.match(sides.baseline.trace.path, /slow/);
  assert.match(sides.candidate.trace.path, /fixed/);
  // The source has something to show although no editor of its own shows the profile.
  assert.deepEqual(page.acquired.baseline.active.selection, { steps: '2' });
  const answer = async (id, ...request) => {
    await page.session.request(id, ...request);
    const { result, error } = await page.message((one) => one.type === 'response' && one.id === id);
    assert.equal(error, undefined, error?.message);
    return result;
  };
  const selections = { baseline: { steps: '2' }, candidate: { steps: '3-4' } };
  const verdict = await answer(1, 'compare/verdict', selections, undefined, {});
  assert.deepEqual([verdict.baseline.steps, verdict.candidate.steps], [1, 2]);
  const { frames } = await answer(2, 'source/stack', { slice: 3587 }, 'baseline', {});
  assert.ok(frames.some(({ file }) => file.endsWith('slow.py')));
  const other = await answer(3, 'profile/load', {}, 'candidate', {});
  assert.equal(other.path, sides.candidate.trace.path);
  page.session.dispose();
});

test('after the daemon was restarted both sides load again', async () => {
  const page = begin({ baseline: {}, candidate: {} });
  await page.session.loadTrace();
  page.messages.length = 0;
  await page.supervisor.restart();
  const { sides } = await page.message(({ type }) => type === 'loadedSides');
  assert.equal(sides.baseline.trace.steps.length, 4);
  page.session.dispose();
});

test('a side that is not there fails the comparison, with its reason', async () => {
  const page = begin({ baseline: {}, candidate: {} });
  page.acquired.candidate = page.profiles.acquire('/nowhere/x.pt.trace.json');
  const session = new ComparisonSession(
    page.acquired,
    page.supervisor,
    page.session.state,
    (message) => page.messages.push(message),
  );
  await session.loadTrace();
  const { error } = page.messages.findLast(({ type }) => type === 'failed');
  assert.equal(error.kind, 'notFound');
  assert.match(error.message, /nowhere/);
  session.dispose();
  page.session.dispose();
});
