// A current Node. The machine's own is used when it is new enough; otherwise one from npm, kept in
// `.tools/node`, runs the same script again.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { assertWritable, toolsDir } from './paths.mjs';
import { CommandError, npmEnv, runNpm } from './process.mjs';

/** code-server and the type stripping of the test runner need this one. */
export const neededNodeMajor = 24;

const nodeDir = join(toolsDir, 'node');
const nodePackage = `node-${process.platform}-${process.arch}`;

export function nodeMajor() {
  return Number(process.versions.node.split('.')[0]);
}

/** Folder of the npm package with the current Node: `bin/node` and `include/` for native modules. */
export function nodePackageDir() {
  return join(nodeDir, 'node_modules', nodePackage);
}

/** Where the headers of the running Node lie, for native modules; undefined when not known. */
export function nodeHeadersDir() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include', 'node', 'node.h')) ? prefix : undefined;
}

function installNode() {
  const binary = join(nodePackageDir(), 'bin', 'node');
  if (existsSync(binary)) return binary;
  console.log(
    `Node ${process.versions.node} is older than ${neededNodeMajor}: fetching a current one into .tools/node`,
  );
  assertWritable();
  mkdirSync(nodeDir, { recursive: true });
  writeFileSync(
    join(nodeDir, 'package.json'),
    JSON.stringify({
      name: 'emberline-node',
      private: true,
      dependencies: { [nodePackage]: String(neededNodeMajor) },
    }),
  );
  runNpm(['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error'], {
    cwd: nodeDir,
    env: npmEnv({ npm_config_ignore_scripts: 'true' }),
  });
  return binary;
}

/**
 * Returns when the running Node is new enough. Otherwise the script runs again under a current
 * Node, and this process ends with its status.
 */
export async function ensureNode() {
  if (nodeMajor() >= neededNodeMajor) {
    process.env.PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`;
    return;
  }
  let binary;
  try {
    binary = installNode();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
  const child = spawn(binary, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}` },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  const status = await new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`The current Node could not be started: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(signal ? 1 : (code ?? 1)));
  });
  process.exit(status);
}
