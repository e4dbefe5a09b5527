// A list to choose from, with the look and the keys of VS Code's. Its element is half as much script as
// the first view, which therefore does not wait for it: what is chosen stands there until it has come.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SelectElement } from './elements.ts';

const tag = 'vscode-single-select';
const isDefined = (): boolean => customElements.get(tag) !== undefined;

/** Whether the element can be drawn; has it fetched where it cannot. */
function useElement(): boolean {
  const [defined, setDefined] = useState(isDefined);
  useEffect(() => {
    if (defined) return undefined;
    let left = false;
    const arrived = (): void => {
      if (!left) setDefined(isDefined());
    };
    // Where it cannot be had, the choice can be read and not changed.
    import('@vscode-elements/elements/dist/vscode-single-select/index.js').then(arrived, arrived);
    return () => {
      left = true;
    };
  }, [defined]);
  return defined;
}

export interface Choice<V extends string = string> {
  value: V;
  label: string;
}

export function Select<V extends string>(props: {
  label: string;
  value: V;
  choices: readonly Choice<V>[];
  onChange: (value: V) => void;
  hideLabel?: boolean;
  /** Its choices are names, which need room. */
  wide?: boolean;
}) {
  const element = useRef<SelectElement>(null);
  const defined = useElement();
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
  }, [defined, shape, props.value]);
  return (
    <span class={props.wide === true ? 'field wide' : 'field'}>
      {props.hideLabel === true ? null : (
        <span class="field-label" aria-hidden="true">
          {props.label}
        </span>
      )}
      {defined ? (
        <vscode-single-select
          ref={element}
          label={props.label}
          onChange={() => {
            const value = element.current?.value as V | undefined;
            if (value !== undefined && value !== props.value) props.onChange(value);
          }}
        />
      ) : (
        <span class="select-coming" aria-busy="true">
          {props.choices.find(({ value }) => value === props.value)?.label}
        </span>
      )}
    </span>
  );
}
