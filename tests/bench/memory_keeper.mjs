// Holds memory for another process, and lets it go as that process takes it: `node --expose-gc
// memory_keeper.mjs BYTES`, with a channel to whoever started it. Says "ready" once it holds all,
// and ends when it is disconnected.
//
// Many virtual machines hand pages that were free for two seconds back to their host, which takes
// milliseconds to give one again. What this process holds stays with the machine.
import { readFileSync } from 'node:fs';

// Large enough to stand on pages of its own, which go back when it is let go.
const PIECE = 48 * 2 ** 20;
// What is free beforehand, so that nobody waits for the next look.
const AHEAD = 3 * PIECE;
const LOOK_MS = 10;

function freeBytes() {
  const [, kilobytes] = /^MemFree:\s+(\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'));
  return Number(kilobytes) * 1024;
}

const pieces = Array.from({ length: Math.ceil(Number(process.argv[2]) / PIECE) }, () =>
  Buffer.alloc(PIECE, 1),
);
const wanted = freeBytes() + AHEAD;

function letGo() {
  const missing = Math.ceil((wanted - freeBytes()) / PIECE);
  if (missing <= 0 || pieces.length === 0) return;
  pieces.splice(-missing);
  globalThis.gc();
}

letGo();
setInterval(letGo, LOOK_MS);
process.on('disconnect', () => process.exit());
process.send('ready');
