// The trace viewer of chrome://tracing, which the TensorBoard plugin embedded, beside ours: the same
// trace is loaded into both, and what each thread, counter and arrow holds is counted.
//
//   node tests/oracles/old-viewer.mjs [--out DIR] [--window FROM:TO] TRACE...
//
// Prints one table per trace. With --out, pictures of both over the same window (a share of the trace,
// 0:1 by default) are left in DIR, to be looked at side by side. The viewer (catapult's
// trace_viewer_full.html and webcomponents.min.js) is not part of this project: it comes with Go
// (src/cmd/trace/static; on Debian the package golang-1.19-src), or lies in EMBERLINE_OLD_VIEWER.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { chromiumPath } from '../../scripts/setup.mjs';
import { Daemon, Harness, isMain } from '../webviews/harness.mjs';
import { readText } from './corpus.mjs';

const page = 'trace_viewer_full.html';
const polyfill = 'webcomponents.min.js';

/** Folder of the old viewer, or undefined where it is not installed. */
export function viewerFolder() {
  const goRoots = ['/usr/local/go', process.env.GOROOT ?? '', '/usr/lib/go'];
  for (const parent of ['/usr/share', '/usr/lib']) {
    for (const name of existsSync(parent) ? readdirSync(parent) : []) {
      if (name.startsWith('go-')) goRoots.push(join(parent, name));
    }
  }
  const inGo = ['src/cmd/trace/static', 'src/internal/trace/traceviewer/static'];
  const folders = [
    process.env.EMBERLINE_OLD_VIEWER ?? '',
    ...goRoots.filter((root) => root !== '').flatMap((root) => inGo.map((at) => join(root, at))),
  ];
  return folders.find(
    (folder) =>
      folder !== '' && existsSync(join(folder, page)) && existsSync(join(folder, polyfill)),
  );
}

export const withoutViewer =
  viewerFolder() === undefined
    ? 'the old trace viewer is not installed (see tests/oracles/old-viewer.mjs)'
    : false;

const host = `<!doctype html><html><head><meta charset="utf-8"><script src="/${polyfill}"></script>
<link rel="import" href="/${page}"><link rel="icon" href="data:,">
<style>html, body { margin: 0; height: 100%; overflow: hidden } #viewer { width: 100%; height: 100% }
</style></head><body><script>
const ready = new Promise((done) => document.addEventListener('WebComponentsReady', () => {
  const container = document.createElement('track-view-container');
  container.id = 'track_view_container';
  const viewer = document.createElement('tr-ui-timeline-view');
  viewer.id = 'viewer';
  viewer.track_view_container = container;
  Polymer.dom(viewer).appendChild(container);
  viewer.globalMode = true;
  Polymer.dom(document.body).appendChild(viewer);
  window.viewer = viewer;
  done();
}));
window.load = async () => {
  await ready;
  const text = await (await fetch('/trace')).text();
  const model = new tr.Model();
  const options = new tr.importer.ImportOptions();
  options.shiftWorldToZero = false;
  await new tr.importer.Import(model, options).importTracesWithProgressDialog([text]);
  window.model = model;
};
</script></body></html>`;

/** What the old viewer holds of the loaded trace. Runs in its page. */
function countInPage() {
  const result = {
    threads: {},
    async: 0,
    memory: 0,
    instants: window.model.instantEvents.length,
    counters: 0,
    samples: 0,
    flows: window.model.flowEvents.length,
    flowsByCategory: {},
    // Its own list of what it could not place.
    warnings: {},
  };
  for (const flow of window.model.flowEvents) {
    result.flowsByCategory[flow.category] = (result.flowsByCategory[flow.category] ?? 0) + 1;
  }
  for (const { type } of window.model.importWarnings) {
    result.warnings[type] = (result.warnings[type] ?? 0) + 1;
  }
  for (const process of window.model.getAllProcesses()) {
    result.instants += process.instantEvents.length;
    for (const counter of Object.values(process.counters)) {
      result.counters += counter.series.length;
      for (const series of counter.series) result.samples += series.samples.length;
    }
  }
  for (const thread of window.model.getAllThreads()) {
    // Instants of a thread stand among its slices, without length.
    const { slices } = thread.sliceGroup;
    const memory = slices.filter((slice) => slice.title === '[memory]').length;
    result.memory += memory;
    // The first recorders write "stream 7" where all others write 7.
    const key = `${thread.parent.pid} ${String(thread.tid).replace(/^stream /, '')}`;
    if (slices.length > memory) result.threads[key] = slices.length - memory;
    const visit = (slice) => {
      result.async += 1;
      for (const inner of slice.subSlices ?? []) visit(inner);
    };
    for (const slice of thread.asyncSliceGroup.slices) visit(slice);
  }
  return result;
}

