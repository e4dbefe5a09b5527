// What clang-tidy is given of the build's commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsForClang } from '../../scripts/clang_tidy.mjs';

test('clang-tidy looks at each file once, without headers that GCC compiled', () => {
  const pch = '-Winvalid-pch -include /b/native/CMakeFiles/tests.dir/cmake_pch.hxx';
  const commands = [
    { directory: '/b', file: '/s/a.cc', command: 'c++ -O2 -include own.h -c /s/a.cc' },
    { directory: '/b', file: '/s/a.cc', command: `c++ -O0 ${pch} -c /s/a.cc` },
    { directory: '/b', file: '/s/t.cc', command: `c++ -O2 ${pch} -c /s/t.cc` },
  ];
  assert.deepEqual(commandsForClang(commands), [
    commands[0],
    { directory: '/b', file: '/s/t.cc', command: 'c++ -O2 -c /s/t.cc' },
  ]);
});
