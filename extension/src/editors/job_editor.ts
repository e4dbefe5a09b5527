import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { readJob, writeJob, type JobAddress } from '#shared/job.ts';
import type { EditorState, Navigation, ToHost, ViewSelection } from '#shared/messages.ts';
import { selectionOf } from '#shared/selection.ts';
import { jobTexts } from '#shared/texts.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import { findSource } from '../source/find_source.ts';
import { plainText } from '../source/format.ts';
import type { SourceAsker } from '../source/open_source.ts';
import { pathsChanged } from '../workspace/config.ts';
import { hostParamsOf, type Context } from '../workspace/context.ts';
import { digestsAndTraces, DiskWatch } from './disk_watch.ts';
import { JobSession, type JobSource } from './job_session.ts';
import { PageEditors } from './page_editors.ts';
import { PagePanel, type PageOwner } from './page_panel.ts';
import { digestEnding, jobScheme, jobViewType } from './profile_path.ts';

/** Whether a path is a digest, or a folder that holds some. */
export function holdsDigests(path: string): boolean {
  try {
    if (!statSync(path).isDirectory()) return path.endsWith(digestEnding);
    return readdirSync(path).some((name) => name.endsWith(digestEnding));
  } catch {
    return false;
  }
}

/** The address of a job; its last part is the title of the tab. */
export function jobUri(job: JobAddress): vscode.Uri {
  const run = job.run === undefined ? '' : ` (${job.run})`;
  const title = `${basename(job.path) || job.path}${run}`.replace(/[/\\]/g, '_');
  return vscode.Uri.from({
    scheme: jobScheme,
    path: `/${jobTexts.tab(title)}`,
    query: writeJob(job),
  });
}

/** A job as VS Code's document: only its address; the daemon reads the files. */
class JobDocument implements vscode.CustomDocument {
  readonly uri: vscode.Uri;
  readonly job: JobAddress;
  readonly source: JobSource;
  private readonly context: Context;

  constructor(uri: vscode.Uri, job: JobAddress, context: Context) {
    this.uri = uri;
    this.job = job;
    this.context = context;
    this.source = holdsDigests(job.path)
      ? { digests: job.path }
      : { profile: context.profiles.acquire(job.path) };
  }

  dispose(): void {
    if ('profile' in this.source) this.context.profiles.release(this.source.profile);
  }
}

/** What one job leaves to the one who knows all of them, and the profile editors. */
interface JobOwner {
  onState(state: EditorState): void;
  showInProfile(
    profile: OpenProfile,
    selection: ViewSelection | undefined,
    to: Navigation,
  ): Promise<void>;
}

/** One open job: its panel, and what stands behind it. */
class OpenJob implements vscode.Disposable, PageOwner {
  readonly document: JobDocument;
  readonly page: PagePanel;
  readonly session: JobSession;
  private readonly context: Context;
  private readonly owner: JobOwner;
  private readonly watch: vscode.Disposable;

  constructor(
    document: JobDocument,
    panel: vscode.WebviewPanel,
    state: EditorState,
    context: Context,
    owner: JobOwner,
  ) {
    this.document = document;
    this.context = context;
    this.owner = owner;
    const { source } = document;
    const { path } = document.job;
    this.page = new PagePanel(panel, context, vscode.Uri.file(dirname(path)), this);
    this.session = new JobSession(source, context.supervisor, state, (message) =>
      this.page.post(message),
    );
    const file = vscode.Uri.file(path);
    const load = () => void this.session.loadTrace();
    if ('digests' in source) {
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
      this.watch = new DiskWatch(file, isFolder, basename(path), { load }, digestsAndTraces);
    } else {
      const { profile } = source;
      this.watch = new DiskWatch(file, true, profile.title, { profile, load });
    }
  }

  start(): void {
    void this.session.loadTrace();
    this.page.start(basename(this.document.uri.path));
  }

  dispose(): void {
    this.watch.dispose();
    this.session.dispose();
  }

  async handle(message: ToHost): Promise<void> {
    const { session, page, document } = this;
    switch (message.type) {
      case 'request': {
        const { id, method, params } = message;
        await session.request(id, method, params, await hostParamsOf(method, document.job.path));
        break;
      }
      case 'state':
        session.setState(message.state);
        this.owner.onState(message.state);
        break;
      case 'openSource':
        await page.openFrame(this.asker(), message.target, message.toSide);
        break;
      case 'openRank':
        await this.openRank(message.rank, message.slice);
        break;
      default:
        break;
    }
  }

  /** Who knows where the code lies: the traces, or without any the workspace. */
  private asker(): SourceAsker {
    const { source, job } = this.document;
    if (!('profile' in source)) {
      return { path: job.path, forward: (_, { file }) => findSource(String(file)) };
    }
    const { profile } = source;
    const { run } = this.session.state.selection;
    return {
      path: profile.path,
      forward: (method, params, options) =>
        profile.forward(method, { ...params, ...selectionOf({ run }) }, options),
    };
  }

  /** The profile of a rank; of digests, as far as its trace is on this machine. */
  private async openRank(number: number, slice: number | undefined): Promise<void> {
    const rank = this.session.rank(number);
    if (rank === undefined) return;
    const to: Navigation = slice === undefined ? { view: 'overview' } : { view: 'timeline', slice };
    const { source } = this.document;
    if ('profile' in source) {
      const { run, span } = this.session.state.selection;
      const selection = selectionOf({ run, span, worker: rank.worker });
      await this.owner.showInProfile(source.profile, selection, to);
      return;
    }
    if (!existsSync(rank.path)) {
      const text = jobTexts.rankElsewhere(number, rank.path);
      void vscode.window.showInformationMessage(plainText(text));
      return;
    }
    // The holder of the editor keeps the profile; this one only bridges the opening.
    const profile = this.context.profiles.acquire(rank.path);
    try {
      await this.owner.showInProfile(profile, undefined, to);
    } finally {
      this.context.profiles.release(profile);
    }
  }

  tellStart(): void {
    const { document, session, page } = this;
    page.post({
      type: 'init',
      title: basename(document.uri.path),
      path: document.job.path,
      state: session.state,
      job: { path: document.job.path, digests: 'digests' in document.source },
      ...page.common,
    });
  }
}

/** The editors that show jobs of several ranks. */
export class JobEditors extends PageEditors<JobDocument, OpenJob> {
  private readonly showInProfile: JobOwner['showInProfile'];

  constructor(context: Context, showInProfile: JobOwner['showInProfile']) {
    super(context);
    this.showInProfile = showInProfile;
  }

  register(): vscode.Disposable {
    return vscode.Disposable.from(this.registerAs(jobViewType), this.refreshOn(pathsChanged));
  }

  /** Opens a job, or shows the tab that it has. */
  async open(job: JobAddress): Promise<void> {
    await vscode.commands.executeCommand('vscode.openWith', jobUri(job), jobViewType);
  }

  openCustomDocument(uri: vscode.Uri): JobDocument {
    const job = readJob(uri.query);
    if (job === undefined) throw vscode.FileSystemError.FileNotFound(uri);
    return new JobDocument(uri, job, this.context);
  }

  resolveCustomEditor(document: JobDocument, panel: vscode.WebviewPanel): void {
    const { run } = document.job;
    const state = this.stateOf(document, panel, {
      view: 'job',
      selection: selectionOf({ run }),
      views: {},
    });
    const editor = new OpenJob(document, panel, state, this.context, {
      onState: (next) => this.save(document, panel, next),
      showInProfile: this.showInProfile,
    });
    this.keep(editor, panel);
    editor.start();
  }
}
