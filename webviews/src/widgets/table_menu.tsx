// Copy and export of a small table that stands on the page.
import type { RefObject } from 'preact';
import { exportTexts } from '../lib/export.ts';
import { ExportMenu } from './export_menu.tsx';

/** Exports the first table inside `place`, as it is shown; cut names whole. */
export function TableMenu(props: { name: string; place: RefObject<HTMLElement | null> }) {
  return (
    <ExportMenu
      name={props.name}
      take={(format) => {
        const table = props.place.current?.querySelector('table');
        if (table === null || table === undefined) return undefined;
        const heads = [...table.querySelectorAll<HTMLElement>('thead th')];
        return exportTexts(
          heads.map((head) => {
            const { unit } = head.dataset;
            return `${head.textContent?.trim() ?? ''}${unit === undefined ? '' : ` (${unit})`}`;
          }),
          [...table.querySelectorAll('tbody tr')].map((row) =>
            [...row.children].map(
              (cell) =>
                cell.querySelector<HTMLElement>('[data-whole]')?.dataset.whole ??
                cell.textContent?.trim() ??
                '',
            ),
          ),
          heads.map((head) => head.classList.contains('numeric')),
          format,
        );
      }}
    />
  );
}
