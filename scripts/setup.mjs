// Installs what is missing on this machine: compiler and libraries from apt, packages from npm, a
// current Node, and code-server where no VS Code is at hand.
//
//   node scripts/setup.mjs [--tests] [--workbench]
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { installIsal, isalPackages, wantsIsal } from './lib/isal.mjs';
import { whileBuilding } from './lib/lock.mjs';
import { ensureNode, nodeHeadersDir } from './lib/node.mjs';
import { isMain, root, toolsDir } from './lib/paths.mjs';
import { CommandError, npmEnv, output, run, runLogged, runNpm, which } from './lib/process.mjs';

export const codeServerVersion = '4.139.1';

const buildPackages = [
  'cmake',
  'ninja-build',
  'pkg-config',
  'libuv1-dev',
  'libre2-dev',
  'liblua5.4-dev',
  'libxxhash-dev',
  'libcli11-dev',
  'nlohmann-json3-dev',
  'catch2',
  'zlib1g-dev',
  'libdeflate-dev',
];
const codeServerPackages = [
  'build-essential',
  'pkg-config',
  'python3',
  'libkrb5-dev',
  'libsecret-1-dev',
  'libxkbfile-dev',
  'libx11-dev',
];

/** A real scheduler for the tests of job scripts; they skip themselves where it cannot be had. */
const clusterPackages = ['slurm-wlm', 'slurm-wlm-basic-plugins', 'munge'];

/**
 * The browser that tests drive: EMBERLINE_CHROMIUM or one on PATH. The shell without a window of its
 * own comes first: it draws the same pages with a tenth less work.
 */
export function findChromium() {
  return (
    process.env.EMBERLINE_CHROMIUM ??
    [
      'chromium-headless-shell',
      'chromium',
      'chromium-browser',
      'google-chrome',
      'google-chrome-stable',
    ]
      .map(which)
      .find((path) => path !== undefined)
  );
}

/** The same, for those who cannot go on without. */
export function chromiumPath() {
  const found = findChromium();
  if (found === undefined) throw new Error('Chromium was not found; set EMBERLINE_CHROMIUM');
  return found;
}

function compilerVersion() {
  const text = output(process.env.CXX || 'c++', ['-dumpversion'])?.trim();
  return text === undefined ? undefined : Number(text.split('.')[0]);
}

function missingAptPackages(names) {
  const listing =
    output('dpkg-query', ['-W', '-f', '${Package} ${db:Status-Abbrev}\\n'], {
      maxBuffer: 64 << 20,
    }) ?? '';
  const installed = new Set(
    listing
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, state]) => state === 'ii')
      .map(([name]) => name),
  );
  // pkgconf replaces pkg-config on newer distributions, and tools may come from elsewhere.
  const programs = {
    cmake: 'cmake',
    'ninja-build': 'ninja',
    'pkg-config': 'pkg-config',
    python3: 'python3',
    'clang-format': 'clang-format',
    'clang-tidy': 'clang-tidy',
  };
  return [...new Set(names)].filter(
    (name) => !installed.has(name) && !(programs[name] && which(programs[name])),
  );
}

/** Whether sudo can be asked, and on whose terminal; undefined for root, who needs none. */
async function sudoFor(command) {
  if (process.getuid?.() === 0) return undefined;
  const byHand = `Ask somebody with the rights to run this, then try again:\n  ${command}`;
  if (!which('sudo')) {
    throw new CommandError(`Only root can install them, and there is no sudo here. ${byHand}`);
  }
  if (process.stdin.isTTY && process.env.CI !== 'true') {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    // Without a listener of its own, Ctrl+C would only end the question and leave it unanswered.
    terminal.on('SIGINT', () => process.exit(130));
    const answer = await terminal.question(`Run \`sudo ${command}\` now? [Y/n] `);
    terminal.close();
    if (/^n/i.test(answer.trim())) {
      throw new CommandError(`Nothing was installed. What is needed:\n  sudo ${command}`);
    }
    return { program: 'sudo', args: [], stdin: 'inherit' };
  }
  // Nobody can type a password: only what sudo allows without one.
  if (output('sudo', ['-n', 'true']) === undefined) {
    throw new CommandError(
      `sudo wants a password, and there is no terminal to ask for it. Run this, then try again:\n  sudo ${command}`,
    );
  }
  return { program: 'sudo', args: ['-n'], stdin: 'ignore' };
}

/** Whether this process has fetched apt's lists. */
let listsUpdated = false;

async function installAptPackages(names) {
  const missing = missingAptPackages(names);
  if (missing.length === 0) return;
  if (!which('apt-get')) {
    throw new CommandError(
      `Please install what these packages of Debian hold, then try again: ${missing.join(' ')}`,
    );
  }
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...missing];
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  console.log(`Missing on this machine: ${missing.join(' ')}`);
  const sudo = await sudoFor(command);
  const apt = (args) => {
    const environment = ['DEBIAN_FRONTEND=noninteractive'];
    // sudo drops the environment of its caller.
    const [program, ...leading] = sudo
      ? [sudo.program, ...sudo.args, 'env', ...environment, 'apt-get']
      : ['env', ...environment, 'apt-get'];
    run(program, [...leading, ...args], { stdio: [sudo?.stdin ?? 'ignore', 'inherit', 'inherit'] });
  };
  try {
    if (!listsUpdated) apt(['update', '-qq']);
    listsUpdated = true;
  } catch (error) {
    // One source that cannot be reached need not be the one with the packages.
    console.error(`${error.message}; trying with the lists at hand`);
  }
  try {
    apt(install);
  } catch (error) {
    throw new CommandError(
      `${error.message}\nInstall these packages by hand, then try again:\n  ${sudo ? 'sudo ' : ''}${command}`,
    );
  }
}

