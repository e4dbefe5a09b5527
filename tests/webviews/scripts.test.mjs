// How much script a page needs before it shows something, by what esbuild says about the bundle.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageMetafile } from '../../scripts/lib/bundle.mjs';
import { bytesBefore } from '../lib/page_scripts.mjs';

const metafile = await pageMetafile();
const bytesOf = (sources) => bytesBefore(metafile, sources);

const page = 'webviews/src/main.tsx';
const views = (...names) => names.map((name) => `webviews/src/views/${name}.tsx`);
const limit = 150_000;

test('the first view of a profile needs less than 150 KB of script', () => {
  const bytes = bytesOf([page, ...views('overview/overview')]);
  assert.ok(bytes < limit, `${bytes} bytes`);
});

test('the first views of a comparison and of a job need less than 150 KB of script', () => {
  const frame = (name) => `webviews/src/shell/${name}.tsx`;
  const comparison = bytesOf([page, frame('comparison'), ...views('compare/overview')]);
  assert.ok(comparison < limit, `comparison: ${comparison} bytes`);
  const job = bytesOf([page, frame('job'), ...views('job/overview')]);
  assert.ok(job < limit, `job: ${job} bytes`);
});

test('no script holds parts of two views', () => {
  const seen = new Set();
  for (const [path, { inputs }] of Object.entries(metafile.outputs)) {
    const folders = Object.keys(inputs)
      .map((input) => /^webviews\/src\/views\/([^/]+)\//.exec(input)?.[1])
      .filter((name) => name !== undefined);
    assert.ok(new Set(folders).size < 2, `${path} holds ${[...new Set(folders)].join(', ')}`);
    if (folders.length > 0) seen.add(folders[0]);
  }
  for (const name of ['overview', 'operators', 'timeline', 'memory', 'compare', 'job']) {
    assert.ok(seen.has(name), name);
  }
});
