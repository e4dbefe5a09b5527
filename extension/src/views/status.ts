import * as vscode from 'vscode';
import { sharedTexts } from '#shared/common_texts.ts';
import { profileTexts } from '#shared/texts.ts';
import type { Context } from '../workspace/context.ts';
import { labelText } from '../source/format.ts';

/** One status item: the active profile, and the daemon where something is wrong with it. */
export class StatusItem implements vscode.Disposable {
  private readonly context: Context;
  private readonly item = vscode.window.createStatusBarItem(
    'emberline.status',
    vscode.StatusBarAlignment.Right,
    50,
  );
  private readonly subscriptions: vscode.Disposable[];

  constructor(context: Context) {
    this.context = context;
    this.item.name = profileTexts.product;
    this.subscriptions = [
      this.item,
      context.profiles.onChange.on(() => this.update()),
      context.supervisor.onStatus.on(() => this.update()),
    ];
    this.update();
  }

  private update(): void {
    const { profiles, supervisor } = this.context;
    const profile = profiles.active;
    const { state, message } = supervisor.current;
    if (profile === undefined) {
      this.item.hide();
      return;
    }
    const stopped = state === 'stopped';
    const busy = state === 'starting' || state === 'restarting' || profile.condition === 'loading';
    const failed = profile.condition === 'failed';
    const icon = stopped ? 'error' : busy ? 'sync~spin' : failed ? 'warning' : 'flame';
    this.item.text = `$(${icon}) ${labelText(profile.title)}`;
    this.item.backgroundColor = stopped
      ? new vscode.ThemeColor('statusBarItem.errorBackground')
      : undefined;
    this.item.command = stopped ? 'emberline.restartDaemon' : 'emberline.chooseProfile';
    const tooltip = new vscode.MarkdownString(undefined, true);
    tooltip.isTrusted = {
      enabledCommands: ['emberline.chooseProfile', 'emberline.restartDaemon', 'emberline.showLog'],
    };
    tooltip.appendText(labelText(message ?? profile.path));
    if (failed) tooltip.appendText(`\n\n${profileTexts.notLoaded}`);
    tooltip.appendMarkdown(
      `\n\n[${profileTexts.choose}](command:emberline.chooseProfile) · ` +
        `[${sharedTexts.showLog}](command:emberline.showLog) · ` +
        `[${profileTexts.restart}](command:emberline.restartDaemon)`,
    );
    if (supervisor.serverVersion !== '') {
      tooltip.appendMarkdown(`\n\n${profileTexts.server(supervisor.serverVersion)}`);
    }
    this.item.tooltip = tooltip;
    this.item.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
