// The manifest as users meet it: names with our prefix, titles and descriptions everywhere, no
// command that is nowhere implemented.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { recorderSnippet } from '../../extension/src/source/recorder.ts';
import { root } from '../../scripts/lib/paths.mjs';
import { readTracked, trackedFiles } from './files.mjs';

const manifest = JSON.parse(readTracked('package.json'));
const { contributes } = manifest;
const sources = () =>
  trackedFiles(/^extension\/src\/.*\.ts$/)
    .map(readTracked)
    .join('\n');

function settings() {
  return [contributes.configuration ?? []]
    .flat()
    .flatMap((group) => Object.entries(group.properties));
}

test('every setting has our prefix, a default and a description', () => {
  assert.ok(settings().length > 0);
  for (const [name, setting] of settings()) {
    assert.match(name, /^emberline\.[a-z][\w.]*$/);
    assert.ok('default' in setting, `${name} has no default`);
    const text = setting.description ?? setting.markdownDescription ?? '';
    assert.ok(text.length > 20 && text.endsWith('.'), `${name} has no description: ${text}`);
    if (setting.enum !== undefined) {
      const texts = setting.enumDescriptions ?? setting.markdownEnumDescriptions ?? [];
      assert.equal(texts.length, setting.enum.length, `${name} describes each of its values`);
    }
  }
});

test('every setting is read by the extension', () => {
  const text = sources();
  const unread = settings()
    .map(([name]) => name.replace(/^emberline\./, ''))
    .filter((name) => !name.startsWith('trace.') && !text.includes(name));
  assert.deepEqual(unread, []);
});

test('every command has our prefix, and a title that says what it is of', () => {
  assert.ok(contributes.commands.length > 0);
  for (const { command, title, category } of contributes.commands) {
    assert.match(command, /^emberline\.[a-zA-Z.]+$/);
    assert.match(title, /^[A-Z]/, command);
    // A title that names the profile or the job itself does not say it twice.
    const expected = /PyTorch (?:Profile|Job)/.test(title) ? undefined : 'PyTorch Profile';
    assert.equal(category, expected, command);
  }
});

test('every command is implemented', () => {
  const text = sources();
  const missing = contributes.commands
    .map(({ command }) => command)
    .filter((command) => !text.includes(`'${command}'`) && !text.includes(`"${command}"`));
  assert.deepEqual(missing, []);
});

test('menus, views and keys name commands and icons that are there', () => {
  const known = new Set(contributes.commands.map(({ command }) => command));
  const used = [
    ...Object.values(contributes.menus ?? {})
      .flat()
      .map(({ command }) => command),
    ...(contributes.keybindings ?? []).map(({ command }) => command),
  ].filter((command) => command?.startsWith('emberline.'));
  assert.deepEqual(
    used.filter((command) => !known.has(command)),
    [],
  );
  const icons = [
    manifest.icon,
    ...contributes.walkthroughs.flatMap(({ icon, steps }) => [
      icon,
      ...steps.map(({ media }) => media.markdown),
    ]),
    ...Object.values(contributes.viewsContainers ?? {})
      .flat()
      .map(({ icon }) => icon),
    ...Object.values(contributes.views ?? {})
      .flat()
      .map(({ icon }) => icon),
    ...contributes.commands.flatMap(({ icon }) =>
      typeof icon === 'object' ? Object.values(icon) : [icon],
    ),
  ].filter((icon) => typeof icon === 'string' && !icon.startsWith('$('));
  assert.deepEqual(
    icons.filter((icon) => !existsSync(join(root, icon))),
    [],
  );
});

test('links in welcome texts and walkthroughs run commands that are there', () => {
  const known = new Set(contributes.commands.map(({ command }) => command));
  const views = new Set(
    Object.values(contributes.views)
      .flat()
      .map(({ id }) => `${id}.focus`),
  );
  const texts = [
    ...contributes.viewsWelcome.map(({ contents }) => contents),
    ...contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ description }) => description)),
  ];
  const linked = texts.flatMap((text) =>
    [...text.matchAll(/\]\(command:([\w.]+)/g)].map((match) => match[1]),
  );
  assert.ok(linked.length > 4);
  assert.deepEqual(
    linked.filter((command) => !known.has(command) && !views.has(command)),
    [],
  );
  // These texts take links and, in walkthroughs, **bold** and ``code``, and show the rest as it is.
  for (const text of texts) assert.doesNotMatch(text.replaceAll(/``[^`]+``/g, ''), /`/);
});

test('the walkthrough shows the code that its button copies', () => {
  const shown = /```python\n([^]*?)```/.exec(readTracked('extension/media/walkthrough-record.md'));
  assert.equal(shown?.[1], recorderSnippet);
  // The editor cuts lines off instead of wrapping them, beside half of a narrow window too.
  for (const line of recorderSnippet.split('\n')) assert.ok(line.length <= 44, line);
});
