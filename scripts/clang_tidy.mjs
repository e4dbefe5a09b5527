// Looks through C++ sources with clang-tidy, by the checks in .clang-tidy.
//
//   node scripts/clang_tidy.mjs [--all | FILE...]
//
// Without arguments it looks at what changed: a file takes as long as compiling it, so looking at all
// of them takes most of an hour.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { buildDir, isMain, root } from './lib/paths.mjs';
import { output, which } from './lib/process.mjs';

/** Other versions know other checks and find other things. */
const clangTidyMajor = 14;
/** Changes of so many commits are looked at where the main branch itself is checked out. */
const recentCommits = 10;

const clangTidy = () => [`clang-tidy-${clangTidyMajor}`, 'clang-tidy'].find(which);

/** Why this machine cannot look; undefined where it can. */
export function whyNoClangTidy() {
  const program = clangTidy();
  if (program === undefined) return 'clang-tidy is not installed';
  const version = /version (\d+)/.exec(output(program, ['--version']) ?? '')?.[1];
  if (Number(version) !== clangTidyMajor) {
    return `clang-tidy ${clangTidyMajor} is needed, this is ${version}`;
  }
  if (!existsSync(join(buildDir, 'compile_commands.json'))) return 'nothing was built yet';
  return undefined;
}

const lines = (args) =>
  (output('git', args, { cwd: root }) ?? '').split('\n').filter((line) => line !== '');

const isSource = (file) => /^(native|tests)\/.*\.cc$/.test(file);

/** Sources that differ from the main branch; on that branch, those of the last commits. */
export function changedSources() {
  const main = ['origin/HEAD', 'origin/main', 'main']
    .map((name) => output('git', ['merge-base', 'HEAD', name], { cwd: root })?.trim())
    .find((commit) => commit !== undefined && commit !== '');
  const head = output('git', ['rev-parse', 'HEAD'], { cwd: root })?.trim();
  const recent = lines(['rev-list', '--first-parent', `--max-count=${recentCommits + 1}`, 'HEAD']);
  const base = main === undefined || main === head ? recent.at(-1) : main;
  const changed = new Set([
    ...lines(['diff', '--name-only', '--diff-filter=d', base ?? 'HEAD', '--']),
    ...lines(['ls-files', '--others', '--exclude-standard']),
  ]);
  return [...changed].filter((file) => isSource(file) && existsSync(join(root, file)));
}

// The compilation database is GCC's: clang does not know all of its options, and where warnings are
// errors it would stop at the first of them.
const clangOptions = ['-Wno-unknown-warning-option', '-Wno-error'].map((o) => `--extra-arg=${o}`);

/** The sources that CMake compiles as one where it wrote `file`, else the file itself. */
function sourcesOf(file, textOf) {
  if (!/\/Unity\/unity_\w+\.cxx$/.test(file)) return [file];
  return [...textOf(file).matchAll(/^#include "(.*)"$/gm)].map(([, source]) => source);
}

/**
 * The build's commands as clang can take them: one for each source, though the growth tests compile
 * it a second time and several may be compiled as one, and without GCC's precompiled headers and
 * parameters. `textOf` reads what CMake wrote.
 */
export function commandsForClang(commands, textOf = (file) => readFileSync(file, 'utf8')) {
  const files = new Set();
  return commands.flatMap(({ directory, file, command }) => {
    const plain = command.replace(/ -Winvalid-pch| -include \S*cmake_pch\S*| --param=\S*/g, '');
    return sourcesOf(file, textOf).flatMap((source) => {
      if (files.has(source)) return [];
      files.add(source);
      return [{ directory, file: source, command: plain.replaceAll(file, source) }];
    });
  });
}

/** Writes them, and gives their folder. */
function writeCommands() {
  const folder = join(buildDir, 'clang-tidy');
  const read = JSON.parse(readFileSync(join(buildDir, 'compile_commands.json'), 'utf8'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'compile_commands.json'), JSON.stringify(commandsForClang(read)));
  return folder;
}

function look(commands, file, timeoutMs) {
  return new Promise((resolve) => {
    const child = spawn(
      clangTidy(),
      ['-p', commands, '--quiet', ...clangOptions, join(root, file)],
      {
        cwd: root,
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      },
    );
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
    child.on('error', (error) => resolve({ found: error.message, ended: true }));
    child.on('close', (status, signal) =>
      resolve({ found: status === 0 || signal !== null ? '' : text, ended: signal === null }),
    );
  });
}

/**
 * Looks at `files`, as many at a time as there are cores, until `limitMs` are over. Gives how many
 * were looked at, those with something wrong, and how many were left.
 */
export async function lookThrough(files, limitMs = Infinity) {
  const until = performance.now() + limitMs;
  const commands = writeCommands();
  const waiting = [...files];
  const result = { looked: 0, wrong: 0, left: 0 };
  const worker = async () => {
    while (waiting.length > 0 && performance.now() < until) {
      const file = waiting.shift();
      const leftMs = Math.min(until - performance.now(), 2 ** 31 - 1);
      const { found, ended } = await look(commands, file, Math.max(1, Math.ceil(leftMs)));
      if (!ended) {
        result.left += 1;
        continue;
      }
      result.looked += 1;
      if (found === '') continue;
      result.wrong += 1;
      console.log(found.trimEnd());
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  result.left += waiting.length;
  return result;
}

if (isMain(import.meta)) {
  const why = whyNoClangTidy();
  if (why !== undefined) {
    console.error(why);
    process.exitCode = 1;
  } else {
    const args = process.argv.slice(2);
    const files =
      args[0] === '--all'
        ? lines(['ls-files', '*.cc']).filter(isSource)
        : args.length > 0
          ? args
          : changedSources();
    const { looked, wrong } = await lookThrough(files);
    console.log(`${looked} files looked at, ${wrong} with something wrong`);
    if (wrong > 0) process.exitCode = 1;
  }
}
