import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import {
  bothSides,
  readComparison,
  sideNames,
  swapped,
  writeComparison,
  type Comparison,
  type SideName,
  type Sides,
} from '#shared/comparison.ts';
import type { EditorState, Navigation, ToHost, ViewSelection } from '#shared/messages.ts';
import { selectionOf, traceOf } from '#shared/selection.ts';
import { profileTexts } from '#shared/texts.ts';
import type { OpenProfile, SourceRevision } from '../daemon/profiles.ts';
import { commitOf } from '../source/git_text.ts';
import { pathsChanged, rulesChanged } from '../workspace/config.ts';
import { hostParamsOf, type Context } from '../workspace/context.ts';
import { ComparisonSession } from './comparison_session.ts';
import { DiskWatch } from './disk_watch.ts';
import { PageEditors } from './page_editors.ts';
import { PagePanel, type PageOwner } from './page_panel.ts';
import { compareScheme, compareViewType, mayHoldTrace, shortTitle } from './profile_path.ts';

/** What of a side tells it from the other, where their files have one name. */
function sideTitle(comparison: Comparison, side: SideName): string {
  const { path, worker, span, run, steps } = comparison[side];
  const other = swapped(comparison)[side];
  const title = shortTitle(basename(path));
  if (title !== shortTitle(basename(other.path))) return title;
  const parts: [string | undefined, string | undefined][] = [
    [run, other.run],
    [worker, other.worker],
    [span, other.span],
    [
      steps === undefined ? undefined : profileTexts.steps(steps),
      other.steps && profileTexts.steps(other.steps),
    ],
  ];
  const different = parts.filter(([own, others]) => own !== others).map(([own]) => own ?? 'all');
  if (path !== other.path) different.unshift(basename(dirname(path)));
  return different.length === 0 ? title : `${title} (${different.join(', ')})`;
}

const revisionsKey = 'emberline.baselineRevisions';

/** The revisions that the user named for profiles, by their paths. */
function revisionsOf({ extension }: Context): Record<string, SourceRevision> {
  return extension.workspaceState.get<Record<string, SourceRevision>>(revisionsKey, {});
}

/** The commit of a revision in the first folder of the workspace that knows it. */
async function findRevision(name: string): Promise<SourceRevision | undefined> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    const commit = uri.scheme === 'file' ? await commitOf(uri.fsPath, name) : undefined;
    if (commit !== undefined) return { name: name.trim(), commit };
  }
  return undefined;
}

/** The address of a comparison; its last part is the title of the tab. */
export function comparisonUri(comparison: Comparison): vscode.Uri {
  const names = sideNames.map((side) => sideTitle(comparison, side).replace(/[/\\]/g, '_'));
  return vscode.Uri.from({
    scheme: compareScheme,
    path: `/${names.join(' \u2194 ')}`,
    query: writeComparison(comparison),
  });
}

/** Two profiles as VS Code's document: only their addresses; the daemon reads the files. */
class ComparisonDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;
  readonly comparison: Comparison;
  readonly profiles: Sides<OpenProfile>;
  private readonly context: Context;

  constructor(uri: vscode.Uri, comparison: Comparison, context: Context) {
    this.uri = uri;
    this.comparison = comparison;
    this.context = context;
    this.profiles = bothSides((side) => context.profiles.acquire(comparison[side].path));
  }

  dispose(): void {
    for (const side of sideNames) this.context.profiles.release(this.profiles[side]);
  }
}

/** What one comparison leaves to the one who knows all of them, and the profile editors. */
interface ComparisonOwner {
  onState(state: EditorState): void;
  swapSides(editor: OpenComparison, state: EditorState): Promise<void>;
  showInProfile(
    profile: OpenProfile,
    selection: ViewSelection | undefined,
    to: Navigation,
  ): Promise<void>;
}

/** One open comparison: its panel, and what stands behind it. */
class OpenComparison implements vscode.Disposable, PageOwner {
  readonly document: ComparisonDocument;
  readonly page: PagePanel;
  readonly session: ComparisonSession;
  private readonly context: Context;
  private readonly owner: ComparisonOwner;
  private readonly watches: vscode.Disposable[];

  constructor(
    document: ComparisonDocument,
    panel: vscode.WebviewPanel,
    state: EditorState,
    context: Context,
    owner: ComparisonOwner,
  ) {
    this.document = document;
    this.context = context;
    this.owner = owner;
    const { profiles } = document;
    const folder = vscode.Uri.file(dirname(profiles.candidate.path));
    this.page = new PagePanel(panel, context, folder, this);
    this.session = new ComparisonSession(profiles, context.supervisor, state, (message) =>
      this.page.post(message),
    );
    this.session.revision = revisionsOf(context)[profiles.baseline.path];
    this.watches = sideNames
      .map((side) => profiles[side])
      .filter((profile, index, all) => all.indexOf(profile) === index)
      .map((profile) => {
        const uri = vscode.Uri.file(profile.path);
        const isFolder = !mayHoldTrace(profile.path);
        return new DiskWatch(uri, isFolder, profile.title, {
          profile,
          load: () => void this.session.loadTrace(),
        });
      });
  }

  start(): void {
    void this.session.loadTrace();
    this.page.start(basename(this.document.uri.path));
  }

  dispose(): void {
    for (const watch of this.watches) watch.dispose();
    this.context.profiles.comparisonChanged(this.session, false);
    this.session.dispose();
  }

