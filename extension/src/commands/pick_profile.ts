import { basename } from 'node:path';
import * as vscode from 'vscode';
import { profileTexts } from '#shared/texts.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import { labelText } from '../source/format.ts';

/** More traces than this are not offered by name. */
const offeredTraces = 40;

interface Choice extends vscode.QuickPickItem {
  path?: string;
  browse?: 'file' | 'folder';
}

async function browse(kind: 'file' | 'folder'): Promise<string | undefined> {
  const picked = await vscode.window.showOpenDialog({
    title: kind === 'file' ? profileTexts.openTrace : profileTexts.openFolder,
    openLabel: profileTexts.openButton,
    canSelectFiles: kind === 'file',
    canSelectFolders: kind === 'folder',
    canSelectMany: false,
    ...(kind === 'file' ? { filters: { Traces: ['json', 'gz'], 'All files': ['*'] } } : {}),
  });
  return picked?.[0]?.fsPath;
}

/** Offers `open` profiles, the traces of the workspace, and to look for others. */
export async function pickProfile(options: {
  title: string;
  placeholder: string;
  open?: readonly OpenProfile[];
}): Promise<{ path: string } | undefined> {
  const pick = vscode.window.createQuickPick<Choice>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.matchOnDescription = true;
  // The Command Palette, or the list before this one, gives the focus back to the editor, and a page
  // takes it after this list has opened: that must not close it. Escape does.
  pick.ignoreFocusOut = true;
  const open = (options.open ?? []).map((profile): Choice => ({
    label: `$(flame) ${labelText(profile.title)}`,
    description: profileTexts.isOpen,
    detail: labelText(profile.detail),
    path: profile.path,
  }));
  const others: Choice[] = [
    { label: `$(file) ${profileTexts.chooseTrace}`, browse: 'file', alwaysShow: true },
    { label: `$(folder) ${profileTexts.chooseFolder}`, browse: 'folder', alwaysShow: true },
  ];
  pick.items = [...open, ...others];
  pick.busy = true;
  const search = new vscode.CancellationTokenSource();
  const found = vscode.workspace.findFiles(
    '**/{*.pt.trace.json,*.json.gz}',
    '**/{node_modules,.git}/**',
    offeredTraces,
    search.token,
  );
  void found.then((uris) => {
    const known = new Set(open.map(({ path }) => path));
    const traces = uris
      .filter(({ fsPath }) => !known.has(fsPath))
      .map((uri): Choice => ({
        label: `$(flame) ${basename(uri.fsPath)}`,
        description: vscode.workspace.asRelativePath(vscode.Uri.joinPath(uri, '..')),
        path: uri.fsPath,
      }))
      .sort((a, b) => (a.path ?? '').localeCompare(b.path ?? ''));
    pick.items = [...open, ...traces, ...others];
    pick.busy = false;
  });
  const choice = await new Promise<Choice | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
    pick.show();
  });
  search.cancel();
  search.dispose();
  pick.dispose();
  const path = choice?.browse === undefined ? choice?.path : await browse(choice.browse);
  return path === undefined ? undefined : { path };
}
