#!/usr/bin/env node
// Synthetic jobs of several ranks with known answers.
//
//   node tests/generator/job.mjs --ranks 8 --steps 3 --out FOLDER
//
// Each rank trains: layers compute on the device, every pair of ranks reduces what a layer made
// (tensor parallel), and at the end of a step all ranks reduce together (data parallel). Whoever
// comes to a collective waits for the others, then all leave at the same moment. A job may have a
// straggler, clocks that are off, a group with slow links, ranks that lack a call or a trace. The
// simulation runs on one true clock, in whole nanoseconds; each rank writes its own.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { randomNumbers } from '../lib/random.mjs';

/** Absolute time of the job's start in ns. */
const BASE_NS = 1735632360000000000n;
const START_NS = 4_000_000_000;
const LAYERS = 3;
const LAYER_NS = 400_000;
const LAUNCH_NS = 6_000;
const TENSOR_ELEMENTS = 262_144;
const DATA_ELEMENTS = 1_048_576;
const COMPUTE_STREAM = 7;
const STREAMS = { tensor: 20, data: 24 };
const HALF = 2;

/** Bytes that a link moves in a nanosecond. */
const GB_PER_S = 100;

/** Recorders cut longer lists of a group's ranks: the first ones and the last are left. */
const LISTED_RANKS = 30;

/** A group's ranks as a call records them. */
function rankList(ranks) {
  if (ranks.length <= LISTED_RANKS) return `[${ranks.join(', ')}]`;
  return `[${ranks.slice(0, LISTED_RANKS - 1).join(', ')}, ..., ${ranks.at(-1)}]`;
}

