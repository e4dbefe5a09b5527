// The charts above a table: one low strip that folds away, because the table comes first.
import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { TopBox } from './fields.tsx';
import { useKept } from './kept.ts';
import { widgetTexts } from './texts.ts';

export function Charts(props: {
  /** How many parts the charts show, where that can be chosen. */
  top?: Signal<number>;
  children: ComponentChildren;
}) {
  const open = useKept('chartsShown', true);
  return (
    <details
      class="charts"
      open={open.value}
      onToggle={(event) => (open.value = event.currentTarget.open)}
    >
      <summary>{widgetTexts.charts}</summary>
      <div class="strips">{props.children}</div>
      {open.value && props.top !== undefined ? (
        <div class="charts-top">
          <TopBox top={props.top} />
        </div>
      ) : null}
    </details>
  );
}