  async handle(message: ToHost): Promise<void> {
    const { session, page } = this;
    const { profiles } = this.document;
    switch (message.type) {
      case 'request': {
        const { id, method, params, side } = message;
        const { path } = profiles[side ?? 'candidate'];
        await session.request(id, method, params, side, await hostParamsOf(method, path));
        break;
      }
      case 'state':
        session.setState(message.state);
        this.context.profiles.comparisonChanged(session, true);
        this.owner.onState(message.state);
        break;
      case 'openSource':
        await page.openFrame(
          profiles[message.side ?? 'candidate'],
          message.target,
          message.toSide,
          message.side,
        );
        break;
      case 'showInProfile': {
        const { side, to } = message;
        const trace = traceOf(session.selections[side]);
        const selection = Object.keys(trace).length === 0 ? undefined : trace;
        await this.owner.showInProfile(profiles[side], selection, { view: 'timeline', ...to });
        break;
      }
      case 'swapSides':
        await this.owner.swapSides(this, message.state);
        break;
      default:
        break;
    }
  }

  tellStart(): void {
    const { document, session, page } = this;
    const { comparison, profiles } = document;
    page.post({
      type: 'init',
      title: basename(document.uri.path),
      path: sideNames.map((side) => comparison[side].path).join(' \u2194 '),
      state: session.state,
      sides: bothSides((side) => ({
        title: shortTitle(profiles[side].title),
        path: profiles[side].path,
        selection: session.selections[side],
      })),
      ...page.common,
    });
  }
}

/** The editors that compare two profiles. */
export class ComparisonEditors extends PageEditors<ComparisonDocument, OpenComparison> {
  private readonly showInProfile: ComparisonOwner['showInProfile'];

  constructor(context: Context, showInProfile: ComparisonOwner['showInProfile']) {
    super(context);
    this.showInProfile = showInProfile;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(
      this.registerAs(compareViewType),
      this.refreshOn((event) => pathsChanged(event) || rulesChanged(event)),
    );
  }

  /** Opens a comparison, or shows the tab that it has. */
  async open(comparison: Comparison, column?: vscode.ViewColumn): Promise<void> {
    const uri = comparisonUri(comparison);
    await vscode.commands.executeCommand('vscode.openWith', uri, compareViewType, column);
  }

  /** Brings the comparison that the source shows to the front, at one of its tables. */
  reveal(tab: string, filter: string): void {
    const { comparison } = this.context.profiles;
    const editor = [...this.editors].find(({ session }) => session === comparison);
    // Where it is: in another column, VS Code would open it a second time.
    editor?.page.showWith({ type: 'showTab', tab, filter }, editor.page.panel.viewColumn);
  }

  /** Asks which commit the baseline of the comparison that is shown was recorded with. */
  async chooseRevision(): Promise<void> {
    const editor = [...this.editors].find(
      ({ session }) => session === this.context.profiles.comparison,
    );
    if (editor === undefined) {
      void vscode.window.showInformationMessage(profileTexts.noComparison);
      return;
    }
    const { session } = editor;
    const { baseline } = session.profiles;
    let found: SourceRevision | undefined;
    const name = await vscode.window.showInputBox({
      title: profileTexts.sourceOfBaseline(baseline.title),
      prompt: profileTexts.revision,
      placeHolder: 'HEAD~1',
      value: session.revision?.name ?? '',
      ignoreFocusOut: true,
      validateInput: async (text) => {
        if (text.trim() === '') return undefined;
        found = await findRevision(text);
        return found === undefined ? profileTexts.noCommit(text.trim()) : undefined;
      },
    });
    if (name === undefined) return;
    const revision = name.trim() === '' ? undefined : (found ?? (await findRevision(name)));
    const { [baseline.path]: _, ...others } = revisionsOf(this.context);
    await this.context.extension.workspaceState.update(
      revisionsKey,
      revision === undefined ? others : { ...others, [baseline.path]: revision },
    );
    for (const other of this.editors) {
      if (other.session.profiles.baseline.path !== baseline.path) continue;
      other.session.revision = revision;
      other.page.post({ type: 'refresh' });
      this.context.profiles.comparisonChanged(other.session, true);
    }
  }

  openCustomDocument(uri: vscode.Uri): ComparisonDocument {
    const comparison = readComparison(uri.query);
    if (comparison === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return new ComparisonDocument(uri, comparison, this.context);
  }

  resolveCustomEditor(document: ComparisonDocument, panel: vscode.WebviewPanel): void {
    const { comparison } = document;
    const state = this.stateOf(document, panel, {
      view: 'compare',
      selection: {},
      views: {},
      sides: bothSides((side) => selectionOf(comparison[side])),
    });
    const editor = new OpenComparison(document, panel, state, this.context, {
      onState: (next) => this.save(document, panel, next),
      swapSides: (from, next) => this.swapSides(from, next),
      showInProfile: this.showInProfile,
    });
    this.keep(editor, panel);
    const follow = (): void => this.context.profiles.compare(editor.session);
    if (panel.active) follow();
    panel.onDidChangeViewState(() => {
      if (panel.active) follow();
    });
    editor.start();
  }

  /** The address tells which side is which, so the swapped comparison has an editor of its own. */
  private async swapSides(editor: OpenComparison, state: EditorState): Promise<void> {
    const comparison = swapped(editor.document.comparison);
    this.wanted.set(comparisonUri(comparison).toString(), state);
    const { panel } = editor.page;
    await this.open(comparison, panel.viewColumn);
    panel.dispose();
  }
}
