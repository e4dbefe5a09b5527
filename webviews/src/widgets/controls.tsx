// Buttons, selectors, filter boxes: the form controls of VS Code with the names they need.
import './elements.ts';
import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SelectElement, TextElement, CheckElement } from './elements.ts';
import { Icon, type IconName } from './icon.tsx';

export interface Choice<V extends string = string> {
  value: V;
  label: string;
}

export function Button(props: {
  children: ComponentChildren;
  onClick: () => void;
  secondary?: boolean;
  disabled?: boolean;
  title?: string;
}) {
  return (
    <vscode-button
      secondary={props.secondary ?? false}
      disabled={props.disabled ?? false}
      title={props.title}
      onClick={() => props.onClick()}
    >
      {props.children}
    </vscode-button>
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

export function Select<V extends string>(props: {
  label: string;
  value: V;
  choices: readonly Choice<V>[];
  onChange: (value: V) => void;
  hideLabel?: boolean;
}) {
  const element = useRef<SelectElement>(null);
  const shape = JSON.stringify(props.choices);
  useEffect(() => {
    const select = element.current;
    if (select === null) return;
    select.options = props.choices.map((choice) => ({
      ...choice,
      description: '',
      selected: choice.value === props.value,
      disabled: false,
    }));
    select.value = props.value;
  }, [shape, props.value]);
  return (
    <span class="field">
      {props.hideLabel === true ? null : (
        <span class="field-label" aria-hidden="true">
          {props.label}
        </span>
      )}
      <vscode-single-select
        ref={element}
        label={props.label}
        onChange={() => {
          const value = element.current?.value as V | undefined;
          if (value !== undefined && value !== props.value) props.onChange(value);
        }}
      />
    </span>
  );
}

/** Text that filters something; told to `onChange` once typing pauses, at once on Enter. */
export function FilterBox(props: {
  label: string;
  placeholder?: string;
  value: string;
  onChange: (value: string) => void;
  title?: string;
}) {
  const element = useRef<TextElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const tell = (): void => {
    clearTimeout(timer.current);
    props.onChange(element.current?.value ?? '');
  };
  // Before anything can be typed: a later effect would take back the first keys.
  useLayoutEffect(() => {
    if (element.current !== null && element.current.value !== props.value) {
      element.current.value = props.value;
    }
  }, [props.value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <span class="field filter">
      <vscode-textfield
        ref={element}
        label={props.label}
        placeholder={props.placeholder ?? props.label}
        title={props.title}
        onInput={() => {
          clearTimeout(timer.current);
          timer.current = setTimeout(tell, 200);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell();
          if (event.key === 'Escape' && element.current !== null && element.current.value !== '') {
            element.current.value = '';
            event.stopPropagation();
            tell();
          }
        }}
      />
    </span>
  );
}

/** A positive whole number; anything else is marked and not told. */
export function NumberBox(props: {
  label: string;
  value: number;
  max: number;
  onChange: (value: number) => void;
}) {
  const element = useRef<TextElement>(null);
  const [invalid, setInvalid] = useState(false);
  useEffect(() => {
    if (element.current !== null) element.current.value = String(props.value);
  }, [props.value]);
  return (
    <span class="field number">
      <span class="field-label" aria-hidden="true">
        {props.label}
      </span>
      <vscode-textfield
        ref={element}
        label={props.label}
        type="number"
        min={1}
        max={props.max}
        invalid={invalid}
        onInput={() => {
          const value = Number(element.current?.value ?? '');
          const good = Number.isInteger(value) && value >= 1 && value <= props.max;
          setInvalid(!good);
          if (good) props.onChange(value);
        }}
      />
    </span>
  );
}

export function Check(props: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) {
  const element = useRef<CheckElement>(null);
  return (
    <vscode-checkbox
      ref={element}
      label={props.label}
      checked={props.checked}
      onChange={() => props.onChange(element.current?.checked ?? false)}
    />
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
  return (
    <vscode-progress-bar
      ariaLabel={props.label}
      value={props.percent}
      max={100}
      indeterminate={props.percent === undefined}
    />
  );
}

/**
 * A button that opens a small menu. The menu lies above everything, so that neither an edge nor what
 * stands below cuts it.
 */
export function MenuButton(props: {
  label: string;
  items: readonly { label: string; title?: string; run: () => void }[];
  /** Drawn as three dots, where there is no room for the label. */
  dots?: boolean;
  /** Drawn instead of the label, which is then its name and tooltip. */
  icon?: IconName;
  tabIndex?: number;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const wordless = props.dots === true || props.icon !== undefined;
  useLayoutEffect(() => {
    const list = menu.current;
    if (!open || list === null || button.current === null) return undefined;
    list.showPopover();
    const at = button.current.getBoundingClientRect();
    const { width, height } = list.getBoundingClientRect();
    const below = at.bottom + height <= window.innerHeight || at.top < height;
    list.style.left = `${Math.max(4, Math.min(at.right, window.innerWidth - 4) - width)}px`;
    list.style.top = `${below ? at.bottom : at.top - height}px`;
    list.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    // The menu stays where it is while the page below it moves on.
    const close = (): void => setOpen(false);
    const closeOutside = (event: Event): void => {
      if (root.current?.contains(event.target as Node) !== true) close();
    };
    document.addEventListener('pointerdown', closeOutside);
    document.addEventListener('scroll', close, { capture: true });
    window.addEventListener('resize', close);
    return () => {
      document.removeEventListener('pointerdown', closeOutside);
      document.removeEventListener('scroll', close, { capture: true });
      window.removeEventListener('resize', close);
    };
  }, [open]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const at = items.indexOf(document.activeElement as HTMLElement);
    // What lies below the menu has keys of its own.
    event.stopPropagation();
    if (event.key === 'ArrowDown') items[(at + 1) % items.length]?.focus();
    else if (event.key === 'ArrowUp') items[(at - 1 + items.length) % items.length]?.focus();
    else if (event.key === 'Home') items[0]?.focus();
    else if (event.key === 'End') items[items.length - 1]?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') {
      setOpen(false);
      if (event.key === 'Escape') button.current?.focus();
      return;
    } else return;
    event.preventDefault();
  };
  return (
    <div class="menu" ref={root}>
      <button
        ref={button}
        type="button"
        class="tool-button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={wordless ? props.label : undefined}
        title={wordless ? props.label : undefined}
        tabIndex={props.tabIndex}
        onClick={(event) => {
          event.stopPropagation();
          setOpen(!open);
        }}
      >
        {props.dots === true ? (
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d="M2.5 7h2v2h-2z M7 7h2v2h-2z M11.5 7h2v2h-2z" fill="currentColor" />
          </svg>
        ) : (
          <>
            {props.icon === undefined ? props.label : <Icon name={props.icon} />}
            <span class="chevron" aria-hidden="true" />
          </>
        )}
      </button>
      {open ? (
        <div
          ref={menu}
          popover="manual"
          class="menu-items"
          role="menu"
          aria-label={props.label}
          onKeyDown={onKeyDown}
        >
          {props.items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              title={item.title}
              tabIndex={-1}
              onClick={(event) => {
                event.stopPropagation();
                setOpen(false);
                button.current?.focus();
                item.run();
              }}
            >
              {item.label}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}

/** How many parts a view's charts show. */
export function TopBox(props: { top: Signal<number> }) {
  const { top } = props;
  return (
    <NumberBox label="Top" value={top.value} max={50} onChange={(next) => (top.value = next)} />
  );
}
