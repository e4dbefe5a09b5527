// Builds when a source changes: the bundles by esbuild, the daemon by ninja, the protocol's types when
// a schema changes. Ctrl+C ends it.
//
//   npm run watch
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { buildNative } from './build.mjs';
import { watchBundles } from './lib/bundle.mjs';
import { whileBuilding } from './lib/lock.mjs';
import { ensureNode } from './lib/node.mjs';
import { buildDir, isMain, root } from './lib/paths.mjs';
import { CommandError } from './lib/process.mjs';
import { writeProtocolTypes } from './protocol-types.mjs';
import { setUp } from './setup.mjs';

/** Editors write a file in several steps, and git many files at once. */
const restMs = 200;

const say = (text) => console.log(`${new Date().toLocaleTimeString()} ${text}`);

/** Runs `work` once `ask` has not been called for a moment. */
function afterRest(work) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(work, restMs);
  };
}

/** Builds the daemon; a new build ends the one that runs, whose sources are no longer there. */
class DaemonBuild {
  #child;

  start() {
    const startedMs = performance.now();
    const previous = this.#child;
    // A group of its own: ninja ends with the compilers that it started.
    const begin = () => {
      const child = spawn('cmake', ['--build', buildDir, '--target', 'emberline'], {
        cwd: root,
        detached: true,
        stdio: 'inherit',
      });
      this.#child = child;
      child.on('error', (error) => say(`daemon: ${error.message}`));
      child.on('exit', (code, signal) => {
        if (this.#child !== child) return;
        this.#child = undefined;
        const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
        if (code === 0) say(`daemon: built in ${seconds} s`);
        else if (signal === null) say('daemon: not built, see above');
      });
    };
    if (previous === undefined) begin();
    else {
      this.#child = undefined;
      previous.once('exit', begin);
      this.#end(previous);
    }
  }

  stop() {
    if (this.#child !== undefined) this.#end(this.#child);
  }

  #end(child) {
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      // It has just ended by itself.
    }
  }
}

async function refreshTypes() {
  try {
    if (await writeProtocolTypes()) say('protocol: types written');
  } catch (error) {
    // A schema that is half written: the next save starts it again.
    say(`protocol: ${error.message}`);
  }
}

async function main() {
  await whileBuilding(async () => {
    await setUp();
    buildNative();
    await writeProtocolTypes();
  });
  await watchBundles((name, errors) =>
    say(errors === 0 ? `${name}: bundled` : `${name}: not bundled, see above`),
  );
  const daemon = new DaemonBuild();
  const buildDaemon = afterRest(() => daemon.start());
  const makeTypes = afterRest(refreshTypes);
  watch(join(root, 'native'), { recursive: true }, (_event, file) => {
    if (file === null || /\.(cc|h|json|txt|cmake)$/.test(file)) buildDaemon();
    if (file === null || /^rpc[\\/]protocol[\\/].*\.json$/.test(file)) makeTypes();
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.on(signal, () => {
      daemon.stop();
      process.exit(0);
    });
  }
  say('watching; Ctrl+C ends it');
}

if (isMain(import.meta)) {
  await ensureNode();
  try {
    await main();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
