// Focus on a cell or row that may not be drawn yet: rows are made as they come into sight.
import { useEffect, useRef } from 'preact/hooks';

/** Gives the focus to what `find` finds, at once or as soon as it is drawn. */
export function useFocusOn<T>(
  find: (wanted: T) => HTMLElement | null | undefined,
): (wanted: T) => void {
  // An effect of an earlier drawing must not take what is wanted for done.
  const wanted = useRef<T>(undefined);
  const focus = (): void => {
    if (wanted.current === undefined) return;
    const element = find(wanted.current);
    if (element === null || element === undefined) return;
    wanted.current = undefined;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  useEffect(focus);
  return (next) => {
    wanted.current = next;
    // At once where it is there: the next key may come before the next drawing.
    focus();
  };
}
