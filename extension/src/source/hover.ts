import * as vscode from 'vscode';
import { bothSides } from '#shared/comparison.ts';
import type { CompareAnnotationsResult } from '#shared/protocol.ts';
import { sourceSettings } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import type { Annotations } from './annotations.ts';
import { deltaMarkdown } from './deltas.ts';
import type { Findings } from './findings.ts';
import { showsDevice } from './hints.ts';
import { hoverMarkdown } from './hover_text.ts';
import { lineSaving } from './savings.ts';

/** The only commands that a hover may run. */
const commands = ['emberline.reveal', 'emberline.openFrame'];

/** What a line costs, by operator, kernel and caller. */
export class CostHover implements vscode.HoverProvider {
  private readonly context: Context;
  private readonly annotations: Annotations;
  private readonly findings: Findings;

  constructor(context: Context, annotations: Annotations, findings: Findings) {
    this.context = context;
    this.annotations = annotations;
    this.findings = findings;
  }

  /** Both sides of a line, while a comparison is shown. */
  private delta(
    document: vscode.TextDocument,
    line: number,
    compared: CompareAnnotationsResult,
  ): vscode.Hover | undefined {
    const { comparison } = this.annotations;
    if (comparison === undefined) return undefined;
    const titles = bothSides((side) => comparison.profiles[side].title);
    const text = deltaMarkdown(compared, line + 1, titles);
    if (text === undefined) return undefined;
    const markdown = new vscode.MarkdownString(text, true);
    markdown.supportHtml = true;
    return new vscode.Hover(markdown, document.lineAt(line).range);
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
    token: vscode.CancellationToken,
  ): Promise<vscode.Hover | undefined> {
    const settings = sourceSettings();
    if (!settings.hover) return undefined;
    const annotated = await this.annotations.of(document);
    if (annotated === undefined || token.isCancellationRequested) return undefined;
    const { line } = position;
    const { compared } = annotated;
    if (compared !== undefined) return this.delta(document, line, compared);
    if (!annotated.result.lines.some((cost) => cost.line === line + 1)) return undefined;
    const abort = new AbortController();
    token.onCancellationRequested(() => abort.abort());
    try {
      const result = await this.annotations.hover(document, line, abort.signal);
      if (result === undefined) return undefined;
      const text = hoverMarkdown(result, {
        device: showsDevice(settings.metric, annotated.result.hasDeviceWork),
        kind: annotated.result.deviceKind,
        saving: result.cost === null ? undefined : lineSaving(annotated.savings, result.cost),
        profile: annotated.profile.title,
        findings: this.findings.on(document.uri, line),
        link: (command, ...args) =>
          `command:${command}?${encodeURIComponent(JSON.stringify(args))}`,
      });
      if (text === undefined) return undefined;
      const markdown = new vscode.MarkdownString(text, true);
      markdown.supportHtml = true;
      markdown.isTrusted = { enabledCommands: commands };
      return new vscode.Hover(markdown, document.lineAt(line).range);
    } catch (error) {
      this.context.log.debug(`Hover: ${failureData(error).message}`);
      return undefined;
    }
  }
}
