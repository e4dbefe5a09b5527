// The traces of the golden files, for tests that ask other things of them.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readGolden, writeTraces } from '../golden/golden_file.mjs';
import { root } from './cli.mjs';

const cases = path.join(root, 'tests', 'golden', 'cases');
let folder;

/** Paths of the traces of a golden file, by their names; the files go with the process. */
export function goldenTraces(name) {
  if (folder === undefined) {
    folder = mkdtempSync(path.join(tmpdir(), 'emberline-golden-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  }
  return writeTraces(readGolden(path.join(cases, `${name}.golden`)), path.join(folder, name));
}

/** The trace that a golden file is named after. */
export const goldenTrace = (name) => goldenTraces(name)[`${name}.pt.trace.json`];

export const goldenNames = () => readdirSync(cases).map((file) => path.basename(file, '.golden'));
