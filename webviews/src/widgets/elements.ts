// The types of the custom elements in use, for JSX. Each is imported where it is drawn.
import type { ComponentChildren, Ref } from 'preact';

interface ElementProps<T> {
  ref?: Ref<T>;
  class?: string | undefined;
  id?: string;
  title?: string | undefined;
  children?: ComponentChildren;
  onClick?: (event: MouseEvent) => void;
  onInput?: (event: Event) => void;
  onChange?: (event: Event) => void;
  onKeyDown?: (event: KeyboardEvent) => void;
}

export interface SelectElement extends HTMLElement {
  value: string;
  options: {
    label: string;
    value: string;
    description: string;
    selected: boolean;
    disabled: boolean;
  }[];
  label: string;
}

export interface TextElement extends HTMLElement {
  value: string;
}

export interface CheckElement extends HTMLElement {
  checked: boolean;
}

declare module 'preact' {
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace JSX {
    interface IntrinsicElements {
      'vscode-checkbox': ElementProps<CheckElement> & {
        checked?: boolean;
        label?: string;
        disabled?: boolean;
      };
      'vscode-single-select': ElementProps<SelectElement> & { label?: string; disabled?: boolean };
      'vscode-textfield': ElementProps<TextElement> & {
        label?: string;
        value?: string;
        placeholder?: string;
        type?: string;
        min?: number;
        max?: number;
        invalid?: boolean;
      };
    }
  }
}
