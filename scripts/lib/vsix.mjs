// The VSIX for this platform. What goes in is copied into a folder of its own and packed from
// there: what is not named here cannot slip in, and vsce need not walk the whole checkout.
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { builtParts, componentsOf, holdsLibc, noticesText } from './notices.mjs';
import { buildDir, distDir, root, vsceTarget, vsixDir, vsixPath } from './paths.mjs';
import { CommandError, run, which } from './process.mjs';
import { placeRelinking } from './relink.mjs';

const manifestOnlyForDevelopers = [
  'imports',
  'scripts',
  'devDependencies',
  'allowScripts',
  'private',
];

function newestTime(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newestTime(join(path, name))));
}

/** The profile that the walkthrough opens, with the program that it is of. */
const sampleDir = join(root, 'samples', 'train_cnn');
const sampleFiles = ['slow.pt.trace.json.gz', 'slow.py'];

function inputs() {
  return [
    join(root, 'package.json'),
    join(root, 'README.md'),
    join(root, 'LICENSE'),
    join(root, '.github', 'CHANGELOG.md'),
    join(root, 'extension', 'media'),
    sampleDir,
    ...['vsix.mjs', 'notices.mjs', 'relink.mjs'].map((name) => join(root, 'scripts', 'lib', name)),
    distDir,
    join(buildDir, 'bin', 'emberline'),
  ];
}

/** Strips the daemon of what only a debugger wants. */
function placeDaemon() {
  const source = join(buildDir, 'bin', 'emberline');
  if (!existsSync(source)) throw new CommandError(`The daemon is missing: ${source}`);
  const target = join(vsixDir, 'bin', 'emberline');
  mkdirSync(join(vsixDir, 'bin'), { recursive: true });
  const strip = which('strip') ?? which('llvm-strip');
  if (strip === undefined) throw new CommandError('strip of binutils is missing');
  run(strip, ['-o', target, source]);
  chmodSync(target, 0o755);
}

/** The notices, and what a statically linked C library asks for beside them. */
function placeNotices() {
  const parts = builtParts();
  const relink = holdsLibc(parts.map);
  if (relink) placeRelinking(join(vsixDir, 'bin', 'relink'));
  writeFileSync(
    join(vsixDir, 'ThirdPartyNotices.txt'),
    noticesText(componentsOf(parts), { relink }),
  );
}

/**
 * README as users of the extension need it: without the commands of the repository and the part on
 * working on it, and without pictures, which VS Code shows none of from a local package.
 */
export function packedReadme(text = readFileSync(join(root, 'README.md'), 'utf8')) {
  const [title, ...rest] = text.split('\n');
  const picture = /^\s*[|\s]*(!\[|<img)/;
  const start = rest.findIndex((line) => picture.test(line));
  const end = rest.findIndex((line) => /^## Working on it/.test(line));
  if (start < 0 || end < 0)
    throw new CommandError('README.md is not cut as the packed one needs it');
  const kept = [title, ...rest.slice(start, end)]
    .filter((line) => !picture.test(line) && !/^Pictures are made/.test(line))
    .join('\n')
    // What is left of tables of pictures.
    .replaceAll(/(\n\|[ |]*\|\n\|[-|]+\|)(?=\n(?!\|))/g, '');
  return `${kept.replaceAll(/\n{3,}/g, '\n\n').trim()}\n\nLicense: MIT. Works of others that are inside: ThirdPartyNotices.txt.\n`;
}

/** Packs when something is newer than the VSIX at hand; gives its path. */
export function packageVsix() {
  const target = vsixPath();
  const newest = Math.max(...inputs().map(newestTime));
  if (existsSync(target) && statSync(target).mtimeMs >= newest) return target;
  for (const file of ['extension.cjs', 'webview.js']) {
    if (!existsSync(join(distDir, file))) throw new CommandError(`dist/${file} is missing`);
  }
  rmSync(vsixDir, { recursive: true, force: true });
  rmSync(target, { force: true });
  mkdirSync(vsixDir, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const key of manifestOnlyForDevelopers) delete manifest[key];
  manifest.engines = { vscode: manifest.engines.vscode };
  writeFileSync(join(vsixDir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  writeFileSync(join(vsixDir, 'README.md'), packedReadme());
  cpSync(join(root, 'LICENSE'), join(vsixDir, 'LICENSE'));
  // Where vsce finds it, and VS Code shows it.
  cpSync(join(root, '.github', 'CHANGELOG.md'), join(vsixDir, 'CHANGELOG.md'));
  cpSync(distDir, join(vsixDir, 'dist'), {
    recursive: true,
    filter: (path) => !path.endsWith('.map') && !path.endsWith('meta.json'),
  });
  const media = join(root, 'extension', 'media');
  if (existsSync(media)) {
    cpSync(media, join(vsixDir, 'extension', 'media'), {
      recursive: true,
      filter: (path) => !path.includes(join('media', 'pictures')),
    });
  }
  const packedSamples = join(vsixDir, 'samples', 'train_cnn');
  mkdirSync(packedSamples, { recursive: true });
  for (const name of sampleFiles) cpSync(join(sampleDir, name), join(packedSamples, name));
  placeDaemon();
  placeNotices();
  run(
    process.execPath,
    [
      join(root, 'node_modules', '@vscode', 'vsce', 'vsce'),
      'package',
      '--target',
      vsceTarget(),
      '--no-dependencies',
      '--allow-missing-repository',
      '--no-rewrite-relative-links',
      '--out',
      target,
    ],
    { cwd: vsixDir, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return target;
}
