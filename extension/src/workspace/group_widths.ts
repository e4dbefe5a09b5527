import type * as vscode from 'vscode';
import { Emitter } from '../daemon/emitter.ts';

/**
 * Pixels of the groups of editors, as far as pages that are shown in them have told: VS Code tells no
 * extension how wide its editors are.
 */
export class GroupWidths {
  private readonly widths = new Map<vscode.ViewColumn, number>();
  readonly onChange = new Emitter<void>();

  /** A page in a group has this many pixels. */
  tell(column: vscode.ViewColumn, px: number): void {
    if (this.widths.get(column) === px) return;
    // The newest is the best guess for groups of which nothing is known.
    this.widths.delete(column);
    this.widths.set(column, px);
    this.onChange.fire();
  }

  /** Groups that are gone, or whose neighbors are, have other widths than they had. */
  groupsChanged(): void {
    this.widths.clear();
  }

  /** Pixels of a group: its own, else those of the group that told last; undefined where none did. */
  of(column: vscode.ViewColumn | undefined): number | undefined {
    const own = column === undefined ? undefined : this.widths.get(column);
    return own ?? [...this.widths.values()].at(-1);
  }
}
