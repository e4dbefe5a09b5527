import type { FailureData } from '#shared/messages.ts';

/** A request that failed, in the terms of the protocol: what kind, what happened, what to do. */
export class DaemonError extends Error {
  readonly kind: string;
  readonly hint: string | undefined;
  /** Byte offset in the trace's text, where the failure has one. */
  readonly offset: number | undefined;

  constructor(kind: string, message: string, hint?: string, offset?: number) {
    super(message);
    this.name = 'DaemonError';
    this.kind = kind;
    this.hint = hint;
    this.offset = offset;
  }
}

/** The daemon ended, or could not be started; a later request may find a new one. */
export const daemonStopped = 'daemonStopped';
/** The request was withdrawn. */
export const cancelled = 'cancelled';
/** The daemon speaks another version of the protocol. */
export const versionMismatch = 'versionMismatch';
/** The daemon's program is not there or cannot be run. */
export const daemonMissing = 'daemonMissing';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A failure in the form that the profile editor shows. */
export function failureData(error: unknown): FailureData {
  if (error instanceof DaemonError) {
    return {
      kind: error.kind,
      message: error.message,
      ...(error.hint ? { hint: error.hint } : {}),
      ...(error.offset === undefined ? {} : { offset: error.offset }),
    };
  }
  return { kind: 'internal', message: error instanceof Error ? error.message : String(error) };
}

/** LSP's code of a request that was cancelled. */
const requestCancelledCode = -32800;

/** The typed error of an answer `{code, message, data: {kind, hint, offset}}`. */
export function errorOfAnswer(code: number, message: string, data: unknown): DaemonError {
  const fields = isRecord(data) ? data : {};
  const text = (key: string) => (typeof fields[key] === 'string' ? fields[key] : undefined);
  // The beginning of a file is no place in it.
  const offset = typeof fields.offset === 'number' && fields.offset > 0 ? fields.offset : undefined;
  const kind = code === requestCancelledCode ? cancelled : (text('kind') ?? 'internal');
  return new DaemonError(kind, message, text('hint'), offset);
}
