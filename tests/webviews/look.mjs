// Pictures of the views of a trace, to be looked at.
//
//   node tests/webviews/look.mjs TRACE [CANDIDATE] --out DIR [--theme dark,light] [--views Overview,Operators]
//        [--width 1280] [--height 860] [--full] [--job] [--digests]
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Harness } from './harness.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    theme: { type: 'string', default: 'dark' },
    views: { type: 'string' },
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '860' },
    full: { type: 'boolean', default: false },
    job: { type: 'boolean', default: false },
    digests: { type: 'boolean', default: false },
  },
});
if (![1, 2].includes(positionals.length) || values.out === undefined) {
  console.error(
    'usage: node tests/webviews/look.mjs TRACE [CANDIDATE] --out DIR [--theme T,..] [--views V,..]',
  );
  process.exit(2);
}
const [trace, candidate] = positionals;
mkdirSync(values.out, { recursive: true });
const harness = await Harness.start();
try {
  for (const theme of values.theme.split(',')) {
    const profile = values.job
      ? await harness.job(trace, { theme, digests: values.digests })
      : candidate === undefined
        ? await harness.open(trace, { theme })
        : await harness.compare(trace, candidate, { theme });
    await profile.page.setViewportSize({
      width: Number(values.width),
      height: Number(values.height),
    });
    const tabs = await profile.page.getByRole('tab', { includeHidden: true }).allTextContents();
    const wanted = values.views?.split(',') ?? tabs;
    for (const view of tabs.length === 0 ? ['failed'] : wanted) {
      if (tabs.length > 0) {
        if (!tabs.includes(view)) continue;
        await profile.view(view);
        if (values.full) {
          const height = await profile.page.evaluate(
            () => document.querySelector('[role=tabpanel]').firstElementChild.scrollHeight + 60,
          );
          await profile.page.setViewportSize({
            width: Number(values.width),
            height: Math.min(6000, Math.max(Number(values.height), height)),
          });
        }
      }
      if (tabs.length > 0) await profile.drawn();
      const name = `${basename(trace).replace(/\W+/g, '_').slice(0, 40)}-${view.toLowerCase()}-${theme}.png`;
      await profile.page.screenshot({ path: join(values.out, name) });
      console.log(join(values.out, name));
    }
    for (const error of profile.errors) console.log(`page error: ${error}`);
    await profile.close();
  }
} finally {
  await harness.stop();
}
