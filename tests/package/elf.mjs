// Reads of a 64-bit little-endian ELF file what a loader reads of it.

const types = { interpreter: 3, dynamic: 2, gnuStack: 0x6474e551, gnuRelro: 0x6474e552 };

/** Kind, segments and dynamic section of an ELF file's bytes. */
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
  return {
    /** 3 is ET_DYN: a program that may lie anywhere, or a library. */
    type: bytes.readUInt16LE(16),
    segment: (name) => segments.find(({ type }) => type === types[name]),
    writableCode: segments.some(({ type, flags }) => type === 1 && (flags & 3) === 3),
    dynamic: dynamicOf(
      bytes,
      segments.find(({ type }) => type === types.dynamic),
    ),
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
