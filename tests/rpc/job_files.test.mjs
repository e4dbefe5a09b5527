// Files of a job that are none, and results of a job that cannot be written: both are named, with
// the reason.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { spawnSync } from 'node:child_process';
import { after, test } from 'node:test';
import { writeJob } from '../generator/job.mjs';
import { emberline, emberlineJson, serverPath, temporaryFolder } from '../lib/cli.mjs';
import { startDaemon, withDaemon } from './daemon.mjs';

const { folder, remove } = temporaryFolder('job-files');
after(remove);

let number = 0;
function planted(options = { ranks: 2, steps: 1 }) {
  const at = path.join(folder, `job${number++}`);
  writeJob(at, options);
  return at;
}
const notesOf = async (at) => (await emberlineJson('distributed', at)).notes;
const brokenOf = async (at) =>
  (await notesOf(at)).filter(({ kind }) => kind === 'brokenFile').map(({ text }) => text);

async function digestsOf(at) {
  const out = `${at}-digests`;
  const { status, stderr } = await emberline(['digest', at, '-o', out]);
  assert.equal(status, 0, stderr);
  return out;
}

test('a damaged file beside the traces is named, whatever its name', async () => {
  const at = planted();
  fs.writeFileSync(path.join(at, 'third.json'), '');
  fs.writeFileSync(path.join(at, 'fourth.json.gz'), 'no gzip at all');
  fs.writeFileSync(path.join(at, 'fifth.json'), '{"schemaVersion": 1, "devicePr');
  // These are whole, and something else.
  fs.writeFileSync(path.join(at, 'config.json'), '{"lr": 0.1}');
  fs.writeFileSync(path.join(at, 'notes.txt'), '');
  const broken = await brokenOf(at);
  assert.equal(broken.length, 3, broken.join('\n'));
  assert.match(broken[0], /^\S*\/fifth\.json [^/]*no "traceEvents"/);
  assert.match(broken[1], /^\S*\/fourth\.json\.gz is not JSON\.$/);
  assert.match(broken[2], /^\S*\/third\.json is empty\.$/);
  // Nobody says that they are ranks: all traces are read.
  const { loaded, files } = await emberlineJson('distributed', at);
  assert.deepEqual([loaded, files], [2, 2]);
  const made = await emberline(['digest', at, '-o', `${at}-digests`]);
  assert.equal(made.status, 0);
  assert.match(made.stderr, /^emberline: \S*\/third\.json is empty\.$/m);
  const script = await emberline(['jobs', 'slurm', at]);
  assert.equal(script.status, 0);
  assert.doesNotMatch(script.stdout, /third\.json/);
  assert.match(script.stderr, /^emberline: \S*\/third\.json is empty\.$/m);
});

test('links that lead nowhere, or out of the folder, and what is no file are named', async () => {
  const at = planted();
  fs.symlinkSync('gone.json', path.join(at, 'node0_2.1700000000000.pt.trace.json'));
  fs.symlinkSync('gone.json', path.join(at, 'rank3.json'));
  const outside = path.join(folder, 'outside.pt.trace.json');
  fs.writeFileSync(outside, '{}');
  fs.symlinkSync(outside, path.join(at, 'node0_4.1700000000000.pt.trace.json'));
  const pipe = path.join(at, 'node0_5.1700000000000.pt.trace.json');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const broken = await brokenOf(at);
  assert.equal(broken.length, 4, broken.join('\n'));
  assert.match(broken[0], /node0_2.* is a link to a file that does not exist\.$/);
  assert.match(broken[1], /node0_4.* is a link to a place outside the folder/);
  assert.match(broken[2], /node0_5.* is not a regular file\.$/);
  assert.match(broken[3], /^\S*\/rank3\.json is a link to a file that does not exist\.$/);
});

