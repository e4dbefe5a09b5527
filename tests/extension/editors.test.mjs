// The profile editor's parts that need no VS Code: messages of its page, the page itself, what is
// remembered of it, and paths.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join, matchesGlob } from 'node:path';
import { test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { editorState, parseMessage, safeFileName } from '../../extension/src/editors/messages.ts';
import { newNonce, pageHtml } from '../../extension/src/editors/page_html.ts';
import {
  hasTraceName,
  mayHoldTrace,
  shortTitle,
  viewTypeFor,
} from '../../extension/src/editors/profile_path.ts';
import { beginsLikeTrace, isPlainTrace } from '../../extension/src/editors/trace_peek.ts';
import { StateStore } from '../../extension/src/editors/state_store.ts';
import { expandPath } from '../../extension/src/workspace/expand_path.ts';

test('messages of the contract pass', () => {
  const messages = [
    { type: 'ready' },
    { type: 'request', id: 3, method: 'view/operators', params: { sort: '-calls' } },
    { type: 'request', id: 4, method: 'profile/load', params: {} },
    { type: 'request', id: 5, method: 'profile/firstPicture', params: {} },
    { type: 'cancel', id: 3 },
    {
      type: 'state',
      state: { view: 'kernels', selection: { worker: 'w' }, views: { kernels: 1 } },
    },
    { type: 'openSource', target: { file: '/a.py', line: 3, function: 'f' }, toSide: true },
    { type: 'copy', text: 'x' },
    { type: 'save', suggestedName: 'a.csv', content: 'x', base64: false },
    { type: 'openToSide', view: 'timeline' },
    { type: 'cancelLoad' },
    { type: 'retry' },
    { type: 'openAsText' },
    { type: 'showLog' },
    { type: 'restartDaemon' },
  ];
  for (const message of messages) assert.deepEqual(parseMessage(message), message);
});

test('what a page must not ask for is refused', () => {
  const refused = [
    null,
    'ready',
    [],
    {},
    { type: 'other' },
    { type: 'request', id: 1, method: 'shutdown', params: {} },
    { type: 'request', id: 1, method: 'profile/open', params: { path: '/etc/passwd' } },
    { type: 'request', id: 1, method: 'profile/close', params: {} },
    { type: 'request', id: 1, method: 'view/../shutdown', params: {} },
    { type: 'request', id: '1', method: 'view/operators' },
    { type: 'openExternal', url: 'command:workbench.action.quit' },
    { type: 'openExternal', url: 'https://pytorch.org/docs' },
    { type: 'openSource', target: { file: 3, line: 1 } },
    { type: 'openToSide', view: 'nowhere' },
    { type: 'state', state: { view: 'nowhere' } },
    { type: 'copy' },
  ];
  for (const message of refused) assert.equal(parseMessage(message), undefined);
});

test('a page does not say where the daemon may look for sources', () => {
  for (const method of ['view/overview', 'source/listing', 'source/resolve', 'view/lines']) {
    const { params } = parseMessage({
      type: 'request',
      id: 1,
      method,
      params: {
        file: 'a.py',
        sourceRoots: ['/'],
        sitePackages: ['/'],
        mappings: [{ from: '/', to: '/etc' }],
        anywhere: true,
        profileId: 'another',
      },
    });
    assert.deepEqual(params, { file: 'a.py' }, method);
  }
});

test('a suggested file name stays a name', () => {
  assert.equal(safeFileName('../../etc/passwd'), '_.._etc_passwd');
  assert.equal(safeFileName('a\u0000b.csv'), 'a_b.csv');
  assert.equal(safeFileName(''), 'profile');
  assert.equal(safeFileName('x'.repeat(500)).length, 120);
});

test('the page runs our script only, and loads nothing from elsewhere (B55)', () => {
  const html = pageHtml(
    {
      cspSource: 'https://*.vscode-cdn.net',
      scriptUri: 'https://x/webview.js',
      styleUri: 'https://x/webview.css',
      title: '<script>alert(1)</script>',
    },
    'NONCE',
  );
  assert.match(html, /default-src &#39;none&#39;/);
  assert.match(html, /script-src &#39;nonce-NONCE&#39;/);
  assert.doesNotMatch(html, /unsafe-eval|script-src[^;]*unsafe-inline/);
  assert.equal(html.match(/<script/g).length, 1);
  assert.match(html, /<script type="module" nonce="NONCE" src="https:\/\/x\/webview\.js">/);
  assert.match(html, /&lt;script&gt;/);
});

test('every page has a nonce of its own', () => {
  const nonces = new Set(Array.from({ length: 50 }, newNonce));
  assert.equal(nonces.size, 50);
  for (const nonce of nonces) assert.ok(nonce.length >= 22);
});

test('names of traces', () => {
  assert.ok(hasTraceName('host_1.1700000000.pt.trace.json'));
  assert.ok(hasTraceName('a.pt.trace.json.gz'));
  assert.ok(hasTraceName('whatever.json.gz'));
  assert.ok(!hasTraceName('a.json'));
  assert.ok(mayHoldTrace('a.json.gz'));
  assert.ok(!mayHoldTrace('a.txt'));
  assert.equal(shortTitle('a.pt.trace.json.gz'), 'a');
  assert.equal(shortTitle('b.json'), 'b');
  assert.equal(shortTitle('logs'), 'logs');
});

test('an address opens in the kind of editor that claims it in the manifest', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const [scheme, path] of [
    ['file', '/log/a.pt.trace.json'],
    ['file', '/log/a.json.gz'],
    ['file', '/log/trace.json'],
  ]) {
    const { selector } = manifest.contributes.customEditors.find(
      ({ viewType }) => viewType === viewTypeFor({ scheme, path }),
    );
    const claimed = selector.some(({ filenamePattern }) =>
      matchesGlob(basename(path), filenamePattern),
    );
    assert.ok(claimed, path);
  }
  // What VS Code remembers of a folder's page is kept under this name.
  const folder = viewTypeFor({ scheme: 'emberline-profile', path: '/log/run' });
  assert.equal(folder, 'emberline.profile');
});

test('a plain file is a trace when it begins like one', async () => {
  for (const text of [
    '{\n  "schemaVersion": 1,\n  "deviceProperties": [\n',
    '\ufeff{"traceEvents": [',
    '{"displayTimeUnit": "ms", "other": 1}',
    '[\n {"ph": "X", "ts": 1, "dur": 2, "name": "a"}',
  ]) {
    assert.ok(beginsLikeTrace(text), text);
  }
  for (const text of [
    '',
    'traceEvents',
    '{"name": "emberline", "version": "0.1.0"}',
    '[{"name": "a"}, {"ph": 1}]',
    '[1, 2, 3]',
    `{"a": "${'x'.repeat(100)}"}`,
  ]) {
    assert.ok(!beginsLikeTrace(text), text);
  }
  assert.ok(!(await isPlainTrace('/there/is/no/such/file.json')));
  assert.ok(!(await isPlainTrace(new URL('../../package.json', import.meta.url).pathname)));
});

test('paths of the settings are expanded', () => {
  const variables = { home: '/home/me', workspaceFolder: '/w', env: { DATA: '/data' } };
  assert.equal(expandPath('~/x', variables), '/home/me/x');
  assert.equal(expandPath('${workspaceFolder}/x', variables), '/w/x');
  assert.equal(expandPath('${env:DATA}/${env:NONE}x', variables), '/data/x');
  assert.equal(expandPath('/a~b', variables), '/a~b');
});

function memento() {
  const values = new Map();
  return {
    get: (key) => structuredClone(values.get(key)),
    update: (key, value) => {
      values.set(key, structuredClone(value));
      return Promise.resolve();
    },
    values,
  };
}

test('what an editor showed is remembered by address and column', () => {
  const store = new StateStore(memento(), 3);
  const state = (view) => ({ view, selection: {}, views: {} });
  store.save('file:///a', 1, state('operators'));
  store.save('file:///a', 2, state('timeline'));
  assert.equal(store.load('file:///a', 1).view, 'operators');
  assert.equal(store.load('file:///a', 2).view, 'timeline');
  assert.equal(store.load('file:///a', 7).view, 'timeline', 'else the newest of the address');
  assert.equal(store.load('file:///b', 1), undefined);
  store.save('file:///b', 1, state('memory'));
  store.save('file:///c', 1, state('kernels'));
  assert.equal(store.load('file:///a', 1).view, 'timeline', 'the oldest was let go');
});

test('what an editor showed goes with a file or folder that is renamed', () => {
  const kept = new Map();
  const memento = {
    get: (key) => kept.get(key),
    update: async (key, value) => kept.set(key, value),
  };
  const store = new StateStore(memento);
  const state = (view) => ({ view, selection: {}, views: {} });
  store.save('file:///logs/a.json', 1, state('memory'));
  store.save('file:///logs/b.json', 2, state('kernels'));
  store.save('file:///logs2/a.json', 1, state('lines'));
  store.move('file:///logs/a.json', 'file:///logs/c.json');
  assert.equal(store.load('file:///logs/c.json', 1).view, 'memory');
  store.move('file:///logs', 'file:///runs');
  assert.equal(store.load('file:///runs/b.json', 2).view, 'kernels');
  assert.equal(store.load('file:///runs/c.json', 1).view, 'memory');
  assert.equal(store.load('file:///logs2/a.json', 1).view, 'lines');
  assert.equal(store.load('file:///runs2/a.json', 1), undefined);
});

test('a damaged memory is no state', () => {
  const broken = memento();
  broken.values.set('emberline.editorStates', [{ key: 'file:///a\n1', state: { view: 'x' } }, 3]);
  assert.equal(new StateStore(broken).load('file:///a', 1), undefined);
  assert.equal(editorState({ view: 'lines' }).view, 'lines');
  assert.equal(editorState('lines'), undefined);
});
