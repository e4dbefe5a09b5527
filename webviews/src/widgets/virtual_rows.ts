// The virtualizer as a hook: which rows of a long list are in sight.
import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRows {
  items: VirtualItem[];
  totalPx: number;
  measure(element: HTMLElement | null): void;
  reveal(index: number): void;
}

/** Rows of `rowPx` unless they are measured; `headPx` is covered by a sticky header. */
export function useVirtualRows(
  count: number,
  scroll: RefObject<HTMLElement | null>,
  rowPx: number,
  headPx: number,
): VirtualRows {
  const [, redraw] = useReducer<number, undefined>((n) => n + 1, 0);
  const instance = useRef<Virtualizer<HTMLElement, HTMLElement>>(undefined);
  const options = {
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => rowPx,
    overscan: 12,
    scrollPaddingStart: headPx,
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
  return {
    items: virtualizer.getVirtualItems(),
    totalPx: virtualizer.getTotalSize(),
    measure: (element) => {
      if (element !== null) virtualizer.measureElement(element);
    },
    reveal: (index) => virtualizer.scrollToIndex(index),
  };
}
