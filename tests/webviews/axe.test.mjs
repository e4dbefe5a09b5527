// Every view of a sample and of a cut trace, in all four kinds of theme, without an error on the page and
// without a finding of axe: of all rules in one theme, of those about colors in all. Real traces have their
// file, so that both run side by side.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { traceText } from '../generator/generate.mjs';
import { Harness, axe, rulesIn, sample } from './harness.mjs';
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
    for (const finding of await axe(profile.page, rulesIn(theme))) found.push(`${tab}: ${finding}`);
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
