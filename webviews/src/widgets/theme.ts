// Theme colors for canvases, and a signal that changes when the theme does.
import { signal } from '@preact/signals';

export const themeSerial = signal(0);

/** The value of a CSS color expression, such as `var(--x)` or `color-mix(...)`, as the browser resolves it. */
export function resolveColor(expression: string): string {
  const element = document.createElement('span');
  element.style.color = expression;
  document.body.appendChild(element);
  const value = getComputedStyle(element).color;
  element.remove();
  return value;
}

/** Relative luminance, 0..1, of bytes. Formula: WCAG 2.2, relative luminance. */
export function luminanceOf(red: number, green: number, blue: number): number {
  const linear = (part: number): number => {
    const value = part / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function watchTheme(): void {
  const observer = new MutationObserver(() => themeSerial.value++);
  observer.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['style', 'class'],
  });
  observer.observe(document.body, {
    attributes: true,
    attributeFilter: ['class', 'data-vscode-theme-kind', 'style'],
  });
}
