// How long comparing two loaded traces takes, against loading them, and what it adds to the daemon's
// memory. Prints figures and the two goals; asserts nothing.
//
//   node tests/bench/compare.mjs [--events 1000000] [--dialect torch-2.8] [--rounds 3]
//
// Both traces are generated, with different seeds. Each question is asked of a daemon that has loaded
// both and has compared nothing yet.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeTrace } from '../generator/generate.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { Goals } from './goals.mjs';
import { restingMemoryOf } from '../lib/process_memory.mjs';
import { argument, cpuSecondsOf, timed } from './lib.mjs';

const events = Number(argument('--events', '1000000'));
const dialect = argument('--dialect', 'torch-2.8');
const rounds = Number(argument('--rounds', '3'));

const questions = {
  'verdict (four levels, overview)': ['compare/verdict', {}],
  'kernels of the same two, next': ['compare/table', { by: 'kernels', limit: 100 }],
  'and their second page': ['compare/table', { by: 'kernels', limit: 100, offset: 100 }],
  'operators with shapes, next': ['compare/table', { by: 'operatorShapes', limit: 100 }],
  'communication, next': ['compare/table', { by: 'communication', limit: 100 }],
  'steps of the aligned execution, next': ['compare/tree', {}],
  'inside the first step, next': ['compare/tree', { path: '0' }],
  'knots of both clocks, next': ['compare/timeline', {}],
  'modules, next': ['compare/table', { by: 'modules', limit: 100 }],
  'lines, next': ['compare/table', { by: 'lines', limit: 100 }],
  'memory, next': ['compare/table', { by: 'memory', limit: 100 }],
};

async function round(files) {
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const seconds = {};
    const cpu = {};
    const { pid } = daemon.child;
    const ids = [];
    let loaded = 0;
    const load = await timed(async () => {
      for (const file of files) {
        const { profileId } = await daemon.request('profile/open', { path: file });
        const info = await daemon.request('profile/load', { profileId });
        loaded += info.events;
        ids.push(profileId);
      }
    });
    seconds['loading both'] = load.ms / 1000;
    // The daemon prepares the timeline of what was loaded by itself: this is no work of comparing.
    for (const profileId of ids) await daemon.request('timeline/tracks', { profileId });
    const before = await restingMemoryOf(pid);
    const sides = { baseline: { profileId: ids[0] }, candidate: { profileId: ids[1] } };
    for (const [name, [method, params]] of Object.entries(questions)) {
      const start = cpuSecondsOf(pid);
      const asked = await timed(() => daemon.request(method, { ...sides, ...params }));
      seconds[name] = asked.ms / 1000;
      cpu[name] = cpuSecondsOf(pid) - start;
    }
    return { seconds, cpu, loaded, before, after: await restingMemoryOf(pid) };
  } finally {
    await daemon.stop();
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'emberline-bench-compare-'));
try {
  const files = [];
  for (const seed of [1, 2]) {
    const out = path.join(folder, `${seed}.pt.trace.json.gz`);
    console.error(`Generating ${events} events...`);
    await writeTrace({ out, dialect, events, seed });
    files.push(out);
  }
  const all = [];
  for (let i = 0; i < rounds; ++i) all.push(await round(files));
  const best = (name) => Math.min(...all.map(({ seconds }) => seconds[name]));
  const load = best('loading both');
  console.log(`${all[0].loaded} events in two traces, the fastest of ${rounds} rounds`);
  for (const name of Object.keys(all[0].seconds)) {
    const seconds = best(name);
    const cpu = Math.min(...all.map((one) => one.cpu[name] ?? NaN));
    console.log(
      `${name.padEnd(40)} ${seconds.toFixed(3).padStart(8)} s  ${(seconds / load).toFixed(3)} of loading` +
        (Number.isNaN(cpu) ? '' : `  ${cpu.toFixed(2)} s of processors`),
    );
  }
  const least = (of) => Math.min(...all.map(of)) / 1e6;
  const [rss, after] = [least(({ before }) => before.rss), least((one) => one.after.rss)];
  console.log(
    `memory: ${rss.toFixed(0)} MB loaded, ${after.toFixed(0)} MB after comparing ` +
      `(${((100 * (after - rss)) / rss).toFixed(1)} % more); peak ${least((one) => one.after.peak).toFixed(0)} MB, ` +
      `${least(({ before }) => before.peak).toFixed(0)} MB of it from loading`,
  );
  const goals = new Goals();
  goals.atMost('comparing: first verdict', best('verdict (four levels, overview)'), 1, 's');
  goals.atMost('comparing: memory beyond both traces', (100 * (after - rss)) / rss, 10, '%');
  goals.print();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
