// Runs the real command line tool for tests.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** The daemon under test: EMBERLINE_SERVER, else the one that the build made. */
export const serverPath = process.env.EMBERLINE_SERVER
  ? path.resolve(process.env.EMBERLINE_SERVER)
  : path.join(root, 'build', 'bin', 'emberline');

/** Traces are read, not opened as they were kept, unless a test is about that. */
export const readAnew = { EMBERLINE_TRACE_CACHE: 'off' };

/** A generous limit: it ends a hang, it does not measure speed. */
const TIMEOUT_MS = 180_000;

/**
 * Runs `emberline ARGS`. Resolves with the exit status, the signal that ended it if any, and both
 * outputs as text.
 */
export function emberline(args, { timeoutMs = TIMEOUT_MS, cwd = root, env = {} } = {}) {
  assert.ok(existsSync(serverPath), `there is no program at ${serverPath}: build it first`);
  return new Promise((resolve, reject) => {
    const child = spawn(serverPath, args, {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...readAnew, ...env },
    });
    const out = [];
    const err = [];
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    child.stdout.on('data', (part) => out.push(part));
    child.stderr.on('data', (part) => err.push(part));
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      resolve({
        status,
        signal,
        timedOut,
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
      });
    });
  });
}

/** Runs a command with `--format json` that must succeed; gives the parsed object. */
export async function emberlineJson(command, file, ...options) {
  const args = [command, file, '--format', 'json', ...options];
  const { status, signal, stdout, stderr } = await emberline(args);
  assert.equal(signal, null, `${args.join(' ')} was ended by ${signal}\n${stderr}`);
  assert.equal(status, 0, `${args.join(' ')} ended with ${status}\n${stderr}`);
  return JSON.parse(stdout);
}

/** All rows of a table view. */
export async function allRows(command, file, ...options) {
  return emberlineJson(command, file, '--limit', '-1', ...options);
}

/** A new empty folder, and a function that removes it. */
export function temporaryFolder(name) {
  const folder = mkdtempSync(path.join(os.tmpdir(), `emberline-${name}-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Every event that was read is in exactly one of the tables of `check`'s answer. */
export function assertCountsAddUp(check, label = '') {
  const { counts, events } = check;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  assert.equal(total, events, `${label}: counts ${JSON.stringify(counts)} of ${events} events`);
}

/** The folder of real traces, or undefined: tests that need it skip themselves. */
export const corpus = process.env.EMBERLINE_CORPUS || undefined;
export const withoutCorpus = corpus ? false : 'EMBERLINE_CORPUS is not set';
