#!/usr/bin/env node
// Synthetic traces with known answers, of any size and in any dialect.
//
//   node tests/generator/generate.mjs --dialect torch-2.8 --events 100000 --out FILE[.gz] --seed 1
//
// writes the trace and prints the answers as JSON. As a module: `generate()` yields the text in
// pieces and returns the answers, `traceText()` gives a whole small trace, `writeTrace()` a file.
//
// The program that is simulated trains in steps: it loads data, copies it to the device, runs
// layers forward, then backward on a second thread, then an optimizer; device work runs behind the
// host on two streams. Every second step waits for the device at its end, the others leave work
// running into the next one. All times are multiples of 1 us where the dialect has integer stamps,
// so nothing is lost in writing and the answers are exact.

import fs from 'node:fs';
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import zlib from 'node:zlib';
import { randomNumbers } from '../lib/random.mjs';
import { breakdown, extendSteps } from './answers.mjs';
import { categoryNames, deviceNames, dialects } from './dialects.mjs';

export { dialects };

/** baseTimeNanoseconds of the dialects that have it. */
const BASE_NS = '1735632360000000000';
/** First microsecond of the capture, relative to the base. */
const START_RELATIVE_US = 4458676501688;
/** First microsecond of the capture where stamps count from 1970. */
const START_ABSOLUTE_US = 1669783687464181;

const PID = 25738;
const MAIN_TID = 25738;
const BACKWARD_TID = 25801;
const MTIA_PID = 9;
const COMPUTE_STREAM = 7;
const COPY_STREAM = 20;
const GRAPH_NODES = 5;
/** Line of the first node of a graph; its function begins a line before. */
const GRAPH_LINE = 61;
/** Above this many events the answers leave out what needs all intervals at once. */
const BREAKDOWN_LIMIT = 400000;
const CHUNK_CHARS = 1 << 16;

class Simulation {
  constructor({ dialect, events, seed, steps }) {
    this.dialectName = dialect;
    this.dialect = dialects[dialect];
    if (!this.dialect) {
      throw new Error(`unknown dialect ${dialect}; there are: ${Object.keys(dialects).join(', ')}`);
    }
    this.names = categoryNames[this.dialect.categories] ?? {};
    this.device = deviceNames[this.dialect.device];
    this.hasDevice = this.dialect.device !== 'none';
    this.wanted = events;
    this.stepCount = steps ?? 4;
    this.random = randomNumbers(seed);
    this.grain = this.dialect.stamps === 'integer' ? 1000 : 1;
    this.startUs = { relative: START_RELATIVE_US, absolute: START_ABSOLUTE_US, zero: 12 }[
      this.dialect.origin
    ];
    this.hostPid = this.dialect.container === 'array' ? '"CPU functions"' : PID;
    this.devicePid = this.dialect.device === 'mtia' ? MTIA_PID : 0;
    this.keepIntervals = events <= BREAKDOWN_LIMIT;

    this.pending = [];
    this.pendingChars = 0;
    this.firstEvent = true;
    this.pairs = [];
    this.pairOrder = 0;

    this.host = 0;
    this.streams = new Map([
      [COMPUTE_STREAM, 0],
      [COPY_STREAM, 0],
    ]);
    this.nextOpId = 1;
    this.nextCorrelation = 5;
    this.nextSequence = 1;
    this.nextPythonId = 1;
    this.nextIndex = 0;
    this.nextAddress = 140000000000000;
    this.nextFlow = 1;
    this.allocated = 0;
    this.live = [];
    this.step = -1;

    this.answers = {
      dialect,
      seed,
      events: 0,
      phases: {},
      categories: {},
      slices: 0,
      slicesByMeaning: {},
      steps: [],
      operators: {},
      shapeGroups: 0,
      kernels: {},
      copies: { calls: 0, totalNs: 0, bytes: 0 },
      sets: { calls: 0, totalNs: 0 },
      orphans: 0,
      memory: {
        records: 0,
        allocations: 0,
        allocatedBytes: 0,
        releasedBytes: 0,
        peakBytes: 0,
        // Only allocating operators are in these: bytes allocated, and how often.
        byOperator: {},
      },
      pythonFrames: 0,
      modules: 0,
      /** Device time of graphs' kernels by the line that tells of it, where the dialect has lines. */
      graphLines: {},
      breakdown: null,
    };
    this.shapeKeys = new Set();
    // Per step: device events and their extent; index -1 (orphans) separately.
    this.deviceByStep = [];
    this.orphanIntervals = [];
    this.roles = {
      kernel: [],
      memcpy: [],
      memset: [],
      communication: [],
      runtime: [],
      dataLoader: [],
      cpuExec: [],
    };
    this.extent = { begin: Infinity, end: -Infinity };
  }

  // -- numbers

  /** A duration in ns between the given microseconds, a multiple of the dialect's grain. */
  between(lowUs, highUs) {
    const ns = Math.floor((lowUs + this.random() * (highUs - lowUs)) * 1000);
    return Math.max(this.grain, ns - (ns % this.grain));
  }

  pick(list) {
    return list[Math.floor(this.random() * list.length)];
  }

