// Boxes to type in, with the look of VS Code's, and the names that they need.
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import type { Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TextElement } from './elements.ts';
import { widgetTexts } from './texts.ts';

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

/** How many parts a view's charts show. */
export function TopBox(props: { top: Signal<number> }) {
  const { top } = props;
  return (
    <NumberBox
      label={widgetTexts.top}
      value={top.value}
      max={50}
      onChange={(next) => (top.value = next)}
    />
  );
}
