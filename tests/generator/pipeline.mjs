// Draws the traces of a pipeline: stages that hand micro-batches on and gradients back, as GPipe or
// one forward, one backward (1F1B), in any number of replicas. The simulation runs on one true
// clock; sends and receives meet, and whoever comes first waits. Times are microseconds.

import { randomNumbers } from '../lib/random.mjs';
import { DrawnRank } from './drawn_ranks.mjs';

const TRANSFER = 20;
const REDUCE = 60;

/** What a stage does in a step, in its order. */
export function programOf(stage, { stages, micro, schedule }) {
  const first = stage === 0;
  const last = stage === stages - 1;
  const program = [];
  const forward = (i) => program.push({ does: 'forward', i });
  const backward = (i) => program.push({ does: 'backward', i });
  const exchange = (...parts) => {
    const there = parts.filter((part) => part !== undefined);
    if (there.length > 0) program.push({ does: 'exchange', parts: there });
  };
  const sendForward = (i) => (last ? undefined : { sends: true, to: stage + 1, tag: `f${i}` });
  const takeForward = (i) => (first ? undefined : { sends: false, to: stage - 1, tag: `f${i}` });
  const sendBackward = (i) => (first ? undefined : { sends: true, to: stage - 1, tag: `b${i}` });
  const takeBackward = (i) => (last ? undefined : { sends: false, to: stage + 1, tag: `b${i}` });
  const ahead = schedule === 'gpipe' ? micro : Math.min(stages - stage - 1, micro);
  for (let i = 0; i < ahead; i += 1) {
    exchange(takeForward(i));
    forward(i);
    exchange(sendForward(i));
  }
  const steady = micro - ahead;
  if (steady > 0) exchange(takeForward(ahead));
  for (let i = 0; i < steady; i += 1) {
    forward(ahead + i);
    exchange(sendForward(ahead + i), takeBackward(i));
    backward(i);
    exchange(sendBackward(i), i + 1 < steady ? takeForward(ahead + i + 1) : undefined);
  }
  for (let i = steady; i < micro; i += 1) {
    exchange(takeBackward(i));
    backward(i);
    exchange(sendBackward(i));
  }
  return program;
}

/**
 * The same of stages that each hold several parts of the model, `chunks`, so that a micro-batch goes
 * around all of them as many times: interleaved 1F1B. All that is sent and taken after a piece of
 * work is one exchange, or with `beside`, sends run beside what follows and each piece of work takes
 * what it needs. `micro` is a multiple of `stages`.
 */
export function interleavedOf(stage, { stages, micro, chunks, beside }) {
  const first = stage === 0;
  const last = stage === stages - 1;
  const total = micro * chunks;
  const next = (stage + 1) % stages;
  const previous = (stage + stages - 1) % stages;
  const chunkOf = (k) => Math.floor((k % (stages * chunks)) / stages);
  const microOf = (k) => Math.floor(k / (stages * chunks)) * stages + (k % stages);
  const within = (k) => k >= 0 && k < total;
  // Of the k-th forward or backward piece of work; nothing where the model begins or ends.
  const forwards = {
    takes: (k) =>
      within(k) && !(first && chunkOf(k) === 0)
        ? { sends: false, to: previous, tag: `f${microOf(k)}.${chunkOf(k) * stages + stage}` }
        : undefined,
    sends: (k) =>
      within(k) && !(last && chunkOf(k) === chunks - 1)
        ? { sends: true, to: next, tag: `f${microOf(k)}.${chunkOf(k) * stages + stage + 1}` }
        : undefined,
  };
  const backChunk = (k) => chunks - 1 - chunkOf(k);
  const backwards = {
    takes: (k) =>
      within(k) && !(last && backChunk(k) === chunks - 1)
        ? { sends: false, to: next, tag: `b${microOf(k)}.${backChunk(k) * stages + stage}` }
        : undefined,
    sends: (k) =>
      within(k) && !(first && backChunk(k) === 0)
        ? { sends: true, to: previous, tag: `b${microOf(k)}.${backChunk(k) * stages + stage - 1}` }
        : undefined,
  };
  const program = [];
  const exchange = (...parts) => {
    const there = parts.filter((part) => part !== undefined);
    if (there.length > 0) program.push({ does: 'exchange', parts: there });
  };
  const forward = (k) => program.push({ does: 'forward', i: microOf(k) });
  const backward = (k) => program.push({ does: 'backward', i: microOf(k) });
  const ahead =
    micro === stages ? total : Math.min((stages - stage - 1) * 2 + (chunks - 1) * stages, total);
  if (beside) {
    const one = (kind, does, k) => {
      exchange(kind.takes(k));
      does(k);
      exchange(kind.sends(k));
    };
    for (let k = 0; k < total + ahead; k += 1) {
      if (k < total) one(forwards, forward, k);
      if (k >= ahead) one(backwards, backward, k - ahead);
    }
    return program;
  }
  exchange(forwards.takes(0));
  for (let k = 0; k < ahead; k += 1) {
    forward(k);
    const begins = k === ahead - 1 && ahead < total ? backwards.takes(0) : undefined;
    exchange(forwards.sends(k), forwards.takes(k + 1), begins);
  }
  const steady = total - ahead;
  for (let k = 0; k < steady; k += 1) {
    forward(ahead + k);
    backward(k);
    const takes = k + 1 < steady ? forwards.takes(ahead + k + 1) : undefined;
    exchange(forwards.sends(ahead + k), takes, backwards.sends(k), backwards.takes(k + 1));
  }
  if (ahead === total) exchange(backwards.takes(0));
  for (let k = steady; k < total; k += 1) {
    backward(k);
    exchange(backwards.sends(k), backwards.takes(k + 1));
  }
  return program;
}

