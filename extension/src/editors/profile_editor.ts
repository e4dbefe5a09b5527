import * as vscode from 'vscode';
import type { EditorState, Navigation, ViewSelection } from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import { pathsChanged, rulesChanged } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import { DiskWatch } from './disk_watch.ts';
import { PageEditors } from './page_editors.ts';
import { OpenEditor } from './open_editor.ts';
import { ProfileDocument } from './profile_document.ts';
import { profileScheme, profileViewType, traceViewType, viewTypeFor } from './profile_path.ts';

/** The address under which VS Code opens a path in the profile editor. */
export async function profileUri(path: string): Promise<vscode.Uri> {
  const file = vscode.Uri.file(path);
  const stat = await vscode.workspace.fs.stat(file);
  const folder = (stat.type & vscode.FileType.Directory) !== 0;
  return folder ? file.with({ scheme: profileScheme }) : file;
}

const startState: EditorState = { view: 'overview', selection: {}, views: {} };

export class ProfileEditors extends PageEditors<ProfileDocument, OpenEditor> {
  private readonly queued = new Map<string, Navigation>();

  constructor(context: Context) {
    super(context);
    context.extension.subscriptions.push(
      this.refreshOn((event) => pathsChanged(event) || rulesChanged(event)),
    );
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.registerAs(profileViewType),
      this.registerAs(traceViewType),
      // VS Code opens a new editor for the new name.
      vscode.workspace.onWillRenameFiles(({ files }) => {
        for (const { oldUri, newUri } of files) {
          for (const scheme of ['file', profileScheme]) {
            this.states.move(
              oldUri.with({ scheme }).toString(),
              newUri.with({ scheme }).toString(),
            );
          }
        }
      }),
    );
  }

  openCustomDocument(uri: vscode.Uri): ProfileDocument {
    const { profiles } = this.context;
    const profile = profiles.acquire(uri.fsPath);
    profiles.activate(profile);
    const isFolder = uri.scheme === profileScheme;
    const watch = new DiskWatch(uri, isFolder, profile.title, {
      profile,
      load: () => this.reload(profile),
    });
    return new ProfileDocument(uri, profile, () => {
      watch.dispose();
      profiles.release(profile);
    });
  }

  /** Reads a profile again in all of its editors. */
  private reload(profile: OpenProfile): void {
    for (const { document, session } of this.editors) {
      if (document.profile === profile) void session.loadTrace();
    }
  }

  resolveCustomEditor(document: ProfileDocument, panel: vscode.WebviewPanel): void {
    const key = document.uri.toString();
    const state = this.stateOf(document, panel, startState);
    const editor = new OpenEditor(document, panel, state, this.context, {
      onState: (next) => this.save(document, panel, next),
      openToSide: (from, view) => this.openToSide(from, view),
    });
    this.keep(editor, panel);
    panel.onDidChangeViewState(() => {
      if (panel.active) this.follow(editor);
    });
    const navigation = this.queued.get(key);
    this.queued.delete(key);
    if (navigation !== undefined) editor.navigateLater(navigation);
    editor.start();
  }

  /** The source surfaces show what the editor in front shows. */
  private follow(editor: OpenEditor): void {
    this.context.profiles.activate(editor.document.profile);
    editor.session.becomeActive();
  }

  /** Shows a view of a profile, opening an editor where there is none. */
  async navigate(profile: OpenProfile, to: Navigation): Promise<void> {
    const candidates = [...this.editors].filter(({ document }) => document.profile === profile);
    const editor =
      candidates.find(({ panel }) => panel.active) ??
      candidates.find(({ panel }) => panel.visible) ??
      candidates[0];
    if (editor === undefined) {
      const uri = await profileUri(profile.path);
      this.queued.set(uri.toString(), to);
      const column =
        vscode.window.activeTextEditor === undefined ? undefined : vscode.ViewColumn.Beside;
      await vscode.commands.executeCommand('vscode.openWith', uri, viewTypeFor(uri), column);
      return;
    }
    editor.navigate(to);
  }

  /** Brings a profile's editor to the front, showing another of its traces where one is named. */
  async select(profile: OpenProfile, selection: ViewSelection | undefined): Promise<void> {
    const editor = [...this.editors].find(({ document }) => document.profile === profile);
    if (editor === undefined) return;
    editor.panel.reveal(undefined, false);
    if (selection === undefined) return;
    editor.session.state = { ...editor.session.state, selection };
    // A page that starts takes the selection from `init`.
    editor.post({ type: 'select', selection });
    await editor.session.loadTrace();
  }

  private async openToSide(editor: OpenEditor, view: ViewName): Promise<void> {
    const { uri } = editor.document;
    this.wanted.set(uri.toString(), { ...editor.session.state, view });
    await vscode.commands.executeCommand(
      'vscode.openWith',
      uri,
      editor.panel.viewType,
      vscode.ViewColumn.Beside,
    );
  }
}
