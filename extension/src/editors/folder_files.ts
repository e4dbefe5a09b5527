import * as vscode from 'vscode';
import { profileScheme } from './profile_path.ts';

/**
 * Lets VS Code find addresses of our scheme: an editor needs a resource that exists. There is
 * nothing to read in it; the profile editor asks the daemon.
 */
export class FolderFiles implements vscode.FileSystemProvider {
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.changed,
      vscode.workspace.registerFileSystemProvider(profileScheme, this, { isReadonly: true }),
    );
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const real = await vscode.workspace.fs.stat(vscode.Uri.file(uri.fsPath));
    return {
      type: vscode.FileType.File,
      ctime: real.ctime,
      mtime: real.mtime,
      size: 0,
      permissions: vscode.FilePermission.Readonly,
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
