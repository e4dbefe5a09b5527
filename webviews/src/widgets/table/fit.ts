// Which columns of a table have room, and what the actions of its rows get.
import { columnsGivingWay, type ColumnNeed } from '../../lib/columns.ts';
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

export function fitColumns(options: {
  needs: readonly ColumnNeed[];
  /** Keys of columns that give way first. */
  lesser: readonly string[] | undefined;
  /** What the columns of `needs` and the actions have together. */
  roomPx: number;
  /** What the actions would take as links; undefined where rows have none. */
  actionsPx: number | undefined;
  /** The user asked for all columns. */
  all: boolean;
}): Fit {
  const { needs, roomPx, actionsPx, all } = options;
  const lesser = options.lesser ?? [];
  const inMenu = actionsPx !== undefined && actionsInMenu(needs, lesser, actionsPx, roomPx);
  const goPx = actionsPx === undefined ? 0 : inMenu ? menuPx : actionsPx;
  const gone = columnsGivingWay(needs, lesser, roomPx - goPx);
  return { gone, isShown: (key) => all || !gone.includes(key), inMenu, goPx };
}
