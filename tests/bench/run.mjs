// The benchmark: loading against its floor, the first picture, opening again, views, the timeline, the
// page, memory and a soak. Prints what was measured, then each goal with whether it is met and how it
// changed since the run that was accepted last. Asserts nothing.
//
//   node tests/bench/run.mjs [--only loading,views,timeline,page,soak] [--accept] [--rounds 3]
//     [--sizes 35,105,350,1000]     megabytes of JSON, for loading
//     [--events 1000000]            of the trace whose views are asked
//     [--timeline 10000000]         events of the timeline's
//     [--page 300000]               events of the trace that the page shows
//     [--soak 2000]                 rounds
//     [--dialect torch-2.8] [--keep FOLDER]
//
// The traces are generated, compressed, in a temporary folder.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findChromium } from '../../scripts/setup.mjs';
import { traceText, writeTrace } from '../generator/generate.mjs';
import { root, serverPath } from '../lib/cli.mjs';
import { growth, soak } from '../lib/soak.mjs';
import { measureFirstPicture, printFirstPicture } from './first_picture.mjs';
import { Goals } from './goals.mjs';
import { argument, printTable } from './lib.mjs';
import { buildFloor, exponent, loadingColumns, measureLoading } from './loading.mjs';
import { measureTimeline } from './timeline.mjs';
import { measureViews, printViews, worst } from './views.mjs';

const only = argument('--only', 'loading,views,timeline,page,soak').split(',');
const sizes = argument('--sizes', '35,105,350,1000').split(',').map(Number);
const dialect = argument('--dialect', 'torch-2.8');
const rounds = Number(argument('--rounds', '3'));
const keep = argument('--keep', undefined);
const MB = 1e6;
// Seconds of a peer for each second of the floor on one core, with ISA-L: means of two traces of 1 GB,
// measured once on a quiet machine.
const peers = { 'Perfetto trace_processor': 10, torch_tb_profiler: 78, HTA: 122 };

if (!existsSync(serverPath))
  throw new Error(`There is no program at ${serverPath}: build it first.`);
if (keep) mkdirSync(keep, { recursive: true });
const folder = keep ?? mkdtempSync(path.join(tmpdir(), 'emberline-bench-'));
const goals = new Goals();

/** A generated trace; made once in a folder that is kept. */
async function generated(events) {
  const out = path.join(folder, `${dialect}-${events}.pt.trace.json.gz`);
  if (!existsSync(out) || statSync(out).size === 0) {
    console.error(`Generating ${events} events...`);
    await writeTrace({ out, dialect, events, seed: 1 });
  }
  return out;
}
const done = (file) => keep ?? rmSync(file);