test('a job of ranks that recorded nothing says so', async () => {
  const at = path.join(folder, 'nothing');
  fs.mkdirSync(at);
  for (const rank of [0, 1]) {
    const trace = { schemaVersion: 1, distributedInfo: { rank, world_size: 2 }, traceEvents: [] };
    fs.writeFileSync(path.join(at, `rank${rank}.json`), JSON.stringify(trace));
  }
  const notes = await notesOf(at);
  const [said] = notes.filter(({ kind }) => kind === 'onlyEmptyRanks');
  assert.match(said.text, /^All 2 traces contain no work, /);
  assert.ok((await notesOf(planted())).every(({ kind }) => kind !== 'onlyEmptyRanks'));
});

test('the rank of the longest run is one that the job has', async () => {
  const at = planted({ ranks: 3, steps: 1 });
  const file = path.join(at, fs.readdirSync(at)[2]);
  const trace = JSON.parse(fs.readFileSync(file, 'utf8'));
  trace.distributedInfo.rank = 7;
  for (const event of trace.traceEvents) {
    if (event.cat === 'kernel' && event.name === 'mm_kernel') event.dur += 100;
  }
  fs.writeFileSync(file, JSON.stringify(trace));
  const { ranks, notes } = await emberlineJson('distributed', at);
  assert.ok(notes.some(({ kind }) => kind === 'impossibleRank'));
  const { rows } = await emberlineJson('distributed', at, '--by', 'kernels');
  const mm = rows.find(({ name }) => name === 'mm_kernel');
  const shown = ranks.find((rank) => !rank.recorded).rank;
  assert.equal(mm.maxRank, shown);
});

test('many traces that are left out for one reason are one sentence', async () => {
  const at = planted({ ranks: 8, steps: 1 });
  const other = planted({ ranks: 4, steps: 1, seed: 3 });
  fs.readdirSync(other).forEach((name, k) => {
    fs.copyFileSync(path.join(other, name), path.join(at, `other${k}.${k}.pt.trace.json`));
  });
  const [name] = fs.readdirSync(at);
  const first = fs.readFileSync(path.join(at, name), 'utf8');
  for (let k = 0; k < 3; k += 1) {
    fs.writeFileSync(path.join(at, `copy${k}.${k}.pt.trace.json`), first);
    const trace = JSON.parse(first);
    trace.traceEvents.length -= 1 + k;
    const text = JSON.stringify(trace);
    fs.writeFileSync(path.join(at, `less${k}.${k}.pt.trace.json`), text);
    const empty = JSON.stringify({ ...trace, traceEvents: [], k });
    fs.writeFileSync(path.join(at, `none${k}.${k}.pt.trace.json`), empty);
  }
  const notes = new Map((await notesOf(at)).map(({ kind, text }) => [kind, text]));
  assert.deepEqual([...notes.keys()].sort(), [
    'copiedRank',
    'duplicateRank',
    'emptyRank',
    'otherJob',
  ]);
  assert.match(notes.get('otherJob'), /^4 traces are left out, the first of them .*other0\./);
  assert.match(notes.get('otherJob'), /they belong to a job of 4 ranks, but .* one of 8\.$/);
  assert.match(
    notes.get('copiedRank'),
    /^3 traces .*: they are copies of .*, the trace of rank 0\.$/,
  );
  assert.match(notes.get('emptyRank'), /^3 traces .*none0\..*: they contain no work/);
  assert.match(
    notes.get('duplicateRank'),
    /^Rank 0 has more traces than one: .* and 3 are left out/,
  );
  const { stdout } = await emberline(['distributed', at]);
  assert.match(stdout, /^8 ranks of 8 on /);
});

test('a size that no job has is told as it is, without a list of all its ranks', async () => {
  const at = planted();
  for (const name of fs.readdirSync(at)) {
    const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
    trace.distributedInfo.world_size = 2 ** 40;
    fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  }
  const [note] = (await notesOf(at)).filter(({ kind }) => kind === 'missingRank');
  assert.match(
    note.text,
    /^Ranks 2-1099511627775 have no trace here; the job has 1099511627776\.$/,
  );
  assert.deepEqual([note.ranks.length, note.ranks[0]], [4096, 2]);
});

