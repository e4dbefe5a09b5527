// The notices of other people's works: complete, with their texts, and with what LGPL asks for.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  builtParts,
  compiledFiles,
  componentsOf,
  holdsLibc,
  linkedFiles,
  noticesText,
} from '../../scripts/lib/notices.mjs';
import { root, vsixPath } from '../../scripts/lib/paths.mjs';
import { CommandError, output } from '../../scripts/lib/process.mjs';
import { linkLine } from '../../scripts/lib/relink.mjs';
import { unzip } from './unzip.mjs';

let folder;
let inside;
let notices;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-notices-'));
  unzip(process.env.EMBERLINE_VSIX ?? vsixPath(), folder);
  inside = join(folder, 'extension');
  notices = readFileSync(join(inside, 'ThirdPartyNotices.txt'), 'utf8');
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** A file that is inside, the page's script with all that it fetches later. */
function textOf(file) {
  const views = join(inside, 'dist', 'views');
  const parts =
    file === 'dist/webview.js' ? readdirSync(views).map((name) => join(views, name)) : [];
  return [join(inside, file), ...parts].map((path) => readFileSync(path, 'latin1')).join('\n');
}

/** The entry of a component, by the start of its name. */
function entry(name) {
  return notices.split('\n\n').find((part) => part.startsWith(name) && /^ {2}texts: /m.test(part));
}

test('what is known to be inside has its notice', () => {
  // By what it leaves in the files, not by what the script found.
  const traces = [
    ['bin/emberline', /inflate \d[\d.]* Copyright/, 'zlib'],
    ['bin/emberline', /GNU C Library|glibc/, 'glibc'],
    ['bin/emberline', /uv_loop_|UV_THREADPOOL_SIZE/, 'libuv'],
    ['bin/emberline', /no argument for repetition operator/, 're2'],
    ['bin/emberline', /St9exception|libstdc\+\+/, 'gcc-'],
    ['bin/emberline', /icelake|haswell/, '@nozbe/simdjson'],
    ['bin/emberline', /nlohmann/, 'nlohmann-json'],
    ['bin/emberline', /list_comprehension/, 'tree-sitter-python'],
    ['bin/emberline', /tree.sitter|TREE_SITTER|end_of_nonterminal|_ERROR|ERROR/, 'tree-sitter '],
    ['dist/webview.js', /uplot/, 'uplot'],
    ['dist/webview.js', /vscode-button|vscode-checkbox|vscode-/, '@vscode-elements/elements'],
    ['dist/webview.js', /lit\$|litElementVersions/, 'lit-html'],
    ['dist/webview.js', /__k|__c/, 'preact '],
    ['dist/extension.cjs', /\$\/cancelRequest/, 'vscode-jsonrpc'],
  ];
  for (const [file, pattern, name] of traces) {
    if (!pattern.test(textOf(file))) continue;
    const found = entry(name);
    assert.ok(found, `${name} of ${file}`);
    assert.ok(found.includes(file) || name === 'uplot', `${name}: ${found}`);
  }
});

test('every part of the build has its notice, with a text that is there', (t) => {
  if (process.env.EMBERLINE_VSIX) return t.skip('another VSIX than that of this build');
  const parts = builtParts();
  const components = componentsOf(parts);
  for (const { name, version } of components) {
    const found = entry(`${name} ${version}`);
    assert.ok(found, name);
    const numbers = [.../^ {2}texts: (.*)$/m.exec(found)[1].matchAll(/\[(\d+)\]/g)];
    assert.ok(numbers.length > 0, name);
    for (const [mark] of numbers) assert.ok(notices.includes(`\n${mark}\n====`), `${name} ${mark}`);
  }
  const names = components.map(({ name }) => name).join(' ');
  for (const name of [
    'zlib',
    'libdeflate',
    'libuv',
    're2',
    'gcc-',
    'nlohmann-json',
    'simdjson',
    'tree-sitter-python',
  ]) {
    assert.ok(names.includes(name), `${name} in ${names}`);
  }
  assert.ok(linkedFiles(parts.map).length > 20 && compiledFiles(parts.deps).length > 100);
  assert.ok(!names.includes('catch2'), 'what only tests use is not inside');
  assert.ok(!notices.includes(root), 'no path of this machine');
});

