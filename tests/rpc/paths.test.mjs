// Paths that no file has or that are no text: refused with a reason, or shown so that they can be
// read and chosen.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { drawTrace, withDaemon } from './daemon.mjs';

let folder;
let trace;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-paths-'));
  trace = join(folder, 'good.pt.trace.json');
  writeFileSync(trace, drawTrace(5));
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a path with a zero byte is refused, not cut there', async () => {
  await withDaemon(async (daemon) => {
    for (const path of ['\0', `${trace}\0`, `${trace}\0.gz`, `${folder}\0/good.pt.trace.json`]) {
      const { message } = await daemon.exchange('profile/open', { path });
      assert.equal(message.error?.code, -32803, JSON.stringify(message));
      assert.equal(message.error.data.kind, 'notFound');
      assert.match(message.error.message, /\\x00.*contains a zero byte/);
      assert.ok(!message.error.message.includes('\0'), 'the byte itself is not sent back');
    }
    // Files of the source are only looked for: there is none of that name.
    const { profileId } = await daemon.request('profile/open', { path: trace });
    const found = await daemon.request('source/resolve', { profileId, file: `${trace}\0.py` });
    assert.equal(found.status, 'missing');
    const lines = await daemon.request('view/lines', { profileId, sourceRoots: [`${folder}\0`] });
    assert.ok(Array.isArray(lines.rows));
  });
});

/** Writes a trace whose name is no UTF-8; false where the file system takes no such name. */
function writeBadName(name) {
  try {
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), name]), drawTrace(7));
    return true;
  } catch {
    return false;
  }
}

test('a name that is no UTF-8 is shown escaped, and can be chosen as shown', async (context) => {
  const name = Buffer.concat([
    Buffer.from('bad-'),
    Buffer.from([0xff, 0xc3]),
    Buffer.from('.pt.trace.json'),
  ]);
  if (!writeBadName(name)) {
    context.skip('the file system takes only UTF-8');
    return;
  }
  await withDaemon(async (daemon) => {
    const { profileId, runs } = await daemon.request('profile/open', { path: folder });
    const workers = runs[0].workers.map((worker) => worker.name);
    assert.deepEqual(workers.sort(), ['bad-\\xff\\xc3', 'good']);
    const worker = 'bad-\\xff\\xc3';
    const info = await daemon.request('profile/load', { profileId, worker });
    assert.equal(info.path, join(folder, 'bad-\\xff\\xc3.pt.trace.json'));
    assert.equal(info.worker, worker);
    assert.equal(info.events, 23);
    assert.ok(!JSON.stringify(info).includes('\ufffd'), 'no byte is lost');
  });
});
