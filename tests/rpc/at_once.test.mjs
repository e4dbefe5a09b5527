// What is asked at once is answered as what is asked one after the other: requests on one trace run
// side by side, and learn from each other what a trace's sources are.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { traceText } from '../generator/generate.mjs';
import { writeJob } from '../generator/job.mjs';
import { temporaryFolder } from '../lib/cli.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { choices } from './choices.mjs';
import { plainMethods, protocol, resolved, root, samples, withDaemon } from './daemon.mjs';

const folder = join(root, 'samples');
const rounds = 3;

const valuesOf = (method, parameter) =>
  resolved(protocol.methods[method].params).properties[parameter].enum;

/** Each view of a trace with each of its choices. */
const viewQuestions = plainMethods.flatMap((method) =>
  [{}, ...choices[method]].map((choice) => [method, choice]),
);

/** A program in three ways in which the editor may have it open. */
function documentsOf(program) {
  const path = join(folder, program);
  const text = readFileSync(path, 'utf8');
  return [
    { sourceRoots: [folder], path, text },
    // Where the file is not at hand, its text is learned from who asks first. Nothing else asks with
    // these folders, as lines without a document differ before and after that.
    { sourceRoots: ['/elsewhere'], path: join('/elsewhere', program), text },
    { sourceRoots: [dirname(path)], path: 'Untitled-1', text, untitled: true },
  ];
}

const documentQuestions = (program) =>
  documentsOf(program).flatMap((document) => {
    const line = document.text.split('\n').findIndex((one) => one.includes('optimizer')) + 1;
    return [
      ['source/annotations', document],
      ['source/savings', document],
      ['source/hover', { ...document, line }],
    ];
  });

/** How long something took says nothing. */
const withoutSeconds = (key, value) => (/seconds|stages/i.test(key) ? undefined : value);

/**
 * Answers in the order of the questions, which are sent in `order`, together or one by one; `ids`
 * names the opened `paths` as the questions want them.
 */
function answers({ paths, ids, asked }, order, together) {
  return withDaemon(async (daemon) => {
    const opened = [];
    for (const path of paths) opened.push(await daemon.request('profile/open', { path }));
    const names = ids(opened.map(({ profileId }) => profileId));
    const found = [];
    const ask = async (at) => {
      const [method, params] = asked[at];
      const { message } = await daemon.exchange(method, { ...names, ...params });
      found[at] = JSON.stringify(message.result ?? message.error, withoutSeconds);
    };
    if (together) await Promise.all(order.map(ask));
    else for (const at of order) await ask(at);
    return found;
  });
}

function shuffled(length, random) {
  const order = Array.from({ length }, (_, at) => at);
  for (let at = length - 1; at > 0; --at) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

async function compareOrders(questions) {
  const { asked } = questions;
  const inTurn = asked.map((_, at) => at);
  const expected = await answers(questions, inTurn, false);
  const random = randomNumbers(5);
  for (let round = 0; round < rounds; ++round) {
    const found = await answers(questions, shuffled(asked.length, random), true);
    for (const at of inTurn) {
      const [method, { text, ...params }] = asked[at];
      const label = `${method} ${JSON.stringify(params)} ${text === undefined ? '' : 'with a text'}`;
      assert.equal(found[at], expected[at], label);
    }
  }
}

const oneTrace = (path, asked = viewQuestions) =>
  compareOrders({ paths: [path], ids: ([profileId]) => ({ profileId }), asked });

async function inFolder(body) {
  const { folder: at, remove } = temporaryFolder('at-once');
  try {
    await body(at);
  } finally {
    remove();
  }
}

test('a training run with its program', () =>
  oneTrace(samples.slow, [...viewQuestions, ...documentQuestions('train_cnn/slow.py')]));

test('a run with modules and a device', () =>
  oneTrace(samples.transformer, [...viewQuestions, ...documentQuestions('transformer/train.py')]));

for (const dialect of ['torch-2.13', 'rocm']) {
  test(`a generated trace of ${dialect}`, () =>
    inFolder(async (at) => {
      const path = join(at, 'drawn.pt.trace.json');
      writeFileSync(path, traceText({ dialect, events: 8000, seed: 23 }).text);
      await oneTrace(path);
    }));
}

test('a comparison with its program', () =>
  compareOrders({
    paths: [samples.slow, samples.fixed],
    ids: ([baseline, candidate]) => ({
      baseline: { profileId: baseline },
      candidate: { profileId: candidate },
    }),
    asked: [
      ...['compare/verdict', 'compare/timeline', 'compare/tree'].map((method) => [method, {}]),
      ...valuesOf('compare/table', 'by').map((by) => ['compare/table', { by }]),
      ...documentsOf('train_cnn/fixed.py').map((document) => ['compare/annotations', document]),
    ],
  }));

test('a job of several ranks', () =>
  inFolder(async (at) => {
    writeJob(at, { ranks: 6 });
    await compareOrders({
      paths: [at],
      ids: ([profileId]) => ({ profileId }),
      asked: [
        ...['distributed/job', 'distributed/lanes'].map((method) => [method, {}]),
        ...valuesOf('distributed/table', 'by').map((by) => ['distributed/table', { by }]),
      ],
    });
  }));
