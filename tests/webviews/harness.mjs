// A real browser with the built page, and the real daemon behind it. What the extension does between
// the two is done here in the plainest way: requests go to the daemon, everything else is recorded.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import * as rpc from 'vscode-jsonrpc/node';
import { errorOfAnswer, failureData } from '../../extension/src/daemon/failure.ts';
import { distDir, root, serverPath } from '../../scripts/lib/paths.mjs';
import { chromiumPath } from '../../scripts/setup.mjs';
import { moreViews, pickView, viewTab } from '../lib/roles.mjs';
import { themes } from './themes.mjs';

/** A failure as the extension tells the page. */
const failureOf = ({ code, message, data }) => failureData(errorOfAnswer(code, message, data));

export const sample = (name) => join(root, 'samples', name);

/** Everything waits for conditions; this is when a wait counts as failed. */
export const patience = 60_000;

export class Daemon {
  static async start() {
    const daemon = new Daemon();
    daemon.child = spawn(serverPath(), ['serve'], { stdio: ['pipe', 'pipe', 'pipe'] });
    daemon.log = '';
    daemon.child.stderr.on('data', (data) => (daemon.log = (daemon.log + data).slice(-20_000)));
    daemon.connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(daemon.child.stdout),
      new rpc.StreamMessageWriter(daemon.child.stdin),
    );
    daemon.progress = new Map();
    daemon.connection.onNotification('$/progress', ({ token, value }) =>
      daemon.progress.get(token)?.(value),
    );
    daemon.connection.listen();
    // A program that cannot be run, or that ends at once, answers nothing.
    const ended = new Promise((_, reject) => {
      daemon.child.once('error', reject);
      daemon.child.once('exit', (code, signal) =>
        reject(new Error(`The daemon ended with ${signal ?? code}: ${daemon.log}`)),
      );
    });
    ended.catch(() => {});
    await Promise.race([
      daemon.request('initialize', { clientVersion: 'test', processId: process.pid }),
      ended,
    ]);
    return daemon;
  }

  request(method, params, token) {
    // An undefined third argument would be sent as a second parameter.
    return token === undefined
      ? this.connection.sendRequest(method, params)
      : this.connection.sendRequest(method, params, token);
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      this.connection.dispose();
      return;
    }
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.connection.end();
    this.child.stdin.end();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
    this.connection.dispose();
  }
}

