import type { Signal } from '@preact/signals';
import { ActionButton } from '../controls.tsx';
import { widgetTexts } from '../texts.ts';

/** Tells which columns gave way, and brings them back. */
export function HiddenColumns(props: { titles: readonly string[]; all: Signal<boolean> }) {
  const { titles, all } = props;
  if (titles.length === 0) return null;
  return (
    <ActionButton
      pressed={all.value}
      title={
        all.value
          ? widgetTexts.showFittingColumns
          : widgetTexts.hiddenColumnsHint(titles.join(', '))
      }
      onClick={() => (all.value = !all.value)}
    >
      {all.value ? widgetTexts.allColumns : widgetTexts.moreColumns(titles.length)}
    </ActionButton>
  );
}
