import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { SideName } from '#shared/comparison.ts';
import type { SourceTarget, ToHost, ToView, WheelHabit } from '#shared/messages.ts';
import { profileTexts } from '#shared/texts.ts';
import { plainText } from '../source/format.ts';
import { locateSource, openSource, type SourceAsker } from '../source/open_source.ts';
import { wheelHabit } from '../workspace/config.ts';
import type { Context } from '../workspace/context.ts';
import { parseMessage } from './messages.ts';
import { pageHtml } from './page_html.ts';
import type { PageSession } from './page_session.ts';

/** Messages that every page's panel answers alike. */
const commonTypes = [
  'ready',
  'cancel',
  'cancelLoad',
  'retry',
  'width',
  'copy',
  'save',
  'showLog',
  'restartDaemon',
] as const;
type Common = Extract<ToHost, { type: (typeof commonTypes)[number] }>;
const commonSet: ReadonlySet<string> = new Set(commonTypes);

function isCommon(message: ToHost): message is Common {
  return commonSet.has(message.type);
}

/** What stands behind a panel: the session of its page, and what only its editor knows. */
export interface PageOwner {
  readonly session: PageSession;
  /** The page has just begun to run, and is told what it shows. */
  tellStart(): void;
  handle(message: Exclude<ToHost, Common>): Promise<void> | void;
}

/**
 * Where a panel comes to the front: beside the code that the user is looking at, never over it.
 * Undefined is the column where it is.
 */
export function besideCode(panel: vscode.WebviewPanel): vscode.ViewColumn | undefined {
  const code = vscode.window.activeTextEditor;
  const covers = code?.viewColumn !== undefined && code.viewColumn === panel.viewColumn;
  return covers && !panel.visible ? vscode.ViewColumn.Beside : undefined;
}

/**
 * Call before the panel of a custom editor comes up in another column: VS Code shows it there and
 * keeps its old tab, which has nothing to show any more. Closes that tab once the new one is there.
 */
export function closeTabLeftBehind(
  { viewColumn, viewType }: vscode.WebviewPanel,
  uri: vscode.Uri,
): void {
  const { tabGroups } = vscode.window;
  const isOurs = ({ input }: vscode.Tab): boolean =>
    input instanceof vscode.TabInputCustom &&
    input.viewType === viewType &&
    input.uri.toString() === uri.toString();
  const changes = tabGroups.onDidChangeTabs(({ opened }) => {
    if (!opened.some((tab) => isOurs(tab) && tab.group.viewColumn !== viewColumn)) return;
    changes.dispose();
    const old = tabGroups.all.find((group) => group.viewColumn === viewColumn)?.tabs.find(isOurs);
    if (old === undefined) return;
    // A tab that would have stayed must not give way to the next file that is opened beside.
    if (!old.isPreview) void vscode.commands.executeCommand('workbench.action.keepEditor');
    void tabGroups.close(old, true);
  });
}

/** A panel with our page: what waits for the page to run, and what pages of every kind ask for. */
export class PagePanel {
  readonly panel: vscode.WebviewPanel;
  private readonly context: Context;
  /** Where files are saved unless the user says otherwise. */
  private readonly folder: vscode.Uri;
  private readonly owner: PageOwner;
  /** False while the page is hidden: it is thrown away then and started again when shown. */
  private alive = false;
  /**
   * What a page has yet to show. It stays until a page has told its state after that: one that is
   * moved to another column starts twice, and the first takes what it heard with it.
   */
  private unheard: ToView[] = [];
  /** Files whose frames could not be opened; asking again means that the user wants to locate them. */
  private readonly missing = new Set<string>();

