import { basename } from 'node:path';
import * as vscode from 'vscode';
import { sharedTexts } from '#shared/common_texts.ts';
import type { SourceTarget } from '#shared/messages.ts';
import { addPathMapping } from '../workspace/config.ts';
import { sourceParams } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import type { SourceResolveResult } from '#shared/protocol.ts';
import { sourceTexts } from '#shared/texts.ts';
import { labelText, plainText } from './format.ts';
import { isRealFile, mappingOf } from './path_mappings.ts';

/** What is asked where a file lies: a profile, or what stands for one. */
export type SourceAsker = Pick<OpenProfile, 'path' | 'forward'>;

export type OpenOutcome = 'opened' | 'missing' | 'dismissed';

/**
 * Opens the file of a frame at its line. Where several files of the workspace fit, the user
 * chooses once and the choice is remembered.
 */
export async function openSource(
  profile: SourceAsker,
  target: SourceTarget,
  toSide: boolean,
): Promise<OpenOutcome> {
  if (!isRealFile(target.file)) {
    const name = target.function || target.file || sourceTexts.thisFrame;
    void vscode.window.showInformationMessage(plainText(sourceTexts.noPythonSource(name)));
    return 'dismissed';
  }
  let found: SourceResolveResult;
  try {
    found = (await profile.forward('source/resolve', {
      file: target.file,
      anywhere: true,
      ...(await sourceParams(profile.path)),
    })) as SourceResolveResult;
  } catch (error) {
    void vscode.window.showErrorMessage(plainText(failureData(error).message));
    return 'dismissed';
  }
  if (found.status === 'missing') return 'missing';
  if (found.status === 'ambiguous') return choose(found.candidates, target, toSide);
  if (found.path === null) return 'missing';
  await showLine(vscode.Uri.file(found.path), target.line, toSide);
  return 'opened';
}

async function choose(
  candidates: readonly string[],
  target: SourceTarget,
  toSide: boolean,
): Promise<OpenOutcome> {
  const picked = await vscode.window.showQuickPick(
    candidates.map((path) => ({
      label: labelText(basename(path)),
      description: labelText(vscode.workspace.asRelativePath(path)),
      path,
    })),
    { title: sourceTexts.whichFile(labelText(target.file)), placeHolder: sourceTexts.remembered },
  );
  if (picked === undefined) return 'dismissed';
  await remember(target.file, picked.path);
  await showLine(vscode.Uri.file(picked.path), target.line, toSide);
  return 'opened';
}

async function remember(recorded: string, located: string): Promise<void> {
  const mapping = mappingOf(recorded, located);
  if (mapping !== undefined && mapping.from !== mapping.to) await addPathMapping(mapping);
}

/** Asks for the file of a frame, opens it, and remembers where it lies. */
export async function locateSource(target: SourceTarget, toSide: boolean): Promise<boolean> {
  const name = basename(target.file.replace(/\\/g, '/'));
  const picked = await vscode.window.showOpenDialog({
    title: sourceTexts.locate(labelText(target.file)),
    openLabel: sourceTexts.useThisFile,
    filters: { Python: ['py', 'pyw', 'ipynb'] },
    canSelectMany: false,
  });
  const file = picked?.[0];
  if (file === undefined) return false;
  if (basename(file.fsPath) !== name) {
    void vscode.window.showWarningMessage(
      plainText(sourceTexts.notRemembered(basename(file.fsPath), name)),
    );
  }
  await remember(target.file, file.fsPath);
  await showLine(file, target.line, toSide);
  return true;
}

/** Opens a frame from outside a profile editor; says so and offers *Locate...* where it is missing. */
export async function openOrLocate(
  profile: OpenProfile,
  target: SourceTarget,
  toSide = false,
): Promise<void> {
  if ((await openSource(profile, target, toSide)) !== 'missing') return;
  const locate = sharedTexts.locate;
  const answer = await vscode.window.showWarningMessage(
    plainText(sourceTexts.notInWorkspace(target.file)),
    locate,
  );
  if (answer === locate) await locateSource(target, toSide);
}

/** Whether what a tab holds is a page of ours: a profile, a comparison or a job. */
export function isPage(input: unknown): input is vscode.TabInputCustom {
  return input instanceof vscode.TabInputCustom && input.viewType.startsWith('emberline.');
}

/**
 * Where code is shown: in a column that shows text already, else in one whose tab in front is no page
 * of ours, else in a new column. Pages and code stand beside each other, and neither covers the other.
 */
function codeColumn(): vscode.ViewColumn {
  const text = vscode.window.visibleTextEditors.find(
    ({ document, viewColumn }) =>
      viewColumn !== undefined && ['file', 'untitled'].includes(document.uri.scheme),
  );
  if (text?.viewColumn !== undefined) return text.viewColumn;
  const { activeTabGroup: active, all } = vscode.window.tabGroups;
  const free = [active, ...all].find(
    ({ activeTab }) => activeTab === undefined || !isPage(activeTab.input),
  );
  // VS Code makes a column that there is not yet.
  return free?.viewColumn ?? ((all.length + 1) as vscode.ViewColumn);
}

/** Shows a line in the middle of an editor, beside the page that leads to it. */
export async function showLine(uri: vscode.Uri, line: number, toSide: boolean): Promise<void> {
  const column = toSide ? vscode.ViewColumn.Beside : codeColumn();
  const document = await vscode.workspace.openTextDocument(uri);
  const row = Math.min(Math.max(0, line - 1), document.lineCount - 1);
  const range = document.lineAt(row).range;
  const start = new vscode.Position(row, document.lineAt(row).firstNonWhitespaceCharacterIndex);
  const editor = await vscode.window.showTextDocument(document, {
    viewColumn: column,
    preview: true,
    selection: new vscode.Range(start, start),
  });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
