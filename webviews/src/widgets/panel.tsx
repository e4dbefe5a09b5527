// A titled part of a view, with its actions on the right.
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export function Panel(props: {
  title: string;
  definition?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  /** Where links lead. */
  id?: string;
}) {
  const id = useId();
  return (
    <section id={props.id} class={`panel ${props.class ?? ''}`} aria-labelledby={id}>
      <header class="panel-header">
        <h2 id={id} title={props.definition}>
          {props.title}
        </h2>
        {props.actions === undefined ? null : <div class="panel-actions">{props.actions}</div>}
      </header>
      {props.children}
    </section>
  );
}

/** Names and values, two columns; with `row` beside each other, above a table. */
export function Facts(props: {
  items: readonly { name: string; value: ComponentChildren; definition?: string }[];
  row?: boolean;
}) {
  return (
    <dl class={`facts ${props.row === true ? 'facts-row' : ''}`}>
      {props.items.map((item) => (
        <div key={item.name} class="fact">
          <dt title={item.definition}>{item.name}</dt>
          <dd>{item.value}</dd>
        </div>
      ))}
    </dl>
  );
}
