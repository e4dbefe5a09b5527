// A client of the real daemon for tests: framing, requests, notifications, and a check of every
// reply against the protocol definition.
//
//   const daemon = startDaemon();
//   await daemon.initialize();
//   const opened = await daemon.request('profile/open', { path });
//   await daemon.stop();
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readAnew, temporaryFolder } from '../lib/cli.mjs';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const serverPath = process.env.EMBERLINE_SERVER ?? join(root, 'build', 'bin', 'emberline');
if (!existsSync(serverPath)) {
  throw new Error(`There is no daemon at ${serverPath}: build it, or set EMBERLINE_SERVER.`);
}

/**
 * Patience for anything that the daemon has to do; a slow machine must not fail a test, nor a
 * sanitizer, which wants more of it.
 */
export const patienceMs = 1000 * Number(process.env.EMBERLINE_PATIENCE_S ?? 60);
const maxReplyBytes = 256 * 1024;

/** The protocol definition: all files merged, as the daemon merges them. */
export function readProtocol() {
  const folder = join(root, 'native', 'rpc', 'protocol');
  const merged = { $defs: {}, methods: {} };
  for (const name of readdirSync(folder).sort()) {
    if (!name.endsWith('.json')) continue;
    const file = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    Object.assign(merged.$defs, file.$defs);
    Object.assign(merged.methods, file.methods);
  }
  return merged;
}

export const protocol = readProtocol();
const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map();

/** Throws unless `value` is what the definition says about `method`'s "params" or "result". */
export function validate(method, part, value) {
  const schema = protocol.methods[method]?.[part];
  assert.ok(schema, `${method} has no definition of its ${part}`);
  const key = `${method} ${part}`;
  if (!validators.has(key)) {
    validators.set(key, ajv.compile({ ...schema, $defs: protocol.$defs }));
  }
  const check = validators.get(key);
  if (!check(value)) {
    const errors = check.errors
      .slice(0, 5)
      .map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
    assert.fail(`${key} does not fit the protocol:\n  ${errors.join('\n  ')}`);
  }
}

export class RpcError extends Error {
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

export function frame(message) {
  const body = Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));
  return Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** Resolves with `promise`, or fails with `what` when that takes too long. */
