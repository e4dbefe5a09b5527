// How much of a recording's time is placed on the line that really made the call. A truth file beside
// the trace tells that line; samples/recorder writes both.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';

const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : '–');

/** True when two recorded names mean one file: traces of another machine carry its folders. */
const sameFile = (a, b) => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);

/** Path of the truth file of a trace. */
export const truthPath = (trace) => trace.replace(/(\.pt\.trace)?\.json(\.gz)?$/, '.truth.json');

const readTruth = (trace) => JSON.parse(readFileSync(truthPath(trace), 'utf8')).frames;

const emptySum = () => ({
  calls: 0,
  callsRight: 0,
  callsWrong: 0,
  time: 0,
  right: 0,
  functionOnly: 0,
  wrong: 0,
});

/**
 * Compares a trace with its truth file. Gives the truth's list, sums over all compared calls and by
 * `groupOf(file)`, in microseconds, and the mistakes as [place, what was found, time, calls], costliest first.
 */
export async function measure(daemon, trace, sourceRoots, groupOf = () => '') {
  const truth = readTruth(trace);
  const { profileId } = await daemon.request('profile/open', { path: trace });
  const lines = new Map();
  for (let offset = 0, total = 1; offset < total;) {
    const page = await daemon.request('source/eventLines', {
      profileId,
      sourceRoots,
      offset,
      limit: -1,
    });
    for (const e of page.events) lines.set(e.event, e);
    if (page.events.length === 0) break;
    offset += page.events.length;
    total = page.total;
  }
  await daemon.request('profile/close', { profileId });

  const all = emptySum();
  const groups = new Map();
  const mistakes = new Map();
  for (const { event, file, line } of truth) {
    const found = lines.get(event);
    if (!found || !sameFile(found.file, file)) continue;
    const group = groupOf(file);
    if (!groups.has(group)) groups.set(group, emptySum());
    const us = found.exclusiveUs;
    const unknown = found.confidence === 'function';
    for (const sum of [all, groups.get(group)]) {
      sum.calls += 1;
      sum.time += us;
      if (unknown) sum.functionOnly += us;
      else if (found.line === line) {
        sum.right += us;
        sum.callsRight += 1;
      } else {
        sum.wrong += us;
        sum.callsWrong += 1;
      }
    }
    if (unknown || found.line !== line) {
      const key = `${file}:${line} -> ${unknown ? 'function' : found.line}`;
      const known = mistakes.get(key) ?? { us: 0, calls: 0, event };
      mistakes.set(key, { us: known.us + us, calls: known.calls + 1, event: known.event });
    }
  }
  const worst = [...mistakes].sort((a, b) => b[1].us - a[1].us);
  return { truth, all, groups, mistakes: worst };
}

export const header = [
  'Calls',
  'Calls right',
  'Calls wrong',
  'Time right',
  'Time on function only',
  'Time wrong',
];

/** The cells of a sum, in the order of `header`. */
export const cells = (sum) => [
  sum.calls,
  percent(sum.callsRight, sum.calls),
  percent(sum.callsWrong, sum.calls),
  percent(sum.right, sum.time),
  percent(sum.functionOnly, sum.time),
  percent(sum.wrong, sum.time),
];

/** A Markdown table; the first `words` columns hold text, the others numbers. */
export function markdown(titles, rows, words = 1) {
  const line = (row) => `| ${row.join(' | ')} |`;
  const rule = titles.map((_, i) => (i < words ? '---' : '---:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

/**
 * A folder with copies of the library files that a truth names: only the user's own code has its calls
 * placed, and what lies in a packages folder is never that.
 */
export function libraryCopies(traces, libraries) {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-accuracy-'));
  for (const trace of traces) {
    for (const file of new Set(readTruth(trace).map((t) => t.file))) {
      const relative = normalize(file);
      if (relative.startsWith('/') || relative.startsWith('..')) continue;
      const from = libraries.map((l) => join(l, relative)).find((path) => existsSync(path));
      const to = join(folder, relative);
      if (!from || existsSync(to)) continue;
      mkdirSync(dirname(to), { recursive: true });
      copyFileSync(from, to);
    }
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
