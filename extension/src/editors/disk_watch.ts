import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { profileTexts } from '#shared/texts.ts';
import { plainText } from '../source/format.ts';
import { digestEnding, hasTraceName } from './profile_path.ts';
import { isPlainTrace } from './trace_peek.ts';

/** How long a file must rest: a recorder writes large traces piece by piece. */
const restMs = 2000;

/** What tells one content of a file from another; '' while there is none. */
async function content(file: vscode.Uri): Promise<string> {
  try {
    const { size, mtime } = await vscode.workspace.fs.stat(file);
    return `${size} ${mtime}`;
  } catch {
    return '';
  }
}

const traces = '**/*.json{,.gz}';

/** Digests lie in the folder itself; traces beside them that have none are named. */
export const digestsAndTraces = `*.{${digestEnding.slice(1)},json,json.gz}`;

/** Whether the name of a file says that it is read. */
const hasKnownName = (path: string): boolean => path.endsWith(digestEnding) || hasTraceName(path);

/** Files of other names that are looked into when a folder is opened. */
const mostPlain = 1000;

/** Traces of a folder whose names do not say so. */
async function plainTraces(folder: vscode.Uri, deep: boolean): Promise<string[]> {
  // The search of files refuses an empty alternative, as in "{,.gz}".
  const pattern = new vscode.RelativePattern(folder, deep ? '**/*.json' : '*.json');
  const files = await vscode.workspace.findFiles(pattern, null, mostPlain);
  const paths = files.map(({ fsPath }) => fsPath).filter((path) => !hasKnownName(path));
  const found: string[] = [];
  // One by one: they are many, and nothing waits for them.
  for (const path of paths) if (await isPlainTrace(path)) found.push(path);
  return found;
}

/** How what is on disk is loaded again. */
export interface Reload {
  /** What was read of it, which several may show; undefined where each reads for itself. */
  profile?: { reopen(): void };
  load: () => void;
}

/** Questions that are open, by the path that they are about, with those whom the answer concerns. */
const questions = new Map<string, Set<DiskWatch>>();

/**
 * Watches the file of a profile, or the traces below its folder, and asks, once for all who watch it,
 * whether to load it again: when the file was written anew, or a trace of the folder was written, added
 * or removed.
 */
export class DiskWatch implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private readonly title: string;
  private readonly reload: Reload;
  private timer: NodeJS.Timeout | undefined;
  private disposed = false;
  private readonly path: string;
  private readonly file: vscode.Uri | undefined;
  /** The file as it was when it was opened or last asked about. */
  private known: Promise<string> | undefined;
  /** Traces of the folder whose names do not say so: of one that is gone, nothing else would tell. */
  private readonly plain = new Set<string>();

  /** `inFolder`: what is watched of a folder. */
  constructor(
    uri: vscode.Uri,
    isFolder: boolean,
    title: string,
    reload: Reload,
    inFolder = traces,
  ) {
    this.path = uri.fsPath;
    this.title = title;
    this.reload = reload;
    const file = vscode.Uri.file(uri.fsPath);
    if (!isFolder) {
      this.file = file;
      this.known = content(file);
    }
    const pattern = isFolder
      ? new vscode.RelativePattern(file, inFolder)
      : new vscode.RelativePattern(
          vscode.Uri.file(dirname(file.fsPath)),
          basename(file.fsPath).replace(/[[\]{}*?]/g, '[$&]'),
        );
    // Without the file of a profile there is nothing to load; a folder is loaded without it.
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, false, !isFolder);
    const onChange = (changed: vscode.Uri) => void this.onChange(changed);
    if (isFolder) void this.lookForPlain(file, inFolder === traces);
    this.subscription = vscode.Disposable.from(
      watcher,
      watcher.onDidChange(onChange),
      watcher.onDidCreate(onChange),
      watcher.onDidDelete(onChange),
    );
  }

  private async lookForPlain(folder: vscode.Uri, deep: boolean): Promise<void> {
    for (const path of await plainTraces(folder, deep)) this.plain.add(path);
  }

  /** Traces may have any name that ends in ".json", and folders hold other files that do. */
  private async matters({ fsPath }: vscode.Uri): Promise<boolean> {
    if (hasKnownName(fsPath) || this.plain.has(fsPath)) return true;
    if (!(await isPlainTrace(fsPath))) return false;
    this.plain.add(fsPath);
    return true;
  }

  private async onChange(changed: vscode.Uri): Promise<void> {
    // A log that is written all the time must not put off the question about a trace.
    if (this.file === undefined && !(await this.matters(changed))) return;
    if (this.disposed) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), restMs);
  }

  private async ask(): Promise<void> {
    if (!(await this.isAnother()) || this.disposed) return;
    // A folder may be open as a profile, as a job and in a comparison: one answer is for all of them.
    const asked = questions.get(this.path);
    if (asked !== undefined) {
      asked.add(this);
      return;
    }
    const concerned = new Set<DiskWatch>([this]);
    questions.set(this.path, concerned);
    const answer = await vscode.window.showInformationMessage(
      profileTexts.writtenAnew(plainText(this.title)),
      profileTexts.reload,
    );
    questions.delete(this.path);
    if (answer !== profileTexts.reload) return;
    const reloads = [...concerned].filter(({ disposed }) => !disposed).map(({ reload }) => reload);
    // All before the first is loaded: a profile that is forgotten later would end that.
    for (const profile of new Set(reloads.map(({ profile }) => profile))) profile?.reopen();
    for (const { load } of reloads) load();
  }

  /** A file that has only got its name is reported, too. */
  private async isAnother(): Promise<boolean> {
    if (this.file === undefined) return true;
    const [before, now] = [await this.known, await content(this.file)];
    this.known = Promise.resolve(now);
    return now !== '' && before !== now;
  }

  dispose(): void {
    this.disposed = true;
    clearTimeout(this.timer);
    this.subscription.dispose();
  }
}