  constructor(panel: vscode.WebviewPanel, context: Context, folder: vscode.Uri, owner: PageOwner) {
    this.panel = panel;
    this.context = context;
    this.folder = folder;
    this.owner = owner;
    panel.onDidChangeViewState(() => {
      if (!panel.visible) this.alive = false;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => this.receive(message));
  }

  /** Starts the page. */
  start(title: string): void {
    const { webview } = this.panel;
    const media = vscode.Uri.joinPath(this.context.extension.extensionUri, 'extension', 'media');
    this.panel.iconPath = {
      light: vscode.Uri.joinPath(media, 'tab-light.svg'),
      dark: vscode.Uri.joinPath(media, 'tab-dark.svg'),
    };
    const dist = vscode.Uri.joinPath(this.context.extension.extensionUri, 'dist');
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const asset = (name: string) =>
      webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    const hasStyle = existsSync(vscode.Uri.joinPath(dist, 'webview.css').fsPath);
    webview.html = pageHtml({
      cspSource: webview.cspSource,
      scriptUri: asset('webview.js'),
      ...(hasStyle ? { styleUri: asset('webview.css') } : {}),
      title,
    });
  }

  /** Tells the page, where one runs. */
  post(message: ToView): void {
    // A page that is started again is told everything anew; answers to the old one are of no use.
    if (this.alive) void this.panel.webview.postMessage(message);
  }

  /** Tells the page as soon as one runs. */
  postLater(message: ToView): void {
    this.unheard.push(message);
  }

  /** Comes to the front and tells the page; one that does not run yet is told once it does. */
  showWith(message: ToView, column: vscode.ViewColumn | undefined): void {
    this.unheard = [message];
    this.panel.reveal(column, false);
    this.post(message);
  }

  /** The page runs: it is told how things stand, then comes what has waited. */
  private started(): void {
    this.alive = true;
    this.owner.tellStart();
    this.owner.session.ready();
    for (const message of this.unheard) this.post(message);
  }

  /** What every page is told at its start. */
  get common(): { reducedMotion: boolean; linkBase: string; wheel: WheelHabit } {
    const motion = vscode.workspace.getConfiguration('workbench').get<string>('reduceMotion');
    return {
      reducedMotion: motion === 'on',
      linkBase: `${vscode.env.uriScheme}://${this.context.extension.extension.id}`,
      wheel: wheelHabit(),
    };
  }

  /** Opens a frame of a trace; the page offers to locate its file by asking for it once more. */
  async openFrame(
    profile: SourceAsker,
    target: SourceTarget,
    toSide: boolean,
    side?: SideName,
  ): Promise<void> {
    const outcome = await openSource(profile, target, toSide);
    if (outcome === 'opened') this.missing.delete(target.file);
    if (outcome !== 'missing') return;
    if (this.missing.has(target.file)) {
      await locateSource(target, toSide);
      return;
    }
    this.missing.add(target.file);
    this.post({ type: 'sourceMissing', target, ...(side === undefined ? {} : { side }) });
  }

  private receive(value: unknown): void {
    const message = parseMessage(value);
    if (message === undefined) {
      this.context.log.warn('A page sent a message that is not understood');
      return;
    }
    if (message.type === 'state') this.unheard = [];
    const handled = async (): Promise<void> =>
      isCommon(message) ? this.handleCommon(message) : this.owner.handle(message);
    void handled().catch((error: unknown) => {
      this.context.log.error(`${message.type}: ${String(error)}`);
    });
  }

  private async handleCommon(message: Common): Promise<void> {
    const { session } = this.owner;
    switch (message.type) {
      case 'ready':
        this.started();
        break;
      case 'cancel':
        session.cancelRequest(message.id);
        break;
      case 'cancelLoad':
        session.cancelLoad();
        break;
      case 'retry':
        await session.loadTrace();
        break;
      case 'width':
        if (this.panel.visible && this.panel.viewColumn !== undefined) {
          this.context.groupWidths.tell(this.panel.viewColumn, message.px);
        }
        break;
      case 'copy':
        await vscode.env.clipboard.writeText(message.text);
        break;
      case 'save':
        await this.save(message);
        break;
      case 'showLog':
        this.context.log.show();
        break;
      case 'restartDaemon':
        await this.context.supervisor.restart();
        break;
    }
  }

  private async save(message: Extract<ToHost, { type: 'save' }>): Promise<void> {
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(this.folder, message.suggestedName),
    });
    if (target === undefined) return;
    const bytes = Buffer.from(message.content, message.base64 === true ? 'base64' : 'utf8');
    try {
      await vscode.workspace.fs.writeFile(target, bytes);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showErrorMessage(
        plainText(profileTexts.notWritten(target.fsPath, reason)),
      );
    }
  }
}