const us = (ns) => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`;

class Rank {
  constructor(rank, job) {
    this.rank = rank;
    this.job = job;
    this.events = [];
    this.taken = 0;
    this.host = START_NS;
    this.device = START_NS;
    this.correlation = 1000;
    this.skew = job.skewNs[rank] ?? 0;
    this.drift = (job.driftPpm[rank] ?? 0) * 1e-6;
  }

  /** What this rank's clock shows at a moment. */
  shown(ns) {
    return ns + this.skew + Math.round((ns - START_NS) * this.drift);
  }
  slice(cat, name, pid, tid, start, duration, args = {}) {
    const at = this.shown(start);
    const text = JSON.stringify({ ph: 'X', cat, name, pid, tid, args });
    const length = this.shown(start + duration) - at;
    this.events.push(`${text.slice(0, -1)},"ts":${us(at)},"dur":${us(length)}}`);
  }
  hostSlice(cat, name, start, duration, args) {
    this.slice(cat, name, 100 + this.rank, 1, start, duration, args);
  }
  /** A launch on the host in the middle of an operator; gives the correlation. */
  launch(start) {
    this.correlation += 1;
    this.hostSlice('cuda_runtime', 'cudaLaunchKernel', start, LAUNCH_NS, {
      correlation: this.correlation,
    });
    return this.correlation;
  }
  kernel(name, correlation, start, duration, stream, more = {}) {
    const device = this.rank % this.job.devicesPerNode;
    this.slice('kernel', name, device, stream, start, duration, {
      device,
      stream,
      correlation,
      ...more,
    });
  }

  /** An operator below a line of the program that launches a kernel. */
  compute(name, line, duration) {
    this.hostSlice('python_function', `/job/train.py(${line}): layer`, this.host, 24_000);
    this.hostSlice('cpu_op', name, this.host + 2_000, 20_000);
    const correlation = this.launch(this.host + 8_000);
    this.device = Math.max(this.device, this.host + 8_000 + LAUNCH_NS);
    this.kernel(`${name.slice(6)}_kernel`, correlation, this.device, duration, COMPUTE_STREAM);
    this.device += duration;
    this.host += 30_000;
  }

  /** The host's part of a collective; its kernel follows when all have come. */
  ask(call) {
    const args = {
      'Collective name': call.name,
      'In msg nelems': call.elements,
      'Out msg nelems': call.elements,
      'Group size': call.ranks.length,
      dtype: 'Float',
      'In split size': '[]',
      'Out split size': '[]',
      ...(this.job.named
        ? {
            'Process Group Name': call.group,
            'Process Group Description': call.description,
            'Process Group Ranks': call.listed,
          }
        : {}),
      ...(this.job.sequences ? { Seq: call.sequence } : {}),
    };
    this.hostSlice('python_function', '/job/train.py(90): reduce', this.host, 40_000);
    this.hostSlice('cpu_op', 'c10d::allreduce_', this.host + 1_000, 38_000);
    this.hostSlice('cpu_op', 'record_param_comms', this.host + 4_000, 30_000, args);
    const correlation = this.launch(this.host + 20_000);
    this.device = Math.max(this.device, this.host + 20_000 + LAUNCH_NS);
    this.host += 45_000;
    return { correlation, begin: this.device, args };
  }

  get name() {
    const node = Math.floor(this.rank / this.job.devicesPerNode);
    return `node${node}_${this.rank}.1700000000000.pt.trace.json`;
  }
  /** What its trace says before the events. */
  head() {
    const header = {
      schemaVersion: 1,
      deviceProperties: Array.from({ length: this.job.devicesPerNode }, (_, id) => ({
        id,
        name: 'Device',
        totalGlobalMem: 1 << 30,
      })),
      distributedInfo: {
        backend: 'nccl',
        rank: this.rank,
        world_size: this.job.ranks,
        pg_count: this.job.groups.length,
        ...(this.job.named
          ? {
              pg_config: this.job.groups
                .filter((group) => group.ranks.includes(this.rank))
                .map((group) => ({
                  pg_name: group.name,
                  pg_desc: group.description,
                  backend_config: 'cuda:nccl',
                  pg_size: group.ranks.length,
                  ranks: group.ranks,
                })),
            }
          : {}),
        nccl_version: '2.21.5',
      },
      ...(this.job.versions[this.rank]
        ? { cuda_driver_version: this.job.versions[this.rank] }
        : {}),
    };
    const base = BASE_NS + BigInt(this.job.hoursApart[this.rank] ?? 0) * 3_600_000_000_000n;
    const head = JSON.stringify(header);
    return `${head.slice(0, -1)},"baseTimeNanoseconds":${base},"traceEvents":[\n`;
  }
  /** The events that were not taken before, as the next part of its trace. */
  take() {
    const part = this.events.join(',\n');
    const text = this.taken > 0 && this.events.length > 0 ? `,\n${part}` : part;
    this.taken += this.events.length;
    this.events = [];
    return text;
  }
}
const TAIL = '\n]}';

/**
 * Runs a job; `stepped` gets each rank behind each step that it records. Gives the ranks and what is known
 * about the job.
 *
 * `straggler`: {rank, kind: 'device' | 'host' | 'loader' | 'sleep', extraNs}, before each last collective of
 * a step. `slowPair`: number of a pair whose links move a quarter. `lacks`: {rank, step} has no
 * kernel of its first pair's collective there. `late`: {rank: steps} that a rank records fewer, at
 * the start. `jitterNs`: how much layers differ, `noiseNs`: by how much ranks leave a
 * collective earlier or later. `skewNs`, `driftPpm`: how far and how fast the clock of a rank goes
 * wrong.
 */
function run(options, stepped = () => {}) {
  const job = {
    ranks: 4,
    steps: 3,
    seed: 1,
    devicesPerNode: 8,
    skewNs: {},
    driftPpm: {},
    hoursApart: {},
    versions: {},
    late: {},
    named: true,
    sequences: true,
    jitterNs: 20_000,
    noiseNs: 0,
    straggler: undefined,
    slowPair: undefined,
    lacks: undefined,
    ...options,
  };
  const random = randomNumbers(job.seed);
  const all = Array.from({ length: job.ranks }, (_, rank) => rank);
  const pairs = [];
  for (let rank = 0; rank + 1 < job.ranks; rank += HALF) pairs.push([rank, rank + 1]);
  job.groups = [
    { name: '0', description: 'default_pg', ranks: all },
    ...pairs.map((ranks, k) => ({ name: String(k + 1), description: 'mesh_tp', ranks })),
  ];
  for (const group of job.groups) group.listed = rankList(group.ranks);
  const ranks = all.map((rank) => new Rank(rank, job));
  const sequence = job.groups.map(() => 0);
  const answers = {
    calls: [],
    waitingNs: all.map(() => 0),
    causedNs: all.map(() => 0),
    computationNs: all.map(() => 0),
    communicationNs: all.map(() => 0),
  };

  const reduce = (index, elements, stream, step) => {
    const group = job.groups[index];
    const call = {
      group: group.name,
      description: group.description,
      ranks: group.ranks,
      listed: group.listed,
      name: 'allreduce',
      elements,
      sequence: (sequence[index] += 1),
    };
    const asked = group.ranks.map((rank) => ranks[rank].ask(call));
    const slow = job.slowPair !== undefined && index === job.slowPair + 1 ? 4 : 1;
    const transfer = Math.round(((elements * 4) / GB_PER_S) * slow);
    const last = Math.max(...asked.map((one) => one.begin));
    const lastRank = group.ranks[asked.findIndex((one) => one.begin === last)];
    const end = last + transfer;
    const name = 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)';
    let present = 0;
    group.ranks.forEach((rank, i) => {
      const { correlation, begin, args } = asked[i];
      const lacks = job.lacks && job.lacks.rank === rank && job.lacks.step === step && index === 0;
      const plain = { ...args };
      delete plain.Seq;
      if (!lacks) {
        // Not all come back at the very same moment.
        const early = job.noiseNs === 0 ? 0 : Math.floor((random() * 2 - 1) * job.noiseNs);
        const back = end - early;
        ranks[rank].kernel(name, correlation, begin, back - begin, stream, {
          ...plain,
          ...(job.sequences ? { Seq: call.sequence } : {}),
        });
        present += 1;
        answers.communicationNs[rank] += end - begin;
        answers.waitingNs[rank] += end - begin - transfer;
        if (rank !== lastRank) answers.causedNs[lastRank] += end - begin - transfer;
      }
      ranks[rank].device = end;
    });
    answers.calls.push({
      group: group.name,
      step,
      sequence: call.sequence,
      ranks: present,
      bytes: elements * 4,
      transferNs: transfer,
      spreadNs: last - Math.min(...asked.map((one) => one.begin)),
      lastRank,
    });
  };

  for (let step = 0; step < job.steps; step += 1) {
    const begins = ranks.map((rank) => rank.host);
    for (let layer = 0; layer < LAYERS; layer += 1) {
      for (const rank of ranks) {
        const duration = LAYER_NS + Math.floor(random() * job.jitterNs);
        rank.compute('aten::mm', 30 + layer, duration);
        answers.computationNs[rank.rank] += duration;
      }
      pairs.forEach((_, k) => reduce(k + 1, TENSOR_ELEMENTS, STREAMS.tensor, step));
    }
    const { straggler } = job;
    for (const rank of ranks) {
      if (!straggler || rank.rank !== straggler.rank) continue;
      if (straggler.kind === 'device') {
        rank.compute('aten::sort', 77, straggler.extraNs);
        answers.computationNs[rank.rank] += straggler.extraNs;
      } else {
        // The device runs dry: the host has to be later than it.
        rank.host = Math.max(rank.host, rank.device);
        const name = {
          host: ['python_function', '/job/augment.py(12): augment'],
          loader: [
            'user_annotation',
            'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__',
          ],
        }[straggler.kind];
        if (name) rank.hostSlice(name[0], name[1], rank.host, straggler.extraNs);
        rank.host += straggler.extraNs;
      }
    }
    reduce(0, DATA_ELEMENTS, STREAMS.data, step);
    ranks.forEach((rank, i) => {
      // The step ends when its work has.
      const wait = Math.max(rank.device - rank.host, 1_000);
      rank.hostSlice('cuda_runtime', 'cudaDeviceSynchronize', rank.host, wait);
      rank.host += wait + 5_000;
      rank.device = rank.host;
      rank.hostSlice('user_annotation', `ProfilerStep#${step}`, begins[i], rank.host - begins[i]);
      rank.host += 10_000;
      if (step < (job.late[rank.rank] ?? 0)) rank.events = [];
      else stepped(rank);
    });
  }
  return { ranks, answers };
}

