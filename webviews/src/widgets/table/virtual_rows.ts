// The virtualizer as a hook: which rows of a long list are in sight. The view is what scrolls; lists
// stand in it at their whole height.
import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

/** What scrolls a view. */
export const scrollerOf = (element: Element | null): HTMLElement | null =>
  element?.closest<HTMLElement>('.view-body') ?? null;

/** How far `element` stands below the top of what its view scrolls. */
export function topInView(element: Element): number {
  const scroller = scrollerOf(element);
  if (scroller === null) return 0;
  return Math.round(
    element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop,
  );
}

export interface VirtualRows {
  items: VirtualItem[];
  totalPx: number;
  /** What an item's start is counted from. */
  topPx: number;
  measure(element: HTMLElement | null): void;
  reveal(index: number): void;
}

/**
 * Rows of `rowPx` unless they are measured, in the element `list`; `headPx` is covered by a sticky
 * header.
 */
export function useVirtualRows(
  count: number,
  list: RefObject<HTMLElement | null>,
  rowPx: number,
  headPx: number,
): VirtualRows {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const [topPx, setTopPx] = useState(0);
  const instance = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const options = {
    count,
    getScrollElement: () => scrollerOf(list.current),
    estimateSize: () => rowPx,
    overscan: 12,
    scrollPaddingStart: headPx,
    scrollMargin: topPx,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    initialRect: { width: 800, height: 600 },
    onChange: () => redraw(undefined),
  };
  if (instance.current === undefined) instance.current = new Virtualizer(options);
  else instance.current.setOptions(options);
  const virtualizer = instance.current;
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  // What stands above the list grows and shrinks without it.
  const place = (): void => {
    if (list.current !== null) setTopPx(topInView(list.current));
  };
  useLayoutEffect(place);
  useLayoutEffect(() => {
    const content = scrollerOf(list.current)?.firstElementChild;
    if (content === null || content === undefined) return undefined;
    const observer = new ResizeObserver(place);
    observer.observe(content);
    return () => observer.disconnect();
  }, [list.current]);
  return {
    items: virtualizer.getVirtualItems(),
    totalPx: virtualizer.getTotalSize(),
    topPx,
    measure: (element) => {
      if (element !== null) virtualizer.measureElement(element);
    },
    reveal: (index) => virtualizer.scrollToIndex(index),
  };
}
