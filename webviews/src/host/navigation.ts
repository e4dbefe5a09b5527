// Navigations, as a view takes them.
import { useEffect } from 'preact/hooks';
import { navigations } from './store.ts';
import type { Navigation } from '#shared/messages.ts';
import type { ViewName } from '#shared/protocol.ts';

/** Runs `apply` once for each navigation to the view, also for one that came before it was drawn. */
export function useNavigation(view: ViewName, apply: (to: Navigation) => void): void {
  const navigation = navigations.value[view];
  useEffect(() => {
    if (navigation === undefined || handled.get(view) === navigation.serial) return;
    handled.set(view, navigation.serial);
    apply(navigation.to);
  }, [navigation?.serial]);
}

/** A view is made anew on each visit; what it was told once shall not overwrite what the user did since. */
const handled = new Map<ViewName, number>();
