// Says how well lines are recovered.
//
//   npm run accuracy                                   the samples, as a test
//   npm run accuracy -- TRACE... [--source DIR]... [--library DIR]... [--worst N]
//
// TRACE is a recording with a truth file beside it (samples/recorder). --source names the folder of
// the programs. --library names a folder that holds packages (site-packages, lib/python3.11): the calls
// inside those of its files that ran are then measured, too. --worst lists the costliest mistakes.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureNode } from '../../scripts/lib/node.mjs';

await ensureNode();

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { type: 'string', multiple: true, default: [] },
    library: { type: 'string', multiple: true, default: [] },
    worst: { type: 'string', default: '0' },
    'no-build': { type: 'boolean' }, // of the test
  },
});
if (positionals.length === 0) {
  process.argv.push('--only', 'accuracy');
  const { main } = await import('../run.mjs');
  process.exitCode = await main();
} else {
  await measureAll(positionals.map((p) => resolve(p)));
}

async function measureAll(traces) {
  const { cells, header, libraryCopies, markdown, measure, truthPath } =
    await import('./measure.mjs');
  for (const trace of traces) {
    for (const path of [trace, truthPath(trace)]) {
      if (existsSync(path)) continue;
      console.error(`There is no ${path}.`);
      process.exitCode = 1;
      return;
    }
  }
  const { startDaemon } = await import('../rpc/daemon.mjs');
  const sources = values.source.map((s) => resolve(s));
  const copies = libraryCopies(
    traces,
    values.library.map((l) => resolve(l)),
  );
  const groupOf = (file) => {
    if (sources.some((s) => existsSync(resolve(s, file)))) return 'program';
    return file.includes('/') ? file.split('/')[0] : 'standard library';
  };
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const rows = [];
    for (const trace of traces) {
      const { groups, mistakes } = await measure(
        daemon,
        trace,
        [...sources, copies.folder],
        groupOf,
      );
      const name = trace.replace(/^.*\//, '').replace(/(\.pt\.trace)?\.json(\.gz)?$/, '');
      for (const [group, sum] of [...groups].sort()) rows.push([name, group, ...cells(sum)]);
      for (const [key, m] of mistakes.slice(0, Number(values.worst)))
        console.log(`${name}: ${key}: ${m.us.toFixed(1)} us, ${m.calls} calls, event ${m.event}`);
    }
    console.log(markdown(['Recording', 'Code of', ...header], rows, 2));
  } finally {
    await daemon.stop();
    copies.remove();
  }
}
