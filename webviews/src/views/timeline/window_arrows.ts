// All flow arrows of the visible window, when the user asked for them.
import type { FlowArrow } from '#shared/protocol.ts';
import { ask } from '../../host/query.ts';
import { allFlows, shownWindow } from './state.ts';
import { windowArrowCount } from './status.ts';

const restMs = 200;

export class WindowArrows {
  list: readonly FlowArrow[] = [];
  private readonly changed: () => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private abort: AbortController | undefined;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  /** Asks once the window has rested. */
  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.fetch(), restMs);
  }

  private async fetch(): Promise<void> {
    this.abort?.abort();
    const abort = new AbortController();
    this.abort = abort;
    let found: readonly FlowArrow[] = [];
    let total = 0;
    if (allFlows.peek()) {
      const { startNs, endNs } = shownWindow.peek();
      const answer = await ask(
        'timeline/flows',
        { startNs: Math.floor(startNs), endNs: Math.ceil(endNs) },
        abort.signal,
      ).catch(() => ({ arrows: [], total: 0 }));
      if (abort.signal.aborted) return;
      found = answer.arrows;
      total = answer.total;
    }
    windowArrowCount.value = { shown: found.length, total };
    if (found.length === 0 && this.list.length === 0) return;
    this.list = found;
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
  }
}
