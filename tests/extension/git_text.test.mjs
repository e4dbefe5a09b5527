// Texts of a revision, from a real repository.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { commitOf, textAt } from '../../extension/src/source/git_text.ts';

const folder = mkdtempSync(join(tmpdir(), 'emberline-git-'));
const file = join(folder, 'model', 'a file.py');
const git = (...args) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], {
    encoding: 'utf8',
  }).trim();
let first;
before(() => {
  git('init', '--quiet', '--initial-branch', 'main');
  mkdirSync(join(folder, 'model'));
  writeFileSync(file, 'old = 1\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'one');
  first = git('rev-parse', 'HEAD');
  git('tag', '-a', 'v1', '-m', 'the first');
  writeFileSync(file, 'new = 2\n');
  git('commit', '--quiet', '-am', 'two');
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('a revision is the commit that it names, and nothing else is one', async () => {
  for (const name of ['HEAD~1', 'v1', first.slice(0, 10), ` ${first} `]) {
    assert.equal(await commitOf(folder, name), first, name);
  }
  for (const name of ['', 'nowhere', '--all', '-h', `${first}:model`, 'HEAD\nHEAD~1']) {
    assert.equal(await commitOf(folder, name), undefined, JSON.stringify(name));
  }
  assert.equal(await commitOf(tmpdir(), 'HEAD'), undefined);
  assert.equal(await commitOf(join(folder, 'none'), 'HEAD'), undefined);
});

test('the text of a file is that of the commit, and absent where it was not there', async () => {
  assert.equal(await textAt(first, file), 'old = 1\n');
  assert.equal(await textAt(git('rev-parse', 'HEAD'), file), 'new = 2\n');
  assert.equal(await textAt(first, join(folder, 'model', 'other.py')), undefined);
  assert.equal(await textAt('0'.repeat(40), file), undefined);
});
