// Finds what a source says to people beside its catalog: texts between tags, in attributes and members
// that are shown, counted words, and literals of several words or with a capital. It reads the syntax and
// no types, so it judges a literal by what it stands in. The log is for those who mend the program.
import ts from 'typescript';

/** Attributes and members whose value people read or hear, even if it is one small word. */
const shown = new Set([
  'alt',
  'aria-description',
  'aria-label',
  'aria-roledescription',
  'aria-valuetext',
  'definition',
  'empty',
  'hint',
  'label',
  'note',
  'placeholder',
  'subtitle',
  'title',
  'tooltip',
  'what',
  'word',
]);

/** Attributes and members that only machines read. */
const unseen = new Set(['class', 'd', 'key', 'points', 'style', 'transform', 'viewBox']);

/** Functions that take selectors, queries, names of settings and the like, and errors never shown. */
const machineCalls =
  /^(querySelector(All)?|closest|matches|matchMedia|getElementById|setAttribute|viewState|scopedState|startsWith|endsWith|CancelledError)$/;

const machineOperators = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InKeyword,
]);

/** Parts of an expression whose value is the whole's. */
function passesOn(node, child) {
  if (ts.isConditionalExpression(node)) return node.condition !== child;
  if (ts.isBinaryExpression(node)) {
    return !machineOperators.has(node.operatorToken.kind) && !assigns(node);
  }
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isTemplateSpan(node) ||
    ts.isTemplateExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  );
}

const assigns = (node) => node.operatorToken.kind === ts.SyntaxKind.EqualsToken;

function byName(name) {
  if (unseen.has(name)) return 'machine';
  return shown.has(name) ? 'shown' : 'any';
}

/** What a value is for, by where it stands: `shown`, for a `machine`, or `any`. */
function purpose(node) {
  let child = node;
  let at = node.parent;
  while (passesOn(at, child) || (ts.isJsxExpression(at) && ts.isJsxAttribute(at.parent))) {
    child = at;
    at = at.parent;
  }
  if (ts.isJsxExpression(at)) return 'shown';
  if (ts.isJsxAttribute(at)) return byName(at.name.getText());
  if (ts.isPropertyAssignment(at)) {
    return at.name === child ? 'machine' : byName(at.name.text ?? '');
  }
  if (ts.isCallExpression(at) || ts.isNewExpression(at)) {
    const name = at.expression.name?.text ?? at.expression.text ?? '';
    if (name === 'plural') return 'shown';
    if (/\blog\.\w+$/.test(at.expression.getText())) return 'machine';
    return machineCalls.test(name) ? 'machine' : 'any';
  }
  if (ts.isBinaryExpression(at) && assigns(at)) {
    return /\.(style|font)\b/.test(at.left.getText()) ? 'machine' : 'any';
  }
  const machine =
    ts.isBinaryExpression(at) ||
    ts.isConditionalExpression(at) ||
    ts.isCaseClause(at) ||
    ts.isElementAccessExpression(at) ||
    ts.isImportDeclaration(at) ||
    ts.isExportDeclaration(at) ||
    ts.isExternalModuleReference(at) ||
    ts.isModuleDeclaration(at) ||
    ts.isLiteralTypeNode(at);
  return machine ? 'machine' : 'any';
}

/** The text of a literal, with `\0` where a template takes a value; undefined for other nodes. */
function literalText(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('\0');
}

const letter = /\p{L}/u;

/** Whether a literal that stands anywhere reads like a text: several words, or a capital at its begin. */
const looksSaid = (text) => (/\s/.test(text) && letter.test(text)) || /^\p{Lu}\p{Ll}/u.test(text);

function parse(file, text) {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
}

/** Each text that `file` says itself, with its line; `allowed` tells literals that are no texts. */
export function saidTexts(file, text, allowed = () => false) {
  const source = parse(file, text);
  const found = [];
  const visit = (node) => {
    const said = ts.isJsxText(node) ? node.text.trim() : literalText(node);
    if (said !== undefined && letter.test(said) && !allowed(said)) {
      const where = ts.isJsxText(node) ? 'shown' : purpose(node);
      if (where === 'shown' || (where === 'any' && looksSaid(said))) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ line: line + 1, text: said.replaceAll('\0', '${}') });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * The entries of a catalog: `name` is the catalog's and the entry's, `text` what it says, with its
 * parameters by their position, so that the same sentence is found under other names.
 */
export function catalogEntries(file, text) {
  const source = parse(file, text);
  const entries = [];
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (initializer === undefined || !ts.isObjectLiteralExpression(initializer)) continue;
      for (const property of initializer.properties) {
        entries.push({
          name: `${name.getText()}.${property.name.getText()}`,
          // A text that others are made of stands before the catalog, and is named in it.
          text: entryText(property.initializer ?? property.name),
        });
      }
    }
  }
  return entries;
}

function entryText(value) {
  if (!ts.isArrowFunction(value)) return literalText(value) ?? value.getText();
  const names = value.parameters.map((parameter) => parameter.name.getText());
  const write = (node) => {
    if (ts.isIdentifier(node) && names.includes(node.text)) return `$${names.indexOf(node.text)}`;
    if (node.getChildCount() === 0) return node.getText();
    return node.getChildren().map(write).join(' ');
  };
  return write(value.body);
}
