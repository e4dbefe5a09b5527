// Memory of another process.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Resident memory of a process, and its peak, bytes. */
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key) => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(text)[1]) * 1024;
  return { rss: of('VmRSS'), peak: of('VmHWM') };
}

/**
 * The same once a daemon rests. What was closed goes back to the system when nothing runs any more, half a
 * second after the last request at the latest: before, its memory depends on how busy the machine is.
 */
export async function restingMemoryOf(pid) {
  let last = memoryOf(pid);
  for (let same = 0, rounds = 0; same < 7 && rounds < 100; ++rounds) {
    await sleep(100);
    const now = memoryOf(pid);
    same = now.rss === last.rss ? same + 1 : 0;
    last = now;
  }
  return last;
}
