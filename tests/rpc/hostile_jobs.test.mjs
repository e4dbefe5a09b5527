// Jobs that no recorder writes, over the protocol: every view of each answers with figures that can
// be, or with an error that has a kind, and the daemon goes on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { emberline } from '../lib/cli.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { daemonOfFile } from './daemon.mjs';

const { folder, daemon } = daemonOfFile('hostile-jobs');

/** What may be negative: moments, corrections, numbers that say "none". */
const signed =
  /^(drift|correction|sequence|device|process|baseNs|start|begin|saved|call$|bytes$|args$|boxes)/;

function assertPossible(value, where, key = '') {
  if (typeof value === 'number') {
    assert.ok(Number.isFinite(value), `${where}: ${key} is ${value}`);
    assert.ok(value >= 0 || signed.test(key), `${where}: ${key} is ${value}`);
    if (/Share$|^compCommOverlap$/.test(key)) assert.ok(value < 1.000001, `${where}: ${key}`);
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    for (const [name, one] of Object.entries(value)) {
      if (name !== 'arguments' && name !== 'columns') {
        assertPossible(one, where, isList ? key : name);
      }
    }
  }
}

/** A reply: possible figures, or an error with a kind that is not the daemon's own fault. */
async function ask(method, params) {
  const where = `${method} ${JSON.stringify(params).slice(0, 200)}`;
  const { message, size } = await daemon.exchange(`distributed/${method}`, params);
  if (method === 'job') assert.ok(size < 1 << 18, `${where}: ${size} bytes`);
  if (message.error === undefined) {
    assertPossible(message.result, where);
    return message.result;
  }
  const { code, data } = message.error;
  assert.notEqual(code, -32603, `${where}: ${message.error.message}`);
  assert.notEqual(data?.kind, 'internal', `${where}: ${message.error.message}`);
  assert.ok(data?.kind !== undefined || code === -32602, `${where}: ${message.error.message}`);
  return undefined;
}

const random = randomNumbers(5);
const pick = (list) => list[Math.floor(random() * list.length)];
const wild = [-1, 0, 1, 2 ** 31, -(2 ** 53), 1e308, 1.5, 'x', '', null, true, [], {}, '\u0000'];
const argumentsOf = {
  job: ['maxRanks', 'run', 'span'],
  table: ['by', 'limit', 'offset', 'sort', 'filter', 'operator'],
  call: ['call'],
  lanes: ['fromNs', 'toNs', 'firstRank', 'rankCount', 'pixels'],
};

async function everyView(selection) {
  const job = await ask('job', selection);
  if (job === undefined) return job;
  for (const { by } of job.tables) await ask('table', { ...selection, by, limit: 40 });
  for (const call of [0, job.collectives - 1]) await ask('call', { ...selection, call });
  await ask('lanes', { ...selection, fromNs: -5e15, toNs: 5e15, pixels: 50 });
  for (let k = 0; k < 12; k += 1) {
    const method = pick(Object.keys(argumentsOf));
    const params = { ...selection };
    for (const key of argumentsOf[method]) if (random() < 0.6) params[key] = pick(wild);
    await ask(method, params);
  }
  return job;
}

/** A job of four ranks whose documents, or arguments of calls, were changed. */
function changed(name, change, options = {}) {
  const at = path.join(folder, name);
  writeJob(at, { ranks: 4, steps: 2, ...options });
  fs.readdirSync(at)
    .sort()
    .forEach((file, rank) => {
      const trace = JSON.parse(fs.readFileSync(path.join(at, file), 'utf8'));
      const text = change(trace, rank);
      const given = typeof text === 'string';
      fs.writeFileSync(path.join(at, file), given ? text : JSON.stringify(trace));
    });
  return at;
}
const ofCalls = (change) => (trace, rank) => {
  trace.traceEvents
    .filter(({ args }) => args?.['Collective name'] !== undefined)
    .forEach((event, k) => change(event.args, k, rank, event));
};
const info = (change) => (trace, rank) => change(trace.distributedInfo, rank, trace);

