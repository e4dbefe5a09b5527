// A notebook with one cell, and small traces of running its text.

/**
 * The name that ipykernel gives a cell's file: MurmurHash2 of its text (32 bits, little endian)
 * with a fixed seed.
 */
function cellHash(text, seed = 0xc70f6907) {
  const bytes = Buffer.from(text, 'utf8');
  const m = 0x5bd1e995;
  let hash = (seed ^ bytes.length) >>> 0;
  let at = 0;
  for (; bytes.length - at >= 4; at += 4) {
    let k = Math.imul(bytes.readUInt32LE(at), m) >>> 0;
    k = Math.imul(k ^ (k >>> 24), m) >>> 0;
    hash = (Math.imul(hash, m) ^ k) >>> 0;
  }
  const rest = bytes.length - at;
  if (rest > 0) {
    for (let i = rest - 1; i >= 0; i--) hash ^= bytes[at + i] << (8 * i);
    hash = Math.imul(hash, m) >>> 0;
  }
  hash = Math.imul(hash ^ (hash >>> 13), m) >>> 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

export function notebookOf(text) {
  const lines = text.split(/(?<=\n)/);
  return JSON.stringify({
    cells: [
      {
        cell_type: 'code',
        execution_count: null,
        id: 'c1',
        metadata: {},
        outputs: [],
        source: lines,
      },
    ],
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  });
}

/** The trace of running a cell. */
export function traceOfCell(text) {
  return traceOfFile(`/tmp/ipykernel_321/${cellHash(text)}.py`, text);
}

/** `double` of a text called from its last line: one addition, one multiplication. */
export function traceOfFile(file, text) {
  const last = text.split('\n').length;
  const definition = text.split('\n').findIndex((line) => line.startsWith('def double')) + 1;
  let id = 0;
  const slice = (cat, name, ts, dur, args = {}) => ({
    ph: 'X',
    cat,
    name,
    pid: 7,
    tid: 7,
    ts,
    dur,
    args,
  });
  const frame = (name, ts, dur, parent) =>
    slice('python_function', name, ts, dur, {
      'Python id': ++id,
      'Python parent id': parent,
      'Python thread': 0,
    });
  return JSON.stringify({
    schemaVersion: 1,
    traceEvents: [
      frame(`${file}(${last}): <module>`, 0, 1000, null),
      frame(`${file}(${definition}): double`, 10, 980, 1),
      frame('<built-in method add of type object at 0x7f0000000001>', 20, 500, 2),
      slice('cpu_op', 'aten::add', 30, 480, { 'External id': 1 }),
      frame('<built-in method mul of type object at 0x7f0000000001>', 600, 300, 2),
      slice('cpu_op', 'aten::mul', 610, 280, { 'External id': 2 }),
    ],
  });
}
