// The custom elements in use and their types for JSX.
import '@vscode-elements/elements/dist/vscode-button/index.js';
import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import '@vscode-elements/elements/dist/vscode-progress-bar/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
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
      'vscode-button': ElementProps<HTMLElement> & { secondary?: boolean; disabled?: boolean };
      'vscode-checkbox': ElementProps<CheckElement> & {
        checked?: boolean;
        label?: string;
        disabled?: boolean;
      };
      'vscode-progress-bar': ElementProps<HTMLElement> & {
        value?: number | undefined;
        max?: number;
        indeterminate?: boolean;
        ariaLabel?: string;
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