export class OldViewer {
  static async start() {
    const viewer = new OldViewer();
    const folder = viewerFolder();
    viewer.server = createServer((request, response) => {
      const path = request.url.split('?')[0];
      const answer = async () => {
        if (path === '/') return ['text/html', host];
        if (path === '/trace') return ['application/json', readText(viewer.trace)];
        if (path === `/${page}`) return ['text/html', await readFile(join(folder, page))];
        if (path === `/${polyfill}`)
          return ['text/javascript', await readFile(join(folder, polyfill))];
        return undefined;
      };
      answer().then((found) => {
        if (found === undefined) response.statusCode = 404;
        else response.setHeader('content-type', `${found[0]}; charset=utf-8`);
        response.end(found?.[1]);
      });
    });
    await new Promise((resolve) => viewer.server.listen(0, '127.0.0.1', resolve));
    viewer.profile = mkdtempSync(join(tmpdir(), 'emberline-old-'));
    viewer.browser = await chromium.launchPersistentContext(viewer.profile, {
      executablePath: chromiumPath(),
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
      viewport: { width: 1280, height: 860 },
    });
    viewer.browser.setDefaultTimeout(300_000);
    return viewer;
  }

  /** Loads a trace and counts; the page stays open for a picture. */
  async load(trace) {
    this.trace = trace;
    await this.page?.close();
    this.page = await this.browser.newPage();
    const failures = [];
    this.page.on('pageerror', (error) => failures.push(error.message));
    await this.page.goto(`http://127.0.0.1:${this.server.address().port}/`);
    await this.page.evaluate(() => window.load());
    if (failures.length > 0) throw new Error(`the old viewer failed: ${failures[0]}`);
    return this.page.evaluate(countInPage);
  }

  /** A picture of a window, in microseconds as recorded. */
  async picture(path, fromUs, toUs) {
    const twoFrames = () =>
      new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    await this.page.evaluate(() => {
      window.viewer.model = window.model;
    });
    // It first shows the whole by itself.
    await this.page.evaluate(twoFrames);
    await this.page.evaluate(
      ([from, to]) => {
        const { viewport } = window.viewer.trackView;
        const transform = viewport.currentDisplayTransform.clone();
        const width = window.viewer.trackView.clientWidth - 250;
        transform.xSetWorldBounds(from / 1000, to / 1000, width);
        viewport.setDisplayTransformImmediately(transform);
      },
      [fromUs, toUs],
    );
    await this.page.evaluate(twoFrames);
    await this.page.screenshot({ path });
  }

