// What the page says of traces that are not a plain recording of PyTorch on GPUs.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { goldenTrace } from '../lib/golden_traces.mjs';
import { settledTimeline } from '../lib/roles.mjs';
import { Harness } from './harness.mjs';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

test('a trace of another recorder says so in every view', async () => {
  await harness.withPage(goldenTrace('other-recorder'), {}, async (profile, page) => {
    const tabs = await page.getByRole('tab', { includeHidden: true }).allTextContents();
    assert.ok(tabs.length > 1);
    for (const tab of tabs) {
      await profile.view(tab);
      const notice = page.getByRole('note', { name: 'About this trace' });
      await notice.waitFor();
      assert.match(await notice.textContent(), /not a trace of the PyTorch profiler.*JAX/, tab);
      await profile.drawn();
      const said = await page.locator('body').innerText();
      // Its program has no such arguments, and nothing is known of its devices.
      assert.doesNotMatch(said, /with_stack|profile_memory|record_shapes|activities|pass /, tab);
      assert.doesNotMatch(said, /CPU only|No kernel ran|No findings|\d %/, tab);
    }
    // Nothing of it is missing.
    await page.getByRole('button', { name: 'Limited' }).waitFor();
  });
});

test('a trace of another recorder opens in the timeline, unless another view was chosen', async () => {
  const shown = (page) => page.getByRole('tab', { selected: true }).textContent();
  const trace = goldenTrace('other-recorder');
  await harness.withPage(trace, {}, async (_, page) => {
    await settledTimeline(page).first().waitFor();
    assert.equal(await shown(page), 'Timeline');
  });
  const state = { view: 'overview', selection: {}, views: {} };
  await harness.withPage(trace, { state }, async (_, page) => {
    await page.getByRole('heading', { name: 'Trace health' }).waitFor();
    assert.equal(await shown(page), 'Overview');
  });
  await harness.withPage(goldenTrace('ascend'), {}, async (_, page) => {
    await page.getByText(/^NPU busy/).waitFor();
    assert.equal(await shown(page), 'Overview');
  });
});

test('an Ascend trace shows one NPU and no notice', async () => {
  await harness.withPage(goldenTrace('ascend'), {}, async (profile, page) => {
    await page.getByText(/^NPU busy/).waitFor();
    assert.equal(await page.getByRole('note', { name: 'About this trace' }).count(), 0);
    assert.equal(await page.getByText(/\bGPU \d/).count(), 0);
  });
});
