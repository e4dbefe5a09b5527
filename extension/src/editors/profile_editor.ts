import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type {
  EditorState,
  Navigation,
  ToHost,
  ToView,
  ViewName,
  ViewSelection,
} from '#shared/messages.ts';
import { pathsChanged } from '../workspace/config.ts';
import { ruleParams, sourceParams, wantsSourceParams, type Context } from '../workspace/context.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import { plainText } from '../source/format.ts';
import { locateSource, openSource } from '../source/open_source.ts';
import { DiskWatch } from './disk_watch.ts';
import { parseMessage } from './messages.ts';
import { pageHtml } from './page_html.ts';
import { PanelSession } from './panel_session.ts';
import { profileScheme, profileViewType, shortTitle, traceViewType } from './profile_path.ts';
import { StateStore } from './state_store.ts';

/** A profile as VS Code's document: only its address; the daemon reads the file. */
class ProfileDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;
  readonly profile: OpenProfile;
  private readonly onDispose: () => void;

  constructor(uri: vscode.Uri, profile: OpenProfile, onDispose: () => void) {
    this.uri = uri;
    this.profile = profile;
    this.onDispose = onDispose;
  }

  dispose(): void {
    this.onDispose();
  }
}

/** The address under which VS Code opens a path in the profile editor. */
export async function profileUri(path: string): Promise<vscode.Uri> {
  const file = vscode.Uri.file(path);
  const stat = await vscode.workspace.fs.stat(file);
  const folder = (stat.type & vscode.FileType.Directory) !== 0;
  return folder ? file.with({ scheme: profileScheme }) : file;
}

/** One open editor: its panel, what stands behind it, and what waits for its page to run. */
interface Editor {
  document: ProfileDocument;
  panel: vscode.WebviewPanel;
  session: PanelSession;
  /** False while the page is hidden: it is thrown away then and started again when shown. */
  alive: boolean;
  queue: ToView[];
  /** Files whose frames could not be opened; asking again means that the user wants to locate them. */
  missing: Set<string>;
}

export class ProfileEditors implements vscode.CustomReadonlyEditorProvider<ProfileDocument> {
  private readonly context: Context;
  private readonly states: StateStore;
  private readonly editors = new Set<Editor>();
  /** State for the next editor of an address, when it is opened to show a certain view. */
  private readonly wanted = new Map<string, EditorState>();
  private readonly queued = new Map<string, Navigation>();

