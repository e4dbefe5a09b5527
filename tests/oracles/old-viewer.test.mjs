// Everything that the old trace viewer shows of a trace is shown here too: counted per thread.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { join } from 'node:path';
import { corpus, root, temporaryFolder } from '../lib/cli.mjs';
import { readGolden, writeTraces } from '../golden/golden_file.mjs';
import { Daemon } from '../webviews/harness.mjs';
import { OldViewer, compare, countOurs, withoutViewer } from './old-viewer.mjs';

const { folder, remove } = temporaryFolder('drawn');
const drawn = ['timeline', 'two-steps', 'old-recorder', 'graph', 'stacks'].flatMap((name) =>
  Object.values(
    writeTraces(readGolden(join(root, 'tests', 'golden', 'cases', `${name}.golden`)), folder),
  ),
);
const traces = [
  join(root, 'samples', 'inference', 'classify.pt.trace.json.gz'),
  ...drawn,
  ...(corpus === undefined
    ? []
    : [
        'hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz',
        'hta/critical_path/end_to_end/simple_add/output/overlaid_critical_path_trace.json.gz',
        'hta/mtia_inference_trace/mtia_inference_rank_0.json.gz',
        'hta/rank_non_gpu/rank_non_gpu.json.gz',
      ].map((name) => join(corpus, name))),
];

let old;
let daemon;
before(async () => {
  if (withoutViewer) return;
  old = await OldViewer.start();
  daemon = await Daemon.start();
});
after(async () => {
  await old?.stop();
  await daemon?.stop();
  remove();
});

for (const trace of traces) {
  test(
    `${trace.split('/').pop()}: as much as in the old viewer`,
    { skip: withoutViewer },
    async () => {
      const shown = await old.load(trace);
      const ours = await countOurs(daemon, trace);
      assert.ok(Object.keys(shown.threads).length > 0);
      assert.deepEqual(compare(shown, ours), []);
      assert.ok(ours.flows >= shown.flows, `arrows: old ${shown.flows}, ours ${ours.flows}`);
    },
  );
}

// The old viewer parses strictly, as Perfetto does: what it shows of an export is what the file holds.
for (const trace of traces) {
  const name = trace.split('/').pop();
  test(`${name}: an export of all of it loses nothing`, { skip: withoutViewer }, async () => {
    const whole = await countOurs(daemon, trace);
    const { profileId } = await daemon.request('profile/open', { path: trace });
    const { text } = await daemon.request('timeline/export', {
      profileId,
      startNs: whole.startNs - 10_000_000_000,
      endNs: whole.endNs + 10_000_000_000,
    });
    const temporary = temporaryFolder('old-viewer');
    try {
      const path = join(temporary.folder, 'part.pt.trace.json');
      writeFileSync(path, text);
      const shown = await old.load(path);
      const again = await countOurs(daemon, path);
      assert.deepEqual(compare(shown, again), []);
      assert.deepEqual(compare(again, whole), []);
      assert.equal(again.flows, whole.flows);
      assert.equal(again.dropped, 0);
      // Both ends of every arrow are there and in order, so it draws all of them.
      assert.equal(shown.flows, whole.flows);
      assert.equal(shown.warnings.flow_slice_ordering_error, undefined);
    } finally {
      temporary.remove();
    }
  });
}
