import type { EditorState } from '#shared/messages.ts';
import { editorState } from './messages.ts';

/** The part of VS Code's memento that is used. */
export interface Memento {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

interface Entry {
  key: string;
  state: EditorState;
}

const storeKey = 'emberline.editorStates';

/**
 * Remembers what each profile editor showed. An editor is known by its address and column, so that
 * two views of one profile side by side come back as they were.
 */
export class StateStore {
  private readonly memento: Memento;
  private readonly limit: number;

  constructor(memento: Memento, limit = 60) {
    this.memento = memento;
    this.limit = limit;
  }

  private entries(): Entry[] {
    const stored = this.memento.get(storeKey);
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((value: unknown) => {
      if (typeof value !== 'object' || value === null) return [];
      const { key, state } = value as { key?: unknown; state?: unknown };
      const valid = editorState(state);
      return typeof key === 'string' && valid !== undefined ? [{ key, state: valid }] : [];
    });
  }

  /** The state of that column, else the newest of the address. */
  load(address: string, column: number | undefined): EditorState | undefined {
    const entries = this.entries();
    const exact = entries.find(({ key }) => key === keyOf(address, column));
    return (exact ?? entries.find(({ key }) => key.startsWith(`${address}\n`)))?.state;
  }

  /** A file or folder gets another address: its editors show there what they showed before. */
  move(from: string, to: string): void {
    const moved = this.entries().flatMap((entry) =>
      entry.key.startsWith(`${from}\n`) || entry.key.startsWith(`${from}/`)
        ? [{ ...entry, key: to + entry.key.slice(from.length) }]
        : [],
    );
    if (moved.length === 0) return;
    const keys = new Set(moved.map(({ key }) => key));
    const others = this.entries().filter(({ key }) => !keys.has(key));
    void this.memento.update(storeKey, [...moved, ...others].slice(0, this.limit));
  }

  save(address: string, column: number | undefined, state: EditorState): void {
    const key = keyOf(address, column);
    const others = this.entries().filter((entry) => entry.key !== key);
    void this.memento.update(storeKey, [{ key, state }, ...others].slice(0, this.limit));
  }
}

function keyOf(address: string, column: number | undefined): string {
  return `${address}\n${column ?? ''}`;
}
