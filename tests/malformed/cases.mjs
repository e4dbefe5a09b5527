// Damaged inputs by name, made from one small trace, with what must become of each.
//
// `opens`: the file opens; `slices` is how many of its slices are there, `problems` kinds that are
// reported (others may be too; an empty list means that nothing is reported). `refused`: exit
// status 3 and a message that matches.

import zlib from 'node:zlib';

const op = (index, fields = {}) => ({
  ph: 'X',
  cat: 'cpu_op',
  name: `aten::op${index}`,
  pid: 100,
  tid: 100,
  ts: 1000 + 10 * index,
  dur: 8,
  args: { 'External id': index },
  ...fields,
});

const text = (value) => JSON.stringify(value);

/** A trace of the given events, which are JSON texts. */
function trace(events, { header = '"schemaVersion": 1,', footer = '' } = {}) {
  return `{${header}"traceEvents": [\n  ${events.join(',\n  ')}\n  ]${footer}\n}\n`;
}

const ops = (count) => Array.from({ length: count }, (_, i) => text(op(i)));
const whole = trace(ops(6), { footer: ',\n"traceName": "a.json"' });

/** A trace of five ops whose third one is replaced by the given text. */
const withEvent = (event) => trace([...ops(2), event, text(op(3)), text(op(4))]);

const withBytes = (before, bytes, after) =>
  Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);

function named(name, outcome, make) {
  return { name, make: typeof make === 'function' ? make : () => make, ...outcome };
}

const opens = (slices, problems = []) => ({ opens: { slices, problems } });
const refused = (message) => ({ refused: message });