/** The traces of a job, `{rank, name, text}` each, and what is known about it. */
export function generateJob(options) {
  const { ranks, answers } = run(options);
  const files = ranks.map((rank) => ({
    rank: rank.rank,
    name: rank.name,
    text: rank.head() + rank.take() + TAIL,
  }));
  return { files, answers };
}

/**
 * Writes a job's traces, but for those of `missing` ranks; gives the answers. What is not `packed` is written
 * step by step, so that memory holds a step of a job however long it is.
 */
export function writeJob(folder, { missing = [], packed = false, ...options } = {}) {
  fs.mkdirSync(folder, { recursive: true });
  if (packed) {
    const { files, answers } = generateJob(options);
    for (const { rank, name, text } of files) {
      if (missing.includes(rank)) continue;
      fs.writeFileSync(path.join(folder, `${name}.gz`), zlib.gzipSync(text));
    }
    return answers;
  }
  const begun = new Set();
  const write = (rank, text) => {
    if (missing.includes(rank.rank)) return;
    const file = path.join(folder, rank.name);
    if (begun.has(rank)) fs.appendFileSync(file, text);
    else fs.writeFileSync(file, rank.head() + text);
    begun.add(rank);
  };
  const { ranks, answers } = run(options, (rank) => write(rank, rank.take()));
  for (const rank of ranks) write(rank, TAIL);
  return answers;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const value = (name, fallback) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? fallback : process.argv[at + 1];
  };
  const answers = writeJob(value('out', 'job'), {
    ranks: Number(value('ranks', 8)),
    steps: Number(value('steps', 3)),
    seed: Number(value('seed', 1)),
  });
  console.log(JSON.stringify(answers));
}