  /** Time stamp text of a time in ns since the capture's start. */
  stamp(ns) {
    return this.microseconds(ns, this.startUs);
  }

  microseconds(ns, offsetUs = 0) {
    const whole = Math.floor(ns / 1000) + offsetUs;
    const rest = ns % 1000;
    if (this.dialect.stamps === 'integer') return String(whole);
    if (this.dialect.stamps === 'unpadded' && rest % 10 === 0) {
      // As other tools write them again: 3.5 for 3.500, 4 for 4.000.
      return String(Number(`0.${String(rest).padStart(3, '0')}`)).replace(/^0/, String(whole));
    }
    return `${whole}.${String(rest).padStart(3, '0')}`;
  }

  tid(tid, onDevice = false) {
    if (!this.dialect.textIds) return String(tid);
    return onDevice ? `"stream ${tid}"` : `"${tid}"`;
  }

  // -- writing

  push(text) {
    const piece = (this.firstEvent ? '\n  ' : ',\n  ') + text;
    this.firstEvent = false;
    this.pending.push(piece);
    this.pendingChars += piece.length;
  }

  count(phase, category) {
    const { answers } = this;
    answers.events += 1;
    answers.phases[phase] = (answers.phases[phase] ?? 0) + 1;
    if (category !== undefined) {
      answers.categories[category] = (answers.categories[category] ?? 0) + 1;
    }
  }

  slice(meaning, category, name, pid, tid, start, duration, args) {
    const { answers } = this;
    const shown = category === undefined ? '' : `"cat": "${category}", `;
    const row = `"name": ${JSON.stringify(name)}, "pid": ${pid}, "tid": ${tid}`;
    answers.slices += 1;
    answers.slicesByMeaning[meaning] = (answers.slicesByMeaning[meaning] ?? 0) + 1;
    this.extent.begin = Math.min(this.extent.begin, start);
    this.extent.end = Math.max(this.extent.end, start + duration);
    if (this.dialect.beginEnd) {
      this.count('B', category);
      this.count('E', category);
      const order = this.pairOrder++;
      const end = start + duration;
      this.pairs.push({
        time: start,
        rank: 1,
        tie: -end,
        order,
        text: `{"ph": "B", ${shown}${row}, "ts": ${this.stamp(start)}, "args": {${args}}}`,
      });
      this.pairs.push({
        time: end,
        rank: 0,
        tie: -start,
        order: -order,
        text: `{"ph": "E", ${shown}${row}, "ts": ${this.stamp(end)}}`,
      });
      return;
    }
    this.count('X', category);
    this.push(
      `{"ph": "X", ${shown}${row}, "ts": ${this.stamp(start)}, ` +
        `"dur": ${this.microseconds(duration)}, "args": {${args}}}`,
    );
  }

  /** Writes the collected B and E events in the order of time: ends first, inner ones first. */
  flushPairs() {
    this.pairs.sort(
      (a, b) => a.time - b.time || a.rank - b.rank || a.tie - b.tie || a.order - b.order,
    );
    for (const pair of this.pairs) this.push(pair.text);
    this.pairs = [];
  }

  flow(phase, category, name, id, pid, tid, time) {
    this.count(phase, category);
    const end = phase === 'f' ? ', "bp": "e"' : '';
    this.push(
      `{"ph": "${phase}", "id": ${id}, "pid": ${pid}, "tid": ${tid}, "ts": ${this.stamp(time)}, ` +
        `"cat": "${category}", "name": "${name}"${end}}`,
    );
  }

  // -- host events

  pythonFrame(name, start, duration, parent, callLine, module) {
    if (!this.dialect.python) return null;
    const id = this.nextPythonId++;
    let args = `"Python id": ${id}, "Python parent id": ${parent ?? 'null'}`;
    if (module !== undefined) {
      args += `, "Python module id": ${module}`;
      this.answers.modules += 1;
    }
    if (this.dialect.callFrom && callLine) args += `, "CallFrom": "train.py:${callLine}"`;
    args += `, "Ev Idx": ${this.nextIndex++}`;
    this.answers.pythonFrames += 1;
    this.slice(
      'python',
      this.names.python,
      name,
      this.hostPid,
      this.tid(MAIN_TID),
      start,
      duration,
      args,
    );
    return id;
  }

  annotation(name, start, duration) {
    if (!this.dialect.host) return;
    const bare = this.dialect.categories === 'none';
    const args = bare ? '' : `"External id": ${this.nextOpId++}, "Ev Idx": ${this.nextIndex++}`;
    const category = this.names.annotation;
    this.slice(
      'annotation',
      category,
      name,
      this.hostPid,
      this.tid(MAIN_TID),
      start,
      duration,
      args,
    );
  }

