// What the source surfaces say, without an editor: figures, hints, lenses, hovers, mappings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBytes, formatCount, formatShare, formatUs } from '../../extension/shared/numbers.ts';
import { columnsOf, placedHints } from '../../extension/src/source/hint_room.ts';
import {
  escapeMarkdown,
  labelText,
  plainText,
  shorten,
} from '../../extension/src/source/format.ts';
import {
  drawnHints,
  heatOf,
  hintColumn,
  hottestLines,
  lensTitle,
  lineHint,
  lineBeside,
  lineNow,
  neighborHint,
  hintTexts,
  shareBar,
  showsDevice,
  visualWidth,
} from '../../extension/src/source/hints.ts';
import { hoverMarkdown, shapeText } from '../../extension/src/source/hover_text.ts';
import { lineSaving, savingLenses } from '../../extension/src/source/savings.ts';
import { isRealFile, mappingOf } from '../../extension/src/source/path_mappings.ts';
import { findingsOf } from '../../extension/src/source/finding_list.ts';

/** A line with a cost; what a test does not name is nothing. */
function line(number, fields = {}) {
  return {
    file: '/train/model.py',
    line: number,
    recordedLine: number,
    function: 'forward',
    deviceSelfUs: 0,
    deviceTotalUs: 0,
    backwardDeviceUs: 0,
    recomputeDeviceUs: 0,
    hostSelfUs: 0,
    hostTotalUs: 0,
    backwardHostUs: 0,
    recomputeHostUs: 0,
    runs: 1,
    calls: 1,
    allocatedBytes: 0,
    collectives: 0,
    collectiveUs: 0,
    synchronizationUs: 0,
    idleUs: 0,
    confidence: 'aligned',
    operators: [],
    stale: false,
    deviceShare: 0,
    hostShare: 0,
    ...fields,
  };
}

test('durations take the unit that needs the fewest digits', () => {
  const cases = [
    [0, '0'],
    [0.002, '2 ns'],
    [0.0994, '99 ns'],
    [0.5, '0.50 µs'],
    [812, '812 µs'],
    [999.6, '1.00 ms'],
    [18_432, '18.4 ms'],
    [999_499, '999 ms'],
    [999_600, '1.00 s'],
    [2_310_000, '2.31 s'],
    [-1500, '\u22121.50 ms'],
  ];
  for (const [us, text] of cases) assert.equal(formatUs(us), text);
});

test('shares, bytes and counts', () => {
  assert.equal(formatShare(0), '0 %');
  assert.equal(formatShare(0.0004), '< 0.1 %');
  assert.equal(formatShare(0.0081), '0.8 %');
  assert.equal(formatShare(0.08), '8.0 %');
  assert.equal(formatShare(0.112), '11 %');
  assert.equal(formatShare(1), '100 %');
  assert.equal(formatBytes(512), '512 B');
  assert.equal(formatBytes(1536), '1.50 KiB');
  assert.equal(formatBytes(1023.9 * 1024), '1.00 MiB');
  assert.equal(formatCount(1234567), '1\u202f234\u202f567');
});

