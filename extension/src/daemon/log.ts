/** Where messages go; VS Code's log output channel has this form. */
export interface Log {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Splits the daemon's standard error into lines. A line may name its level first ("warning: ...");
 * what names none is information.
 */
export class LineSplitter {
  private rest = '';
  private readonly onLine: (line: string) => void;

  /** Longest line that is kept; a daemon gone wild must not fill the memory. */
  static readonly maxLine = 64 * 1024;

  constructor(onLine: (line: string) => void) {
    this.onLine = onLine;
  }

  push(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = (lines.pop() ?? '').slice(0, LineSplitter.maxLine);
    for (const line of lines) this.onLine(line.replace(/\r$/, '').slice(0, LineSplitter.maxLine));
  }

  end(): void {
    if (this.rest !== '') this.onLine(this.rest);
    this.rest = '';
  }
}

/** Writes a line of the daemon's standard error at the level that it names, without the name. */
export function logDaemonLine(log: Log, line: string): void {
  const named = /^\W*(error|fatal|warning|warn|info|debug|trace)\b(\]:?\s+|:\s+)?/i.exec(line);
  const level = named?.[1]?.toLowerCase();
  const text = named?.[2] === undefined ? line : line.slice(named[0].length);
  if (level === 'error' || level === 'fatal') log.error(text);
  else if (level === 'warning' || level === 'warn') log.warn(text);
  else if (level === 'debug') log.debug(text);
  else if (level === 'trace') log.trace(text);
  else log.info(text);
}
