// Journeys of a new user, by the clicks that they take: from nothing to a profile, from a file of any
// name to its overview, from there to the hottest line, and through every view of traces of several
// makers' devices and of one that was cut. A double click counts as one.
import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { root } from '../../scripts/lib/paths.mjs';
import { hintOnLine } from './hints.mjs';
import { profileFrame } from './product.mjs';
import { Workbench, startWorkbench, waitUntil } from './workbench.mjs';
import {
  activity,
  editorAction,
  editorKinds,
  editorTabs,
  pageFrames,
  statusItems,
  tabsInFront,
  walkthrough,
  welcome,
} from './vscode_parts.mjs';
import { busyParts, failures, headline, hotLines, unsettledTimeline } from '../lib/roles.mjs';

const samples = join(root, 'samples');
const corpus = process.env.EMBERLINE_CORPUS ?? '';
const views = [
  'Overview',
  'Operators',
  'Kernels',
  'Roofline',
  'Timeline',
  'Memory',
  'Modules',
  'Stacks',
  'Lines',
];

/**
 * The recording of an H100 as a B200 would have made it: with that device's properties, and with the
 * architecture that names of kernels begin with.
 */
function asOfB200(zipped) {
  const trace = JSON.parse(gunzipSync(zipped).toString());
  for (const device of trace.deviceProperties) {
    const memory = 191_514_046_464;
    const properties = { computeMajor: 10, computeMinor: 0, numSms: 148, totalGlobalMem: memory };
    Object.assign(device, properties, { name: 'NVIDIA B200' });
  }
  for (const event of trace.traceEvents) {
    if (event.cat === 'kernel') event.name = event.name.replaceAll(/\bsm90_/g, 'sm100_');
  }
  return gzipSync(JSON.stringify(trace));
}

/**
 * Traces by the name that they get here, each with what its overview must say. They are real but for
 * the one of a B200, of which there is none in the corpus.
 */
const h100 = 'tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz';
const devices = {
  'h100.json.gz': { trace: h100, device: 'NVIDIA H100', kind: 'GPU' },
  'b200.json.gz': { trace: h100, made: asOfB200, device: 'NVIDIA B200', kind: 'GPU' },
  'sam.json.gz': {
    trace: 'segment-anything-fast/amg_example/amg_example_trace.json.gz',
    device: 'NVIDIA',
    kind: 'GPU',
  },
  'mi300x.json.gz': {
    trace: 'tracelens/mi300/gaunernst_bert-small-uncased__1016001.json.gz',
    device: 'AMD Instinct MI300X',
    kind: 'GPU',
  },
  'trace_view.json.gz': { trace: 'ascend/level1_rank1/trace_view.json.gz', kind: 'NPU' },
};