test('names from a trace cannot become markup', () => {
  const name = '[x](command:evil) <img src=x> `code` **b**\n# h';
  const escaped = escapeMarkdown(name);
  assert.doesNotMatch(escaped, /[[\]()<>`*\n]/);
  // Nothing is lost: the entities stand for the same characters.
  const back = escaped.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  assert.equal(back, name.replace('\n', ' '));
});

test('names from a trace are no links in a notification', () => {
  assert.equal(plainText('[x](command:evil)\nis gone'), '(x)(command:evil) is gone');
  assert.ok(plainText('x'.repeat(5000)).length <= 400);
});

test('names from a trace hide nothing on any surface', () => {
  const name = 'a\u001b[2J\u202egnp\u200b\u0085$(flame)';
  const back = (text) => text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  const escaped = 'a\\x1b[2J\\u{202e}gnp\\u{200b}\\x85$';
  assert.equal(labelText(name), `${escaped} (flame)`);
  assert.equal(back(escapeMarkdown(name)), `${escaped}(flame)`);
  assert.equal(plainText(name), `${escaped.replace('[', '(')}(flame)`);
  const lens = {
    deviceUs: 5,
    hostUs: 5,
    deviceShare: 0.5,
    hostShare: 0.5,
    backwardUs: 0,
    calls: 1,
    operators: [name],
    stale: false,
  };
  assert.ok(lensTitle(lens, true).endsWith(`${escaped} (flame)`));
});

test('long names are cut in the middle', () => {
  assert.equal(shorten('abc', 3), 'abc');
  const cut = shorten('void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(Params)', 30);
  assert.equal(cut.length, 30);
  assert.ok(cut.startsWith('void cutlass') && cut.endsWith('(Params)'));
});

test('the metric follows the setting, and by default what the trace holds', () => {
  assert.equal(showsDevice('auto', true), true);
  assert.equal(showsDevice('auto', false), false);
  assert.equal(showsDevice('host', true), false);
  assert.equal(showsDevice('device', false), true);
});

test('a hint names side, share, backward part and how often the line ran', () => {
  const cost = line(3, {
    deviceTotalUs: 18_432,
    deviceShare: 0.112,
    backwardDeviceUs: 12_100,
    hostTotalUs: 900,
    hostShare: 0.02,
    runs: 53,
    calls: 106,
  });
  assert.equal(lineHint(cost, true), '18.4 ms, 11 %');
  assert.equal(lineHint(cost, false), '900 µs, 2.0 %');
  assert.equal(shareBar(0), '');
  assert.equal(shareBar(0.5), '███');
  assert.equal(shareBar(2), '██████');
  assert.equal(shareBar(0.02), '▏');
  // Bars begin below each other; what has none is not padded.
  const hint = (text, share, stale = false) => ({ line: 0, text, heat: 1, stale, share });
  assert.deepEqual(
    hintTexts([
      hint('4.54 ms, 8.0 %', 0.5),
      hint('6.28 ms, 11 %', 0.5),
      hint('317 µs, 0.6 %, line unknown', 0),
      { ...hint('1.45 ms, 2.5 %, line unknown', 0.5), unplaced: true },
      hint('12.0 ms CPU changed since the recording', 0.5, true),
    ]),
    [
      '4.54 ms, 8.0 %\u00a0\u00a0███',
      '6.28 ms, 11 %\u00a0\u00a0\u00a0███',
      '317 µs, 0.6 %, line unknown',
      '1.45 ms, 2.5 %, line unknown\u00a0\u00a0███',
      '12.0 ms CPU changed since the recording',
    ],
  );
});

test('what ran again stands beside backward, and is no part of it', () => {
  const cost = line(3, {
    deviceTotalUs: 100,
    deviceShare: 0.5,
    backwardDeviceUs: 50,
    recomputeDeviceUs: 20,
  });
  assert.equal(lineHint(cost, true), '100 µs, 50 %');
  const options = { device: true, profile: 'run.json', findings: [], link: () => undefined };
  const text = hoverMarkdown(hoverOf({ cost }), options);
  for (const [name, figure] of [
    ['Forward', '30.0 µs'],
    ['Backward', '50.0 µs'],
    ['Recompute', '20.0 µs'],
  ]) {
    assert.ok(text.includes(`| ${name} &nbsp;&nbsp;| ${figure} |`), text);
  }
  assert.doesNotMatch(text, /\| 0 \|/);
});

test('a hint tells waiting, idle devices and unknown lines', () => {
  const cost = line(3, {
    deviceTotalUs: 100,
    deviceShare: 0.5,
    synchronizationUs: 30,
    idleUs: 40,
    confidence: 'function',
  });
  assert.equal(lineHint(cost, true), '100 µs, 50 %, line unknown');
});

test('hints below the threshold, without cost or outside the text are not drawn', () => {
  const lines = [
    line(1, { deviceTotalUs: 50, deviceSelfUs: 40, deviceShare: 0.5 }),
    line(2, { deviceTotalUs: 0.1, deviceShare: 0.001 }),
    line(3, { hostTotalUs: 10, hostShare: 0.9 }),
    line(99, { deviceTotalUs: 50, deviceShare: 0.5 }),
  ];
  const hints = drawnHints(lines, { device: true, minimumShare: 0.005, lineCount: 10 });
  assert.deepEqual(
    hints.map(({ line: row, heat }) => [row, heat]),
    [[0, 4]],
  );
});

test('lines that lost their place are summed up on their function and never drawn as their own', () => {
  const lines = [
    line(4, { deviceTotalUs: 30, deviceShare: 0.3, stale: true, recordedLine: 6 }),
    line(4, { deviceTotalUs: 20, deviceShare: 0.2, stale: true, recordedLine: 7 }),
    line(5, { deviceTotalUs: 10, deviceShare: 0.1 }),
  ];
  const hints = drawnHints(lines, { device: true, minimumShare: 0.005, lineCount: 10 });
  assert.equal(hints.length, 2);
  assert.equal(hints[0].line, 3);
  assert.equal(hints[0].stale, true);
  assert.equal(hints[0].heat, 0);
  assert.equal(hints[0].text, '50.0 µs GPU, 2 lines changed since the recording');
  assert.equal(hints[0].shorter, '50.0 µs, changed');
  assert.equal(hints[0].brief, 'changed');
  assert.equal(hints[1].stale, false);
});

test('a line that only calls a hot function is not hot itself', () => {
  const lines = [
    line(1, { deviceTotalUs: 100, deviceSelfUs: 0, deviceShare: 1 }),
    line(2, { deviceTotalUs: 100, deviceSelfUs: 12, deviceShare: 1 }),
  ];
  const hints = drawnHints(lines, { device: true, minimumShare: 0.005, lineCount: 10 });
  assert.deepEqual(
    hints.map(({ heat }) => heat),
    [0, 3],
  );
});

test('a recorded line is followed to the text of now', () => {
  const lines = [line(12, { recordedLine: 9 }), line(3, { recordedLine: 5, stale: true })];
  assert.equal(lineNow(lines, '/train/model.py', 9), 12);
  assert.equal(lineNow(lines, '/train/model.py', 5), undefined);
  assert.equal(lineNow(lines, '/train/other.py', 9), undefined);
});

test('a line that lost its place moves with the nearest line that was followed', () => {
  const lines = [
    line(12, { recordedLine: 9 }),
    line(40, { recordedLine: 30 }),
    line(3, { recordedLine: 14, stale: true }),
    line(1, { recordedLine: 14, file: '/train/other.py' }),
  ];
  assert.equal(lineBeside(lines, '/train/model.py', 14), 17);
  assert.equal(lineBeside(lines, '/train/model.py', 29), 39);
  assert.equal(lineBeside([], '/train/model.py', 14), 14);
});

test('heat grows with the share', () => {
  assert.deepEqual([0.01, 0.05, 0.15, 0.6].map(heatOf), [1, 2, 3, 4]);
});

test('hints are aligned behind the longest of their lines, but not arbitrarily far right', () => {
  assert.equal(visualWidth('ab\tc', 4), 5);
  assert.equal(visualWidth('注意', 4), 4);
  assert.equal(hintColumn([10, 40, 20]), 44);
  assert.equal(hintColumn([10, 400]), 68);
  assert.equal(hintColumn([]), 4);
  // Beside another editor they stay near their lines.
  assert.equal(hintColumn([10, 40, 20], true), 28);
});

test('the columns of an editor follow its width, its font and its minimap', () => {
  const room = { groupPx: 690, letterPx: 8.4, scrollBarPx: 14 };
  assert.equal(columnsOf(room), 70);
  assert.equal(columnsOf({ ...room, minimap: { columns: 120, scale: 1 } }), 62);
  // A minimap has no more than its columns.
  assert.equal(columnsOf({ ...room, groupPx: 2000, minimap: { columns: 120, scale: 1 } }), 211);
  assert.equal(columnsOf({ ...room, groupPx: 50 }), 0);
});

test('no hint stands beyond the columns that its editor has', () => {
  const hint = (text, brief) => ({ line: 0, text, brief, heat: 1, stale: false, share: 0.5 });
  const lines = [
    { hint: hint('30.0 ms, 53 %', '53 %'), width: 20, indent: 4 },
    { hint: hint('6.28 ms, 11 %', '11 %'), width: 44, indent: 8 },
    { hint: hint('4.54 ms, 8.0 %', '8.0 %'), width: 62, indent: 8 },
  ];
  const place = (columns, options = {}) =>
    placedHints(lines, { columns, narrow: false, ...options }).map(
      ({ text, gapColumns, inIndent }) =>
        `${inIndent ? 'indent' : gapColumns} ${text.replaceAll('\u00a0', ' ')}`,
    );
  const bars = [
    '30.0 ms, 53 %   \u2588\u2588\u2588',
    '6.28 ms, 11 %   \u2588\u2588\u2588',
    '4.54 ms, 8.0 %  \u2588\u2588\u2588',
  ];
  const wide = [`44 ${bars[0]}`, `20 ${bars[1]}`, `2 ${bars[2]}`];
  assert.deepEqual(place(Number.POSITIVE_INFINITY), [
    `46 ${bars[0]}`,
    `22 ${bars[1]}`,
    `4 ${bars[2]}`,
  ]);
  assert.deepEqual(place(83), wide);
  // Their common column moves to the left, what has no room there gives up its bar, then its time.
  assert.deepEqual(place(80), [`41 ${bars[0]}`, `17 ${bars[1]}`, '2 4.54 ms, 8.0 %']);
  assert.deepEqual(place(70), [`31 ${bars[0]}`, `7 ${bars[1]}`, '2 8.0 %']);
  // A line that fills the editor has its share in its indentation, where no guide crosses it.
  // Where few have room for their bars, none has one.
  assert.deepEqual(place(64), ['30 30.0 ms, 53 %', '6 6.28 ms, 11 %', 'indent 8%']);
  assert.deepEqual(place(50), ['16 30.0 ms, 53 %', '2 11 %', 'indent 8%']);
  // Where lines are wrapped, their end is on another row.
  assert.deepEqual(place(50, { wraps: true })[2], `19 ${bars[2]}`);
  for (let columns = 26; columns < 120; columns++) {
    for (const [index, placed] of placedHints(lines, { columns, narrow: false }).entries()) {
      const { width, indent } = lines[index];
      const end = placed.inIndent ? 0 : width + placed.gapColumns;
      assert.ok(end + placed.text.length <= (placed.inIndent ? indent : columns), placed.text);
    }
  }
  const inFour = (brief) =>
    placedHints([{ ...lines[2], hint: hint('1 ms', brief), indent: 4 }], { columns: 60 })[0].text;
  assert.deepEqual(['53 %', '2.4 %', '0.4 %', '<0.1 %'].map(inFour), ['53%', '2%', '<1%', '<1%']);
  // Guides are at every tab stop. Where those leave no room, the share stands across one.
  const inTabs = (tabSize) => place(64, { tabSize })[2];
  assert.deepEqual([8, 4, 3, 2].map(inTabs), [
    'indent 8.0 %',
    'indent 8%',
    'indent 8%',
    'indent 8.0 %',
  ]);
  const changed = {
    ...hint('50.0 µs GPU, 2 lines changed', 'changed'),
    stale: true,
    shorter: '50.0 µs, changed',
  };
  const behind = (columns) =>
    placedHints([{ hint: changed, width: 20, indent: 4 }], { columns, narrow: false })[0].text;
  assert.deepEqual([60, 40, 36].map(behind), [changed.text, changed.shorter, changed.brief]);
  // What begins at the margin has no other place than behind the line.
  const [top] = placedHints([{ ...lines[2], indent: 0 }], { columns: 60, narrow: false });
  assert.deepEqual(top, { text: '8.0 %', gapColumns: 2, inIndent: false });
});

test('the lens of a function names time, share, backward part, calls and hottest operators', () => {
  const lens = {
    line: 10,
    kind: 'function',
    name: 'Net.forward',
    recordedLine: 10,
    deviceUs: 5000,
    deviceShare: 0.25,
    hostUs: 800,
    hostShare: 0.1,
    backwardUs: 3100,
    backwardShare: 0.62,
    recomputeUs: 0,
    calls: 3,
    operators: ['aten::mm', 'aten::add', 'aten::relu', 'aten::sum'],
    stale: false,
  };
  assert.equal(
    lensTitle(lens, true),
    '5.00 ms GPU, 25 % · backward 62 % · 3 calls · aten::mm, aten::add, aten::relu',
  );
  assert.match(lensTitle({ ...lens, stale: true }, true), /changed since the recording$/);
  assert.match(lensTitle({ ...lens, backwardUs: 0 }, false), /^800 µs CPU, 10 % · 3 calls/);
});

test('the hottest lines are those with the most time of their own', () => {
  const lines = [
    line(1, { deviceSelfUs: 1, deviceTotalUs: 100, deviceShare: 1 }),
    line(2, { deviceSelfUs: 60, deviceTotalUs: 60, deviceShare: 0.6 }),
    line(3, { deviceSelfUs: 39, deviceTotalUs: 39, deviceShare: 0.39 }),
    line(4, { deviceSelfUs: 99, deviceTotalUs: 99, deviceShare: 0.99, confidence: 'function' }),
    line(5, { deviceSelfUs: 99, deviceTotalUs: 99, deviceShare: 0.99, stale: true }),
  ];
  const hottest = hottestLines(lines, { device: true, count: 2, minimumShare: 0.02 });
  assert.deepEqual(
    hottest.map((cost) => cost.line),
    [2, 3],
  );
});

test('what a line would save stands in its hover where it is worth a word', () => {
  const cost = line(9, { deviceTotalUs: 400, deviceSelfUs: 400, deviceShare: 0.4 });
  const savings = (savedUs, fields = {}) => ({
    target: 0.6,
    savedUs,
    lines: [{ line: 9, stale: false, savedUs, savedSelfUs: savedUs, ...fields }],
  });
  assert.equal(lineSaving(savings(333), cost), '333 µs at 60 % of the roof');
  assert.equal(lineSaving(savings(39), cost), undefined);
  assert.equal(lineSaving(savings(333, { stale: true }), cost), undefined);
  assert.equal(lineSaving(undefined, cost), undefined);
  const options = { profile: 'run.json', findings: [], link: () => undefined, saving: '1 µs' };
  const hover = (device) => hoverMarkdown(hoverOf({ cost }), { ...options, device });
  assert.match(hover(true), /\| Could save &nbsp;&nbsp;\| 1 µs \|/);
  assert.doesNotMatch(hover(false), /Could save/);
});

test('the lenses on savings stand on the lines that would save most themselves', () => {
  const own = (number, deviceSelfUs, fields = {}) =>
    line(number, { deviceSelfUs, deviceTotalUs: deviceSelfUs, ...fields });
  const lines = [
    own(1, 100),
    own(2, 300, { file: '/a b/c.py' }),
    own(3, 200, { confidence: 'function' }),
    own(4, 400),
    own(5, 90, { stale: true }),
  ];
  const saved = [60, 150, 190, 30, 90];
  const savings = {
    target: 0.6,
    savedUs: 520,
    lines: saved.map((us, index) => ({
      line: index + 1,
      stale: index === 4,
      savedUs: us,
      savedSelfUs: us,
    })),
  };
  const options = { count: 3, minimumShare: 0.02, deviceUs: 1090 };
  const found = savingLenses(savings, lines, options);
  // Line 4 would save less than a tenth of its time.
  assert.deepEqual(
    found.map(({ line: number, title }) => [number, title]),
    [
      [2, 'could save 150 µs at 60 % of the roof'],
      [1, 'could save 60.0 µs at 60 % of the roof'],
    ],
  );
  assert.deepEqual(found[0].target, {
    view: 'roofline',
    groupBy: 'line',
    filter: 'path="/a b/c.py" at=2',
  });
  assert.equal(savingLenses(savings, lines, { ...options, count: 1 }).length, 1);
  assert.deepEqual(savingLenses(savings, lines, { ...options, minimumShare: 0.5 }), []);
  assert.deepEqual(savingLenses(undefined, lines, options), []);
});

test('next and previous hot line go around at the ends', () => {
  const hints = [2, 5, 9].map((row) => ({ line: row, text: '', heat: 1, stale: false }));
  hints.splice(1, 0, { line: 3, text: '', heat: 0, stale: true });
  hints.push({ line: 11, text: '', heat: 0, stale: false });
  assert.equal(neighborHint(hints, 2, 1).line, 5);
  assert.equal(neighborHint(hints, 9, 1).line, 2);
  assert.equal(neighborHint(hints, 5, -1).line, 2);
  assert.equal(neighborHint(hints, 0, -1).line, 9);
  assert.equal(neighborHint([], 0, 1), undefined);
});

function hoverOf(fields = {}) {
  return {
    found: true,
    cost: line(7, {
      recordedLine: 5,
      deviceTotalUs: 100,
      deviceSelfUs: 80,
      deviceShare: 0.4,
      backwardDeviceUs: 60,
      hostTotalUs: 12,
      runs: 3,
      calls: 4,
      allocatedBytes: 2048,
    }),
    byOperator: [
      { name: 'aten::mm', calls: 4, deviceUs: 90, hostUs: 9, backwardUs: 60, shapes: ['[2, 3]'] },
    ],
    byKernel: [
      { name: 'sgemm<128>|x', calls: 4, deviceUs: 90, hostUs: 0, backwardUs: 60, shapes: [] },
    ],
    callers: [{ file: '/train/main.py', line: 8, function: 'main', deviceUs: 100, hostUs: 12 }],
    slices: [],
    ...fields,
  };
}

const link = (command, ...args) => `command:${command}?${encodeURIComponent(JSON.stringify(args))}`;

test('the hover breaks a line down and leads on', () => {
  const options = { device: true, profile: 'run.json', findings: ['Too many copies'], link };
  const text = hoverMarkdown(hoverOf(), options);
  assert.match(
    text,
    /\*\*100 µs GPU\*\*, 40 % of all GPU time\n\n\| \| \|\n\|:--\|--:\|\n\| Self &nbsp;&nbsp;\| 80\.0 µs \|/,
  );
  assert.match(text, /\| CPU &nbsp;&nbsp;\| 12\.0 µs \|\n\| Allocates &nbsp;&nbsp;\| 2\.00 KiB \|/);
  assert.match(text, /matching the recorded calls/);
  assert.match(text, /Too many copies/);
  const commands = [...text.matchAll(/\(command:([\w.]+)\?([^)]+)\)/g)].map(([, name, args]) => [
    name,
    JSON.parse(decodeURIComponent(args))[0],
  ]);
  assert.deepEqual(commands, [
    ['emberline.openFrame', { file: '/train/main.py', line: 8, function: 'main' }],
    ['emberline.reveal', { view: 'timeline', line: { file: '/train/model.py', line: 5 } }],
    ['emberline.reveal', { view: 'operators', filter: 'aten::mm' }],
    ['emberline.reveal', { view: 'kernels', filter: 'sgemm<128>|x' }],
  ]);
  // The pipe of a kernel's name would end the table's cell.
  assert.doesNotMatch(text, /sgemm<128>\|x \|/);
});

test('a hover tells kernels apart that are alike once shortened', () => {
  const of = (size) => ({
    name: `_ZN2ck11kernel_convILi${size}ELi4EEEvi`,
    calls: 1,
    deviceUs: size,
    hostUs: 0,
    backwardUs: 0,
    shapes: [],
  });
  const text = hoverMarkdown(hoverOf({ byKernel: [of(256), of(64)] }), {
    device: true,
    profile: 'run.json',
    findings: [],
    link,
  });
  const shown = text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  assert.ok(shown.includes('kernel_conv<256>') && shown.includes('kernel_conv<64>'), shown);
});

test('a name with brackets does not end the link of a hover early', () => {
  const name = 'void at::native::(anonymous namespace)::f(int)](command:evil) [x]("*!\'';
  const kernel = { name, calls: 4, deviceUs: 90, hostUs: 0, backwardUs: 0, shapes: [] };
  const caller = { file: '/a (1)/b.py', line: 3, function: '<lambda>)', deviceUs: 1, hostUs: 1 };
  const text = hoverMarkdown(hoverOf({ byKernel: [kernel], callers: [caller] }), {
    device: true,
    profile: 'run.json',
    findings: [],
    link,
  });
  const targets = [...text.matchAll(/\]\(command:[\w.]+\?([^()]*)\)/g)].map(
    ([, query]) => JSON.parse(decodeURIComponent(query))[0],
  );
  assert.deepEqual(targets.at(-1), { view: 'kernels', filter: name });
  assert.deepEqual(targets[0], { file: caller.file, line: 3, function: caller.function });
  assert.equal(text.match(/\]\(/g).length, targets.length);
});

test('shapes are told without arguments that have none', () => {
  assert.equal(shapeText('[[8, 3, 32, 32], [], [16]]'), '8x3x32x32, 16');
  assert.equal(shapeText('[[],[],[]]'), '');
  assert.equal(shapeText('[2, 3]'), '2x3');
});

test('columns without content are left out of the hover', () => {
  const options = { device: true, profile: 'run.json', findings: [], link: () => undefined };
  const bare = {
    name: 'aten::mm',
    calls: 4,
    deviceUs: 90,
    hostUs: 9,
    backwardUs: 0,
    shapes: ['[[]]'],
  };
  const text = hoverMarkdown(hoverOf({ byOperator: [bare], byKernel: [] }), options);
  assert.match(text, /\| Operator/);
  assert.doesNotMatch(text, /\| backward|\| shapes/);
});

test('a hover without links has none, and without a cost there is no hover', () => {
  const options = { device: false, profile: 'run.json', findings: [], link: () => undefined };
  assert.doesNotMatch(hoverMarkdown(hoverOf(), options), /command:/);
  const nothing = hoverOf({ found: false, cost: null });
  assert.equal(hoverMarkdown(nothing, options), undefined);
});

test('a located file teaches where its folder lies', () => {
  assert.deepEqual(mappingOf('/workspace/job/src/net/model.py', '/home/me/repo/net/model.py'), {
    from: '/workspace/job/src',
    to: '/home/me/repo',
  });
  assert.deepEqual(mappingOf('C:\\job\\net\\model.py', '/home/me/net/model.py'), {
    from: 'C:\\job',
    to: '/home/me',
  });
  assert.equal(mappingOf('/a/model.py', '/b/other.py'), undefined);
});

test('frames without a file are told apart', () => {
  for (const file of ['/x/a.py', 'C:\\x\\a.pyw', '/tmp/ipykernel_12/345.py']) {
    assert.ok(isRealFile(file), file);
  }
  for (const file of ['', '<string>', '<frozen importlib._bootstrap>', 'built-in']) {
    assert.ok(!isRealFile(file), file);
  }
  for (const file of ['/x/..a.py', '/x../a.py', 'a..py']) assert.ok(isRealFile(file), file);
  for (const file of ['../a.py', '/x/../a.py', 'x\\..\\a.py', '..\\a.py', '/x/..//a.py']) {
    assert.ok(!isRealFile(file), file);
  }
});

test('findings are read with their places, and nonsense is left out', () => {
  const findings = findingsOf({
    recommendations: [
      {
        id: 'sync',
        severity: 'warning',
        title: 'Waits',
        text: 'The loop waits.',
        action: 'Do not.',
        snippet: 'x = 1',
        frames: [
          { file: '/a.py', line: 3, function: 'f', library: false },
          { file: '/usr/lib/x.py', line: 3, function: 'g', library: true },
          { file: '/a.py', line: 0 },
          'nonsense',
        ],
      },
      { severity: 'info' },
    ],
  });
  assert.equal(findings.length, 1);
  assert.equal(findings[0].snippet, 'x = 1');
  assert.deepEqual(findings[0].frames, [{ file: '/a.py', line: 3, function: 'f' }]);
  assert.deepEqual(findingsOf(null), []);
  assert.deepEqual(findingsOf({ recommendations: 3 }), []);
});
