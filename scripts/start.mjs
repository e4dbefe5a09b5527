// Builds Emberline and opens VS Code with the samples and a sample profile showing.
//
//   npm start [-- --no-open] [--port N]
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildAll } from './build.mjs';
import {
  prepareWorkbench,
  startCodeServer,
  workbenchFolders,
  workbenchUrl,
} from './lib/code-server.mjs';
import { ensureNode } from './lib/node.mjs';
import { root, toolsDir } from './lib/paths.mjs';
import { CommandError, run, which } from './lib/process.mjs';
import { hasCodeServer, installCodeServer, setUp } from './setup.mjs';

const samples = join(root, 'samples');
const sampleProfile = join(samples, 'train_cnn', 'slow.pt.trace.json.gz');

function openInBrowser(address) {
  const desktop =
    process.platform === 'darwin' || process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  const opener = which(process.platform === 'darwin' ? 'open' : 'xdg-open');
  if (!desktop || opener === undefined) return;
  const child = spawn(opener, [address], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}

async function serve(vsix, { open, port }) {
  const folders = workbenchFolders(join(toolsDir, 'workbench'));
  prepareWorkbench(folders, vsix, { 'emberline.openOnStartup': sampleProfile });
  const server = await startCodeServer(folders, { port });
  const address = workbenchUrl(server.url, samples);
  console.log(`\nEmberline is ready. VS Code with the samples:\n\n  ${address}\n`);
  console.log('Ctrl+C ends it.');
  if (open) openInBrowser(address);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => void server.stop());
  }
  await server.ended;
}

async function main() {
  const args = process.argv.slice(2);
  const portText = args.includes('--port') ? args[args.indexOf('--port') + 1] : '0';
  const port = Number(portText);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new CommandError(`--port takes a number from 0 to 65535, not ${portText}`);
  }
  // Whoever names a code-server wants that one, also where `code` is at hand.
  const code = process.env.EMBERLINE_CODE_SERVER === undefined ? which('code') : undefined;
  await setUp({ workbench: code === undefined });
  const workbench =
    code === undefined && !hasCodeServer() ? installCodeServer() : Promise.resolve();
  workbench.catch(() => {});
  const vsix = await buildAll();
  await workbench;
  if (!existsSync(sampleProfile)) throw new CommandError(`The sample is missing: ${sampleProfile}`);
  if (code === undefined) {
    await serve(vsix, { open: !args.includes('--no-open'), port });
    return;
  }
  run(code, ['--install-extension', vsix, '--force']);
  if (args.includes('--no-open')) {
    console.log(`Installed. To see the sample: code ${samples} ${sampleProfile}`);
  } else {
    run(code, [samples, sampleProfile]);
  }
}

await ensureNode();
try {
  await main();
} catch (error) {
  if (!(error instanceof CommandError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
