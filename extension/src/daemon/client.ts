import { spawn, type ChildProcess } from 'node:child_process';
import {
  CancellationTokenSource,
  createMessageConnection,
  ErrorCodes,
  ProgressType,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { sharedTexts } from '#shared/common_texts.ts';
import type { Method, Methods } from '#shared/protocol.ts';
import { daemonTexts } from '#shared/texts.ts';
import {
  DaemonError,
  cancelled,
  daemonMissing,
  daemonStopped,
  errorOfAnswer,
  versionMismatch,
} from './failure.ts';
import { Emitter } from './emitter.ts';
import { LineSplitter, logDaemonLine, type Log } from './log.ts';

/** Version of native/rpc/protocol that this extension was written for. */
export const protocolVersion = 2;

export interface LaunchOptions {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** Version of the extension, told to the daemon. */
  clientVersion: string;
  /** Version of the protocol that the daemon must speak. */
  expectedProtocol?: number;
  /** How long the handshake may take, ms. */
  handshakeMs?: number;
  log: Log;
}

export interface ProgressReport {
  stage: string;
  /** 0 to 100. */
  percent: number;
  /** `profile/firstPicture` can be asked. */
  firstPicture?: boolean;
}

export interface RequestOptions {
  /** Withdraws the request. */
  signal?: AbortSignal;
  /** Asks for progress, where the method has a `workDoneToken`. */
  onProgress?: (report: ProgressReport) => void;
}

/** How a daemon ended. */
export interface DaemonExit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** False when it was told to end. */
  unexpected: boolean;
}

interface ProgressValue {
  kind: 'begin' | 'report' | 'end';
  message?: string;
  percentage?: number;
  firstPicture?: boolean;
}

const progressType = new ProgressType<ProgressValue>();

/** One running daemon: its process and the connection to it. Not reused after the process ended. */
export class DaemonClient {
  readonly onExit = new Emitter<DaemonExit>();
  /** What the daemon said in the handshake. */
  serverVersion = '';
  private readonly child: ChildProcess;
  private readonly connection: MessageConnection;
  private readonly log: Log;
  private ended = false;
  private stopping = false;
  private nextToken = 1;

  private constructor(child: ChildProcess, connection: MessageConnection, log: Log) {
    this.child = child;
    this.connection = connection;
    this.log = log;
  }

  get processId(): number | undefined {
    return this.child.pid;
  }

