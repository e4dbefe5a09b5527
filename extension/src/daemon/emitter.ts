/** What can be given back; VS Code's own disposables have this form. */
export interface Disposable {
  dispose(): void;
}

/** An event with listeners. Free of `vscode`, so that everything built on it runs under plain Node. */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<(value: T) => void>();

  on(listener: (value: T) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  fire(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }

  dispose(): void {
    this.listeners.clear();
  }
}
