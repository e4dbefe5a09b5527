// The charts above a table: one low strip that folds away, because the table comes first.
import type { ComponentChildren } from 'preact';
import { useKept } from './kept.ts';

export function Charts(props: { children: ComponentChildren }) {
  const open = useKept('chartsShown', true);
  return (
    <details
      class="charts"
      open={open.value}
      onToggle={(event) => (open.value = event.currentTarget.open)}
    >
      <summary>Charts</summary>
      <div class="strips">{props.children}</div>
    </details>
  );
}
