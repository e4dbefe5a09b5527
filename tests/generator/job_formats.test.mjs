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

/** What a unit of a cell is of the column's own. */
const unitsOf = {
  us: { ns: 1e-3, µs: 1, ms: 1e3, s: 1e6, min: 60e6, h: 3600e6 },
  ns: { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, min: 60e9, h: 3600e9 },
  gbPerS: { 'MB/s': 1e-3, 'GB/s': 1, 'TB/s': 1e3 },
  bytes: { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 },
};
const shares = { '%': 0.01 };

/** The cells of a line of a table as text, whose columns the line below its heads rules. */
function cellsOf(line, rule) {
  const characters = [...line];
  return [...rule.matchAll(/-+/g)].map(({ 0: dashes, index }) =>
    characters
      .slice(index, index + dashes.length)
      .join('')
      .trim(),
  );
}

test('the figures of a table as text are those of JSON, rounded', async () => {
  const at = path.join(folder, 'text');
  const straggler = { rank: 2, kind: 'host', extraNs: 1_234_567 };
  writeJob(at, { ranks: 4, straggler, driftPpm: { 3: 40 }, noiseNs: 900, skewNs: { 1: 98_765 } });
  const checked = new Map();
  for (const by of tables) {
    const args = [at, '--by', by, '--limit', '-1'];
    const { columns, rows } = await emberlineJson('distributed', ...args);
    const { stdout } = await emberline(['distributed', ...args]);
    const lines = stdout.split('\n');
    const ruled = lines.findIndex((line) => /^-+( {2}-+)*$/.test(line));
    const titles = columns.filter(({ hidden }) => hidden !== true).map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length, `${by}: two columns of one title: ${titles}`);
    if (rows.length === 0) continue;
    assert.ok(ruled > 0, `${by}: no table\n${stdout}`);
    const rule = lines[ruled];
    const heads = cellsOf(lines[ruled - 1], rule);
    const found = heads.map((head) =>
      columns.find(({ title, unit }) => head === title || head === `${title} (${unit})`),
    );
    rows.forEach((row, r) => {
      cellsOf(lines[ruled + 1 + r], rule).forEach((cell, c) => {
        const column = found[c];
        assert.ok(column, `${by}: no column is called ${heads[c]}`);
        const value = row[column.key];
        const where = `${by}, row ${r}, ${column.key}: ${cell} of ${value}`;
        if (typeof value !== 'number') return;
        // What ran on no device has a word instead of a number.
        if (column.key === 'device' && value === -1) return assert.equal(cell, 'host');
        const parts = /^([<>] )?([−-]?)([\d,]+)(?:\.(\d+))?\s?(\D*)$/.exec(cell);
        assert.ok(parts, where);
        const [, beyond, minus, whole, decimals = '', unit] = parts;
        const units = unitsOf[column.unit] ?? shares;
        const factor = unit === '' || unit === column.unit ? 1 : units[unit];
        assert.ok(factor !== undefined, `${where}: ${unit} of ${column.unit}`);
        const shown = Number(`${minus && '-'}${whole.replaceAll(',', '')}.${decimals}`) * factor;
        if (beyond !== undefined) {
          assert.ok(beyond === '< ' ? value > 0 && value < shown : value > shown, where);
          return;
        }
        const half = (factor * 10 ** -decimals.length) / 2;
        assert.ok(Math.abs(shown - value) <= half * 1.0001, where);
        checked.set(by, (checked.get(by) ?? 0) + 1);
      });
    });
  }
  assert.ok(checked.size > 15, `only figures of ${[...checked.keys()].join(', ')}`);
});
