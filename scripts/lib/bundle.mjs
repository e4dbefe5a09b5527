// The two JavaScript bundles: the extension for Node, the views for the webview.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    entryPoints: [webviewEntry],
    outfile: join(distDir, 'webview.js'),
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(root, 'webviews', 'tsconfig.json'),
    loader: { '.svg': 'text' },
  },
};

function writeOutputs({ outputFiles }) {
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
}

/** Writes dist/extension.cjs, dist/webview.js and dist/webview.css; gives esbuild's metafiles. */
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
  writeFileSync(path, contents);
}

/** By bundle the files that something of was taken into it. */
function bundledFiles(results) {
  const files = {};
  for (const { metafile } of Object.values(results)) {
    for (const [output, { inputs }] of Object.entries(metafile.outputs)) {
      files[output] = Object.keys(inputs)
        .filter((input) => inputs[input].bytesInOutput > 0)
        .sort();
    }
  }
  return files;
}
