// How much time lands on the right line. The samples were recorded with the calling line of every
// Python call beside the trace (*.truth.json); the daemon sees the trace and the sources only.
// Prints the table that the documentation shows.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { root, startDaemon } from '../rpc/daemon.mjs';
import { cells, header, markdown, measure } from './measure.mjs';

const samples = [
  ['train_cnn', 'slow'],
  ['train_cnn', 'fixed'],
  ['transformer', 'train'],
  ['inference', 'classify'],
];
const least = 0.9;
const samplesDir = join(root, 'samples');

describe('time on the right line', () => {
  let daemon;
  const table = [];
  before(async () => {
    daemon = startDaemon();
    await daemon.initialize();
  });
  after(async () => {
    await daemon.stop();
    console.log(markdown(['Sample', ...header], table));
  });

  for (const [folder, name] of samples) {
    test(`${folder}/${name}`, async () => {
      const trace = join(samplesDir, folder, `${name}.pt.trace.json.gz`);
      const { truth, all, mistakes } = await measure(daemon, trace, [samplesDir]);
      // What the truth knows in the sample's own files was looked at, but for calls made by a builtin (len() runs __len__).
      const known = truth.filter(
        (t) => t.file.startsWith(`${folder}/`) || t.file.includes(`/${folder}/`),
      );
      assert.ok(known.length > 0);
      assert.ok(
        all.calls >= 0.95 * known.length,
        `${all.calls} of ${known.length} calls were listed`,
      );
      table.push([`${folder}/${name}`, ...cells(all)]);
      const report = mistakes
        .slice(0, 8)
        .map(([key, m]) => `${key}: ${m.us.toFixed(1)} us`)
        .join('\n');
      assert.ok(all.right >= least * all.time, `too little of the time is right:\n${report}`);
      assert.ok(all.callsRight >= least * all.calls, `too few calls are right:\n${report}`);
    });
  }
});
