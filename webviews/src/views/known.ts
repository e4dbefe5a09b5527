// Which views there are, for links. Apart from the registry, so that views can ask without importing
// one another.
import { signal } from '@preact/signals';
import type { ViewName } from '../host/messages.ts';

export const knownViews = signal<ReadonlySet<ViewName>>(new Set());

export function hasView(view: ViewName): boolean {
  return knownViews.value.has(view);
}
