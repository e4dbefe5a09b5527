import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { processorSecondsOf } from './lib.mjs';

/**
 * Runs a program; gives what it printed, the seconds it took, the processor time of its own code on all
 * its threads, and the most memory it had.
 */
export function measured(program, args) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    let peakBytes = 0;
    let userSeconds = 0;
    // The kernel keeps the peak itself; it can be read while the process lives.
    const timer = setInterval(() => {
      try {
        const line = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'));
        if (line) peakBytes = Math.max(peakBytes, Number(line[1]) * 1024);
        userSeconds = Math.max(userSeconds, processorSecondsOf(child.pid).user);
      } catch {
        // It has ended.
      }
    }, 2);
    child.stdout.on('data', (part) => (out += part));
    child.on('error', reject);
    child.on('close', (status) => {
      clearInterval(timer);
      if (status !== 0) {
        reject(new Error(`${program} ${args.join(' ')} ended with ${status}`));
        return;
      }
      resolve({
        out,
        seconds: Number(process.hrtime.bigint() - start) / 1e9,
        userSeconds,
        peakBytes,
      });
    });
  });
}
