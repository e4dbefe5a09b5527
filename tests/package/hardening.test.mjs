// The daemon reads files from anywhere: what the linker puts in so that a mistake in it ends the
// program instead of serving a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vsixPath } from '../../scripts/lib/paths.mjs';
import { readElf } from './elf.mjs';
import { unzip } from './unzip.mjs';

let folder;
let daemon;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-hardening-'));
  unzip(process.env.EMBERLINE_VSIX ?? vsixPath(), folder);
  const bin = join(folder, 'extension', 'bin');
  daemon = readElf(readFileSync(join(bin, 'emberline')));
});
after(() => rmSync(folder, { recursive: true, force: true }));

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
