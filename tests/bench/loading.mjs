// How fast a trace loads and how much memory that takes, against the floor (inflating and tokenizing
// alone, with the fastest libraries at hand) measured in the same run.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import path from 'node:path';
import { serverPath } from '../lib/cli.mjs';
import { withMemory } from './lib.mjs';
import { measured } from './measure.mjs';

const MB = 1e6;
const buildFolder = path.dirname(path.dirname(serverPath));
const floorPath = path.join(buildFolder, 'bin', 'emberline_floor');

/** The floor's program is no part of the product: a build without the tests leaves it out. */
export function buildFloor() {
  const made = spawnSync('cmake', ['--build', buildFolder, '--target', 'emberline_floor'], {
    encoding: 'utf8',
  });
  if (made.status !== 0)
    throw new Error(`emberline_floor does not build:\n${made.stdout}${made.stderr}`);
}

/**
 * Bytes that no load runs out of: twice those of the JSON, of which a compressed file has a fifteenth. One
 * after the other, a load takes about as many from the system as the JSON has, and gives most of them back.
 */
const memoryFor = (file) => Math.min(30 * statSync(file).size, 4096 * MB);

/** Runs a program that prints one JSON object, on one core or on all. */
async function measure(program, args, oneCore) {
  const [command, all] = oneCore ? ['taskset', ['-c', '0', program, ...args]] : [program, args];
  const { out, ...figures } = await measured(command, all);
  return { answer: JSON.parse(out), ...figures };
}

const stage = (answer, wanted) => answer.stages.find((s) => s.name === wanted)?.seconds ?? 0;
// Reading and inflating run beside the tokenizer; "tokenize" and "build" follow each other.
const loadSeconds = (answer) => stage(answer, 'tokenize') + stage(answer, 'build');
const programs = {
  floor: { path: floorPath, args: (file) => [file], seconds: (answer) => answer.seconds },
  load: {
    path: serverPath,
    args: (file) => ['check', file, '--format', 'json', '--trace-cache', 'off'],
    seconds: loadSeconds,
  },
};
const ways = ['floor', 'load'].flatMap((program) => [
  { program, oneCore: false },
  { program, oneCore: true },
]);

/**
 * Traces, each {name, file}, are loaded and their floors are measured, on one core and on all. Of some
 * rounds the fastest counts: what disturbs a measurement only ever slows it. All take turns, so that
 * all meet the same machine.
 */
export async function measureLoading(traces, rounds) {
  const best = traces.map(() => ways.map(() => undefined));
  for (let round = 0; round < rounds; ++round) {
    for (const [t, { file }] of traces.entries()) {
      for (const [w, { program, oneCore }] of ways.entries()) {
        const { path: command, args, seconds } = programs[program];
        const one = await withMemory(memoryFor(file), () => measure(command, args(file), oneCore));
        one.seconds = seconds(one.answer);
        const before = best[t][w] ?? one;
        if (one.seconds <= before.seconds) best[t][w] = one;
        best[t][w].peakBytes = Math.max(one.peakBytes, before.peakBytes);
        best[t][w].userSeconds = Math.min(one.userSeconds, before.userSeconds);
      }
    }
  }
  return traces.map(({ name }, t) => rowOf(name, ...best[t]));
}

function rowOf(name, floorAll, floorOne, loadAll, loadOne) {
  return {
    name,
    textBytes: loadAll.answer.textBytes,
    events: loadAll.answer.events,
    inflater: floorAll.answer.inflater,
    floorSeconds: floorAll.seconds,
    loadSeconds: loadAll.seconds,
    totalSeconds: loadAll.answer.totalSeconds,
    userSeconds: loadAll.userSeconds,
    ratio: loadAll.seconds / floorAll.seconds,
    oneCoreRatio: loadOne.seconds / floorOne.seconds,
    // With the model, which every table stands on.
    readyRatio: loadAll.answer.totalSeconds / floorAll.seconds,
    readyOneCoreRatio: loadOne.answer.totalSeconds / floorOne.seconds,
    // Peers were measured against the floor of one core.
    floorPerTotal: floorOne.seconds / loadAll.answer.totalSeconds,
    peakBytes: loadAll.peakBytes,
    storeBytes: loadAll.answer.memoryBytes,
  };
}

export const loadingColumns = [
  ['trace', (r) => r.name],
  ['JSON MB', (r) => (r.textBytes / MB).toFixed(0)],
  ['events', (r) => String(r.events)],
  ['floor s', (r) => r.floorSeconds.toFixed(3)],
  ['load s', (r) => r.loadSeconds.toFixed(3)],
  ['load / floor', (r) => r.ratio.toFixed(2)],
  ['on one core', (r) => r.oneCoreRatio.toFixed(2)],
  ['with model s', (r) => r.totalSeconds.toFixed(3)],
  ['/ floor', (r) => r.readyRatio.toFixed(2)],
  ['on one core', (r) => r.readyOneCoreRatio.toFixed(2)],
  ['MB/s', (r) => (r.textBytes / MB / r.loadSeconds).toFixed(0)],
  ['peak MB', (r) => (r.peakBytes / MB).toFixed(0)],
  ['peak / JSON byte', (r) => (r.peakBytes / r.textBytes).toFixed(2)],
  ['store bytes / event', (r) => (r.storeBytes / r.events).toFixed(0)],
];

/** Growth between two sizes as an exponent: 1 is linear. */
export const exponent = (a, b, of) => Math.log(of(b) / of(a)) / Math.log(b.textBytes / a.textBytes);
