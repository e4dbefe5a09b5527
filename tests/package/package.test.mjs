// What the VSIX holds: all it needs, nothing else, and a daemon that other machines can run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vsceTarget, vsixPath } from '../../scripts/lib/paths.mjs';
import { output } from '../../scripts/lib/process.mjs';
import { unzip } from './unzip.mjs';

const vsix = process.env.EMBERLINE_VSIX ?? vsixPath();
let folder;
let daemon;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-vsix-'));
  unzip(vsix, folder);
  daemon = join(folder, 'extension', 'bin', 'emberline');
});
after(() => rmSync(folder, { recursive: true, force: true }));

function filesBelow(path, prefix = '') {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(path, entry.name), `${prefix}${entry.name}/`)
      : [`${prefix}${entry.name}`],
  );
}

test('the file list is what the extension needs and nothing else', () => {
  const files = filesBelow(join(folder, 'extension')).sort();
  const needed = [
    'LICENSE.txt',
    'ThirdPartyNotices.txt',
    'bin/emberline',
    'changelog.md',
    'dist/extension.cjs',
    'dist/webview.css',
    'dist/webview.js',
    'package.json',
    'readme.md',
    'samples/train_cnn/slow.pt.trace.json.gz',
    'samples/train_cnn/slow.py',
  ];
  assert.deepEqual(
    needed.filter((file) => !files.includes(file)),
    [],
  );
  const extra = files.filter(
    (file) =>
      !needed.includes(file) &&
      !/^extension\/media\/[\w.-]+\.(svg|png|md|json)$/.test(file) &&
      !/^dist\/views\/[\w.-]+\.js$/.test(file) &&
      !/^dist\/[\w.-]+\.(ttf|woff2?|svg)$/.test(file) &&
      !/^bin\/relink\/(emberline\.o|relink\.sh)$/.test(file),
  );
  assert.deepEqual(extra, []);
});

test('the manifest is that of an installed extension', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'extension', 'package.json'), 'utf8'));
  for (const key of ['imports', 'scripts', 'devDependencies', 'allowScripts']) {
    assert.equal(manifest[key], undefined, key);
  }
  assert.ok(filesBelow(join(folder, 'extension')).includes(manifest.icon), 'its icon is packed');
  const xml = readFileSync(join(folder, 'extension.vsixmanifest'), 'utf8');
  assert.match(xml, new RegExp(`TargetPlatform="${vsceTarget()}"`));
  assert.match(xml, new RegExp(`Version="${manifest.version}"`));
});

test('the README is that of the extension, without what only a checkout has', () => {
  const text = readFileSync(join(folder, 'extension', 'readme.md'), 'utf8');
  assert.doesNotMatch(text, /npm start|!\[|<img|CMake/);
  assert.match(text, /^# Emberline/);
  for (const heading of ['In the editor', 'On the command line', 'Settings']) {
    assert.match(text, new RegExp(`^## ${heading}$`, 'm'));
  }
  assert.doesNotMatch(text, /\n\|[ |]*\|\n\|[-|]+\|\n(?!\|)/, 'a table without rows');
});

test('no machine path and no source map slipped into the bundles', () => {
  for (const name of filesBelow(join(folder, 'extension', 'dist'))) {
    const text = readFileSync(join(folder, 'extension', 'dist', name), 'utf8');
    assert.doesNotMatch(text, /sourceMappingURL/, name);
    assert.ok(!text.includes(process.cwd()), `${name} holds ${process.cwd()}`);
  }
});

test('the daemon is stripped and small', () => {
  const sections = output('readelf', ['-S', '--wide', daemon]);
  assert.ok(sections, 'readelf of binutils can read it');
  assert.doesNotMatch(sections, /\.symtab|\.debug_info/);
  assert.ok(statSync(daemon).size < 20e6, `${statSync(daemon).size} bytes`);
});

test('the daemon needs no library that a machine may lack', () => {
  const dynamic = output('readelf', ['-d', '--wide', daemon]) ?? '';
  const needed = [...dynamic.matchAll(/\(NEEDED\).*\[(.+)\]/g)].map((match) => match[1]);
  const everywhere =
    /^(libc\.so\.6|libm\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|ld-linux.*)$/;
  assert.deepEqual(
    needed.filter((library) => !everywhere.test(library)),
    [],
  );
});

test('the packed daemon runs and tells the version of the manifest', () => {
  const manifest = JSON.parse(readFileSync(join(folder, 'extension', 'package.json'), 'utf8'));
  assert.ok(output(daemon, ['--version'])?.includes(manifest.version));
});

test('the package stays small', () => {
  assert.ok(statSync(vsix).size < 15e6, `${statSync(vsix).size} bytes`);
});
