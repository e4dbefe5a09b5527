// What lines would save nearer to the roof, through the real daemon.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { program, programLines, programTrace, savedUs } from '../lib/gpu_program.mjs';
import { openDrawn, validate } from './daemon.mjs';

let folder, source, daemon, profileId, close;

before(async () => {
  ({ folder, daemon, profileId, close } = await openDrawn((drawn) => {
    source = join(drawn, 'train.py');
    writeFileSync(source, program);
    return programTrace(source);
  }));
});
after(() => close?.());

async function ask(method, params = {}) {
  const result = await daemon.request(method, { profileId, sourceRoots: [folder], ...params });
  validate(method, 'result', result);
  return result;
}

const savings = (params = {}) => ask('source/savings', { path: source, text: program, ...params });

const near = (value, expected) =>
  assert.ok(Math.abs(value - expected) < 0.02, `${value} is not ${expected}`);

/** What a line would save: everything called from it, and by itself. */
function onLine({ lines }, line) {
  const found = lines.find((one) => one.line === line) ?? { savedUs: 0, savedSelfUs: 0 };
  return [found.savedUs, found.savedSelfUs];
}

test('a line would save what its kernels would, and a caller what its callees would', async () => {
  for (const target of [0.6, 1]) {
    const found = await savings(target === 0.6 ? {} : { target });
    assert.equal(found.target, target);
    const product = savedUs('product', target);
    const activation = savedUs('activation', target);
    near(found.savedUs, product + activation);
    for (const [line, whole, own] of [
      ['product', product, product],
      ['activation', activation, activation],
      ['call', product, 0],
    ]) {
      const [total, self] = onLine(found, programLines[line]);
      near(total, whole);
      near(self, own);
    }
    const { totals } = await ask('view/roofline', { target });
    near(totals.savedUs, found.savedUs);
  }
});

test('savings follow the chosen steps, the peaks of the user, and edits', async () => {
  near((await savings({ steps: '2' })).savedUs, (await savings()).savedUs / 2);
  const own = await savings({ devicePeaks: [{ name: 'H100', bf16: 10_000 }] });
  const [before] = onLine(await savings(), programLines.product);
  const [after] = onLine(own, programLines.product);
  assert.ok(after > before, `${after} > ${before}`);
  const moved = await savings({ text: `# A comment.\n${program}` });
  assert.deepEqual(
    onLine(moved, programLines.product + 1),
    onLine(await savings(), programLines.product),
  );
  await assert.rejects(savings({ devicePeaks: [{ name: 'x', bf16: -1 }] }), /bf16/);
});

test('a kernel above the chosen share saves nothing, and other files have no savings', async () => {
  const low = await savings({ target: 0.3 });
  assert.deepEqual(onLine(low, programLines.product), [0, 0]);
  near(low.savedUs, savedUs('activation', 0.3));
  const other = await savings({ path: join(folder, 'other.py'), text: 'pass\n' });
  assert.deepEqual(other.lines, []);
});

test('costs by line stand on the lines that the source shows', async () => {
  const { rows } = await ask('view/roofline', { groupBy: 'line' });
  assert.deepEqual(
    rows.map(({ name, path, at, line }) => [name, path, at, line]),
    [
      ['block', source, programLines.activation, programLines.activation],
      ['project', source, programLines.product, programLines.product],
    ],
  );
  const filter = `path="${source}" at=${programLines.product}`;
  assert.equal((await ask('view/roofline', { groupBy: 'line', filter })).totalRows, 1);
});