let folder;
let workbench;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-journeys-'));
  const slow = join(samples, 'train_cnn', 'slow.pt.trace.json.gz');
  mkdirSync(join(folder, 'train_cnn'));
  cpSync(join(samples, 'train_cnn', 'slow.py'), join(folder, 'train_cnn', 'slow.py'));
  cpSync(slow, join(folder, 'slow.pt.trace.json.gz'));
  const zipped = readFileSync(join(samples, 'inference', 'classify.pt.trace.json.gz'));
  const plain = gunzipSync(zipped);
  writeFileSync(join(folder, 'run.pt.trace.json'), plain);
  writeFileSync(join(folder, 'worker0.1623143089861.pt.trace.json.gz'), zipped);
  writeFileSync(join(folder, 'profile.json.gz'), zipped);
  writeFileSync(join(folder, 'profile.json'), plain);
  const whole = readFileSync(slow);
  writeFileSync(join(folder, 'cut.pt.trace.json.gz'), whole.subarray(0, whole.length * 0.6));
  for (const [name, { trace, made = (zipped) => zipped }] of Object.entries(devices)) {
    const from = join(corpus, trace);
    if (corpus === '' || !existsSync(from)) continue;
    writeFileSync(join(folder, name), made(readFileSync(from)));
  }
  workbench = await startWorkbench({ folder, settings: { 'workbench.startupEditor': 'none' } });
});
after(async () => {
  await workbench?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const step = Workbench.steps(test, () => workbench);

/** Counts what a hand does. */
class Journey {
  clicks = 0;

  async click(target) {
    this.clicks += 1;
    await target.click();
  }

  async doubleClick(name) {
    this.clicks += 1;
    await workbench.doubleClickInExplorer(name);
  }
}

/** No editor is open, and no page of one is left that could be taken for the next. */
async function tidyUp() {
  await workbench.runCommand('View: Close All Editors');
  await editorTabs(workbench.page).first().waitFor({ state: 'detached' });
  await waitUntil('no page', async () => (await pageFrames(workbench.page).count()) === 0);
}

/** The overview in front, its answer written. */
async function overview() {
  const frame = await profileFrame(workbench);
  await headline(frame).waitFor();
  return frame;
}

/** Waits until a view has something to show and fetches nothing any more. */
async function settled(frame, name) {
  const view = frame.getByRole('tabpanel');
  await waitUntil(`${name} at rest`, async () => {
    const busy = (await busyParts(view).count()) + (await unsettledTimeline(view).count());
    return busy === 0 && (await view.innerText()).trim() !== '';
  });
  assert.equal(await failures(view).count(), 0, `${name} shows no failure`);
}

/** Opens a file and goes through its views by one click each; `look` sees each at rest. */
async function walk(name, look) {
  await tidyUp();
  const journey = new Journey();
  await journey.doubleClick(name);
  const frame = await overview();
  for (const view of views) {
    const tab = frame.getByRole('tab', { name: view, exact: true });
    if (view !== 'Overview') await journey.click(tab);
    await waitUntil(view, async () => (await tab.getAttribute('aria-selected')) === 'true');
    await settled(frame, `${view} of ${name}`);
    await look(frame, view);
  }
  assert.equal(journey.clicks, views.length, 'a click per view');
}

/** The view of an extension, by its icon in the activity bar. */
const side = (title) => activity(workbench.page, title);

step(
  'first run: the walkthrough is two clicks away, and the sample one click from it',
  async () => {
    const { page } = workbench;
    const journey = new Journey();
    await journey.click(side('PyTorch Profiles'));
    await welcome(page).getByText('Open Sample Profile').waitFor();
    await journey.click(welcome(page).getByText('Get Started'));
    const guide = walkthrough(page);
    const steps = ['Record a profile', 'Open a profile', 'Read the answer', 'Go to the line'];
    for (const title of steps) {
      await guide.getByRole('heading', { name: title }).first().waitFor();
    }
    assert.equal(journey.clicks, 2);
    // The first step, which is open, has it too.
    const sample = guide.getByRole('button', { name: 'Open Sample Profile' });
    await journey.click(sample.filter({ visible: true }).first());
    await overview();
    assert.equal(journey.clicks, 3);
  },
);

step('first run: without the walkthrough the sample is two clicks away', async () => {
  await side('Explorer').click();
  await tidyUp();
  const journey = new Journey();
  await journey.click(side('PyTorch Profiles'));
  await journey.click(welcome(workbench.page).getByText('Open Sample Profile'));
  const sample = await overview();
  // The folder has the same file; the sample's lines are found in the one beside it.
  await hotLines(sample).filter({ hasText: 'slow.py:76' }).first().waitFor();
  assert.equal(journey.clicks, 2);
  await side('Explorer').click();
});

for (const [name, clicks] of [
  ['run.pt.trace.json', 1],
  ['slow.pt.trace.json.gz', 1],
  ['worker0.1623143089861.pt.trace.json.gz', 1],
  ['profile.json.gz', 1],
  // A plain JSON file may be anything: it opens as text, and the profile is one click further.
  ['profile.json', 2],
]) {
  step(`a double click on ${name} leads to its overview`, async () => {
    await tidyUp();
    const journey = new Journey();
    await journey.doubleClick(name);
    await workbench.tab(name).waitFor();
    if (clicks === 2) {
      await journey.click(editorAction(workbench.page, 'Open as PyTorch Profile'));
    }
    await overview();
    assert.equal(journey.clicks, clicks);
    // VS Code shows the id of a kind of editor that claims no such name.
    assert.deepEqual(await editorKinds(workbench.page).allInnerTexts(), ['PyTorch Profile']);
    // VS Code asks where two entries of the manifest claim one file.
    const asked = (await workbench.notifications()).filter((text) => /default editor/.test(text));
    assert.deepEqual(asked, []);
  });
}

step('from a double click to the hottest line of the code it is one click', async () => {
  await tidyUp();
  const journey = new Journey();
  await journey.doubleClick('slow.pt.trace.json.gz');
  const frame = await overview();
  await journey.click(hotLines(frame).first());
  await workbench.tab('slow.py').waitFor();
  const position = statusItems(workbench.page).filter({ hasText: /^Ln 76,/ });
  await position.waitFor();
  assert.equal(journey.clicks, 2);
  // The costs stand in the code, and the profile beside it: neither covers the other.
  // The line leaves no room behind it, so its share stands in its indentation; in a wider window all of it.
  const { page } = workbench;
  const line = 'deviation = dataset.images.std';
  const size = page.viewportSize();
  await hintOnLine(page, line, /^53%$/);
  await page.setViewportSize({ ...size, width: 2200 });
  await hintOnLine(page, line, /^30\.0 ms, 53 %/);
  await page.setViewportSize(size);
  await hintOnLine(page, line, /^53%$/);
  const inFront = async () =>
    (await tabsInFront(workbench.page).allInnerTexts()).map((text) => text.replaceAll(/\s/g, ''));
  assert.deepEqual((await inFront()).sort(), ['slow.pt.trace.json.gz', 'slow.py']);
  // The next line takes the column of the first.
  await hotLines(await profileFrame(workbench))
    .nth(1)
    .click();
  await position.waitFor({ state: 'detached' });
  assert.equal((await inFront()).length, 2);
});

for (const [name, { trace, device, kind }] of Object.entries(devices)) {
  const there = corpus !== '' && existsSync(join(corpus, trace));
  const title = `every view of ${name} is one click away and names the device`;
  if (!there) {
    test(title, { skip: 'needs EMBERLINE_CORPUS' }, () => {});
    continue;
  }
  step(title, async () => {
    await walk(name, async (frame, view) => {
      const words = await frame.evaluate(() => document.body.innerText);
      if (device !== undefined) assert.ok(words.includes(device), `${view} names ${device}`);
      // A maker's own word for its device, wherever a text speaks of one.
      if (kind !== 'GPU') assert.doesNotMatch(words, /\bGPUs?\b/, `${view} of an ${kind}`);
      if (view === 'Overview') {
        const answer = await headline(frame).innerText();
        assert.match(answer, new RegExp(`^${kind} busy`));
      }
    });
  });
}

step('a file that was cut says so on every view', async () => {
  await walk('cut.pt.trace.json.gz', async (frame, view) => {
    const notice = frame.getByRole('note', { name: 'About this trace' });
    assert.match(await notice.innerText(), /truncated/, view);
    assert.match(await notice.innerText(), /Read: [\d,]+ events/, view);
  });
});
