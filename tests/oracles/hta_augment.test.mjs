// Counters that `emberline augment` adds to real traces, against the events themselves and HTA's counts.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import {
  assertCountsAddUp,
  corpus,
  emberline,
  emberlineJson,
  temporaryFolder,
  withoutCorpus,
} from '../lib/cli.mjs';
import { arrowsOf, countersOf, eventsOf, groupBy, isCall, isWork } from './events.mjs';

const skip = withoutCorpus;
const { folder, remove } = temporaryFolder('augmented');
after(remove);

const at = (name) => path.join(corpus ?? '', 'hta', name);
const orphans = 'negative_queue_length_values_check/rank0.json.gz';
const traces = [
  orphans,
  'trace_diff/control/control.json.gz',
  'ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz',
  'amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz',
  'critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz',
];

const isLaunch = (event) =>
  /^hip/.test(event.name)
    ? event.category === 'cuda_runtime' || event.category === 'hip_runtime'
    : isCall(event);
const isGraph = ({ name }) => /GraphLaunch/.test(name);
const isCopy = ({ category }) => /memcpy|memset/.test(category);
const copyOf = ({ name }) => name.split('(')[0].trim();

/** Device work with the call that launched it, where it was recorded. */
function worksOf(events) {
  const calls = new Map(events.filter(isLaunch).map((event) => [event.args?.correlation, event]));
  return events.filter(isWork).map((work) => ({ work, call: calls.get(work.args.correlation) }));
}

/** Of each stream, what was launched and has not begun after each time at which that changed. */
function queuesOf(works) {
  const changes = works.flatMap(({ work, call }) => {
    const stream = `${work.args.stream}`;
    return [
      { stream, time: call.start, by: 1 },
      { stream, time: work.start, by: -1 },
    ];
  });
  const queues = new Map();
  for (const [stream, list] of groupBy(changes, (change) => change.stream)) {
    const after = new Map();
    let length = 0;
    for (const { time, by } of list.toSorted((a, b) => a.time - b.time)) {
      length += by;
      after.set(time, length);
    }
    queues.set(stream, after);
  }
  return queues;
}

/** GB/s of a copy: what was recorded, where its length was cut to whole microseconds afterwards. */
function rateOf({ args, length }) {
  const recorded = Number(args['memory bandwidth (GB/s)']);
  const exact = Number(args.bytes) / recorded;
  const isCut = length % 1000 === 0 && exact > length * (1 - 1e-6) && exact < length + 1000;
  return isCut ? recorded : Number(args.bytes) / (length || 1000);
}

/** The running sum of the copies' bandwidths; a copy whose length is 0 lasts 1 us. */
function assertBandwidths(copies, counters) {
  const length = ({ work }) => work.length || 1000;
  const found = new Map(counters.map(({ start, args }) => [start, args['Memcpy BW']]));
  for (const [time, value] of found) {
    const sum = copies
      .filter((copy) => copy.work.start <= time && time < copy.work.start + length(copy))
      .reduce((all, one) => all + rateOf(one.work), 0);
    assert.ok(Math.abs(value - sum) <= 1e-5 * (1 + sum), `${value} instead of ${sum} at ${time}`);
  }
}