/**
 * The ranks of a job: rank = replica * stages + stage. `slow`: {rank, step, extra, on: 'device' |
 * 'loader', what: 'forward' | 'backward'}, in each micro-batch of a step, or of all steps where no
 * step is named. `weight` of a stage, `length` of a micro-batch: how much longer it computes.
 * `beside`: sends run beside the work that follows them. `reduce`: 'replicas', 'all' or neither, at
 * the end of a step. `chunks`: of each stage, where the schedule is 'interleaved'. `skew`: by how much the clock of a rank is ahead.
 */
export function drawPipeline({
  stages = 4,
  replicas = 1,
  micro = 8,
  steps = 4,
  schedule = '1f1b',
  chunks = 2,
  forward = 300,
  backward = 600,
  jitter = 0.1,
  seed = 1,
  slow = [],
  weight = () => 1,
  length = () => 1,
  beside = false,
  reduce = ['replicas', 'all'],
  skew = () => 0,
}) {
  const random = randomNumbers(seed);
  const count = stages * replicas;
  const all = { name: '0', description: 'default_pg', ranks: [...Array(count).keys()] };
  const pipelines = [...Array(replicas).keys()].map((replica) => ({
    name: `${1 + replica}`,
    description: 'mesh_pp',
    ranks: [...Array(stages).keys()].map((stage) => replica * stages + stage),
  }));
  const peers = [...Array(stages).keys()].map((stage) => ({
    name: `${1 + replicas + stage}`,
    description: 'mesh_dp',
    ranks: [...Array(replicas).keys()].map((replica) => replica * stages + stage),
  }));
  const groups = [all, ...pipelines, ...(replicas > 1 ? peers : [])];
  const drawn = all.ranks.map((rank) => new DrawnRank(rank, { worldSize: count, groups }));
  const workers = all.ranks.map((rank) => ({
    rank,
    stage: rank % stages,
    replica: Math.floor(rank / stages),
    now: 1000,
    free: new Map(), // when a peer's stream is
    program: [],
    at: 0,
  }));
  const planted = new Map(); // `rank step` -> extra time
  const round = (value) => Math.round(value * 1000) / 1000;

  const line = (worker, number, ts, dur) =>
    drawn[worker.rank].host(`/job/stage.py(${number}): run`, ts, dur, 'python_function');
  const compute = (worker, what, i, step) => {
    const factor = weight(worker.stage) * length(step, i) * (1 + jitter * (2 * random() - 1));
    const took = round((what === 'forward' ? forward : backward) * factor);
    for (const late of slow) {
      const here = late.rank === worker.rank && (late.step === undefined || late.step === step);
      if (!here || (late.what ?? 'forward') !== what) continue;
      if (late.only !== undefined && late.only !== i) continue;
      const key = `${worker.rank} ${step}`;
      planted.set(key, (planted.get(key) ?? 0) + late.extra);
      if (late.on === 'loader') {
        const name = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
        drawn[worker.rank].host(name, worker.now, late.extra - 15, 'user_annotation');
      } else {
        line(worker, 77, worker.now - 14, 12);
        drawn[worker.rank].kernel('radix_sort', worker.now, late.extra, { operator: 'aten::sort' });
      }
      worker.now = round(worker.now + late.extra);
    }
    line(worker, what === 'forward' ? 30 : 40, worker.now - 14, 12);
    drawn[worker.rank].kernel(what === 'forward' ? 'gemm' : 'gemm_grad', worker.now, took, {
      operator: what === 'forward' ? 'aten::mm' : 'MmBackward0',
    });
    worker.now = round(worker.now + took);
  };

  const meetings = new Map();
  const meet = (key, worker, size, begin) => {
    const meeting = meetings.get(key) ?? { begins: new Map(), size };
    meeting.begins.set(worker.rank, begin);
    meetings.set(key, meeting);
    return meeting;
  };
  const endOf = ({ begins, size }, took) =>
    begins.size < size ? undefined : Math.max(...begins.values()) + took;

  const keyOf = (worker, step, part) => {
    const other = worker.replica * stages + part.to;
    const [from, to] = part.sends ? [worker.rank, other] : [other, worker.rank];
    return `${step} ${from}>${to} ${part.tag}`;
  };
  const draw = (worker, parts, begin, dur, stream, asked) => {
    const group = pipelines[worker.replica];
    const calls = parts.map((part) => ({
      call: part.sends ? 'send' : 'recv',
      peer: worker.replica * stages + part.to,
      elements: 4096,
    }));
    if (calls.length === 1) {
      const [{ call, peer, elements }] = calls;
      const more = { [call === 'send' ? 'Dst Rank' : 'Src Rank']: peer };
      drawn[worker.rank].collective(call, group, elements, begin, dur, { more, stream, asked });
    } else {
      drawn[worker.rank].batch(calls, group, begin, dur);
    }
  };

  /** Does one thing; false where it has to wait for others. */
  const run = (worker, step) => {
    const one = worker.program[worker.at];
    if (one.does === 'forward' || one.does === 'backward') {
      compute(worker, one.does, one.i, step);
    } else if (one.does === 'exchange') {
      const alone = beside && one.parts.length === 1 && one.parts[0].sends;
      const stream = alone ? 30 + (one.parts[0].tag.startsWith('f') ? 1 : 0) : 20;
      one.asked ??= worker.now;
      one.begin ??= Math.max(worker.now, worker.free.get(stream) ?? 0);
      const met = one.parts.map((part) => meet(keyOf(worker, step, part), worker, 2, one.begin));
      const ends = met.map((meeting) => endOf(meeting, TRANSFER));
      if (alone) {
        // It goes on; the kernel is drawn when its end is known.
        one.meeting = met[0];
        worker.open.push({ ...one, stream });
        worker.free.set(stream, Infinity);
        worker.now = round(worker.now + 16);
      } else {
        if (ends.includes(undefined)) return false;
        const end = Math.max(...ends);
        draw(worker, one.parts, one.begin, round(end - one.begin), stream);
        worker.now = end;
      }
    } else {
      const { group } = one;
      one.begin ??= worker.now;
      const meeting = meet(`${step} ${group.name}`, worker, group.ranks.length, one.begin);
      const end = endOf(meeting, REDUCE);
      if (end === undefined) return false;
      drawn[worker.rank].collective('allreduce', group, 65_536, one.begin, round(end - one.begin));
      worker.now = end;
    }
    worker.at += 1;
    return true;
  };
  const close = (worker) => {
    const rest = [];
    let any = false;
    for (const one of worker.open) {
      const end = endOf(one.meeting, TRANSFER);
      if (end === undefined) {
        rest.push(one);
        continue;
      }
      any = true;
      draw(worker, one.parts, one.begin, round(end - one.begin), one.stream, one.asked);
      worker.free.set(one.stream, end);
    }
    worker.open = rest;
    return any;
  };

  for (let step = 0; step < steps; step += 1) {
    for (const worker of workers) {
      worker.program =
        schedule === 'interleaved'
          ? interleavedOf(worker.stage, { stages, micro, chunks, beside })
          : programOf(worker.stage, { stages, micro, schedule });
      if (reduce.includes('replicas') && replicas > 1) {
        worker.program.push({ does: 'reduce', group: peers[worker.stage] });
      }
      if (reduce.includes('all')) worker.program.push({ does: 'reduce', group: all });
      worker.at = 0;
      worker.began = worker.now;
      worker.now += 30;
      worker.open = [];
    }
    for (let moved = true; moved;) {
      moved = false;
      for (const worker of workers) {
        // A send waits for the stream of the one before it.
        for (;;) {
          if (close(worker)) moved = true;
          if (worker.at >= worker.program.length) break;
          const one = worker.program[worker.at];
          const sends = one.does === 'exchange' && one.parts.length === 1 && one.parts[0].sends;
          if (beside && sends) {
            const stream = 30 + (one.parts[0].tag.startsWith('f') ? 1 : 0);
            if (worker.free.get(stream) === Infinity) break;
          }
          if (!run(worker, step)) break;
          moved = true;
        }
      }
    }
    for (const worker of workers) {
      if (worker.at < worker.program.length || worker.open.length > 0) throw new Error('deadlock');
      worker.now = round(worker.now + 25);
      drawn[worker.rank].step(step, worker.began, worker.now - worker.began - 1);
      worker.now = round(worker.now + 5);
    }
  }
  for (const rank of drawn) {
    for (const event of rank.events) event.ts = round(event.ts + skew(rank.rank));
  }
  return { ranks: drawn, planted };
}
