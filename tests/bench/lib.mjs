// What benchmarks share.
import { readFileSync } from 'node:fs';

/** The value behind `name` on the command line. */
export function argument(name, fallback) {
  const at = process.argv.indexOf(name);
  return at < 0 ? fallback : process.argv[at + 1];
}

export function quantile(values, part) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}

/** What `work` gives, and the milliseconds until then. */
export async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}

/** Resident memory of a process, and its peak, bytes. */
export function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key) => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(text)[1]) * 1024;
  return { rss: of('VmRSS'), peak: of('VmHWM') };
}

/** Processor time that a process has used, seconds, on all its threads. */
export function cpuSecondsOf(pid) {
  // The name of the process may hold blanks; what follows its bracket counts. Ticks are 10 ms.
  const [, rest] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = rest.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory once it rests: what is free is given back in the background. */
export async function restingMemoryOf(pid) {
  let last = memoryOf(pid);
  for (let same = 0, rounds = 0; same < 5 && rounds < 100; ++rounds) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = memoryOf(pid);
    same = now.rss === last.rss ? same + 1 : 0;
    last = now;
  }
  return last;
}

/** Waits until `holds` does. */
export async function until(what, holds, limitMs = 120_000) {
  const end = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`Waited ${limitMs} ms for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Lines up cells: the first column to the left, the others to the right. */
export function printTable(lines) {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  for (const line of lines) {
    console.log(
      line
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    );
  }
}
