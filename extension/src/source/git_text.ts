// The text of a file in a revision that the user named, from the Git of this machine.
import { execFile } from 'node:child_process';
import { basename, dirname } from 'node:path';

/** Longer documents are not source that somebody edits. */
const longestText = 4 * 1024 * 1024;
const timeoutMs = 10_000;

/** What Git answers, or undefined where it fails: no Git, no repository, no such revision or file. */
function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', folder, ...args],
      {
        encoding: 'utf8',
        maxBuffer: longestText,
        timeout: timeoutMs,
        windowsHide: true,
        // Reading never asks for a password, nor fetches what a partial clone lacks.
        env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' },
      },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

/** The commit that a revision names in the repository around `folder`: 40 or 64 hexadecimal digits. */
export async function commitOf(folder: string, revision: string): Promise<string | undefined> {
  const wanted = revision.trim();
  if (wanted === '') return undefined;
  const found = await git(folder, [
    'rev-parse',
    '--verify',
    '--quiet',
    '--end-of-options',
    `${wanted}^{commit}`,
  ]);
  const commit = found?.trim() ?? '';
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? commit : undefined;
}

/** The text of the file at `path` in `commit`; undefined where it was not there. */
export function textAt(commit: string, path: string): Promise<string | undefined> {
  return git(dirname(path), ['cat-file', 'blob', `${commit}:./${basename(path)}`]);
}
