// Tests ask a page as its users do, by role and name: what a thing looks like may change, and a thing
// without a name is one that nobody who cannot see the page finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ts from 'typescript';
import { readTracked, trackedFiles } from './files.mjs';

/** Calls that take a selector, ours among them. */
const queries =
  /^(locator|querySelector(All)?|closest|matches|waitForSelector|getElementsByClassName|webviewFrame|\$\$?(eval)?)$/;

/** How a selector begins that asks by class first. */
const selectorStart =
  /^(a|button|canvas|details|div|dl|g|iframe|li|ol|p|section|span|svg|table|td|th|tr|ul)?\.[a-z]/;

const className = /(?:^|[\s,>+~(\]*\w])\.([a-zA-Z_][\w-]*)/g;

/** Places that may ask by class: a file, the classes, and why they say nothing to a user. */
const allowed = [
  {
    file: 'tests/e2e/vscode_parts.mjs',
    why: "VS Code's own window, which is not ours to name",
  },
  {
    file: 'tests/webviews/roofline.test.mjs',
    classes: ['roof-point', 'roof-line'],
    why: 'marks of a drawing, of which screen readers have the table',
  },
];

/** The classes that our style sheets know. */
const styledClasses = () =>
  new Set(
    trackedFiles(/^webviews\/src\/styles\/.*\.css$/).flatMap((file) =>
      [...readTracked(file).matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name),
    ),
  );

/** The name of the function that a literal is given to, straight or within a template or a list. */
function calledWith(node) {
  let at = node.parent;
  while (
    ts.isTemplateExpression(at) ||
    ts.isTemplateSpan(at) ||
    ts.isParenthesizedExpression(at) ||
    ts.isBinaryExpression(at)
  ) {
    at = at.parent;
  }
  return ts.isCallExpression(at) ? (at.expression.name?.text ?? at.expression.text ?? '') : '';
}

/** Each place of a file that asks by class: the line, and the class. */
function classQueries(file, text, styled) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const found = [];
  const visit = (node) => {
    const literal =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node);
    if (literal) {
      const asks = queries.test(calledWith(node));
      for (const [, name] of node.text.matchAll(className)) {
        // A selector that is kept in a name begins with a class, which a style sheet has.
        const kept = styled.has(name) && selectorStart.test(node.text);
        if (asks || kept) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart());
          found.push({ line: line + 1, name });
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('tests of pages ask by role and name, not by class', () => {
  const styled = styledClasses();
  const files = trackedFiles(/^tests\/(webviews|e2e|lib)\/.*\.mjs$/);
  assert.ok(
    files.length > 30 && styled.size > 200,
    `${files.length} files, ${styled.size} classes`,
  );
  const used = new Set();
  const wrong = files.flatMap((file) =>
    classQueries(file, readTracked(file), styled)
      .filter(({ name }) => {
        const entry = allowed.find(
          (one) => one.file === file && (one.classes?.includes(name) ?? true),
        );
        if (entry !== undefined) used.add(entry.classes === undefined ? file : `${file} ${name}`);
        return entry === undefined;
      })
      .map(({ line, name }) => `${file}:${line}: .${name}`),
  );
  assert.deepEqual(wrong, []);
  const given = allowed.flatMap(({ file, classes }) =>
    classes === undefined ? [file] : classes.map((name) => `${file} ${name}`),
  );
  assert.deepEqual([...used].sort(), given.sort(), 'nothing is allowed that is not there');
});

test('questions by class are found wherever they stand', () => {
  const found = classQueries(
    'sample.mjs',
    `
      page.locator('.one, #two > b.three');
      page.evaluate(() => document.querySelectorAll(\`[data-row="\${row}"] .four\`));
      const kept = '.five [role=row]';
      read('trace.json', '.json');
      page.getByText('An .one sentence');
    `,
    new Set(['one', 'five']),
  );
  assert.deepEqual(
    found.map(({ name }) => name),
    ['one', 'three', 'four', 'five'],
  );
});
