// The command line: what it prints, and its exit status.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { parseCsv } from '../lib/csv.mjs';
import { drawTrace, samples, serverPath } from './daemon.mjs';

let folder;
let small;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-cli-'));
  small = join(folder, 'small.pt.trace.json');
  writeFileSync(small, drawTrace(20));
});
after(() => rmSync(folder, { recursive: true, force: true }));

function run(...args) {
  const { status, stdout, stderr } = spawnSync(serverPath, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

function json(...args) {
  const { status, stdout, stderr } = run(...args, '--format', 'json');
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
}

test('help and version', () => {
  const help = run('--help');
  assert.equal(help.status, 0);
  for (const command of [
    'check',
    'runs',
    'overview',
    'operators',
    'kernels',
    'timeline',
    'serve',
  ]) {
    assert.match(help.stdout, new RegExp(`^  ${command} `, 'm'));
  }
  assert.equal(run('help').stdout, help.stdout);
  assert.match(run('--version').stdout, /^emberline \d+\.\d+\.\d+\n$/);
});

test('wrong usage is status 2, on stderr, with what to write instead', () => {
  for (const [args, expected] of [
    [[], /Usage/],
    [['operator', small], /no command "operator"[^]*Did you mean operators\?/],
    [['operators'], /requires a PATH/],
    [['operators', small, '--sotr', 'name'], /Did you mean --sort\?/],
    [['operators', small, '--sort'], /requires a value/],
    [['operators', small, '--limit', 'many'], /whole number/],
    [['operators', small, '--format', 'xml'], /table, json or csv/],
    [['operators', small, '--sort', 'nonsense'], /hostSelfUs/],
    [['operators', small, '--steps', '99'], /./],
    [['operators', small, 'another'], /only one PATH/],
    [['timeline', small, '--window', '5'], /START:END/],
    [['timeline', small, '--window', '5:4'], /before it starts/],
    [['timeline', small, '--window', '5:9'], /requires --track/],
    // In the words of the command line, not of a request's parameters.
    [['operators', small, '--limit', '-3'], /emberline: --limit must be at least -1/],
    [['lines', small, '--group-by', 'x'], /emberline: --group-by must be one of "line"/],
    [['stacks', small, '--param', 'weight=x'], /emberline: --param weight must be one of/],
    [['serve', small], /no PATH/],
  ]) {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 2, `${args.join(' ')}: ${stderr}`);
    assert.equal(stdout, '');
    assert.match(stderr, expected);
  }
});

test('input that cannot be read is status 3', () => {
  const text = join(folder, 'notes.json');
  writeFileSync(text, '{"a": [1, 2]}');
  for (const path of [join(folder, 'missing.json'), text]) {
    const { status, stdout, stderr } = run('check', path);
    assert.equal(status, 3, stderr);
    assert.equal(stdout, '');
    assert.ok(stderr.startsWith('emberline: '));
  }
});

test('JSON is one object with schema, trace and problems', () => {
  for (const command of [
    'check',
    'overview',
    'operators',
    'kernels',
    'memory',
    'modules',
    'stacks',
    'timeline',
  ]) {
    const result = json(command, samples.transformer);
    assert.equal(result.schema, `emberline/${command}/1`);
    assert.equal(result.trace.path, samples.transformer);
    assert.equal(result.trace.run, 'transformer');
    assert.ok(result.trace.events > 0);
    assert.deepEqual(result.problems, []);
  }
  const runs = json('runs', samples.transformer);
  assert.equal(runs.schema, 'emberline/runs/1');
  assert.equal(runs.rows.length, 1);
});

test('CSV holds the rows of JSON, unrounded', () => {
  const { rows, columns } = json('operators', samples.transformer);
  const { stdout } = run('operators', samples.transformer, '--format', 'csv');
  const [head, ...records] = parseCsv(stdout);
  assert.deepEqual(
    head,
    columns.map((column) => column.key),
  );
  assert.equal(records.length, rows.length);
  records.forEach((record, r) => {
    head.forEach((key, c) => {
      const value = rows[r][key];
      if (typeof value === 'number') assert.equal(Number(record[c]), value);
      else assert.equal(record[c], value === null ? '' : String(value));
    });
  });
});

test('CSV of a tree has a row per node, and the depth tells its parent', () => {
  for (const command of ['stacks', 'modules']) {
    const { status, stdout, stderr } = run(command, samples.transformer, '--format', 'csv');
    assert.equal(status, 0, stderr);
    const [head, ...records] = parseCsv(stdout);
    const { tree, modules } = json(command, samples.transformer, '--limit', '-1');
    const nodes = [];
    const visit = (node, depth) => {
      nodes.push({ ...node, depth });
      for (const child of node.children) visit(child, depth + 1);
    };
    for (const node of [tree ?? modules].flat()) visit(node, 0);
    assert.ok(nodes.length > 5, command);
    assert.equal(records.length, nodes.length, command);
    assert.ok(!head.includes('children'), command);
    for (const [index, record] of records.entries()) {
      for (const [column, key] of head.entries()) {
        const value = nodes[index][key] ?? '';
        const cell = typeof value === 'number' ? Number(record[column]) : record[column];
        const expected = typeof value === 'number' ? value : String(value);
        assert.equal(cell, expected, `${command} ${index} ${key}`);
      }
    }
  }
});

test('CSV quotes commas and quotes, and lets no name of a trace act', () => {
  const path = join(folder, 'quotes.pt.trace.json');
  const { csv } = JSON.parse(readFileSync(join(root, 'tests', 'lib', 'escape_cases.json'), 'utf8'));
  const events = [...csv.keys()].map((index) => ({
    ph: 'X',
    cat: 'cpu_op',
    name: csv[index][0],
    pid: 1,
    tid: 1,
    ts: 10 * index,
    dur: 1,
  }));
  writeFileSync(path, JSON.stringify({ traceEvents: events }));
  const { stdout } = run('operators', path, '--format', 'csv');
  const [head, ...records] = parseCsv(stdout);
  const names = records.map((record) => record[head.indexOf('name')]).sort();
  const unquoted = csv.map(([, cell]) =>
    cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell,
  );
  assert.deepEqual(names, unquoted.sort());
  for (const name of names) assert.doesNotMatch(name, /^[=+\-@]/);
});

test('options: sort, limit, filter', () => {
  const { rows } = json('operators', samples.transformer, '--sort=-calls', '--limit', '3');
  assert.equal(rows.length, 3);
  assert.ok(rows[0].calls >= rows[1].calls && rows[1].calls >= rows[2].calls);
  const named = json('operators', samples.transformer, '--filter', 'name:bmm').rows;
  assert.ok(named.length > 0 && named.every((row) => /bmm/i.test(row.name)));
});

test('tables: aligned, with units, numbers to the right', () => {
  const { stdout } = run('operators', samples.transformer, '--limit', '5');
  const lines = stdout.split('\n');
  const rule = lines.findIndex((line) => /^-+(  -+)+$/.test(line));
  assert.ok(rule > 0);
  const starts = [...lines[rule].matchAll(/-+/g)].map((m) => [m.index, m.index + m[0].length]);
  const chars = (line) => [...line];
  for (const line of lines.slice(rule + 1, rule + 6)) {
    // Every column's cell lies under its rule: the gaps between are blank.
    for (let c = 1; c < starts.length; ++c) {
      assert.equal(
        chars(line)
          .slice(starts[c - 1][1], starts[c][0])
          .join(''),
        '  ',
      );
    }
  }
  assert.match(stdout, /\d\.\d{2} ms/);
  assert.match(stdout, /\(5 of \d+ rows; --limit -1 shows all\)/);
});

test('text from a trace cannot command the terminal', () => {
  const path = join(folder, 'escapes.pt.trace.json');
  const name = '\u001b[31mred\u0007\u009b2J\u202egnp.exe';
  const events = [{ ph: 'X', cat: 'cpu_op', name, pid: 1, tid: 1, ts: 0, dur: 1 }];
  writeFileSync(path, JSON.stringify({ traceEvents: events }));
  for (const command of ['operators', 'check', 'timeline']) {
    const { stdout, stderr } = run(command, path);
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout + stderr, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    const outputs = [run(command, path, '--format', 'json').stdout];
    if (command === 'operators') outputs.push(run(command, path, '--format', 'csv').stdout);
    for (const output of outputs) {
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(output, /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/);
    }
  }
  assert.match(run('operators', path).stdout, /\\x1b\[31mred\\x07\\x9b2J\\u\{202e\}gnp\.exe/);
  assert.equal(json('operators', path).rows[0].name, name);
});

test('a folder of runs: run, worker and span are chosen by name', () => {
  const logs = join(folder, 'logs');
  for (const [run, worker, slices] of [
    ['one', 'a', 5],
    ['one', 'b', 6],
    ['two', 'a', 7],
  ]) {
    mkdirSync(join(logs, run), { recursive: true });
    writeFileSync(join(logs, run, `${worker}.1700000000000.pt.trace.json`), drawTrace(slices));
  }
  const { rows } = json('runs', logs);
  assert.deepEqual(
    rows.map((row) => [row.run, row.worker]),
    [
      ['one', 'a'],
      ['one', 'b'],
      ['two', 'a'],
    ],
  );
  assert.equal(json('check', logs, '--run', 'two').trace.slices, 23);
  assert.equal(json('check', logs, '--run', 'one', '--worker', 'b').trace.slices, 20);
  const wrong = run('check', logs, '--worker', 'c');
  assert.equal(wrong.status, 3);
  assert.match(wrong.stderr, /a, b/);
});

test('check: what was read and what is missing', () => {
  const result = json('check', small);
  assert.equal(result.events, 62);
  const { slices, paired, instants, memory, counters, flows, metadata, dropped } = result.counts;
  assert.equal(
    slices + paired + instants + memory + counters + flows + metadata + dropped,
    result.events,
  );
  assert.ok(result.absences.some((absence) => absence.argument === 'with_stack=True'));
  const { stdout } = run('check', small);
  assert.match(stdout, /Events: 62/);
  assert.match(stdout, /Missing: No Python stacks/);
});

test('a damaged file is read as far as it goes, and says so', () => {
  const path = join(folder, 'cut.pt.trace.json');
  writeFileSync(path, drawTrace(20).slice(0, -400));
  const result = json('check', path);
  assert.ok(result.problems.length > 0);
  assert.ok(result.trace.slices > 50 && result.trace.slices < 62);
  const { status, stdout } = run('check', path);
  assert.equal(status, 0);
  assert.match(
    stdout,
    /Problems\nCount  First at byte  Problem\n.*\n +1 +[\d,]+  The file is truncated/,
  );
});

test('timeline: rows, and the slices of a window', () => {
  const tracks = json('timeline', small).tracks;
  const stream = tracks.find((t) => t.kind === 'stream');
  const window = json('timeline', small, '--window', '0:50000', '--track', String(stream.id));
  assert.equal(window.rows[0].start.length, 5);
  const [head, ...records] = parseCsv(
    run('timeline', small, '--window', '0:50000', '--track', String(stream.id), '--format', 'csv')
      .stdout,
  );
  assert.deepEqual(
    records.map((r) => r[head.indexOf('name')]),
    ['kernel0', 'kernel1', 'kernel2', 'kernel3', 'kernel4'],
  );
});

test('export: a part of a trace is a trace', () => {
  const part = join(folder, 'part.pt.trace.json');
  const { status, stdout } = run('export', small, '--window', '0:45000');
  assert.equal(status, 0);
  writeFileSync(part, stdout);
  // Five operators with a launch each, four kernels that began, and the step around them.
  assert.equal(json('check', part).trace.slices, 15);
  assert.equal(run('export', small).status, 2);
});

test('a copy of a sample under another name gives the same answer', () => {
  const copy = join(folder, basename(samples.fixed));
  copyFileSync(samples.fixed, copy);
  assert.deepEqual(json('operators', copy).rows, json('operators', samples.fixed).rows);
});