export function within(promise, what, ms = patienceMs) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${ms} ms for ${what}.`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export class Daemon {
  constructor({ args = [], env = {} } = {}) {
    this.child = spawn(serverPath, ['serve', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...readAnew, ...env },
    });
    this.stderr = '';
    this.messages = [];
    this.notifications = [];
    this.nextId = 1;
    this.pending = new Map();
    this.listeners = new Set();
    this.pieces = [];
    this.waiting = 0;
    this.wanted = 0;
    this.child.stderr.setEncoding('utf8');
    this.child.stderr.on('data', (text) => {
      this.stderr += text;
    });
    this.child.stdout.on('data', (bytes) => this.#onBytes(bytes));
    this.child.stdin.on('error', () => {});
    this.exited = new Promise((resolve) => {
      this.child.on('close', (code, signal) => {
        for (const { reject } of this.pending.values()) {
          reject(new Error(`The daemon ended (code ${code}, signal ${signal}): ${this.stderr}`));
        }
        this.pending.clear();
        resolve({ code, signal });
      });
    });
  }

  #onBytes(bytes) {
    // Pieces are joined only when a frame can be complete: large replies come in many pieces.
    this.pieces.push(bytes);
    this.waiting += bytes.length;
    if (this.waiting < this.wanted) return;
    let buffer = Buffer.concat(this.pieces);
    this.wanted = 0;
    for (;;) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) break;
      const header = buffer.subarray(0, end).toString('ascii');
      const length = /^Content-Length: (\d+)$/.exec(header);
      assert.ok(length, `Something else than the protocol is on stdout: ${header}`);
      const size = Number(length[1]);
      if (buffer.length < end + 4 + size) {
        this.wanted = end + 4 + size;
        break;
      }
      const body = buffer.subarray(end + 4, end + 4 + size);
      buffer = buffer.subarray(end + 4 + size);
      this.#onMessage(JSON.parse(body.toString('utf8')), size);
    }
    this.pieces = [buffer];
    this.waiting = buffer.length;
  }

  #onMessage(message, size) {
    assert.equal(message.jsonrpc, '2.0');
    this.messages.push(message);
    const waiting = message.method === undefined ? this.pending.get(message.id) : undefined;
    if (waiting) {
      this.pending.delete(message.id);
      waiting.resolve({ message, size });
    } else if (message.method !== undefined) {
      try {
        validate(message.method, 'params', message.params);
      } catch (error) {
        this.fault = error;
      }
      this.notifications.push(message);
    }
    for (const listener of [...this.listeners]) listener();
  }

  /** Sends a request and gives the whole reply, error or not. */
  exchange(method, params, id = this.nextId++) {
    const reply = new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
    });
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return within(reply, `the reply to ${method}`);
  }

  /** Sends a request; gives its result, which fits the protocol, or throws an RpcError. */
  async request(method, params = {}, id = this.nextId++) {
    const { message, size } = await this.exchange(method, params, id);
    if (this.fault) throw this.fault;
    if (message.error) throw new RpcError(message.error);
    validate(method, 'result', message.result);
    const everything = params.limit === -1 || method === 'timeline/export';
    assert.ok(
      everything || size <= maxReplyBytes,
      `${method} answered with ${size} bytes, more than ${maxReplyBytes}`,
    );
    return message.result;
  }

  notify(method, params) {
    this.send({ jsonrpc: '2.0', method, params });
  }

  send(message) {
    this.write(frame(message));
  }

  write(bytes) {
    this.child.stdin.write(bytes);
  }

  /** Waits for a message for which `test` holds, also among those that have come already. */
  message(test, what = 'a message') {
    const found = () => this.messages.find(test);
    let listener;
    const waiting = new Promise((resolve) => {
      listener = () => {
        const message = found();
        if (message) resolve(message);
      };
      this.listeners.add(listener);
      listener();
    });
    return within(waiting, what).finally(() => this.listeners.delete(listener));
  }

  initialize(params = {}) {
    return this.request('initialize', { clientVersion: 'test', processId: process.pid, ...params });
  }

  /** Ends the daemon as a client should; gives its exit status. */
  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.stdin.end();
    }
    return within(this.exited, 'the end of the daemon').catch((error) => {
      this.child.kill('SIGKILL');
      throw error;
    });
  }
}

export function startDaemon(options) {
  return new Daemon(options);
}

/** Runs `body` with an initialized daemon, which ends afterwards whatever happens. */
export async function withDaemon(body, options) {
  const daemon = startDaemon(options);
  try {
    await daemon.initialize();
    return await body(daemon);
  } finally {
    await daemon.stop();
  }
}

/**
 * A daemon with one drawn trace open, in a folder of its own: `textIn(folder)` gives the trace, and
 * may write what belongs to it. `close` ends both.
 */
export async function openDrawn(textIn) {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-drawn-'));
  const file = join(folder, 'drawn.pt.trace.json');
  const daemon = startDaemon();
  const close = async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileSync(file, textIn(folder));
    await daemon.initialize();
    const { profileId } = await daemon.request('profile/open', { path: file });
    return { folder, file, daemon, profileId, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The schema behind a reference, or the schema itself. */
export function resolved(schema) {
  if (schema.$ref !== undefined)
    return resolved(protocol.$defs[schema.$ref.replace('#/$defs/', '')]);
  const parts = (schema.allOf ?? []).map(resolved);
  return {
    ...schema,
    properties: Object.assign({}, ...parts.map((part) => part.properties), schema.properties),
    required: [...parts.flatMap((part) => part.required ?? []), ...(schema.required ?? [])],
  };
}

/** Requests about a trace that want nothing but the profile's id. */
export const plainMethods = Object.entries(protocol.methods)
  .filter(
    ([name, { kind, params }]) =>
      /^(view|timeline|source)\/|^profile\/(load|check)$/.test(name) &&
      kind === 'request' &&
      (resolved(params).required ?? []).join() === 'profileId',
  )
  .map(([name]) => name);

export const samples = {
  slow: join(root, 'samples', 'train_cnn', 'slow.pt.trace.json.gz'),
  fixed: join(root, 'samples', 'train_cnn', 'fixed.pt.trace.json.gz'),
  transformer: join(root, 'samples', 'transformer', 'train.pt.trace.json.gz'),
  inference: join(root, 'samples', 'inference', 'classify.pt.trace.json.gz'),
};

/** A drawn trace: `slices` operators in two steps, with kernels, as JSON text. */
export function drawTrace(slices = 10) {
  const events = [
    {
      ph: 'X',
      cat: 'user_annotation',
      name: 'ProfilerStep#0',
      pid: 1,
      tid: 1,
      ts: 0,
      dur: slices * 5,
    },
    {
      ph: 'X',
      cat: 'user_annotation',
      name: 'ProfilerStep#1',
      pid: 1,
      tid: 1,
      ts: slices * 5,
      dur: slices * 5,
    },
  ];
  for (let i = 0; i < slices; ++i) {
    const ts = i * 10;
    const args = { 'External id': i + 1 };
    const correlation = i + 1;
    events.push(
      { ph: 'X', cat: 'cpu_op', name: `aten::op${i % 7}`, pid: 1, tid: 1, ts, dur: 8, args },
      {
        ph: 'X',
        cat: 'cuda_runtime',
        name: 'cudaLaunchKernel',
        pid: 1,
        tid: 1,
        ts: ts + 2,
        dur: 2,
        args: { ...args, correlation },
      },
      {
        ph: 'X',
        cat: 'kernel',
        name: `kernel${i % 5}`,
        pid: 0,
        tid: 7,
        ts: ts + 5,
        dur: 4,
        args: { ...args, correlation, device: 0, stream: 7 },
      },
    );
  }
  return JSON.stringify({ schemaVersion: 1, traceEvents: events });
}

/** A daemon for all tests of a file, with a folder of its own that goes away with it. */
export function daemonOfFile(name) {
  const { folder, remove } = temporaryFolder(name);
  const daemon = startDaemon();
  before(() => daemon.initialize());
  after(async () => {
    await daemon.stop();
    remove();
  });
  return { folder, daemon };
}
