// Links between views. Which views there are is told at the start, so that widgets and views can ask
// without importing one another.
import { signal } from '@preact/signals';
import type { Navigation } from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';
import { navigate } from './store.ts';

export const knownViews = signal<ReadonlySet<ViewName>>(new Set());

export interface Link {
  label: string;
  title: string;
  run: () => void;
}

/** The way to another view, when there is that view. */
export function viewAction(
  view: ViewName,
  label: string,
  title: string,
  to: Omit<Navigation, 'view'>,
): Link[] {
  return knownViews.value.has(view) ? [{ label, title, run: () => navigate({ view, ...to }) }] : [];
}