  constructor(context: Context) {
    this.context = context;
    this.states = new StateStore(context.extension.workspaceState);
    // Answers follow the settings that are sent along with the page's requests.
    context.extension.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!pathsChanged(event) && !event.affectsConfiguration('emberline.tensorCoreRules'))
          return;
        for (const editor of this.editors) this.post(editor, { type: 'refresh' });
      }),
    );
  }

  register(): vscode.Disposable {
    const register = (viewType: string) =>
      vscode.window.registerCustomEditorProvider(viewType, this, {
        supportsMultipleEditorsPerDocument: true,
        webviewOptions: { retainContextWhenHidden: false, enableFindWidget: false },
      });
    return vscode.Disposable.from(
      register(profileViewType),
      register(traceViewType),
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
    const watch = new DiskWatch(uri, isFolder, profile.title, () => this.reload(profile));
    return new ProfileDocument(uri, profile, () => {
      watch.dispose();
      profiles.release(profile);
    });
  }

  /** Reads a profile again in all of its editors. */
  private reload(profile: OpenProfile): void {
    profile.reopen();
    for (const { document, session } of this.editors) {
      if (document.profile === profile) void session.loadTrace();
    }
  }

  resolveCustomEditor(document: ProfileDocument, panel: vscode.WebviewPanel): void {
    const key = document.uri.toString();
    const state =
      this.wanted.get(key) ?? this.states.load(key, panel.viewColumn) ?? this.startState();
    this.wanted.delete(key);
    const editor: Editor = {
      document,
      panel,
      session: new PanelSession(document.profile, this.context.supervisor, state, (message) =>
        this.post(editor, message),
      ),
      alive: false,
      queue: [],
      missing: new Set(),
    };
    this.editors.add(editor);
    // Before there is a page to show it: the costs beside the source need no page, and an editor
    // that is hidden at once has none for long.
    void editor.session.loadTrace();
    const navigation = this.queued.get(key);
    this.queued.delete(key);
    if (navigation !== undefined) editor.queue.push({ type: 'navigate', to: navigation });
    const { webview } = panel;
    panel.onDidDispose(() => {
      this.editors.delete(editor);
      editor.session.dispose();
    });
    panel.onDidChangeViewState(() => {
      if (!panel.visible) editor.alive = false;
      if (panel.active) this.follow(editor);
    });
    webview.onDidReceiveMessage((message: unknown) => this.receive(editor, message));
    const dist = vscode.Uri.joinPath(this.context.extension.extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const asset = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    const hasStyle = existsSync(vscode.Uri.joinPath(dist, 'webview.css').fsPath);
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: asset('webview.js'),
      ...(hasStyle ? { styleUri: asset('webview.css') } : {}),
      title: document.profile.title,
    });
  }

  private startState(): EditorState {
    return { view: 'overview', selection: {}, views: {} };
  }

  /** The source surfaces show what the editor in front shows. */
  private follow(editor: Editor): void {
    this.context.profiles.activate(editor.document.profile);
    editor.session.becomeActive();
  }

  private post(editor: Editor, message: ToView): void {
    // A page that is started again is told everything anew; answers to the old one are of no use.
    if (editor.alive) void editor.panel.webview.postMessage(message);
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
      await vscode.commands.executeCommand('vscode.openWith', uri, profileViewType);
      return;
    }
    const message: ToView = { type: 'navigate', to };
    if (editor.alive) {
      editor.panel.reveal(undefined, false);
      this.post(editor, message);
    } else {
      editor.queue.push(message);
      editor.panel.reveal(undefined, false);
    }
  }

  /** Brings a profile's editor to the front, showing another of its traces where one is named. */
  async select(profile: OpenProfile, selection: ViewSelection | undefined): Promise<void> {
    const editor = [...this.editors].find(({ document }) => document.profile === profile);
    if (editor === undefined) return;
    editor.panel.reveal(undefined, false);
    if (selection === undefined) return;
    editor.session.state = { ...editor.session.state, selection };
    // A page that starts takes the selection from `init`.
    this.post(editor, { type: 'select', selection });
    await editor.session.loadTrace();
  }

  private receive(editor: Editor, value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) {
      this.context.log.warn('A profile page sent a message that is not understood');
      return;
    }
    void this.handle(editor, message).catch((error: unknown) => {
      this.context.log.error(`${message.type}: ${String(error)}`);
    });
  }

  private async handle(editor: Editor, message: ToHost): Promise<void> {
    const { session } = editor;
    switch (message.type) {
      case 'ready':
        this.onReady(editor);
        break;
      case 'request': {
        const extra = wantsSourceParams(message.method)
          ? await sourceParams()
          : ruleParams(message.method);
        await session.request(message.id, message.method, message.params, extra);
        break;
      }
      case 'cancel':
        session.cancelRequest(message.id);
        break;
      case 'state':
        session.setState(message.state);
        this.states.save(editor.document.uri.toString(), editor.panel.viewColumn, message.state);
        break;
      case 'openSource':
        await this.openFrame(editor, message);
        break;
      case 'copy':
        await vscode.env.clipboard.writeText(message.text);
        break;
      case 'save':
        await this.save(editor, message);
        break;
      case 'openToSide':
        await this.openToSide(editor, message.view);
        break;
      case 'cancelLoad':
        session.cancelLoad();
        break;
      case 'retry':
        await session.loadTrace();
        break;
      case 'showLog':
        this.context.log.show();
        break;
      case 'restartDaemon':
        await this.context.supervisor.restart();
        break;
    }
  }

  private onReady(editor: Editor): void {
    editor.alive = true;
    this.tellStart(editor);
    editor.session.ready();
    for (const message of editor.queue.splice(0)) this.post(editor, message);
  }

  private tellStart(editor: Editor): void {
    const { document, session } = editor;
    const motion = vscode.workspace.getConfiguration('workbench').get<string>('reduceMotion');
    this.post(editor, {
      type: 'init',
      title: shortTitle(document.profile.title),
      path: document.profile.path,
      state: session.state,
      reducedMotion: motion === 'on',
      linkBase: `${vscode.env.uriScheme}://${this.context.extension.extension.id}`,
    });
  }

  private async openFrame(
    editor: Editor,
    { target, toSide }: Extract<ToHost, { type: 'openSource' }>,
  ): Promise<void> {
    const outcome = await openSource(editor.document.profile, target, toSide);
    if (outcome === 'opened') editor.missing.delete(target.file);
    if (outcome !== 'missing') return;
    // The page offers to locate the file by asking for it once more.
    if (editor.missing.has(target.file)) {
      await locateSource(target, toSide);
      return;
    }
    editor.missing.add(target.file);
    this.post(editor, { type: 'sourceMissing', target });
  }

  private async save(editor: Editor, message: Extract<ToHost, { type: 'save' }>): Promise<void> {
    const folder = vscode.Uri.joinPath(vscode.Uri.file(editor.document.profile.path), '..');
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(folder, message.suggestedName),
    });
    if (target === undefined) return;
    const bytes = Buffer.from(message.content, message.base64 === true ? 'base64' : 'utf8');
    try {
      await vscode.workspace.fs.writeFile(target, bytes);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(
        plainText(`${target.fsPath} could not be written: ${reason}`),
      );
    }
  }

  private async openToSide(editor: Editor, view: ViewName): Promise<void> {
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
