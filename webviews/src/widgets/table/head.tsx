// The headings of a table: sorting, and the handles that change widths.
import type { Column } from '#shared/protocol.ts';
import type { Scale } from '#shared/numbers.ts';
import { commonTexts } from '../../lib/texts.ts';
import { numeric } from './cells.tsx';
import { HeadText, ariaSort, type Sort } from './sort.tsx';

/** Follows the pointer from a press on a heading's handle until it is let go. */
function resize(event: PointerEvent, setWidth: (px: number) => void): void {
  event.preventDefault();
  event.stopPropagation();
  const handle = event.currentTarget as HTMLElement;
  const startWidth = handle.parentElement!.getBoundingClientRect().width;
  const startX = event.clientX;
  handle.setPointerCapture(event.pointerId);
  const move = (to: PointerEvent): void => setWidth(startWidth + to.clientX - startX);
  const end = (): void => {
    handle.removeEventListener('pointermove', move);
    handle.removeEventListener('pointerup', end);
  };
  handle.addEventListener('pointermove', move);
  handle.addEventListener('pointerup', end);
}

export function Head(props: {
  columns: readonly Column[];
  scales: readonly Scale[];
  sort: Sort;
  /** With the column of actions. */
  columnCount: number;
  tabStop: (column: number) => 0 | -1;
  onPick: (column: Column, index: number) => void;
  setWidth: (column: Column, px: number) => void;
}) {
  const { columns, scales, sort, columnCount } = props;
  return (
    <div role="rowgroup" class="grid-head">
      <div role="row" aria-rowindex={1} class="grid-row head">
        {columns.map((column, index) => (
          <div
            key={column.key}
            role="columnheader"
            class={`cell head-cell ${numeric(column) ? 'numeric' : ''} ${index === 0 ? 'first' : ''}`}
            aria-colindex={index + 1}
            aria-sort={ariaSort(sort, column.key)}
            aria-description={column.definition}
            title={column.definition}
            tabIndex={props.tabStop(index)}
            data-row={-1}
            data-column={index}
            data-key={column.key}
            onClick={() => props.onPick(column, index)}
          >
            <HeadText
              title={column.title}
              suffix={scales[index]!.suffix}
              sort={sort}
              of={column.key}
            />
            <span
              class="resize-handle"
              aria-hidden="true"
              onPointerDown={(event) => resize(event, (px) => props.setWidth(column, px))}
              onClick={(event) => event.stopPropagation()}
            />
          </div>
        ))}
        {columnCount > columns.length ? (
          <div
            role="columnheader"
            class="cell head-cell"
            aria-colindex={columnCount}
            tabIndex={props.tabStop(columnCount - 1)}
            data-row={-1}
            data-column={columnCount - 1}
          >
            <span class="head-text">{commonTexts.goTo}</span>
          </div>
        ) : null}
      </div>
    </div>
  );
}
