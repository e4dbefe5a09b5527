import * as vscode from 'vscode';
import { readComparison } from '#shared/comparison.ts';
import { readJob } from '#shared/job.ts';
import { compareScheme, jobScheme, profileScheme } from './profile_path.ts';

const permissions = vscode.FilePermission.Readonly;

/**
 * Lets VS Code find addresses of our schemes: an editor needs a resource that exists. There is
 * nothing to read in it; the editors ask the daemon.
 */
export class FolderFiles implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.changed,
      ...[profileScheme, compareScheme, jobScheme].map((scheme) =>
        vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true }),
      ),
    );
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    if (uri.scheme === compareScheme || uri.scheme === jobScheme) {
      // Whether its traces are still there is for the editor to say.
      const read = uri.scheme === jobScheme ? readJob : readComparison;
      if (read(uri.query) === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: 0, permissions };
    }
    const real = await vscode.workspace.fs.stat(vscode.Uri.file(uri.fsPath));
    return {
      type: vscode.FileType.File,
      ctime: real.ctime,
      mtime: real.mtime,
      size: 0,
      permissions,
    };
  }

  readFile(): Uint8Array {
    return new Uint8Array();
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.FileNotADirectory(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}
