// Runs the test suites, after the same set-up and build as `npm start`.
//
//   npm test [-- --only SUITE-OR-LABEL,...] [--no-build] [--list]
//
// Every suite runs, also after a failed one. The last line is `N passed, N failed, N skipped`.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { buildAll } from '../scripts/build.mjs';
import { changedSources, lookThrough, whyNoClangTidy } from '../scripts/clang_tidy.mjs';
import { formatChecks } from '../scripts/fmt.mjs';
import { whileBuilding } from '../scripts/lib/lock.mjs';
import { ensureNode } from '../scripts/lib/node.mjs';
import { buildDir, isMain, root, serverPath, vsixPath } from '../scripts/lib/paths.mjs';
import { CommandError, output } from '../scripts/lib/process.mjs';
import { writeProtocolTypes } from '../scripts/protocol-types.mjs';
import {
  codeServerDir,
  findChromium,
  hasCodeServer,
  installCodeServer,
  setUp,
} from '../scripts/setup.mjs';

// Traces are read, not opened as they were kept, unless a test is about that.
process.env.EMBERLINE_TRACE_CACHE ??= 'off';

const minuteMs = 60_000;
const testsDir = join(root, 'tests');

/** Suites of node:test files in tests/NAME, in the order in which they run. */
const nodeSuites = {
  tidy: { concurrency: 1 },
  generator: { concurrency: 2 },
  golden: { concurrency: 2 },
  oracles: { concurrency: 2 },
  malformed: { concurrency: 2 },
  fuzz: { concurrency: 1 },
  rpc: { concurrency: 2 },
  // A real Slurm, which has the machine to itself.
  cluster: { concurrency: 1 },
  package: { concurrency: 1 },
  extension: { concurrency: 1 },
  accuracy: { concurrency: 1 },
  // Real browsers, a file on each core: a failed file runs once more alone, and is called flaky when
  // it then passes.
  webviews: { retry: true },
  e2e: { retry: true },
};
const order = [
  ...['types', 'lint', 'format', 'tidy', 'clang-tidy', 'native'],
  ...Object.keys(nodeSuites).slice(1),
];
const withoutBuild = new Set(['types', 'lint', 'format', 'tidy']);

/** What `--only` takes beside the names of suites. */
const labels = {
  // Without traces or browsers, within a minute.
  fast: ['types', 'lint', 'format', 'tidy', 'golden', 'malformed', 'extension', 'accuracy'],
  // Everything that the sources say without being run.
  checks: ['types', 'lint', 'format', 'tidy', 'clang-tidy'],
  engine: [
    'native',
    'generator',
    'golden',
    'oracles',
    'malformed',
    'fuzz',
    'rpc',
    'cluster',
    'accuracy',
  ],
  editor: ['package', 'extension', 'webviews', 'e2e'],
  // Those that need a Chromium.
  browser: ['webviews', 'e2e'],
};

/**
 * Runs a program, shows its output, and gives that output with the exit status. What runs `beside`
 * others shows it when it has ended, below its `header`.
 */
function execute(command, args, options = {}) {
  const { timeoutMs = 20 * minuteMs, env = {}, beside = false, header } = options;
  return new Promise((resolve) => {
    let text = '';
    // A process group of its own, so that a test that hangs takes its children with it.
    const child = spawn(command, args, {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    const stop = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(() => {
      text += `\nended after ${timeoutMs / minuteMs} minutes\n`;
      if (!beside) {
        console.log(`${command} ${args.join(' ')}: ended after ${timeoutMs / minuteMs} minutes`);
      }
      stop();
    }, timeoutMs);
    process.once('exit', stop);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (part) => {
        text += part;
        if (!beside) process.stdout.write(part);
      });
    }
    const finish = (status) => {
      clearTimeout(timer);
      process.removeListener('exit', stop);
      if (beside) process.stdout.write(header === undefined ? text : `${header}\n${text}`);
      resolve({ status, text });
    };
    child.on('error', (error) => {
      console.log(`${command}: ${error.message}`);
      finish(1);
    });
    child.on('close', (code) => finish(code ?? 1));
  });
}

