// Formats the sources: TypeScript and JavaScript with prettier, C++ with clang-format when it is there.
import { join } from 'node:path';
import { ensureNode } from './lib/node.mjs';
import { root } from './lib/paths.mjs';
import { output, run, which } from './lib/process.mjs';
import { setUp } from './setup.mjs';

await ensureNode();
await setUp();
run(
  process.execPath,
  [
    join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs'),
    '--write',
    '--log-level=warn',
    'extension/src',
    'webviews/src',
    'scripts',
    'tests/**/*.{mjs,ts}',
    '*.mjs',
  ],
  { cwd: root },
);
if (which('clang-format')) {
  const files = output('git', ['ls-files', '*.cc', '*.h'], { cwd: root })?.split('\n') ?? [];
  run('clang-format', ['-i', ...files.filter((file) => file !== '')], { cwd: root });
} else {
  console.log('clang-format is not installed: the C++ sources stay as they are.');
}
