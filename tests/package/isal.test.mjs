// ISA-L comes from the source packages of the machine's own sources.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asSourcePackages } from '../../scripts/lib/isal.mjs';
import { linkedFiles } from '../../scripts/lib/notices.mjs';
import { buildDir, toolsDir } from '../../scripts/lib/paths.mjs';

test('sources of either notation become sources of source packages', () => {
  const lines = [
    '# deb http://archive.example/ubuntu jammy main',
    'deb [arch=amd64 signed-by=/k.gpg] http://archive.example/ubuntu jammy main universe',
    'deb-src http://archive.example/ubuntu jammy main',
    '  deb http://archive.example/debian bookworm main # debug',
  ];
  assert.deepEqual(asSourcePackages(lines.join('\n')).split('\n'), [
    lines[0],
    'deb-src [arch=amd64 signed-by=/k.gpg] http://archive.example/ubuntu jammy main universe',
    lines[2],
    '  deb-src http://archive.example/debian bookworm main # debug',
  ]);
  const paragraph = ['Types: deb deb-src', 'URIs: http://deb.example/debian', 'Suites: trixie'];
  assert.deepEqual(asSourcePackages(paragraph.join('\n')).split('\n'), [
    'Types: deb-src',
    ...paragraph.slice(1),
  ]);
});

test('the daemon inflates with ISA-L where there is one', (t) => {
  const archive = join(toolsDir, 'isa-l', 'lib', 'libisal.a');
  if (!existsSync(archive)) return t.skip('this machine offers no source package of ISA-L');
  const map = readFileSync(join(buildDir, 'bin', 'emberline.map'), 'utf8');
  assert.ok(linkedFiles(map).some((file) => file.endsWith('/isa-l/lib/libisal.a')));
});
