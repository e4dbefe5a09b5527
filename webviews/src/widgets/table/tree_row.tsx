// One row of a tree table.
import { exact, scaled, type Scale } from '#shared/numbers.ts';
import { visible } from '../../lib/format.ts';
import { Name } from '../name.tsx';
import { Actions, type RowAction } from './actions.tsx';
import { Twisty, barStyle } from './cells.tsx';
import type { Sort } from './sort.tsx';
import { indentPx, type Line, type TreeColumn, type TreeItem } from './tree.ts';

export interface ShownColumn<T> {
  column: TreeColumn<T>;
  scale: Scale;
  /** The least width. */
  px: number;
  /** The largest value in the tree. */
  most: number;
}

export function TreeRow<T extends TreeItem<T>>(props: {
  line: Line<T>;
  index: number;
  /** Where the row stands, and how tall it is. */
  y: number;
  height: number;
  label: string;
  note: string;
  columns: readonly ShownColumn<T>[];
  sort: Sort;
  opened: boolean;
  active: boolean;
  tabIndex: 0 | -1;
  /** Undefined where no row has any. */
  actions: readonly RowAction[] | undefined;
  actionsInMenu: boolean;
  setOpened: (opened: boolean) => void;
  onActive: () => void;
}) {
  const { line, opened, active } = props;
  const { node } = line;
  const has = node.childCount > 0;
  const toggle = (): void => props.setOpened(!opened);
  return (
    <div
      role="row"
      class={`grid-item grid-row ${active ? 'active' : ''}`}
      style={{ transform: `translateY(${props.y}px)`, height: `${props.height}px` }}
      aria-rowindex={props.index + 2}
      aria-level={line.level}
      aria-posinset={line.position}
      aria-setsize={line.siblings}
      aria-expanded={has ? opened : undefined}
      tabIndex={props.tabIndex}
      data-line={props.index}
      onMouseDown={props.onActive}
      onDblClick={() => {
        if (has) toggle();
      }}
    >
      <div
        role="gridcell"
        class="cell first"
        aria-colindex={1}
        title={visible(props.label)}
        style={{ paddingLeft: `${indentPx(line.level)}px` }}
      >
        <Twisty opened={opened} toggle={has ? toggle : undefined} />
        <span class="cell-text">
          {props.note === '' ? (
            <Name whole={props.label} />
          ) : (
            <>
              {visible(props.label)}
              <span class="cell-note"> {visible(props.note)}</span>
            </>
          )}
        </span>
      </div>
      {props.columns.map(({ column, scale, most }, index) => {
        const value = column.value(node);
        const bar = props.sort.key === column.key && most > 0 ? Math.abs(value) / most : 0;
        return (
          <div
            key={column.key}
            role="gridcell"
            class={`cell numeric ${barStyle(bar) === undefined ? '' : 'bar'} ${value === 0 ? 'zero' : ''}`}
            aria-colindex={index + 2}
            style={barStyle(bar)}
            title={exact(value, column.unit)}
            data-key={column.key}
            data-value={value}
          >
            {scaled(value, scale)}
          </div>
        );
      })}
      {props.actions === undefined ? null : (
        <div role="gridcell" class="cell actions" aria-colindex={props.columns.length + 2}>
          <Actions
            actions={props.actions}
            inMenu={props.actionsInMenu}
            tabIndex={active ? 0 : -1}
          />
        </div>
      )}
    </div>
  );
}
