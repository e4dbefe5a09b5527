import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import * as vscode from 'vscode';

/** Scheme of read-only documents that show what is inside a compressed file. */
const textScheme = 'emberline-text';

/** Longer texts are cut: an editor gains nothing from more. */
const longestBytes = 16 * 1024 * 1024;

/** The text inside a gzipped file, up to a limit; of a damaged one what is before the damage. */
export async function inflatedText(path: string, limit = longestBytes): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  const source = createReadStream(path);
  const inflated = source.on('error', (error) => inflated.destroy(error)).pipe(createGunzip());
  try {
    for await (const part of inflated) {
      const bytes = part as Buffer;
      parts.push(bytes);
      size += bytes.length;
      if (size >= limit) break;
    }
  } catch (error) {
    if (size === 0) throw error;
  } finally {
    source.destroy();
  }
  return Buffer.concat(parts).toString('utf8', 0, Math.min(size, limit));
}

export function registerTextDocuments(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(textScheme, {
    provideTextDocumentContent: async (uri) => inflatedText(uri.fsPath),
  });
}

/** Shows a file that is no trace in the text editor; VS Code itself shows nothing of a compressed one. */
export async function openAsText(file: vscode.Uri): Promise<void> {
  if (!/\.gz$/i.test(file.path)) {
    await vscode.commands.executeCommand('vscode.openWith', file, 'default');
    return;
  }
  try {
    const document = await vscode.workspace.openTextDocument(file.with({ scheme: textScheme }));
    const json = await vscode.languages.setTextDocumentLanguage(document, 'json');
    await vscode.window.showTextDocument(json, { preview: true });
  } catch {
    // Not compressed after all, whatever its name says.
    await vscode.commands.executeCommand('vscode.openWith', file, 'default');
  }
}
