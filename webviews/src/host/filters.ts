// What narrows the view that shows, beside the selection: told by its widgets, shown by the shell.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export interface ActiveFilter {
  id: string;
  label: string;
  clear: () => void;
}

export const activeFilters = signal<readonly ActiveFilter[]>([]);

/** Tells of a filter while the widget stands; an empty label tells of none. */
export function useActiveFilter(id: string, label: string, clear: () => void): void {
  useEffect(() => {
    if (label === '') return undefined;
    const filter: ActiveFilter = { id, label, clear };
    activeFilters.value = [...activeFilters.peek(), filter];
    return () => {
      activeFilters.value = activeFilters.peek().filter((one) => one !== filter);
    };
  }, [id, label]);
}
