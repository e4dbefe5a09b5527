// Third-party notices of what the VSIX holds. What is inside is read from what the build leaves
// behind, so that nothing can be forgotten: esbuild's list of the files in the bundles, the linker's
// map of the daemon, and the headers that its objects were compiled with. The texts are those of the
// packages themselves.
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isalComponent } from './isal.mjs';
import { buildDir, distDir, root, toolsDir } from './paths.mjs';
import { CommandError, output } from './process.mjs';

const mapPath = join(buildDir, 'bin', 'emberline.map');

/** Object files of tests and tools, which are no part of the daemon. */
const foreignObjects = /CMakeFiles\/(tests_|catch_|fuzz_|emberline_fuzz|emberline_floor)/;

/**
 * Headers of the kernel describe how programs call it; its license says that they do not bring it
 * along. Everything else that was compiled in counts.
 */
const interfaceOnly = new Set(['linux-libc-dev']);

/** Object files and archives that a linker's map (of GNU ld, gold or lld) names as linked. */
export function linkedFiles(map, folder = buildDir) {
  const files = new Set();
  // "libx.a(member.o)" where something of an archive was taken, "x.o" for objects.
  for (const [, archive] of map.matchAll(/(?:^|\s)([^\s():]+\.a)\([^()\s]+\)/gm))
    files.add(archive);
  for (const [, object] of map.matchAll(/(?:^|\s)([^\s():]+\.o)(?=[\s:]|$)/gm)) files.add(object);
  for (const [, shared] of map.matchAll(/(?:^|\s)([^\s():]+\.so[.\d]*)(?=[\s:]|$)/gm)) {
    files.add(shared);
  }
  return [...files].map((file) => (isAbsolute(file) ? file : resolve(folder, file)));
}

/** Headers and sources that the daemon's objects were compiled from, as ninja noted them. */
export function compiledFiles(deps, folder = buildDir) {
  const files = new Set();
  let counts = false;
  for (const line of deps.split('\n')) {
    if (line === '') continue;
    if (!line.startsWith(' ')) counts = !foreignObjects.test(line);
    else if (counts) files.add(resolve(folder, line.trim()));
  }
  return [...files];
}

/** The innermost npm package that a file lies in, as a path from the checkout; or undefined. */
function npmFolder(file) {
  const parts = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file);
  return parts?.[0];
}

const licenseName = /^(licen[cs]e|copying|notice|unlicense)([.-].*)?$/i;

function licenseTexts(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && licenseName.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim())
    .filter((text) => text !== '');
}

/** Licenses of a package, and of the folders inside it that used files lie in. */
function npmTexts(folder, files) {
  const folders = new Set([folder]);
  for (const file of files) {
    for (let at = dirname(join(root, file)); at.length > folder.length; at = dirname(at)) {
      folders.add(at);
    }
  }
  return [...folders].sort().flatMap(licenseTexts);
}

function npmComponents(filesOfUse) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const found = new Map();
  for (const [use, files] of Object.entries(filesOfUse)) {
    for (const file of files) {
      const path = npmFolder(file);
      if (path === undefined) continue;
      const entry = found.get(path) ?? { uses: new Set(), files: [] };
      entry.uses.add(use);
      entry.files.push(file);
      found.set(path, entry);
    }
  }
  return [...found].map(([path, { uses, files }]) => {
    const folder = join(root, path);
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    if (lock[path]?.version !== version) {
      throw new CommandError(`${path} is not what package-lock.json names: run npm ci`);
    }
    return {
      name,
      version,
      license: typeof license === 'string' ? license : '',
      origin: `https://www.npmjs.com/package/${name}/v/${version}`,
      uses: [...uses],
      texts: npmTexts(folder, files),
    };
  });
}

/** Which Debian packages hold the files: a map from file to package. */
function debianOwners(files) {
  const owners = new Map();
  // Packages from before /usr was merged name their files without it.
  const names = new Map(
    files.flatMap((file) => [
      [file, file],
      [file.replace(/^\/usr(?=\/lib)/, ''), file],
    ]),
  );
  const listing = output('sh', ['-c', 'xargs -0 dpkg -S 2>/dev/null || true'], {
    input: [...names.keys()].join('\0'),
    maxBuffer: 64 << 20,
  });
  for (const line of (listing ?? '').split('\n')) {
    const [, packages, path] = /^([^ ][^/]*): (\/.*)$/.exec(line) ?? [];
    if (packages === undefined || packages.startsWith('diversion ')) continue;
    const file = names.get(path);
    if (file !== undefined) owners.set(file, packages.split(', ')[0]);
  }
  return owners;
}

/** A package's copyright file, with the common licenses that it refers to. */
function debianTexts(name) {
  const file = join('/usr/share/doc', name.replace(/:.*/, ''), 'copyright');
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8').trim();
  const referred = new Set(
    [...text.matchAll(/\/usr\/share\/common-licenses\/([\w.-]*\w)/g)].map(([, license]) => license),
  );
  const commons = [...referred]
    .map((license) => join('/usr/share/common-licenses', license))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8').trim());
  return [text, ...commons];
}

