// The charts above a table: one low strip that folds away, because the table comes first.
import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { TopBox } from './fields.tsx';
import { useKept } from './kept.ts';
import { widgetTexts } from './texts.ts';

export function Charts(props: {
  /** Where there is one chart, and it has a heading; else they are called charts. */
  title?: string;
  /** Of the heading. */
  definition?: string;
  /** What can be done with the one chart. */
  actions?: ComponentChildren;
  /** How many parts the charts show, where that can be chosen. */
  top?: Signal<number>;
  class?: string;
  /** Folded away until the user asks for it. */
  startsClosed?: boolean;
  children: ComponentChildren;
}) {
  const { top, startsClosed = false } = props;
  const open = useKept(startsClosed ? 'chartsAskedFor' : 'chartsShown', !startsClosed);
  return (
    <details
      class={`charts ${props.class ?? ''}`}
      aria-label={props.title ?? widgetTexts.charts}
      open={open.value}
      onToggle={(event) => (open.value = event.currentTarget.open)}
    >
      <summary>
        {props.title === undefined ? (
          widgetTexts.charts
        ) : (
          <h2 title={props.definition}>{props.title}</h2>
        )}
      </summary>
      <div class="strips">{props.children}</div>
      {!open.value || (top === undefined && props.actions === undefined) ? null : (
        <div class="charts-top">
          {top === undefined ? null : <TopBox top={top} />}
          {props.actions}
        </div>
      )}
    </details>
  );
}
