// Results that are larger than what one would hold: the command line writes them out while they are
// made, and a reply has a limit and says so.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { emberline, emberlineJson, serverPath, temporaryFolder } from '../lib/cli.mjs';
import { RpcError, protocol, resolved, withDaemon } from './daemon.mjs';

const skip = existsSync('/proc/self/status') ? false : 'needs /proc';
const megabyte = 1 << 20;
let folder, remove, longNames, manyKernels;

/** Writes a trace event by event; gives its path. */
function write(name, count, eventOf) {
  const path = join(folder, `${name}.pt.trace.json`);
  const file = openSync(path, 'w');
  writeSync(file, '{"schemaVersion":1,"traceEvents":[\n');
  for (let i = 0; i < count; ++i) writeSync(file, (i > 0 ? ',\n' : '') + eventOf(i));
  writeSync(file, '\n]}\n');
  closeSync(file);
  return path;
}

before(() => {
  ({ folder, remove } = temporaryFolder('large'));
  const rest = 'x'.repeat(100_000);
  longNames = write(
    'names',
    1200,
    (i) =>
      `{"ph":"X","cat":"cpu_op","name":"op ${i} ${rest}","pid":1,"tid":1,"ts":${10 * i},"dur":5}`,
  );
  manyKernels = write(
    'kernels',
    80_000,
    (i) =>
      `{"ph":"X","cat":"kernel","name":"k${i % 7}","pid":0,"tid":7,"ts":${10 * i},"dur":${1 + (i % 5)},"args":{"device":0,"stream":7,"correlation":${i + 1}}}`,
  );
});
after(() => remove());

/** Runs a command, hashes and counts what it prints; its own largest resident memory in bytes. */
function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(serverPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const hash = createHash('sha256');
    let bytes = 0,
      peak = 0;
    const measure = () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024);
    };
    // What is written waits in a pipe of 64 KB for this side, which measures before it takes more.
    child.stdout.on('data', (part) => {
      measure();
      hash.update(part);
      bytes += part.length;
    });
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, bytes, peak, hash: hash.digest('hex') }));
  });
}

test('a table of long names is written out while it is made', { skip }, async () => {
  const size = statSync(longNames).size;
  for (const format of ['json', 'csv']) {
    const { status, bytes, peak } = await run(['operators', longNames, '--format', format]);
    assert.equal(status, 0);
    assert.ok(bytes > 1200 * 24_000, `${format}: ${bytes} bytes`);
    // The names once, their cells once, and nothing else that grows with them.
    assert.ok(peak < 1.6 * size + 48 * megabyte, `${format}: ${peak} bytes for a file of ${size}`);
  }
});

test('a list of many launches is written out while it is made', { skip }, async () => {
  const check = await run(['check', manyKernels]);
  assert.equal(check.status, 0);
  for (const more of [[], ['--sort', '-sil'], ['--filter', 'kernel:k3']]) {
    const { status, bytes, peak } = await run([
      ...['kernels', manyKernels, '--each', '--format', 'json', ...more],
    ]);
    assert.equal(status, 0);
    assert.ok(bytes > 5 * megabyte, `${bytes} bytes`);
    assert.ok(
      peak < check.peak + 96 * megabyte,
      `${more}: ${peak} bytes, ${check.peak} to read it`,
    );
  }
});

test('an export is written out while it is made, and is what a reply holds', { skip }, async () => {
  const { peak, ...all } = await run(['export', longNames, '--window', '0:10000000000']);
  assert.equal(all.status, 0);
  const size = statSync(longNames).size;
  assert.ok(all.bytes > size, `${all.bytes} bytes`);
  assert.ok(peak < 1.6 * size + 48 * megabyte, `${peak} bytes for a file of ${size}`);

  const some = await run(['export', longNames, '--window', '0:100000']);
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: longNames });
    const { text, events } = await daemon.request('timeline/export', {
      profileId,
      startNs: 0,
      endNs: 100_000,
    });
    assert.equal(events, 10);
    assert.equal(createHash('sha256').update(text).digest('hex'), some.hash);
    await assert.rejects(
      daemon.request('timeline/export', { profileId, startNs: 0, endNs: 10_000_000_000 }),
      /too large to export/,
    );
  });
});

