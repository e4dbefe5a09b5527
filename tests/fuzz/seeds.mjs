// Writes the inputs that fuzzing begins with: FOLDER/{trace,views,python,rpc,digest}.
//
//   node tests/fuzz/seeds.mjs FOLDER
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { dialects, traceText } from '../generator/generate.mjs';
import { DrawnRank, world, writeRanks } from '../generator/drawn_ranks.mjs';
import { writeJob } from '../generator/job.mjs';
import { serverPath } from '../lib/cli.mjs';
import { goldenNames, goldenTraces } from '../lib/golden_traces.mjs';
import { cases } from '../malformed/cases.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');
/** Larger inputs only slow the fuzzers down. */
const MAX_BYTES = 60_000;

function traces() {
  const found = [];
  for (const golden of goldenNames()) {
    for (const [name, file] of Object.entries(goldenTraces(golden))) {
      found.push([`golden-${golden}-${name.replaceAll('/', '-')}`, readFileSync(file)]);
    }
  }
  for (const dialect of Object.keys(dialects)) {
    const { text } = traceText({ dialect, events: 60, seed: 3, steps: 2 });
    found.push([`generated-${dialect}`, Buffer.from(text)]);
  }
  found.push(['packed', zlib.gzipSync(found[0][1])]);
  return found;
}

function damaged() {
  return cases.map(({ name, make }) => [`malformed-${name}`, Buffer.from(make())]);
}

function sources() {
  const found = [];
  const folder = path.join(root, 'samples');
  for (const entry of readdirSync(folder, { recursive: true })) {
    if (!entry.endsWith('.py')) continue;
    const text = readFileSync(path.join(folder, entry), 'utf8');
    const name = entry.replaceAll(path.sep, '-');
    found.push([name, Buffer.from(text)]);
    // With an edited version of itself behind the separator.
    const lines = text.split('\n');
    const edited = [...lines.slice(0, 9), '# new', ...lines.slice(9, -12), 'x = f(1)', ''];
    found.push([`edited-${name}`, Buffer.from(`${text}\x1e${edited.join('\n')}`)]);
  }
  // Each construct that the tests of the syntax draw, as it stands there between R"( and )".
  const drawn = readFileSync(
    path.join(root, 'tests', 'native', 'attribution_align_test.cc'),
    'utf8',
  );
  for (const [index, match] of [...drawn.matchAll(/R"\w*\(([^]*?)\)\w*"/g)].entries()) {
    found.push([`drawn-${index}`, Buffer.from(match[1])]);
  }
  return found;
}

function frame(message) {
  const body = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function streams() {
  const found = [];
  const folder = path.join(root, 'native', 'rpc', 'protocol');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const { methods = {} } = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    const messages = Object.keys(methods).map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: { profileId: 'p1', startNs: 0, endNs: 1e6, limit: 10, filter: 'a|b', rows: [1, 2] },
    }));
    if (messages.length > 0) found.push([name, Buffer.from(messages.map(frame).join(''))]);
  }
  found.push(['bad-header', Buffer.from(`Content-Length: x\r\n\r\n${frame({ id: 1 })}`)]);
  found.push(['split', Buffer.from(`content-length:2\r\nA: b\r\n\r\n{}${frame([1, null])}`)]);
  return found;
}

/** Ranks that send and receive at once, and exchange uneven parts. */
function exchanges() {
  const group = world(3);
  return group.ranks.map((rank) => {
    const drawn = new DrawnRank(rank, { worldSize: 3, groups: [group] });
    const [next, before] = [(rank + 1) % 3, (rank + 2) % 3];
    const calls = [
      { call: 'send', peer: next, elements: 100 + rank },
      { call: 'recv', peer: before, elements: 100 + before },
    ];
    drawn.batch(calls, group, 1000, 50);
    drawn.collective('alltoall', group, 60, 2000, 40, { more: { 'In split size': '[1, 2, 3]' } });
    return drawn;
  });
}

/** Digests of small jobs, made by the program that reads them. */
function digests() {
  const folder = mkdtempSync(path.join(tmpdir(), 'emberline-seeds-'));
  try {
    const straggler = { rank: 1, kind: 'host', extraNs: 2_000_000 };
    for (const [name, write] of Object.entries({
      named: (at) => writeJob(at, { ranks: 2, steps: 2, straggler }),
      plain: (at) => writeJob(at, { ranks: 2, steps: 1, named: false, sequences: false }),
      exchanges: (at) => writeRanks(at, exchanges()),
    })) {
      write(path.join(folder, name));
      const out = path.join(folder, 'digests', name);
      const made = spawnSync(serverPath, ['digest', path.join(folder, name), '-o', out]);
      if (made.status !== 0) throw new Error(`No digest was made: ${made.stderr}`);
      const merged = path.join(folder, 'digests', `${name}.digest`);
      spawnSync(serverPath, ['merge', out, '-o', merged]);
    }
    return readdirSync(path.join(folder, 'digests'), { recursive: true })
      .filter((name) => name.endsWith('.digest'))
      .map((name) => [
        name.replaceAll(path.sep, '-'),
        readFileSync(path.join(folder, 'digests', name)),
      ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes all seeds below `folder`; gives the folder of each target by its name. */
export function writeSeeds(folder) {
  const seeds = {
    trace: [...traces(), ...damaged()],
    views: traces(),
    python: sources(),
    rpc: streams(),
    digest: digests(),
  };
  const folders = {};
  for (const [target, inputs] of Object.entries(seeds)) {
    folders[target] = path.join(folder, target);
    mkdirSync(folders[target], { recursive: true });
    for (const [name, bytes] of inputs) {
      if (bytes.length <= MAX_BYTES) writeFileSync(path.join(folders[target], name), bytes);
    }
  }
  return folders;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error('Name the folder for the seeds.');
  console.log(Object.values(writeSeeds(folder)).join('\n'));
}
