// The daemon reads files from anywhere: what the compiler and the linker put in so that a mistake
// in it ends the program instead of serving a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vsixPath } from '../../scripts/lib/paths.mjs';
import { countOf, readElf } from './elf.mjs';
import { unzip } from './unzip.mjs';

const x86 = 62;
let folder;
let daemon;
/** The daemon's own code without the C library, with its symbols; absent where that is not inside. */
let object;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-hardening-'));
  unzip(process.env.EMBERLINE_VSIX ?? vsixPath(), folder);
  const bin = join(folder, 'extension', 'bin');
  daemon = readElf(readFileSync(join(bin, 'emberline')));
  const relinkable = join(bin, 'relink', 'emberline.o');
  if (existsSync(relinkable)) object = readElf(readFileSync(relinkable));
});
after(() => rmSync(folder, { recursive: true, force: true }));

const occurrences = ({ code }, pattern) =>
  code.reduce((sum, bytes) => sum + countOf(bytes, pattern), 0);

test('the program lies anywhere, and no memory of it is both written and run', () => {
  const dynamicObject = 3;
  assert.equal(daemon.type, dynamicObject, 'position-independent');
  assert.equal(daemon.segment('gnuStack')?.flags, 6, 'the stack is read and written only');
  assert.equal(daemon.writableCode, false);
});

test('what the loader fills in is read-only before the program runs', () => {
  assert.ok(daemon.segment('gnuRelro'), 'PT_GNU_RELRO');
  const bindNow = (daemon.dynamic.get(30) ?? 0n) & 8n;
  const now = (daemon.dynamic.get(0x6ffffffb) ?? 0n) & 1n;
  assert.ok(bindNow !== 0n || now !== 0n || daemon.dynamic.has(24), 'bound at once');
});

test('buffers, containers and returns are checked', (t) => {
  if (object === undefined) return t.skip('the symbols are not inside');
  const wanted = [...object.undefinedSymbols];
  assert.ok(wanted.includes('__stack_chk_fail'), '-fstack-protector-strong');
  assert.ok(
    wanted.some((name) => name.includes('__glibcxx_assert_fail')),
    '_GLIBCXX_ASSERTIONS',
  );
  assert.ok(
    wanted.some((name) => /^__.*_chk$/.test(name)),
    '_FORTIFY_SOURCE',
  );
});

test('most functions with buffers have a canary, and indirect jumps land on marks', (t) => {
  if (object === undefined || object.machine !== x86) return t.skip('x86-64 only');
  // mov, sub or xor with %fs:0x28, into or from any register. Libraries that are linked bring some
  // hundred; our own code has far more.
  const canaries = occurrences(object, [
    0x64,
    undefined,
    undefined,
    undefined,
    0x25,
    0x28,
    0,
    0,
    0,
  ]);
  assert.ok(canaries > 600, `${canaries} reads of the canary`);
  const marks = occurrences(object, [0xf3, 0x0f, 0x1e, 0xfa]);
  assert.ok(marks > 2000, `${marks} marks`);
});