test('rows as they come are those of a whole table', async () => {
  const whole = await emberlineJson('kernels', manyKernels, '--sort', 'name');
  assert.deepEqual(
    whole.rows.map((row) => row.name),
    ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6'],
  );
  assert.equal(whole.totalRows, 7);
  assert.ok(whole.trace && whole.problems && whole.columns.length > 3);
  const cut = await emberlineJson('kernels', manyKernels, '--each', '--limit', '5000');
  assert.equal(cut.rows.length, 5000);
  assert.equal(cut.totalRows, 80_000);
  const filtered = await emberlineJson('kernels', manyKernels, '--each', '--filter', 'kernel:k3');
  assert.equal(filtered.totalRows, Math.ceil((80_000 - 3) / 7));
  assert.equal(filtered.rows.length, filtered.totalRows);
  const chosen = ['kernels', manyKernels, '--each', '-c', 'kernel,idx', '--limit', '2'];
  const words = await emberline(chosen);
  assert.match(words.stdout, /^kernel idx\nk0 \d+\nk1 \d+\n$/);
  const csv = await emberline([...chosen, '--format', 'csv']);
  assert.match(csv.stdout, /^kernel,idx\r\nk0,\d+\r\nk1,\d+\r\n$/);
  const json = await emberlineJson(...chosen);
  assert.deepEqual(Object.keys(json.rows[0]), ['kernel', 'idx']);
  const wrong = await emberline(['kernels', manyKernels, '--each', '-c', 'nothing']);
  assert.equal(wrong.status, 2);
  assert.equal(wrong.stdout, '');
  const unsorted = await emberline(['kernels', manyKernels, '--sort', 'x', '--format', 'json']);
  assert.equal(unsorted.status, 2);
  assert.equal(unsorted.stdout, '');
});

test('a reply that asks for all rows ends early where they are large, and goes on', async () => {
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path: manyKernels });
    let seen = 0,
      replies = 0;
    for (let total = 1; seen < total; ++replies) {
      const params = { profileId, limit: -1, offset: seen };
      const page = await daemon.request('view/kernelList', params);
      assert.ok(JSON.stringify(page.rows).length < 40 * megabyte);
      assert.ok(page.rows.length > 0);
      total = page.totalRows;
      seen += page.rows.length;
    }
    assert.equal(seen, 80_000);
    assert.ok(replies > 1, `${replies} replies`);
  });
});

test(
  'trees of long names fit into a reply, and are written out as tables are',
  { skip },
  async () => {
    const rest = 'y'.repeat(100_000);
    const frame = (name, i, ts, dur) =>
      `{"ph":"X","cat":"python_function","name":"${name}","pid":1,"tid":1,"ts":${ts},"dur":${dur},"args":{"Python id":${i + 1},"Python parent id":null,"Python module id":0}}`;
    const deep = write('deep', 600, (i) =>
      frame(
        i % 2 ? `f.py(${i}): g${i}${rest}` : `nn.Module: M${i}${rest}_0`,
        i,
        i,
        100_000 - 2 * i,
      ),
    );
    const bytesOf = (value) => Buffer.byteLength(JSON.stringify(value));
    await withDaemon(async (daemon) => {
      const { profileId } = await daemon.request('profile/open', { path: deep });
      for (const view of ['view/modules', 'view/stacks', 'view/lightning']) {
        // That it fits is asked by every request.
        await daemon.request(view, { profileId });
        const all = await daemon.request(view, { profileId, limit: -1 });
        assert.ok(bytesOf(all) < 36 * megabyte, `${view}: ${bytesOf(all)} bytes`);
      }
      const { modules } = await daemon.request('view/modules', { profileId });
      let node = modules[0];
      for (; node.children.length > 0; node = node.children[0]);
      assert.equal(node.childCount, 1);
      const below = await daemon.request('view/modules', { profileId, root: node.id });
      assert.equal(below.modules[0].children.length, 1);
    });
    const size = statSync(deep).size;
    for (const command of ['modules', 'stacks']) {
      const { status, peak } = await run([command, deep, '--format', 'json']);
      assert.equal(status, 0);
      // What is not the names' own: the program, and large pages that are used in part.
      assert.ok(
        peak < 2.5 * size + 52 * megabyte,
        `${command}: ${peak} bytes for a file of ${size}`,
      );
    }
  },
);

