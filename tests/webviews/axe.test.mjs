// Every view, in all four kinds of theme, without a finding of axe and without an error on the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Harness, axe, sample } from './harness.mjs';
import { rowOpeners } from './roles.mjs';
import { themes } from './themes.mjs';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

for (const theme of Object.keys(themes)) {
  test(`every view of a training run is accessible (${theme})`, async () => {
    const profile = await harness.open(sample('transformer/train.pt.trace.json.gz'), { theme });
    const tabs = await profile.page.getByRole('tab').allTextContents();
    assert.ok(tabs.length >= 8, tabs.join());
    const found = [];
    for (const tab of tabs) {
      await profile.view(tab);
      for (const finding of await axe(profile.page)) found.push(`${tab}: ${finding}`);
    }
    assert.deepEqual(found, []);
    assert.deepEqual(profile.errors, []);
    await profile.close();
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
  await profile.page.waitForSelector('.grid-detail .stack');
  assert.deepEqual(await axe(profile.page), []);
  await profile.close();
});
