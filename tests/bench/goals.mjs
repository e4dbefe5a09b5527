// The goals that are measured, as one table, with what was accepted last.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/cli.mjs';
import { printTable } from './lib.mjs';

const acceptedPath = join(root, 'tests', 'bench', 'accepted.json');

/** Three digits are what a measurement is good for. */
const rounded = (value) => Number(value.toPrecision(3));
const shown = (value, unit) => `${rounded(value)}${unit === '' ? '' : ` ${unit}`}`;

export class Goals {
  #rows = [];

  /** A figure that should be at most `limit`; `note` says what it is about. */
  atMost(name, measured, limit, unit = '', note = '') {
    this.#rows.push({ name, measured, limit, unit, note, sign: '<=', met: measured <= limit });
  }
  /** One that should be at least `limit`. */
  atLeast(name, measured, limit, unit = '', note = '') {
    this.#rows.push({ name, measured, limit, unit, note, sign: '>=', met: measured >= limit });
  }

  /** Prints all of them; a change since the accepted run is a ratio, whatever its direction. */
  print() {
    const before = existsSync(acceptedPath)
      ? JSON.parse(readFileSync(acceptedPath, 'utf8')).figures
      : {};
    const change = ({ name, measured }) =>
      before[name] > 0 ? `x ${rounded(measured / before[name])}` : '';
    console.log('');
    printTable([
      ['goal', 'measured', 'wanted', 'met', 'accepted', 'change', ''],
      ...this.#rows.map((row) => [
        row.name,
        shown(row.measured, row.unit),
        `${row.sign} ${shown(row.limit, row.unit)}`,
        row.met ? 'yes' : 'no',
        before[row.name] === undefined ? '' : shown(before[row.name], row.unit),
        change(row),
        row.note,
      ]),
    ]);
    const met = this.#rows.filter((row) => row.met).length;
    console.log(`${met} of ${this.#rows.length} goals met`);
  }

  /** Keeps these figures; those that were not measured now stay what they were. */
  accept() {
    const before = existsSync(acceptedPath)
      ? JSON.parse(readFileSync(acceptedPath, 'utf8'))
      : { figures: {} };
    const figures = { ...before.figures };
    for (const { name, measured } of this.#rows) figures[name] = rounded(measured);
    const machine = `${cpus().length} cores, ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
    writeFileSync(acceptedPath, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  }
}