/** What the command line prints as JSON: the figures a page must show. */
export function commandLine(command, trace, options = []) {
  const result = spawnSync(serverPath(), [command, trace, '--format', 'json', ...options], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (result.status !== 0) throw new Error(`emberline ${command}: ${result.stderr}`);
  return JSON.parse(result.stdout);
}

const policy = [
  "default-src 'none'",
  "script-src 'nonce-page'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
].join('; ');

function pageText(theme) {
  const { bodyClass } = themes[theme];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Emberline</title>
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="/theme.css"><link rel="stylesheet" href="/webview.css"></head>
<body class="${bodyClass}"><div id="root"></div>
<script nonce="page">
  window.acquireVsCodeApi = () => ({
    postMessage: (message) => window.toHost(JSON.stringify(message)),
    getState: () => JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState: (state) => sessionStorage.setItem('state', JSON.stringify(state)),
  });
</script>
<script type="module" nonce="page" src="/webview.js"></script></body></html>`;
}

function themeText(theme) {
  const lines = Object.entries(themes[theme].variables).map(([key, value]) => `${key}: ${value};`);
  return `:root { ${lines.join('\n')} }`;
}

/** The page's files by their address, as the panel serves them. */
function bundleFiles() {
  const scripts = [
    'webview.js',
    ...readdirSync(join(distDir, 'views')).map((name) => `views/${name}`),
  ];
  const files = { '/webview.css': ['text/css', readFileSync(join(distDir, 'webview.css'))] };
  for (const name of scripts) {
    files[`/${name}`] = ['text/javascript', readFileSync(join(distDir, name))];
  }
  return files;
}

/** One browser and one server for a test file. */
export class Harness {
  static async start() {
    const harness = new Harness();
    try {
      await harness.begin();
    } catch (error) {
      // Whatever runs already would keep the test's process alive.
      await harness.stop();
      throw error;
    }
    return harness;
  }

  async begin() {
    this.daemon = await Daemon.start();
    this.theme = 'dark';
    for (const name of ['webview.js', 'webview.css']) {
      if (!existsSync(join(distDir, name)))
        throw new Error(`dist/${name} is missing: npm run build`);
    }
    const bundle = bundleFiles();
    this.server = createServer((request, response) => {
      const url = new URL(request.url, 'http://localhost');
      const theme = url.searchParams.get('theme') ?? this.theme;
      if (url.pathname === '/') {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(pageText(theme));
      } else if (url.pathname === '/theme.css') {
        response.setHeader('content-type', 'text/css');
        response.end(themeText(this.theme));
      } else if (bundle[url.pathname] !== undefined) {
        response.setHeader('content-type', bundle[url.pathname][0]);
        response.end(bundle[url.pathname][1]);
      } else {
        response.statusCode = 404;
        response.end();
      }
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.address = `http://127.0.0.1:${this.server.address().port}/`;
    this.profileDir = mkdtempSync(join(tmpdir(), 'emberline-web-'));
    this.context = await chromium.launchPersistentContext(this.profileDir, {
      executablePath: chromiumPath(),
      headless: true,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
      viewport: { width: 1280, height: 860 },
      timeout: patience,
    });
    this.context.setDefaultTimeout(patience);
  }

  async stop() {
    await this.context?.close();
    this.server?.closeAllConnections();
    if (this.server !== undefined) await new Promise((resolve) => this.server.close(resolve));
    await this.daemon?.stop();
    if (this.profileDir !== undefined) {
      rmSync(this.profileDir, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Opens a page on a trace and waits until it shows a view. */
  async open(trace, { theme = 'dark', wait = true, ...options } = {}) {
    this.theme = theme;
    const page = new ProfilePage(this, await this.context.newPage());
    await page.begin(trace, options);
    if (wait) await page.shown();
    return page;
  }

  /** Opens a comparison of two traces and waits until it shows a tab. */
  async compare(baseline, candidate, { theme = 'dark', ...options } = {}) {
    this.theme = theme;
    const page = new ComparisonPage(this, await this.context.newPage());
    await page.begin({ baseline, candidate }, options);
    await page.shown();
    return page;
  }

  /**
   * Opens a job, of traces or of digests, and waits until it shows a tab. `firstRanks`: only so many of
   * them, as in its first picture.
   */
  async job(path, { theme = 'dark', ...options } = {}) {
    this.theme = theme;
    const page = new JobPage(this, await this.context.newPage());
    await page.begin(path, options);
    await page.shown();
    return page;
  }

  /** Opens a page for `work(profile, page)`, in which no script may fail, and closes it. */
  async withPage(trace, options, work) {
    const profile = await this.open(trace, options);
    try {
      await work(profile, profile.page);
      assert.deepEqual(profile.errors, []);
    } finally {
      await profile.close();
    }
  }
}

/** The folders that the extension names for methods that read source. */
const sourceFolders = (method) =>
  ['view/lines', 'compare/verdict', 'compare/table'].includes(method) ||
  method.startsWith('source/')
    ? { sourceRoots: [join(root, 'samples')] }
    : {};

export class ProfilePage {
  constructor(harness, page) {
    this.harness = harness;
    this.page = page;
    this.messages = [];
    this.errors = [];
    this.cancels = new Map();
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/favicon/.test(message.text() + message.location().url)) {
        this.errors.push(message.text());
      }
    });
  }

  async begin(trace, options) {
    this.trace = trace;
    this.options = options;
    await this.page.exposeFunction('toHost', (text) => void this.onMessage(JSON.parse(text)));
    await this.page.goto(this.harness.address);
  }

  /** To the page. */
  send(message) {
    return this.page
      .evaluate((data) => window.postMessage(data, '*'), message)
      .catch((error) => {
        if (!/closed|destroyed|navigat/i.test(error.message)) throw error;
      });
  }

  async onMessage(message) {
    this.messages.push(message);
    if (message.type === 'ready' || message.type === 'retry') await this.load();
    if (message.type === 'request') await this.forward(message);
    if (message.type === 'cancel') this.cancels.get(message.id)?.cancel();
  }

  async load() {
    await this.send({
      type: 'init',
      title: this.trace.split('/').pop(),
      path: this.trace,
      isFile: existsSync(this.trace) && statSync(this.trace).isFile(),
      ...(this.options.state === undefined ? {} : { state: this.options.state }),
      reducedMotion: this.options.reducedMotion ?? false,
    });
    if (this.options.hold) return;
    const { daemon } = this.harness;
    try {
      const profile = await daemon.request('profile/open', { path: this.trace });
      this.profileId = profile.profileId;
      const info = await daemon.request('profile/load', { profileId: profile.profileId });
      await this.send({ type: 'loaded', profile, trace: info });
    } catch (error) {
      await this.send({
        type: 'failed',
        error: failureOf(error),
      });
    }
  }

  /** What the extension adds to a request. */
  named() {
    return { profileId: this.profileId };
  }

  async forward(message) {
    const { id, method, params } = message;
    const source = new rpc.CancellationTokenSource();
    this.cancels.set(id, source);
    try {
      const result = await this.harness.daemon.request(
        method,
        { ...params, ...this.named(message), ...sourceFolders(method) },
        source.token,
      );
      await this.send({ type: 'response', id, result });
    } catch (error) {
      await this.send({
        type: 'response',
        id,
        error: failureOf(error),
      });
    } finally {
      this.cancels.delete(id);
    }
  }

  async shown() {
    await this.page.waitForSelector('[role=tabpanel], main[aria-live=assertive]');
  }

  /** Chooses in the list with this label, as its own menu does. */
  async choose(label, value) {
    await this.page.locator(`vscode-single-select[label="${label}"]`).first().waitFor();
    await this.page.locator('vscode-single-select').evaluateAll(
      (all, [name, wanted]) => {
        const select = all.find((one) => one.label === name);
        select.value = wanted;
        select.dispatchEvent(new Event('change'));
      },
      [label, value],
    );
  }

  /** Goes to a view by its tab, or the menu of those without room, and waits until nothing is on its way. */
  async view(title) {
    // After another size of the window the tab may still come to stand in the line.
    await viewTab(this.page, title).or(moreViews(this.page)).first().waitFor();
    await this.frames();
    await pickView(this.page, title);
    await this.settled();
  }

  /** No answer is missing, and no table is stale. */
  async settled() {
    await this.page.waitForFunction(
      () =>
        document.querySelector('[role=tabpanel]') !== null &&
        document.querySelector('[aria-busy=true], [role=status][aria-label=Loading]') === null,
    );
  }

  /**
   * Everything is on the page: settled, and what is drawn by hand (a timeline, a strip of operators)
   * says so by its `data-settled`. Two frames more let charts draw what came last.
   */
  async drawn() {
    await this.settled();
    // A view that was just put on the page sets its mark after its first frame.
    await this.frames();
    await this.page.waitForFunction(
      () =>
        document.querySelector('[data-settled=false]') === null &&
        document.querySelector('[role=status][aria-label=Loading]') === null,
    );
    await this.frames();
  }

  /** Two frames were drawn, so that what follows from a change of the page has happened. */
  frames() {
    return this.page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))),
    );
  }

  /** The next message of a type that the page sends after `act`, and that `fits`. */
  async sent(type, act, fits = () => true) {
    const from = this.messages.length;
    await act();
    const end = Date.now() + patience;
    for (;;) {
      const found = this.messages
        .slice(from)
        .find((message) => message.type === type && fits(message));
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`The page sent no ${type}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async close() {
    await this.page.close();
  }
}

/** The same for a comparison, of which every request names its sides. */
export class ComparisonPage extends ProfilePage {
  async load() {
    const { daemon } = this.harness;
    const each = async (work) => {
      const [baseline, candidate] = [await work('baseline'), await work('candidate')];
      return { baseline, candidate };
    };
    const title = (side) =>
      this.trace[side]
        .split('/')
        .pop()
        .replace(/\.pt\.trace\..*$/, '');
    const { state } = this.options;
    await this.send({
      type: 'init',
      title: 'Comparison',
      path: '',
      ...(state === undefined ? {} : { state }),
      reducedMotion: false,
      sides: await each((side) => ({
        title: title(side),
        path: this.trace[side],
        selection: state?.sides?.[side] ?? {},
      })),
    });
    const sides = await each(async (side) => {
      const profile = await daemon.request('profile/open', { path: this.trace[side] });
      const { profileId } = profile;
      return { profile, trace: await daemon.request('profile/load', { profileId }) };
    });
    this.sides = sides;
    await this.send({ type: 'loadedSides', sides });
  }

  named({ params, side }) {
    const profileId = (name) => this.sides[name].profile.profileId;
    if (side !== undefined) return { profileId: profileId(side) };
    return Object.fromEntries(
      ['baseline', 'candidate'].map((name) => [
        name,
        { ...params[name], profileId: profileId(name) },
      ]),
    );
  }
}

/** The same for a job. */
export class JobPage extends ProfilePage {
  async load() {
    const { daemon } = this.harness;
    const digests = this.options.digests === true;
    await this.send({
      type: 'init',
      title: 'Job',
      path: this.trace,
      ...(this.options.state === undefined ? {} : { state: this.options.state }),
      reducedMotion: false,
      job: { path: this.trace, digests },
    });
    try {
      const profile = digests
        ? undefined
        : await daemon.request('profile/open', { path: this.trace });
      this.source = digests ? { digests: this.trace } : { profileId: profile.profileId };
      const { firstRanks } = this.options;
      await this.tell(firstRanks ?? 0, profile);
    } catch (error) {
      await this.send({
        type: 'failed',
        error: failureOf(error),
      });
    }
  }

  /** What the page is told of the job with so many of its ranks; 0: all. */
  async tell(maxRanks, profile) {
    const result = await this.harness.daemon.request('distributed/job', {
      ...this.source,
      maxRanks,
    });
    const job = { result, maxRanks, stopped: false };
    await this.send({ type: 'loadedJob', job: profile === undefined ? job : { ...job, profile } });
    return result;
  }

  named() {
    return this.source;
  }
}

export const axeSource = () =>
  readFileSync(join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

const axeRules = {
  all: {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    rules: { 'page-has-heading-one': { enabled: false }, region: { enabled: false } },
  },
  colors: { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } },
};

/** The rules for one page that is shown in every theme: all of them in the first. */
export const rulesIn = (theme) => (theme === 'dark' ? 'all' : 'colors');

/**
 * Findings of axe on the page as it stands, one line each. `rules` are `all`, or only those about
 * `colors`: for a page that was looked at in another theme, because the rest, three quarters of the
 * time, looks at what themes do not change.
 */
export async function axe(page, rules = 'all') {
  // Once in a page: reading it anew for each run took a quarter of the time of these runs.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource());
  const result = await page.evaluate(
    (chosen) =>
      // What is in order needs no description, which takes four times as long as all rules.
      window.axe.run(document, { resultTypes: ['violations'], ...chosen }),
    axeRules[rules],
  );
  // The timeline's rows are as high as its boxes; the keyboard and the table do what their labels do,
  // which is the exception that WCAG 2.5.8 makes for targets with an equivalent.
  const hasEquivalent = (id, node) => id === 'target-size' && /class="tl-/.test(node.html);
  return result.violations.flatMap((violation) =>
    violation.nodes
      .filter((node) => !hasEquivalent(violation.id, node))
      .map(
        (node) =>
          `${violation.id}: ${node.target.join(' ')}: ${node.failureSummary?.split('\n').slice(1).join(' ')}`,
      ),
  );
}

export const isMain = (url) => url === pathToFileURL(process.argv[1]).href;
