// The filter behind a lens: the rows of its operators and no others.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, serverPath } from '../../scripts/lib/paths.mjs';
import { operatorRows } from '../../extension/src/source/row_filter.ts';

test('names are alternatives, and those with blanks are quoted', () => {
  assert.equal(operatorRows([]), undefined);
  assert.equal(operatorRows(['a"b']), undefined);
  assert.equal(
    operatorRows(['aten::mm', 'autograd::engine::evaluate_function: AddmmBackward0']),
    'name=aten::mm|"autograd::engine::evaluate_function: AddmmBackward0"',
  );
});

test('the table shows exactly those rows', () => {
  const names = [
    'aten::cat',
    'aten::slice',
    'autograd::engine::evaluate_function: ConvolutionBackward0',
  ];
  const result = spawnSync(
    serverPath(),
    [
      'operators',
      join(root, 'samples', 'train_cnn', 'slow.pt.trace.json.gz'),
      '--format',
      'json',
      '--filter',
      operatorRows(names),
    ],
    { encoding: 'utf8', maxBuffer: 1 << 26 },
  );
  assert.equal(result.status, 0, result.stderr);
  assert.deepEqual(
    JSON.parse(result.stdout)
      .rows.map((row) => row.name)
      .sort(),
    names,
  );
});
