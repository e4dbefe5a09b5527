// How much time lands on the right line. The samples were recorded with the calling line of every
// Python call beside the trace (*.truth.json); the daemon sees the trace and the sources only.
// Prints the table that the documentation shows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { root, startDaemon } from '../rpc/daemon.mjs';

const samples = [
  ['train_cnn', 'slow'],
  ['train_cnn', 'fixed'],
  ['transformer', 'train'],
  ['inference', 'classify'],
];
const least = 0.9;
const samplesDir = join(root, 'samples');
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

/** True when two recorded names mean one file: traces of another machine carry its folders. */
const sameFile = (a, b) => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

describe('time on the right line', () => {
  let daemon;
  const table = [];
  before(async () => {
    daemon = startDaemon();
    await daemon.initialize();
  });
  after(async () => {
    await daemon.stop();
    const line = (cells) => `| ${cells.join(' | ')} |`;
    console.log(
      [
        line([
          'Sample',
          'Calls',
          'Calls right',
          'Time right',
          'Time on function only',
          'Time wrong',
        ]),
        line(['---', '---:', '---:', '---:', '---:', '---:']),
        ...table.map(line),
      ].join('\n'),
    );
  });

  for (const [folder, name] of samples) {
    test(`${folder}/${name}`, async () => {
      const base = join(samplesDir, folder, name);
      const truth = JSON.parse(readFileSync(`${base}.truth.json`, 'utf8')).frames;
      const { profileId } = await daemon.request('profile/open', {
        path: `${base}.pt.trace.json.gz`,
      });
      const { events, total } = await daemon.request('source/eventLines', {
        profileId,
        sourceRoots: [samplesDir],
        limit: -1,
      });
      assert.equal(events.length, total);
      const lines = new Map(events.map((e) => [e.event, e]));

      const sum = { calls: 0, callsRight: 0, time: 0, right: 0, functionOnly: 0, wrong: 0 };
      const mistakes = new Map();
      for (const { event, file, line } of truth) {
        const found = lines.get(event);
        if (!found || !sameFile(found.file, file)) continue;
        sum.calls += 1;
        sum.time += found.exclusiveUs;
        if (found.confidence === 'function') sum.functionOnly += found.exclusiveUs;
        else if (found.line === line) {
          sum.right += found.exclusiveUs;
          sum.callsRight += 1;
        } else sum.wrong += found.exclusiveUs;
        if (found.confidence === 'function' || found.line !== line) {
          const key = `${file}:${line} -> ${found.confidence === 'function' ? 'function' : found.line}`;
          mistakes.set(key, (mistakes.get(key) ?? 0) + found.exclusiveUs);
        }
      }
      // What the truth knows in the sample's own files was looked at, but for calls made by a builtin (len() runs __len__).
      const known = truth.filter(
        (t) => t.file.startsWith(`${folder}/`) || t.file.includes(`/${folder}/`),
      );
      assert.ok(known.length > 0);
      assert.ok(
        sum.calls >= 0.95 * known.length,
        `${sum.calls} of ${known.length} calls were listed`,
      );
      table.push([
        `${folder}/${name}`,
        sum.calls,
        percent(sum.callsRight, sum.calls),
        percent(sum.right, sum.time),
        percent(sum.functionOnly, sum.time),
        percent(sum.wrong, sum.time),
      ]);
      const worst = [...mistakes].sort((a, b) => b[1] - a[1]).slice(0, 8);
      const report = worst.map(([key, us]) => `${key}: ${us.toFixed(1)} us`).join('\n');
      assert.ok(
        sum.right >= least * sum.time,
        `only ${percent(sum.right, sum.time)} of the time is right:\n${report}`,
      );
      assert.ok(
        sum.callsRight >= least * sum.calls,
        `only ${percent(sum.callsRight, sum.calls)} of the calls:\n${report}`,
      );
      await daemon.request('profile/close', { profileId });
      if (process.env.EMBERLINE_ACCURACY_VERBOSE) console.log(report);
    });
  }
});
