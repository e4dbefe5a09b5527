import { basename } from 'node:path';
import * as vscode from 'vscode';
import { pathsChanged } from '../workspace/config.ts';
import { sourceParams, type Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import { selectionOf } from '#shared/selection.ts';
import type { HotLine, SourceHotLinesResult } from '#shared/protocol.ts';
import { sourceTexts } from '#shared/texts.ts';
import type { Annotations } from '../source/annotations.ts';
import { labelText, shorten } from '../source/format.ts';
import { lineBeside, lineNow } from '../source/hints.ts';

const shownLines = 30;

/** The hottest lines of the active profile by their own time, with their files here. */
export class HotLinesTree implements vscode.TreeDataProvider<HotLine>, vscode.Disposable {
  private readonly context: Context;
  private readonly annotations: Annotations;
  private lines: HotLine[] = [];
  /** The key that `lines` were asked with; undefined while they are to be asked for. */
  private asked: string | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private key = '';
  private device = true;
  private deviceKind = 'GPU';

  constructor(context: Context, annotations: Annotations) {
    this.context = context;
    this.annotations = annotations;
    this.subscription = vscode.Disposable.from(
      context.profiles.onChange.on(() => this.onProfiles()),
      // The lines move with the text; which they are does not change.
      annotations.onDidChange(() => this.changed.fire()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!pathsChanged(event)) return;
        this.asked = undefined;
        this.changed.fire();
      }),
    );
  }

  private onProfiles(): void {
    const { active: profile } = this.context.profiles;
    const selection = profile?.active?.selection;
    const key =
      selection === undefined
        ? ''
        : JSON.stringify([profile?.path, profile?.discovery?.profileId, selectionOf(selection)]);
    if (key === this.key) return;
    this.key = key;
    this.changed.fire();
  }

  async getChildren(node?: HotLine): Promise<HotLine[]> {
    const { active: profile } = this.context.profiles;
    if (node !== undefined || profile?.active === undefined) return [];
    if (this.asked === this.key) return this.lines;
    const asked = this.key;
    try {
      const params = {
        ...selectionOf(profile.active.selection),
        ...(await sourceParams(profile.path)),
        limit: shownLines,
      };
      const result = (await profile.forward('source/hotLines', params)) as SourceHotLinesResult;
      this.device = result.hasDeviceWork;
      this.deviceKind = result.deviceKind;
      this.lines = result.lines;
      this.asked = asked;
      return this.lines;
    } catch (error) {
      this.context.log.debug(`Hot lines: ${failureData(error).message}`);
      // Another daemon, or another profile, is asked again.
      this.key = '';
      this.asked = undefined;
      return [];
    }
  }

  getTreeItem({ cost, path, share, text }: HotLine): vscode.TreeItem {
    const file = basename((path ?? cost.file).replace(/\\/g, '/'));
    const now = this.lineNow(cost.file, cost.line, path);
    const changed = now?.changed === true;
    const line = now?.line ?? cost.line;
    // A line that was changed keeps its rank and what it said.
    const shown = now === undefined || changed ? text : now.text;
    const us = this.device ? cost.deviceSelfUs : cost.hostSelfUs;
    const item = new vscode.TreeItem(
      sourceTexts.hotLine(us, labelText(shown === '' ? `${file}:${line}` : shorten(shown, 60))),
      vscode.TreeItemCollapsibleState.None,
    );
    const side = this.device ? this.deviceKind : 'CPU';
    const place = shown === '' ? labelText(cost.function) : labelText(`${file}:${line}`);
    item.description = sourceTexts.hotLinePlace(share, place, changed);
    item.iconPath = new vscode.ThemeIcon(path === null ? 'question' : changed ? 'edit' : 'flame');
    item.tooltip = [
      path === null ? sourceTexts.notFoundHere(cost.file) : `${path}:${line}`,
      sourceTexts.selfTime(cost.function, us, side),
      ...(changed ? [sourceTexts.changedLine] : []),
      ...cost.operators.slice(0, 5),
    ]
      .map(labelText)
      .join('\n');
    item.contextValue = 'hotLine';
    item.command = {
      title: sourceTexts.open,
      command: 'emberline.openFrame',
      arguments: [{ file: cost.file, line, function: cost.function }],
    };
    return item;
  }

  /** Where a line is in the open document; undefined where it is not open. A changed line keeps its rank. */
  private lineNow(
    file: string,
    recorded: number,
    path: string | null,
  ): { line: number; text: string; changed: boolean } | undefined {
    if (path === null) return undefined;
    const document = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === path);
    const annotated = document === undefined ? undefined : this.annotations.latest(document);
    if (document === undefined || annotated?.version !== document.version) return undefined;
    const { lines } = annotated.result;
    const line = lineNow(lines, file, recorded);
    if (line === undefined || line > document.lineCount) {
      const beside = lineBeside(lines, file, recorded);
      return { line: Math.max(1, Math.min(beside, document.lineCount)), text: '', changed: true };
    }
    return { line, text: document.lineAt(line - 1).text.trim(), changed: false };
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
