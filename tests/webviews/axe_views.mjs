// Every view of what is opened, in all four kinds of theme and two widths, without an error on the page
// and without a finding of axe: of all rules in one theme for each width, of those about colors in all.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Harness, axe } from './harness.mjs';

const corpus = process.env.EMBERLINE_CORPUS;

/** The path of a real trace. */
export const real = (path) => join(corpus ?? '', path);

/**
 * A test for each of `opened`: by name, what opens a page in a theme. The tests share one browser, which
 * each file starts for itself.
 */
export function testEveryView(opened) {
  let harness;
  before(async () => {
    harness = await Harness.start();
  });
  after(() => harness?.stop());
  for (const [name, open] of Object.entries(opened)) {
    const skip = corpus === undefined ? 'EMBERLINE_CORPUS is not set' : false;
    test(`every view of ${name} is accessible`, { skip }, async () => {
      const found = [];
      // Beside an editor, where columns give way and bars wrap, and in a window of its own.
      const looks = [
        { theme: 'light', width: 640, rules: 'all' },
        { theme: 'hc-dark', width: 640, rules: 'colors' },
        { theme: 'dark', width: 1280, rules: 'all' },
        { theme: 'hc-light', width: 1280, rules: 'colors' },
      ];
      for (const { theme, width, rules } of looks) {
        const page = await open(harness, theme);
        await page.page.setViewportSize({ width, height: 708 });
        for (const tab of await page.page
          .getByRole('tab', { includeHidden: true })
          .allTextContents()) {
          await page.view(tab);
          for (const finding of await axe(page.page, rules))
            found.push(`${theme}, ${tab}: ${finding}`);
        }
        assert.deepEqual(page.errors, []);
        await page.close();
      }
      assert.deepEqual(found, []);
    });
  }
}