  /**
   * Writes an op and notes its times. `inner` are the summed durations of its direct children: ops
   * and launches.
   */
  op(name, tid, start, duration, inner, extra = {}) {
    const id = extra.id ?? this.nextOpId++;
    if (!this.dialect.host) return id;
    let args = '';
    if (this.dialect.categories !== 'none') {
      args = `"External id": ${id}`;
      if (extra.sequence !== undefined) {
        args += `, "Sequence number": ${extra.sequence}`;
        args += `, "Fwd thread id": ${extra.forwardThread ?? 0}`;
      }
      if (extra.collective) args += `, ${extra.collective}`;
      args += `, "Ev Idx": ${this.nextIndex++}`;
      if (this.dialect.shapes && extra.shapes) {
        args += `, "Input Dims": ${extra.shapes}, "Input type": ["float", "float"]`;
      }
      if (this.dialect.callStack && extra.line) {
        args +=
          `, "Call stack": "/home/user/model.py(${extra.line}): forward;` +
          `/home/user/train.py(31): train_step;/home/user/train.py(52): <module>"`;
      }
    }
    this.slice('op', this.names.op, name, this.hostPid, this.tid(tid), start, duration, args);
    if (this.keepIntervals) this.roles.cpuExec.push(start, start + duration);

    const row = this.operator(name);
    row.calls += 1;
    row.hostTotalNs += duration;
    row.hostSelfNs += duration - inner;
    const shapes = this.dialect.shapes ? (extra.shapes ?? '[]') : '[]';
    this.shapeKeys.add(`${name}\n${shapes}`);
    return id;
  }

  operator(name) {
    return (this.answers.operators[name] ??= {
      calls: 0,
      hostTotalNs: 0,
      hostSelfNs: 0,
      deviceTotalNs: 0,
      deviceSelfNs: 0,
    });
  }

  /** Writes a runtime or driver call. Returns its correlation. */
  call(name, isDriver, tid, start, duration, opId, launches) {
    const correlation = this.nextCorrelation++;
    if (!this.dialect.host) return correlation;
    const category = this.device.runtime ?? (isDriver ? this.names.driver : this.names.runtime);
    const args = `${this.externalId(opId, correlation)}"cbid": 211, "correlation": ${correlation}`;
    this.slice('runtime', category, name, this.hostPid, this.tid(tid), start, duration, args);
    if (this.keepIntervals) this.roles.runtime.push(start, start + duration);
    const { launchFlows } = this.dialect;
    if (launchFlows !== 'none') {
      const flowName = { async: 'launch', async_gpu: name, async_cpu_to_gpu: 'async_gpu' };
      const shown = flowName[launchFlows] ?? 'ac2g';
      if (launches) {
        this.flow('s', launchFlows, shown, correlation, this.hostPid, this.tid(tid), start);
      } else if (this.dialect.loneFlowEnds) {
        this.flow('f', launchFlows, shown, correlation, this.hostPid, this.tid(tid), start);
      }
    }
    return correlation;
  }

  /** The id by which launches and device rows name their op, with a comma; or nothing. */
  externalId(opId, correlation) {
    switch (this.dialect.externalId) {
      case 'old':
        return `"external id": ${opId ?? 0}, `;
      case 'trap':
        return `"External id": ${correlation}, `;
      case 'fallback':
        return `"External id": ${opId ?? correlation}, `;
      case 'op':
        return opId === null ? '' : `"External id": ${opId}, `;
      default:
        return '';
    }
  }

  // -- device events

  /**
   * Writes device work that was launched at `launchTime`; it begins when its stream is free. `ops`
   * are the names of the enclosing ops, innermost first.
   */
  work(meaning, name, stream, launchTime, duration, correlation, opId, ops, extra = '') {
    const ready = launchTime + this.between(3, 7);
    const start = Math.max(ready, this.streams.get(stream) + this.grain);
    this.streams.set(stream, start + duration);
    const end = start + duration;
    const tid = this.tid(stream, true);
    const category = this.device.kernel ?? this.names[meaning];
    const launched = this.dialect.host;
    let args = launched ? this.externalId(opId, correlation) : '';
    args += `"device": 0, "context": 1, "stream": ${stream}, "correlation": ${correlation}`;
    // Where all device work has one category, copies cannot be told from kernels.
    const role = this.device.kernel ? 'kernel' : meaning;
    if (role === 'kernel') this.noteKernel(name, duration);
    if (meaning === 'kernel') {
      if (this.dialect.device === 'cuda') {
        args +=
          ', "registers per thread": 32, "shared memory": 0, "blocks per SM": 1.185185, ' +
          '"warps per SM": 9.481481, "grid": [128, 1, 1], "block": [256, 1, 1], ' +
          '"est. achieved occupancy %": 15';
      }
    } else {
      const bytes = 4096 * (1 + Math.floor(this.random() * 100));
      args += `, "bytes": ${bytes}, "memory bandwidth (GB/s)": ${(bytes / duration).toFixed(4)}`;
      const row = meaning === 'memcpy' ? this.answers.copies : this.answers.sets;
      row.calls += 1;
      row.totalNs += duration;
      if (meaning === 'memcpy') row.bytes += bytes;
    }
    if (extra) args += `, ${extra}`;
    this.slice(meaning, category, name, this.devicePid, tid, start, duration, args);
    if (launched && this.dialect.launchFlows !== 'none') {
      const flow = this.dialect.launchFlows;
      const shown = {
        async: 'launch',
        async_gpu: this.device.launch,
        async_cpu_to_gpu: 'async_gpu',
      };
      this.flow('f', flow, shown[flow] ?? 'ac2g', correlation, this.devicePid, tid, start);
    }
    if (this.keepIntervals) {
      this.roles[name.startsWith('nccl') ? 'communication' : role].push(start, end);
    }
    if (launched) {
      const step = this.deviceByStep[this.step];
      step.count += 1;
      step.begin = Math.min(step.begin, start);
      step.end = Math.max(step.end, end);
      ops.forEach((op, level) => {
        const row = this.operator(op);
        if (level === 0) row.deviceSelfNs += duration;
        row.deviceTotalNs += duration;
      });
    }
    return end;
  }