test('whatever the texts of a trace are, each view fits into a reply', async () => {
  const long = (i) => `${i}${'z'.repeat(40_000)}`;
  const at = (i) => Math.floor(i / 9) * 1000;
  const tail = (i, name, more, dur = 100) =>
    `"name":"${name}${long(i)}","pid":1,"tid":1,"ts":${at(i) + (i % 9) * 10},"dur":${dur},${more}}`;
  const kinds = [
    (i) =>
      `{"ph":"X","cat":"python_function",${tail(i, `/home/u/${long(i)}.py(${i}): g`, `"args":{"Python id":${i + 1},"Python parent id":null}`, 900)}`,
    (i) =>
      `{"ph":"X","cat":"python_function",${tail(i, 'nn.Module: M', `"args":{"Python id":${i + 1},"Python parent id":${i}}`, 800)}`,
    (i) =>
      `{"ph":"X","cat":"cpu_op",${tail(i, 'aten::', `"args":{"External id":${i},"Input Dims":[[2]],"Input type":["${long(i)}"],"Call stack":"${long(i)}.py(1): f"}`, 300)}`,
    (i) =>
      `{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":${at(i) + 40},"dur":5,"args":{"correlation":${i + 1},"External id":${i - 1}}}`,
    (i) =>
      `{"ph":"X","cat":"kernel","name":"void ${long(i)}<float>(int)","pid":0,"tid":7,"ts":${at(i) + 60},"dur":100,"args":{"device":0,"stream":7,"correlation":${i},"External id":${i - 2},"grid":[1,1,1],"block":[32,1,1]}}`,
    (i) =>
      `{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (${long(i)})","pid":0,"tid":7,"ts":${at(i) + 200},"dur":10,"args":{"device":0,"stream":7,"correlation":${i + 100_000},"bytes":100}}`,
    (i) =>
      `{"ph":"i","s":"t","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":${at(i) + 50},"args":{"Device Type":1,"Device Id":0,"Addr":${i + 1},"Bytes":100,"Total Allocated":${100 * i},"Total Reserved":${1000 * i}}}`,
    (i) =>
      `{"ph":"C","name":"count${long(i)}","pid":0,"tid":0,"ts":${at(i) + 1},"args":{"v${long(i)}":${i}}}`,
    (i) => `{"ph":"M","name":"thread_name","pid":1,"tid":${i + 2},"args":{"name":"${long(i)}"}}`,
  ];
  const path = write('texts', 9 * 110, (i) => kinds[i % 9](i));
  const value = (key, schema) => {
    if (/path|file/i.test(key)) return `/home/u/${long(0)}.py`;
    if (schema.enum) return schema.enum[0];
    if (schema.type === 'integer') return /end/i.test(key) ? 1_000_000_000 : (schema.minimum ?? 1);
    return schema.type === 'array' ? [] : schema.type === 'string' ? `aten::${long(2)}` : undefined;
  };
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path });
    let answered = 0;
    for (const [method, { kind, params }] of Object.entries(protocol.methods)) {
      if (kind !== 'request' || !/^(view|timeline|source)\//.test(method)) continue;
      const { required, properties } = resolved(params);
      const given = { profileId };
      for (const key of required)
        if (key !== 'profileId') given[key] = value(key, resolved(properties[key]));
      try {
        await daemon.request(method, given); // that it fits is asked by every request
        ++answered;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    }
    assert.ok(answered > 20, `${answered} methods answered`);
  });
});

test('what an answer about modules leaves out is asked for from where it ended', async () => {
  const call = (name, ts, dur) =>
    `{"ph":"X","cat":"python_function","name":"nn.Module: ${name}","pid":1,"tid":1,"ts":${ts},"dur":${dur},"args":{"Python id":${ts + 1}}}`;
  const children = 1000;
  const roots = 901;
  // Module 0 calls a thousand others; the roots that follow call none.
  const path = write('modules', children + roots, (i) => {
    if (i === 0) return call('Outer_0', 0, 20 * children);
    if (i <= children) return call(`Layer_${i}`, 10 * i, 5);
    return call(`Root_${i}`, 20 * children + 10 * i, 5);
  });
  await withDaemon(async (daemon) => {
    const { profileId } = await daemon.request('profile/open', { path });
    const ask = (params) => daemon.request('view/modules', { profileId, ...params });
    const found = [];
    for (let answer; found.length < (answer?.rootCount ?? 1);) {
      answer = await ask({ offset: found.length });
      assert.equal(answer.rootCount, roots);
      assert.ok(answer.modules.length > 0 && answer.modules.length < roots);
      found.push(...answer.modules);
    }
    assert.deepEqual(new Set(found.map(({ name }) => name)).size, roots, 'each root is there once');
    const outer = found.find(({ name }) => name === 'Outer_0');
    assert.equal(outer.childCount, children);
    const below = [];
    while (below.length < outer.childCount) {
      const { modules } = await ask({ root: outer.id, offset: below.length });
      assert.equal(modules.length, 1);
      assert.ok(modules[0].children.length > 0);
      below.push(...modules[0].children);
    }
    assert.equal(new Set(below.map(({ name }) => name)).size, children);
    assert.deepEqual((await ask({ offset: roots + 5 })).modules, []);
    assert.deepEqual((await ask({ root: outer.id, offset: children })).modules[0].children, []);
  });
});
