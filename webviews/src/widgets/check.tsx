// A box to tick, with the look of VS Code's.
import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import { useRef } from 'preact/hooks';
import type { CheckElement } from './elements.ts';

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
