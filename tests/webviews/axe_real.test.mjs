// Every view of real traces, a comparison and a job, in all four kinds of theme and two widths, without a finding
// of axe and without an error on the page.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Harness, axe } from './harness.mjs';

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

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
