import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** The part of the Python extension's interface that is used here. */
interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(): { path: string };
    onDidChangeActiveEnvironmentPath?: vscode.Event<unknown>;
    resolveEnvironment(path: unknown): Promise<{ executable: { sysPrefix?: string } } | undefined>;
  };
}

let known: { key: string; folders: string[] } | undefined;
let watched: vscode.Disposable | undefined;
let activating = false;
const changed = new vscode.EventEmitter<void>();

/** Another interpreter is selected than before, or one at all. */
export const onDidChangeInterpreter = changed.event;

/**
 * The Python extension's interface. It is started where it has not been yet, without waiting: costs
 * are shown at once, and again when the interpreter is known.
 */
function environmentsOf(python: vscode.Extension<PythonApi>): PythonApi['environments'] {
  if (!python.isActive) {
    if (!activating) {
      activating = true;
      python.activate().then(
        () => changed.fire(),
        () => undefined,
      );
    }
    return undefined;
  }
  const environments = python.exports.environments;
  watched ??= environments?.onDidChangeActiveEnvironmentPath?.(() => changed.fire());
  return environments;
}

async function foldersOf(prefix: string): Promise<string[]> {
  if (process.platform === 'win32') return [join(prefix, 'Lib', 'site-packages')];
  const lib = join(prefix, 'lib');
  const names = await readdir(lib).catch(() => [] as string[]);
  return names
    .filter((name) => /^python3\.\d+$/.test(name))
    .flatMap((name) => [join(lib, name, 'site-packages'), join(lib, name, 'dist-packages')]);
}

/**
 * Folders with the packages of the interpreter that the Python extension has selected; none when
 * there is no such extension. Untrusted workspaces choose no interpreter for us.
 */
export async function interpreterSitePackages(): Promise<string[]> {
  if (!vscode.workspace.isTrusted) return [];
  const python = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (python === undefined) return [];
  const environments = environmentsOf(python);
  if (environments === undefined) return [];
  try {
    const active = environments.getActiveEnvironmentPath();
    if (known?.key === active.path) return known.folders;
    const resolved = await environments.resolveEnvironment(active);
    const prefix = resolved?.executable.sysPrefix;
    const folders = prefix === undefined ? [] : await foldersOf(prefix);
    known = { key: active.path, folders };
    return folders;
  } catch {
    return [];
  }
}