test('traces beside digests are named where they have none', async () => {
  const at = planted({ ranks: 3, steps: 1 });
  const made = await digestsOf(at);
  const [lost] = fs.readdirSync(made);
  fs.rmSync(path.join(made, lost));
  for (const name of fs.readdirSync(made)) {
    fs.renameSync(path.join(made, name), path.join(at, name));
  }
  fs.writeFileSync(path.join(at, 'settings.json'), '{}');
  const [note] = await notesOf(at);
  assert.equal(note.kind, 'tracesWithoutDigest');
  assert.match(
    note.text,
    /also contains the trace .*node0_0.*, which has no digest and is not shown/,
  );
  const { status } = await emberline([
    'digest',
    ...fs
      .readdirSync(at)
      .filter((n) => n.endsWith('.pt.trace.json'))
      .map((n) => path.join(at, n)),
    '-o',
    at,
  ]);
  assert.equal(status, 0);
  assert.ok((await notesOf(at)).every(({ kind }) => kind !== 'tracesWithoutDigest'));
  // A daemon that has shown the folder sees what comes and goes.
  const daemon = startDaemon();
  await daemon.initialize();
  const kinds = async () =>
    (await daemon.request('distributed/job', { digests: at })).notes.map(({ kind }) => kind);
  assert.deepEqual(await kinds(), []);
  writeJob(path.join(at, 'more'), { ranks: 1, steps: 1 });
  const late = path.join(at, 'late_7.1700000000000.pt.trace.json');
  const [more] = fs.readdirSync(path.join(at, 'more'));
  fs.renameSync(path.join(at, 'more', more), late);
  assert.deepEqual(await kinds(), ['tracesWithoutDigest']);
  fs.rmSync(late);
  assert.deepEqual(await kinds(), []);
  await daemon.stop();
  // What does not exist is not a folder without digests.
  const { stderr } = await emberline(['merge', path.join(at, 'absent')]);
  assert.match(stderr, /There is no file or folder .*absent\./);
});

test('traces of one name in several folders are told apart by their folders', async () => {
  const at = planted({ ranks: 2, steps: 1 });
  const [first, second] = fs.readdirSync(at).map((name, index) => {
    const folder = path.join(at, `host${index}`);
    fs.mkdirSync(folder);
    fs.renameSync(path.join(at, name), path.join(folder, 'trace_view.json'));
    return path.join(folder, 'trace_view.json');
  });
  assert.equal((await emberline(['digest', first, '-o', at])).status, 0);
  const [note] = await notesOf(at);
  assert.equal(note.kind, 'tracesWithoutDigest');
  assert.ok(note.text.includes(second), note.text);
  assert.equal((await emberline(['digest', second, '-o', at])).status, 0);
  assert.ok((await notesOf(at)).every(({ kind }) => kind !== 'tracesWithoutDigest'));
});

test('a rank without a digest is said to have none, one without a trace to have no trace', async () => {
  const at = planted({ ranks: 3, steps: 1, missing: [1] });
  const text = async (folder) => (await notesOf(folder)).map((note) => note.text);
  assert.deepEqual(await text(at), ['Rank 1 has no trace here; the job has 3.']);
  assert.deepEqual(await text(await digestsOf(at)), ['Rank 1 has no digest here; the job has 3.']);
});

test('traces of one name in several folders each have a digest, and each is missed', async () => {
  const at = planted({ ranks: 3, steps: 1 });
  const lines = fs.readdirSync(at).map((name, rank) => {
    fs.mkdirSync(path.join(at, `rank${rank}`));
    const line = path.join(`rank${rank}`, 'trace.json');
    fs.renameSync(path.join(at, name), path.join(at, line));
    return line;
  });
  const list = path.join(at, 'traces.txt');
  fs.writeFileSync(list, `${lines.join('\n')}\n`);
  const out = path.join(at, 'digests');
  const merge = () => emberline(['merge', out, '--expect', list]);
  // A line that is there twice is one trace.
  const some = [lines[0], lines[2], lines[0]].map((line) => path.join(at, line));
  const { stdout } = await emberline(['digest', ...some, '-o', out]);
  assert.equal(stdout, '2 digests made, 1 already there, 0 traces failed.\n');
  const missed = await merge();
  assert.equal(missed.status, 3);
  assert.match(missed.stderr, /rank1.trace\.json has no digest/);
  assert.doesNotMatch(missed.stderr, /rank[02]/);
  await emberline(['digest', '--list', list, '-o', out], { cwd: at });
  assert.equal((await merge()).status, 0);
});

