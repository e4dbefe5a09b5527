// Reads of a 64-bit little-endian ELF file what a loader reads of it, and its symbols.

const types = { interpreter: 3, dynamic: 2, gnuStack: 0x6474e551, gnuRelro: 0x6474e552 };

/** {type, machine, segments, dynamic, symbols} of an ELF file's bytes. */
export function readElf(bytes) {
  if (bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[4] !== 2 || bytes[5] !== 1) {
    throw new Error('This is no 64-bit little-endian ELF file');
  }
  const number = (at) => Number(bytes.readBigUInt64LE(at));
  const segments = Array.from({ length: bytes.readUInt16LE(56) }, (_, index) => {
    const at = number(32) + index * bytes.readUInt16LE(54);
    return {
      type: bytes.readUInt32LE(at),
      flags: bytes.readUInt32LE(at + 4),
      offset: number(at + 8),
      size: number(at + 32),
    };
  });
  const sections = Array.from({ length: bytes.readUInt16LE(60) }, (_, index) => {
    const at = number(40) + index * bytes.readUInt16LE(58);
    return {
      type: bytes.readUInt32LE(at + 4),
      flags: number(at + 8),
      offset: number(at + 24),
      size: number(at + 32),
      link: bytes.readUInt32LE(at + 40),
    };
  });
  return {
    /** 3 is ET_DYN: a program that may lie anywhere, or a library. */
    type: bytes.readUInt16LE(16),
    /** 62 is x86-64. */
    machine: bytes.readUInt16LE(18),
    segment: (name) => segments.find(({ type }) => type === types[name]),
    /** The machine code: segments that run, or in an object file the sections that will. */
    code: (segments.length > 0
      ? segments.filter(({ type, flags }) => type === 1 && (flags & 1) !== 0)
      : sections.filter(({ flags }) => (flags & 4) !== 0)
    ).map(({ offset, size }) => bytes.subarray(offset, offset + size)),
    writableCode: segments.some(({ type, flags }) => type === 1 && (flags & 3) === 3),
    dynamic: dynamicOf(
      bytes,
      segments.find(({ type }) => type === types.dynamic),
    ),
    undefinedSymbols: undefinedSymbols(bytes, sections),
  };
}

/** The dynamic section as a map from tag to value. */
function dynamicOf(bytes, segment) {
  const found = new Map();
  if (segment === undefined) return found;
  for (let at = segment.offset; at < segment.offset + segment.size; at += 16) {
    const tag = Number(bytes.readBigInt64LE(at));
    if (tag === 0) break;
    found.set(tag, bytes.readBigUInt64LE(at + 8));
  }
  return found;
}

/** Names that the file wants from elsewhere. */
function undefinedSymbols(bytes, sections) {
  const names = new Set();
  for (const { type, offset, size, link } of sections) {
    if (type !== 2) continue;
    const strings = sections[link].offset;
    for (let at = offset; at < offset + size; at += 24) {
      if (bytes.readUInt16LE(at + 6) !== 0) continue;
      const start = strings + bytes.readUInt32LE(at);
      names.add(bytes.toString('latin1', start, bytes.indexOf(0, start)));
    }
  }
  return names;
}

/** How often a pattern of bytes occurs; undefined in the pattern stands for any byte. */
export function countOf(bytes, pattern) {
  const first = Buffer.from([pattern[0]]);
  let count = 0;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (pattern.every((byte, index) => byte === undefined || bytes[at + index] === byte))
      count += 1;
  }
  return count;
}
