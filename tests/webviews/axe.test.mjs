// Every view, in all four kinds of theme, without a finding of axe and without an error on the page.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { traceText } from '../generator/generate.mjs';
import { Harness, axe, sample } from './harness.mjs';
import { openedDetails, rowOpeners } from '../lib/roles.mjs';
import { themes } from './themes.mjs';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

async function everyView(path, theme) {
  const profile = await harness.open(path, { theme });
  const tabs = await profile.page.getByRole('tab', { includeHidden: true }).allTextContents();
  assert.ok(tabs.length >= 8, tabs.join());
  const found = [];
  for (const tab of tabs) {
    await profile.view(tab);
    for (const finding of await axe(profile.page)) found.push(`${tab}: ${finding}`);
  }
  assert.deepEqual(found, []);
  assert.deepEqual(profile.errors, []);
  await profile.close();
}

for (const theme of Object.keys(themes)) {
  test(`every view of a training run is accessible (${theme})`, () =>
    everyView(sample('transformer/train.pt.trace.json.gz'), theme));

  test(`every view of a device's trace that was cut is accessible (${theme})`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emberline-axe-'));
    const { text } = traceText({ dialect: 'torch-2.13', events: 3000, seed: 11 });
    const path = join(folder, 'cut.pt.trace.json');
    writeFileSync(path, text.slice(0, text.length * 0.8));
    try {
      await everyView(path, theme);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

const corpus = process.env.EMBERLINE_CORPUS;
const real = (path) => join(corpus ?? '', path);

/** What is opened, and how: devices of three makers, a comparison, a job. */
const opened = {
  'an A100': (theme) =>
    harness.open(real('segment-anything-fast/amg_example/amg_example_trace.json.gz'), { theme }),
  'an MI300X': (theme) =>
    harness.open(real('tracelens/mi300/ddp_resnet18_no_pool/train_resnet18.json.gz'), { theme }),
  'an Ascend NPU': (theme) => harness.open(real('ascend'), { theme }),
  'two models on an H100': (theme) =>
    harness.compare(
      real('tracelens/h100/gaunernst_bert-small-uncased__1016001.json.gz'),
      real('tracelens/h100/Falconsai_nsfw_image_detection__1016002.json.gz'),
      { theme },
    ),
  'a job of eight ranks': (theme) =>
    harness.job(real('param/et_replay/tests/inputs/extracted/dlrm_kineto'), { theme }),
};

for (const [name, open] of Object.entries(opened)) {
  const skip = corpus === undefined ? 'EMBERLINE_CORPUS is not set' : false;
  test(`every view of ${name} is accessible`, { skip }, async () => {
    const found = [];
    // Beside an editor, where columns give way and bars wrap, and in a window of its own.
    const widths = { light: 640, 'hc-dark': 640, dark: 1280, 'hc-light': 1280 };
    for (const [theme, width] of Object.entries(widths)) {
      const page = await open(theme);
      await page.page.setViewportSize({ width, height: 708 });
      for (const tab of await page.page
        .getByRole('tab', { includeHidden: true })
        .allTextContents()) {
        await page.view(tab);
        for (const finding of await axe(page.page)) found.push(`${theme}, ${tab}: ${finding}`);
      }
      assert.deepEqual(page.errors, []);
      await page.close();
    }
    assert.deepEqual(found, []);
  });
}

test('a damaged file and an opened row are accessible', async () => {
  const broken = await harness.open(sample('README.md'));
  assert.deepEqual(await axe(broken.page), []);
  await broken.close();
  const profile = await harness.open(sample('transformer/train.pt.trace.json.gz'), {
    theme: 'light',
  });
  await profile.view('Operators');
  await rowOpeners(profile.page).first().click();
  await openedDetails(profile.page)
    .getByRole('list', { name: /^Python stack/ })
    .first()
    .waitFor();
  assert.deepEqual(await axe(profile.page), []);
  await profile.close();
});

test('the actions of a track, which show under the pointer, are accessible', async () => {
  for (const theme of Object.keys(themes)) {
    const profile = await harness.open(sample('transformer/train.pt.trace.json.gz'), { theme });
    await profile.view('Timeline');
    await profile.drawn();
    const track = profile.page.getByRole('group', { name: /^thread \d/ }).first();
    await track.hover({ position: { x: 20, y: 10 } });
    await track.getByTitle('Hide', { exact: true }).waitFor();
    assert.deepEqual(await axe(profile.page), [], theme);
    await profile.close();
  }
});
