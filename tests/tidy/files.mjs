// The files of the project as git knows them: what is generated or fetched is not looked at.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';
import { output } from '../../scripts/lib/process.mjs';

let listing;

/** Tracked files whose path matches, as paths below the root. */
export function trackedFiles(pattern = /./) {
  // git trusts no checkout of another user by itself; listing names is harmless.
  const command = ['-c', `safe.directory=${root}`, 'ls-files', '-z'];
  listing ??= (output('git', command, { cwd: root, maxBuffer: 64 << 20 }) ?? '')
    .split('\0')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  if (listing.length === 0) throw new Error('git lists no files here');
  return listing.filter((file) => pattern.test(file));
}

export function readTracked(file) {
  return readFileSync(join(root, file), 'utf8');
}