  noteKernel(name, duration) {
    const row = (this.answers.kernels[name] ??= {
      calls: 0,
      totalNs: 0,
      minNs: Infinity,
      maxNs: 0,
    });
    row.calls += 1;
    row.totalNs += duration;
    row.minNs = Math.min(row.minNs, duration);
    row.maxNs = Math.max(row.maxNs, duration);
  }

  /** Kernels of launches before the window: they have a correlation that nobody else has. */
  orphanKernels() {
    for (let i = 0; i < 2; ++i) {
      const start = this.streams.get(COMPUTE_STREAM) + this.grain;
      const duration = this.between(20, 40);
      const correlation = 900000000 + i;
      const args = `"device": 0, "context": 1, "stream": ${COMPUTE_STREAM}, "correlation": ${correlation}`;
      const name = 'kernel_of_an_earlier_launch';
      const tid = this.tid(COMPUTE_STREAM, true);
      this.slice('kernel', this.names.kernel, name, this.devicePid, tid, start, duration, args);
      this.streams.set(COMPUTE_STREAM, start + duration);
      this.orphanIntervals.push([start, start + duration]);
      this.answers.orphans += 1;
      if (this.keepIntervals) this.roles.kernel.push(start, start + duration);
      this.noteKernel(name, duration);
    }
  }

  // -- allocator

  memoryRecord(bytes, address) {
    if (this.dialect.memory === 'none') return;
    const { memory } = this.answers;
    this.allocated += bytes;
    memory.records += 1;
    if (bytes > 0) {
      memory.allocations += 1;
      memory.allocatedBytes += bytes;
    } else {
      memory.releasedBytes -= bytes;
    }
    memory.peakBytes = Math.max(memory.peakBytes, this.allocated);
    // Numbers of c10::DeviceType; builds for ROCm call their devices CUDA.
    const type = { none: 0, xpu: 12, mtia: 19 }[this.dialect.device] ?? 1;
    let args = `"Device Type": ${type}, "Device Id": ${type > 0 ? 0 : -1}, "Bytes": ${bytes}`;
    if (this.dialect.memory === 'addressed') {
      args += `, "Addr": ${address}, "Total Allocated": ${this.allocated}, "Total Reserved": 67108864`;
    }
    const category = this.dialect.memoryCategory ? 'cpu_instant_event' : undefined;
    this.count('i', category);
    this.push(
      `{"ph": "i", ${category ? `"cat": "${category}", ` : ''}"s": "t", "name": "[memory]", ` +
        `"pid": ${this.hostPid}, "tid": ${MAIN_TID}, "ts": ${this.stamp(this.host)}, "args": {${args}}}`,
    );
  }

  /** An op that asks another one for memory. */
  allocatingOp() {
    const start = this.host;
    const before = this.between(1, 2);
    const innerDuration = this.between(2, 4);
    const duration = before + innerDuration + this.between(1, 2);
    this.op('aten::empty_like', MAIN_TID, start, duration, innerDuration, { shapes: '[[32, 64]]' });
    this.op('aten::empty', MAIN_TID, start + before, innerDuration, 0, { shapes: '[[], []]' });
    this.host = start + before + this.grain;
    const bytes = 512 * (1 + Math.floor(this.random() * 4000));
    const address = this.nextAddress;
    this.nextAddress += bytes;
    this.live.push([address, bytes]);
    this.memoryRecord(bytes, address);
    for (const name of ['aten::empty', 'aten::empty_like']) {
      const row = (this.answers.memory.byOperator[name] ??= { allocations: 0, bytes: 0 });
      row.allocations += 1;
      row.bytes += bytes;
    }
    this.host = start + duration;
  }

  releaseAll() {
    for (const [address, bytes] of this.live) this.memoryRecord(-bytes, address);
    this.live = [];
  }

  // -- the simulated program

