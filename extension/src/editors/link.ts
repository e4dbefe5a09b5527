import { isAbsolute } from 'node:path';
import type { Navigation, ViewSelection } from '../../../webviews/src/host/messages.ts';

/** What a link of the timeline reopens. */
export interface TimelineLink {
  path: string;
  selection: ViewSelection;
  to: Navigation;
}

/**
 * The parts of `vscode://emberline.emberline/timeline?path=...&start=...&end=...&slice=...`. Links come
 * from anywhere: what is not of the expected form gives nothing.
 */
export function parseTimelineLink(path: string, query: string): TimelineLink | undefined {
  if (path !== '/timeline') return undefined;
  const values = new URLSearchParams(query);
  const file = values.get('path');
  if (file === null || !isAbsolute(file)) return undefined;
  const number = (key: string): number | undefined => {
    const text = values.get(key);
    return text !== null && /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
  };
  const selection: ViewSelection = {};
  for (const key of ['run', 'worker', 'span', 'steps'] as const) {
    const value = values.get(key);
    if (value !== null && value !== '') selection[key] = value;
  }
  const to: Navigation = { view: 'timeline' };
  const startNs = number('start');
  const endNs = number('end');
  const slice = number('slice');
  if (startNs !== undefined && endNs !== undefined && startNs < endNs)
    to.range = { startNs, endNs };
  if (slice !== undefined && slice >= 0) to.slice = slice;
  return { path: file, selection, to };
}
