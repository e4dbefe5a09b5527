// Formats the sources: TypeScript, JavaScript and styles with prettier, C++ with clang-format when it
// is there.
//
//   node scripts/fmt.mjs [--check]
//
// With `--check` nothing is written: the files that are not formatted are listed, and make it fail.
import { join } from 'node:path';
import { ensureNode } from './lib/node.mjs';
import { isMain, root } from './lib/paths.mjs';
import { CommandError, output, run, which } from './lib/process.mjs';
import { setUp } from './setup.mjs';

/** Other versions break some lines elsewhere, so that only this one can judge. */
const clangFormatMajor = 14;

function clangFormat() {
  return [`clang-format-${clangFormatMajor}`, 'clang-format'].find(which);
}

function prettier(mode) {
  run(
    process.execPath,
    [
      join(root, 'node_modules', 'prettier', 'bin', 'prettier.cjs'),
      mode,
      '--log-level=warn',
      'extension/shared',
      'extension/src',
      'webviews/src',
      'scripts',
      'tests/**/*.{mjs,ts}',
      '*.mjs',
    ],
    { cwd: root },
  );
}

function cppFiles() {
  const listed = output('git', ['ls-files', '*.cc', '*.h'], { cwd: root })?.split('\n') ?? [];
  return listed.filter((file) => file !== '');
}

export function format() {
  prettier('--write');
  const program = clangFormat();
  if (program) run(program, ['-i', ...cppFiles()], { cwd: root });
  else console.log('clang-format is not installed: the C++ sources stay as they are.');
}

/**
 * The checks of the two languages by name; each throws a CommandError when files are not formatted.
 * `skipped` says why one cannot be made on this machine.
 */
export function formatChecks() {
  const program = clangFormat();
  const version = Number(/version (\d+)/.exec(output(program ?? '', ['--version']) ?? '')?.[1]);
  return [
    { name: 'TypeScript, JavaScript and styles', check: () => prettier('--check') },
    {
      name: 'C++',
      skipped:
        version === clangFormatMajor
          ? undefined
          : `clang-format ${clangFormatMajor} is needed, ${program ? `this is ${version}` : 'and none is installed'}`,
      check: () => run(program, ['--dry-run', '-Werror', ...cppFiles()], { cwd: root }),
    },
  ];
}

if (isMain(import.meta)) {
  await ensureNode();
  try {
    await setUp();
    if (!process.argv.includes('--check')) format();
    else {
      for (const { name, skipped, check } of formatChecks()) {
        if (skipped === undefined) check();
        else console.log(`${name}: not checked: ${skipped}`);
      }
    }
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
