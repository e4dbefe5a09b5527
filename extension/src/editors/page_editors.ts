import * as vscode from 'vscode';
import type { EditorState } from '#shared/messages.ts';
import { wheelHabit } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import type { PagePanel } from './page_panel.ts';
import { StateStore } from './state_store.ts';

/** One open editor: its page, and what it needs to begin and to end. */
interface OpenPage extends vscode.Disposable {
  readonly page: PagePanel;
  start(): void;
}

/** What the editors of profiles, of comparisons and of jobs have in common: they show a page each. */
export abstract class PageEditors<
  Document extends vscode.CustomDocument,
  Editor extends OpenPage,
> implements vscode.CustomReadonlyEditorProvider<Document> {
  protected readonly context: Context;
  protected readonly states: StateStore;
  protected readonly editors = new Set<Editor>();
  /** State for the next editor of an address, where it is opened to show something certain. */
  protected readonly wanted = new Map<string, EditorState>();

  constructor(context: Context) {
    this.context = context;
    this.states = new StateStore(context.extension.workspaceState);
    context.extension.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration('emberline.timeline.wheel')) return;
        for (const editor of this.editors) editor.page.post({ type: 'wheel', wheel: wheelHabit() });
      }),
    );
  }

  abstract openCustomDocument(uri: vscode.Uri): Document;
  abstract resolveCustomEditor(document: Document, panel: vscode.WebviewPanel): void;

  protected registerAs(viewType: string): vscode.Disposable {
    return vscode.window.registerCustomEditorProvider(viewType, this, {
      supportsMultipleEditorsPerDocument: true,
      webviewOptions: { retainContextWhenHidden: false, enableFindWidget: false },
    });
  }

  /** Pages ask again after a change of a setting that is sent along with their requests. */
  protected refreshOn(
    changed: (event: vscode.ConfigurationChangeEvent) => boolean,
  ): vscode.Disposable {
    return vscode.workspace.onDidChangeConfiguration((event) => {
      if (!changed(event)) return;
      for (const editor of this.editors) editor.page.post({ type: 'refresh' });
    });
  }

  /** How an editor begins: as it was asked to, else as it was left, else with `start`. */
  protected stateOf(
    document: Document,
    panel: vscode.WebviewPanel,
    start: EditorState,
  ): EditorState {
    const key = document.uri.toString();
    const wanted = this.wanted.get(key);
    this.wanted.delete(key);
    return wanted ?? this.states.load(key, panel.viewColumn) ?? start;
  }

  /** Remembers how an editor is left. */
  protected save(document: Document, panel: vscode.WebviewPanel, state: EditorState): void {
    this.states.save(document.uri.toString(), panel.viewColumn, state);
  }

  /** Keeps an editor until its panel is closed. */
  protected keep(editor: Editor, panel: vscode.WebviewPanel): void {
    this.editors.add(editor);
    panel.onDidDispose(() => {
      this.editors.delete(editor);
      editor.dispose();
    });
  }
}
