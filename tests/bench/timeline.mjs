// How long a window of the timeline takes, over generated traces of growing size, and how smoothly the
// page pans and zooms over the largest. Prints figures and ratios measured in one run; asserts no time.
//
//   node tests/bench/timeline.mjs [--sizes 100000,1000000,10000000] [--no-page]
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMain, root } from '../../scripts/lib/paths.mjs';
import { startDaemon } from '../rpc/daemon.mjs';
import { argument, quantile, touchMemory } from './lib.mjs';

const sizes = argument('--sizes', '100000,1000000,10000000').split(',').map(Number);
const withPage = !process.argv.includes('--no-page');
const rounds = 60;
const pixels = 1600;

/** A fixed sequence: every run measures the same windows. */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Processor time that a process has used, ms; NaN where the system does not tell. */
function cpuMs(pid) {
  try {
    return (
      readdirSync(`/proc/${pid}/task`)
        .map((task) =>
          Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
        )
        .reduce((a, b) => a + b, 0) / 1e6
    );
  } catch {
    return NaN;
  }
}

/** The first picture after a load, and windows of three widths; ms. */
export async function measureTimeline(path) {
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path });
    const info = await daemon.request('profile/load', { profileId });
    touchMemory(2 ** 30);
    const begin = performance.now();
    const { startNs, endNs, tracks } = await daemon.request('timeline/tracks', { profileId });
    const open = tracks.filter((track) => !track.folded && track.slices > 0).slice(0, 12);
    const whole = endNs - startNs;
    const next = random(7);
    // The first picture after the load waits for the rows and their pyramids, which are made once.
    await daemon.request('timeline/window', {
      profileId,
      startNs,
      endNs,
      pixels,
      tracks: open.map((track) => track.id),
    });
    const firstMs = performance.now() - begin;
    const result = { events: info.events, slices: info.slices, firstMs, zooms: {} };
    for (const [name, part] of [
      ['full', 1],
      ['middle', 0.02],
      ['deep', 0.00005],
    ]) {
      const times = [];
      const cpuBefore = cpuMs(daemon.child.pid);
      let boxes = 0;
      for (let i = 0; i < rounds; i++) {
        const span = Math.max(100, Math.round(whole * part));
        const at = startNs + Math.round(next() * (whole - span));
        const before = performance.now();
        for (let from = 0; from < open.length; from += 6) {
          const reply = await daemon.request('timeline/window', {
            profileId,
            startNs: at,
            endNs: at + span,
            pixels,
            tracks: open.slice(from, from + 6).map((track) => track.id),
          });
          boxes += reply.rows.reduce((sum, row) => sum + row.start.length, 0);
        }
        times.push(performance.now() - before);
      }
      result.zooms[name] = {
        median: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        cpu: (cpuMs(daemon.child.pid) - cpuBefore) / rounds,
        boxes: boxes / rounds,
      };
    }
    return result;
  } finally {
    await daemon.stop();
  }
}

/** Events of the page's main thread that are its scripts, by what began them. */
const scripts = {
  FireAnimationFrame: 'drawing',
  EventDispatch: 'input',
  HandlePostMessage: 'answers',
  MinorGC: 'collecting garbage',
  MajorGC: 'collecting garbage',
};

/**
 * Time of scripts in each frame, ms, and how much of it each kind took: what is left of a frame is the
 * browser's own work, which without a graphics card is most of it.
 */
function scriptTimes(events, begins) {
  const perFrame = begins.map(() => 0);
  const byKind = {};
  const covered = new Map();
  for (const event of events.sort((a, b) => a.ts - b.ts || b.dur - a.dur)) {
    const kind = scripts[event.name];
    if (kind === undefined || event.ph !== 'X') continue;
    // One within another is counted with the outer one.
    const until = covered.get(event.tid) ?? -Infinity;
    if (event.ts < until) continue;
    covered.set(event.tid, event.ts + event.dur);
    const next = begins.findIndex((ts) => ts > event.ts);
    if (next <= 0) continue;
    // The thread's own time, where the browser tells it: others on the machine do not count.
    const ms = (event.tdur ?? event.dur) / 1000;
    perFrame[next - 1] += ms;
    byKind[kind] = (byKind[kind] ?? 0) + ms;
  }
  return { perFrame: perFrame.slice(0, -1), byKind };
}

