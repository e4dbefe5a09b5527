// Every view of the protocol answers on every sample as the definition says.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { after, before, test } from 'node:test';
import { plainMethods, protocol, resolved, samples, startDaemon, validate } from './daemon.mjs';

let daemon;
before(async () => {
  daemon = startDaemon();
  await daemon.initialize();
});
after(() => daemon.stop());

for (const path of Object.values(samples)) {
  test(`views of ${basename(path)}`, async (t) => {
    const { profileId } = await daemon.request('profile/open', { path });
    for (const method of plainMethods) {
      await t.test(method, async () => {
        const params = { profileId };
        validate(method, 'params', params);
        await daemon.request(method, params);
      });
    }
    await t.test('step by step', async () => {
      const info = await daemon.request('profile/load', { profileId });
      const step = info.steps[0].name;
      for (const method of plainMethods) {
        if (!/^view\//.test(method)) continue;
        if (resolved(protocol.methods[method].params).properties.steps === undefined) continue;
        await daemon.request(method, { profileId, steps: step });
      }
    });
    await daemon.request('profile/close', { profileId });
  });
}

test('tables sort, filter and page', async () => {
  const { profileId } = await daemon.request('profile/open', { path: samples.transformer });
  const all = await daemon.request('view/operators', { profileId, sort: '-hostSelfUs', limit: -1 });
  assert.equal(all.rows.length, all.totalRows);
  const times = all.rows.map((row) => row.hostSelfUs);
  assert.deepEqual(
    times,
    [...times].sort((a, b) => b - a),
  );

  const page = await daemon.request('view/operators', {
    profileId,
    sort: '-hostSelfUs',
    offset: 2,
    limit: 3,
  });
  assert.deepEqual(page.rows, all.rows.slice(2, 5));
  assert.equal(page.totalRows, all.totalRows);

  const found = await daemon.request('view/operators', {
    profileId,
    filter: 'name:addmm',
    limit: -1,
  });
  assert.ok(found.totalRows > 0 && found.totalRows < all.totalRows);
  assert.ok(found.rows.every((row) => row.name.toLowerCase().includes('addmm')));
  assert.equal(found.unfilteredRows, all.totalRows);

  const wrong = await daemon.exchange('view/operators', { profileId, sort: 'nonsense' });
  assert.equal(wrong.message.error.code, -32602);
});
