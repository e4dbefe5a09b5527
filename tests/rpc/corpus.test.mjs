// Every method on every trace of the corpus: answers fit the protocol and stay small, and the
// timeline draws every slice. Needs EMBERLINE_CORPUS.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { after, before, test } from 'node:test';
import { plainMethods, startDaemon } from './daemon.mjs';

const corpus = process.env.EMBERLINE_CORPUS;
const skip = corpus ? false : 'EMBERLINE_CORPUS is not set';

function traces(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'oracles' ? [] : traces(path);
      return /\.json(\.gz)?$/.test(entry.name) ? [path] : [];
    });
}

let daemon;
before(async () => {
  if (skip) return;
  daemon = startDaemon();
  await daemon.initialize();
});
after(() => daemon?.stop());

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

async function drawnSlices(profileId) {
  const { startNs, endNs, tracks } = await daemon.request('timeline/tracks', { profileId });
  const rows = tracks.filter((track) => track.kind !== 'steps' && track.slices > 0);
  let drawn = 0;
  for (let first = 0; first < rows.length; first += 8) {
    const reply = await daemon.request('timeline/window', {
      profileId,
      startNs,
      endNs: Math.max(endNs, startNs + 1),
      pixels: 800,
      tracks: rows.slice(first, first + 8).map((track) => track.id),
    });
    drawn += sum(reply.rows.map((row) => sum(row.count)));
  }
  return drawn;
}

test('every method answers on every trace', { skip }, async () => {
  let read = 0;
  for (const path of traces(corpus)) {
    const name = relative(corpus, path);
    const opened = await daemon.exchange('profile/open', { path });
    const load = opened.message.result
      ? await daemon.exchange('profile/load', { profileId: opened.message.result.profileId })
      : opened;
    if (load.message.error) {
      // Some files beside the traces are no traces; they are refused with a reason.
      assert.equal(
        load.message.error.data.kind,
        'unreadable',
        `${name}: ${load.message.error.message}`,
      );
      continue;
    }
    ++read;
    const { profileId } = opened.message.result;
    for (const method of plainMethods) {
      await assert.doesNotReject(daemon.request(method, { profileId }), `${name}: ${method}`);
    }
    assert.equal(await drawnSlices(profileId), load.message.result.slices, `${name}: slices drawn`);
    await daemon.request('profile/close', { profileId });
  }
  assert.ok(read > 50, `only ${read} traces were read`);
});
