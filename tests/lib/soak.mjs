// Opens a trace, asks everything of it, edits it and closes it, again and again: a daemon that lives
// for days must not grow.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { choices } from '../rpc/choices.mjs';
import { drawTrace, plainMethods, startDaemon } from '../rpc/daemon.mjs';
import { restingMemoryOf } from './process_memory.mjs';

const python = (round) =>
  `import torch\n\n\ndef step(x):\n    y = x + ${round}\n    return torch.relu(y)\n`;

/** The trace of a round: of another length each time, so that nothing of the last one fits. */
function writeRound(file, source, round) {
  const trace = JSON.parse(drawTrace(200 + (round % 17)));
  for (let i = 0; i < 40; ++i) {
    trace.traceEvents.push({
      ph: 'X',
      cat: 'python_function',
      name: `${source}(4): step`,
      pid: 1,
      tid: 1,
      ts: i * 50,
      dur: 45,
      args: { 'Python id': i },
    });
  }
  writeFileSync(file, JSON.stringify(trace));
}

/**
 * Runs `rounds` of them in one daemon, in `folder`. Gives the resident memory at rest after every fifth,
 * or a hundred times in all where that is less often, bytes; with `cache`, traces come from there every
 * other round.
 */
export async function soak(folder, rounds, { cache = true } = {}) {
  const file = join(folder, 'soak.pt.trace.json');
  const source = join(folder, 'soak.py');
  const daemon = startDaemon({
    env: cache
      ? { EMBERLINE_TRACE_CACHE: join(folder, 'cache'), EMBERLINE_TRACE_CACHE_LEAST_KB: '0' }
      : {},
  });
  const resident = [];
  const between = Math.max(5, Math.floor(rounds / 100));
  try {
    await daemon.initialize();
    for (let round = 0; round < rounds; ++round) {
      if (round % 2 === 0) writeRound(file, source, round);
      writeFileSync(source, python(round));
      const { profileId } = await daemon.request('profile/open', { path: file });
      const info = await daemon.request('profile/load', { profileId });
      for (const method of plainMethods) {
        for (const choice of [{}, ...choices[method]]) {
          await daemon.request(method, { profileId, sourceRoots: [folder], ...choice });
        }
      }
      await daemon.request('source/annotations', {
        profileId,
        path: source,
        text: python(round + 0.5),
        sourceRoots: [folder],
      });
      if (round % 5 === 0) {
        // The trace grows while it is open, and is read again.
        appendFileSync(file, '\n');
        await daemon.request('profile/load', { profileId });
      }
      if (info.events === 0) throw new Error('the trace is empty');
      await daemon.request('profile/close', { profileId });
      if ((round + 1) % between === 0) resident.push((await restingMemoryOf(daemon.child.pid)).rss);
    }
    return resident;
  } finally {
    await daemon.stop();
  }
}

/** How much the last part of a soak stands above the part that begins after a fifth of it. */
export function growth(resident) {
  const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  const part = Math.max(5, Math.floor(resident.length / 10));
  const from = Math.floor(resident.length / 5);
  return median(resident.slice(-part)) / median(resident.slice(from, from + part));
}