/** Does the work for every item, as many at a time as there are cores, and begins them in order. */
async function onEveryCore(items, work) {
  const waiting = [...items];
  const worker = async () => {
    while (waiting.length > 0) await work(waiting.shift());
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/** Counts of a node:test run, from the summary of its reporter. */
export function countNodeTests(text, status) {
  const read = (name) => {
    const all = [...text.matchAll(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, 'gm'))];
    return all.length === 0 ? 0 : Number(all.at(-1)[1]);
  };
  const counts = {
    passed: read('pass'),
    failed: read('fail') + read('cancelled'),
    skipped: read('skipped') + read('todo'),
  };
  if (counts.failed === 0 && (status !== 0 || counts.passed + counts.skipped === 0)) {
    counts.failed = 1;
  }
  return counts;
}

/**
 * What node's reporter says about the tests that failed: a few lines of each, without the stack.
 * The list stands at the end of its output.
 */
export function failedNodeTests(text) {
  const begin = text.lastIndexOf('\n\u2716 failing tests:');
  if (begin < 0) return [];
  const lines = text.slice(begin).split('\n').slice(2);
  const told = [];
  let own = 0;
  for (const line of lines) {
    if (line.startsWith('\u2716') || line.startsWith('test at ')) own = 0;
    own += 1;
    if (line.trim() !== '' && !/^\s+at /.test(line) && own <= 12) told.push(line.slice(0, 300));
  }
  return told;
}

/** Counts of a Catch2 program, from the last line of its report. */
export function countCatchTests(text, status) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const clean = /All tests passed \(.* in (\d+) test cases?\)/.exec(text);
  const mixed = /^test cases:\s*\d+(.*)$/m.exec(text);
  if (clean) counts.passed = Number(clean[1]);
  else if (mixed) {
    counts.passed = Number(/(\d+) passed/.exec(mixed[1])?.[1] ?? 0);
    counts.failed = Number(/(\d+) failed/.exec(mixed[1])?.[1] ?? 0);
  }
  if (counts.failed === 0 && (status !== 0 || counts.passed === 0)) counts.failed = 1;
  return counts;
}

/** What Catch2 says about the tests that failed: names, places and values, or its last lines. */
export function failedCatchTests(text) {
  const most = 40;
  const lines = text
    .split('\n')
    .filter((line) => !/^(-{9,}|\.{9,}|~{9,}|={9,}|)$/.test(line.trim()));
  const begin = lines.findIndex((line) => line.startsWith('Run with -?')) + 1;
  const end = lines.findIndex((line) => line.startsWith('test cases:'));
  // A program that was ended does not count its tests.
  const told = end < 0 ? lines.slice(-most) : lines.slice(begin, end).slice(0, most);
  return told.map((line) => line.slice(0, 300));
}

function add(into, counts) {
  for (const key of Object.keys(into)) into[key] += counts[key];
}

/** What failed tests said, of both attempts where a file ran twice; shown again at the end. */
const failures = [];

const zero = () => ({ passed: 0, failed: 0, skipped: 0 });
const oneOf = (status) => ({ ...zero(), [status === 0 ? 'passed' : 'failed']: 1 });

async function runTypes() {
  const counts = zero();
  await writeProtocolTypes();
  for (const [project, entry] of [
    ['extension', 'src/extension.ts'],
    ['webviews', 'src/main.tsx'],
  ]) {
    if (!existsSync(join(root, project, entry))) continue;
    const { status } = await execute(process.execPath, [
      join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
      '-p',
      join(root, project, 'tsconfig.json'),
    ]);
    console.log(`${status === 0 ? 'ok' : 'FAIL'} types of ${project}`);
    add(counts, oneOf(status));
  }
  return counts;
}

async function runLint() {
  await writeProtocolTypes();
  const { status } = await execute(process.execPath, [
    join(root, 'node_modules', 'eslint', 'bin', 'eslint.js'),
    '.',
    '--max-warnings',
    '0',
  ]);
  if (status !== 0) console.log('Some of this mends itself: npx eslint . --fix');
  return oneOf(status);
}

function runFormat() {
  const counts = zero();
  for (const { name, skipped, check } of formatChecks()) {
    if (skipped !== undefined) {
      console.log(`skipped ${name}: ${skipped}`);
      counts.skipped += 1;
      continue;
    }
    try {
      check();
      console.log(`ok ${name}`);
      counts.passed += 1;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.log(`FAIL ${name}: npm run fmt formats it`);
      counts.failed += 1;
    }
  }
  return counts;
}

