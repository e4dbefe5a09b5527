// State of charts and small tables that survives tab switches and reloads, kept by the view they stand in.
import type { Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { viewState } from '../host/view_state.ts';
import { view } from '../host/store.ts';

/** The state `key` of the view in which the widget was made; its name keeps it apart from others. */
export function useKept<T>(key: string, initial: T): Signal<T> {
  return useMemo(() => viewState(view.peek(), key, initial), [key]);
}
