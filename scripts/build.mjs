// Builds everything: the daemon, the protocol's types, the bundles, and with `--package` the VSIX.
//
//   node scripts/build.mjs [--package] [--native-only] [--no-setup]
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { availableParallelism } from 'node:os';
import { bundle } from './lib/bundle.mjs';
import { whileBuilding } from './lib/lock.mjs';
import { ensureNode } from './lib/node.mjs';
import { buildDir, isMain, root } from './lib/paths.mjs';
import { CommandError, run } from './lib/process.mjs';
import { packageVsix } from './lib/vsix.mjs';
import { writeProtocolTypes } from './protocol-types.mjs';
import { setUp } from './setup.mjs';

/** Lets checkouts in different folders share what ccache keeps. */
const compilerEnv = { CCACHE_BASEDIR: root, CCACHE_NOHASHDIR: '1', ...process.env };

/** CMake remembers where the sources lay, and refuses a checkout that was moved since. */
function forgetMovedBuild() {
  const cache = join(buildDir, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = /^CMAKE_HOME_DIRECTORY:\w+=(.*)$/m.exec(readFileSync(cache, 'utf8'))?.[1];
  if (home === undefined || home === root) return;
  console.log(`The build was made in ${home}: building anew`);
  rmSync(buildDir, { recursive: true, force: true });
}

/** Configures once and compiles what changed. `tests` adds the native test programs. */
export function buildNative({ tests = false } = {}) {
  forgetMovedBuild();
  if (!existsSync(join(buildDir, 'build.ninja'))) {
    run(
      'cmake',
      [
        '-S',
        root,
        '-B',
        buildDir,
        '-G',
        'Ninja',
        '-DCMAKE_BUILD_TYPE=Release',
        '-DEMBERLINE_STATIC=ON',
        '-DEMBERLINE_TESTS=ON',
        '-DEMBERLINE_UNITY=ON',
        // Continuous integration takes no warning; elsewhere another compiler may warn of more.
        `-DEMBERLINE_WERROR=${process.env.CI ? 'ON' : 'OFF'}`,
      ],
      { env: compilerEnv },
    );
  }
  const jobs = String(availableParallelism());
  const target = tests ? [] : ['--target', 'emberline'];
  run('cmake', ['--build', buildDir, '--parallel', jobs, ...target], { env: compilerEnv });
}

/** The whole build, in the order in which the parts need each other; gives the VSIX's path. */
export async function buildAll({ tests = false, vsix = true } = {}) {
  buildNative({ tests });
  await writeProtocolTypes();
  await bundle();
  return vsix ? packageVsix() : undefined;
}

if (isMain(import.meta)) {
  await ensureNode();
  try {
    await whileBuilding(async () => {
      if (!process.argv.includes('--no-setup')) await setUp();
      if (process.argv.includes('--native-only')) {
        buildNative();
      } else {
        const vsix = await buildAll({ vsix: process.argv.includes('--package') });
        if (vsix !== undefined) console.log(`Packed ${vsix}`);
      }
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
