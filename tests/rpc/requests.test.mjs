// Requests that take time: cancelled, reported, side by side.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drawTrace, frame, samples, validate, withDaemon } from './daemon.mjs';

let folder;
let large;
let small;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-rpc-'));
  large = join(folder, 'large.pt.trace.json');
  small = join(folder, 'small.pt.trace.json');
  writeFileSync(large, drawTrace(60_000));
  writeFileSync(small, drawTrace(20));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('open, load, check, close', async () => {
  await withDaemon(async (daemon) => {
    const opened = await daemon.request('profile/open', { path: small });
    assert.equal(opened.runs.length, 1);
    const { profileId } = opened;
    const info = await daemon.request('profile/load', { profileId });
    assert.equal(info.events, 62);
    assert.equal(info.slices, 62);
    assert.equal(info.path, small);
    assert.equal(info.hasDeviceWork, true);
    assert.deepEqual(
      info.steps.map((step) => step.name),
      ['0', '1'],
    );
    const check = await daemon.request('profile/check', { profileId });
    assert.equal(check.events, 62);
    assert.equal(check.counts.slices, 62);
    const categories = Object.fromEntries(check.categories.map((c) => [c.category, c.count]));
    assert.equal(categories.kernel, 20);
    assert.equal(await daemon.request('profile/close', { profileId }), null);
    const { message } = await daemon.exchange('profile/load', { profileId });
    assert.equal(message.error.data.kind, 'notFound');
  });
});

test('a folder of thousands of ranks is told in few bytes, wherever it lies', async () => {
  const at = join(folder, 'a-folder-with-a-long-name'.repeat(5));
  mkdirSync(at);
  const count = 2000;
  const text = drawTrace(1);
  for (let rank = 0; rank < count; ++rank) {
    writeFileSync(join(at, `node_${rank}.1700000000000.pt.trace.json`), text);
  }
  await withDaemon(async (daemon) => {
    const { message, size } = await daemon.exchange('profile/open', { path: at });
    const { workers } = message.result.runs[0];
    assert.equal(workers.length, count);
    assert.ok(workers.every(({ sizeBytes, spans }) => sizeBytes === text.length && !spans));
    // A name of up to nine characters and a size; 6,000 of them stay below 256 KiB.
    assert.ok(size < 43 * count, `${size} bytes`);
    const { profileId } = message.result;
    const { path } = await daemon.request('profile/load', { profileId, worker: 'node_1999' });
    assert.equal(path, join(at, 'node_1999.1700000000000.pt.trace.json'));
  });
});

test('what cannot be chosen is told with what can', async () => {
  await withDaemon(async (daemon) => {
    const { profileId, runs } = await daemon.request('profile/open', { path: small });
    const worker = runs[0].workers[0].name;
    const { message } = await daemon.exchange('profile/load', { profileId, worker: 'nobody' });
    assert.equal(message.error.data.kind, 'notFound');
    assert.ok(message.error.data.hint.includes(worker), message.error.data.hint);
    const steps = await daemon.exchange('view/operators', { profileId, steps: '17' });
    assert.equal(steps.message.error.code, -32602);
  });
});

test('a file that is no trace says why and where', async () => {
  await withDaemon(async (daemon) => {
    const path = join(folder, 'list.json');
    writeFileSync(path, '[1, 2, 3]');
    const opened = await daemon.exchange('profile/open', { path });
    const failed = opened.message.error
      ? opened.message
      : (await daemon.exchange('profile/load', { profileId: opened.message.result.profileId }))
          .message;
    assert.equal(failed.error.code, -32803);
    assert.equal(failed.error.data.kind, 'unreadable');
    assert.notEqual(failed.error.data.hint, '');
  });
});

/**
 * Sends requests and a cancellation of the first in one piece, until the cancellation comes in time:
 * a busy machine may finish the load before the daemon reads on. Gives the daemon's last answers.
 */
async function cancelFirst(daemon, ids) {
  for (let attempt = 0; attempt < 10; ++attempt) {
    const { profileId } = await daemon.request('profile/open', { path: large });
    const names = ids.map((id) => `${id}${attempt}`);
    const loads = names.map((id) =>
      frame({ jsonrpc: '2.0', id, method: 'profile/load', params: { profileId } }),
    );
    const cancel = frame({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: names[0] } });
    daemon.write(Buffer.concat([...loads, cancel]));
    const replies = [];
    for (const id of names) replies.push(await daemon.message((m) => m.id === id, `answer ${id}`));
    for (const id of names) assert.equal(daemon.messages.filter((m) => m.id === id).length, 1);
    if (replies[0].error) return { replies, profileId };
    await daemon.request('profile/close', { profileId });
  }
  return assert.fail('no cancellation came in time');
}

test('a request that is cancelled gets exactly one answer', async () => {
  await withDaemon(async (daemon) => {
    const { replies, profileId } = await cancelFirst(daemon, ['load']);
    assert.equal(replies[0].error.code, -32800);
    assert.equal(replies[0].error.data.kind, 'cancelled');
    // Nothing is left behind: the same trace loads afterwards.
    const info = await daemon.request('profile/load', { profileId });
    assert.equal(info.slices, 180_002);
  });
});

