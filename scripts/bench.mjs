// Builds the daemon and runs the benchmark; arguments are handed on.
import { join } from 'node:path';
import { buildNative } from './build.mjs';
import { ensureNode } from './lib/node.mjs';
import { root, serverPath } from './lib/paths.mjs';
import { run } from './lib/process.mjs';
import { setUp } from './setup.mjs';

await ensureNode();
await setUp();
buildNative({ tests: true });
run(process.execPath, [join(root, 'tests', 'bench', 'run.mjs'), ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, EMBERLINE_SERVER: serverPath() },
});
