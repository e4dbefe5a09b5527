// Draws what may still be on its way as a script.
import { useEffect, useState } from 'preact/hooks';
import type { Late } from '../host/late.ts';
import { Waiting } from '../widgets/notices.tsx';
import { shellTexts } from './texts.ts';

/** A failure to fetch is thrown while drawing, for the nearest boundary to show. */
export function Arriving<Props extends object>(props: { of: Late<Props>; given: Props }) {
  const { of, given } = props;
  const [, setArrived] = useState(0);
  const [error, setError] = useState<unknown>(undefined);
  const Component = of.component;
  useEffect(() => {
    // By what was drawn: the script may have come since.
    if (Component !== undefined) return undefined;
    let left = false;
    of.load().then(
      () => left || setArrived((count) => count + 1),
      (reason: unknown) => left || setError(reason ?? new Error(shellTexts.scriptNotLoaded)),
    );
    return () => {
      left = true;
    };
  }, [of]);
  if (error !== undefined) throw error;
  return Component === undefined ? (
    <Waiting what={shellTexts.openingView} />
  ) : (
    <Component {...given} />
  );
}