/** Pans and zooms the page over a trace; times between frames, and of scripts in them. */
async function frames(path) {
  const { Harness } = await import('../webviews/harness.mjs');
  const harness = await Harness.start();
  try {
    const opened = await harness.open(path, {
      state: { view: 'timeline', selection: {}, views: {} },
    });
    const target = opened.page;
    await target.waitForSelector('.tl[data-settled="true"]', { timeout: 120_000 });
    const run = () =>
      target.evaluate(async () => {
        const overlay = document.querySelector('.tl-overlay');
        const box = overlay.getBoundingClientRect();
        const between = [];
        let last;
        for (let i = 0; i < 240; i++) {
          const zoomIn = Math.floor(i / 40) % 2 === 0;
          overlay.dispatchEvent(
            new WheelEvent('wheel', {
              bubbles: true,
              cancelable: true,
              clientX: box.left + box.width * (0.3 + 0.4 * ((i % 17) / 17)),
              clientY: box.top + 60,
              deltaY: i % 3 === 2 ? 0 : zoomIn ? -60 : 60,
              deltaX: i % 3 === 2 ? 40 : 0,
            }),
          );
          await new Promise((resolve) => requestAnimationFrame(resolve));
          const now = performance.now();
          performance.mark('frame');
          if (last !== undefined) between.push(now - last);
          last = now;
        }
        return between;
      });
    const between = await run();
    // Once more with the browser's own trace, which costs time itself, for what scripts take of it.
    const session = await target.context().newCDPSession(target);
    const traced = [];
    session.on('Tracing.dataCollected', ({ value }) => traced.push(...value));
    const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: { includedCategories: ['devtools.timeline', 'v8', 'blink.user_timing'] },
    });
    await run();
    await session.send('Tracing.end');
    await complete;
    const begins = traced.filter((event) => event.name === 'frame').map((event) => event.ts);
    return { between, ...scriptTimes(traced, begins) };
  } finally {
    await harness.stop();
  }
}

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-timeline-'));
  try {
    const rows = [];
    let largest;
    for (const events of sizes) {
      const path = join(folder, `trace-${events}.pt.trace.json`);
      const made = spawnSync(
        process.execPath,
        [
          join(root, 'tests', 'generator', 'generate.mjs'),
          '--dialect',
          'torch-2.8',
          '--events',
          String(events),
          '--out',
          path,
          '--seed',
          '5',
        ],
        { encoding: 'utf8', maxBuffer: 1 << 28 },
      );
      if (made.status !== 0 || !existsSync(path))
        throw new Error(`the generator failed: ${made.stderr}`);
      rows.push(await measureTimeline(path));
      largest = path;
    }
    console.log(
      'events      slices      zoom    median ms   99 % ms   CPU ms   boxes   ratio to the smallest',
    );
    for (const row of rows) {
      for (const [zoom, { median, p99, cpu, boxes }] of Object.entries(row.zooms)) {
        const ratio = median / rows[0].zooms[zoom].median;
        console.log(
          [
            String(row.events).padEnd(11),
            String(row.slices).padEnd(11),
            zoom.padEnd(7),
            median.toFixed(2).padStart(9),
            p99.toFixed(2).padStart(9),
            cpu.toFixed(2).padStart(8),
            boxes.toFixed(0).padStart(7),
            ratio.toFixed(2).padStart(8),
          ].join(' '),
        );
      }
    }
    for (const { events, slices, firstMs } of rows) {
      console.log(
        `first picture of ${events} events after the load: ${firstMs.toFixed(0)} ms, ` +
          `${((firstMs * 1000) / slices).toFixed(2)} µs a slice`,
      );
    }
    if (withPage) {
      const { between, perFrame, byKind } = await frames(largest);
      const late = between.filter((ms) => ms > 1000 / 60 + 2).length;
      console.log(
        `\nframes while panning and zooming the largest: median ${quantile(between, 0.5).toFixed(1)} ms, ` +
          `99 % ${quantile(between, 0.99).toFixed(1)} ms, later than 60 per second: ${((100 * late) / between.length).toFixed(0)} %`,
      );
      const parts = Object.entries(byKind)
        .map(([kind, ms]) => `${kind} ${(ms / perFrame.length).toFixed(2)}`)
        .join(', ');
      console.log(
        `scripts in a frame, which any machine has to do: median ${quantile(perFrame, 0.5).toFixed(1)} ms, ` +
          `99 % ${quantile(perFrame, 0.99).toFixed(1)} ms; in the mean ${parts} ms`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (isMain(import.meta)) await main();