for (const name of traces) {
  test(
    `${name}: nothing is lost, and counters follow the launches and copies`,
    { skip },
    async () => {
      const file = at(name);
      const events = eventsOf(file);
      const out = path.join(folder, path.basename(name));
      const done = await emberline(['augment', file, '-o', out]);
      assert.match(done.stdout, /^1 trace written, 0 failed\.$/m);
      const target = path.join(out, path.basename(name).replace('.json', '_with_counters.json'));

      // Every recorded slice with all that was recorded of it, beside the mark of the critical path.
      const key = ({ name: title, category, start, length, pid, tid, args }) => {
        const recorded = Object.entries(args ?? {}).filter(([called]) => called !== 'critical');
        const sorted = recorded.toSorted(([a], [b]) => (a < b ? -1 : 1));
        return JSON.stringify([title, category, start, length, `${pid}`, `${tid}`, sorted]);
      };
      const augmented = eventsOf(target);
      const sameEvents = augmented.map(key).sort().join('\n') === events.map(key).sort().join('\n');
      assert.ok(sameEvents, 'an event is lost, added or changed');
      assert.ok(augmented.some(({ args }) => args?.critical === 1));
      assert.deepEqual(arrowsOf(target, 'fwdbwd'), arrowsOf(file, 'fwdbwd'));

      const works = worksOf(events);
      const counters = groupBy(countersOf(target), (event) => event.name);
      // AMD's copies leave their bytes to the calls.
      const copies = groupBy(
        works.filter(
          ({ work, call }) => isCopy(work) && Number(work.args.bytes ?? call?.args.size) > 0,
        ),
        ({ work }) => copyOf(work),
      );
      assert.deepEqual([...counters.keys()].sort(), [...copies.keys(), 'Queue Length'].sort());
      for (const [kind, list] of copies) {
        const values = counters.get(kind).map(({ args }) => args['Memcpy BW']);
        assert.equal(values.length, 2 * list.length, kind);
        assert.ok(
          values.every((value) => value >= 0),
          kind,
        );
        assert.equal(values.at(-1), 0, 'HTA leaves what rounding leaves');
        if (list.every(({ work }) => Number(work.args.bytes) > 0)) {
          assertBandwidths(list, counters.get(kind));
        }
      }

      // Each graph that was launched is one piece of work; HTA leaves them out.
      const single = works.filter(({ call }) => call !== undefined && !isGraph(call));
      const graphs = works.filter(({ call }) => call !== undefined && isGraph(call));
      const queues = groupBy(counters.get('Queue Length'), (event) => `${event.id}`);
      const launches = groupBy(
        graphs,
        ({ work }) => `${work.args.correlation} ${work.args.stream}`,
      );
      const all = [...queues.values()].reduce((sum, list) => sum + list.length, 0);
      assert.equal(all, 2 * (single.length + launches.size));
      const withGraphs = new Set(graphs.map(({ work }) => `${work.args.stream}`));
      let compared = 0;
      for (const [stream, truth] of queuesOf(single)) {
        if (withGraphs.has(stream)) continue;
        const found = new Map();
        for (const { start, args } of queues.get(stream)) found.set(start, args['Queue Length']);
        const wrong = [...truth].filter(([time, length]) => found.get(time) !== length);
        assert.deepEqual([wrong.slice(0, 5), found.size], [[], truth.size], `stream ${stream}`);
        compared += 1;
      }
      assert.ok(compared > 0);

      // It opens, and shows the same.
      const [before, again] = [
        await emberlineJson('check', file),
        await emberlineJson('check', target),
      ];
      assertCountsAddUp(again);
      assert.equal(again.counts.slices, before.counts.slices);
      assert.equal(again.counts.counters, [...counters.values()].flat().length);
      const shown = async (of) => (await emberlineJson('queue', of)).rows;
      assert.deepEqual(await shown(target), await shown(file));
    },
  );
}

test('of the rows that HTA keeps, counters are as many as it has', { skip }, async () => {
  // It drops the last step: what the host began since, and the work that this launched. Its queues
  // leave graphs out.
  const events = eventsOf(at(orphans)).filter((event) => !isGraph(event));
  const steps = events.filter(({ name }) => /^ProfilerStep#/.test(name));
  const last = steps.reduce((latest, { start }) => Math.max(latest, start), 0);
  const onHost = events.filter((event) => !isWork(event) && event.start < last);
  const all = new Set(
    eventsOf(at(orphans))
      .filter((event) => isCall(event) && event.start < last)
      .map(({ args }) => args.correlation),
  );
  const works = events.filter((event) => isWork(event) && all.has(event.args.correlation));
  const kept = path.join(folder, 'kept.json');
  const traceEvents = [...onHost, ...works].map(({ ts, dur, ...event }) => ({
    ...event,
    ts: Number(ts),
    dur: Number(dur),
  }));
  fs.writeFileSync(kept, JSON.stringify({ traceEvents }));
  assert.equal((await emberline(['augment', kept, '-o', folder])).status, 0);
  const counters = groupBy(
    countersOf(path.join(folder, 'kept_with_counters.json')),
    (event) => event.name,
  );
  assert.deepEqual(Object.fromEntries([...counters].map(([name, list]) => [name, list.length])), {
    'Queue Length': 10_448,
    'Memcpy DtoD': 1824,
    Memset: 400,
    'Memcpy HtoD': 128,
    'Memcpy DtoH': 48,
  });
});
