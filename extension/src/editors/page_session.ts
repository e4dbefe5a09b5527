import type { EditorState, FailureData, ToView } from '#shared/messages.ts';
import { profileTexts } from '#shared/texts.ts';
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

const cancelledLoad: FailureData = {
  kind: cancelled,
  message: profileTexts.loadingCancelled,
  hint: profileTexts.retryLoads,
};

/** Failures that are none of the trace: another daemon may do better. */
const withoutDaemon = new Set([daemonStopped, daemonMissing, versionMismatch]);

/**
 * What stands behind one page: loads what it shows, passes its requests on, and tells it of progress,
 * failures and the daemon. Knows neither VS Code nor the page.
 */
export abstract class PageSession implements Disposable {
  /** View and selection as the page last told them. */
  state: EditorState;
  protected readonly supervisor: Supervisor;
  protected last: ToView | undefined;
  private readonly holders: readonly OpenProfile[];
  private readonly post: (message: ToView) => void;
  private readonly requests = new Map<number, AbortController>();
  private readonly registration: Disposable;
  private load: AbortController | undefined;
  /** The daemon that what the page shows came from. */
  private shownGeneration: number | undefined;

  constructor(
    profiles: readonly OpenProfile[],
    supervisor: Supervisor,
    state: EditorState,
    post: (message: ToView) => void,
  ) {
    this.holders = profiles;
    this.supervisor = supervisor;
    this.state = state;
    this.post = post;
    this.registration = supervisor.onStatus.on((status) => this.onDaemon(status));
  }

  /** Reads what the page shows. `show` is called with it unless another load has overtaken this one. */
  protected abstract read(options: RequestOptions): Promise<{ show: () => ToView }>;

  /** The page runs: tells it where things stand, and starts loading where nothing has begun. */
  ready(): void {
    // A page that starts again numbers its requests anew: answers to the old one are not for it.
    for (const abort of this.requests.values()) abort.abort();
    this.requests.clear();
    this.tellDaemonState(this.supervisor.current);
    if (this.last === undefined) void this.loadTrace();
    else this.post(this.last);
  }

  /** Loads what is selected; an earlier load is withdrawn. */
  async loadTrace(): Promise<void> {
    this.load?.abort();
    const load = new AbortController();
    this.load = load;
    for (const profile of this.holders) profile.setCondition('loading');
    this.tell({ type: 'loading', stage: profileTexts.opening, percent: 0 });
    try {
      const options = { onProgress: this.reporter(load), signal: load.signal };
      const { show } = await this.read(options);
      if (this.load !== load) return;
      this.onShown();
      this.tell(show());
    } catch (error) {
      if (this.load === load) this.tellFailure(failureData(error));
    } finally {
      if (this.load === load) this.load = undefined;
    }
  }

  protected onShown(): void {
    this.shownGeneration = this.supervisor.current.generation;
  }

  private tellFailure(failure: FailureData): void {
    // The restarted daemon loads it again; until then this is no failure.
    if (failure.kind === daemonStopped && this.supervisor.current.state === 'restarting') {
      this.tell({ type: 'loading', stage: profileTexts.waiting, percent: 0 });
    } else {
      for (const profile of this.holders) profile.setCondition('failed');
      this.tell({ type: 'failed', error: failure.kind === cancelled ? cancelledLoad : failure });
    }
  }

  /** Passes progress on in whole percents, so that a page is not flooded. */
  protected reporter(load: AbortController): (report: ProgressReport) => void {
    let shown = -1;
    let stage = '';
    let pictured = false;
    return (report) => {
      const percent = Math.min(100, Math.max(0, Math.floor(report.percent)));
      const firstPicture = report.firstPicture === true;
      const same = percent === shown && report.stage === stage && firstPicture === pictured;
      if (load.signal.aborted || same) return;
      shown = percent;
      stage = report.stage;
      pictured = firstPicture;
      this.post({
        type: 'loading',
        stage: report.stage,
        percent,
        ...(firstPicture ? { firstPicture } : {}),
      });
    };
  }

  cancelLoad(): void {
    this.load?.abort();
  }

  /** Answers a request of the page by `run`, unless the page withdraws it. */
  protected async answer(
    id: number,
    run: (abort: AbortController, current: () => boolean) => Promise<unknown>,
  ): Promise<void> {
    const abort = new AbortController();
    this.requests.set(id, abort);
    const current = (): boolean => this.requests.get(id) === abort;
    let answer: { result: unknown } | { error: FailureData };
    try {
      answer = { result: await run(abort, current) };
    } catch (error) {
      answer = { error: failureData(error) };
    }
    if (!current()) return;
    this.requests.delete(id);
    this.post({ type: 'response', id, ...answer });
  }

  cancelRequest(id: number): void {
    this.requests.get(id)?.abort();
  }

  protected tell(message: ToView): void {
    this.last = message;
    this.post(message);
  }

  private onDaemon(status: DaemonStatus): void {
    this.tellDaemonState(status);
    if (status.state !== 'running' || this.load !== undefined) return;
    const replayed =
      this.shownGeneration !== undefined && this.shownGeneration !== status.generation;
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