  /**
   * An op that holds another op that launches work. Returns nothing; moves the host's clock.
   * `tid` is the thread, `outer` and `inner` are the ops, `meaning` is the kind of work.
   */
  launchingOp(tid, outer, inner, meaning, name, stream, lowUs, highUs, extra = {}) {
    const start = this.host;
    const before = this.between(1, 3);
    const innerBefore = this.between(1, 3);
    const launchTime = this.between(2, 4);
    const innerAfter = this.between(1, 2);
    const after = this.between(1, 2);
    const innerDuration = innerBefore + (this.hasDevice ? launchTime : 0) + innerAfter;
    const duration = before + innerDuration + after;
    const outerId = this.nextOpId++;
    const innerId = this.nextOpId++;
    const launches = this.hasDevice ? launchTime : 0;
    this.op(outer, tid, start, duration, innerDuration, { ...extra, id: outerId });
    this.op(inner, tid, start + before, innerDuration, launches, { ...extra, id: innerId });
    if (this.hasDevice) {
      const isDriver =
        this.dialect.driver && meaning === 'kernel' && this.nextCorrelation % 3 === 0;
      const call = {
        kernel: isDriver ? this.device.driverLaunch : this.device.launch,
        memcpy: this.device.copy,
        memset: this.device.set,
      }[meaning];
      const at = start + before + innerBefore;
      const correlation = this.call(call, isDriver, tid, at, launchTime, innerId, true);
      const ops = [inner, outer];
      if (extra.around) ops.push(...extra.around);
      const kernelTime = this.between(lowUs, highUs);
      const collective = extra.collective;
      this.work(meaning, name, stream, at, kernelTime, correlation, innerId, ops, collective);
    }
    this.host = start + duration;
    return { start, innerStart: start + before, duration };
  }

  /** One layer forward. Returns what backward needs. */
  layer(parentFrame, index) {
    const start = this.host;
    const width = this.pick([64, 128, 256]);
    const shapes = `[[32, ${width}], [${width}, ${width}]]`;
    const sequence = this.nextSequence++;
    const frameStart = start;
    this.host += this.between(1, 4);
    const kind = this.random();
    let forward;
    if (kind < 0.6) {
      forward = this.launchingOp(
        MAIN_TID,
        'aten::linear',
        'aten::addmm',
        'kernel',
        'ampere_sgemm_32x128_tn',
        COMPUTE_STREAM,
        5,
        25,
        { shapes, sequence, line: 17 },
      );
    } else {
      forward = this.launchingOp(
        MAIN_TID,
        'aten::relu',
        'aten::clamp_min',
        'kernel',
        'void at::native::vectorized_elementwise_kernel<4, at::native::clamp_min_kernel_cuda(' +
          'at::TensorIterator&, c10::Scalar)::{lambda()#1}>(int, float)',
        COMPUTE_STREAM,
        2,
        12,
        { shapes: `[[32, ${width}]]`, sequence, line: 18 },
      );
    }
    this.allocatingOp();
    this.host += this.between(1, 3);
    if (this.dialect.python) {
      const module = index % 6;
      const duration = this.host - frameStart;
      this.pythonFrame(
        kind < 0.6 ? `nn.Module: Linear_${module}` : `nn.Module: ReLU_${module}`,
        frameStart,
        duration,
        parentFrame,
        18,
        module,
      );
    }
    return { linear: kind < 0.6, shapes, sequence, forward };
  }

  backward(layer) {
    const node = layer.linear ? 'AddmmBackward0' : 'ReluBackward0';
    const evaluate = `autograd::engine::evaluate_function: ${node}`;
    const start = this.host;
    const before = this.between(1, 2);
    const evaluateId = this.nextOpId++;
    const extra = { sequence: layer.sequence, forwardThread: 1, shapes: layer.shapes };
    this.host += before;
    const inner = this.launchingOp(
      BACKWARD_TID,
      node,
      layer.linear ? 'aten::mm' : 'aten::threshold_backward',
      'kernel',
      layer.linear ? 'ampere_sgemm_128x64_nn' : 'threshold_backward_kernel',
      COMPUTE_STREAM,
      5,
      25,
      { ...extra, around: [evaluate] },
    );
    this.host += this.between(1, 2);
    this.op(evaluate, BACKWARD_TID, start, this.host - start, inner.duration, {
      ...extra,
      id: evaluateId,
    });
    if (this.dialect.backwardFlows !== 'none') {
      const name = this.dialect.backwardFlows === 'fwdbwd' ? 'fwdbwd' : 'fwd_bwd';
      const id = this.nextFlow++;
      const category = this.dialect.backwardFlows;
      // The inner of two nested forward ops starts last and is meant.
      const { innerStart } = layer.forward;
      this.flow('s', category, name, id, this.hostPid, this.tid(MAIN_TID), innerStart);
      this.flow('f', category, name, id, this.hostPid, this.tid(BACKWARD_TID), inner.start);
    }
  }

  collective() {
    const elements = 1024 * (1 + Math.floor(this.random() * 64));
    const args =
      `"Collective name": "allreduce", "In msg nelems": ${elements}, ` +
      `"Out msg nelems": ${elements}, "Group size": 2, "dtype": "Float", ` +
      '"Process Group Name": "0", "Process Group Description": "default_pg", ' +
      '"Process Group Ranks": "[0, 1]"';
    this.launchingOp(
      MAIN_TID,
      'c10d::allreduce_',
      'record_param_comms',
      'kernel',
      'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)',
      COPY_STREAM,
      20,
      60,
      { collective: args, shapes: `[[${elements}]]` },
    );
  }

