// Buttons of every kind, choices side by side, progress. All are plain elements, so that what shows first
// needs no more script than this.
import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { Icon, type IconName } from './icon.tsx';

/** One of the buttons that a page is about. */
export function Button(props: {
  children: ComponentChildren;
  onClick: () => void;
  secondary?: boolean;
  disabled?: boolean;
  title?: string;
}) {
  return (
    <button
      type="button"
      class={`button ${props.secondary === true ? 'secondary' : ''}`}
      disabled={props.disabled}
      title={props.title}
      onClick={() => props.onClick()}
    >
      {props.children}
    </button>
  );
}

/** A button that looks like text: for the many small actions of rows, cards and charts. */
export function LinkButton(props: {
  children: ComponentChildren;
  onClick: () => void;
  title?: string;
  label?: string;
  class?: string;
  tabIndex?: number;
  pressed?: boolean;
}) {
  return (
    <button
      type="button"
      class={`link-button ${props.class ?? ''}`}
      title={props.title}
      aria-label={props.label}
      aria-pressed={props.pressed}
      tabIndex={props.tabIndex}
      onClick={(event) => {
        event.stopPropagation();
        props.onClick();
      }}
    >
      {props.children}
    </button>
  );
}

/** A button that looks like text and does something here; links lead somewhere. */
export function ActionButton(props: Parameters<typeof LinkButton>[0]) {
  return <LinkButton {...props} class={`action ${props.class ?? ''}`} />;
}

/** A button that is a picture: its label is its name, and its tooltip says what it does. */
export function IconButton(props: {
  icon: IconName;
  label: string;
  title: string;
  onClick: () => void;
  pressed?: boolean;
}) {
  return (
    <button
      type="button"
      class="tool-button icon-button"
      title={props.title}
      aria-label={props.label}
      aria-pressed={props.pressed}
      onClick={props.onClick}
    >
      <Icon name={props.icon} />
    </button>
  );
}

/** Two or more choices side by side, one of them taken. */
export function Segments<V extends string>(
  props: {
    label: string;
    /** Labels by value, in their order. */
    choices: Readonly<Partial<Record<V, string>>>;
  } & ({ of: Signal<V> } | { value: V; onChange: (value: V) => void }),
) {
  const choices = Object.entries(props.choices) as [V, string][];
  const value = 'of' in props ? props.of.value : props.value;
  const none = !choices.some(([choice]) => choice === value);
  const pick = (next: V): void => {
    if ('of' in props) props.of.value = next;
    else props.onChange(next);
  };
  const walk = (event: KeyboardEvent, index: number): void => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (index + step + choices.length) % choices.length;
    pick(choices[next]![0]);
    const group = (event.currentTarget as HTMLElement).parentElement;
    (group?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="segments" role="radiogroup" aria-label={props.label}>
      {choices.map(([choice, label], index) => (
        <button
          key={choice}
          type="button"
          role="radio"
          aria-checked={choice === value}
          tabIndex={choice === value || (index === 0 && none) ? 0 : -1}
          onClick={() => pick(choice)}
          onKeyDown={(event) => walk(event, index)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** Progress of known size, or of unknown size when `percent` is undefined. */
export function Progress(props: { label: string; percent: number | undefined }) {
  return <progress aria-label={props.label} value={props.percent} max={100} />;
}
