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
  cost: ['analysis', 'model', 'store', 'base'],
  source: ['base'],
  attribution: ['analysis', 'model', 'source', 'store', 'base'],
  session: ['ingest', 'attribution', 'analysis', 'model', 'source', 'store', 'base'],
  ranks: ['session', 'json', 'ingest', 'compare', 'cost', 'analysis', 'model', 'store', 'base'],
  rpc: [
    'ranks',
    'session',
    'attribution',
    'json',
    'ingest',
    'compare',
    'cost',
    'analysis',
    'model',
    'source',
    'store',
    'base',
  ],
  render: ['json', 'base'],
  app: [
    'render',
    'rpc',
    'ranks',
    'session',
    'attribution',
    'json',
    'ingest',
    'compare',
    'cost',
    'analysis',
    'model',
    'source',
    'store',
    'base',
  ],
};

/** Outside headers -> the one folder of native/ that knows them. */
const nativeLibraries = [
  [/^simdjson/, 'ingest'],
  [/^(zlib|libdeflate)\.h$/, 'ingest'],
  [/^tree_sitter\//, 'source'],
  [/^uv\.h$/, 'rpc'],
  [/^re2\//, 'base'],
  [/^nlohmann\//, 'json'],
  [/^(lua|lauxlib|lualib)\.h$/, 'cost'],
];

/** Packages -> the folders that may import them. */
const packages = [
  [/^vscode$/, /^extension\/src\/(?!daemon\/)/],
  [/^vscode-jsonrpc(\/|$)/, /^extension\/src\/daemon\//],
  [
    /^(preact|@preact\/signals|@vscode-elements\/elements|uplot)(\/|$)/,
    /^webviews\/src\/(?!lib\/)/,
  ],
  [/^@tanstack\/virtual-core$/, /^webviews\/src\/widgets\//],
  [/^node:/, /^(extension\/src|scripts|tests)\//],
];

/** Folder of extension/src -> the folders it may import, beside itself; `shared` is for all. */
const extensionArrows = {
  daemon: [],
  workspace: ['daemon'],
  source: ['workspace', 'daemon'],
  editors: ['source', 'workspace', 'daemon'],
  views: ['source', 'workspace', 'daemon'],
  commands: ['editors', 'source', 'workspace', 'daemon'],
  'extension.ts': ['commands', 'views', 'editors', 'source', 'workspace', 'daemon'],
};

/** The same for webviews/src. */
const webviewArrows = {
  styles: [],
  lib: [],
  gl: ['lib'],
  host: ['lib'],
  widgets: ['lib', 'gl', 'host'],
  lanes: ['widgets', 'gl', 'host', 'lib'],
  views: ['widgets', 'lanes', 'gl', 'host', 'lib'],
  shell: ['views', 'widgets', 'host', 'lib'],
  'main.tsx': ['shell', 'views', 'widgets', 'host', 'styles'],
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

test('importers know the shared parts of ingest, and not each other', () => {
  const wrong = [];
  let seen = 0;
  for (const file of trackedFiles(/^native\/ingest\/.*\.(h|cc)$/)) {
    const importer = /^native\/ingest\/([^/]+)\//.exec(file)?.[1];
    for (const { name } of includes(readTracked(file))) {
      const other = /^ingest\/([^/]+)\//.exec(name)?.[1];
      if (other === undefined) continue;
      seen += 1;
      const listed = file === 'native/ingest/importers.cc' && name === `ingest/${other}/importer.h`;
      if (other !== importer && !listed) wrong.push(`${file} includes ${name}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 0, 'no include was read');
});

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

/** Where an import of a file leads, as a path below the root; undefined for packages. */
function targetOf(file, name) {
  if (name.startsWith('#shared/')) return name.replace('#shared', 'extension/shared');
  return name.startsWith('.') ? normalize(join(dirname(file), name)) : undefined;
}

/** What is wrong with an import from one file to another; undefined where it follows an arrow. */
function wrongImport(file, target) {
  if (target.startsWith('extension/shared/')) return undefined;
  const [side, , area, view, inView] = file.split('/');
  const [targetSide, , targetArea, targetView, inTargetView] = target.split('/');
  // What extension and page share knows neither.
  if (file.startsWith('extension/shared/') || side !== targetSide) return 'crosses a border';
  const arrows = side === 'extension' ? extensionArrows : webviewArrows;
  if (!(area in arrows)) return `is in ${area}, for which no arrows are given`;
  if (area !== targetArea) {
    return arrows[area].includes(targetArea) ? undefined : 'goes against the arrows';
  }
  // Each view is a folder; what several views share stands beside the folders.
  const isView = area === 'views' && side === 'webviews' && inView !== undefined;
  if (isView && inTargetView !== undefined && view !== targetView) {
    return 'leads from one view to another';
  }
  return undefined;
}

test('TypeScript folders import only what their arrows allow', () => {
  const wrong = [];
  let seen = 0;
  for (const file of trackedFiles(/^(extension\/(src|shared)|webviews\/src)\/.*\.tsx?$/)) {
    for (const name of imports(readTracked(file))) {
      seen += 1;
      const target = targetOf(file, name);
      if (target === undefined) {
        const rule = packages.find(([pattern]) => pattern.test(name));
        if (rule === undefined) wrong.push(`${file} imports ${name}, which no rule names`);
        else if (!rule[1].test(file)) wrong.push(`${file} may not import ${name}`);
        continue;
      }
      const reason = wrongImport(file, target);
      if (reason !== undefined) wrong.push(`${file} imports ${target}: ${reason}`);
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