  async stop() {
    await this.browser?.close();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The same of ours, from the daemon; a thread's instants count with its slices, as there. */
export async function countOurs(daemon, trace) {
  const { profileId } = await daemon.request('profile/open', { path: trace });
  const info = await daemon.request('profile/load', { profileId });
  const check = await daemon.request('profile/check', { profileId });
  const { tracks, startNs, endNs } = await daemon.request('timeline/tracks', { profileId });
  const { entries } = await daemon.request('timeline/metadata', { profileId });
  const base = entries.find((entry) => entry.key === 'baseTimeNanoseconds');
  const result = {
    // Time 0 as recorded.
    zeroUs: (info.baseNs - Number(base?.value ?? 0)) / 1000,
    startNs,
    endNs,
    threads: {},
    async: 0,
    instants: 0,
    counters: 0,
    samples: check.counts.counters,
    memory: check.counts.memory,
    flows: 0,
    flowsByKind: {},
    dropped: check.counts.dropped,
  };
  for (const track of tracks) {
    if (track.kind === 'counter') result.counters += 1;
    const ids = /^pid (.*?), tid (.*?)(, |$)/.exec(track.detail);
    if (track.kind === 'async') {
      result.async += track.slices + track.instants;
      continue;
    }
    if (ids === null) {
      result.instants += track.instants;
      continue;
    }
    const key = `${ids[1]} ${ids[2]}`;
    result.threads[key] = (result.threads[key] ?? 0) + track.slices + track.instants;
  }
  const flows = await daemon.request('timeline/flows', { profileId });
  result.flows = flows.total;
  await daemon.request('profile/close', { profileId });
  return result;
}

/** Differences between the two, one sentence each; none when nothing is missing in ours. */
export function compare(old, ours) {
  const differences = [];
  const keys = new Set([...Object.keys(old.threads), ...Object.keys(ours.threads)]);
  for (const key of keys) {
    const [before, now] = [old.threads[key] ?? 0, ours.threads[key] ?? 0];
    if (before !== now) differences.push(`thread ${key}: old ${before}, ours ${now}`);
  }
  for (const what of ['async', 'memory', 'instants', 'counters', 'samples']) {
    if (old[what] !== ours[what]) differences.push(`${what}: old ${old[what]}, ours ${ours[what]}`);
  }
  return differences;
}

const sum = (counts) => Object.values(counts).reduce((all, one) => all + one, 0);

if (isMain(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { out: { type: 'string' }, window: { type: 'string', default: '0:1' } },
  });
  if (positionals.length === 0) {
    console.error(
      'usage: node tests/oracles/old-viewer.mjs [--out DIR] [--window FROM:TO] TRACE...',
    );
    process.exit(2);
  }
  if (withoutViewer) {
    console.error(`skipped: ${withoutViewer}`);
    process.exit(0);
  }
  const [from, to] = values.window.split(':').map(Number);
  if (values.out !== undefined) mkdirSync(values.out, { recursive: true });
  const old = await OldViewer.start();
  const daemon = await Daemon.start();
  const harness = values.out === undefined ? undefined : await Harness.start();
  try {
    for (const trace of positionals) {
      let before;
      try {
        before = await old.load(trace);
      } catch (error) {
        console.log(`\n${basename(trace)}\n  the old viewer cannot read it: ${error.message}`);
        continue;
      }
      const now = await countOurs(daemon, trace);
      console.log(`\n${basename(trace)}`);
      const line = (what, a, b) =>
        console.log(`  ${what.padEnd(22)} ${String(a).padStart(9)} ${String(b).padStart(9)}`);
      line('', 'old', 'ours');
      line('threads', Object.keys(before.threads).length, Object.keys(now.threads).length);
      line('slices and instants', sum(before.threads), sum(now.threads));
      line('asynchronous slices', before.async, now.async);
      line('memory records', before.memory, now.memory);
      line('instants of no thread', before.instants, now.instants);
      line('counter series', before.counters, now.counters);
      line('counter samples', before.samples, now.samples);
      line('arrows', before.flows, now.flows);
      line('left out', sum(before.warnings), now.dropped);
      console.log(`  arrows of the old viewer: ${JSON.stringify(before.flowsByCategory)}`);
      console.log(`  warnings of the old viewer: ${JSON.stringify(before.warnings)}`);
      for (const difference of compare(before, now)) console.log(`  ${difference}`);
      if (harness === undefined) continue;
      const name = basename(trace).replace(/\W+/g, '_').slice(0, 40);
      const span = now.endNs - now.startNs;
      const shown = [from, to].map((share) => Math.round(now.startNs + share * span));
      await old.picture(
        join(values.out, `${name}-old.png`),
        now.zeroUs + shown[0] / 1000,
        now.zeroUs + shown[1] / 1000,
      );
      const opened = await harness.open(trace);
      await opened.view('Timeline');
      await opened.send({
        type: 'navigate',
        to: { view: 'timeline', range: { startNs: shown[0], endNs: shown[1] } },
      });
      await opened.page.waitForSelector('.tl[data-settled="true"]');
      await opened.page.screenshot({ path: join(values.out, `${name}-ours.png`) });
      await opened.close();
    }
  } finally {
    await harness?.stop();
    await daemon.stop();
    await old.stop();
  }
}
