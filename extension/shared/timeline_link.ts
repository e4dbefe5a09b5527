// Links that open a trace's timeline again: the page writes them, the extension follows them.
import type { Navigation, ViewSelection } from './messages.ts';
import { selectionOf } from './selection.ts';

/** What a link of the timeline reopens. */
export interface TimelineLink {
  path: string;
  selection: ViewSelection;
  to: Navigation;
}

/** `base` is what links into this extension begin with. */
export function writeTimelineLink(base: string, { path, selection, to }: TimelineLink): string {
  const query = new URLSearchParams({ path, ...selectionOf(selection) });
  if (to.range !== undefined) {
    query.set('start', String(Math.round(to.range.startNs)));
    query.set('end', String(Math.round(to.range.endNs)));
  }
  if (to.slice !== undefined) query.set('slice', String(to.slice));
  return `${base}/timeline?${query.toString()}`;
}

/**
 * The parts of `vscode://emberline.emberline/timeline?path=...&start=...&end=...&slice=...`. Links come
 * from anywhere: what is not of the expected form gives nothing.
 */
export function readTimelineLink(path: string, query: string): TimelineLink | undefined {
  if (path !== '/timeline') return undefined;
  const values = new URLSearchParams(query);
  const file = values.get('path');
  if (file === null) return undefined;
  const number = (key: string): number | undefined => {
    const text = values.get(key);
    return text !== null && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
  };
  const to: Navigation = { view: 'timeline' };
  const startNs = number('start');
  const endNs = number('end');
  const slice = number('slice');
  if (startNs !== undefined && endNs !== undefined && startNs < endNs)
    to.range = { startNs, endNs };
  if (slice !== undefined && slice >= 0) to.slice = slice;
  return { path: file, selection: selectionOf(Object.fromEntries(values)), to };
}
