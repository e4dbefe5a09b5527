// What costs add to loading: the first view of them computes each different call once and shares it
// among the kernels; the next ones stand on that. Prints figures; asserts nothing.
//
//   node tests/bench/cost.mjs [--events 3000000] [--dialect torch-2.8] [--rounds 3] [TRACE...]
//
// Without traces one is generated, with the many operators and kernels of a training loop. A trace
// of one's own may be denser. `user` is processor time of the daemon, which a busy machine does not
// lengthen.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeTrace } from '../generator/generate.mjs';
import { startDaemon } from '../rpc/daemon.mjs';

const options = { '--events': '3000000', '--dialect': 'torch-2.8', '--rounds': '3' };
const traces = [];
for (let i = 2; i < process.argv.length; ++i) {
  if (process.argv[i] in options) options[process.argv[i]] = process.argv[++i];
  else traces.push(path.resolve(process.argv[i]));
}
const events = Number(options['--events']);
const rounds = Number(options['--rounds']);

const questions = {
  'costs by operator, first': ['view/cost', {}],
  'the same at another target': ['view/cost', { target: 0.7 }],
  'costs by shape': ['view/cost', { groupBy: 'shape' }],
  'roofline with advice': ['view/roofline', {}],
  'roofline on another device': ['view/roofline', { whatIf: 'B200' }],
  'list of kernels, first page': ['view/kernelList', { limit: 100 }],
};

/** Processor time of a process so far, seconds. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function timed(pid, work) {
  const start = process.hrtime.bigint();
  const cpu = cpuOf(pid);
  const value = await work();
  const wall = Number(process.hrtime.bigint() - start) / 1e9;
  return { value, wall, cpu: cpuOf(pid) - cpu };
}

async function round(file) {
  const daemon = startDaemon();
  try {
    await daemon.initialize();
    const { pid } = daemon.child;
    const { profileId } = await daemon.request('profile/open', { path: file });
    const seconds = {};
    const load = await timed(pid, () => daemon.request('profile/load', { profileId }));
    seconds.loading = load;
    // The daemon prepares the timeline by itself: no work of costs.
    await daemon.request('timeline/tracks', { profileId });
    let kernels = 0;
    for (const [name, [method, params]] of Object.entries(questions)) {
      seconds[name] = await timed(pid, () => daemon.request(method, { profileId, ...params }));
      kernels = Math.max(kernels, seconds[name].value.totals?.kernels ?? 0);
    }
    return { seconds, kernels, events: load.value.events };
  } finally {
    await daemon.stop();
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'emberline-bench-cost-'));
try {
  if (traces.length === 0) {
    const out = path.join(folder, 'made.pt.trace.json.gz');
    console.error(`Generating ${events} events...`);
    await writeTrace({ out, dialect: options['--dialect'], events, seed: 1 });
    traces.push(out);
  }
  for (const trace of traces) {
    const all = [];
    for (let i = 0; i < rounds; ++i) all.push(await round(trace));
    const best = (name, which) => Math.min(...all.map(({ seconds }) => seconds[name][which]));
    console.log(`${path.basename(trace)}: ${all[0].events} events, ${all[0].kernels} kernels`);
    for (const name of Object.keys(all[0].seconds)) {
      const [wall, cpu] = [best(name, 'wall'), best(name, 'cpu')];
      const [part, cpuPart] = [wall / best('loading', 'wall'), cpu / best('loading', 'cpu')];
      console.log(
        `${name.padEnd(30)} ${wall.toFixed(3).padStart(8)} s ${part.toFixed(3)} of loading  ` +
          `user ${cpu.toFixed(2).padStart(6)} s ${cpuPart.toFixed(3)}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
