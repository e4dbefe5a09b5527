/**
 * When a daemon that crashed is started again: after a pause that doubles with each crash of the
 * recent past, and not at all once it crashed too often.
 */
export class RestartPolicy {
  readonly maxRestarts: number;
  readonly windowMs: number;
  readonly firstDelayMs: number;
  private restarts: number[] = [];

  constructor(maxRestarts = 5, windowMs = 3 * 60_000, firstDelayMs = 250) {
    this.maxRestarts = maxRestarts;
    this.windowMs = windowMs;
    this.firstDelayMs = firstDelayMs;
  }

  /** The pause before the next start, ms; undefined when it is time to give up. */
  next(nowMs: number): number | undefined {
    this.restarts = this.restarts.filter((time) => nowMs - time < this.windowMs);
    if (this.restarts.length >= this.maxRestarts) return undefined;
    this.restarts.push(nowMs);
    return this.firstDelayMs * 2 ** (this.restarts.length - 1);
  }

  /** Forgets the past, when the user asks for a new start. */
  reset(): void {
    this.restarts = [];
  }
}