/** What changed in C++, as far as it can be looked at in two minutes. */
async function runClangTidy() {
  const why = whyNoClangTidy();
  if (why !== undefined) {
    console.log(`skipped: ${why}`);
    return { ...zero(), skipped: 1 };
  }
  const { looked, wrong, left } = await lookThrough(changedSources(), 2 * minuteMs);
  if (left > 0) console.log(`${left} changed files were left: node scripts/clang_tidy.mjs`);
  // Nothing changed: the suite ran all the same.
  return { passed: looked === 0 ? 1 : looked - wrong, failed: wrong, skipped: left };
}

/** Whether ctest's labels call a program slow. */
const slow = ({ properties }) =>
  Number(properties.some(({ name, value }) => name === 'LABELS' && value.includes('slow')));

async function runNative() {
  const listing = output('ctest', ['--test-dir', buildDir, '--show-only=json-v1'], {
    maxBuffer: 64 << 20,
  });
  if (listing === undefined) throw new CommandError('ctest could not list the native tests');
  const counts = zero();
  // The longest program goes first, so that nothing waits for it alone at the end.
  const tests = JSON.parse(listing).tests.sort((a, b) => slow(b) - slow(a));
  await onEveryCore(tests, async ({ name, command }) => {
    if (command === undefined) {
      console.log(`FAIL ${name}: its program was not built`);
      add(counts, oneOf(1));
      return;
    }
    const [program, ...args] = command;
    const { status, text } = await execute(program, args, {
      timeoutMs: 15 * minuteMs,
      beside: true,
      header: `-- ${name}`,
    });
    const result = countCatchTests(text, status);
    if (result.failed > 0) failures.push(`-- ${name}`, ...failedCatchTests(text));
    add(counts, result);
  });
  return counts;
}

/** Test files of a folder and its subfolders; a folder of one program has `run.mjs`. */
function testFiles(folder) {
  const found = [];
  const visit = (dir) => {
    for (const name of readdirSync(dir).sort()) {
      const path = join(dir, name);
      if (statSync(path).isDirectory()) visit(path);
      else if (/\.test\.(mjs|ts)$/.test(name)) found.push(path);
    }
  };
  if (existsSync(folder)) visit(folder);
  const program = join(folder, 'run.mjs');
  if (found.length === 0 && existsSync(program)) found.push(program);
  return found;
}

function nodeTest(files, { concurrency = 1, ...options } = {}) {
  return execute(
    process.execPath,
    [
      '--test',
      '--test-reporter=spec',
      `--test-concurrency=${concurrency}`,
      ...files.map((file) => relative(root, file)),
    ],
    options,
  );
}

async function runNodeSuite(name) {
  const { concurrency, retry } = nodeSuites[name];
  const files = testFiles(join(testsDir, name));
  if (retry) return runBrowserSuite(files);
  const { status, text } = await nodeTest(files, { concurrency });
  failures.push(...failedNodeTests(text));
  return countNodeTests(text, status);
}

async function runBrowserSuite(files) {
  const counts = zero();
  const again = [];
  await onEveryCore(files, async (file) => {
    const shown = relative(root, file);
    const { status, text } = await nodeTest([file], {
      timeoutMs: 12 * minuteMs,
      beside: true,
      header: `-- ${shown}`,
    });
    const result = countNodeTests(text, status);
    if (result.failed === 0) {
      add(counts, result);
      return;
    }
    failures.push(`${shown}, first attempt:`, ...failedNodeTests(text));
    again.push(file);
  });
  for (const file of again) {
    const shown = relative(root, file);
    console.log(`${shown} failed; running it once more alone`);
    const { status, text } = await nodeTest([file], { timeoutMs: 8 * minuteMs });
    failures.push(`${shown}, second attempt:`, ...failedNodeTests(text));
    const result = countNodeTests(text, status);
    if (result.failed === 0) console.log(`FLAKY ${shown}: passed the second time`);
    add(counts, result);
  }
  return counts;
}

