// Draws the traces of a job's ranks event by event, for what the generated jobs of job.mjs lack:
// sends and receives, several groups, several machines, old recorders. Times are microseconds.

import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

const SENDRECV = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)';
const kernels = {
  allreduce_coalesced: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  allreduce: 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  _allgather_base: 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  _reduce_scatter_base:
    'ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
  alltoall: SENDRECV,
  send: SENDRECV,
  recv: SENDRECV,
};

/** What a recorder of today says of a call; `without` keys are left out. */
function recordOf(call, group, elements, without, more) {
  const record = {
    'Collective name': call,
    dtype: 'BFloat16',
    'In msg nelems': elements,
    'Out msg nelems': elements,
    'Group size': group.ranks.length,
    'Process Group Name': group.name,
    'Process Group Description': group.description,
    'Process Group Ranks': JSON.stringify(group.ranks),
    ...more,
  };
  for (const key of Object.keys(record)) {
    if (without === 'all' || without.some((start) => key.startsWith(start))) delete record[key];
  }
  return record;
}

export class DrawnRank {
  constructor(rank, { worldSize, device = rank, groups = [], header = {} }) {
    Object.assign(this, { rank, worldSize, device, groups, header });
    this.events = [];
    this.correlation = 0;
  }

  slice(cat, name, pid, tid, ts, dur, args = {}) {
    this.events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  }

  host(name, ts, dur, cat = 'cpu_op', args = {}) {
    this.slice(cat, name, 900 + this.rank, 900 + this.rank, ts, dur, args);
  }

  step(number, ts, dur) {
    this.host(`ProfilerStep#${number}`, ts, dur, 'user_annotation');
  }

  /** A kernel, launched 8 us before it runs, or before `asked`, by an operator that takes 6. */
  kernel(
    name,
    ts,
    dur,
    { operator = 'aten::mm', inputs, stream = 7, args = {}, range, record, asked = ts } = {},
  ) {
    this.correlation += 1;
    const { correlation } = this;
    this.host(operator, asked - 10, 6, 'cpu_op', inputs);
    if (record) this.host('record_param_comms', asked - 9.5, 5, 'cpu_op', record);
    if (range) this.host(range, asked - 9.3, 4.6, 'user_annotation');
    this.host('cudaLaunchKernel', asked - 8, 2, 'cuda_runtime', { correlation });
    this.slice('kernel', name, this.device, stream, ts, dur, {
      ...args,
      device: this.device,
      stream,
      correlation,
    });
  }

  /**
   * Calls that run as one kernel, launched when their records have ended: what a coalescing manager
   * or batch_isend_irecv does. `more` is recorded of all of them, and nothing of the kernel. Where a
   * library runs them as several kernels, the rest are `also`.
   */
  batch(calls, group, ts, dur, { without = [], more = {}, also = [], kernel = SENDRECV } = {}) {
    calls.forEach(({ call, elements, peer, range, parts }, k) => {
      const at = ts - 60 + (k * 40) / calls.length;
      const record = recordOf(call, group, elements, without, {
        ...(call === 'send' ? { 'Dst Rank': peer } : {}),
        ...(call === 'recv' ? { 'Src Rank': peer } : {}),
        ...parts,
        ...more,
      });
      this.host(`c10d::${call}`, at, 40 / calls.length - 0.1);
      this.host('record_param_comms', at + 0.1, 40 / calls.length - 0.3, 'cpu_op', record);
      if (range) this.host(range, at + 0.2, 40 / calls.length - 0.5, 'user_annotation');
    });
    this.host('nccl:coalesced', ts - 9, 8, 'user_annotation');
    [{ ts, dur, stream: 20 }, ...also].forEach((one, k) => {
      this.correlation += 1;
      const { correlation } = this;
      const launch = { correlation };
      this.host('cudaLaunchKernelExC', ts - 8 + 1.5 * k, 1, 'cuda_runtime', launch);
      this.slice('kernel', kernel, this.device, one.stream, one.ts, one.dur, {
        device: this.device,
        stream: one.stream,
        correlation,
      });
    });
  }

  /** A collective with what a recorder of today says of it; `without` keys are left out. */
  collective(
    call,
    group,
    elements,
    ts,
    dur,
    { without = [], range, more = {}, stream = 20, asked } = {},
  ) {
    const record = recordOf(call, group, elements, without, more);
    const operator = `c10d::${call}`;
    this.kernel(kernels[call], ts, dur, {
      operator,
      stream,
      args: record,
      range,
      record,
      asked,
    });
  }

  document() {
    return {
      schemaVersion: 1,
      deviceProperties: [{ id: this.device, name: 'NVIDIA H100', totalGlobalMem: 8e10 }],
      distributedInfo: {
        backend: 'nccl',
        rank: this.rank,
        world_size: this.worldSize,
        pg_config: this.groups
          .filter(({ ranks }) => ranks.includes(this.rank))
          .map(({ name, description, ranks }) => ({
            pg_name: name,
            pg_desc: description,
            pg_size: ranks.length,
            ranks,
          })),
        ...this.header.distributedInfo,
      },
      baseTimeNanoseconds: 1767189312000000000,
      ...this.header.top,
      traceEvents: this.events,
    };
  }
}

/** Writes ranks as `rankN.json`, or under other names; `.gz` is compressed. */
export function writeRanks(folder, ranks, name = (rank) => `rank${rank}.json`) {
  fs.mkdirSync(folder, { recursive: true });
  for (const rank of ranks) {
    const text = JSON.stringify(rank.document());
    const file = name(rank.rank);
    fs.writeFileSync(path.join(folder, file), file.endsWith('.gz') ? gzipSync(text) : text);
  }
}

export const world = (ranks) => ({
  name: '0',
  description: 'default_pg',
  ranks: Array.from({ length: ranks }, (_, rank) => rank),
});
