// The page's only way out: typed messages to the extension. Requests are numbered here; the answers
// find their promise by that number.
import type { SideName } from '#shared/comparison.ts';
import type {
  EditorState,
  FailureData,
  SourceTarget,
  TimelinePlace,
  ToHost,
  ToView,
} from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';
import type { PageMethod, PageParams, Result } from '#shared/requests.ts';

interface VsCodeApi {
  postMessage(message: ToHost): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

/** A failed request, with what the daemon said about it. */
export class RequestError extends Error {
  readonly data: FailureData;

  constructor(data: FailureData) {
    super(data.message);
    this.data = data;
  }
}

export function failureOf(error: unknown): FailureData {
  if (error instanceof RequestError) return error.data;
  return { kind: 'internal', message: error instanceof Error ? error.message : String(error) };
}

/** A request that was called off by its own caller. */
export class CancelledError extends Error {}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

const api = acquireVsCodeApi();
const pending = new Map<number, Pending>();
let nextId = 1;
let listener: ((message: ToView) => void) | undefined;

function settle(message: Extract<ToView, { type: 'response' }>): void {
  const waiting = pending.get(message.id);
  if (waiting === undefined) return;
  pending.delete(message.id);
  if (message.error !== undefined) waiting.reject(new RequestError(message.error));
  else waiting.resolve(message.result);
}

/** Starts listening. Everything but answers to requests goes to `onMessage`. */
export function connect(onMessage: (message: ToView) => void): void {
  listener = onMessage;
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const message = event.data;
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    const typed = message as ToView;
    if (typed.type === 'response') settle(typed);
    else listener?.(typed);
  });
  api.postMessage({ type: 'ready' });
  tellWidth();
  let waiting: number | undefined;
  window.addEventListener('resize', () => {
    window.clearTimeout(waiting);
    waiting = window.setTimeout(tellWidth, restMs);
  });
}

/** A page at rest for so long has the size that it is to have. */
const restMs = 200;

function tellWidth(): void {
  const px = window.innerWidth;
  // A page that is just being put into another column has none.
  if (px > 0) api.postMessage({ type: 'width', px });
}

/**
 * Asks the daemon. Rejects with RequestError, or with CancelledError when `signal` fires first. The
 * page of a comparison names the `side` whose profile is asked, where it is not both.
 */
export function request<M extends PageMethod>(
  method: M,
  params: PageParams<M> & object,
  signal?: AbortSignal,
  side?: SideName,
): Promise<Result<M>> {
  return new Promise<Result<M>>((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(new CancelledError('Cancelled'));
      return;
    }
    const id = nextId++;
    // The daemon's answers are held to the schemas that the types are made from, by tests.
    pending.set(id, { resolve: (value) => resolve(value as Result<M>), reject });
    signal?.addEventListener('abort', () => {
      if (!pending.delete(id)) return;
      api.postMessage({ type: 'cancel', id });
      reject(new CancelledError('Cancelled'));
    });
    api.postMessage({
      type: 'request',
      id,
      method,
      params: { ...params },
      ...(side === undefined ? {} : { side }),
    });
  });
}

/** After a restart of the daemon nobody answers what the old one was asked. */
export function dropRequests(): void {
  for (const waiting of pending.values()) waiting.reject(new CancelledError('Asked again'));
  pending.clear();
}

/** State kept by the page itself; the extension's copy, when it sends one, is newer. */
export function savedState(): EditorState | undefined {
  const state = api.getState();
  return typeof state === 'object' && state !== null && 'view' in state
    ? (state as EditorState)
    : undefined;
}

export function saveState(state: EditorState): void {
  api.setState(state);
  api.postMessage({ type: 'state', state });
}

export function openSource(target: SourceTarget, toSide = false, side?: SideName): void {
  api.postMessage({
    type: 'openSource',
    target,
    toSide,
    ...(side === undefined ? {} : { side }),
  });
}

/** Goes to the timeline of a side's own profile. */
export function showInProfile(side: SideName, to: TimelinePlace): void {
  api.postMessage({ type: 'showInProfile', side, to });
}

/** Goes to the profile of a rank of a job, to a slice of its timeline where one is named. */
export function openRank(rank: number, slice?: number): void {
  api.postMessage({ type: 'openRank', rank, ...(slice === undefined ? {} : { slice }) });
}

export function swapSides(state: EditorState): void {
  api.postMessage({ type: 'swapSides', state });
}

export function copyText(text: string): void {
  api.postMessage({ type: 'copy', text });
}

export function saveFile(suggestedName: string, content: string, base64 = false): void {
  api.postMessage({ type: 'save', suggestedName, content, base64 });
}

export function openToSide(view: ViewName): void {
  api.postMessage({ type: 'openToSide', view });
}

export function tellHost(
  type: 'cancelLoad' | 'retry' | 'openAsText' | 'showLog' | 'restartDaemon',
): void {
  api.postMessage({ type });
}