async function installChromium() {
  const fonts = 'fonts-dejavu-core';
  try {
    await installAptPackages(['chromium-headless-shell', fonts]);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error('The smaller browser could not be installed; trying the whole Chromium.');
    await installAptPackages(['chromium', fonts]);
  }
}

function installNpmPackages() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = createHash('sha256').update(lock).digest('hex');
  const stamp = join(root, 'node_modules', '.emberline-lock');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing npm packages');
  runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: npmEnv(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  writeFileSync(stamp, wanted);
}

/** Folder of the code-server package: EMBERLINE_CODE_SERVER or the one in `.tools`. */
export function codeServerDir() {
  return (
    process.env.EMBERLINE_CODE_SERVER ??
    join(toolsDir, 'code-server', 'node_modules', 'code-server')
  );
}

const codeServerStamp = join(toolsDir, 'code-server', '.installed');

export function hasCodeServer() {
  if (process.env.EMBERLINE_CODE_SERVER !== undefined) {
    return existsSync(join(codeServerDir(), 'out', 'node', 'entry.js'));
  }
  return (
    existsSync(codeServerStamp) &&
    readFileSync(codeServerStamp, 'utf8').trim() === codeServerVersion
  );
}

/**
 * Installs code-server, whose native modules are compiled for the running Node: some minutes, once.
 * Runs beside other work; the promise ends with the installation.
 */
export async function installCodeServer() {
  if (hasCodeServer()) return;
  const folder = join(toolsDir, 'code-server');
  console.log(
    `Installing code-server ${codeServerVersion} into .tools/code-server (once; some minutes, log in .tools/code-server.log)`,
  );
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({
      name: 'emberline-code-server',
      private: true,
      dependencies: { 'code-server': codeServerVersion },
      // code-server's own post-install step installs VS Code inside it with scripts of its own.
      allowScripts: Object.fromEntries(
        [
          'code-server',
          'argon2',
          'node-pty',
          'native-keymap',
          'native-watchdog',
          'kerberos',
          'windows-foreground-love',
          '@vscode/spdlog',
          '@vscode/sqlite3',
          '@parcel/watcher',
        ].map((name) => [name, true]),
      ),
    }),
  );
  const headers = nodeHeadersDir();
  await runLogged(
    'npm',
    ['install', '--no-audit', '--no-fund', '--no-package-lock', '--foreground-scripts'],
    join(toolsDir, 'code-server.log'),
    {
      cwd: folder,
      env: npmEnv({
        npm_config_ignore_scripts: 'false',
        // Older npm takes the approval from here, where the nested installation sees it too.
        ...(headers === undefined ? {} : { npm_config_nodedir: headers }),
        // Optimizing its native modules, which have little to do here, would take half of the time.
        CFLAGS: '-O0',
        CXXFLAGS: '-O0',
      }),
    },
  );
  writeFileSync(codeServerStamp, `${codeServerVersion}\n`);
}

/**
 * Brings the machine to where the product can be built; with `tests` also to where the suites run.
 * `workbench` says that a VS Code will be needed that is not installed, `cluster` that a scheduler
 * is wanted.
 */
export async function setUp({ tests = false, workbench = false, cluster = false } = {}) {
  const packages = [...buildPackages];
  const compiler = compilerVersion();
  if (compiler === undefined) packages.push('build-essential');
  if ((tests || workbench) && !hasCodeServer()) packages.push(...codeServerPackages);
  if (tests) packages.push('clang-format', 'clang-tidy');
  await installAptPackages(packages);
  if (tests && findChromium() === undefined) await installChromium();
  if (wantsIsal()) {
    try {
      await installAptPackages(isalPackages);
    } catch (error) {
      // Building it says what that means.
      if (!(error instanceof CommandError)) throw error;
      console.error(error.message);
    }
  }
  // Only root can start it, and nothing else needs it.
  if (cluster && process.platform === 'linux' && process.getuid() === 0 && which('apt-get')) {
    try {
      await installAptPackages(clusterPackages);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      console.error(`${error.message}\nThe tests with a scheduler are skipped.`);
    }
  }
  const version = compilerVersion();
  if (version === undefined) {
    throw new CommandError(
      'No C++ compiler was found: install g++ 11 or newer, or clang 14 or newer.',
    );
  }
  if (version < 11) {
    throw new CommandError(
      `The C++ compiler is version ${version}; C++20 needs g++ 11 or clang 14.`,
    );
  }
  installNpmPackages();
  await installIsal();
}

if (isMain(import.meta)) {
  await ensureNode();
  const workbench = process.argv.includes('--workbench');
  try {
    await whileBuilding(async () => {
      await setUp({ tests: process.argv.includes('--tests'), workbench });
      if (workbench) await installCodeServer();
    });
    console.log('Everything that is needed is there.');
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
