// Where things lie. Everything that is made lies in an ignored folder.
import { accessSync, constants, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandError } from './process.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const toolsDir = join(root, '.tools');
export const buildDir = join(root, 'build');
export const distDir = join(root, 'dist');
export const vsixDir = join(buildDir, 'vsix');

/** Everything that is fetched or built goes into the checkout: says so early where it cannot. */
export function assertWritable() {
  // A start by another user, root for example, leaves folders behind that only that one may change.
  for (const folder of [root, toolsDir, buildDir, distDir, join(root, 'node_modules')]) {
    try {
      accessSync(folder, constants.W_OK);
    } catch (error) {
      if (error.code === 'ENOENT') continue;
      const { username } = userInfo();
      throw new CommandError(
        `${username} may not write into ${folder}, where packages and the build go. ` +
          'Clone the repository as this user, or start as the owner of the folder.',
      );
    }
  }
}

/** The daemon as CMake leaves it; a test may be pointed at another one. */
export function serverPath() {
  return process.env.EMBERLINE_SERVER ?? join(buildDir, 'bin', 'emberline');
}

/** vsce's name of the platform that this machine builds for. */
export function vsceTarget() {
  const arch = process.arch === 'arm' ? 'armhf' : process.arch;
  return `${process.platform}-${arch}`;
}

export function vsixPath() {
  return join(buildDir, `emberline-${vsceTarget()}.vsix`);
}

/** Whether the module is the program that was started. */
export function isMain(meta) {
  const started = process.argv[1];
  return started !== undefined && realpathSync(started) === fileURLToPath(meta.url);
}