function available(name) {
  if (name === 'types') return existsSync(join(root, 'extension', 'src', 'extension.ts'));
  if (['lint', 'format', 'clang-tidy'].includes(name)) return true;
  if (name === 'native') {
    const folder = join(testsDir, 'native');
    return existsSync(folder) && readdirSync(folder).some((file) => file.endsWith('_test.cc'));
  }
  return testFiles(join(testsDir, name)).length > 0;
}

async function runSuite(name) {
  if (name === 'types') return runTypes();
  if (name === 'lint') return runLint();
  if (name === 'format') return runFormat();
  if (name === 'clang-tidy') return runClangTidy();
  if (name === 'native') return runNative();
  return runNodeSuite(name);
}

function parseArguments(args) {
  const options = { only: undefined, build: true, list: false };
  for (let i = 0; i < args.length; i += 1) {
    if (args[i] === '--only' && i + 1 < args.length) {
      i += 1;
      const names = args[i].split(',').filter((name) => name !== '');
      options.only = names.flatMap((name) => labels[name] ?? [name]);
    } else if (args[i] === '--no-build') options.build = false;
    else if (args[i] === '--list') options.list = true;
    else throw new CommandError(`Unknown argument ${args[i]}; known: --only A,B --no-build --list`);
  }
  const unknown = (options.only ?? []).filter((name) => !order.includes(name));
  if (unknown.length > 0) {
    const known = `${order.join(', ')}, and the labels ${Object.keys(labels).join(', ')}`;
    throw new CommandError(`No suite ${unknown.join(', ')}; there are ${known}`);
  }
  return options;
}

export async function main() {
  const options = parseArguments(process.argv.slice(2));
  const chosen = order.filter((name) => options.only?.includes(name) ?? true).filter(available);
  if (options.list) {
    console.log(chosen.join('\n'));
    return 0;
  }
  const summary = [];
  const total = zero();
  const record = (name, counts, startedMs) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    const state = counts.failed === 0 ? 'ok' : 'FAIL';
    const numbers = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`;
    summary.push(`${state} ${name} ${seconds} s (${numbers})`);
    add(total, counts);
  };

  let runnable = chosen;
  const needsWorkbench = chosen.includes('e2e');
  const startedMs = performance.now();
  let workbench = Promise.resolve();
  try {
    const tests = chosen.some((name) => !withoutBuild.has(name));
    await whileBuilding(async () => {
      await setUp({
        tests,
        workbench: needsWorkbench,
        cluster: chosen.includes('cluster'),
      });
      // The workbench's installation keeps one core busy for minutes: it runs beside the build.
      if (needsWorkbench && !hasCodeServer()) workbench = installCodeServer();
      workbench.catch(() => {});
      if (options.build && tests) await buildAll({ tests: true });
      await workbench.catch(() => {});
    });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    record('build', oneOf(1), startedMs);
    runnable = chosen.filter((name) => withoutBuild.has(name));
  }
  try {
    await workbench;
  } catch (error) {
    console.error(error.message);
    record('workbench', oneOf(1), startedMs);
    runnable = runnable.filter((name) => name !== 'e2e');
  }
  console.log(`Ready after ${((performance.now() - startedMs) / 1000).toFixed(0)} s`);

  process.env.EMBERLINE_SERVER = serverPath();
  process.env.EMBERLINE_VSIX = vsixPath();
  process.env.EMBERLINE_CODE_SERVER = codeServerDir();
  const chromium = findChromium();
  if (chromium !== undefined) process.env.EMBERLINE_CHROMIUM = chromium;

  for (const name of runnable) {
    console.log(`\n== ${name}`);
    const suiteMs = performance.now();
    let counts;
    try {
      counts = await runSuite(name);
    } catch (error) {
      console.error(error instanceof CommandError ? error.message : error);
      counts = oneOf(1);
    }
    record(name, counts, suiteMs);
  }
  if (process.env.EMBERLINE_CORPUS === undefined) {
    console.log('\nEMBERLINE_CORPUS is not set: tests on the real traces skipped themselves.');
  }
  console.log(`\n${summary.join('\n')}`);
  if (failures.length > 0) console.log(`What failed:\n${failures.slice(0, 80).join('\n')}`);
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed === 0 ? 0 : 1;
}

if (isMain(import.meta)) {
  await ensureNode();
  try {
    process.exitCode = await main();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}
