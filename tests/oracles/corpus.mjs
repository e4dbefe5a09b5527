// The real traces that EMBERLINE_CORPUS names, and a count of their events that shares nothing with
// the program under test.

import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { corpus } from '../lib/cli.mjs';

/** Files that are no traces: execution traces and a memory timeline. */
const NOT_A_TRACE = /(_et\.json|dlrm_eg_\d+\.json|memory_timeline\.raw)(\.gz)?$/;

/** Every file of the corpus, by its path relative to it: `{ name, file, isTrace }`. */
export function corpusFiles() {
  if (!corpus) return [];
  const found = [];
  const visit = (folder) => {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
      const file = path.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (entry.name !== 'oracles') visit(file);
      } else if (/\.(json|gz)$/.test(entry.name)) {
        const name = path.relative(corpus, file).split(path.sep).join('/');
        found.push({ name, file, isTrace: !NOT_A_TRACE.test(name) });
      }
    }
  };
  visit(corpus);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The text of a file as bytes, inflated where needed. */
export function readText(file) {
  const bytes = fs.readFileSync(file);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? zlib.gunzipSync(bytes) : bytes;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x7b, 0x5b]);
const CLOSE = new Set([0x7d, 0x5d]);

/**
 * Counts the objects in `traceEvents` by walking the bytes: strings are skipped, brackets counted.
 * Nothing is parsed, so a file of any size takes no memory beyond its text.
 */
export function countEvents(bytes) {
  let depth = 0;
  let key = '';
  let lastKey = '';
  let eventDepth = -1;
  let events = 0;
  for (let i = 0; i < bytes.length; ++i) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const begin = i + 1;
      for (i = begin; i < bytes.length && bytes[i] !== QUOTE; ++i) {
        if (bytes[i] === BACKSLASH) i += 1;
      }
      if (depth === 1) key = bytes.toString('latin1', begin, Math.min(i, begin + 40));
    } else if (byte === 0x3a && depth === 1) {
      lastKey = key;
    } else if (OPEN.has(byte)) {
      if (depth === 1 && byte === 0x5b && lastKey === 'traceEvents') eventDepth = 2;
      if (depth === 0 && byte === 0x5b) eventDepth = 1;
      if (depth === eventDepth && byte === 0x7b) events += 1;
      depth += 1;
    } else if (CLOSE.has(byte)) {
      depth -= 1;
      if (depth < eventDepth) eventDepth = -1;
    }
  }
  return events;
}
