// The extension's daemon client, supervisor and editor sessions against the real daemon: start,
// crash, restart, replay, giving up, versions, progress, cancelling.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DaemonClient, protocolVersion } from '../../extension/src/daemon/client.ts';
import { DaemonError, failureData } from '../../extension/src/daemon/failure.ts';
import { LineSplitter, logDaemonLine } from '../../extension/src/daemon/log.ts';
import { Profiles } from '../../extension/src/daemon/profiles.ts';
import { RestartPolicy } from '../../extension/src/daemon/restart_policy.ts';
import { Emitter } from '../../extension/src/daemon/emitter.ts';
import { Supervisor } from '../../extension/src/daemon/supervisor.ts';
import { selectionExists } from '../../extension/shared/selection.ts';
import { PanelSession } from '../../extension/src/editors/panel_session.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const server = process.env.EMBERLINE_SERVER ?? join(root, 'build', 'bin', 'emberline');
if (!existsSync(server)) throw new Error(`There is no daemon at ${server}: build it first.`);
const samples = join(root, 'samples');
const sample = join(samples, 'train_cnn', 'slow.pt.trace.json.gz');

/** Patience for the daemon; a slow machine must not fail a test. */
const patienceMs = 60_000;

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const running = new Set();

async function launch(options = {}) {
  const client = await DaemonClient.launch({
    command: server,
    args: ['serve'],
    clientVersion: '0.0.0-test',
    log: quiet,
    ...options,
  });
  running.add(client);
  client.onExit.on(() => running.delete(client));
  return client;
}

/** A supervisor whose restarts do not wait long. */
function supervise(options = {}) {
  return new Supervisor({
    launch: () => launch(),
    log: quiet,
    policy: new RestartPolicy(5, 180_000, 5),
    ...options,
  });
}

after(() => {
  for (const client of running) client.kill();
});

