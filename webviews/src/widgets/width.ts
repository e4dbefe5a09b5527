// How wide an element is, as it changes.
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** Pixels that the parent of `element` has for it; without bound as long as it is not drawn. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [px, setPx] = useState(Number.POSITIVE_INFINITY);
  const parent = element.current?.parentElement ?? null;
  const measure = (): void => {
    const around = element.current?.parentElement;
    if (around === null || around === undefined) return;
    const style = getComputedStyle(around);
    setPx(around.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
  };
  useLayoutEffect(measure);
  useLayoutEffect(() => {
    if (parent === null) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(parent);
    return () => observer.disconnect();
  }, [parent]);
  return px;
}

/** Pixels that an element has itself, `least` or more; 0 until it was measured. */
export function useOwnWidth(element: RefObject<HTMLElement | null>, least: number): number {
  const [px, setPx] = useState(0);
  useLayoutEffect(() => {
    const measured = element.current;
    if (measured === null) return undefined;
    const measure = (): void => setPx(Math.max(least, measured.clientWidth));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(measured);
    return () => observer.disconnect();
  }, []);
  return px;
}
