import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { plainText } from '../source/format.ts';

/** How long a file must rest: a recorder writes large traces piece by piece. */
const restMs = 2000;

/**
 * Watches the file of a profile, or the traces below its folder, and asks once whether to load it
 * again when it was written anew.
 */
export class DiskWatch implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private readonly title: string;
  private readonly reload: () => void;
  private timer: NodeJS.Timeout | undefined;
  private asking = false;

  constructor(uri: vscode.Uri, isFolder: boolean, title: string, reload: () => void) {
    this.title = title;
    this.reload = reload;
    const file = vscode.Uri.file(uri.fsPath);
    const pattern = isFolder
      ? new vscode.RelativePattern(file, '**/*.pt.trace.json{,.gz}')
      : new vscode.RelativePattern(
          vscode.Uri.file(dirname(file.fsPath)),
          basename(file.fsPath).replace(/[[\]{}*?]/g, '[$&]'),
        );
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, false, false, true);
    this.subscription = vscode.Disposable.from(
      watcher,
      watcher.onDidChange(() => this.onChange()),
      watcher.onDidCreate(() => this.onChange()),
    );
  }

  private onChange(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), restMs);
  }

  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const reload = 'Reload';
    const answer = await vscode.window.showInformationMessage(
      `${plainText(this.title)} was written anew since it was opened.`,
      reload,
    );
    this.asking = false;
    if (answer === reload) this.reload();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }
}