test('what one rank alone recorded is not called waiting', async () => {
  const line = async (at) => (await emberline(['distributed', at])).stdout.split('\n')[2];
  const at = planted({ ranks: 2, steps: 1, missing: [1] });
  assert.match(await line(at), /^Communication [\d.]+ .s; how much of it was waiting shows where/);
  const [name] = fs.readdirSync(at);
  const trace = JSON.parse(fs.readFileSync(path.join(at, name), 'utf8'));
  trace.traceEvents = trace.traceEvents.filter((one) => !/nccl|record_param|c10d/.test(one.name));
  fs.writeFileSync(path.join(at, name), JSON.stringify(trace));
  assert.equal(await line(at), 'No communication with other ranks');
  assert.match(await line(planted()), /^Transfer .*, waiting of all ranks /);
});

test('md is markdown', async () => {
  const at = planted();
  const long = await emberline(['overlap', at, '--format', 'markdown']);
  const short = await emberline(['overlap', at, '--format', 'md']);
  assert.match(short.stdout, /^\| Rank \|/m);
  assert.equal(short.stdout, long.stdout);
});

test('the script of a job array runs from anywhere', async () => {
  const at = planted();
  const named = ['jobs', 'slurm', path.basename(at), '--program', './emberline'];
  const { stdout } = await emberline(named, { cwd: folder });
  assert.ok(stdout.includes(`out='${path.join(at, 'digests')}'`), stdout.slice(0, 400));
  assert.ok(stdout.includes(`emberline='${path.join(folder, 'emberline')}'`));
  assert.match((await emberline(['jobs', 'slurm', at])).stdout, /^emberline='emberline'$/m);
});

test('what cannot be written is said with the reason', async () => {
  const at = planted();
  const digests = await digestsOf(at);
  const taken = path.join(folder, 'taken');
  fs.writeFileSync(taken, '');
  const merge = async (out) => {
    const { status, stderr } = await emberline(['merge', digests, '-o', out]);
    assert.notEqual(status, 0);
    return stderr;
  };
  assert.match(await merge(path.join(folder, 'no', 'x.digest')), /written: its folder does not/);
  assert.match(await merge(path.join(taken, 'x.digest')), /: a part of its path is a file/);
  assert.match(await merge(digests), /it is a folder/);
  const digest = await emberline(['digest', at, '-o', path.join(taken, 'in')]);
  assert.match(digest.stderr, /cannot be created: a part of its path is a file/);
  if (!fs.existsSync('/dev/full')) return;
  assert.match(await merge('/dev/full'), /cannot be written: there is no space left/);
  const full = fs.openSync('/dev/full', 'w');
  const file = path.join(at, fs.readdirSync(at)[0]);
  for (const args of [
    ['jobs', 'slurm', at],
    ['export', file, '--window', '0:9000000000'],
    ['distributed', at, '--format', 'json'],
  ]) {
    const { status, stderr } = spawnSync(serverPath, args, { stdio: ['ignore', full, 'pipe'] });
    assert.notEqual(status, 0, args[0]);
    assert.match(`${stderr}`, /The output cannot be written: there is no space left\./, args[0]);
  }
  fs.closeSync(full);
});

