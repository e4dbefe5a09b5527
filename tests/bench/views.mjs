// Opening again, and every view of a trace: the first time, the next page, once more, and what all of
// them take in memory.
//
//   node tests/bench/views.mjs TRACE [--rounds 3]      prints each figure
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMain } from '../../scripts/lib/paths.mjs';
import { choices } from '../rpc/choices.mjs';
import { RpcError, plainMethods, startDaemon, validate } from '../rpc/daemon.mjs';
import { memoryOf } from '../lib/process_memory.mjs';
import { argument, printTable, timed, touchMemory, until } from './lib.mjs';

/** Tables that have pages, with a column to sort by that none is sorted by at first. */
const isTable = (answer) => Array.isArray(answer.columns) && answer.totalRows > 0;

/** Views alone: searches and exports are as long as what they find. */
const views = plainMethods.filter((method) => method.startsWith('view/'));

/**
 * Loads and reopens `path`, then asks each view with each of its choices of a trace that was just
 * opened, `rounds` times. Times are ms.
 */
export async function measureViews(path, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-views-'));
  const daemon = startDaemon({
    env: { EMBERLINE_TRACE_CACHE: folder, EMBERLINE_TRACE_CACHE_LEAST_KB: '0' },
  });
  try {
    await daemon.initialize();
    const open = async () => {
      const { profileId } = await daemon.request('profile/open', { path });
      const load = await timed(() => daemon.request('profile/load', { profileId }));
      return { profileId, info: load.value, ms: load.ms };
    };
    const close = (profileId) => daemon.request('profile/close', { profileId });
    touchMemory(2 ** 28);
    const first = await open();
    await until('the image', () => readdirSync(folder).some((name) => name.endsWith('.trace')));
    await close(first.profileId);
    const reopened = [];
    for (let i = 0; i < 5; ++i) {
      touchMemory(2 ** 28);
      const again = await open();
      reopened.push(again.ms);
      await close(again.profileId);
    }

    /** A trace that was just opened is asked `method` twice, and then for pages of its table. */
    const asked = async (method, choice) => {
      const { profileId } = await open();
      touchMemory(2 ** 28);
      // The reply's time; whether it fits the protocol is looked at behind it.
      const ask = async (params) => {
        const { value, ms } = await timed(() =>
          daemon.exchange(method, { profileId, ...choice, ...params }),
        );
        if (value.message.error) throw new RpcError(value.message.error);
        validate(method, 'result', value.message.result);
        return { value: value.message.result, ms };
      };
      const answer = await ask({});
      const times = { first: answer.ms, again: (await ask({})).ms };
      if (isTable(answer.value)) {
        const { columns, totalRows } = answer.value;
        for (const { key } of columns.filter(({ hidden }) => !hidden).slice(0, 4)) {
          for (const offset of [0, Math.floor(totalRows / 2)]) {
            const { ms } = await ask({ sort: `-${key}`, offset, limit: 100 });
            times[`${key} from ${offset}`] = ms;
          }
        }
      }
      await close(profileId);
      return times;
    };
    const kinds = views.flatMap((method) =>
      [{}, ...choices[method]].map((choice) => ({ method, choice, made: [] })),
    );
    // The fastest counts, as of loads. All take turns: when the machine is disturbed for a while, that
    // falls on one round of several.
    for (let round = 0; round < rounds; ++round) {
      for (const { method, choice, made } of kinds) made.push(await asked(method, choice));
    }
    const rows = kinds.map(({ method, choice, made }) => {
      const { first, again, ...pages } = Object.fromEntries(
        Object.keys(made[0]).map((key) => [key, Math.min(...made.map((times) => times[key]))]),
      );
      const name = `${method} ${Object.entries(choice)
        .map((entry) => entry.join('='))
        .join(' ')}`.trim();
      const [slowest] = Object.entries(pages).sort(([, x], [, y]) => y - x);
      return { name, first, again, page: slowest?.[1], which: slowest?.[0] };
    });

    // What a daemon has that read the trace itself and was asked everything once.
    const reader = startDaemon();
    let memory;
    try {
      await reader.initialize();
      const { profileId } = await reader.request('profile/open', { path });
      await reader.request('profile/load', { profileId });
      const { rss: loaded } = memoryOf(reader.child.pid);
      for (const method of plainMethods) {
        for (const choice of [{}, ...choices[method]]) {
          await reader.request(method, { profileId, ...choice });
        }
      }
      // What the views only needed for a moment goes back once nothing is asked for a while.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      memory = { loaded, ...memoryOf(reader.child.pid) };
    } finally {
      await reader.stop();
    }
    return {
      events: first.info.events,
      loadMs: first.ms,
      reopenMs: Math.min(...reopened),
      rows,
      memory,
    };
  } finally {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The row with the largest figure. */
export const worst = (rows, key) =>
  rows.filter((row) => row[key] !== undefined).reduce((a, b) => (b[key] > a[key] ? b : a));

export function printViews(result) {
  const ms = (value) => (value === undefined ? '' : value.toFixed(1));
  printTable([
    ['view', 'first ms', 'again ms', 'slowest page ms', 'sorted by'],
    ...result.rows.map((row) => [
      row.name,
      ms(row.first),
      ms(row.again),
      ms(row.page),
      row.which ?? '',
    ]),
  ]);
  const { loaded, rss, peak } = result.memory;
  console.log(
    `${result.events} events: load ${ms(result.loadMs)} ms, reopen ${ms(result.reopenMs)} ms; ` +
      `memory after the load ${(loaded / 1e6).toFixed(0)} MB, after every view ${(rss / 1e6).toFixed(0)} MB ` +
      `(${(rss / result.events).toFixed(0)} bytes per event), peak ${(peak / 1e6).toFixed(0)} MB`,
  );
}

if (isMain(import.meta))
  printViews(await measureViews(process.argv[2], Number(argument('--rounds', '3'))));
