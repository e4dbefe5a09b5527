// What benchmarks share.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';

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

/**
 * Touches `bytes` of memory in a process that ends at once, half of what is free at most. Many virtual
 * machines hand pages that were free for two seconds back to their host, which takes milliseconds to
 * give one again: a cost of the machine that would fall on whatever is measured next.
 */
export function touchMemory(bytes) {
  const piece = 2 ** 28;
  const pieces = Math.ceil(Math.min(bytes, freemem() / 2) / piece);
  const script = `Array.from({ length: ${pieces} }, () => Buffer.alloc(${piece}, 1))`;
  spawnSync(process.execPath, ['-e', script]);
}

/**
 * Runs `work` while a process of its own holds `bytes` of memory, half of what is free at most, and
 * lets them go as others take memory: what takes longer than the two seconds after which free pages
 * go back to the host (touchMemory) finds them, too.
 */
export async function withMemory(bytes, work) {
  const keeper = fork(
    fileURLToPath(new URL('memory_keeper.mjs', import.meta.url)),
    [String(Math.min(bytes, freemem() / 2))],
    {
      execArgv: ['--expose-gc'],
      // On large pages: small ones that are let go lie scattered, and make no large ones for others.
      env: { ...process.env, GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' },
    },
  );
  await Promise.race([once(keeper, 'message'), once(keeper, 'exit')]);
  try {
    return await work();
  } finally {
    if (keeper.connected) {
      keeper.disconnect();
      await once(keeper, 'exit');
    }
  }
}

/**
 * Processor time that a process has used on all its threads, seconds: `user` in its own code, `system`
 * in what the system does for it.
 */
export function processorSecondsOf(pid) {
  // The name of the process may hold blanks; what follows its bracket counts. Ticks are 10 ms.
  const [, rest] = /\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = rest.split(' ');
  return { user: Number(fields[11]) / 100, system: Number(fields[12]) / 100 };
}

/** Both together. */
export function cpuSecondsOf(pid) {
  const { user, system } = processorSecondsOf(pid);
  return user + system;
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
