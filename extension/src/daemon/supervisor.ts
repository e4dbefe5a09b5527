import type { DaemonClient, DaemonExit, RequestOptions } from './client.ts';
import type { Method, Methods } from '#shared/protocol.ts';
import { daemonTexts } from '#shared/texts.ts';
import { DaemonError, daemonMissing, daemonStopped, versionMismatch } from './failure.ts';
import { Emitter, type Disposable } from './emitter.ts';
import type { Log } from './log.ts';
import { RestartPolicy } from './restart_policy.ts';

/**
 * `idle`: not needed yet. `restarting`: crashed, will be back. `stopped`: given up; only the user
 * starts it again.
 */
export type DaemonState = 'idle' | 'starting' | 'running' | 'restarting' | 'stopped';

export interface DaemonStatus {
  state: DaemonState;
  message?: string;
  /** Counts the daemons that ran; handles of an earlier one mean nothing to a later one. */
  generation: number;
}

export interface SupervisorOptions {
  launch: () => Promise<DaemonClient>;
  log: Log;
  policy?: RestartPolicy;
}

/** Keeps one daemon running while somebody needs it. */
export class Supervisor implements Disposable {
  readonly onStatus = new Emitter<DaemonStatus>();
  private readonly launchDaemon: () => Promise<DaemonClient>;
  private readonly log: Log;
  private readonly policy: RestartPolicy;
  private status: DaemonStatus = { state: 'idle', generation: 0 };
  /** The daemon that runs or is about to; undefined when there is none. */
  private pending: Promise<DaemonClient> | undefined;
  private client: DaemonClient | undefined;
  /** Ends the pause before a restart. */
  private endPause: (() => void) | undefined;
  private lastFailure: DaemonError | undefined;
  private disposed = false;

  constructor(options: SupervisorOptions) {
    this.launchDaemon = options.launch;
    this.log = options.log;
    this.policy = options.policy ?? new RestartPolicy();
  }

  get current(): DaemonStatus {
    return this.status;
  }

  get serverVersion(): string {
    return this.client?.serverVersion ?? '';
  }

  get processId(): number | undefined {
    return this.client?.processId;
  }

  /** Sends a request, starting the daemon first where it does not run. */
  async request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options?: RequestOptions,
  ): Promise<Methods[M]['result']> {
    return (await this.ready()).request(method, params, options);
  }

  /** Sends a request without looking inside. */
  async forward(
    method: string,
    params: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<unknown> {
    return (await this.ready()).forward(method, params, options);
  }

  /** The running daemon; starts it, or waits for its restart. Fails when it was given up. */
  ready(): Promise<DaemonClient> {
    if (this.disposed)
      return Promise.reject(new DaemonError(daemonStopped, daemonTexts.shuttingDown));
    if (this.status.state === 'stopped') {
      return Promise.reject(
        this.lastFailure ??
          new DaemonError(daemonStopped, this.status.message ?? daemonTexts.stopped),
      );
    }
    return (this.pending ??= this.start('starting', 0));
  }

  private start(
    state: 'starting' | 'restarting',
    delayMs: number,
    message?: string,
  ): Promise<DaemonClient> {
    this.set(state, message);
    const started = this.launchAfter(delayMs);
    // The state tells it; whoever waits is told by the promise.
    started.catch(() => undefined);
    return started;
  }

  private async launchAfter(delayMs: number): Promise<DaemonClient> {
    if (delayMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delayMs);
        this.endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.endPause = undefined;
      if (this.disposed) throw new DaemonError(daemonStopped, daemonTexts.shuttingDown);
    }
    try {
      const client = await this.launchDaemon();
      if (this.disposed) {
        client.kill();
        throw new DaemonError(daemonStopped, daemonTexts.shuttingDown);
      }
      this.client = client;
      this.lastFailure = undefined;
      client.onExit.on((exit) => this.onExit(client, exit));
      this.status = { ...this.status, generation: this.status.generation + 1 };
      this.set('running');
      return client;
    } catch (error) {
      return this.afterFailedStart(error);
    }
  }

  /** A daemon that cannot be run or is of another version does not get better by trying again. */
  private afterFailedStart(error: unknown): Promise<DaemonClient> {
    const failure =
      error instanceof DaemonError
        ? error
        : new DaemonError(daemonStopped, error instanceof Error ? error.message : String(error));
    this.log.error(failure.message);
    const hopeless = failure.kind === daemonMissing || failure.kind === versionMismatch;
    const delay = hopeless || this.disposed ? undefined : this.policy.next(Date.now());
    if (delay !== undefined) {
      this.set('restarting', daemonTexts.tryingAgain);
      return this.launchAfter(delay);
    }
    this.giveUp(failure);
    return Promise.reject(failure);
  }

  private onExit(client: DaemonClient, exit: DaemonExit): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.pending = undefined;
    if (!exit.unexpected || this.disposed) return;
    const how = exit.signal ?? `status ${exit.code ?? '?'}`;
    this.log.error(`The daemon ended unexpectedly (${how})`);
    const delay = this.policy.next(Date.now());
    if (delay === undefined) {
      const minutes = Math.round(this.policy.windowMs / 60_000);
      this.giveUp(
        new DaemonError(
          daemonStopped,
          daemonTexts.endedOften(this.policy.maxRestarts + 1, minutes),
          daemonTexts.restartOnce,
        ),
      );
      return;
    }
    this.log.info(`Restarting the daemon in ${delay} ms`);
    this.pending = this.start('restarting', delay, daemonTexts.restartsUnexpectedly);
  }

  private giveUp(failure: DaemonError): void {
    this.pending = undefined;
    this.lastFailure = failure;
    this.set('stopped', failure.message);
  }

  private set(state: DaemonState, message?: string): void {
    this.status = {
      state,
      generation: this.status.generation,
      ...(message === undefined ? {} : { message }),
    };
    this.onStatus.fire(this.status);
  }

  /** Ends the daemon where one runs and starts a new one, forgetting earlier crashes. */
  async restart(): Promise<void> {
    this.policy.reset();
    const old = this.client;
    this.client = undefined;
    this.lastFailure = undefined;
    // A start that is under way is as good as a new one, but need not rest before.
    if (old === undefined && this.pending !== undefined) {
      this.endPause?.();
      await this.pending;
      return;
    }
    this.pending = undefined;
    await old?.stop();
    this.pending ??= this.start(old ? 'restarting' : 'starting', 0, daemonTexts.restarts);
    await this.pending;
  }

  /** Ends the daemon for good. */
  async stop(): Promise<void> {
    this.disposed = true;
    this.endPause?.();
    const client = this.client;
    this.client = undefined;
    await client?.stop();
  }

  dispose(): void {
    void this.stop();
    this.onStatus.dispose();
  }
}
