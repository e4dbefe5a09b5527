// The two JavaScript bundles: the extension for Node, the views for the webview.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { distDir, root } from './paths.mjs';

const extensionEntry = join(root, 'extension', 'src', 'extension.ts');
const webviewEntry = join(root, 'webviews', 'src', 'main.tsx');

const common = {
  bundle: true,
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  write: false,
  absWorkingDir: root,
};

/** What esbuild makes each bundle of. */
const bundles = {
  extension: {
    ...common,
    entryPoints: [extensionEntry],
    outfile: join(distDir, 'extension.cjs'),
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
    // Names in stack traces of a bug report are worth more than the bytes.
    keepNames: true,
  },
  webview: {
    ...common,
    entryPoints: { webview: webviewEntry },
    outdir: distDir,
    // Each view is a script of its own, and so is what several of them need.
    splitting: true,
    chunkNames: 'views/[name]-[hash]',
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(root, 'webviews', 'tsconfig.json'),
    loader: { '.svg': 'text' },
  },
};

function writeOutputs({ outputFiles }) {
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  removeOldChunks(new Set(outputFiles.map(({ path }) => path)));
}

/** Parts of an earlier bundle: their names hold a hash, so that nothing writes over them. */
function removeOldChunks(written) {
  const folder = join(distDir, 'views');
  if (![...written].some((path) => path.startsWith(folder))) return;
  for (const name of readdirSync(folder)) {
    if (!written.has(join(folder, name))) rmSync(join(folder, name));
  }
}

/** Writes dist/extension.cjs, dist/webview.js with its views and its style sheet; gives esbuild's metafiles. */
export async function bundle() {
  const { build } = await import('esbuild');
  mkdirSync(distDir, { recursive: true });
  const results = {};
  for (const [name, options] of Object.entries(bundles)) {
    results[name] = await build(options);
    writeOutputs(results[name]);
  }
  writeChanged(join(distDir, 'meta.json'), Buffer.from(JSON.stringify(bundledFiles(results))));
  return results;
}

/** Bundles now and whenever a source changes; `done` is told which bundle, and how many errors. */
export async function watchBundles(done) {
  const { context } = await import('esbuild');
  mkdirSync(distDir, { recursive: true });
  for (const [name, options] of Object.entries(bundles)) {
    const write = {
      name: 'write',
      setup({ onEnd }) {
        onEnd((result) => {
          if (result.errors.length === 0) writeOutputs(result);
          done(name, result.errors.length);
        });
      },
    };
    const watched = await context({ ...options, plugins: [write] });
    await watched.watch();
  }
}

/** A file that did not change keeps its time, so that nothing is packed again for it. */
function writeChanged(path, contents) {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, contents);
}

/** By bundle the files that something of was taken into it; what the page fetches later counts as the page's. */
function bundledFiles(results) {
  const files = {};
  for (const { metafile } of Object.values(results)) {
    for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
      const bundled = output.startsWith('dist/views/') ? 'dist/webview.js' : output;
      const taken = Object.keys(inputs).filter((input) => inputs[input].bytesInOutput > 0);
      files[bundled] = [...new Set([...(files[bundled] ?? []), ...taken])].sort();
    }
  }
  return files;
}

/** What esbuild says about the page's scripts, without writing them. */
export async function pageMetafile() {
  const { build } = await import('esbuild');
  return (await build(bundles.webview)).metafile;
}
