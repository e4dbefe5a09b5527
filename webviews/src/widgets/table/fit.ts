// Which columns of a table have room, and what the actions of its rows get.
import {
  columnsGivingWay,
  givingWayToNames,
  leftAlone,
  type ColumnNeed,
} from '../../lib/columns.ts';
import { actionsInMenu, menuPx } from './actions.tsx';

/** Borders of a table, left and right. */
export const framePx = 2;

export interface Fit {
  /** Keys of columns that gave way. */
  gone: readonly string[];
  /** Whether the column of this key is drawn. */
  isShown: (key: string) => boolean;
  /** Whether rows have their actions in a menu. */
  inMenu: boolean;
  /** Width of the column of actions; 0 where there is none. */
  goPx: number;
}

/** Times in all, by which rows are compared. */
const totals = /total[A-Za-z]*Us$/i;

export function fitColumns(options: {
  needs: readonly ColumnNeed[];
  /** Keys of columns that give way first. */
  lesser: readonly string[] | undefined;
  /** Keys of lesser columns that are what the table is for: they do not give way to names. */
  figures?: readonly string[] | undefined;
  /** What the columns of `needs` and the actions have together. */
  roomPx: number;
  /** What the actions would take as links; undefined where rows have none. */
  actionsPx: number | undefined;
  /** The user asked for all columns. */
  all: boolean;
  /** Pixels in which the names of the first column lose nothing that matters. */
  wholeNamesPx?: number;
}): Fit {
  const { needs, roomPx, actionsPx, all } = options;
  const lesser = options.lesser ?? [];
  const inMenu = actionsPx !== undefined && actionsInMenu(needs, lesser, actionsPx, roomPx);
  const goPx = actionsPx === undefined ? 0 : inMenu ? menuPx : actionsPx;
  const gone = columnsGivingWay(needs, lesser, roomPx - goPx);
  gone.push(...leftAlone(needs, gone));
  const left = needs.filter(({ key }) => !gone.includes(key));
  const sparePx = left.reduce((spare, { px }) => spare - px, roomPx - goPx);
  const shortPx = (options.wholeNamesPx ?? 0) - (left[0]?.px ?? 0) - sparePx;
  gone.push(
    ...givingWayToNames(
      left,
      lesser.filter((key) => !totals.test(key) && options.figures?.includes(key) !== true),
      shortPx,
    ),
  );
  return { gone, isShown: (key) => all || !gone.includes(key), inMenu, goPx };
}
