import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { costSettingsChanged, pathsChanged } from '../workspace/config.ts';
import { costParams, sourceParams, type Context } from '../workspace/context.ts';
import { failureData } from '../daemon/failure.ts';
import { forwardCompared } from '../daemon/compared.ts';
import type { OpenProfile, ShownComparison } from '../daemon/profiles.ts';
import { selectionOf } from '#shared/selection.ts';
import type {
  CompareAnnotationsResult,
  SourceAnnotationsResult,
  SourceHoverResult,
  SourceSavingsResult,
} from '#shared/protocol.ts';
import { textAt } from './git_text.ts';
import { onDidChangeInterpreter } from '../workspace/interpreter.ts';

/** The costs of one version of a document. */
export interface Annotated {
  profile: OpenProfile;
  version: number;
  result: SourceAnnotationsResult;
  /** What the lines would save; undefined where that cannot be said. */
  savings: SourceSavingsResult | undefined;
  /** What differs from the baseline, while a comparison is shown; `profile` is the candidate. */
  compared: CompareAnnotationsResult | undefined;
}

interface Entry {
  /** Version of the text and the profile that were asked about. */
  key: string;
  abort: AbortController;
  answer: Promise<Annotated | undefined>;
  /** The newest answer; that of an earlier version until the next one is there. */
  latest: Annotated | undefined;
}

/** How long typing must rest before the daemon is asked again, ms. */
const restMs = 250;
/** Longer documents are not source that somebody edits. */
const longestText = 4 * 1024 * 1024;

const schemes = new Set(['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote']);

/** Whether a document can have costs. */
export function isPython(document: vscode.TextDocument): boolean {
  return document.languageId === 'python' && schemes.has(document.uri.scheme);
}

export function isCell(document: vscode.TextDocument): boolean {
  return document.uri.scheme === 'vscode-notebook-cell';
}

/** By what old kernels named the file of a cell: `<ipython-input-3-0123456789ab>`. */
function cellDigests(text: string): string[] {
  // The kernel adds the line end that the editor leaves out.
  return ['sha1', 'md5'].flatMap((kind) =>
    [text, `${text}\n`].map((code) => createHash(kind).update(code).digest('hex').slice(0, 12)),
  );
}

/**
 * The costs of the open Python documents under the active profile: one request per document
 * version, shared by all surfaces, and none while the user types.
 */
export class Annotations implements vscode.Disposable {
  private readonly context: Context;
  private readonly changed = new vscode.EventEmitter<vscode.TextDocument>();
  /** The costs of a document are other ones than before, or are gone. */
  readonly onDidChange = this.changed.event;
  private readonly entries = new Map<string, Entry>();
  private readonly subscriptions: vscode.Disposable[];
  /** Grows with each change of what the daemon would answer for the same text. */
  private epoch = 0;
  private activeKey = '';

