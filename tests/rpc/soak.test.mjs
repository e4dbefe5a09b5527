// A daemon that opens and closes traces for a long time stays as it is. The long run is the
// benchmark's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../lib/cli.mjs';
import { growth, soak } from '../lib/soak.mjs';

test('a hundred rounds of open, ask, edit and close do not grow', async () => {
  const { folder, remove } = temporaryFolder('soak');
  try {
    const resident = await soak(folder, 100);
    assert.equal(resident.length, 20);
    const ratio = growth(resident);
    assert.ok(ratio < 1.15, `memory grew by ${ratio.toFixed(3)} over the last 80 rounds`);
  } finally {
    remove();
  }
});