test('one of two waiting for the same load is cancelled', async () => {
  await withDaemon(async (daemon) => {
    const { replies } = await cancelFirst(daemon, ['a', 'b']);
    assert.equal(replies[0].error.code, -32800);
    assert.equal(replies[1].error, undefined);
    validate('profile/load', 'result', replies[1].result);
  });
});

test('progress begins, rises and ends before the reply', async () => {
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: large });
    await daemon.request('profile/load', { profileId, workDoneToken: 'bar' }, 'load');
    const mine = daemon.notifications.filter((n) => n.params?.token === 'bar');
    const kinds = mine.map((n) => n.params.value.kind);
    assert.equal(kinds[0], 'begin');
    assert.equal(kinds.at(-1), 'end');
    assert.equal(kinds.filter((kind) => kind === 'begin').length, 1);
    const percentages = mine
      .filter((n) => n.params.value.kind === 'report')
      .map((n) => n.params.value.percentage);
    assert.ok(percentages.length >= 2, `${percentages.length} reports`);
    assert.deepEqual(
      percentages,
      [...percentages].sort((a, b) => a - b),
    );
    assert.ok(percentages.every((p) => p >= 0 && p <= 100));
    const reply = daemon.messages.findIndex((m) => m.id === 'load');
    assert.ok(daemon.messages.indexOf(mine.at(-1)) < reply, 'the end comes before the reply');
  });
});

test('no token, no progress', async () => {
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: large });
    await daemon.request('profile/load', { profileId });
    assert.deepEqual(daemon.notifications, []);
  });
});

test('many requests at once, also for traces that are still loading', async () => {
  await withDaemon(async (daemon) => {
    const paths = [large, small, samples.slow, samples.fixed];
    const opened = await Promise.all(paths.map((path) => daemon.request('profile/open', { path })));
    const requests = [];
    for (let round = 0; round < 10; ++round) {
      for (const { profileId } of opened) {
        requests.push(daemon.request('profile/check', { profileId }));
        requests.push(daemon.request('profile/load', { profileId, workDoneToken: round }));
      }
    }
    const results = await Promise.all(requests);
    // Every answer about one trace says the same.
    for (let i = 0; i < opened.length * 2; ++i) {
      for (let round = 1; round < 10; ++round) {
        assert.equal(results[i + round * opened.length * 2].events, results[i].events);
      }
    }
  });
});

test('the daemon reads on after replies that fill the pipe', async () => {
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: large });
    const range = { profileId, startNs: 0, endNs: 600_000_000 };
    for (let round = 0; round < 2; ++round) {
      // More than the daemon lets wait before it pauses reading.
      const { text, events } = await daemon.request('timeline/export', range);
      assert.ok(text.length > 20_000_000, `${text.length} characters`);
      assert.equal(events, 180_002);
    }
    const { message } = await daemon.exchange('no/such');
    assert.equal(message.error.code, -32601);
  });
});

test('an id that is in use is refused', async () => {
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: large });
    const load = frame({
      jsonrpc: '2.0',
      id: 'twice',
      method: 'profile/load',
      params: { profileId },
    });
    daemon.write(Buffer.concat([load, load]));
    const refused = await daemon.message((m) => m.id === 'twice' && m.error, 'the refusal');
    assert.equal(refused.error.code, -32600);
    await daemon.message((m) => m.id === 'twice' && m.result, 'the answer');
  });
});

test('a trace that is written again is read again', async () => {
  await withDaemon(async (daemon) => {
    const path = join(folder, 'changing.pt.trace.json');
    writeFileSync(path, drawTrace(5));
    const { profileId } = await daemon.request('profile/open', { path });
    assert.equal((await daemon.request('profile/load', { profileId })).slices, 17);
    writeFileSync(path, drawTrace(8));
    assert.equal((await daemon.request('profile/load', { profileId })).slices, 26);
  });
});

test('views go on with what was loaded when the file is written again or deleted', async () => {
  await withDaemon(async (daemon) => {
    const path = join(folder, 'vanishing.pt.trace.json');
    writeFileSync(path, drawTrace(5));
    const { profileId } = await daemon.request('profile/open', { path });
    const { slices } = await daemon.request('profile/load', { profileId });
    const counted = async () =>
      (await daemon.request('profile/check', { profileId })).counts.slices;
    writeFileSync(path, drawTrace(8));
    assert.equal(await counted(), slices);
    rmSync(path);
    assert.equal(await counted(), slices);
    // Another profile that is closed takes nothing away.
    const { profileId: other } = await daemon.request('profile/open', { path: small });
    await daemon.request('profile/load', { profileId: other });
    await daemon.request('profile/close', { profileId: other });
    assert.equal(await counted(), slices);
    await assert.rejects(daemon.request('profile/load', { profileId }));
  });
});

test('a small memory budget lets traces go and reads them again', async () => {
  await withDaemon(
    async (daemon) => {
      for (let round = 0; round < 2; ++round) {
        for (const path of [large, samples.slow, small]) {
          const { profileId } = await daemon.request('profile/open', { path });
          const info = await daemon.request('profile/load', { profileId });
          assert.ok(info.slices > 0);
        }
      }
    },
    { env: { EMBERLINE_MEMORY_MB: '1' } },
  );
});
