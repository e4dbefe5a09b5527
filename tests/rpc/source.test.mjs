// Lines and sources over the wire: figures that agree with each other, edits, paths of another machine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { root, samples, startDaemon } from './daemon.mjs';

const folder = join(root, 'samples');
const slow = join(folder, 'train_cnn', 'slow.py');
const text = readFileSync(slow, 'utf8');
const lineOf = (part, source = text) => source.split('\n').findIndex((l) => l.includes(part)) + 1;

describe('lines and sources', () => {
  let daemon;
  let profile;
  const ask = (method, params) =>
    daemon.request(method, { ...profile, sourceRoots: [folder], ...params });

  before(async () => {
    daemon = startDaemon();
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path: samples.slow });
    profile = { profileId };
  });
  after(() => daemon.stop());

  test('self times of lines sum to what has a line', async () => {
    const { rows, totals } = await ask('view/lines', { limit: -1 });
    const sum = (key) => rows.reduce((s, row) => s + row[key], 0);
    assert.ok(Math.abs(sum('hostSelfUs') - totals.lineHostUs - totals.functionHostUs) < 0.5);
    assert.ok(totals.lineHostUs > 0.9 * totals.hostUs);
    for (const row of rows) {
      assert.ok(row.hostSelfUs <= row.hostTotalUs + 0.001, JSON.stringify(row));
      assert.ok(row.backwardHostUs <= row.hostTotalUs + 0.001, JSON.stringify(row));
    }
  });

  test('rows per function and per file hold the same self time', async () => {
    const lines = await ask('view/lines', { limit: -1 });
    for (const groupBy of ['function', 'file']) {
      const grouped = await ask('view/lines', { groupBy, limit: -1 });
      const sum = (rows) => rows.reduce((s, row) => s + row.hostSelfUs, 0);
      assert.ok(Math.abs(sum(grouped.rows) - sum(lines.rows)) < 0.5, groupBy);
      assert.ok(grouped.rows.length < lines.rows.length);
    }
  });

  test('without sources only functions are known', async () => {
    const { rows, absences } = await ask('view/lines', { sourceRoots: [], limit: -1 });
    assert.ok(rows.length > 0);
    assert.ok(rows.every((row) => row.confidence === 'function'));
    assert.equal(absences.length, 1);
  });

  test('the document has the figures of the table', async () => {
    const { rows } = await ask('view/lines', { limit: -1 });
    const { lines, lenses, files, drifted } = await ask('source/annotations', { path: slow, text });
    assert.deepEqual(files, ['train_cnn/slow.py']);
    assert.equal(drifted, false);
    const body = lineOf('features = self.body(features)');
    const line = lines.find((l) => l.line === body);
    const row = rows.find((r) => r.line === body && r.confidence === 'aligned');
    assert.ok(line && row);
    for (const key of ['hostSelfUs', 'hostTotalUs', 'backwardHostUs', 'calls', 'allocatedBytes']) {
      assert.equal(line[key], row[key], key);
    }
    assert.equal(line.stale, false);
    assert.ok(line.backwardHostUs > 0, 'the forward line carries its backward cost');
    const forward = lenses.find((l) => l.name === 'SmallCnn.forward');
    assert.equal(forward.line, lineOf('def forward(self, images)'));
    assert.equal(forward.calls, 4);
    assert.ok(forward.hostUs >= line.hostTotalUs);
    assert.ok(forward.hostShare > 0 && forward.hostShare <= 1);
    const net = lenses.find((l) => l.name === 'SmallCnn');
    assert.equal(net.kind, 'module');
    assert.equal(net.line, lineOf('class SmallCnn'));
  });

  test('edits move hints with their statements', async () => {
    const before = await ask('source/annotations', { path: slow, text });
    const body = before.lines.find((l) => l.line === lineOf('features = self.body(features)'));
    // Lines inserted above, a function moved to the end of its class, one renamed, one reformatted.
    const edited = text
      .replace('IMAGE_SIZE = 32', '# the size of images\nIMAGE_SIZE = 32')
      .replace(
        'features = self.body(features)',
        'features = self.body(\n            features,\n        )',
      )
      .replace('def normalise(images, dataset):', 'def normalise_batch(images, dataset):')
      .replace('rows.append(band * (1.0 + 0.1 * random.random()))', 'rows.append(band)');
    const now = await ask('source/annotations', { path: slow, text: edited });
    assert.equal(now.drifted, true);
    const moved = now.lines.find((l) => l.line === lineOf('features = self.body(', edited));
    assert.equal(moved.hostSelfUs, body.hostSelfUs);
    assert.equal(moved.recordedLine, body.line);
    assert.equal(moved.stale, false);
    const lens = now.lenses.find((l) => l.name === 'normalise_batch');
    assert.equal(lens.line, lineOf('def normalise_batch', edited));
    // The statement that was changed is not drawn on: its cost is marked stale at its function.
    const changed = lineOf('rows.append(band)', edited);
    assert.ok(!now.lines.some((l) => l.line === changed && !l.stale));
    const augmentLine = lineOf('def augment', edited);
    const stale = now.lines.find((l) => l.stale && l.line === augmentLine);
    const was = before.lines.find((l) => l.line === lineOf('rows.append(band *'));
    assert.equal(stale.hostSelfUs, was.hostSelfUs);
    assert.equal(stale.recordedLine, was.line);
    const augment = now.lenses.find((l) => l.name === 'ShapesDataset.augment');
    assert.equal(augment.stale, true);
  });

  test('a document that did not run has nothing', async () => {
    const result = await ask('source/annotations', {
      path: join(folder, 'nothing.py'),
      text: 'x = 1\n',
    });
    assert.deepEqual([result.files, result.lines, result.lenses], [[], [], []]);
  });

  test('hover breaks a line down', async () => {
    const line = lineOf('features = self.body(features)');
    const hover = await ask('source/hover', { path: slow, text, line });
    assert.equal(hover.found, true);
    assert.equal(hover.cost.line, line);
    assert.ok(hover.byOperator.length > 0);
    assert.ok(hover.byOperator.some((o) => o.shapes.length > 0));
    const operators = hover.byOperator.reduce((s, o) => s + o.hostUs, 0);
    assert.ok(operators <= hover.cost.hostTotalUs + 0.001);
    assert.equal(hover.callers[0].line, lineOf('scores = model(images)'));
    assert.ok(hover.slices.length > 0);
    assert.equal((await ask('source/hover', { path: slow, text, line: 2 })).found, false);
  });

  test('slices of a line', async () => {
    const line = lineOf('features = self.body(features)');
    const { slices, total } = await ask('source/lineSlices', { file: 'train_cnn/slow.py', line });
    assert.ok(total >= 4);
    assert.equal(slices.length, total);
    const starts = slices.map((s) => s.startNs);
    assert.deepEqual(
      starts,
      [...starts].sort((a, b) => a - b),
    );
    const two = await ask('source/lineSlices', { file: 'train_cnn/slow.py', line, limit: 2 });
    assert.equal(two.slices.length, 2);
    assert.equal(two.total, total);
  });

  test('the stack of a slice has the lines that were found', async () => {
    const line = lineOf('features = self.body(features)');
    const { slices } = await ask('source/lineSlices', { file: 'train_cnn/slow.py', line });
    const directions = new Set();
    for (const { slice } of slices) {
      const { frames } = await ask('source/stack', { slice });
      const recorded = (await ask('timeline/slice', { slice })).stack;
      const known = ({ file, function: name }) => `${file} ${name}`;
      assert.deepEqual(frames.map(known), recorded.map(known));
      const placed = new Map(
        frames.filter((frame) => !frame.lineIsDefinition).map((f) => [f.function, f.line]),
      );
      assert.equal(placed.get('main'), lineOf('correct = train_step('));
      // Backward work stands on the stack that ran it.
      const forward = frames.some((frame) => frame.function === 'forward');
      assert.equal(placed.get('forward'), forward ? line : undefined);
      assert.equal(
        placed.get('train_step'),
        lineOf(forward ? 'scores = model(images)' : 'loss.backward()'),
      );
      directions.add(forward);
      const unread = await ask('source/stack', { slice, sourceRoots: [] });
      assert.deepEqual(unread.frames, recorded);
    }
    assert.equal(directions.size, 2);
    await assert.rejects(ask('source/stack', { slice: 1e9 }), /There is no slice/);
  });

  test('a listing is the text on disk around a line, with the figures of the lines', async () => {
    const line = lineOf('features = self.body(features)');
    const file = 'train_cnn/slow.py';
    const listing = await ask('source/listing', { file, line, around: 3 });
    assert.equal(listing.found, true);
    assert.equal(listing.path, slow);
    assert.equal(listing.line, line);
    const wanted = text.split('\n').slice(line - 4, line + 3);
    assert.deepEqual(
      listing.lines.map((row) => row.text),
      wanted,
    );
    const { rows } = await ask('view/lines', { limit: -1 });
    const cost = rows.find((row) => row.line === line && row.confidence !== 'function');
    assert.equal(listing.lines[3].cost.hostTotalUs, cost.hostTotalUs);
    assert.equal(listing.lines[3].line, line);
    assert.ok(listing.lines.some((row) => row.cost === null));
    // At the beginning there is nothing before; what is not found has nothing.
    assert.equal((await ask('source/listing', { file, line: 1, around: 2 })).lines.length, 3);
    const missing = await ask('source/listing', { file: 'nowhere.py', line });
    assert.deepEqual(missing, { found: false, path: null, line: null, lines: [] });
    const unread = await ask('source/listing', { file, line, sourceRoots: [] });
    assert.equal(unread.found, false);
  });

  test('findings name the line that calls, where the sources are at hand', async () => {
    const { recommendations } = await ask('view/overview', {});
    const { frames } = recommendations.find(({ id }) => id === 'dataLoading');
    const loop = text.split('\n').flatMap((l, i) => (/for .*\(loader\)/.test(l) ? [i + 1] : []));
    assert.ok(frames.length > 0);
    for (const frame of frames) {
      assert.equal(frame.lineIsDefinition, false);
      assert.ok(loop.includes(frame.line), JSON.stringify(frame));
    }
    // Without sources the recorder's line stands, and is said to be a definition.
    const plain = await daemon.request('view/overview', profile);
    const [recorded] = plain.recommendations.find(({ id }) => id === 'dataLoading').frames;
    assert.equal(recorded.lineIsDefinition, true);
  });

  test('hot lines name files of this machine', async () => {
    const { lines, hasDeviceWork } = await ask('source/hotLines', { limit: 5 });
    assert.equal(hasDeviceWork, false);
    assert.equal(lines.length, 5);
    assert.equal(lines[0].path, slow);
    const shares = lines.map((l) => l.share);
    assert.deepEqual(
      shares,
      [...shares].sort((a, b) => b - a),
    );
    assert.ok(shares.every((s) => s > 0 && s <= 1));
  });

  test('paths of another machine', async () => {
    const { profileId } = await daemon.request('profile/open', { path: samples.transformer });
    const file = '/workspace/emberline-samples/transformer/model.py';
    const here = join(folder, 'transformer', 'model.py');
    const found = await daemon.request('source/resolve', {
      profileId,
      file,
      sourceRoots: [folder],
    });
    assert.deepEqual(found, { status: 'found', path: here, candidates: [] });
    const missing = await daemon.request('source/resolve', { profileId, file });
    assert.equal(missing.status, 'missing');
    const mapped = await daemon.request('source/resolve', {
      profileId,
      file,
      mappings: [{ from: '/workspace/emberline-samples', to: folder }],
    });
    assert.equal(mapped.path, here);
    // Outside the given folders only what a user asked for is looked for.
    const named = { profileId, file: here };
    assert.equal((await daemon.request('source/resolve', named)).status, 'missing');
    const asked = await daemon.request('source/resolve', { ...named, anywhere: true });
    assert.equal(asked.path, here);
    const { files, lines } = await daemon.request('source/annotations', {
      profileId,
      path: here,
      text: readFileSync(here, 'utf8'),
      sourceRoots: [folder],
    });
    assert.deepEqual(files, [file]);
    assert.ok(lines.length > 5);
    await daemon.request('profile/close', { profileId });
  });
});