  /** The capture of the graph that `graphLaunch` runs: ops whose launches run nothing. */
  captureGraph() {
    const start = this.host;
    const frame = this.nextPythonId++;
    const free = (name) => {
      this.host += this.between(1, 2);
      const duration = this.between(1, 3);
      this.call(name, false, MAIN_TID, this.host, duration, null, false);
      this.host += duration + this.between(1, 2);
    };
    free('cudaStreamBeginCapture');
    for (let node = 0; node < GRAPH_NODES; ++node) {
      const called = this.host;
      const opStart = called + this.between(1, 2);
      const launchStart = opStart + this.between(1, 2);
      const launch = this.between(1, 3);
      const opEnd = launchStart + launch + this.between(1, 2);
      const end = opEnd + this.between(1, 2);
      const id = this.op('aten::mul', MAIN_TID, opStart, opEnd - opStart, launch, {
        shapes: '[[32, 64], []]',
      });
      this.call(this.device.launch, false, MAIN_TID, launchStart, launch, id, false);
      const name = '<built-in method mul of Tensor object at 0x7f3200>';
      this.pythonFrame(name, called, end - called, frame, GRAPH_LINE + node);
      this.host = end + this.between(1, 2);
    }
    free('cudaStreamEndCapture');
    this.writeFrame(frame, `train.py(${GRAPH_LINE - 1}): capture`, start, this.host, null);
    this.host += this.between(1, 2);
  }

  /** What the kernel of a node carries beside its ids; notes its line in the answers. */
  graphNodeArgs(node, duration) {
    const args = `"graph id": 3, "graph node id": ${node + 2}`;
    const { graphLines } = this.dialect;
    const backward = node === GRAPH_NODES - 1;
    // The first node has no annotation: it stays with the line of the launch.
    if (graphLines === 'none' || (graphLines === 'annotation' && node === 0)) return args;
    const line = GRAPH_LINE + node;
    const row = (this.answers.graphLines[line] ??= { deviceSelfNs: 0, backwardNs: 0 });
    row.deviceSelfNs += duration;
    if (graphLines === 'capture') {
      // The operator that recorded the node has its work, in each run of the graph.
      const recorder = this.operator('aten::mul');
      recorder.deviceSelfNs += duration;
      recorder.deviceTotalNs += duration;
      return args;
    }
    if (backward) row.backwardNs += duration;
    const stack = `torch/nn/functional.py:9:mul\\ntrain.py:${line}:capture\\ntrain.py:9:<module>`;
    return `${args}, "py_stack": "${stack}"${backward ? ', "autograd_phase": "backward"' : ''}`;
  }

  /** One launch of a graph with several kernels, outside all ops. */
  graphLaunch() {
    const duration = this.between(4, 8);
    const launchTime = this.host;
    const correlation = this.call(
      'cudaGraphLaunch',
      false,
      MAIN_TID,
      launchTime,
      duration,
      null,
      true,
    );
    for (let node = 0; node < GRAPH_NODES; ++node) {
      const name = 'graphed_kernel';
      const kernelTime = this.between(3, 9);
      const args = this.graphNodeArgs(node, kernelTime);
      const stream = COMPUTE_STREAM;
      this.work('kernel', name, stream, launchTime, kernelTime, correlation, null, [], args);
    }
    this.host = launchTime + duration;
  }

  dataLoading() {
    const start = this.host;
    const duration = this.between(20, 60);
    this.host += this.between(2, 4);
    const outer = this.launchFreeOp('aten::stack', MAIN_TID);
    this.host = Math.max(this.host, start + duration);
    const end = this.host;
    if (this.dialect.host) {
      const name = 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__';
      this.annotation(name, start, end - start);
      if (this.keepIntervals) this.roles.dataLoader.push(start, end);
    }
    return outer;
  }

  launchFreeOp(name, tid) {
    const start = this.host;
    const duration = this.between(2, 6);
    this.op(name, tid, start, duration, 0, { shapes: '[[[3, 32], [3, 32]]]' });
    this.host += duration;
  }

  optimizer() {
    const start = this.host;
    for (let i = 0; i < 3; ++i) {
      this.launchingOp(
        MAIN_TID,
        'aten::add_',
        'aten::_foreach_add_',
        'kernel',
        'multi_tensor_apply_kernel',
        COMPUTE_STREAM,
        3,
        8,
        { shapes: '[[256, 256], []]' },
      );
    }
    // The range is covered by its ops, so it makes no difference whether it counts as CPU time.
    this.annotation('Optimizer.step#SGD.step', start, this.host - start);
  }