test('a merged digest on the output has nothing beside it', async () => {
  const digests = await digestsOf(planted());
  const file = path.join(folder, 'merged.digest');
  await emberline(['merge', digests, '-o', file]);
  const expected = fs.readFileSync(file);
  const piped = spawnSync(serverPath, ['merge', digests, '-o', '/dev/stdout']);
  assert.equal(piped.status, 0);
  assert.ok(piped.stdout.equals(expected));
  assert.match(`${piped.stderr}`, /^2 traces merged into /);
  const into = path.join(folder, 'redirected.digest');
  const output = fs.openSync(into, 'w');
  const args = ['merge', digests, '-o', '/dev/stdout'];
  assert.equal(spawnSync(serverPath, args, { stdio: ['ignore', output, 'pipe'] }).status, 0);
  fs.closeSync(output);
  assert.ok(fs.readFileSync(into).equals(expected));
});

test('what an ordinary user may not read is named, and the rest works', async () => {
  const at = path.join(folder, 'closed');
  const user = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
  fs.mkdirSync(at);
  fs.chmodSync(folder, 0o755);
  const program = path.join(at, 'emberline'); // where the user can reach it
  fs.copyFileSync(serverPath, program);
  const out = path.join(at, 'out');
  fs.mkdirSync(out);
  fs.chmodSync(out, 0o777);
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(program, args, { ...user, cwd: at });
    return { status, stdout: `${stdout}`, stderr: `${stderr}` };
  };
  const job = (name, ranks = 3) => {
    const made = path.join(at, name);
    writeJob(made, { ranks, steps: 1 });
    fs.readdirSync(made)
      .sort()
      .forEach((file, rank) => {
        fs.mkdirSync(path.join(made, `rank_${rank}`));
        fs.renameSync(path.join(made, file), path.join(made, `rank_${rank}`, file));
      });
    return made;
  };
  const close = (...names) => fs.chmodSync(path.join(...names), 0);
  const open = (...names) => fs.chmodSync(path.join(...names), 0o755);
  const said = (where) => `${where} cannot be read: Permission denied.`;

  // Of a rank: its folder, also where only one other is left, and its file.
  for (const ranks of [2, 3]) {
    const one = job(`one${ranks}`, ranks);
    close(one, 'rank_1');
    const { notes, ranks: shown } = JSON.parse(run('distributed', one, '--format', 'json').stdout);
    assert.equal(shown.length, ranks - 1);
    assert.equal(notes[0].text, said(path.join(one, 'rank_1')));
    const digest = run('digest', one, '-o', path.join(out, `one${ranks}`));
    assert.equal(digest.status, 3);
    assert.ok(digest.stderr.includes(said(path.join(one, 'rank_1'))), digest.stderr);
    assert.match(digest.stdout, /, 1 trace failed\.$/m);
    assert.match(run('jobs', 'slurm', one).stdout, new RegExp(`of ${ranks} traces`));
    open(one, 'rank_1');
  }
  // Of a folder that nobody says to hold a rank: nothing fails for it.
  const beside = job('beside');
  fs.mkdirSync(path.join(beside, 'more'));
  fs.renameSync(path.join(beside, 'rank_2'), path.join(beside, 'more', 'rank_2'));
  fs.mkdirSync(path.join(beside, 'lost+found'));
  for (const rank of [0, 1]) {
    const name = path.join(beside, `rank_${rank}`);
    const [file] = fs.readdirSync(name);
    fs.renameSync(path.join(name, file), path.join(beside, file));
  }
  close(beside, 'lost+found');
  const digest = run('digest', beside, '-o', path.join(out, 'beside'));
  assert.equal(digest.status, 0, digest.stderr);
  assert.ok(digest.stderr.includes(said(path.join(beside, 'lost+found'))), digest.stderr);
  open(beside, 'lost+found');

  // Of all: the folder, or everything in it.
  const all = job('all');
  for (const name of fs.readdirSync(all)) close(all, name);
  close(at, 'beside');
  close(out, 'beside');
  for (const command of [['distributed'], ['digest', '-o', out], ['jobs', 'slurm'], ['check']]) {
    const none = run(...command, all);
    assert.equal(none.status, 3, command);
    assert.ok(none.stderr.includes(`For example, ${said('rank_0')}`), none.stderr);
    const whole = run(...command, beside);
    assert.equal(whole.status, 3, command);
    assert.ok(whole.stderr.includes(`Cannot access ${beside}: Permission denied.`), whole.stderr);
  }
  const merge = run('merge', path.join(out, 'beside'), '-o', path.join(out, 'all.digest'));
  assert.match(merge.stderr, /^emberline: Cannot access \S+\/beside: Permission denied\.$/m);
  for (const name of fs.readdirSync(all)) open(all, name);
  open(at, 'beside');
  open(out, 'beside');
});

