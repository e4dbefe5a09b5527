// Every table of a job says the same in every format of the command line.

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { emberline, emberlineJson, temporaryFolder } from '../lib/cli.mjs';
import { parseCsv } from '../lib/csv.mjs';
import { protocol } from '../rpc/daemon.mjs';
import { writeJob } from './job.mjs';

const { folder, remove } = temporaryFolder('job-formats');
after(remove);
const tables = protocol.methods['distributed/table'].params.properties.by.enum;

const fits = (value, cell) => {
  if (value === null || value === undefined) return cell === '';
  if (typeof value !== 'number') return cell === String(value);
  return cell !== '' && Math.abs(Number(cell) - value) <= 1e-9 * Math.max(1, Math.abs(value));
};

test('tables of a job have the same rows and values as JSON and as CSV', async () => {
  const at = path.join(folder, 'job');
  const straggler = { rank: 1, kind: 'device', extraNs: 3_000_000 };
  writeJob(at, { ranks: 4, straggler, driftPpm: { 2: 40 }, noiseNs: 100 });
  for (const by of tables) {
    const args = [at, '--by', by, '--limit', '-1'];
    const { columns, rows, totalRows } = await emberlineJson('distributed', ...args);
    const { stdout } = await emberline(['distributed', ...args, '--format', 'csv']);
    const [heads, ...cells] = parseCsv(stdout);
    assert.equal(rows.length, totalRows, by);
    assert.equal(cells.length, rows.length, by);
    for (const head of heads)
      assert.ok(
        columns.some(({ key }) => key === head),
        `${by}: ${head}`,
      );
    rows.forEach((row, r) => {
      heads.forEach((key, c) => {
        const what = `${by}, row ${r}, ${key}: ${row[key]} and ${cells[r][c]}`;
        assert.ok(fits(row[key], cells[r][c]), what);
      });
    });
    for (const { key, type, unit } of columns) {
      if (type === 'number' && key.endsWith('Us')) assert.equal(unit, 'us', `${by}: ${key}`);
    }
  }
});
