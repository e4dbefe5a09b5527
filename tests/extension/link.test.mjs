// Links of the timeline: what is understood, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimelineLink } from '../../extension/src/editors/link.ts';

test('a link names file, selection, window and slice', () => {
  const query = new URLSearchParams({
    path: '/data/a b.pt.trace.json',
    worker: 'w0',
    start: '10',
    end: '500',
    slice: '7',
  });
  assert.deepEqual(parseTimelineLink('/timeline', query.toString()), {
    path: '/data/a b.pt.trace.json',
    selection: { worker: 'w0' },
    to: { view: 'timeline', range: { startNs: 10, endNs: 500 }, slice: 7 },
  });
});

test('other links, relative paths and odd numbers are refused or left out', () => {
  assert.equal(parseTimelineLink('/open', 'path=/a'), undefined);
  assert.equal(parseTimelineLink('/timeline', ''), undefined);
  assert.equal(parseTimelineLink('/timeline', 'path=a.json'), undefined);
  assert.deepEqual(parseTimelineLink('/timeline', 'path=/a&start=9&end=3&slice=1e9')?.to, {
    view: 'timeline',
  });
});
