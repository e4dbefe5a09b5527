import type { Signal } from '@preact/signals';
import { plural } from '#shared/numbers.ts';
import { ActionButton } from '../controls.tsx';

/** Tells which columns gave way, and brings them back. */
export function HiddenColumns(props: { titles: readonly string[]; all: Signal<boolean> }) {
  const { titles, all } = props;
  if (titles.length === 0) return null;
  return (
    <ActionButton
      pressed={all.value}
      title={
        all.value
          ? 'Show only the columns that fit'
          : `Hidden because there is no room: ${titles.join(', ')}. Click to show them and scroll sideways.`
      }
      onClick={() => (all.value = !all.value)}
    >
      {all.value ? 'All columns' : plural(titles.length, 'more column')}
    </ActionButton>
  );
}
