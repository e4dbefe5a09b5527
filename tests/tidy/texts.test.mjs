// What people read stands in catalogs: the extension's in extension/shared/texts.ts, the page's in the
// texts.ts of each room and view, what both say in extension/shared/common_texts.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracked, trackedFiles } from './files.mjs';
import { catalogEntries, saidTexts } from './said_texts.mjs';

const catalogs = () => trackedFiles(/^(extension\/shared|webviews\/src\/.*)\/(common_)?texts\.ts$/);
const sources = (pattern) => trackedFiles(pattern).filter((file) => !file.endsWith('/texts.ts'));
const extensionSources = () => sources(/^extension\/src\/.*\.ts$/);
const pageSources = () => sources(/^webviews\/src\/.*\.tsx?$/);

/** Literals that look like texts and are none, each with the reason. */
const noTexts = [
  // Values and units of style sheets.
  /^(color-mix|minmax|rgb|var)\(|^[ \0\d]*(px|fr|ch) ?\0?$/,
  // Queries of media and selectors.
  /^\([\w-]+: |^[.#][\w-]+ /,
  // Programs of the graphics card, paths of icons, and icons before a name.
  /^#version |^M[\d.]+ |^\$\([\w-]+\)[ \u00a0]\0/,
  // Filters of tables.
  /^\w+="[^"]*"$|^\w+=\0( \w+=\0)*$/,
  // What recorders write into names and what they are called with.
  /^(nn\.Module: |ProfilerStep#|\(its recording had not begun\)|activities=\[.*\]|with_stack=True)$/,
  // Settings of the editor.
  /^emberline\.\w+$/,
  // Keys of the keyboard.
  /^Arrow(Up|Down)$/,
  // Classes of style sheets and names of filters that are put together elsewhere.
  /^(delta (worse|better)|operators module)$/,
  // The style of a decoration.
  /^none; position: absolute; left: 0$/,
  // Columns, small print and commands in Markdown.
  /&nbsp;|^<sub>|\]\(command:/,
  // Names: of an error, of the log, of a folder of Python's on Windows; and how a process ended.
  /^(DaemonError|Emberline|Lib|status \0)$/,
];

/** Markup with its policy, and the program that users are given to record with. */
const noSources = new Set([
  'extension/src/editors/page_html.ts',
  'extension/src/source/recorder.ts',
]);

test('page and extension say nothing beside their catalogs', () => {
  const files = [...extensionSources(), ...pageSources()].filter((file) => !noSources.has(file));
  assert.ok(files.length > 200, `${files.length} files were found`);
  const used = new Set();
  const isAllowed = (text) => {
    const pattern = noTexts.find((one) => one.test(text));
    if (pattern !== undefined) used.add(pattern);
    return pattern !== undefined;
  };
  const wrong = files.flatMap((file) =>
    saidTexts(file, readTracked(file), isAllowed).map(
      ({ line, text }) => `${file}:${line}: ${text}`,
    ),
  );
  assert.deepEqual(wrong, []);
  assert.deepEqual(
    noTexts.filter((pattern) => !used.has(pattern)),
    [],
    'nothing is allowed that is not there',
  );
});

test('texts are found where they are said, and nothing else is', () => {
  const lines = (text) => saidTexts('sample.tsx', text).map((found) => found.text);
  assert.deepEqual(
    lines(`
      import { h } from './Some file.ts';
      const key = viewState('Some view', 'x');
      const told = key === 'Some key' ? 'one' : 'two';
      const view = <p class="a b" title="small" data-key="x">{told ? 'yes' : ''} of <b>{told}</b></p>;
      const rows = [{ title: \`\${told}s\` }, { id: 'x', name: 'Two words' }, plural(1, 'row')];
    `),
    ['small', 'yes', 'of', '${}s', 'Two words', 'row'],
  );
});

test('every text of a catalog is said somewhere, and stands in one place', () => {
  const code = [...extensionSources(), ...pageSources()].map(readTracked).join('\n');
  const spoken = new Set(code.match(/\b\w+Texts\.\w+/g));
  const places = new Map();
  const unsaid = [];
  for (const file of catalogs()) {
    for (const { name, text } of catalogEntries(file, readTracked(file))) {
      if (!spoken.has(name)) unsaid.push(`${file}: ${name}`);
      places.set(text, [...(places.get(text) ?? []), name]);
    }
  }
  assert.ok(places.size > 1000, `${places.size} texts were found`);
  assert.deepEqual(unsaid, []);
  const twice = [...places].filter(([, names]) => names.length > 1);
  assert.deepEqual(twice, []);
});
