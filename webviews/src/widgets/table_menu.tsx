// Copy and export of a small table that stands on the page.
import type { RefObject } from 'preact';
import { copyText, saveFile } from '../host/host.ts';
import { announce } from '../host/store.ts';
import { exportTexts } from '../lib/export.ts';
import { MenuButton } from './controls.tsx';

/** Exports the first table inside `place`, as it is shown. */
export function TableMenu(props: { name: string; place: RefObject<HTMLElement | null> }) {
  const take = (format: 'csv' | 'markdown', save: boolean): void => {
    const table = props.place.current?.querySelector('table');
    if (table === null || table === undefined) return;
    const heads = [...table.querySelectorAll('thead th')];
    const text = exportTexts(
      heads.map((head) => head.textContent?.trim() ?? ''),
      [...table.querySelectorAll('tbody tr')].map((row) =>
        [...row.children].map((cell) => cell.textContent?.trim() ?? ''),
      ),
      heads.map((head) => head.classList.contains('numeric')),
      format,
    );
    if (save) {
      const ending = format === 'csv' ? 'csv' : 'md';
      saveFile(`${props.name.toLowerCase().replaceAll(' ', '-')}.${ending}`, text);
    } else {
      copyText(text);
      announce('Table copied');
    }
  };
  return (
    <MenuButton
      label="Export"
      items={[
        { label: 'Copy as CSV', run: () => take('csv', false) },
        { label: 'Copy as Markdown', run: () => take('markdown', false) },
        { label: 'Save as CSV...', run: () => take('csv', true) },
        { label: 'Save as Markdown...', run: () => take('markdown', true) },
      ]}
    />
  );
}
