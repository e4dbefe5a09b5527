// The recorder of the samples, on events as PyTorch hands them out, without a PyTorch.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { which } from '../../scripts/lib/process.mjs';

let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-recorder-'));
  mkdirSync(join(folder, 'torch'));
  writeFileSync(join(folder, 'torch', '__init__.py'), '__version__ = "1.13.0"\n');
});
after(() => rmSync(folder, { recursive: true, force: true }));

const program = `
import sys
from types import SimpleNamespace as Some
import emberline_recorder

class Event:
    def __init__(self, raw, tag, start, end, fields):
        self.raw, self.tag, self.extra_fields = raw, tag, fields
        self.start_time_ns, self.end_time_ns = start, end
        self.start_tid, self.correlation_id, self.id = 1, start, start
        self.children, self.parent = [], None

    @property
    def name(self):
        return self.raw.decode("utf-8")

def operator(raw, start, scope="FUNCTION"):
    inputs = Some(shapes=[], strides=[], dtypes=[], ivalues=[])
    fields = Some(scope="RecordScope." + scope, sequence_number=-1, inputs=inputs)
    return Event(raw, "_EventType.TorchOp", start, start + 5, fields)

def call(raw, start):
    return Event(raw, "_EventType.PyCall", start, start + 50, Some(module=None, caller=None))

frame = call(b"tra\\xffin.py(3): st\\xc3\\xa9p", 10)
frame.children = [operator(b"aten::mm", 20), operator(b"a\\xfe\\xffb", 30)]
for child in frame.children:
    child.parent = frame
events = [frame, operator(b"\\x80", 70, "USER_SCOPE")]
results = Some(events=lambda: [], experimental_event_tree=lambda: events)
profiler = Some(profiler=Some(kineto_results=results), record_shapes=False, profile_memory=False,
                with_stack=True, with_modules=False)
lines = Some(place=lambda time_ns: ("train.py", "f", 3))
emberline_recorder.trace_handler(sys.argv[1], truth=True, lines=lines)(profiler)
`;

test('a name that is no UTF-8 costs its bad bytes only', (t) => {
  const python = which('python3');
  if (python === undefined) return t.skip('there is no python3');
  const path = join(folder, 'names.pt.trace.json');
  const { status, stderr } = spawnSync(python, ['-c', program, path], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: `${folder}:${join(root, 'samples', 'recorder')}` },
  });
  assert.equal(status, 0, stderr);
  const { traceEvents } = JSON.parse(readFileSync(path, 'utf8'));
  const names = traceEvents
    .filter(({ cat }) => ['python_function', 'cpu_op', 'user_annotation'].includes(cat))
    .map(({ name }) => name);
  assert.deepEqual(names, ['tra\ufffdin.py(3): stép', 'aten::mm', 'a\ufffd\ufffdb', '\ufffd']);
});