  *runStep(index) {
    this.step = index;
    this.deviceByStep.push({ count: 0, begin: Infinity, end: -Infinity });
    const { dialect } = this;
    const start = this.host;
    const stepFrameId = dialect.python ? this.nextPythonId++ : null;
    const moduleFrameId = dialect.python ? this.nextPythonId++ : null;

    this.host += this.between(2, 5);
    if (dialect.graphLines === 'capture' && index === 0) this.captureGraph();
    this.dataLoading();
    this.launchingOp(
      MAIN_TID,
      'aten::to',
      'aten::copy_',
      'memcpy',
      'Memcpy HtoD (Pageable -> Device)',
      COPY_STREAM,
      10,
      30,
      { shapes: '[[32, 3, 32, 32]]' },
    );
    this.launchingOp(
      MAIN_TID,
      'aten::zero_',
      'aten::fill_',
      'memset',
      'Memset (Device)',
      COMPUTE_STREAM,
      1,
      3,
      { shapes: '[[256]]' },
    );
    const frameStart = this.host;
    this.host += this.between(1, 3);
    const moduleStart = this.host;
    this.host += this.between(1, 3);

    // Backward needs about as many events again as forward; what follows needs about 40.
    const budget = ((index + 1) * this.wanted) / this.stepCount;
    const layers = [];
    const before = this.answers.events;
    do {
      layers.push(this.layer(moduleFrameId, layers.length));
      if (dialect.graphs && this.hasDevice && dialect.host && layers.length % 8 === 1) {
        this.graphLaunch();
      }
      if (this.pendingChars > CHUNK_CHARS && !dialect.beginEnd) yield this.take();
    } while (
      this.answers.events - before < (budget - before) / 2 - 30 &&
      this.answers.events < budget
    );
    this.host += this.between(1, 3);
    const moduleEnd = this.host;
    this.host += this.between(1, 3);
    const frameEnd = this.host;

    for (const layer of layers.reverse()) {
      this.backward(layer);
      this.host += this.between(1, 2);
      if (this.pendingChars > CHUNK_CHARS && !dialect.beginEnd) yield this.take();
    }
    if (dialect.collectives && this.hasDevice) this.collective();
    this.optimizer();
    this.releaseAll();

    if (this.hasDevice && dialect.host && index % 2 === 0) {
      const waitStart = this.host;
      const deviceEnd = Math.max(...this.streams.values());
      const waitEnd = Math.max(waitStart + this.between(2, 4), deviceEnd + this.grain * 2);
      const duration = waitEnd - waitStart;
      this.call(this.device.wait, false, MAIN_TID, waitStart, duration, null, false);
      this.host = waitEnd;
    }
    this.host += this.between(2, 5);
    const end = this.host;
    if (dialect.python) {
      this.writeFrame(stepFrameId, 'train.py(25): train_step', frameStart, frameEnd, null, 52);
      this.writeFrame(
        moduleFrameId,
        'nn.Module: Model_0',
        moduleStart,
        moduleEnd,
        stepFrameId,
        31,
        0,
      );
    }
    const number = index + 3;
    if (dialect.host) this.annotation(`ProfilerStep#${number}`, start, end - start);
    if (dialect.deviceAnnotations && this.hasDevice && this.deviceByStep[index].count > 0) {
      const { begin, end: deviceEnd } = this.deviceByStep[index];
      const tid = this.tid(COMPUTE_STREAM, true);
      const category = this.names.deviceAnnotation;
      const name = `ProfilerStep#${number}`;
      const duration = deviceEnd - begin;
      this.slice('deviceAnnotation', category, name, this.devicePid, tid, begin, duration, '');
    }
    this.answers.steps.push({ name: String(number), hostBeginNs: start, hostEndNs: end });
    if (dialect.beginEnd) this.flushPairs();
    this.host += this.between(3, 9);
    yield this.take();
  }

  writeFrame(id, name, start, end, parent, callLine, module) {
    const next = this.nextPythonId;
    this.nextPythonId = id;
    this.pythonFrame(name, start, end - start, parent, callLine, module);
    this.nextPythonId = next;
  }

  metadata(name, pid, tid, args) {
    this.count('M');
    const start = this.stamp(0);
    this.push(
      `{"name": "${name}", "ph": "M", "ts": ${start}, "pid": ${pid}, "tid": ${tid}, ` +
        `"args": ${JSON.stringify(args)}}`,
    );
  }

  *closing() {
    const { dialect } = this;
    if (dialect.container === 'array') return;
    for (let i = 0; i < dialect.metadataRepeats; ++i) {
      if (dialect.host) {
        this.metadata('process_name', PID, 0, { name: 'python3' });
        this.metadata('process_labels', PID, 0, { labels: 'CPU' });
        this.metadata('thread_name', PID, this.tid(MAIN_TID), { name: 'thread 25738 (python3)' });
        this.metadata('thread_name', PID, this.tid(BACKWARD_TID), { name: 'pt_autograd_0' });
      }
      if (this.hasDevice) {
        const label = `${this.device.label} ${this.devicePid}`;
        this.metadata('process_labels', this.devicePid, 0, { labels: label });
        for (const stream of this.streams.keys()) {
          const name = `stream ${stream} `;
          this.metadata('thread_name', this.devicePid, this.tid(stream, true), { name });
        }
      }
    }
    this.slicesOfCapture();
    this.count('i');
    const end = this.stamp(this.extent.end);
    this.push(
      `{"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": ${end}}`,
    );
    yield this.take();
  }

