// Running other programs: with the user's terminal, or quietly with the output kept for a failure.
import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export class CommandError extends Error {}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The first program of that name on PATH, or undefined. */
export function which(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    if (folder && isProgram(candidate)) return candidate;
  }
  return undefined;
}

/** Runs a program on the user's terminal; throws when it fails. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (result.error) throw new CommandError(`${command}: ${result.error.message}`);
  if (result.status !== 0) {
    throw new CommandError(
      `${[command, ...args].join(' ')} ended with ${result.signal ?? result.status}`,
    );
  }
}

/** Runs npm on the user's terminal; a failure says what is mostly behind it. */
export function runNpm(args, options) {
  try {
    run('npm', args, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(
      `${error.message}\nThe packages come over the network: when npm says ENOTFOUND, ETIMEDOUT or ` +
        'ECONNREFUSED above, this machine cannot reach its registry (or wants a proxy: ' +
        '`npm config set proxy URL`). Try again when it can; what was fetched is kept.',
    );
  }
}

/** Standard output of a program; undefined when it cannot be run or fails. */
export function output(command, args, options = {}) {
  const result = spawnSync(command, args, { encoding: 'utf8', ...options });
  return result.status === 0 ? result.stdout : undefined;
}

/** Runs a long program with its output in a file; its last lines are shown when it fails. */
export function runLogged(command, args, logFile, options = {}) {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, 'w');
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', log, log] });
    const fail = (reason) => {
      const tail = readFileSync(logFile, 'utf8').split('\n').slice(-40).join('\n');
      reject(
        new CommandError(`${tail}\n${[command, ...args].join(' ')} ${reason}; see ${logFile}`),
      );
    };
    child.on('error', (error) => {
      closeSync(log);
      fail(error.message);
    });
    child.on('exit', (code, signal) => {
      closeSync(log);
      if (code === 0) resolve();
      else fail(`ended with ${signal ?? code}`);
    });
  });
}

/**
 * The environment for an npm of its own. `npm start` and `npm test` export the settings of this
 * project to their children, which would hold for the other folder too.
 */
export function npmEnv(extra = {}) {
  const env = {};
  for (const [key, value] of Object.entries(process.env)) {
    const own =
      /^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(key) ||
      /^npm_config_(ignore_scripts|prefix|local_prefix|global_prefix|omit|only|node_gyp|nodedir|user_agent|noproxy)$/i.test(
        key,
      );
    if (!own && key !== 'INIT_CWD') env[key] = value;
  }
  return { ...env, ...extra };
}
