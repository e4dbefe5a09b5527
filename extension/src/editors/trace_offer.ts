import { basename } from 'node:path';
import * as vscode from 'vscode';
import { profileTexts } from '#shared/texts.ts';
import { plainText } from '../source/format.ts';
import { isPage } from '../source/open_source.ts';
import { offersTraces, updateSetting } from '../workspace/config.ts';
import { hasTraceName, viewTypeFor } from './profile_path.ts';
import { isPlainTrace } from './trace_peek.ts';

const offeredKey = 'emberline.offeredTraces';
/** So many files are remembered as offered. */
const rememberedFiles = 200;
const firstLookMs = 2000;

/** Whether a page of ours shows the file. */
const isShown = ({ fsPath }: vscode.Uri): boolean =>
  vscode.window.tabGroups.all.some(({ tabs }) =>
    tabs.some(({ input }) => isPage(input) && input.uri.fsPath === fsPath),
  );

/**
 * A trace under a plain name (`trace.json`) opens as text. Its editor gets a button in the title, and
 * the first time a notification, once per file, until the user has no more of them.
 */
export class TraceOffer implements vscode.Disposable {
  private readonly memory: vscode.Memento;
  private readonly subscription: vscode.Disposable;
  private readonly first: NodeJS.Timeout;
  /** What the files of this window turned out to be, by path. */
  private readonly known = new Map<string, boolean>();

  constructor(memory: vscode.Memento) {
    this.memory = memory;
    this.subscription = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(() => void this.look()),
      vscode.window.tabGroups.onDidChangeTabGroups(() => void this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => void this.look()),
    );
    // What started the extension may be the button itself, which is about to open the file.
    this.first = setTimeout(() => void this.look(), firstLookMs);
  }

  private async look(): Promise<void> {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== 'file') return;
    const path = input.uri.fsPath;
    if (!/\.json$/i.test(path) || hasTraceName(path) || this.known.has(path)) return;
    this.known.set(path, false);
    if (!(await isPlainTrace(path))) return;
    this.known.set(path, true);
    const traces = [...this.known].flatMap(([one, isTrace]) => (isTrace ? [one] : []));
    await vscode.commands.executeCommand('setContext', 'emberline.plainTraces', traces);
    await this.offer(input.uri);
  }

  private async offer(uri: vscode.Uri): Promise<void> {
    if (!offersTraces() || isShown(uri)) return;
    const offered = this.memory.get<string[]>(offeredKey, []);
    if (offered.includes(uri.fsPath)) return;
    await this.memory.update(offeredKey, [...offered, uri.fsPath].slice(-rememberedFiles));
    const open = profileTexts.openAsProfile;
    const answer = await vscode.window.showInformationMessage(
      plainText(profileTexts.isTrace(basename(uri.fsPath))),
      open,
      profileTexts.dontAskAgain,
    );
    if (answer === open) {
      await vscode.commands.executeCommand('vscode.openWith', uri, viewTypeFor(uri));
    } else if (answer === profileTexts.dontAskAgain) {
      await updateSetting('offerTraces', false);
    }
  }

  dispose(): void {
    clearTimeout(this.first);
    this.subscription.dispose();
  }
}
