// ISA-L, which inflates compressed traces, as an archive to link. Distributions package it as a shared
// library only, so it is built from their source package, which apt fetches and checks like any other.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolsDir } from './paths.mjs';
import { CommandError, runLogged, which } from './process.mjs';

const isalDir = join(toolsDir, 'isa-l');
const stamp = join(isalDir, '.installed');
const packageName = 'libisal';

/** What building it needs beside a compiler; on other processors the compiler's assembler does. */
export const isalPackages = ['make', 'xz-utils', ...(process.arch === 'x64' ? ['nasm'] : [])];

/** What was built, or why not; undefined where it was not tried. */
function lastAttempt() {
  return existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : undefined;
}

/** Whether it can be built here and was not tried yet. */
export function wantsIsal() {
  const supported = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  return supported && which('apt-get') !== undefined && lastAttempt() === undefined;
}

/** The sources that apt knows here, of either notation, as sources of source packages. */
export function asSourcePackages(text) {
  return text
    .replace(/^(\s*)deb(?=[\s[])/gm, '$1deb-src')
    .replace(/^Types:.*$/gim, 'Types: deb-src')
    .replace(/^Enabled:.*$/gim, '');
}

function aptSources(folder) {
  const system = '/etc/apt';
  const parts = join(folder, 'sources.list.d');
  mkdirSync(parts, { recursive: true });
  const files = [
    join(system, 'sources.list'),
    ...readdirSync(join(system, 'sources.list.d')).map((name) =>
      join(system, 'sources.list.d', name),
    ),
  ];
  for (const [index, file] of files.entries()) {
    const ending = /\.(list|sources)$/.exec(file)?.[0];
    if (ending === undefined || !existsSync(file)) continue;
    const text = readFileSync(file, 'utf8');
    // A paragraph that is switched off stays so.
    const wanted = text
      .split(/\n\s*\n/)
      .filter((paragraph) => !/^Enabled:\s*no/im.test(paragraph))
      .join('\n\n');
    writeFileSync(join(parts, `${index}${ending}`), asSourcePackages(wanted));
  }
  return parts;
}

/** Fetches and unpacks the source package; returns its folder and version. */
async function fetchSource(folder, log) {
  const lists = join(folder, 'lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  const options = [
    `Dir::Etc::sourcelist=/dev/null`,
    `Dir::Etc::sourceparts=${aptSources(folder)}`,
    `Dir::State::lists=${lists}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    'Acquire::Languages=none',
    'Acquire::Retries=1',
    'Acquire::http::Timeout=20',
    // The folder belongs to whoever runs this, and so is not for apt's own user.
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  const apt = (...args) =>
    runLogged('apt-get', [...options, '-qq', ...args], log, { cwd: folder, env: process.env });
  try {
    await apt('update');
  } catch {
    // One source that cannot be reached, or has no source packages, need not be the one with this.
  }
  await apt('source', '--download-only', packageName);
  const archive = readdirSync(folder).find((name) => /\.orig\.tar\.\w+$/.test(name));
  const version = /_(.*)\.orig\.tar/.exec(archive ?? '')?.[1];
  if (version === undefined) throw new CommandError('The source package brings no archive along');
  const source = join(folder, 'source');
  mkdirSync(source);
  await runLogged('tar', ['-xf', join(folder, archive), '-C', source, '--strip-components=1'], log);
  return { source, version };
}

/**
 * Builds ISA-L into `.tools/isa-l` where it is missing. A build without it inflates with zlib, which
 * makes loading a compressed trace take about an eighth longer: a failure is told and no error.
 */
export async function installIsal() {
  if (!wantsIsal()) return;
  const log = join(toolsDir, 'isa-l.log');
  console.log('Building ISA-L into .tools/isa-l (once)');
  const folder = mkdtempSync(join(tmpdir(), 'emberline-isal-'));
  try {
    const { source, version } = await fetchSource(folder, log);
    const flags = '-fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2';
    await runLogged(
      'make',
      [
        ...['-f', 'Makefile.unx', `-j${availableParallelism()}`, 'lib', 'units=igzip crc'],
        ...[`CFLAGS_=${flags}`, `CFLAGS_aarch64=${flags}`, `CC=${process.env.CC || 'cc'}`],
      ],
      log,
      { cwd: source },
    );
    rmSync(isalDir, { recursive: true, force: true });
    const headers = join(isalDir, 'include', 'isa-l');
    mkdirSync(headers, { recursive: true });
    mkdirSync(join(isalDir, 'lib'));
    for (const name of readdirSync(join(source, 'include')).filter((file) => file.endsWith('.h'))) {
      copyFileSync(join(source, 'include', name), join(headers, name));
    }
    copyFileSync(join(source, 'LICENSE'), join(isalDir, 'LICENSE'));
    copyFileSync(join(source, 'bin', 'isa-l.a'), join(isalDir, 'lib', 'libisal.a'));
    writeFileSync(stamp, JSON.stringify({ name: packageName, version }));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(
      `${error.message}\nISA-L could not be built: zlib inflates compressed traces instead, which takes ` +
        `a little longer. To try again, remove ${isalDir}.`,
    );
    mkdirSync(isalDir, { recursive: true });
    writeFileSync(stamp, JSON.stringify({ failed: error.message }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the notices say of it when one of `files` is its own; undefined otherwise. */
export function isalComponent(files) {
  if (!files.some((file) => file.startsWith(`${isalDir}/`))) return undefined;
  const { version } = lastAttempt();
  return {
    name: packageName,
    version,
    license: 'BSD-3-Clause',
    origin: `https://github.com/intel/isa-l/releases/tag/v${version}`,
    uses: ['bin/emberline'],
    texts: [readFileSync(join(isalDir, 'LICENSE'), 'utf8').trim()],
  };
}
