// The hints at the ends of lines, as the window draws them.
import { waitUntil } from './workbench.mjs';
import { codeLines } from './vscode_parts.mjs';

/**
 * What stands behind each rendered line of the editor in front: text of the line and of its hint.
 * A hint is drawn as a pseudo-element, which is no text of the page.
 */
export function hintsShown(page) {
  return page.evaluate((lines) => {
    const rows = [];
    for (const row of document.querySelectorAll(lines)) {
      let hint = '';
      for (const part of row.querySelectorAll('*')) {
        for (const side of ['::before', '::after']) {
          const { content } = getComputedStyle(part, side);
          if (content.startsWith('"') && content.length > 2) hint += JSON.parse(content);
        }
      }
      rows.push({ text: row.textContent.replaceAll('\u00a0', ' '), hint });
    }
    return rows;
  }, codeLines);
}

/** The hint of the rendered line that holds `text`; waits until one fits `wanted`. */
export async function hintOnLine(page, text, wanted) {
  let rows = [];
  return waitUntil(`hint ${wanted} on ${text}`, async () => {
    rows = await hintsShown(page);
    return rows.find((row) => row.text.includes(text) && wanted.test(row.hint))?.hint;
  }).catch((error) => {
    const seen = rows.filter(({ hint }) => hint !== '').map((row) => `${row.text} | ${row.hint}`);
    error.message += `\nHints that are shown:\n${seen.join('\n')}`;
    throw error;
  });
}