const jobs = {
  ranks: info((at, rank) => (at.rank = [0, 2 ** 31, -(2 ** 62), 'one'][rank])),
  sizes: info((at) => (at.world_size = 2 ** 40)),
  header: (trace, rank) =>
    (trace.distributedInfo = ['x', 5, [1], { rank: [1] }][rank]) && undefined,
  groupsOfHeader: info((at) => (at.pg_config = [{ pg_name: 7, ranks: [-1, 5e9, 'a'] }, 3])),
  notNumbers: (trace) =>
    JSON.stringify(trace)
      .replaceAll('"In msg nelems":1048576', '"In msg nelems":NaN')
      .replaceAll('"Group size":4', '"Group size":Infinity'),
  members: ofCalls((args) => (args['Process Group Ranks'] = '[0, 9999999999, -4, 77, x]')),
  ownGroups: ofCalls((args, _, rank) => (args['Process Group Ranks'] = `[${rank}]`)),
  elements: ofCalls((args) => {
    args['In msg nelems'] = 9223372036854775000;
    args['Out msg nelems'] = 1e300;
  }),
  negative: ofCalls((args) => Object.assign(args, { 'In msg nelems': -5, 'Group size': -3 })),
  splits: ofCalls((args, k) => {
    args['Collective name'] = 'all_to_allv';
    args['In split size'] = [{}, 'nope', 5, '[1e300, -4, 9223372036854775807]', '[[['][k % 5];
    args['Out split size'] = '[9223372036854775807, 9223372036854775807, 1, 1]';
  }),
  sequences: ofCalls((args, k) => (args.Seq = [2 ** 63, -(2 ** 62), 'x', 1.5, null][k % 5])),
  types: ofCalls((args, k) => {
    args.dtype = [5, 'Nope', '', null, {}][k % 5];
    args['Collective name'] = [7, '', null, 'weird\u0000\ud800', []][k % 5];
  }),
  peers: ofCalls((args, k, _, event) => {
    args['Collective name'] = k % 2 === 0 ? 'send' : 'recv';
    args['Dst Rank'] = args['Src Rank'] = [-1, 1e18, 'x', 2, 0][k % 5];
    if (event.cat === 'kernel') event.name = 'ncclDevKernel_SendRecv';
  }),
  itself: ofCalls((args, k, rank, event) => {
    args['Collective name'] = k % 2 === 0 ? 'send' : 'recv';
    args['Dst Rank'] = args['Src Rank'] = rank;
    if (event.cat === 'kernel') event.name = 'ncclDevKernel_SendRecv';
  }),
  longNames: ofCalls((args, k, rank) => {
    if (rank === 0 && k < 3) args['Process Group Name'] = 'n'.repeat(1 << 20);
  }),
  times: (trace) => {
    trace.traceEvents.forEach((event, k) => {
      if (k % 7 === 0) event.dur = -event.dur;
      if (k % 11 === 0) event.ts = -event.ts;
    });
  },
  clocks: (trace, rank) => {
    trace.baseTimeNanoseconds = ['x', 9.3e18, -9.3e18, null][rank];
  },
  devices: (trace) => {
    trace.traceEvents
      .filter(({ args }) => args?.device !== undefined)
      .forEach(({ args }, k) => {
        args.device = [k, -5, 2 ** 40, 'x'][k % 4];
        args.stream = [-1, 2 ** 50, 's', 7][k % 4];
      });
  },
  equal: (() => {
    let first;
    return (trace) => (first ??= JSON.stringify(trace));
  })(),
  cut: (trace, rank) => {
    const text = JSON.stringify(trace);
    return text.slice(0, text.length * [1, 0.7, 0.3, 0.01][rank]);
  },
};

for (const [name, change] of Object.entries(jobs)) {
  test(`every view of a hostile job answers: ${name}`, async () => {
    const at = changed(name, change);
    const { profileId } = await daemon.request('profile/open', { path: at });
    const job = await everyView({ profileId });
    assert.ok(job.ranks.length > 0);
    for (const rank of job.ranks) assert.ok(rank.rank >= 0 && rank.rank < 4, `${rank.rank}`);
    // Closed while it is read.
    const again = await daemon.request('profile/open', { path: at });
    const asked = ['kernels', 'calls'].map((by) =>
      ask('table', { profileId: again.profileId, by }),
    );
    await daemon.request('profile/close', { profileId: again.profileId });
    await Promise.all(asked);
    await daemon.request('profile/close', { profileId });
  });
}

test('damaged digests are named, and whole ones are shown', async () => {
  const at = changed('digested', () => undefined);
  const digests = path.join(folder, 'digests');
  assert.equal((await emberline(['digest', at, '-o', digests])).status, 0);
  const files = fs.readdirSync(digests).map((name) => path.join(digests, name));
  const bytes = fs.readFileSync(files[1]);
  bytes[Math.floor(bytes.length / 2)] ^= 64;
  fs.writeFileSync(files[1], bytes);
  fs.writeFileSync(files[2], fs.readFileSync(files[2]).subarray(0, 1000));
  fs.writeFileSync(path.join(digests, 'text.digest'), 'hello');
  fs.mkdirSync(path.join(digests, 'folder.digest'));
  fs.symlinkSync('gone', path.join(digests, 'link.digest'));
  const job = await everyView({ digests });
  assert.deepEqual([job.loaded, job.files], [2, 7]);
  assert.equal(job.notes.filter(({ kind }) => kind === 'brokenFile').length, 5);
  for (const file of files) fs.writeFileSync(file, bytes.subarray(0, 20));
  assert.equal(await everyView({ digests }), undefined);
  for (const odd of ['/dev/zero', '/dev/null', '\u0000', path.join(digests, 'absent'), '/']) {
    assert.equal(await everyView({ digests: odd }), undefined);
  }
});
