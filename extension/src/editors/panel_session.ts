import type { EditorState, FailureData, ToView, ViewSelection } from '#shared/messages.ts';
import type { ProgressReport, RequestOptions } from '../daemon/client.ts';
import type { Disposable } from '../daemon/emitter.ts';
import {
  cancelled,
  daemonMissing,
  daemonStopped,
  failureData,
  versionMismatch,
} from '../daemon/failure.ts';
import type { OpenProfile } from '../daemon/profiles.ts';
import type { DaemonStatus, Supervisor } from '../daemon/supervisor.ts';
import type { TraceInfo } from '#shared/protocol.ts';
import { sameTrace, selectionExists, traceOf } from '#shared/selection.ts';

const cancelledLoad: FailureData = {
  kind: cancelled,
  message: 'Loading was cancelled.',
  hint: 'Retry loads the trace again.',
};

/** Failures that are none of the trace: another daemon may do better. */
const withoutDaemon = new Set([daemonStopped, daemonMissing, versionMismatch]);

/**
 * What stands behind one profile editor: loads its trace, passes its requests on, and tells its
 * page of progress, failures and the daemon. Knows neither VS Code nor the page.
 */
export class PanelSession implements Disposable {
  /** View and selection as the page last told them. */
  state: EditorState;
  private readonly profile: OpenProfile;
  private readonly supervisor: Supervisor;
  private readonly post: (message: ToView) => void;
  private readonly requests = new Map<number, AbortController>();
  private readonly registration: Disposable;
  private load: AbortController | undefined;
  /** The trace that the page shows, and the daemon that it came from. */
  private shown: { selection: ViewSelection; trace: TraceInfo; generation: number } | undefined;
  private last: ToView | undefined;

  constructor(
    profile: OpenProfile,
    supervisor: Supervisor,
    state: EditorState,
    post: (message: ToView) => void,
  ) {
    this.profile = profile;
    this.supervisor = supervisor;
    this.state = state;
    this.post = post;
    this.registration = supervisor.onStatus.on((status) => this.onDaemon(status));
  }

  /** The page runs: tells it where things stand, and starts loading where nothing has begun. */
  ready(): void {
    // A page that starts again numbers its requests anew: answers to the old one are not for it.
    for (const abort of this.requests.values()) abort.abort();
    this.requests.clear();
    this.tellDaemonState(this.supervisor.current);
    if (this.last === undefined) void this.loadTrace();
    else this.post(this.last);
  }

  /** Loads the selected trace; an earlier load is withdrawn. */
  async loadTrace(): Promise<void> {
    this.load?.abort();
    const load = new AbortController();
    this.load = load;
    this.profile.setCondition('loading');
    this.tell({ type: 'loading', stage: 'Opening', percent: 0 });
    try {
      const found = await this.profile.opened();
      const { selection: wanted } = this.state;
      const selection = selectionExists(found, wanted) ? wanted : {};
      const options = { onProgress: this.reporter(load), signal: load.signal };
      const { profile, trace } = await this.profile.loadTrace(selection, options);
      if (this.load !== load) return;
      this.show(selection, trace);
      this.tell({ type: 'loaded', profile, trace });
    } catch (error) {
      if (this.load === load) this.tellFailure(failureData(error));
    } finally {
      if (this.load === load) this.load = undefined;
    }
  }

  private tellFailure(failure: FailureData): void {
    // The restarted daemon loads it again; until then this is no failure.
    if (failure.kind === daemonStopped && this.supervisor.current.state === 'restarting') {
      this.tell({ type: 'loading', stage: 'Waiting for the daemon', percent: 0 });
    } else {
      this.profile.setCondition('failed');
      this.tell({ type: 'failed', error: failure.kind === cancelled ? cancelledLoad : failure });
    }
  }

  private show(selection: ViewSelection, trace: TraceInfo): void {
    this.shown = { selection, trace, generation: this.supervisor.current.generation };
    this.profile.setActive({ selection, trace });
  }

  /** Passes progress on in whole percents, so that a page is not flooded. */
  private reporter(load: AbortController): (report: ProgressReport) => void {
    let shown = -1;
    let stage = '';
    return (report) => {
      const percent = Math.min(100, Math.max(0, Math.floor(report.percent)));
      if (load.signal.aborted || (percent === shown && report.stage === stage)) return;
      shown = percent;
      stage = report.stage;
      this.post({ type: 'loading', stage: report.stage, percent });
    };
  }

  cancelLoad(): void {
    this.load?.abort();
  }

  /** The page's view and selection changed. A change of trace comes as a request of its own. */
  setState(state: EditorState): void {
    this.state = state;
    this.becomeActive();
  }

  /** The source surfaces follow this editor. */
  becomeActive(): void {
    const { shown, profile } = this;
    const { selection } = this.state;
    if (shown === undefined || !sameTrace(shown.selection, selection)) return;
    const { active } = profile;
    const same =
      active !== undefined &&
      sameTrace(active.selection, selection) &&
      (active.selection.steps ?? '') === (selection.steps ?? '');
    if (!same) profile.setActive({ selection, trace: shown.trace });
  }

  /** A request of the page; `extra` are parameters that only the extension knows. */
  async request(
    id: number,
    method: string,
    params: Record<string, unknown>,
    extra: Record<string, unknown> = {},
  ): Promise<void> {
    const abort = new AbortController();
    this.requests.set(id, abort);
    const loads = method === 'profile/load';
    const options: RequestOptions = { signal: abort.signal };
    if (loads) options.onProgress = this.reporter(abort);
    let answer: { result: unknown } | { error: FailureData };
    try {
      const result = await this.profile.forward(method, { ...params, ...extra }, options);
      if (loads && this.requests.get(id) === abort) {
        this.onPageLoaded(params as ViewSelection, result as TraceInfo);
      }
      answer = { result };
    } catch (error) {
      answer = { error: failureData(error) };
    }
    if (this.requests.get(id) !== abort) return;
    this.requests.delete(id);
    this.post({ type: 'response', id, ...answer });
  }

  /** The page chose another trace of the profile. */
  private onPageLoaded(selection: ViewSelection, trace: TraceInfo): void {
    const chosen = traceOf(selection);
    this.state = { ...this.state, selection: chosen };
    this.show(chosen, trace);
    if (this.profile.discovery === undefined) return;
    this.last = { type: 'loaded', profile: this.profile.discovery, trace };
  }

  cancelRequest(id: number): void {
    this.requests.get(id)?.abort();
  }

  private tell(message: ToView): void {
    this.last = message;
    this.post(message);
  }

  private onDaemon(status: DaemonStatus): void {
    this.tellDaemonState(status);
    if (status.state !== 'running' || this.load !== undefined) return;
    const replayed = this.shown !== undefined && this.shown.generation !== status.generation;
    const waiting =
      this.last?.type === 'loading' ||
      (this.last?.type === 'failed' && withoutDaemon.has(this.last.error.kind));
    if (replayed || waiting) void this.loadTrace();
  }

  private tellDaemonState(status: DaemonStatus): void {
    const broken = status.state === 'stopped' || status.state === 'restarting';
    const state = broken ? (status.state as 'stopped' | 'restarting') : 'running';
    this.post({ type: 'daemon', state, ...(status.message ? { message: status.message } : {}) });
  }

  dispose(): void {
    this.registration.dispose();
    this.load?.abort();
    this.load = undefined;
    for (const abort of this.requests.values()) abort.abort();
    this.requests.clear();
  }
}