async function loading() {
  buildFloor();
  const samples = path.join(root, 'samples');
  const recorded = readdirSync(samples, { recursive: true })
    .filter((entry) => entry.endsWith('.pt.trace.json.gz'))
    .map((entry) => ({
      name: entry.replace('.pt.trace.json.gz', ''),
      file: path.join(samples, entry),
    }));
  const perEvent = traceText({ dialect, events: 20000, seed: 1 }).text.length / 20000;
  const large = [];
  for (const size of sizes) {
    const file = await generated(Math.round((size * MB) / perEvent));
    large.push({ name: `generated ${size} MB`, file });
  }
  const rows = await measureLoading([...recorded, ...large], rounds);
  const made = rows.slice(recorded.length);
  const picture = await measureFirstPicture(large.at(-1).file, rounds);
  for (const { file } of large) done(file);
  printTable([
    loadingColumns.map(([title]) => title),
    ...rows.map((row) => loadingColumns.map(([, of]) => of(row))),
  ]);
  console.log(`The floor inflates with ${rows[0].inflater}.`);
  for (const row of made) {
    const size = row.name.replace('generated ', '');
    goals.atMost(`ready / floor on one core, ${size}`, row.readyOneCoreRatio, 2);
    if (row.textBytes < 100 * MB) continue;
    goals.atMost(`ready / floor on all cores, ${size}`, row.readyRatio, 1.3);
    goals.atMost(`peak bytes per byte of JSON, ${size}`, row.peakBytes / row.textBytes, 0.35);
  }
  const largest = made.at(-1);
  if (picture !== undefined) {
    printFirstPicture(picture);
    const { plain, pictured, shown } = picture;
    const size = largest.name.replace('generated ', '');
    goals.atMost(`first picture, part of the load, ${size}`, shown / plain.seconds, 1 / 3);
    goals.atMost(
      `load with a first picture, times, ${size}`,
      pictured.seconds / plain.seconds,
      1.05,
    );
  }
  const comparable = largest.inflater === 'ISA-L' ? Object.keys(peers) : [];
  for (const [peer, wanted] of [
    ['Perfetto trace_processor', 6],
    ['torch_tb_profiler', 50],
    ['HTA', 80],
  ].filter(([name]) => comparable.includes(name))) {
    const times = peers[peer] * largest.floorPerTotal;
    goals.atLeast(`faster than ${peer}, times`, times, wanted, '', 'by both ratios to the floor');
  }
  for (let i = 1; i < made.length; ++i) {
    const [a, b] = [made[i - 1], made[i]];
    const span = `${a.name.replace('generated ', '')} to ${b.name.replace('generated ', '')}`;
    goals.atMost(
      `growth of time, ${span}`,
      exponent(a, b, (r) => r.loadSeconds),
      1.05,
    );
    // Of its own code, without what the system takes to give memory: on a virtual machine that has to
    // get it back from its host (withMemory), a long load meets more such pages than a short one.
    goals.atMost(
      `growth of processor time, ${span}`,
      exponent(a, b, (r) => r.userSeconds),
      1.05,
    );
    goals.atMost(
      `growth of memory, ${span}`,
      exponent(a, b, (r) => r.peakBytes),
      1.05,
    );
  }
}

async function views() {
  const file = await generated(Number(argument('--events', '1000000')));
  const result = await measureViews(file, rounds);
  done(file);
  printViews(result);
  const { rows, memory, events } = result;
  const [first, again, page] = ['first', 'again', 'page'].map((key) => worst(rows, key));
  goals.atLeast('opening again, times faster', result.loadMs / result.reopenMs, 20);
  goals.atMost('slowest view, first', first.first, 100, 'ms', first.name);
  goals.atMost('slowest view, again', again.again, 5, 'ms', again.name);
  goals.atMost('slowest page of a table', page.page, 10, 'ms', `${page.name}, by ${page.which}`);
  goals.atMost('memory after every view, per event', memory.rss / events, 100, 'bytes');
}

async function timeline() {
  const file = await generated(Number(argument('--timeline', '10000000')));
  const { zooms, firstMs } = await measureTimeline(file);
  done(file);
  for (const [zoom, { median, p99 }] of Object.entries(zooms)) {
    goals.atMost(`timeline window, ${zoom}, median`, median, 10, 'ms');
    goals.atMost(`timeline window, ${zoom}, 99 %`, p99, 25, 'ms');
  }
  goals.atMost('first timeline picture after the load', firstMs, 500, 'ms');
}

async function page() {
  if (findChromium() === undefined) {
    console.log('The page was not measured: there is no Chromium (EMBERLINE_CHROMIUM).');
    return;
  }
  const { benchPage } = await import('./page.mjs');
  const file = await generated(Number(argument('--page', '300000')));
  await benchPage(file, rounds, goals);
  done(file);
}

async function soaking() {
  const soaked = Number(argument('--soak', '2000'));
  const resident = await soak(folder, soaked);
  goals.atMost(
    'memory after a soak, times',
    growth(resident),
    1.05,
    '',
    `${soaked} rounds, ${(resident.at(-1) / MB).toFixed(0)} MB`,
  );
}

try {
  const parts = { loading, views, timeline, page, soak: soaking };
  for (const part of only) {
    if (parts[part] === undefined) throw new Error(`There is no part "${part}".`);
    await parts[part]();
  }
  goals.print();
  if (process.argv.includes('--accept')) goals.accept();
} finally {
  if (!keep) rmSync(folder, { recursive: true, force: true });
}