export const cases = [
  named('whole', opens(6), whole),

  // -- the container
  named('empty-file', refused(/empty/i), ''),
  named('blank-file', refused(/empty|blank|no JSON|not a trace/i), ' \n\t\n '),
  named('plain-text', refused(/not/i), 'step 1: loss 0.31\nstep 2: loss 0.30\n'),
  named('html', refused(/HTML/i), '<!DOCTYPE html><html><body>404</body></html>'),
  named('pickle', refused(/pickle/i), Buffer.from([0x80, 4, 0x95, 10, 0, 0, 0, 0, 0, 0, 0, 0x7d])),
  named('zstd', refused(/zstd|Zstandard/i), Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4, 0, 1, 0, 0])),
  named('sqlite', refused(/SQLite/i), 'SQLite format 3\u0000\u0010\u0000\u0001\u0001'),
  named('binary', refused(/not/i), () => {
    const bytes = Buffer.alloc(4096);
    for (let i = 0; i < bytes.length; ++i) bytes[i] = (i * 131 + 7) & 0xff;
    return bytes;
  }),
  named('no-trace-events', refused(/traceEvents/), '{"schemaVersion": 1, "traceName": "x"}'),
  named('trace-events-is-number', refused(/traceEvents/), '{"traceEvents": 5}'),
  named('execution-trace', refused(/execution trace|traceEvents/i), () =>
    text({ schema: '1.1.1-chakra.0.0.4', pid: 1, time: 't', start_ts: 1, nodes: [{ id: 1 }] }),
  ),
  named('memory-timeline', refused(/memory|list|not/i), '[[1, 2, 3], [[4, 5], [6, 7]]]'),
  named('list-of-numbers', refused(/not|list/i), '[1, 2, 3]'),
  named('byte-order-mark', opens(6), () => withBytes('', [0xef, 0xbb, 0xbf], whole)),
  named('crlf', opens(6), whole.replaceAll('\n', '\r\n')),
  named('packed', opens(6), () => zlib.gzipSync(whole)),
  named('packed-in-two-members', opens(6), () =>
    Buffer.concat([zlib.gzipSync(whole.slice(0, 200)), zlib.gzipSync(whole.slice(200))]),
  ),
  named('bare-array', opens(3), `[${ops(3).join(',')}]`),
  named('bare-array-without-end', opens(3, ['truncated']), `[${ops(3).join(',')}`),
  named('events-before-header', opens(6), () =>
    trace(ops(6), { header: '', footer: ', "schemaVersion": 1, "baseTimeNanoseconds": 1000' }),
  ),
  named('only-metadata', opens(0), () =>
    trace([text({ ph: 'M', name: 'process_name', pid: 1, tid: 0, args: { name: 'python3' } })]),
  ),
  named('no-events', opens(0), '{"schemaVersion": 1, "traceEvents": []}'),
  named('second-list-of-events', opens(4), () =>
    trace(ops(3), { footer: `, "traceEvents": [${text(op(9))}]` }),
  ),

  // -- cut off
  named('cut-inside-an-event', opens(4, ['truncated']), () =>
    whole.slice(0, whole.indexOf('aten::op4') + 3),
  ),
  named('cut-after-an-event', opens(4, ['truncated']), () =>
    whole.slice(
      0,
      whole.indexOf('aten::op3') + whole.slice(whole.indexOf('aten::op3')).indexOf('}}') + 2,
    ),
  ),
  named('cut-after-the-events', opens(6, ['truncated']), () =>
    whole.slice(0, whole.indexOf('"traceName"') + 5),
  ),
  named('packed-and-cut', opens(2000, ['truncatedGzip']), () => {
    const packed = zlib.gzipSync(trace(ops(20000)), { level: 1 });
    return packed.subarray(0, Math.floor(packed.length * 0.6));
  }),
  named('packed-with-bad-bytes', opens(1000), () => {
    const packed = Buffer.from(zlib.gzipSync(trace(ops(20000)), { level: 1 }));
    for (let i = 0; i < 40; ++i) packed[Math.floor(packed.length * 0.5) + i] ^= 0x5a;
    return packed;
  }),

  // -- strings
  named('invalid-utf8', opens(5, ['invalidUtf8']), () => {
    const [before, after] = withEvent(text(op(2, { name: 'a@b' }))).split('@');
    return withBytes(before, [0xff, 0xfe], after);
  }),
  named('quotes-in-a-name', opens(5, ['rawQuote']), () =>
    withEvent(
      '{"ph": "X", "cat": "cpu_op", "name": "say "hello" twice", "pid": 100, "tid": 100, "ts": 1020, "dur": 8}',
    ),
  ),
  named('line-break-in-a-name', opens(5), () =>
    withEvent(text(op(2, { name: 'one@two' })).replace('@', '\n')),
  ),
  named('tab-in-a-name', opens(5), () =>
    withEvent(text(op(2, { name: 'one@two' })).replace('@', '\t')),
  ),
  named('windows-path', opens(5), () =>
    withEvent(text(op(2, { name: '@' })).replace('@', 'C:\\Users\\new\\test.py(3): main')),
  ),
  named('unterminated-string', opens(4, ['malformedEvent']), () =>
    withEvent(
      '{"ph": "X", "cat": "cpu_op", "name": "never ends, "pid": 100, "tid": 100, "ts": 1020, "dur": 8}',
    ),
  ),
  named('braces-in-a-name', opens(5), () =>
    withEvent(text(op(2, { name: 'f<{lambda()#1}, [2]>}{' }))),
  ),
  named('long-name', opens(5), () => withEvent(text(op(2, { name: 'n'.repeat(3 << 20) })))),
  named('lone-surrogate', opens(5), () =>
    withEvent(text(op(2, { name: '@' })).replace('@', '\\ud800 end')),
  ),

  named('colon-behind-a-value', opens(4, ['malformedEvent']), () =>
    withEvent(`${text(op(2, { args: undefined, name: 'two' })).slice(0, -1)}, "x": "y": 15}}`),
  ),
  named('bare-word-before-a-quote', opens(4, ['malformedEvent']), () =>
    withEvent(text(op(2)).replace('"name":', '"name":!')),
  ),
  named('control-characters-before-a-number', opens(5), () =>
    withEvent(text(op(2)).replace('"pid":', '"pid":\u0001\u001e')),
  ),
  named('nested-object-without-keys', opens(4, ['malformedEvent']), () =>
    withEvent('{"ph": "X", "cat": "cpu_op", "name": "x", "ts": 1020, "dur": 8, "tid": {1, "a": 2}'),
  ),
  named('bare-thread-with-bad-bytes', opens(5, ['invalidUtf8']), () => {
    const [before, after] = withEvent(text(op(2, { tid: '@' })).replace('"@"', 'a@b')).split('@');
    return withBytes(before, [0xff, 0xfe], after);
  }),

  // -- tokens
  named('bare-not-available', opens(5), () =>
    withEvent(text(op(2)).replace('"args":{', '"args":{"memory bandwidth (GB/s)": N/A, ')),
  ),
  named('nan-and-infinity', opens(5), () =>
    withEvent(
      text(op(2)).replace(
        '"args":{',
        '"args":{"a": NaN, "b": Infinity, "c": -Infinity, "d": inf, "e": -inf, "f": nan, ',
      ),
    ),
  ),
  named('number-with-bare-point', opens(5), () =>
    withEvent(text(op(2)).replace('"args":{', '"args":{"alpha": 3., "beta": -1., ')),
  ),
  named('missing-value', opens(6), () =>
    trace(ops(6), { header: '"distributedInfo": {"backend": "nccl", "rank": , "world_size": 2},' }),
  ),
  named('missing-value-in-args', opens(5), () =>
    withEvent(text(op(2)).replace('"args":{', '"args":{"rank": , ')),
  ),
  named('comma-at-the-end-of-the-list', opens(6), () => whole.replace(/\n {2}\]/, ',\n  ]')),
  named('comma-at-the-end-of-an-object', opens(5), () =>
    withEvent(text(op(2)).replace('}}', ',},}')),
  ),
  named('missing-comma-between-events', opens(6), () => whole.replace('}},\n  {', '}}\n  {')),
  named('doubled-comma', opens(6), () => whole.replace('}},\n  {', '}},,\n  {')),
  named('unquoted-text', opens(6), () =>
    trace(ops(6), { header: '"schemaVersion": 1, "note": first try,' }),
  ),
  named('nul-bytes-at-the-end', opens(6), () => withBytes(whole, Buffer.alloc(4096), '')),
  named('nul-bytes-between', opens(5), () => {
    const [before, after] = withEvent(text(op(2)) + '@').split('@');
    return withBytes(before, Buffer.alloc(64), after);
  }),

  // -- shapes
  named('deep-lists', opens(4), () =>
    withEvent(
      text(op(2)).replace('"args":{', `"args":{"deep": ${'['.repeat(50000)}${']'.repeat(50000)}, `),
    ),
  ),
  named('deep-objects-without-end', opens(4, ['tooDeep']), () => withEvent('{"a":'.repeat(50000))),
  named('wrong-kinds-of-events', opens(4), () => withEvent('7, null, "text", [1, 2], true')),
  named('wrong-kinds-of-fields', opens(4), () =>
    withEvent(
      '{"ph": 5, "name": {"a": 1}, "ts": [], "dur": true, "pid": null, "tid": {}, "args": "none"}',
    ),
  ),
  named('duplicate-keys', opens(5), () =>
    withEvent(
      '{"ph": "X", "ph": "X", "cat": "cpu_op", "name": "first", "name": "last", "pid": 100, "tid": 100, "ts": 1020, "dur": 8, "args": {"a": 1, "a": 2}}',
    ),
  ),

  // -- numbers
  named('huge-stamp', opens(4), () =>
    withEvent(
      '{"ph": "X", "cat": "cpu_op", "name": "huge", "pid": 100, "tid": 100, "ts": 99999999999999999999999, "dur": 1}',
    ),
  ),
  named('exponent-stamp', opens(5), () =>
    withEvent(
      '{"ph": "X", "cat": "cpu_op", "name": "e", "pid": 100, "tid": 100, "ts": 1.02e3, "dur": 8e0}',
    ),
  ),
  named('impossible-exponent', opens(4), () =>
    withEvent(
      '{"ph": "X", "cat": "cpu_op", "name": "e", "pid": 100, "tid": 100, "ts": 1e999999999, "dur": 8}',
    ),
  ),
  named('text-stamps', opens(5), () => withEvent(text(op(2, { ts: '1020.5', dur: '8.25' })))),
  named('negative-duration', opens(5, ['negativeDuration']), () =>
    withEvent(text(op(2, { dur: -5 }))),
  ),
  named('huge-id', opens(5), () =>
    withEvent(
      text(op(2)).replace('"External id":2', '"External id":123456789012345678901234567890'),
    ),
  ),
  named('huge-tid', opens(5), () =>
    withEvent(text(op(2, { tid: '@' })).replace('"@"', '18446744073709551615')),
  ),
  named('absurd-duration', opens(5), () => withEvent(text(op(2, { dur: 3e15 })))),

  // -- missing fields
  ...['ph', 'name', 'pid', 'tid', 'ts', 'dur', 'cat', 'args'].map((field) => {
    const outcome = { ph: opens(4), ts: opens(4) }[field] ?? {
      opens: { slices: 4, orMore: true, problems: [] },
    };
    return named(`without-${field}`, outcome, () => withEvent(text(op(2, { [field]: undefined }))));
  }),
  named('end-without-begin', opens(4), () =>
    withEvent('{"ph": "E", "name": "x", "pid": 100, "tid": 100, "ts": 1020}'),
  ),
  named('begin-without-end', { opens: { slices: 4, orMore: true, problems: [] } }, () =>
    withEvent('{"ph": "B", "cat": "cpu_op", "name": "x", "pid": 100, "tid": 100, "ts": 1020}'),
  ),
  named('unknown-phase', opens(4), () =>
    withEvent('{"ph": "Q", "name": "x", "pid": 100, "tid": 100, "ts": 1020}'),
  ),
  named('lone-flow-ends', opens(4), () =>
    withEvent(
      '{"ph": "f", "id": 7, "cat": "ac2g", "name": "ac2g", "pid": 100, "tid": 100, "ts": 1020, "bp": "e"}',
    ),
  ),
  named('crossing-slices', opens(5), () => withEvent(text(op(2, { ts: 1004, dur: 30 })))),
];
