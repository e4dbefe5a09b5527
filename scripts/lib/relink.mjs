// The daemon without the C library, for who wants to link it with another one: what the license of a
// statically linked glibc asks for.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildDir } from './paths.mjs';
import { CommandError, output, run, which } from './process.mjs';

/** Splits the command that linked the daemon into flags, inputs of ours, and system libraries. */
export function linkLine(command) {
  const words = command.split(/\s+/).filter((word) => word !== '');
  const start = words.findIndex((word) => /(^|\/)(c\+\+|g\+\+|clang\+\+)[-.\d]*$/.test(word));
  const inputs = [];
  const libraries = [];
  const flags = [];
  for (let at = start + 1; start >= 0 && at < words.length && words[at] !== '&&'; at += 1) {
    const word = words[at];
    if (word === '-o') at += 1;
    else if (/\.[oa]$/.test(word)) inputs.push(word);
    else if (word.startsWith('-l')) libraries.push(word);
    else if (!word.startsWith('-Wl,-Map')) flags.push(word);
  }
  return { compiler: words[start], inputs, libraries, flags };
}

/** Writes emberline.o and relink.sh into `folder`. */
export function placeRelinking(folder) {
  const commands = output('ninja', ['-C', buildDir, '-t', 'commands', 'bin/emberline'], {
    maxBuffer: 64 << 20,
  });
  const { compiler, inputs, libraries, flags } = linkLine(
    (commands ?? '').trim().split('\n').at(-1) ?? '',
  );
  if (compiler === undefined || inputs.length === 0) {
    throw new CommandError('ninja does not tell how the daemon was linked');
  }
  mkdirSync(folder, { recursive: true });
  const object = join(folder, 'emberline.o');
  run(
    compiler,
    ['-r', '-nostdlib', '-o', object, '-Wl,--start-group', ...inputs, '-Wl,--end-group'],
    { cwd: buildDir },
  );
  run(which('strip') ?? 'llvm-strip', ['--strip-unneeded', object]);
  const script = join(folder, 'relink.sh');
  writeFileSync(
    script,
    `#!/bin/sh
# Links the daemon with the C and C++ libraries of this machine: relink.sh [PROGRAM]
set -e
here=$(dirname "$0")
\${CXX:-${basename(compiler)}} ${flags.join(' ')} "$here/emberline.o" ${libraries.join(' ')} -o "\${1:-emberline}"
`,
  );
  chmodSync(script, 0o755);
}