  constructor(context: Context) {
    this.context = context;
    this.subscriptions = [
      this.changed,
      context.profiles.onChange.on(() => this.onProfiles()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.entries.has(document.uri.toString())) {
          void this.of(document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document)),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (pathsChanged(event) || costSettingsChanged(event)) this.renew();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.renew()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.renew()),
      onDidChangeInterpreter(() => this.renew()),
    ];
  }

  /** The profile whose costs are shown; undefined while none is loaded. */
  get profile(): OpenProfile | undefined {
    const { active } = this.context.profiles;
    return active?.active === undefined ? undefined : active;
  }

  /** The comparison that is shown, as soon as both of its traces are loaded. */
  get comparison(): ShownComparison | undefined {
    const { comparison } = this.context.profiles;
    if (comparison === undefined) return undefined;
    const { baseline, candidate } = comparison.profiles;
    return baseline.active === undefined || candidate.active === undefined ? undefined : comparison;
  }

  private onProfiles(): void {
    const { profile, comparison } = this;
    const key =
      profile === undefined
        ? ''
        : JSON.stringify([
            profile.path,
            profile.discovery?.profileId,
            this.context.supervisor.current.generation,
            profile.active?.selection,
            comparison && [
              comparison.profiles.baseline.path,
              comparison.profiles.baseline.discovery?.profileId,
              comparison.selections,
              comparison.revision?.commit,
            ],
          ]);
    if (key === this.activeKey) return;
    this.activeKey = key;
    this.renew();
  }

  /** Asks again for every document that is shown. */
  private renew(): void {
    this.epoch++;
    for (const entry of this.entries.values()) entry.abort.abort();
    const shown = new Set<vscode.TextDocument>();
    for (const { document } of vscode.window.visibleTextEditors) {
      if (isPython(document)) shown.add(document);
    }
    if (this.profile === undefined) this.entries.clear();
    for (const document of shown) {
      if (this.profile === undefined) this.changed.fire(document);
      else void this.of(document);
    }
  }

  /** The newest costs at hand, possibly of an earlier version of the text. */
  latest(document: vscode.TextDocument): Annotated | undefined {
    return this.entries.get(document.uri.toString())?.latest;
  }

  /** The costs of the document's present text; undefined when there are none. */
  of(document: vscode.TextDocument): Promise<Annotated | undefined> {
    const { profile } = this;
    if (profile === undefined || !isPython(document)) return Promise.resolve(undefined);
    const uri = document.uri.toString();
    const key = `${this.epoch} ${document.version}`;
    const before = this.entries.get(uri);
    if (before?.key === key) return before.answer;
    before?.abort.abort();
    const abort = new AbortController();
    const typed = before !== undefined && before.key.startsWith(`${this.epoch} `);
    const entry: Entry = {
      key,
      abort,
      latest: before?.latest,
      answer: Promise.resolve(undefined),
    };
    entry.answer = this.ask(document, profile, entry, typed ? restMs : 0);
    this.entries.set(uri, entry);
    return entry.answer;
  }

  private async ask(
    document: vscode.TextDocument,
    profile: OpenProfile,
    entry: Entry,
    delayMs: number,
  ): Promise<Annotated | undefined> {
    const { version } = document;
    const { signal } = entry.abort;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (signal.aborted) return undefined;
    const text = document.getText();
    if (text.length > longestText || document.version !== version) return undefined;
    try {
      const { comparison } = this;
      const params = { ...(await this.documentParams(document, profile)), text };
      const selected = { ...params, ...selectionOf(profile.active?.selection ?? {}) };
      const { supervisor } = this.context;
      const [result, savings, compared] = await Promise.all([
        profile.forward('source/annotations', selected, { signal }),
        comparison === undefined ? this.savings(profile, selected, signal) : undefined,
        comparison === undefined
          ? undefined
          : forwardCompared(
              comparison,
              supervisor,
              'compare/annotations',
              { ...params, ...(await this.baselineText(document, comparison)) },
              { signal },
            ),
      ]);
      if (signal.aborted) return undefined;
      entry.latest = {
        profile,
        version,
        result: result as SourceAnnotationsResult,
        savings,
        compared: compared as CompareAnnotationsResult | undefined,
      };
      this.changed.fire(document);
      return entry.latest;
    } catch (error) {
      const failure = failureData(error);
      if (!signal.aborted) {
        this.context.log.debug(`${basename(document.uri.path)}: ${failure.message}`);
        // A failed request is not an answer: the next look at the document asks again.
        entry.key = '';
      }
      return undefined;
    }
  }

  /** Costs are shown without savings where peaks or rules of the settings cannot be used. */
  private async savings(
    profile: OpenProfile,
    selected: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<SourceSavingsResult | undefined> {
    const method = 'source/savings';
    try {
      const params = { ...selected, ...costParams(method) };
      return (await profile.forward(method, params, { signal })) as SourceSavingsResult;
    } catch (error) {
      if (!signal.aborted) this.context.log.debug(`Savings: ${failureData(error).message}`);
      return undefined;
    }
  }

  /** The document's text in the revision that the user named for the baseline. */
  private async baselineText(
    { uri }: vscode.TextDocument,
    { revision }: ShownComparison,
  ): Promise<{ baselineText?: string }> {
    // Git may run programs that a repository names: not in folders that the user does not trust.
    if (revision === undefined || uri.scheme !== 'file' || !vscode.workspace.isTrusted) return {};
    const text = await textAt(revision.commit, uri.fsPath);
    return text === undefined ? {} : { baselineText: text };
  }

  private async documentParams(
    document: vscode.TextDocument,
    profile: OpenProfile,
  ): Promise<Record<string, unknown>> {
    return {
      ...(await sourceParams(profile.path)),
      path: document.uri.fsPath,
      ...(isCell(document) ? { cell: true, digests: cellDigests(document.getText()) } : {}),
      ...(document.isUntitled && !isCell(document) ? { untitled: true } : {}),
    };
  }

  /** The breakdown of a line, 0-based, of the present text. */
  async hover(
    document: vscode.TextDocument,
    line: number,
    signal: AbortSignal,
  ): Promise<SourceHoverResult | undefined> {
    const { profile } = this;
    if (profile === undefined || !isPython(document)) return undefined;
    const params = {
      ...selectionOf(profile.active?.selection ?? {}),
      ...(await this.documentParams(document, profile)),
      text: document.getText(),
      line: line + 1,
    };
    return (await profile.forward('source/hover', params, { signal })) as SourceHoverResult;
  }

  private forget(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    this.entries.get(uri)?.abort.abort();
    this.entries.delete(uri);
  }

  dispose(): void {
    for (const { abort } of this.entries.values()) abort.abort();
    this.entries.clear();
    vscode.Disposable.from(...this.subscriptions).dispose();
  }
}
