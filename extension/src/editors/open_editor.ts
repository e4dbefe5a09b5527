import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { EditorState, Navigation, ToHost, ToView } from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';
import { plainText } from '../source/format.ts';
import { locateSource, openSource } from '../source/open_source.ts';
import { ruleParams, sourceParams, wantsSourceParams, type Context } from '../workspace/context.ts';
import { parseMessage } from './messages.ts';
import { pageHtml } from './page_html.ts';
import { PanelSession } from './panel_session.ts';
import type { ProfileDocument } from './profile_document.ts';
import { shortTitle } from './profile_path.ts';

/** What one editor leaves to the one who knows all of them. */
export interface EditorOwner {
  onState(editor: OpenEditor, state: EditorState): void;
  openToSide(editor: OpenEditor, view: ViewName): Promise<void>;
}

/** One open editor: its panel, what stands behind it, and what waits for its page to run. */
export class OpenEditor implements vscode.Disposable {
  readonly document: ProfileDocument;
  readonly panel: vscode.WebviewPanel;
  readonly session: PanelSession;
  private readonly context: Context;
  private readonly owner: EditorOwner;
  /** False while the page is hidden: it is thrown away then and started again when shown. */
  private alive = false;
  private readonly queue: ToView[] = [];
  /** Files whose frames could not be opened; asking again means that the user wants to locate them. */
  private readonly missing = new Set<string>();

  constructor(
    document: ProfileDocument,
    panel: vscode.WebviewPanel,
    state: EditorState,
    context: Context,
    owner: EditorOwner,
  ) {
    this.document = document;
    this.panel = panel;
    this.context = context;
    this.owner = owner;
    this.session = new PanelSession(document.profile, context.supervisor, state, (message) =>
      this.post(message),
    );
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.alive = false;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message));
  }

  /** Starts loading, and then the page that shows it. */
  start(): void {
    // Before there is a page to show it: the costs beside the source need no page, and an editor
    // that is hidden at once has none for long.
    void this.session.loadTrace();
    const { webview } = this.panel;
    const dist = vscode.Uri.joinPath(this.context.extension.extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const asset = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    const hasStyle = existsSync(vscode.Uri.joinPath(dist, 'webview.css').fsPath);
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: asset('webview.js'),
      ...(hasStyle ? { styleUri: asset('webview.css') } : {}),
      title: this.document.profile.title,
    });
  }

  /** Tells the page, where one runs. */
  post(message: ToView): void {
    // A page that is started again is told everything anew; answers to the old one are of no use.
    if (this.alive) void this.panel.webview.postMessage(message);
  }

  /** Comes to the front and shows a view; a page that does not run yet shows it once it does. */
  navigate(to: Navigation): void {
    const message: ToView = { type: 'navigate', to };
    if (!this.alive) this.queue.push(message);
    this.panel.reveal(undefined, false);
    this.post(message);
  }

  /** Shows a view as soon as the page runs. */
  navigateLater(to: Navigation): void {
    this.queue.push({ type: 'navigate', to });
  }

  dispose(): void {
    this.session.dispose();
  }

  private receive(value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) {
      this.context.log.warn('A profile page sent a message that is not understood');
      return;
    }
    void this.handle(message).catch((error: unknown) => {
      this.context.log.error(`${message.type}: ${String(error)}`);
    });
  }

  private async handle(message: ToHost): Promise<void> {
    const { session } = this;
    switch (message.type) {
      case 'ready':
        this.onReady();
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
        this.owner.onState(this, message.state);
        break;
      case 'openSource':
        await this.openFrame(message);
        break;
      case 'copy':
        await vscode.env.clipboard.writeText(message.text);
        break;
      case 'save':
        await this.save(message);
        break;
      case 'openToSide':
        await this.owner.openToSide(this, message.view);
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

  private onReady(): void {
    this.alive = true;
    this.tellStart();
    this.session.ready();
    for (const message of this.queue.splice(0)) this.post(message);
  }

  private tellStart(): void {
    const { document, session } = this;
    const motion = vscode.workspace.getConfiguration('workbench').get<string>('reduceMotion');
    this.post({
      type: 'init',
      title: shortTitle(document.profile.title),
      path: document.profile.path,
      state: session.state,
      reducedMotion: motion === 'on',
      linkBase: `${vscode.env.uriScheme}://${this.context.extension.extension.id}`,
    });
  }

  private async openFrame({
    target,
    toSide,
  }: Extract<ToHost, { type: 'openSource' }>): Promise<void> {
    const outcome = await openSource(this.document.profile, target, toSide);
    if (outcome === 'opened') this.missing.delete(target.file);
    if (outcome !== 'missing') return;
    // The page offers to locate the file by asking for it once more.
    if (this.missing.has(target.file)) {
      await locateSource(target, toSide);
      return;
    }
    this.missing.add(target.file);
    this.post({ type: 'sourceMissing', target });
  }

  private async save(message: Extract<ToHost, { type: 'save' }>): Promise<void> {
    const folder = vscode.Uri.joinPath(vscode.Uri.file(this.document.profile.path), '..');
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
}
