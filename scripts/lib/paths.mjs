// Where things lie. Everything that is made lies in an ignored folder.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
export const toolsDir = join(root, '.tools');
export const buildDir = join(root, 'build');
export const distDir = join(root, 'dist');
export const vsixDir = join(buildDir, 'vsix');

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
