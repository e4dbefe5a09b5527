// How much script the page needs before something shows, by esbuild's metafile.
import assert from 'node:assert/strict';

/** Bytes of the scripts that were made of these sources, with all that they import before they run. */
export function bytesBefore({ outputs }, sources) {
  const needed = new Set();
  const add = (path) => {
    if (needed.has(path)) return;
    needed.add(path);
    for (const { kind, path: next } of outputs[path].imports) {
      if (kind === 'import-statement') add(next);
    }
  };
  for (const source of sources) {
    const made = Object.keys(outputs).find((path) => outputs[path].entryPoint === source);
    assert.ok(made, `${source} is no script of its own`);
    add(made);
  }
  return [...needed].reduce((sum, path) => sum + outputs[path].bytes, 0);
}
