// Names of a trace as the surfaces of the editor may show them.
import { escapeHidden } from '#shared/hidden.ts';
import { sourceTexts } from '#shared/texts.ts';

/** Escapes what Markdown would take for markup: names in a trace are of anybody's making. */
export function escapeMarkdown(text: string): string {
  return escapeHidden(text.replace(/[\r\n]+/g, ' ')).replace(
    /[\\`*_{}[\]()#+\-.!|~<>&$:@/]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}

/**
 * A text for a notification, which takes `[text](command:...)` for a link: names in a trace must
 * not become one.
 */
export function plainText(text: string): string {
  return shorten(
    escapeHidden(text.replace(/[\r\n]+/g, ' '))
      .replaceAll('[', '(')
      .replaceAll(']', ')'),
    400,
  );
}

/**
 * A text of a trace, or a name of a file, for a label, a description or a tooltip. Where VS Code
 * puts icons for `$(name)`, a text has none.
 */
export function labelText(text: string): string {
  return escapeHidden(text).replaceAll('$(', '$ (');
}

/** Cuts long names in the middle, where kernels' names say least. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.floor((length - 1) / 3);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** In hovers, of a line whose text is another one than at the recording. */
export const staleNote = sourceTexts.changedFigures;