/** The device's kernels take `more` microseconds longer in the trace. */
function slowDown(file, more) {
  const trace = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const event of trace.traceEvents) {
    if (event.cat === 'kernel' && event.name === 'mm_kernel') event.dur += more;
  }
  fs.writeFileSync(file, JSON.stringify(trace));
}

// Of the first ranks the traces are kept, of the others only the digests.
for (const ranks of [2, 18]) {
  test(`a job of ${ranks} ranks stays as it was read until it is loaded again`, () =>
    withDaemon(async (daemon) => {
      const at = planted({ ranks, steps: 1 });
      const file = path.join(
        at,
        fs.readdirSync(at).find((name) => name.includes(`_${ranks - 1}.`)),
      );
      const { profileId } = await daemon.request('profile/open', { path: at });
      const job = () => daemon.request('distributed/job', { profileId });
      const ask = (by, params = {}) =>
        daemon.exchange('distributed/table', { profileId, by, limit: -1, ...params });
      const rows = async (by) => (await ask(by)).message.result.rows;
      const mm = async () => (await rows('kernels')).find(({ name }) => name === 'mm_kernel').maxUs;
      const first = await job();
      const before = [await mm(), await rows('ranks')];

      // Another content of another size: what was read belongs together, or is refused.
      slowDown(file, 12345);
      const refused = async () => {
        const replies = await Promise.all([
          ask('launchRows', { rank: ranks - 1 }),
          ask('sequences', { operator: 'aten::mm' }),
        ]);
        return replies.map(({ message }) => message.error);
      };
      assert.deepEqual([await mm(), await rows('ranks')], before);
      const errors = await refused();
      if (ranks > 16) {
        for (const error of errors) {
          assert.equal(error.data.kind, 'unreadable');
          assert.equal(error.message, `${file} has changed since the job was loaded.`);
        }
      } else {
        assert.deepEqual(errors, [undefined, undefined]);
      }
      const second = await job();
      assert.ok(second.breakdown.stepUs !== first.breakdown.stepUs);
      assert.ok((await mm()) > before[0] + 12000);
      assert.deepEqual(await refused(), [undefined, undefined]);
      const long = (await ask('launchRows', { rank: ranks - 1 })).message.result.rows;
      assert.ok(long.some((row) => Object.values(row).some((value) => value > 12000)));

      // Gone: the job stays; loaded again, it says what is missing.
      const gone = path.join(
        at,
        fs.readdirSync(at).find((name) => name.includes(`_${ranks - 2}.`)),
      );
      fs.rmSync(gone);
      assert.ok((await mm()) > before[0] + 12000);
      const { message } = await ask('launchRows', { rank: ranks - 2 });
      if (ranks > 16) assert.equal(message.error.data.kind, 'notFound', message.error.message);
      else assert.ok(message.result.rows.length > 0);
      const third = await job();
      assert.equal(third.loaded, ranks - 1);
      const [broken] = third.notes.filter(({ kind }) => kind === 'brokenFile');
      assert.ok(broken.text.includes(gone), broken.text);
    }));
}

const keptIn = (at) =>
  fs.existsSync(at) ? fs.readdirSync(at).filter((name) => name.includes('.digest')) : [];

