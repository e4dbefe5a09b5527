// A VS Code served on localhost: starting one with folders of its own, installing the VSIX into it.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeServerDir } from '../setup.mjs';
import { CommandError } from './process.mjs';

/** Settings that keep a fresh VS Code quiet: no welcome page, no questions, no chat pane. */
export const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  'extensions.autoCheckUpdates': false,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  // The samples lie inside this repository, of which VS Code would ask; comparisons read its history.
  'git.openRepositoryInParentFolders': 'always',
};

const entry = () => join(codeServerDir(), 'out', 'node', 'entry.js');

/** Folders of one served VS Code; all of them below `home`. `trust`: folders that it opens are. */
export function workbenchFolders(home, { trust = true } = {}) {
  return { home, data: join(home, 'data'), extensions: join(home, 'extensions'), trust };
}

function environment(home) {
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    // Inside a terminal of VS Code these would send the request to that window.
    if (key.startsWith('VSCODE_') || key === 'PORT' || key === 'PASSWORD') delete env[key];
  }
  env.XDG_CONFIG_HOME = join(home, 'config');
  env.XDG_DATA_HOME = join(home, 'share');
  return env;
}

function commonArguments({ home, data, extensions, trust = true }) {
  return [
    '--config',
    join(home, 'code-server.yaml'),
    '--user-data-dir',
    data,
    '--extensions-dir',
    extensions,
    '--disable-telemetry',
    '--disable-update-check',
    // Otherwise folders open restricted until somebody trusts them.
    ...(trust ? ['--disable-workspace-trust'] : []),
  ];
}

/** Prepares the folders and installs the VSIX, replacing an older one of the same version. */
export function prepareWorkbench(folders, vsix, settings = {}) {
  if (!existsSync(entry())) {
    throw new CommandError('code-server is missing: node scripts/setup.mjs --workbench');
  }
  mkdirSync(join(folders.data, 'User'), { recursive: true });
  mkdirSync(folders.extensions, { recursive: true });
  writeFileSync(join(folders.home, 'code-server.yaml'), 'auth: none\ncert: false\n');
  writeSettings(folders, { ...keptSettings(folders), ...settings });
  const result = spawnSync(
    process.execPath,
    [entry(), ...commonArguments(folders), '--install-extension', vsix, '--force'],
    { encoding: 'utf8', env: environment(folders.home), timeout: 300_000 },
  );
  if (result.status !== 0) {
    throw new CommandError(
      `The extension could not be installed:\n${result.stdout ?? ''}${result.stderr ?? ''}`,
    );
  }
}

/** What somebody changed in the window stays when it is prepared again. */
function keptSettings(folders) {
  try {
    return readSettings(folders);
  } catch {
    return {};
  }
}

export function writeSettings(folders, settings) {
  writeFileSync(
    join(folders.data, 'User', 'settings.json'),
    `${JSON.stringify({ ...quietSettings, ...settings }, null, 2)}\n`,
  );
}

/** Settings as they are now, with what the window itself has written. */
export function readSettings(folders) {
  return JSON.parse(readFileSync(join(folders.data, 'User', 'settings.json'), 'utf8'));
}

/**
 * Starts the server and waits until it listens. `port` 0 takes a free one; `signal` withdraws the
 * start. `stop()` ends it with everything it started.
 */
export async function startCodeServer(
  folders,
  { port = 0, logFile, timeoutMs = 120_000, signal } = {},
) {
  const child = spawn(
    process.execPath,
    [entry(), ...commonArguments(folders), '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
    {
      cwd: folders.home,
      detached: true,
      env: environment(folders.home),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const kill = (name) => {
    try {
      process.kill(-child.pid, name);
    } catch {
      // Already gone.
    }
  };
  const atExit = () => kill('SIGKILL');
  process.once('exit', atExit);
  const ended = new Promise((resolve) => child.once('close', resolve));
  let text = '';
  const url = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      kill('SIGKILL');
      reject(new CommandError(`code-server did not start:\n${text}`));
    }, timeoutMs);
    const onData = (part) => {
      if (logFile !== undefined) appendFileSync(logFile, part);
      if (text.length < 100_000) text += part;
      const address = /listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    child.stdout.setEncoding('utf8').on('data', onData);
    child.stderr.setEncoding('utf8').on('data', onData);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      reject(
        new CommandError(
          signal?.aborted
            ? 'Interrupted while VS Code started.'
            : text.includes('EADDRINUSE')
              ? `Port ${port} is taken: name another one, or none for a free one.`
              : `code-server ended with ${code}:\n${text}`,
        ),
      );
    });
    if (signal?.aborted) kill('SIGKILL');
    signal?.addEventListener('abort', () => kill('SIGTERM'), { once: true });
  });
  return {
    url,
    ended,
    async stop() {
      kill('SIGTERM');
      const timer = setTimeout(() => kill('SIGKILL'), 5000);
      await ended;
      clearTimeout(timer);
      kill('SIGKILL');
      process.removeListener('exit', atExit);
    },
  };
}

/** Address of a folder, or of a file that describes a workspace, in the served VS Code. */
export function workbenchUrl(url, path) {
  const kind = path.endsWith('.code-workspace') ? 'workspace' : 'folder';
  return `${url}/?${new URLSearchParams({ [kind]: path })}`;
}