/** Resolves as soon as `check` gives something; looks again whenever `emitter` fires. */
function until(emitter, check, what) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Waited in vain for ${what}`)), patienceMs);
    const look = () => {
      const value = check();
      if (!value) return;
      clearTimeout(timer);
      registration.dispose();
      resolve(value);
    };
    const registration = emitter.on(look);
    look();
  });
}

/** Ends a supervisor's daemon the hard way and waits until the supervisor knows. */
async function crash(supervisor) {
  const pid = supervisor.processId;
  assert.ok(pid > 0);
  const seen = until(
    supervisor.onStatus,
    () => ['restarting', 'stopped'].includes(supervisor.current.state),
    'the crash to be noticed',
  );
  process.kill(pid, 'SIGKILL');
  await seen;
}

const isError = (kind) => (error) => {
  assert.ok(error instanceof DaemonError, String(error));
  assert.equal(error.kind, kind);
  return true;
};

test('the handshake tells the version, and stopping ends the process', async () => {
  const client = await launch();
  assert.match(client.serverVersion, /^\d+\.\d+/);
  const exits = [];
  client.onExit.on((exit) => exits.push(exit));
  await client.stop();
  assert.deepEqual(exits, [{ code: 0, signal: null, unexpected: false }]);
  await assert.rejects(client.request('profile/open', { path: sample }), isError('daemonStopped'));
});

test('another version of the protocol is refused and not tried again', async () => {
  let launches = 0;
  const supervisor = supervise({
    launch: () => {
      launches++;
      return launch({ expectedProtocol: protocolVersion + 1 });
    },
  });
  await assert.rejects(supervisor.ready(), isError('versionMismatch'));
  assert.equal(launches, 1);
  assert.equal(supervisor.current.state, 'stopped');
  assert.match(supervisor.current.message, /version/);
  await assert.rejects(
    supervisor.request('profile/open', { path: sample }),
    isError('versionMismatch'),
  );
  await supervisor.stop();
});

test('a program that is not there says so', async () => {
  const supervisor = supervise({ launch: () => launch({ command: join(root, 'no-such-daemon') }) });
  await assert.rejects(supervisor.ready(), isError('daemonMissing'));
  assert.equal(supervisor.current.state, 'stopped');
  await supervisor.stop();
});

test('a program that is no daemon is not waited for without end', async () => {
  const silent = launch({
    command: process.execPath,
    args: ['-e', 'process.stdin.resume()'],
    handshakeMs: 300,
  });
  await assert.rejects(silent, isError('daemonStopped'));
  const ends = launch({ command: process.execPath, args: ['-e', 'process.exit(3)'] });
  await assert.rejects(ends, isError('daemonStopped'));
});

test('errors keep their kind and hint', async () => {
  const client = await launch();
  await assert.rejects(client.request('profile/open', { path: '/no/such/trace' }), (error) => {
    assert.ok(error instanceof DaemonError);
    const data = failureData(error);
    assert.ok(data.message.length > 0);
    assert.ok(data.kind !== '' && data.kind !== 'daemonStopped', data.kind);
    assert.equal(data.hint, 'Check the path.');
    return true;
  });
  await client.stop();
});

test('loading reports progress that grows', async () => {
  const client = await launch();
  const { profileId, runs } = await client.request('profile/open', { path: sample });
  assert.equal(runs.length, 1);
  const percents = [];
  const trace = await client.request(
    'profile/load',
    { profileId },
    { onProgress: ({ percent }) => percents.push(percent) },
  );
  assert.ok(trace.events > 1000);
  assert.ok(percents.length > 0);
  assert.deepEqual(
    percents,
    [...percents].sort((a, b) => a - b),
  );
  await client.stop();
});

test('a withdrawn request fails as cancelled, and the daemon goes on', async () => {
  const client = await launch();
  const { profileId } = await client.request('profile/open', { path: sample });
  const before = AbortSignal.abort();
  await assert.rejects(
    client.request('profile/load', { profileId }, { signal: before }),
    isError('cancelled'),
  );
  const abort = new AbortController();
  const loading = client.request('profile/load', { profileId }, { signal: abort.signal });
  abort.abort();
  // A small trace may be read before the message arrives; then there is an answer.
  await loading.then(
    (trace) => assert.ok(trace.events > 0),
    (error) => isError('cancelled')(error),
  );
  assert.ok((await client.request('profile/load', { profileId })).events > 1000);
  await client.stop();
});

test('a crash ends what was asked, and the daemon comes back', async () => {
  const supervisor = supervise();
  const states = [];
  supervisor.onStatus.on(({ state }) => states.push(state));
  await supervisor.ready();
  const first = supervisor.processId;
  await crash(supervisor);
  const opened = await supervisor.request('profile/open', { path: sample });
  assert.ok(opened.profileId);
  assert.notEqual(supervisor.processId, first);
  assert.equal(supervisor.current.generation, 2);
  assert.deepEqual(states, ['starting', 'running', 'restarting', 'running']);
  await supervisor.stop();
});

test('a daemon that crashes too often is given up until the user restarts it', async () => {
  const supervisor = supervise({ policy: new RestartPolicy(2, 180_000, 1) });
  await supervisor.ready();
  for (let i = 0; i < 2; i++) {
    await crash(supervisor);
    await supervisor.ready();
  }
  await crash(supervisor);
  assert.equal(supervisor.current.state, 'stopped');
  assert.match(supervisor.current.message, /3 times/);
  await assert.rejects(supervisor.ready(), isError('daemonStopped'));
  await supervisor.restart();
  assert.equal(supervisor.current.state, 'running');
  await supervisor.stop();
});

test('a restart by the user leaves one daemon, and is no crash', async () => {
  const supervisor = supervise();
  await supervisor.ready();
  const first = supervisor.processId;
  await supervisor.restart();
  assert.equal(supervisor.current.state, 'running');
  assert.notEqual(supervisor.processId, first);
  assert.throws(() => process.kill(first, 0), /ESRCH/);
  await supervisor.stop();
});

test('a restart by the user does not wait for the pause after a crash', async () => {
  const hours = 3 * 3_600_000;
  const supervisor = supervise({ policy: new RestartPolicy(5, hours, hours) });
  await supervisor.ready();
  await crash(supervisor);
  assert.equal(supervisor.current.state, 'restarting');
  const restarted = supervisor.restart();
  await until(supervisor.onStatus, () => supervisor.current.state === 'running', 'the restart');
  await restarted;
  await supervisor.stop();
});

test('an editor tries again with another daemon when the first could not be run', async () => {
  let command = join(root, 'no-such-daemon');
  const supervisor = supervise({ launch: () => launch({ command }) });
  const page = panel(supervisor, new Profiles(supervisor).acquire(sample));
  page.session.ready();
  const failed = await page.wait((message) => message.type === 'failed', 'the failure');
  assert.equal(failed.error.kind, 'daemonMissing');
  command = server;
  await supervisor.restart();
  await page.wait((message) => message.type === 'loaded', 'the trace');
  page.session.dispose();
  await supervisor.stop();
});

test('pauses double, and an old crash counts no more', () => {
  const policy = new RestartPolicy(3, 1000, 10);
  assert.deepEqual([policy.next(0), policy.next(1), policy.next(2)], [10, 20, 40]);
  assert.equal(policy.next(3), undefined);
  assert.equal(policy.next(1000), 40, 'the first is forgotten');
  policy.reset();
  assert.equal(policy.next(1001), 10);
});

test('lines of standard error find their level', () => {
  const said = [];
  const log = Object.fromEntries(
    Object.keys(quiet).map((level) => [level, (text) => said.push([level, text])]),
  );
  const splitter = new LineSplitter((line) => logDaemonLine(log, line));
  splitter.push('warning: od');
  splitter.push('d\n[error] bad\r\nplain\nde');
  splitter.push('bug: detail\nerror reading a file\n');
  splitter.end();
  assert.deepEqual(said, [
    ['warn', 'odd'],
    ['error', 'bad'],
    ['info', 'plain'],
    ['debug', 'detail'],
    ['error', 'error reading a file'],
  ]);
});

/** An editor session whose page writes down what it is told. */
function panel(supervisor, profile, state = { view: 'overview', selection: {}, views: {} }) {
  const messages = [];
  const listeners = new Set();
  const emitter = {
    on(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  const session = new PanelSession(profile, supervisor, state, (message) => {
    messages.push(message);
    for (const listener of [...listeners]) listener();
  });
  const wait = (check, what) => until(emitter, () => messages.find(check), what);
  return { session, messages, wait };
}

test('an editor that is hidden before its page runs loads its trace all the same', async () => {
  const supervisor = supervise();
  const profile = new Profiles(supervisor).acquire(sample);
  const page = panel(supervisor, profile);
  void page.session.loadTrace();
  const loaded = await page.wait((message) => message.type === 'loaded', 'the trace');
  assert.equal(profile.active.trace.events, loaded.trace.events);
  // The page that runs at last is told what there is, and nothing is loaded twice.
  page.messages.length = 0;
  page.session.ready();
  assert.deepEqual(
    page.messages.map(({ type }) => type),
    ['daemon', 'loaded'],
  );
  page.session.dispose();
  await supervisor.stop();
});

test('an editor loads its trace, answers its page, and loads again after a crash', async () => {
  const supervisor = supervise();
  const profiles = new Profiles(supervisor);
  const profile = profiles.acquire(sample);
  const page = panel(supervisor, profile);
  page.session.ready();
  const loaded = await page.wait((message) => message.type === 'loaded', 'the trace');
  assert.equal(loaded.trace.path, sample);
  assert.equal(profile.active.trace.events, loaded.trace.events);
  await page.session.request(1, 'profile/check', {});
  const answer = page.messages.find((message) => message.type === 'response');
  assert.equal(answer.id, 1);
  assert.equal(answer.result.events, loaded.trace.events);

  page.messages.length = 0;
  await crash(supervisor);
  const again = await page.wait((message) => message.type === 'loaded', 'the replay');
  assert.equal(again.trace.events, loaded.trace.events);
  const banner = page.messages.filter(({ type }) => type === 'daemon').map(({ state }) => state);
  assert.deepEqual(banner, ['restarting', 'running']);
  await page.session.request(2, 'profile/check', {});
  const second = page.messages.find((message) => message.type === 'response');
  assert.equal(second.result.events, loaded.trace.events);
  page.session.dispose();
  profiles.release(profile);
  await supervisor.stop();
});

test('answers to a page that is gone do not reach the next one', async () => {
  const supervisor = supervise();
  const profile = new Profiles(supervisor).acquire(sample);
  const page = panel(supervisor, profile);
  await page.session.loadTrace();
  page.messages.length = 0;
  const old = page.session.request(1, 'view/operators', { groupBy: 'operatorAndShape' });
  page.session.ready();
  const fresh = page.session.request(1, 'profile/check', {});
  await Promise.all([old, fresh]);
  const answers = page.messages.filter(({ type }) => type === 'response');
  assert.equal(answers.length, 1);
  assert.ok(answers[0].result.events > 0, 'the answer is that of the second page');
  page.session.dispose();
  await supervisor.stop();
});

test('an editor shows a stopped daemon and recovers with Restart', async () => {
  const supervisor = supervise({ policy: new RestartPolicy(0, 180_000, 1) });
  const profiles = new Profiles(supervisor);
  const page = panel(supervisor, profiles.acquire(sample));
  page.session.ready();
  await page.wait((message) => message.type === 'loaded', 'the trace');
  page.messages.length = 0;
  await crash(supervisor);
  assert.equal(page.messages.at(-1).state, 'stopped');
  await page.session.request(1, 'profile/check', {});
  assert.equal(page.messages.at(-1).error.kind, 'daemonStopped');
  await supervisor.restart();
  await page.wait((message) => message.type === 'loaded', 'the trace again');
  page.session.dispose();
  await supervisor.stop();
});

test('an editor says why a trace cannot be loaded, and tries again', async () => {
  const supervisor = supervise();
  const profiles = new Profiles(supervisor);
  const profile = profiles.acquire(join(samples, 'README.md'));
  assert.equal(profile.condition, 'loading');
  const page = panel(supervisor, profile);
  page.session.ready();
  const failed = await page.wait((message) => message.type === 'failed', 'the failure');
  assert.ok(failed.error.message.length > 0);
  assert.equal(profile.condition, 'failed', 'the status item need not spin any longer');
  page.messages.length = 0;
  await page.session.loadTrace();
  assert.equal(page.messages.at(-1).type, 'failed');
  page.session.dispose();
  await supervisor.stop();
});

test('a cancelled load is told and can be retried', async () => {
  const supervisor = supervise();
  const profiles = new Profiles(supervisor);
  const page = panel(supervisor, profiles.acquire(sample));
  await supervisor.ready();
  const loading = page.session.loadTrace();
  page.session.cancelLoad();
  await loading;
  const last = page.messages.at(-1);
  assert.equal(last.type, 'failed');
  assert.equal(last.error.kind, 'cancelled');
  assert.deepEqual(
    profiles.list.map(({ condition }) => condition),
    ['failed'],
  );
  await page.session.loadTrace();
  assert.equal(page.messages.at(-1).type, 'loaded');
  assert.deepEqual(
    profiles.list.map(({ condition }) => condition),
    ['loaded'],
  );
  page.session.dispose();
  await supervisor.stop();
});

test('a page is told when there is a first picture of its trace, once and for all', async () => {
  // A supervisor that answers as a daemon does; the real one is asked by tests of the protocol.
  const asked = [];
  const onStatus = new Emitter();
  const trace = { run: '', worker: 'w', span: '', steps: [] };
  const found = { profileId: 'p1', runs: [{ name: '', workers: [{ name: 'w', sizeBytes: 1 }] }] };
  const answer = async (method, params, options = {}) => {
    asked.push([method, params]);
    if (method === 'profile/open') return found;
    if (method === 'profile/firstPicture') return { fraction: 0.125 };
    for (const report of [
      { stage: 'read', percent: 10 },
      { stage: 'read', percent: 10, firstPicture: true },
      { stage: 'read', percent: 10, firstPicture: true },
      { stage: 'build', percent: 81, firstPicture: true },
    ]) {
      options.onProgress?.(report);
    }
    return trace;
  };
  const supervisor = {
    onStatus,
    current: { state: 'running', generation: 1 },
    ready: async () => undefined,
    request: answer,
    forward: answer,
  };
  const page = panel(supervisor, new Profiles(supervisor).acquire('/a/trace.json'));
  await page.session.loadTrace();
  const told = page.messages.filter(({ type }) => type === 'loading').slice(1);
  assert.deepEqual(told, [
    { type: 'loading', stage: 'read', percent: 10 },
    { type: 'loading', stage: 'read', percent: 10, firstPicture: true },
    { type: 'loading', stage: 'build', percent: 81, firstPicture: true },
  ]);
  await page.session.request(1, 'profile/firstPicture', {});
  assert.deepEqual(page.messages.at(-1), { type: 'response', id: 1, result: { fraction: 0.125 } });
  await page.session.request(2, 'profile/load', { worker: 'w' });
  const loads = asked.filter(([method]) => method === 'profile/load');
  assert.equal(loads.length, 2);
  for (const [, params] of loads) assert.equal(params.firstPicture, true);
  page.session.dispose();
});

test('a page may choose another trace of a folder, and the source follows it', async () => {
  const supervisor = supervise();
  const profiles = new Profiles(supervisor);
  const profile = profiles.acquire(join(samples, 'train_cnn'));
  const page = panel(supervisor, profile);
  page.session.ready();
  const { profile: found, trace } = await page.wait(({ type }) => type === 'loaded', 'the trace');
  const all = found.runs.flatMap((run) =>
    run.workers.map((worker) => ({ run: run.name, worker: worker.name })),
  );
  assert.ok(all.length >= 2, 'the folder holds a slow and a fixed trace');
  const other = all.find(({ worker }) => worker !== trace.worker);
  const { run, worker } = other;
  await page.session.request(1, 'profile/load', { run, worker });
  const { result } = page.messages.find(({ type }) => type === 'response');
  assert.equal(result.worker, worker);
  assert.notEqual(result.path, trace.path);
  assert.equal(profile.active.trace.path, result.path);
  // A stored selection that is gone falls back to the first trace.
  assert.ok(selectionExists(found, { run, worker }));
  assert.ok(!selectionExists(found, { run, worker: 'gone' }));
  page.session.dispose();
  const later = panel(supervisor, profile, {
    view: 'overview',
    selection: { worker: 'gone' },
    views: {},
  });
  later.session.ready();
  await later.wait(({ type }) => type === 'loaded', 'the first trace');
  later.session.dispose();
  await supervisor.stop();
});

test('a trace that was written anew is read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-'));
  const path = join(folder, 'run.pt.trace.json');
  const slice = (name, ts) => ({ ph: 'X', cat: 'cpu_op', name, pid: 1, tid: 1, ts, dur: 5 });
  const write = (...events) => writeFileSync(path, JSON.stringify({ traceEvents: events }));
  const supervisor = supervise();
  try {
    write(slice('aten::mm', 0));
    const profile = new Profiles(supervisor).acquire(path);
    const page = panel(supervisor, profile);
    await page.session.loadTrace();
    assert.equal(page.messages.at(-1).trace.slices, 1);
    const before = page.messages.at(-1).profile.profileId;
    write(slice('aten::mm', 0), slice('aten::add', 10));
    profile.reopen();
    await page.session.loadTrace();
    assert.equal(page.messages.at(-1).trace.slices, 2);
    assert.notEqual(page.messages.at(-1).profile.profileId, before);
    page.session.dispose();
  } finally {
    await supervisor.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('profiles are shared by path, and the one opened last is the active one', async () => {
  const supervisor = supervise();
  const profiles = new Profiles(supervisor);
  let changes = 0;
  profiles.onChange.on(() => changes++);
  const first = profiles.acquire('/a');
  const second = profiles.acquire('/b');
  assert.equal(profiles.acquire('/a'), first);
  assert.equal(profiles.active, second);
  profiles.activate(first);
  assert.equal(profiles.active, first);
  profiles.release(first);
  assert.deepEqual(profiles.list, [first, second], 'still held once');
  profiles.release(first);
  assert.deepEqual(profiles.list, [second]);
  assert.equal(profiles.active, second);
  assert.ok(changes >= 4);
  assert.equal(supervisor.current.state, 'idle', 'nothing was asked, so no daemon runs');
  await supervisor.stop();
});
