// How fast traces load and how much memory that takes, against the floor (inflating and tokenizing
// alone) measured in the same run. Prints figures and ratios; asserts nothing.
//
//   node tests/bench/run.mjs [--sizes 35,350,1000] [--dialect torch-2.8] [--rounds 3] [--keep FOLDER]
//
// Sizes are megabytes of JSON. The files are generated, compressed, in a temporary folder.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { traceText, writeTrace } from '../generator/generate.mjs';
import { root, serverPath } from '../lib/cli.mjs';
import { measured } from './measure.mjs';

const argument = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
};
const sizes = argument('--sizes', '35,350,1000').split(',').map(Number);
const dialect = argument('--dialect', 'torch-2.8');
const rounds = Number(argument('--rounds', '3'));
const keep = argument('--keep', undefined);

const buildFolder = path.dirname(path.dirname(serverPath));
const floorPath = path.join(buildFolder, 'bin', 'emberline_floor');

/** The floor's program is no part of the product: a build without the tests leaves it out. */
function buildFloor() {
  const made = spawnSync('cmake', ['--build', buildFolder, '--target', 'emberline_floor'], {
    encoding: 'utf8',
  });
  if (made.status !== 0)
    throw new Error(`emberline_floor does not build:\n${made.stdout}${made.stderr}`);
}

/** Runs a program that prints one JSON object; gives it with the seconds and the peak memory. */
async function measure(program, args) {
  const { out, seconds, peakBytes } = await measured(program, args);
  return { answer: JSON.parse(out), processSeconds: seconds, peakBytes };
}

/** The fastest of some rounds: what disturbs a measurement only ever slows it. */
async function fastest(program, args, seconds) {
  let best;
  for (let i = 0; i < rounds; ++i) {
    const one = await measure(program, args);
    one.seconds = seconds(one.answer);
    if (best === undefined || one.seconds < best.seconds) {
      best = { ...one, peakBytes: Math.max(one.peakBytes, best?.peakBytes ?? 0) };
    }
  }
  return best;
}

async function bench(name, file) {
  const floor = await fastest(floorPath, [file], (answer) => answer.seconds);
  const stage = (answer, wanted) => answer.stages.find((s) => s.name === wanted)?.seconds ?? 0;
  // Reading and inflating run beside the tokenizer; "tokenize" and "build" follow each other.
  const load = await fastest(
    serverPath,
    ['check', file, '--format', 'json'],
    (answer) => stage(answer, 'tokenize') + stage(answer, 'build'),
  );
  return {
    name,
    textBytes: load.answer.textBytes,
    events: load.answer.events,
    floorSeconds: floor.seconds,
    loadSeconds: load.seconds,
    totalSeconds: load.answer.totalSeconds,
    ratio: load.seconds / floor.seconds,
    peakBytes: load.peakBytes,
    storeBytes: load.answer.memoryBytes,
  };
}

const MB = 1e6;
const columns = [
  ['trace', (r) => r.name],
  ['JSON MB', (r) => (r.textBytes / MB).toFixed(0)],
  ['events', (r) => String(r.events)],
  ['floor s', (r) => r.floorSeconds.toFixed(3)],
  ['load s', (r) => r.loadSeconds.toFixed(3)],
  ['load / floor', (r) => r.ratio.toFixed(2)],
  ['with model s', (r) => r.totalSeconds.toFixed(3)],
  ['MB/s', (r) => (r.textBytes / MB / r.loadSeconds).toFixed(0)],
  ['peak MB', (r) => (r.peakBytes / MB).toFixed(0)],
  ['peak / JSON byte', (r) => (r.peakBytes / r.textBytes).toFixed(2)],
  ['store bytes / event', (r) => (r.storeBytes / r.events).toFixed(0)],
];

function print(rows) {
  const cells = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, of]) => of(row))),
  ];
  const widths = columns.map((_, i) => Math.max(...cells.map((line) => line[i].length)));
  for (const line of cells) {
    console.log(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  '),
    );
  }
}

/** Growth between two sizes as an exponent: 1 is linear. */
const exponent = (a, b, of) => Math.log(of(b) / of(a)) / Math.log(b.textBytes / a.textBytes);

if (!existsSync(serverPath))
  throw new Error(`There is no program at ${serverPath}: build it first.`);
buildFloor();
if (keep) mkdirSync(keep, { recursive: true });
const folder = keep ?? mkdtempSync(path.join(tmpdir(), 'emberline-bench-'));
try {
  const rows = [];
  const samples = path.join(root, 'samples');
  for (const entry of readdirSync(samples, { recursive: true })) {
    if (!entry.endsWith('.pt.trace.json.gz')) continue;
    rows.push(await bench(entry.replace('.pt.trace.json.gz', ''), path.join(samples, entry)));
  }
  const perEvent = traceText({ dialect, events: 20000, seed: 1 }).text.length / 20000;
  const generated = [];
  for (const size of sizes) {
    const file = path.join(folder, `${dialect}-${size}.pt.trace.json.gz`);
    if (!existsSync(file) || statSync(file).size === 0) {
      console.error(`Generating ${size} MB...`);
      await writeTrace({ out: file, dialect, events: Math.round((size * MB) / perEvent), seed: 1 });
    }
    const row = await bench(`generated ${size} MB`, file);
    rows.push(row);
    generated.push(row);
    if (!keep) rmSync(file);
  }
  print(rows);
  for (let i = 1; i < generated.length; ++i) {
    const [a, b] = [generated[i - 1], generated[i]];
    console.log(
      `growth ${a.name} -> ${b.name}: time exponent ${exponent(a, b, (r) => r.loadSeconds).toFixed(2)}, ` +
        `peak memory exponent ${exponent(a, b, (r) => r.peakBytes).toFixed(2)}`,
    );
  }
} finally {
  if (!keep) rmSync(folder, { recursive: true, force: true });
}
