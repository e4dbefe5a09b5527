// What the drawing tells the rest of the timeline, and tests.
import { signal } from '@preact/signals';
import type { BoxRenderer } from '../../gl/boxes.ts';
import { CancelledError, failureOf } from '../../host/host.ts';
import { namesPxIn, type Layout } from '../../lanes/rows.ts';

/** Frame times of the last drawing, for the help panel and for tests. */
export const frameStats = {
  frames: 0,
  drawMs: [] as number[],
  renderer: 'canvas2d' as BoxRenderer['kind'],
};

export const noLayout: Layout = { rows: [], headings: [], height: 0, hidden: 0 };
export const layout = signal<Layout>(noLayout);
/** Width of the column of names. */
export const namesPx = signal(namesPxIn(Infinity));
export const problem = signal<string>('');
/** How many arrows of the window are drawn, of how many. */
export const windowArrowCount = signal({ shown: 0, total: 0 });
/** Grows when boxes or series have come: what shows them otherwise than as a picture asks again. */
export const arrived = signal(0);
/** True when everything on the screen is drawn as finely as it can be. */
export const settled = signal(false);

export function failed(error: unknown): void {
  if (!(error instanceof CancelledError)) problem.value = failureOf(error).message;
}
