// The daemon's memory: what is asked for again is kept within a limit, and what is closed comes
// back to the system.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { memoryOf } from '../lib/process_memory.mjs';
import { slice } from '../lib/trace_events.mjs';
import { drawTrace, withDaemon, within } from './daemon.mjs';

const skip = existsSync('/proc/self/status') ? false : 'needs /proc';
const megabyte = 1 << 20;
let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-memory-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Resident memory of the daemon in bytes; shared pages of its program are some megabytes of it. */
const residentBytes = (daemon) => memoryOf(daemon.child.pid).rss;

async function until(condition, what) {
  await within(
    (async () => {
      while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
    })(),
    what,
  );
}

function write(name, traceEvents) {
  const path = join(folder, `${name}.pt.trace.json`);
  writeFileSync(path, JSON.stringify({ traceEvents }));
  return path;
}

/** Python of about `bytes`; each version is another text. */
function source(bytes, version) {
  const lines = [`# version ${version}`, 'def main(x):', `    return helper_0(x) + ${version}`];
  for (let i = 0, size = 0; size < bytes; ++i) {
    const text = [
      `def helper_${i}(x, y=${i}):`,
      `    value_${i} = x * ${i} + y`,
      `    for item in range(${i}):`,
      `        value_${i} += item.total(x)[${i}]`,
      `    return value_${i}`,
    ];
    lines.push(...text);
    size += text.join('\n').length + 1;
  }
  return lines.join('\n') + '\n';
}

test('many versions of a large Python file come back', { skip }, async () => {
  const path = write('python', [
    slice('python_function', '/somewhere/big.py(2): main', 0, 100),
    slice('python_function', '/somewhere/big.py(4): helper_0', 10, 50),
    slice('cpu_op', 'aten::mul', 20, 10),
  ]);
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path });
    await daemon.request('profile/load', { profileId });
    const before = residentBytes(daemon);
    for (let version = 0; version < 8; version += 4) {
      await Promise.all(
        [0, 1, 2, 3].map((k) =>
          daemon.request('source/annotations', {
            profileId,
            path: '/somewhere/big.py',
            text: source(megabyte, version + k),
          }),
        ),
      );
    }
    await daemon.request('profile/close', { profileId });
    // One version alone takes more than that while it is read.
    const limit = before + 64 * megabyte;
    await until(() => residentBytes(daemon) < limit, 'the memory to come back');
  });
});

test('results of many ranges of steps stay within the limit', { skip }, async () => {
  const events = [];
  const steps = 30;
  const operators = 250;
  for (let step = 0; step < steps; ++step) {
    const begin = step * operators * 10;
    events.push(slice('user_annotation', `ProfilerStep#${step}`, begin, operators * 10));
    for (let i = 0; i < operators; ++i) {
      events.push(slice('cpu_op', `aten::operator_with_a_long_name_${i}`, begin + i * 10, 8));
    }
  }
  const path = write('steps', events);
  await withDaemon(
    async (daemon) => {
      const { profileId } = await daemon.request('profile/open', { path });
      await daemon.request('profile/load', { profileId });
      const ask = async (first, last) => {
        const params = { profileId, steps: `${first}-${last}`, limit: 1 };
        const { rows } = await daemon.request('view/operators', params);
        assert.equal(rows[0].calls, last - first + 1);
        await daemon.request('view/operators', { ...params, groupBy: 'operatorAndShapes' });
      };
      await ask(0, steps - 1);
      const before = residentBytes(daemon);
      for (let first = 0; first < steps; ++first) {
        for (let last = first; last < steps; ++last) await ask(first, last);
      }
      const grown = residentBytes(daemon) - before;
      assert.ok(grown < 48 * megabyte, `grown by ${grown / megabyte} MB`);
      // What was let go is made again.
      await ask(0, steps - 1);
    },
    { env: { EMBERLINE_MEMORY_MB: '8' } },
  );
});

test(
  'a profile that is closed while it loads ends its load, and its memory comes back',
  { skip },
  async () => {
    const path = join(folder, 'large.pt.trace.json');
    writeFileSync(path, drawTrace(100_000));
    await withDaemon(async (daemon) => {
      const before = residentBytes(daemon);
      for (let round = 0; round < 3; ++round) {
        const { profileId } = await daemon.request('profile/open', { path });
        const token = `load ${round}`;
        const loading = daemon.exchange('profile/load', { profileId, workDoneToken: token });
        const begun = (m) => m.params?.token === token && m.params.value.kind === 'report';
        await daemon.message(begun, 'the load to begin');
        assert.equal(await daemon.request('profile/close', { profileId }), null);
        const { message } = await loading;
        assert.equal(message.error.code, -32800);
        assert.match(message.error.message, /closed/);
      }
      const limit = before + 24 * megabyte;
      await until(() => residentBytes(daemon) < limit, 'the memory to come back');
    });
  },
);

test('a trace that is closed gives its memory back', { skip }, async () => {
  const path = join(folder, 'loaded.pt.trace.json');
  writeFileSync(path, drawTrace(400_000));
  await withDaemon(async (daemon) => {
    const before = residentBytes(daemon);
    const { profileId } = await daemon.request('profile/open', { path });
    await daemon.request('profile/load', { profileId });
    await daemon.request('view/operators', { profileId });
    assert.ok(residentBytes(daemon) > before + 36 * megabyte);
    await daemon.request('profile/close', { profileId });
    await until(() => residentBytes(daemon) < before + 24 * megabyte, 'the memory to come back');
  });
});
