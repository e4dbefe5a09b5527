// Where a row of a table leads to, and how much room that takes.
import type { ColumnNeed } from '../../lib/columns.ts';
import { commonTexts } from '../../lib/texts.ts';
import { LinkButton } from '../controls.tsx';
import { MenuButton } from '../menu_button.tsx';

export interface RowAction {
  label: string;
  title: string;
  run: () => void;
}

/** Of the column of actions where a row has them in a menu. */
export const menuPx = 56;

/**
 * Width of the column of actions. Every row is a grid of its own, so a column is as wide as its widest
 * content only by figures.
 */
export function actionsWidthPx(rows: readonly (readonly RowAction[])[]): number {
  return rows.reduce(
    (most, list) =>
      Math.max(
        most,
        list.reduce((sum, one) => sum + one.label.length * 7.4 + 12, 12),
      ),
    60,
  );
}

/**
 * Whether the actions go into a menu. In a wide view the lesser columns give way for a few, in a narrow
 * one the actions do for the columns.
 */
export function actionsInMenu(
  needs: readonly ColumnNeed[],
  lesser: readonly string[],
  actionsPx: number,
  roomPx: number,
): boolean {
  const wide = roomPx >= 900 && actionsPx <= roomPx / 4;
  const least = needs.filter(({ key, stays }) => !wide || stays || !lesser.includes(key));
  return actionsPx > menuPx && least.reduce((sum, need) => sum + need.px, actionsPx) > roomPx;
}

export function Actions(props: {
  actions: readonly RowAction[];
  inMenu: boolean;
  tabIndex?: 0 | -1;
}) {
  const tabIndex = props.tabIndex ?? 0;
  if (props.inMenu) {
    return props.actions.length === 0 ? null : (
      <MenuButton label={commonTexts.goTo} dots tabIndex={tabIndex} items={props.actions} />
    );
  }
  return (
    <>
      {props.actions.map((action) => (
        <LinkButton
          key={action.label}
          title={action.title}
          tabIndex={tabIndex}
          onClick={action.run}
        >
          {action.label}
        </LinkButton>
      ))}
    </>
  );
}
