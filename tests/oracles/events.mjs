// The events of a trace as its file has them, read in another way than the program under test does.

import { readText } from './corpus.mjs';

/** A stamp in us, as text, in ns. */
function nanoseconds(text) {
  const [whole, part = ''] = text.split('.');
  return BigInt(whole) * 1000n + BigInt(part.padEnd(3, '0').slice(0, 3));
}

/** Events with stamps as text: stamps since 1970 in nanoseconds do not fit into a number. */
function readEvents(file) {
  const text = readText(file)
    .toString('utf8')
    .replaceAll(/"(ts|dur)":\s*(\d+(?:\.\d+)?)/g, '"$1":"$2"');
  return JSON.parse(text).traceEvents;
}

const isComplete = ({ ph, ts, dur }) =>
  ph === 'X' && typeof ts === 'string' && typeof dur === 'string';

function firstOf(events) {
  const stamps = events.filter(isComplete).map(({ ts }) => nanoseconds(ts));
  return stamps.reduce((a, b) => (a < b ? a : b));
}

/** Complete events, with `start` (since the first of them) and `length` in ns. */
export function eventsOf(file) {
  const events = readEvents(file).filter(isComplete);
  const base = firstOf(events);
  return events.map((event) => ({
    ...event,
    start: Number(nanoseconds(event.ts) - base),
    length: Number(nanoseconds(event.dur)),
    category: (event.cat ?? '').toLowerCase(),
  }));
}

/** Values of counters, with `start` in ns since the first complete event. */
export function countersOf(file) {
  const events = readEvents(file);
  const base = firstOf(events);
  return events
    .filter(({ ph }) => ph === 'C')
    .map((event) => ({ ...event, start: Number(nanoseconds(event.ts) - base) }));
}

/** Arrows of a category, as text: where and when both of their ends are. */
export function arrowsOf(file, category) {
  const events = readEvents(file);
  const base = firstOf(events);
  const ends = { s: new Map(), f: new Map() };
  for (const event of events) {
    if (event.cat !== category || !'sf'.includes(event.ph)) continue;
    const end = `${event.pid} ${event.tid} ${nanoseconds(event.ts) - base}`;
    ends[event.ph].set(event.id, end);
  }
  return [...ends.s].map(([id, start]) => `${start} > ${ends.f.get(id)}`).sort();
}

/** Kernels, copies and memsets. */
export const isWork = ({ category }) =>
  /^(kernel|gpu_memcpy|gpu_memset|memcpy|memset)$/.test(category);

/** Calls of a runtime or a driver, such as launches. */
export const isCall = ({ category }) => /^(cuda_runtime|cuda_driver|runtime)$/.test(category);

export const groupBy = (list, key) => {
  const groups = new Map();
  for (const one of list) {
    const at = key(one);
    if (!groups.has(at)) groups.set(at, []);
    groups.get(at).push(one);
  }
  return groups;
};