  /**
   * Starts the daemon and shakes hands. Errors: `daemonMissing` when the program cannot be run,
   * `versionMismatch` when it speaks another protocol, `daemonStopped` when it ends meanwhile.
   */
  static async launch(options: LaunchOptions): Promise<DaemonClient> {
    const { log } = options;
    log.info(`Starting ${options.command} ${options.args.join(' ')}`);
    const child = spawn(options.command, options.args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: options.env ?? process.env,
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(
          new DaemonError(
            daemonMissing,
            daemonTexts.notStarted(error.message),
            daemonTexts.checkProgram(options.command),
          ),
        ),
      );
    });
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
      {
        error: (message) => log.error(message),
        warn: (message) => log.warn(message),
        info: (message) => log.info(message),
        log: (message) => log.debug(message),
      },
    );
    const client = new DaemonClient(child, connection, log);
    client.wire();
    try {
      await client.shakeHands(options);
    } catch (error) {
      client.kill();
      throw error;
    }
    return client;
  }

  private wire(): void {
    const stderr = new LineSplitter((line) => logDaemonLine(this.log, line));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
    // Writing to a daemon that just died is reported by its exit.
    this.child.stdin?.on('error', () => undefined);
    this.child.on('error', (error) => this.log.error(`Daemon: ${error.message}`));
    this.child.on('exit', (code, signal) => {
      stderr.end();
      this.finish({ code, signal, unexpected: !this.stopping });
    });
    this.connection.onError(([error]) => this.log.error(`Connection: ${error.message}`));
    this.connection.listen();
  }

  private async shakeHands(options: LaunchOptions): Promise<void> {
    const expected = options.expectedProtocol ?? protocolVersion;
    let timer: NodeJS.Timeout | undefined;
    // A program that is no daemon answers nothing, not even that a request was cancelled.
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new DaemonError(daemonStopped, daemonTexts.noHandshake)),
        options.handshakeMs ?? 60_000,
      );
    });
    const hello = this.request('initialize', {
      clientVersion: options.clientVersion,
      processId: process.pid,
    });
    const answer = await Promise.race([hello, late]).finally(() => clearTimeout(timer));
    if (answer.protocolVersion !== expected) {
      throw new DaemonError(
        versionMismatch,
        daemonTexts.otherVersion(answer.protocolVersion, expected),
        daemonTexts.reinstall,
      );
    }
    this.serverVersion = answer.serverVersion;
    this.log.info(`Daemon ${answer.serverVersion} runs as process ${this.child.pid ?? '?'}`);
  }

  /** Sends a request whose types are known. */
  request<M extends Method>(
    method: M,
    params: Methods[M]['params'],
    options: RequestOptions = {},
  ): Promise<Methods[M]['result']> {
    return this.forward(method, params as Record<string, unknown>, options) as Promise<
      Methods[M]['result']
    >;
  }

  /** Sends a request without looking inside. Errors are `DaemonError`s. */
  async forward(
    method: string,
    params: Record<string, unknown>,
    options: RequestOptions = {},
  ): Promise<unknown> {
    if (this.ended) throw new DaemonError(daemonStopped, sharedTexts.serverStopped);
    if (options.signal?.aborted) throw new DaemonError(cancelled, daemonTexts.cancelled);
    const source = new CancellationTokenSource();
    const abort = () => source.cancel();
    options.signal?.addEventListener('abort', abort);
    const progress = options.onProgress && this.listenToProgress(options.onProgress);
    const sent = progress ? { ...params, workDoneToken: progress.token } : params;
    const begin = performance.now();
    try {
      return await this.connection.sendRequest<unknown>(method, sent, source.token);
    } catch (error) {
      throw this.typedError(error);
    } finally {
      this.log.trace(`${method}: ${(performance.now() - begin).toFixed(1)} ms`);
      options.signal?.removeEventListener('abort', abort);
      progress?.dispose();
      source.dispose();
    }
  }

  private listenToProgress(onProgress: (report: ProgressReport) => void) {
    const token = `load-${this.nextToken++}`;
    const registration = this.connection.onProgress(progressType, token, (value) => {
      if (value.kind === 'end') return;
      onProgress({
        stage: value.message ?? '',
        percent: value.percentage ?? 0,
        firstPicture: value.firstPicture === true,
      });
    });
    return { token, dispose: () => registration.dispose() };
  }

  private typedError(error: unknown): DaemonError {
    if (error instanceof DaemonError) return error;
    if (error instanceof ResponseError && error.code !== ErrorCodes.PendingResponseRejected) {
      return errorOfAnswer(error.code, error.message, error.data);
    }
    const detail = error instanceof Error ? error.message : String(error);
    this.log.debug(`Request lost: ${detail}`);
    return new DaemonError(daemonStopped, daemonTexts.endedUnanswered);
  }

  private finish(exit: DaemonExit): void {
    if (this.ended) return;
    this.ended = true;
    // Rejects what still waits for an answer.
    this.connection.dispose();
    this.onExit.fire(exit);
  }

  /** Asks the daemon to end and waits until it has; kills it when it does not. */
  async stop(graceMs = 2000): Promise<void> {
    if (this.ended) return;
    this.stopping = true;
    const gone = new Promise<void>((resolve) => this.onExit.on(() => resolve()));
    const killer = setTimeout(() => this.child.kill('SIGKILL'), graceMs);
    try {
      await this.connection.sendRequest('shutdown', {});
      await this.connection.sendNotification('exit', {});
      this.child.stdin?.end();
    } catch {
      this.child.kill();
    }
    await gone;
    clearTimeout(killer);
  }

  /** Ends the process at once, as told. */
  kill(): void {
    this.stopping = true;
    if (!this.ended) this.child.kill('SIGKILL');
  }
}
