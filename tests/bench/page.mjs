// How fast the page is: script before the first view, switching views, typing in a filter, scrolling
// a table; and with --workbench how long the extension takes to activate in a real VS Code. Prints
// figures beside their goals; asserts nothing.
//
//   node tests/bench/page.mjs [--events 300000] [--dialect torch-2.8] [--rounds 3] [--workbench]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pageMetafile } from '../../scripts/lib/bundle.mjs';
import { writeTrace } from '../generator/generate.mjs';
import { bytesBefore } from '../lib/page_scripts.mjs';
import { Harness } from '../webviews/harness.mjs';

const argument = (name, fallback) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
};
const events = Number(argument('--events', '300000'));
const dialect = argument('--dialect', 'torch-2.8');
const rounds = Number(argument('--rounds', '3'));

const figures = [];
const add = (name, value, unit, goal = '') => figures.push([name, `${value} ${unit}`, goal]);
const ms = (value) => value.toFixed(0);
const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const most = (values) => Math.max(...values);

/** Milliseconds from a click on a tab until a frame shows the view, and until its figures are there. */
function switchTo(page, title) {
  return page.evaluate(async (name) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const tab = [...document.querySelectorAll('[role=tab]')].find(
      (one) => one.textContent === name,
    );
    const start = performance.now();
    tab.click();
    do await frame();
    while (document.querySelector(`#view[aria-labelledby="${tab.id}"]`) === null);
    const drawn = performance.now() - start;
    const waits = '.waiting, .stale, [aria-busy=true]';
    while (document.querySelector(waits) !== null) await frame();
    await frame();
    return { drawn, settled: performance.now() - start };
  }, title);
}

/** Types a word into the filter, a letter each 40 ms; the longest time from a key to its frame. */
async function typing(profile, word) {
  const { page } = profile;
  await page.evaluate(() => {
    window.keys = [];
    window.watcher = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (/^key|input/.test(entry.name)) window.keys.push(entry.duration);
      }
    });
    window.watcher.observe({ type: 'event', durationThreshold: 16 });
  });
  await page.locator('#view .filter vscode-textfield').first().click();
  await page.keyboard.type(word, { delay: 40 });
  await profile.settled();
  const durations = await page.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    window.watcher.disconnect();
    return window.keys;
  });
  for (let left = word.length; left > 0; left -= 1) await page.keyboard.press('Backspace');
  await profile.settled();
  // What is not listed took less than 16 ms.
  return most([0, ...durations]);
}

/** Scrolls the view a row a frame; milliseconds between the frames. */
async function scrolling(profile) {
  return profile.page.evaluate(async () => {
    const body = document.querySelector('.view-body');
    const frames = [];
    let last = await new Promise((resolve) => requestAnimationFrame(resolve));
    for (let at = 0; at < 240; at += 1) {
      body.scrollTop += 48;
      const now = await new Promise((resolve) => requestAnimationFrame(resolve));
      frames.push(now - last);
      last = now;
    }
    body.scrollTop = 0;
    return frames;
  });
}

async function measurePage(trace) {
  const harness = await Harness.start();
  try {
    const first = {};
    const again = {};
    let profile;
    for (let round = 0; round < rounds; round += 1) {
      await profile?.close();
      profile = await harness.open(trace);
      await profile.settled();
      const titles = await profile.page.locator('[role=tab]').allInnerTexts();
      for (const [seen, where] of [
        [first, titles.slice(1)],
        [again, titles],
      ]) {
        for (const title of where) {
          (seen[title] ??= []).push(await switchTo(profile.page, title));
        }
      }
    }
    for (const [title, times] of Object.entries(first)) {
      const drawn = middle(times.map((one) => one.drawn));
      const settled = middle(times.map((one) => one.settled));
      const later = middle(again[title].map((one) => one.drawn));
      add(
        `switching to ${title}`,
        `${ms(drawn)} first, ${ms(later)} again, ${ms(settled)} with all figures`,
        'ms',
        'drawn < 100 ms',
      );
    }
    for (const title of ['Operators', 'Kernels', 'Modules', 'Lines']) {
      await profile.view(title);
      const longest = await typing(profile, 'convolution');
      add(
        `typing in the filter of ${title}, longest key`,
        longest < 16 ? '< 16' : ms(longest),
        'ms',
        'never waits',
      );
    }
    await profile.view('Operators');
    await profile.page.evaluate(() => window.scrollTo(0, 0));
    for (const title of ['Operators', 'Kernels']) {
      await profile.view(title);
      const frames = await scrolling(profile);
      const late = frames.filter((frame) => frame > 20).length;
      add(
        `scrolling ${title}`,
        `${(1000 / middle(frames)).toFixed(0)} a second, ${late} of ${frames.length} late, longest ${ms(most(frames))}`,
        'ms',
        '60 frames a second',
      );
    }
    await profile.close();
  } finally {
    await harness.stop();
  }
}

/** What *Running Extensions* says of ours, in a window that opens a trace. */
async function measureActivation() {
  const { startWorkbench, waitUntil } = await import('../e2e/workbench.mjs');
  for (let round = 0; round < rounds; round += 1) {
    const workbench = await startWorkbench({ open: 'train_cnn' });
    try {
      await workbench.webviewFrame('[role=tab][aria-selected=true]');
      await workbench.runCommand('Developer: Show Running Extensions');
      const row = workbench.page
        .locator('.runtime-extensions-editor .extension, .extension-list .extension')
        .filter({ hasText: 'Emberline' })
        .first();
      const text = await waitUntil(
        'the time of activation',
        async () =>
          /Activation[^0-9]*\d+\s*ms/.exec((await row.innerText()).replaceAll('\n', ' '))?.[0],
      );
      add('activating the extension', /(\d+)\s*ms/.exec(text)[1], 'ms', '< 50 ms');
    } finally {
      await workbench.stop();
    }
  }
}

const metafile = await pageMetafile();
const main = 'webviews/src/main.tsx';
const bytes = bytesBefore(metafile, [main, 'webviews/src/views/overview/overview.tsx']);
add('script before the first view', (bytes / 1000).toFixed(0), 'KB', '< 150 KB');
const all = Object.entries(metafile.outputs).filter(([name]) => name.endsWith('.js'));
add(
  'all scripts of the page',
  (all.reduce((sum, [, one]) => sum + one.bytes, 0) / 1000).toFixed(0),
  'KB',
);

const folder = mkdtempSync(path.join(tmpdir(), 'emberline-bench-page-'));
try {
  const trace = path.join(folder, 'generated.pt.trace.json.gz');
  console.error(`Generating ${events} events...`);
  await writeTrace({ out: trace, dialect, events });
  await measurePage(trace);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (process.argv.includes('--workbench')) await measureActivation();

const widths = [0, 1].map((column) => most(figures.map((row) => row[column].length)));
console.log(`A trace of ${events} events, the median of ${rounds} rounds`);
for (const [name, value, goal] of figures) {
  console.log(`${name.padEnd(widths[0])}  ${value.padEnd(widths[1])}  ${goal}`.trimEnd());
}
