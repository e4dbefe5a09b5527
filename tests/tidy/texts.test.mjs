// What the extension says stands in its catalogue (extension/shared/texts.ts); the log is for those
// who mend the program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';

/** The literals of a TypeScript text with several words, without those of the log and of comments. */
function sentences(text) {
  const bare = text
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\blog\.\w+\([^;]*;/g, '');
  return [...bare.matchAll(/(['`])((?:[^'`\\\n]|\\.)*)\1/g)]
    .map(([, , literal]) => literal)
    .filter((literal) => /[a-z] [a-z]+ [a-z]/.test(literal.replaceAll(/\$\{[^}]*\}/g, '')));
}

test('the extension says nothing beside its catalogue', () => {
  const files = trackedFiles(/^extension\/src\/.*\.ts$/);
  assert.ok(files.length > 40, `${files.length} files were found`);
  const wrong = files.flatMap((file) =>
    sentences(readTracked(file)).map((literal) => `${file}: ${literal}`),
  );
  assert.deepEqual(wrong, []);
});

test('every text of the catalogue is said somewhere', () => {
  const catalogue = readTracked('extension/shared/texts.ts');
  const code = trackedFiles(/^extension\/src\/.*\.ts$/)
    .map(readTracked)
    .join('\n');
  const unused = [...catalogue.matchAll(/^export const (\w+) = \{([^]*?)^\};$/gm)].flatMap(
    ([, group, body]) =>
      [...body.matchAll(/^ {2}(\w+):/gm)]
        .map(([, id]) => `${group}.${id}`)
        .filter((text) => !new RegExp(`\\b${text.replace('.', '\\.')}\\b`).test(code)),
  );
  assert.deepEqual(unused, []);
});
