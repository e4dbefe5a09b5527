// What the source says while two profiles are compared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  comparedSide,
  deltaMarkdown,
  deltaText,
  drawnDeltas,
  lensDelta,
  lensPlaces,
} from '../../extension/src/source/deltas.ts';

const time = (baselineUs, candidateUs) => ({
  baselineUs,
  candidateUs,
  deltaUs: candidateUs - baselineUs,
});
const place = (line, total, more = {}) => ({
  line,
  stale: false,
  side: 'candidate',
  file: 'train.py',
  recordedLine: line,
  function: 'train_step',
  status: 'both',
  total,
  self: total,
  baselineCalls: 4,
  candidateCalls: 4,
  ...more,
});
const compared = (lines, more = {}) => ({
  files: ['train.py'],
  time: 'host',
  per: 'selection',
  baselineUs: 1000,
  candidateUs: 2000,
  lines,
  functions: lines,
  classes: [],
  ...more,
});
const options = { minimumShare: 0.01, lineCount: 50 };

test('a difference is said in words, with its percentage where there is one', () => {
  assert.equal(deltaText(place(1, time(100, 150))), '50.0 µs slower (+50 %)');
  assert.equal(deltaText(place(1, time(200, 50))), '150 µs faster (\u221275 %)');
  assert.equal(deltaText(place(1, time(0, 50))), '50.0 µs slower');
  assert.equal(deltaText(place(1, time(0, 50), { status: 'new' })), 'new, 50.0 µs');
  assert.equal(deltaText(place(1, time(50, 0), { status: 'gone' })), 'gone, was 50.0 µs');
});

test('hints begin at the least share of the longer side, and heat is by the own time', () => {
  const hints = drawnDeltas(
    compared([
      place(3, time(100, 119)),
      place(4, time(100, 120)),
      place(5, time(900, 100), { self: time(0, 0) }),
      place(6, time(100, 1100)),
      place(99, time(0, 1000)),
    ]),
    options,
  );
  assert.deepEqual(
    hints.map(({ line, heat, faster }) => [line + 1, heat, faster]),
    [
      [4, 1, false],
      [5, 0, true],
      [6, 4, false],
    ],
  );
  assert.equal(hints[2].share, 0.5);
});

test('of several places on a line the one that changed most is shown, and stale ones are summed up', () => {
  const stale = { stale: true, status: 'gone' };
  const hints = drawnDeltas(
    compared([
      place(3, time(100, 90)),
      place(3, time(500, 0), { status: 'gone' }),
      place(7, time(300, 0), stale),
      place(7, time(100, 0), stale),
      place(8, time(100, 0), stale),
      place(8, time(100, 300)),
    ]),
    options,
  );
  assert.deepEqual(
    hints.map(({ text, stale }) => [text, stale]),
    [
      ['gone, was 500 µs', false],
      ['400 µs faster in 2 lines changed since the recording', true],
      ['200 µs slower (+200 %)', false],
    ],
  );
});

test('lenses stand on functions and classes that differ', () => {
  const functions = [place(3, time(100, 100)), place(5, time(100, 300), { candidateCalls: 8 })];
  const classes = [
    place(2, time(100, 300), { function: 'Net', recordedLine: 0 }),
    place(9, time(50, 50), { function: 'Head', recordedLine: 0 }),
  ];
  const places = lensPlaces(compared(functions, { classes }), options);
  assert.deepEqual(
    places.map(({ line, function: name }) => [line, name]),
    [
      [5, 'train_step'],
      [2, 'Net'],
    ],
  );
  assert.equal(
    lensDelta(places[0], 'CPU'),
    '200 µs slower (+200 %) \u00b7 CPU 100 µs \u2192 300 µs \u00b7 4 \u2192 8 calls',
  );
  const once = { ...places[0], baselineCalls: 2000, candidateCalls: 1 };
  assert.match(lensDelta(once, false), / 2,000 \u2192 1 call$/);
});

test('times are of the device that was compared, by its own name', () => {
  const titles = { baseline: 'a', candidate: 'b' };
  for (const [time_, side] of [
    ['device', 'NPU'],
    ['host', 'CPU'],
  ]) {
    const result = compared([place(3, time(100, 300))], { time: time_, deviceKind: 'NPU' });
    assert.equal(comparedSide(result), side);
    assert.match(deltaMarkdown(result, 3, titles), new RegExp(`\\| ${side} .*100 µs`));
  }
});

test('the hover has both sides; names of files are no markup', () => {
  const text = deltaMarkdown(compared([place(3, time(100, 300))], { per: 'step' }), 3, {
    baseline: '[a](command:x).json',
    candidate: 'b.json',
  });
  assert.match(text, /^\*\*200 µs slower/);
  assert.match(text, /\| CPU .*100 µs .*300 µs .*\+200 µs \|/);
  assert.match(text, /\| Calls .*4 .*4 .*0 \|/);
  assert.match(text, /_Per step\._/);
  assert.doesNotMatch(text, /\]\(command/);
  assert.equal(deltaMarkdown(compared([]), 3, { baseline: 'a', candidate: 'b' }), undefined);
});
