import * as vscode from 'vscode';
import { pathsChanged, sourceSettings } from '../workspace/config.ts';
import { ruleParams, sourceParams, type Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import { selectionOf } from '#shared/selection.ts';
import type { SourceResolveResult } from '#shared/protocol.ts';
import { profileTexts, sourceTexts } from '#shared/texts.ts';
import type { Annotations } from './annotations.ts';
import { findingsOf, type Finding, type FindingFrame } from './finding_list.ts';
import { labelText } from './format.ts';
import { lineNow } from './hints.ts';

/** More places than this are not marked for one profile. */
const mostFrames = 100;

interface Placed {
  finding: Finding;
  frame: FindingFrame;
  uri: vscode.Uri;
  /** 0-based, in the text of now where the document is open; undefined when its place was lost. */
  line: number | undefined;
}

/** The findings of the active profile: kept for the tree and the hover, shown as diagnostics. */
export class Findings implements vscode.Disposable {
  private readonly context: Context;
  private readonly annotations: Annotations;
  private readonly diagnostics = vscode.languages.createDiagnosticCollection('emberline');
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];
  private list: Finding[] = [];
  private placed: Placed[] = [];
  private key = '';
  private abort = new AbortController();

  constructor(context: Context, annotations: Annotations) {
    this.context = context;
    this.annotations = annotations;
    this.subscriptions = [
      this.diagnostics,
      this.changed,
      context.profiles.onChange.on(() => void this.update()),
      annotations.onDidChange((document) => this.follow(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('emberline.findings')) this.publish();
        if (pathsChanged(event)) void this.update(true);
      }),
    ];
  }

  /** Findings of the active profile. */
  get all(): readonly Finding[] {
    return this.list;
  }

  /** Texts of the findings on a line, 0-based. */
  on(uri: vscode.Uri, line: number): string[] {
    const address = uri.toString();
    return this.placed
      .filter((place) => place.line === line && place.uri.toString() === address)
      .map(({ finding }) => finding.text);
  }

  private async update(again = false): Promise<void> {
    const { active: profile } = this.context.profiles;
    const selection = profile?.active?.selection;
    const key =
      profile === undefined || selection === undefined
        ? ''
        : JSON.stringify([profile.path, profile.discovery?.profileId, selectionOf(selection)]);
    if (key === this.key && !again) return;
    this.key = key;
    this.abort.abort();
    this.abort = new AbortController();
    const { signal } = this.abort;
    let list: Finding[] = [];
    let placed: Placed[] = [];
    if (profile !== undefined && selection !== undefined) {
      try {
        const params = {
          ...selectionOf(selection),
          ...ruleParams('view/overview'),
          ...(await sourceParams(profile.path)),
        };
        list = findingsOf(await profile.forward('view/overview', params, { signal }));
        placed = await this.place(profile, list, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Asked again with the next change: the daemon may be on its way back.
        this.key = '';
        this.context.log.debug(`Findings: ${failureData(error).message}`);
      }
    }
    if (signal.aborted) return;
    this.list = list;
    this.placed = placed;
    for (const document of vscode.workspace.textDocuments) this.follow(document);
    this.publish();
    this.changed.fire();
  }

  private async place(
    profile: OpenProfile,
    list: readonly Finding[],
    signal: AbortSignal,
  ): Promise<Placed[]> {
    const files = new Map<string, vscode.Uri | undefined>();
    const params = await sourceParams(profile.path);
    const placed: Placed[] = [];
    for (const finding of list) {
      for (const frame of finding.frames) {
        if (placed.length >= mostFrames) return placed;
        if (!files.has(frame.file)) {
          const found = (await profile.forward(
            'source/resolve',
            { file: frame.file, ...params },
            { signal },
          )) as SourceResolveResult;
          files.set(frame.file, found.path === null ? undefined : vscode.Uri.file(found.path));
        }
        const uri = files.get(frame.file);
        if (uri !== undefined) placed.push({ finding, frame, uri, line: frame.line - 1 });
      }
    }
    return placed;
  }

  /** Findings move with their lines in a document that was changed since the recording. */
  private follow(document: vscode.TextDocument): void {
    const annotated = this.annotations.latest(document);
    if (annotated === undefined || !annotated.result.drifted) return;
    const address = document.uri.toString();
    let moved = false;
    for (const place of this.placed) {
      if (place.uri.toString() !== address) continue;
      const now = lineNow(annotated.result.lines, place.frame.file, place.frame.line);
      const line = now === undefined ? undefined : now - 1;
      moved ||= line !== place.line;
      place.line = line;
    }
    if (moved) this.publish();
  }

  private publish(): void {
    this.diagnostics.clear();
    if (!sourceSettings().findings) return;
    const byFile = new Map<string, { uri: vscode.Uri; list: vscode.Diagnostic[] }>();
    for (const { finding, uri, line } of this.placed) {
      if (line === undefined) continue;
      const range = new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER);
      const text = [finding.text, finding.action]
        .filter((part) => part !== '')
        .map(labelText)
        .join('\n');
      const diagnostic = new vscode.Diagnostic(range, text, vscode.DiagnosticSeverity.Information);
      diagnostic.source = profileTexts.product;
      diagnostic.code = finding.id;
      const file = byFile.get(uri.toString()) ?? { uri, list: [] };
      file.list.push(diagnostic);
      byFile.set(uri.toString(), file);
    }
    for (const { uri, list } of byFile.values()) this.diagnostics.set(uri, list);
  }

  dispose(): void {
    this.abort.abort();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}

/** Quick fixes of a finding: see its evidence in the profile, or take the code that helps. */
export class FindingActions implements vscode.CodeActionProvider {
  private readonly findings: Findings;

  constructor(findings: Findings) {
    this.findings = findings;
  }

  provideCodeActions(
    _document: vscode.TextDocument,
    _range: vscode.Range,
    context: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    const own = context.diagnostics.filter(({ source }) => source === 'PyTorch Profile');
    if (own.length === 0) return [];
    const action = (title: string, command: string, argument: unknown) => {
      const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      made.command = { title, command, arguments: [argument] };
      made.diagnostics = own;
      return made;
    };
    const actions = [action(sourceTexts.showInProfile, 'emberline.reveal', { view: 'overview' })];
    for (const { id, snippet } of this.findings.all) {
      if (snippet !== '' && own.some(({ code }) => code === id)) {
        actions.push(action(sourceTexts.copySuggested, 'emberline.copyText', snippet));
      }
    }
    return actions;
  }
}