for (const [where, environment] of [
  ['among the traces of the cache', (at) => ({ EMBERLINE_TRACE_CACHE: at })],
  ['in a folder for them', (at) => ({ EMBERLINE_DIGEST_CACHE: at })],
]) {
  test(`digests of ranks are kept on the disk, ${where}`, async () => {
    const at = planted({ ranks: 3, steps: 60 });
    const cache = `${at}-cache`;
    const env = { EMBERLINE_TRACE_CACHE_LEAST_KB: '0', ...environment(cache) };
    const job = async (by) => {
      const args = ['distributed', at, '--by', by, '--format', 'json', '--limit', '-1'];
      const { status, stdout, stderr } = await emberline(args, { env });
      assert.equal(status, 0, stderr);
      return JSON.parse(stdout).rows;
    };
    const kernels = async () => {
      const names = (await job('kernelRanks')).filter(({ rank }) => rank === 0);
      return names.map(({ name }) => name).filter((name) => /^m._kernel$/.test(name));
    };
    const [first, second, third] = fs.readdirSync(at).map((name) => path.join(at, name));
    // Of one rank alone: it tells which file is its.
    const aside = `${at}-aside`;
    fs.mkdirSync(aside);
    for (const file of [second, third]) fs.renameSync(file, path.join(aside, path.basename(file)));
    await job('ranks');
    const [own, ...more] = keptIn(cache).map((name) => path.join(cache, name));
    assert.deepEqual(more, []);
    for (const file of [second, third]) fs.renameSync(path.join(aside, path.basename(file)), file);
    const rows = await job('ranks');
    assert.equal(keptIn(cache).length, 3);
    assert.deepEqual(await job('ranks'), rows);
    assert.deepEqual(await kernels(), ['mm_kernel']);

    // What lies there is what is shown: a digest that says something else of the same ends.
    const text = fs.readFileSync(first, 'utf8');
    const middle = text.indexOf('"mm_kernel"', text.length / 2);
    const twin = path.join(aside, path.basename(first));
    fs.writeFileSync(twin, `${text.slice(0, middle)}"mn_kernel"${text.slice(middle + 11)}`);
    const [other] = fs.readdirSync(await digestsOf(aside));
    fs.copyFileSync(path.join(`${aside}-digests`, other), own);
    assert.deepEqual(await kernels(), ['mm_kernel', 'mn_kernel']);

    // That of another rank, and a damaged one, are as good as none.
    const foreign = keptIn(cache).map((name) => path.join(cache, name));
    fs.copyFileSync(
      foreign.find((file) => file !== own),
      own,
    );
    assert.deepEqual(await job('ranks'), rows);
    assert.deepEqual(await kernels(), ['mm_kernel']);
    fs.truncateSync(own, 1000);
    assert.deepEqual(await job('ranks'), rows);
    assert.deepEqual(await kernels(), ['mm_kernel']);
  });
}

test('kept digests are those of what the trace is now, and share the room of the cache', async () => {
  const at = planted({ ranks: 3, steps: 1 });
  const cache = `${at}-cache`;
  const env = {
    EMBERLINE_TRACE_CACHE: cache,
    EMBERLINE_TRACE_CACHE_LEAST_KB: '0',
    EMBERLINE_TRACE_CACHE_MB: '1',
  };
  fs.mkdirSync(cache);
  const old = ['a.trace', 'b.digest.trace'].map((name) => path.join(cache, name));
  for (const file of old) {
    fs.writeFileSync(file, Buffer.alloc(600_000));
    fs.utimesSync(file, 1000 + old.indexOf(file), 1000 + old.indexOf(file));
  }
  const run = (...more) => emberline(['distributed', at, ...more], { env });
  assert.equal((await run('--trace-cache', 'off')).status, 0);
  assert.deepEqual(fs.readdirSync(cache).length, 2);
  assert.equal((await run()).status, 0);
  assert.deepEqual(old.map(fs.existsSync), [false, true], 'the oldest went');
  assert.equal(keptIn(cache).length, 4);
  for (const name of keptIn(cache)) {
    const { mode, size } = fs.statSync(path.join(cache, name));
    assert.ok(size === 600_000 || (mode & 0o077) === 0, 'nobody else reads it');
  }
  const [first] = fs.readdirSync(at);
  fs.utimesSync(path.join(at, first), 1_700_000_000, 1_700_000_000);
  assert.equal((await run()).status, 0);
  assert.equal(keptIn(cache).length, 5);
});