  slicesOfCapture() {
    const { begin, end } = this.extent;
    this.count('X', 'Trace');
    this.answers.slices += 1;
    this.answers.slicesByMeaning.span = 1;
    this.push(
      `{"ph": "X", "cat": "Trace", "ts": ${this.stamp(begin)}, ` +
        `"dur": ${this.microseconds(end - begin)}, "pid": "Spans", "tid": "PyTorch Profiler", ` +
        '"name": "PyTorch Profiler (0)", "args": {"Op count": 0}}',
    );
  }

  header() {
    const { dialect } = this;
    if (dialect.container === 'array') return '[';
    const fields = ['"schemaVersion": 1'];
    const old = dialect.categories === 'old' && !dialect.callStack;
    if (!old && this.hasDevice) {
      fields.push(`"deviceProperties": [${JSON.stringify(this.device.properties)}]`);
    }
    if (dialect.collectives) {
      fields.push('"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 2}');
    }
    if (dialect.shapes && dialect.categories === '2.0') fields.push('"record_shapes": 1');
    if (dialect.base === 'before') {
      fields.push('"displayTimeUnit": "ms"', `"baseTimeNanoseconds": ${BASE_NS}`);
    }
    fields.push('"traceEvents": [');
    return `{\n${fields.join(',\n')}`;
  }

  footer() {
    const { dialect } = this;
    if (dialect.container === 'array') return '\n]\n';
    let text = '\n]';
    if (dialect.base === 'after') {
      text += `,\n"displayTimeUnit": "ms",\n"baseTimeNanoseconds": ${BASE_NS}`;
    }
    if (dialect.categories !== 'old') text += ',\n"traceName": "/tmp/synthetic.json"';
    return `${text}\n}\n`;
  }

  take() {
    const text = this.pending.join('');
    this.pending = [];
    this.pendingChars = 0;
    return text;
  }

  *run() {
    yield this.header();
    if (this.dialect.orphans) this.orphanKernels();
    for (let i = 0; i < this.stepCount; ++i) yield* this.runStep(i);
    yield* this.closing();
    yield this.footer();
    return this.finish();
  }

  finish() {
    const { answers, dialect } = this;
    answers.shapeGroups = this.shapeKeys.size;
    const origin = this.extent.begin;
    answers.durationNs = this.extent.end - origin;
    if (dialect.base !== 'none') answers.baseNs = BASE_NS;
    if (dialect.host) {
      extendSteps(answers.steps, this.deviceByStep, this.orphanIntervals);
    } else {
      answers.steps = [
        { name: '0', beginNs: this.extent.begin, endNs: this.extent.end, deviceEvents: 0 },
      ];
    }
    if (this.keepIntervals) answers.breakdown = breakdown(answers.steps, this.roles);
    for (const step of answers.steps) {
      step.beginNs -= origin;
      step.endNs -= origin;
      if (step.hostBeginNs !== undefined) {
        step.hostBeginNs -= origin;
        step.hostEndNs -= origin;
      }
    }
    return answers;
  }
}

/**
 * Yields the text of a trace in pieces of moderate size; the generator's return value are the
 * answers.
 *
 * @param {{dialect: string, events: number, seed?: number, steps?: number}} options
 */
export function* generate({ dialect, events, seed = 1, steps }) {
  return yield* new Simulation({ dialect, events, seed, steps }).run();
}

/** A whole small trace: `{ text, answers }`. */
export function traceText(options) {
  const pieces = [];
  const run = generate(options);
  let next = run.next();
  while (!next.done) {
    pieces.push(next.value);
    next = run.next();
  }
  return { text: pieces.join(''), answers: next.value };
}

/** Writes a trace to `out` (gzipped if the name ends in .gz) and returns the answers. */
export async function writeTrace({ out, ...options }) {
  const file = fs.createWriteStream(out);
  const failed = once(file, 'error').then(([error]) => {
    throw error;
  });
  failed.catch(() => {});
  const packed = out.endsWith('.gz') ? zlib.createGzip({ level: 6 }) : null;
  if (packed) packed.pipe(file);
  const target = packed ?? file;
  const run = generate(options);
  let next = run.next();
  let bytes = 0;
  while (!next.done) {
    bytes += Buffer.byteLength(next.value);
    if (!target.write(next.value)) await Promise.race([once(target, 'drain'), failed]);
    next = run.next();
  }
  const closed = once(file, 'close');
  target.end();
  await Promise.race([closed, failed]);
  return { ...next.value, textBytes: bytes };
}

async function main(argv) {
  const options = { dialect: 'torch-2.8', events: 10000, seed: 1, out: '' };
  for (let i = 0; i < argv.length; i += 2) {
    const key = argv[i].replace(/^--/, '');
    if (!(key in options) || argv[i + 1] === undefined) {
      throw new Error(
        `unknown argument ${argv[i]}; use --dialect D --events N --out FILE[.gz] --seed S\n` +
          `dialects: ${Object.keys(dialects).join(', ')}`,
      );
    }
    const value = argv[i + 1];
    options[key] = typeof options[key] === 'number' ? Number(value) : value;
  }
  if (!options.out) throw new Error('--out FILE is missing');
  const answers = await writeTrace(options);
  process.stdout.write(`${JSON.stringify(answers, null, 2)}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  });
}
