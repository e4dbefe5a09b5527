import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ViewSelection } from '#shared/messages.ts';
import type { Context } from '../workspace/context.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import type { Run, Span, Worker } from '#shared/protocol.ts';
import { formatBytes } from '#shared/numbers.ts';
import { sourceTexts } from '#shared/texts.ts';
import { sharedTexts } from '#shared/common_texts.ts';
import { labelText } from '../source/format.ts';
import type { Finding } from '../source/finding_list.ts';
import type { Findings } from '../source/findings.ts';

type Node =
  | { kind: 'profile'; profile: OpenProfile }
  | { kind: 'run'; profile: OpenProfile; run: Run }
  | { kind: 'worker'; profile: OpenProfile; run: Run; worker: Worker }
  | { kind: 'span'; profile: OpenProfile; run: Run; worker: Worker; span: Span }
  | { kind: 'findings'; profile: OpenProfile }
  | { kind: 'finding'; profile: OpenProfile; finding: Finding };

const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;

/** The open profiles with their runs, workers, capture spans and findings. */
export class ProfilesTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly context: Context;
  private readonly findings: Findings;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly subscription: vscode.Disposable;

  constructor(context: Context, findings: Findings) {
    this.context = context;
    this.findings = findings;
    this.subscription = vscode.Disposable.from(
      context.profiles.onChange.on(() => this.changed.fire()),
      findings.onDidChange(() => this.changed.fire()),
    );
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) {
      return this.context.profiles.list.map((profile) => ({ kind: 'profile', profile }));
    }
    const { profile } = node;
    switch (node.kind) {
      case 'profile': {
        const runs = profile.discovery?.runs ?? [];
        const only = runs.length === 1 ? runs[0] : undefined;
        const below =
          only === undefined
            ? runs.map((run): Node => ({ kind: 'run', profile, run }))
            : this.workers(profile, only);
        const found = profile === this.context.profiles.active && this.findings.all.length > 0;
        return found ? [...below, { kind: 'findings', profile }] : below;
      }
      case 'run':
        return this.workers(profile, node.run);
      case 'worker':
        return (node.worker.spans ?? []).map((span) => ({ ...node, kind: 'span', span }));
      case 'findings':
        return this.findings.all.map((finding) => ({ kind: 'finding', profile, finding }));
      case 'span':
      case 'finding':
        return [];
    }
  }

  private workers(profile: OpenProfile, run: Run): Node[] {
    return run.workers.map((worker) => ({ kind: 'worker', profile, run, worker }));
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'profile':
        return this.profileItem(node.profile);
      case 'run': {
        const item = new vscode.TreeItem(labelText(node.run.name || 'run'), Expanded);
        item.iconPath = new vscode.ThemeIcon('folder');
        item.contextValue = node.run.workers.length > 1 ? 'trace.ranks' : 'trace';
        return item;
      }
      case 'worker': {
        const { run, worker, profile } = node;
        const item = new vscode.TreeItem(
          labelText(worker.name || 'worker'),
          worker.spans === undefined ? None : Collapsed,
        );
        item.iconPath = new vscode.ThemeIcon('server-process');
        item.description = formatBytes(worker.sizeBytes);
        this.link(item, profile, { run: run.name, worker: worker.name });
        return item;
      }
      case 'span': {
        const { run, worker, span, profile } = node;
        const item = new vscode.TreeItem(labelText(span.span || 'span'), None);
        item.iconPath = new vscode.ThemeIcon('clock');
        item.description = formatBytes(span.sizeBytes);
        item.tooltip = labelText(join(profile.path, span.file));
        this.link(item, profile, { run: run.name, worker: worker.name, span: span.span });
        return item;
      }
      case 'findings': {
        const item = new vscode.TreeItem(sharedTexts.findings, Collapsed);
        item.iconPath = new vscode.ThemeIcon('lightbulb');
        item.description = String(this.findings.all.length);
        return item;
      }
      case 'finding':
        return this.findingItem(node.finding);
    }
  }

  private profileItem(profile: OpenProfile): vscode.TreeItem {
    const item = new vscode.TreeItem(labelText(profile.title), Expanded);
    const active = profile === this.context.profiles.active;
    item.iconPath = new vscode.ThemeIcon(
      'flame',
      active ? new vscode.ThemeColor('charts.orange') : undefined,
    );
    item.description = active ? sourceTexts.shownInSource : undefined;
    item.tooltip = [profile.path, ...(active ? [sourceTexts.costsInSource] : [])]
      .map(labelText)
      .join('\n');
    const several = profile.discovery?.runs.some(({ workers }) => workers.length > 1) === true;
    item.contextValue = `${active ? 'profile.active' : 'profile'}${several ? '.ranks' : ''}`;
    item.command = {
      title: sharedTexts.show,
      command: 'emberline.selectTrace',
      arguments: [profile.path, undefined],
    };
    return item;
  }

  private findingItem(finding: Finding): vscode.TreeItem {
    const item = new vscode.TreeItem(labelText(finding.title), None);
    item.iconPath = new vscode.ThemeIcon(finding.severity === 'warning' ? 'warning' : 'info');
    item.tooltip = [finding.text, finding.action]
      .filter((text) => text !== '')
      .map(labelText)
      .join('\n\n');
    const frame = finding.frames[0];
    if (frame === undefined) {
      item.command = {
        title: sharedTexts.show,
        command: 'emberline.reveal',
        arguments: [{ view: 'overview' }],
      };
    } else {
      item.description = sourceTexts.atLine(frame.line);
      item.command = {
        title: sharedTexts.show,
        command: 'emberline.openFrame',
        arguments: [frame],
      };
    }
    return item;
  }

  private link(item: vscode.TreeItem, profile: OpenProfile, selection: ViewSelection): void {
    item.contextValue = 'trace';
    item.command = {
      title: sharedTexts.show,
      command: 'emberline.selectTrace',
      arguments: [profile.path, selection],
    };
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }
}