test('what brings no license along stops the packing', () => {
  const parts = (changes) => ({ meta: {}, map: '', deps: '', ...changes });
  // A file that no package owns.
  const stray = join(folder, 'extension', 'bin', 'emberline');
  assert.throws(() => componentsOf(parts({ deps: `a.o: #deps 1 (VALID)\n    ${stray}\n` })), {
    message: /No package owns/,
  });
  // A package that the lock does not name.
  const meta = { 'dist/webview.js': ['node_modules/preact/dist/preact.mjs'] };
  assert.equal(componentsOf(parts({ meta }))[0].name, 'preact');
  assert.throws(() => componentsOf(parts({ meta: { x: ['node_modules/.bin/x/y.js'] } })));
  assert.equal(CommandError.name, 'CommandError');
});

test('maps of linkers are read', () => {
  const gnu = `Archive member included to satisfy reference by file (symbol)

native/libemberline_app.a(commands.cc.o)
                              main.cc.o (symbol)
/usr/lib/x86_64-linux-gnu/libz.a(inflate.o)
LOAD /usr/lib/x86_64-linux-gnu/libunused.a
LOAD /usr/lib/x86_64-linux-gnu/crti.o
 .text          0x0000000000001000       0x10 native/CMakeFiles/emberline.dir/app/main.cc.o
`;
  const files = linkedFiles(gnu, '/build');
  assert.ok(files.includes('/usr/lib/x86_64-linux-gnu/libz.a'));
  assert.ok(files.includes('/build/native/CMakeFiles/emberline.dir/app/main.cc.o'));
  assert.ok(!files.some((file) => basename(file) === 'libunused.a'), 'nothing of it was taken');
  const lld = `     VMA      LMA     Size Align Out     In      Symbol
  1c000    1c000       1b     4 .init
  1c000    1c000       1b     4         /usr/lib/x86_64-linux-gnu/crti.o:(.init)
  1d000    1d000       1b     4         /usr/lib/x86_64-linux-gnu/libc.a(puts.o):(.text)
`;
  assert.ok(linkedFiles(lld).includes('/usr/lib/x86_64-linux-gnu/libc.a'));
  assert.ok(holdsLibc(lld) && !holdsLibc(gnu));
});

test('a link line is told apart', () => {
  const line = linkLine(
    ': && /usr/bin/c++ -O2 -static-pie -Wl,-Map=/b/e.map main.cc.o -o bin/emberline  a.a /usr/lib/libz.a -ldl && :',
  );
  assert.deepEqual(line, {
    compiler: '/usr/bin/c++',
    inputs: ['main.cc.o', 'a.a', '/usr/lib/libz.a'],
    libraries: ['-ldl'],
    flags: ['-O2', '-static-pie'],
  });
});

test('a statically linked C library can be exchanged, and its license is there', (t) => {
  const holds = process.env.EMBERLINE_VSIX
    ? existsSync(join(inside, 'bin', 'relink'))
    : holdsLibc(builtParts().map);
  if (!holds) return t.skip('the C library is not inside');
  assert.match(notices, /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 2\.1/);
  assert.match(notices, /GCC RUNTIME LIBRARY EXCEPTION|GCC Runtime Library Exception/);
  assert.match(notices.slice(0, 2000), /GNU C Library[^]*GNU Lesser General\s+Public License/);
  const program = join(folder, 'relinked');
  output('sh', [join(inside, 'bin', 'relink', 'relink.sh'), program]);
  assert.equal(
    output(program, ['--version']),
    output(join(inside, 'bin', 'emberline'), ['--version']),
  );
});

test('equal texts stand once', () => {
  const component = (name) => ({ name, version: '1', license: 'MIT', origin: 'o', uses: ['u'] });
  const text = noticesText(
    [
      { ...component('a'), texts: ['Permission is granted'] },
      { ...component('b'), texts: ['Permission is granted'] },
    ],
    { relink: false },
  );
  assert.equal(text.match(/Permission is granted/g).length, 1);
  assert.equal(text.match(/texts: \[1\]/g).length, 2);
});
