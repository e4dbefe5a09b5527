import * as vscode from 'vscode';
import type { EditorState, Navigation, ToHost, ToView } from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';
import { hostParamsOf, type Context } from '../workspace/context.ts';
import { openAsText } from './as_text.ts';
import { besideCode, closeTabLeftBehind, PagePanel, type PageOwner } from './page_panel.ts';
import { PanelSession } from './panel_session.ts';
import type { ProfileDocument } from './profile_document.ts';
import { profileScheme, shortTitle } from './profile_path.ts';

/** What one editor leaves to the one who knows all of them. */
export interface EditorOwner {
  onState(state: EditorState): void;
  openToSide(editor: OpenEditor, view: ViewName): Promise<void>;
}

/** One open editor: its panel, what stands behind it, and what waits for its page to run. */
export class OpenEditor implements vscode.Disposable, PageOwner {
  readonly document: ProfileDocument;
  readonly panel: vscode.WebviewPanel;
  readonly session: PanelSession;
  readonly page: PagePanel;
  private readonly owner: EditorOwner;

  constructor(
    document: ProfileDocument,
    panel: vscode.WebviewPanel,
    state: EditorState,
    context: Context,
    owner: EditorOwner,
  ) {
    this.document = document;
    this.panel = panel;
    this.owner = owner;
    const folder = vscode.Uri.joinPath(vscode.Uri.file(document.profile.path), '..');
    this.page = new PagePanel(panel, context, folder, this);
    this.session = new PanelSession(document.profile, context.supervisor, state, (message) =>
      this.post(message),
    );
  }

  /** Starts loading, and then the page that shows it. */
  start(): void {
    // Before there is a page to show it: the costs beside the source need no page, and an editor
    // that is hidden at once has none for long.
    void this.session.loadTrace();
    this.page.start(this.document.profile.title);
  }

  /** Tells the page, where one runs. */
  post(message: ToView): void {
    this.page.post(message);
  }

  /** Comes to the front and shows a view; a page that does not run yet shows it once it does. */
  navigate(to: Navigation): void {
    const column = besideCode(this.panel);
    if (column !== undefined) closeTabLeftBehind(this.panel, this.document.uri);
    this.page.showWith({ type: 'navigate', to }, column);
  }

  /** Shows a view as soon as the page runs. */
  navigateLater(to: Navigation): void {
    this.page.postLater({ type: 'navigate', to });
  }

  dispose(): void {
    this.session.dispose();
  }

  async handle(message: ToHost): Promise<void> {
    const { session } = this;
    switch (message.type) {
      case 'request': {
        const extra = await hostParamsOf(message.method, this.document.profile.path);
        await session.request(message.id, message.method, message.params, extra);
        break;
      }
      case 'state':
        session.setState(message.state);
        this.owner.onState(message.state);
        break;
      case 'openSource':
        await this.page.openFrame(this.document.profile, message.target, message.toSide);
        break;
      case 'openToSide':
        await this.owner.openToSide(this, message.view);
        break;
      case 'openAsText':
        await openAsText(vscode.Uri.file(this.document.profile.path));
        break;
      default:
        break;
    }
  }

  tellStart(): void {
    const { document, session } = this;
    this.post({
      type: 'init',
      title: shortTitle(document.profile.title),
      path: document.profile.path,
      isFile: document.uri.scheme !== profileScheme,
      state: session.state,
      ...this.page.common,
    });
  }
}
