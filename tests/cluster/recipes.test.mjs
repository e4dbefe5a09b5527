// The recipes for other schedulers, as the documentation shows them: what they run is run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { load as parseYaml } from 'js-yaml';
import { writeJob } from '../generator/job.mjs';
import { emberline, root, serverPath, temporaryFolder } from '../lib/cli.mjs';

const { folder, remove } = temporaryFolder('recipes');
after(remove);

const text = fs.readFileSync(path.join(root, 'native', 'ranks', 'README.md'), 'utf8');
/** The first block of a language behind a heading. */
function block(heading, language) {
  const from = text.indexOf(`### ${heading}\n`);
  const found = new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(text.slice(from));
  assert.ok(from >= 0 && found, `${heading} shows ${language}`);
  return found[1];
}

let number = 0;
/** A folder with packed traces of a job and the program under its name. */
function job() {
  const at = path.join(folder, `job${(number += 1)}`);
  writeJob(path.join(at, 'traces'), { ranks: 4, steps: 1, packed: true });
  fs.symlinkSync(serverPath, path.join(at, 'emberline'));
  return at;
}
function run(command, args, at, more = {}) {
  const env = { ...process.env, PATH: `${at}:${process.env.PATH}`, ...more };
  const done = spawnSync(command, args, { cwd: at, env, encoding: 'utf8' });
  assert.equal(done.status, 0, `${command} ${args.join(' ')}\n${done.stdout}${done.stderr}`);
  return done.stdout;
}
async function assertMerges(digests) {
  const merged = await emberline(['merge', digests]);
  assert.equal(merged.status, 0, merged.stderr);
  assert.match(merged.stdout, /^4 traces merged/);
}

test('one machine', async () => {
  const at = job();
  run('sh', ['-c', block('One machine', 'sh').replaceAll('FOLDER', 'traces')], at);
  await assertMerges(path.join(at, 'DIR'));
});

/** What the container of a pod runs, of a parser of YAML, in the folder of a job. */
function podScript(at) {
  const { spec } = parseYaml(block('Kubernetes', 'yaml'));
  const [container] = spec.template.spec.containers;
  assert.deepEqual(container.command, ['sh', '-c']);
  const volumes = spec.template.spec.volumes.map(({ name }) => name);
  assert.deepEqual(
    container.volumeMounts.map(({ name }) => name),
    volumes,
  );
  assert.equal(spec.completionMode, 'Indexed');
  assert.ok(container.args[0].includes(`$JOB_COMPLETION_INDEX/${spec.completions}"`));
  return container.args[0].replace('cd /job', `cd '${at}'`);
}

test('Kubernetes: each pod takes its part', async () => {
  const at = job();
  const script = podScript(at);
  const completions = Number(/completions: (\d+)/.exec(block('Kubernetes', 'yaml'))[1]);
  for (const index of [0, 1, 2, 3, completions - 1]) {
    run('sh', ['-c', script], at, { JOB_COMPLETION_INDEX: String(index) });
  }
  await assertMerges(path.join(at, 'digests'));
});

test('Kubernetes: a pod with a trace that cannot be read has done its part', async () => {
  const at = job();
  const [broken] = fs.readdirSync(path.join(at, 'traces'));
  fs.writeFileSync(path.join(at, 'traces', broken), 'no gzip at all');
  const script = podScript(at);
  for (const index of [0, 1, 2, 3]) {
    run('sh', ['-c', script], at, { JOB_COMPLETION_INDEX: String(index) });
  }
  assert.equal(fs.readdirSync(path.join(at, 'digests')).length, 3);
});

for (const [engine, call] of [
  ['Ray', 'print(digest(path, "DIR"), end="")'],
  ['Spark', 'print(list(digest([path], "DIR")))'],
]) {
  test(`${engine}: the task makes a digest`, async (context) => {
    if (spawnSync('python3', ['--version']).status !== 0) return context.skip('no python3');
    const at = job();
    const source = block(engine, 'python');
    run('python3', ['-c', `compile(${JSON.stringify(source)}, "recipe", "exec")`], at);
    // The engine starts this function; it needs nothing else of it.
    const task = /^def digest[^]*?(?=^def main)/m.exec(source)[0];
    const script = `import pathlib, subprocess\n${task}\nfor path in map(str, pathlib.Path("traces").iterdir()):\n    ${call}\n`;
    run('python3', ['-c', script], at);
    await assertMerges(path.join(at, 'DIR'));
  });
}
