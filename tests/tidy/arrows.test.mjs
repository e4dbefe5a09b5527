// The allowed arrows between folders, read from includes and imports, and which folder may know
// which outside library.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dirname, join, normalize } from 'node:path';
import { readTracked, trackedFiles } from './files.mjs';

/** Folder -> the folders it may include, beside itself. Chains are written out. */
const nativeArrows = {
  base: [],
  json: ['base'],
  store: ['base'],
  ingest: ['store', 'base'],
  model: ['store', 'base'],
  analysis: ['model', 'store', 'base'],
  compare: ['analysis', 'model', 'store', 'base'],
  source: ['base'],
  session: ['ingest', 'analysis', 'model', 'source', 'store', 'base'],
  rpc: ['session', 'json', 'ingest', 'compare', 'analysis', 'model', 'source', 'store', 'base'],
  app: ['rpc', 'session', 'json', 'ingest', 'compare', 'analysis', 'model', 'source', 'store', 'base'],
};

/** Outside headers -> the one folder of native/ that knows them. */
const nativeLibraries = [
  [/^simdjson/, 'ingest'],
  [/^(zlib|libdeflate)\.h$/, 'ingest'],
  [/^tree_sitter\//, 'source'],
  [/^uv\.h$/, 'rpc'],
  [/^re2\//, 'base'],
  [/^nlohmann\//, 'json'],
];

/** Packages -> the folders that may import them. */
const packages = [
  [/^vscode$/, /^extension\/src\/(?!protocol\/)/],
  [/^vscode-jsonrpc(\/|$)/, /^extension\/src\/daemon\//],
  [
    /^(preact|@preact\/signals|@vscode-elements\/elements|uplot)(\/|$)/,
    /^webviews\/src\/(?!lib\/)/,
  ],
  [/^@tanstack\/virtual-core$/, /^webviews\/src\/widgets\//],
  [/^node:/, /^(extension|scripts|tests)\//],
];

/** Folder of webviews/src -> the folders it may import, beside itself. */
const webviewArrows = {
  lib: [],
  gl: ['lib'],
  host: ['lib'],
  widgets: ['lib', 'gl', 'host'],
  views: ['widgets', 'gl', 'host', 'lib', 'shell'],
  shell: ['views', 'widgets', 'gl', 'host', 'lib'],
};

function includes(text) {
  return [...text.matchAll(/^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)/gm)].map((match) => ({
    own: match[1],
    name: match[1] ?? match[2],
  }));
}

export function imports(text) {
  const found = [];
  for (const pattern of [
    /^\s*(?:import|export)\s[^'";]*?from\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  ]) {
    for (const match of text.matchAll(pattern)) found.push(match[1]);
  }
  return found;
}

test('native folders include only what their arrows allow', () => {
  const wrong = [];
  let seen = 0;
  for (const file of trackedFiles(/^native\/[^/]+\/.*\.(h|cc)$/)) {
    const area = file.split('/')[1];
    assert.ok(area in nativeArrows, `${file}: no arrows are given for native/${area}`);
    for (const { own, name } of includes(readTracked(file))) {
      const target = name.split('/')[0];
      if (own !== undefined && target in nativeArrows && name.includes('/')) {
        seen += 1;
        if (target !== area && !nativeArrows[area].includes(target)) {
          wrong.push(`${file} includes ${name}`);
        }
      }
      for (const [pattern, owner] of nativeLibraries) {
        if (pattern.test(name) && area !== owner) {
          wrong.push(`${file} includes <${name}>, which only native/${owner} knows`);
        }
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 0, 'no include was read');
});

test('TypeScript folders import only what their arrows allow', () => {
  const wrong = [];
  let seen = 0;
  for (const file of trackedFiles(/^(extension|webviews)\/src\/.*\.tsx?$/)) {
    for (const name of imports(readTracked(file))) {
      seen += 1;
      if (!name.startsWith('.')) {
        const rule = packages.find(([pattern]) => pattern.test(name));
        if (rule === undefined) wrong.push(`${file} imports ${name}, which no rule names`);
        else if (!rule[1].test(file)) wrong.push(`${file} may not import ${name}`);
        continue;
      }
      const target = normalize(join(dirname(file), name));
      const [side, , area] = file.split('/');
      const [targetSide, , targetArea] = target.split('/');
      if (side !== targetSide) {
        // What pages and extension say to each other, and what both do to the names of a trace.
        const isShared = /^webviews\/src\/(host\/messages|lib\/hidden)(\.ts|\.js)?$/.test(target);
        if (side === 'webviews' || !isShared) wrong.push(`${file} imports ${target}`);
      } else if (side === 'webviews' && area in webviewArrows && targetArea in webviewArrows) {
        if (area !== targetArea && !webviewArrows[area].includes(targetArea)) {
          wrong.push(`${file} imports ${target}`);
        }
      } else if (side === 'extension' && area === 'protocol' && targetArea !== 'protocol') {
        wrong.push(`${file} imports ${target}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 0, 'no import was read');
});

test('tests are reached by nothing', () => {
  const wrong = trackedFiles(/^(extension|webviews|scripts)\/.*\.(ts|tsx|mjs)$/).filter((file) =>
    imports(readTracked(file)).some((name) => /(^|\/)tests\//.test(name)),
  );
  assert.deepEqual(wrong, []);
});