/** Where the source of a distribution's package is kept. */
function sourceAddress(source, version) {
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '';
  const id = /^ID="?([\w.-]+)/m.exec(release)?.[1];
  if (id === 'ubuntu') return `https://launchpad.net/ubuntu/+source/${source}/${version}`;
  if (id === 'debian') return `https://snapshot.debian.org/package/${source}/${version}/`;
  return `the source package ${source} ${version} of ${id ?? 'the distribution'}`;
}

function debianComponents(files) {
  const real = [...new Set(files.map((file) => realpathSync(file)))];
  const owners = debianOwners(real);
  const orphan = real.find((file) => !owners.has(file));
  if (orphan !== undefined) {
    throw new CommandError(`No package owns ${orphan}, so that its license is not known`);
  }
  const bySource = new Map();
  for (const name of new Set(owners.values())) {
    if (interfaceOnly.has(name.replace(/:.*/, ''))) continue;
    const [source, version] = (
      output('dpkg-query', ['-W', '-f', '${source:Package} ${source:Version}', name]) ?? ''
    ).split(' ');
    const component = bySource.get(source) ?? {
      name: source,
      version,
      license: '',
      origin: sourceAddress(source, version),
      uses: ['bin/emberline'],
      packages: [],
      texts: [],
    };
    component.packages.push(name.replace(/:.*/, ''));
    component.texts.push(...debianTexts(name));
    bySource.set(source, component);
  }
  return [...bySource.values()];
}

/** What is inside: {name, version, origin, uses, texts} of each component, by name. */
export function componentsOf({ meta, map, deps }) {
  const native = [...new Set([...linkedFiles(map), ...compiledFiles(deps)])];
  const inside = (file) => !relative(root, file).startsWith('..');
  const components = [
    ...npmComponents({
      ...meta,
      'bin/emberline': native.filter(inside).map((file) => relative(root, file)),
    }),
    ...debianComponents(native.filter((file) => !inside(file))),
  ];
  const fetched = native.filter((file) => file.startsWith(`${toolsDir}/`));
  const isal = isalComponent(fetched);
  if (isal !== undefined) components.push(isal);
  else if (fetched.length > 0) {
    throw new CommandError(`No package owns ${fetched[0]}, so that its license is not known`);
  }
  for (const component of components) {
    component.texts = [...new Set(component.texts)];
    if (component.texts.length === 0) {
      throw new CommandError(`${component.name} brings no license text along`);
    }
  }
  return components.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the daemon holds the C library itself. */
export const holdsLibc = (map) => linkedFiles(map).some((file) => basename(file) === 'libc.a');

const relinking = `The GNU C Library (glibc) is linked into bin/emberline and is used under the GNU Lesser General
Public License, version 2.1 or later, whose text is below. You may modify the program for your own
use and reverse engineer it to debug such modifications. bin/relink/ holds the program without
the C library, and a script that links it with the one that is installed, which may be a modified one.
The source of the library that was linked is that of the package named below.
`;

/** The text of the notices. Equal texts stand once. */
export function noticesText(components, { relink }) {
  const texts = [...new Set(components.flatMap((component) => component.texts))];
  const number = new Map(texts.map((text, index) => [text, index + 1]));
  const rule = '='.repeat(80);
  const list = components.map(({ name, version, license, origin, uses, packages, texts: own }) =>
    [
      `${name} ${version}`,
      `  in: ${uses.join(', ')}`,
      `  from: ${origin}`,
      ...(packages === undefined ? [] : [`  packages: ${packages.sort().join(', ')}`]),
      ...(license === '' ? [] : [`  license: ${license}`]),
      `  texts: ${own.map((text) => `[${number.get(text)}]`).join(' ')}`,
    ].join('\n'),
  );
  return [
    'Third-party notices\n\nEmberline holds parts of the following works. Their licenses follow the list.\n',
    ...(relink ? [relinking] : []),
    `${list.join('\n\n')}\n`,
    ...texts.map((text, index) => `${rule}\n[${index + 1}]\n${rule}\n\n${text}\n`),
  ].join('\n');
}

function readBuilt(path) {
  if (!existsSync(path)) throw new CommandError(`${path} is missing: run npm run build`);
  return readFileSync(path, 'utf8');
}

/** What the last build left behind for `componentsOf`. */
export function builtParts() {
  const deps = output('ninja', ['-C', buildDir, '-t', 'deps'], { maxBuffer: 256 << 20 });
  if (deps === undefined) throw new CommandError('ninja does not tell what was compiled');
  return {
    meta: JSON.parse(readBuilt(join(distDir, 'meta.json'))),
    map: readBuilt(mapPath),
    deps,
  };
}
