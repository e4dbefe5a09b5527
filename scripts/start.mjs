// Builds Emberline and opens VS Code with the samples and a sample profile showing.
//
//   npm start [-- --no-open] [--port N]
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import {
  prepareWorkbench,
  startCodeServer,
  workbenchFolders,
  workbenchUrl,
} from './lib/code-server.mjs';
import { whileBuilding } from './lib/lock.mjs';
import { ensureNode } from './lib/node.mjs';
import { root, toolsDir } from './lib/paths.mjs';
import { CommandError, run, which } from './lib/process.mjs';
import { hasCodeServer, installCodeServer, setUp } from './setup.mjs';

const samples = join(root, 'samples');
const sampleProfile = join(samples, 'train_cnn', 'slow.pt.trace.json.gz');
const usage = 'npm start takes `-- --no-open` and `-- --port N`';
/** Where the VS Code that we serve is found, while one is served. */
const addressFile = join(toolsDir, 'workbench', 'address');

function hasDesktop() {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === 'darwin' || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
}

function openInBrowser(address) {
  const opener = which(process.platform === 'darwin' ? 'open' : 'xdg-open');
  if (!hasDesktop() || opener === undefined) return;
  const child = spawn(opener, [address], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

/** The `code` command, where it can open a window; says why where it cannot. */
function usableCode() {
  // Whoever names a code-server wants that one, also where `code` is at hand.
  if (process.env.EMBERLINE_CODE_SERVER !== undefined) return undefined;
  const code = which('code');
  if (code === undefined) return undefined;
  // In a terminal of VS Code, also a remote one, the command speaks with the window around it.
  if (process.env.VSCODE_IPC_HOOK_CLI || process.env.WSL_DISTRO_NAME) return code;
  if (process.getuid?.() === 0) {
    console.log('`code` does not run as root: serving a VS Code on localhost instead.');
    return undefined;
  }
  if (!hasDesktop()) {
    console.log('`code` finds no desktop here: serving a VS Code on localhost instead.');
    return undefined;
  }
  return code;
}

function parseArguments(args) {
  const options = { open: true, port: 0 };
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === '--no-open') options.open = false;
    else if (args[i] === '--port') {
      i += 1;
      options.port = Number(args[i] || Number.NaN);
      if (!Number.isInteger(options.port) || options.port < 0 || options.port > 65535) {
        throw new CommandError(
          `--port takes a number from 0 to 65535, not ${args[i] ?? 'nothing'}`,
        );
      }
    } else throw new CommandError(`There is no argument ${args[i]}: ${usage}`);
  }
  return options;
}

/** Address of a VS Code that an earlier start still serves; undefined when there is none. */
async function servedAlready() {
  try {
    const address = readFileSync(addressFile, 'utf8');
    const { ok } = await fetch(new URL('/healthz', address), { signal: AbortSignal.timeout(3000) });
    return ok ? address : undefined;
  } catch {
    return undefined;
  }
}

function tell(address) {
  console.log(`\nEmberline is ready. VS Code with the samples:\n\n  ${address}\n`);
}

async function serve(vsix, { open, port }) {
  const folders = workbenchFolders(join(toolsDir, 'workbench'));
  const earlier = await servedAlready();
  prepareWorkbench(folders, vsix, { 'emberline.openOnStartup': sampleProfile });
  if (earlier !== undefined && (port === 0 || new URL(earlier).port === String(port))) {
    tell(earlier);
    console.log(
      'An earlier `npm start` serves it. A page that is open there shows this build after',
    );
    console.log('*Developer: Reload Window*; `-- --port N` serves another one.');
    if (open) openInBrowser(earlier);
    return;
  }
  // From here on an interrupt ends the server, also while it starts.
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => interrupted.abort());
  }
  const server = await startCodeServer(folders, { port, signal: interrupted.signal });
  const address = workbenchUrl(server.url, samples);
  mkdirSync(join(toolsDir, 'workbench'), { recursive: true });
  writeFileSync(addressFile, address);
  tell(address);
  console.log('Ctrl+C ends it.');
  if (open) openInBrowser(address);
  const stop = () => void server.stop();
  interrupted.signal.addEventListener('abort', stop);
  if (interrupted.signal.aborted) stop();
  await server.ended;
  if ((await servedAlready()) === undefined) rmSync(addressFile, { force: true });
  if (!interrupted.signal.aborted) throw new CommandError('The served VS Code ended by itself.');
}

/** A path as a shell takes it. */
const quoted = (path) => `'${path.replaceAll("'", `'\\''`)}'`;

function openInCode(code, vsix, { open }) {
  run(code, ['--install-extension', vsix, '--force']);
  if (!open) {
    console.log(`Installed. To see the sample: code ${quoted(samples)} ${quoted(sampleProfile)}`);
    return;
  }
  run(code, [samples, sampleProfile]);
  console.log('\nEmberline is installed, and VS Code opens with the samples and a sample profile.');
  console.log('A window that was open before shows this build after *Developer: Reload Window*.');
}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  const code = usableCode();
  const vsix = await whileBuilding(async () => {
    await setUp({ workbench: code === undefined });
    const workbench =
      code === undefined && !hasCodeServer() ? installCodeServer() : Promise.resolve();
    workbench.catch(() => {});
    const packed = await buildAll();
    await workbench;
    return packed;
  });
  if (!existsSync(sampleProfile)) throw new CommandError(`The sample is missing: ${sampleProfile}`);
  if (code === undefined) await serve(vsix, options);
  else openInCode(code, vsix, options);
}

await ensureNode();
try {
  await main();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
