import { basename } from 'node:path';
import * as vscode from 'vscode';
import { pathsChanged } from '../workspace/config.ts';
import { sourceParams, type Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import { selectionOf } from '#shared/selection.ts';
import type { HotLine, SourceHotLinesResult } from '#shared/protocol.ts';
import { formatShare, formatUs } from '#shared/numbers.ts';
import { labelText } from '../source/format.ts';

const shownLines = 30;

/** The hottest lines of the active profile by their own time, with their files here. */
export class HotLinesTree implements vscode.TreeDataProvider<HotLine>, vscode.Disposable {
  private readonly context: Context;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;
  private key = '';
  private device = true;

  constructor(context: Context) {
    this.context = context;
    this.subscription = vscode.Disposable.from(
      context.profiles.onChange.on(() => this.onProfiles()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (pathsChanged(event)) this.changed.fire();
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
    try {
      const params = {
        ...selectionOf(profile.active.selection),
        ...(await sourceParams(profile.path)),
        limit: shownLines,
      };
      const result = (await profile.forward('source/hotLines', params)) as SourceHotLinesResult;
      this.device = result.hasDeviceWork;
      return result.lines;
    } catch (error) {
      this.context.log.debug(`Hot lines: ${failureData(error).message}`);
      // Another daemon, or another profile, is asked again.
      this.key = '';
      return [];
    }
  }

  getTreeItem({ cost, path, share }: HotLine): vscode.TreeItem {
    const file = basename((path ?? cost.file).replace(/\\/g, '/'));
    const item = new vscode.TreeItem(
      labelText(`${file}:${cost.line}`),
      vscode.TreeItemCollapsibleState.None,
    );
    const us = this.device ? cost.deviceSelfUs : cost.hostSelfUs;
    const side = this.device ? 'GPU' : 'CPU';
    item.description = `${formatUs(us)} ${side} (${formatShare(share)})  ${labelText(cost.function)}`;
    item.iconPath = new vscode.ThemeIcon(path === null ? 'question' : 'flame');
    item.tooltip = [path ?? `${cost.file} (not found here)`, ...cost.operators.slice(0, 5)]
      .map(labelText)
      .join('\n');
    item.contextValue = 'hotLine';
    item.command = {
      title: 'Open',
      command: 'emberline.openFrame',
      arguments: [{ file: cost.file, line: cost.line, function: cost.function }],
    };
    return item;
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
