// The figures on the page are those of the command line; tables sort, filter, page, export and obey
// the keyboard; links lead where they say.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { quantity } from '../../extension/shared/numbers.ts';
import { slice } from '../lib/trace_events.mjs';
import { Harness, commandLine, sample } from './harness.mjs';
import {
  bodyRows,
  cellsOf,
  chartsOf,
  chosenBox,
  failures,
  filterBox,
  findings as findingTitles,
  firstCells,
  flameCanvas,
  goToCells,
  gridOf,
  headline,
  numberHeadings,
  openedDetails,
  rowCounts,
  rowOpeners,
} from '../lib/roles.mjs';

const train = sample('transformer/train.pt.trace.json.gz');
const slow = sample('train_cnn/slow.pt.trace.json.gz');

let harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness?.stop());

/** Runs on a page of its own and fails on any error that the page reports. */
const withPage = (...args) => harness.withPage(...args);

const us = (value) =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(
    value,
  );

/** The raw values of a column in the order of the rows in sight. */
const column = (page, grid, key) =>
  cellsOf(gridOf(page, grid), key).evaluateAll((cells) =>
    cells.map((cell) =>
      cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value),
    ),
  );

test('the overview shows the figures of the command line', async () => {
  const expected = commandLine('overview', slow);
  await withPage(slow, {}, async (profile, page) => {
    const table = page.getByRole('region', { name: 'Average step time' });
    // The view is there before its figures are.
    await table.locator('tbody tr').first().waitFor();
    const cells = await table
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
      );
    assert.equal(cells[0][1], quantity(expected.average.durationUs, 'us'));
    const shown = Object.fromEntries(cells.map(([name, value]) => [name, value]));
    for (const role of expected.roles.filter((one) => one.present)) {
      assert.equal(shown[role.title], quantity(expected.average.parts[role.key], 'us'), role.title);
    }
    await page.getByRole('button', { name: 'Step time as table' }).click();
    const steps = await page
      .getByRole('region', { name: 'Step time', exact: true })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    assert.deepEqual(
      steps.map((row) => row.slice(0, 2)),
      expected.steps.map((step) => [step.name, us(step.durationUs)]),
    );
    const findings = await findingTitles(page).allTextContents();
    assert.deepEqual(
      findings,
      expected.recommendations.slice(0, 3).map((one) => one.title),
    );
    assert.equal(await headline(page).innerText(), expected.headline.text);
    const health = page.getByRole('region', { name: 'Trace health' });
    const events = new Intl.NumberFormat('en-US').format(commandLine('check', slow).events);
    await health.getByText(events, { exact: true }).waitFor();
  });
});

test('the operators table sorts in the daemon and agrees with the command line', async () => {
  const byHost = commandLine('operators', train, ['--sort', '-hostSelfUs']);
  const byCalls = commandLine('operators', train, ['--sort', '-calls']);
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const grid = page.getByRole('treegrid', { name: 'Operators' });
    const head = grid.getByRole('columnheader', { name: /^Host self/ });
    assert.equal(await head.getAttribute('aria-sort'), 'descending');
    assert.equal(await grid.getAttribute('aria-rowcount'), String(byHost.rows.length + 1));
    const top = (await column(page, 'Operators', 'hostSelfUs')).slice(0, 12);
    assert.deepEqual(
      top,
      byHost.rows.slice(0, 12).map((row) => row.hostSelfUs),
    );
    await grid.getByRole('columnheader', { name: /^Calls/ }).click();
    await profile.settled();
    const calls = (await column(page, 'Operators', 'calls')).slice(0, 12);
    assert.deepEqual(
      calls,
      byCalls.rows.slice(0, 12).map((row) => row.calls),
    );
    await grid.getByRole('columnheader', { name: /^Calls/ }).click();
    await profile.settled();
    const least = Math.min(...byCalls.rows.map((row) => row.calls));
    assert.equal((await column(page, 'Operators', 'calls'))[0], least);
  });
});

test('a line opens to the source around it', async () => {
  const program = readFileSync(join(root, 'samples', 'train_cnn', 'slow.py'), 'utf8').split('\n');
  await withPage(slow, {}, async (profile, page) => {
    await profile.view('Lines');
    const grid = page.getByRole('treegrid', { name: 'Lines' });
    await grid.getByRole('button', { name: 'Open row' }).first().click();
    const listing = page.getByRole('table', { name: /^Source around line/ });
    const wanted = listing.locator('[aria-current=location]');
    await wanted.waitFor();
    const line = Number(await wanted.getByRole('rowheader').innerText());
    assert.match(program[line - 1], /std\(/);
    const [code, cost] = await wanted.getByRole('cell').allInnerTexts();
    assert.equal(code, program[line - 1]);
    assert.match(cost, /ms \(\d+\.\d %\)/);
    const shown = await listing
      .getByRole('row')
      .evaluateAll((rows) => rows.map((row) => row.children[1].innerText));
    assert.deepEqual(shown, program.slice(line - 9, line + 8));
  });
});

test('the filter narrows rows and says how many are left', async () => {
  const expected = commandLine('operators', train, ['--filter', 'backward']);
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    await filterBox(page, 'Operators').fill('backward');
    await rowCounts(page).filter({ hasText: ' of ' }).waitFor();
    await profile.settled();
    const count = await rowCounts(page).first().textContent();
    assert.match(count, new RegExp(`^${expected.rows.length} of \\d+ rows$`));
    for (const name of await column(page, 'Operators', 'name')) assert.match(name, /backward/i);
    const many = commandLine('operators', train, ['--filter', 'calls>50']).rows.length;
    await filterBox(page, 'Operators').fill('calls>50');
    await rowCounts(page)
      .filter({ hasText: new RegExp(`^${many} of `) })
      .waitFor();
    await filterBox(page, 'Operators').fill('no such operator anywhere');
    await page.getByText('No matching rows.').waitFor();
  });
});

test('the table is exported whole, as CSV, Markdown and JSON', async () => {
  const expected = commandLine('operators', train, ['--sort', '-hostSelfUs']);
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const choose = (item) =>
      profile.sent(item.startsWith('Save') ? 'save' : 'copy', async () => {
        await page.getByRole('button', { name: 'Export' }).first().click();
        await page.getByRole('menuitem', { name: item }).click();
      });
    const json = JSON.parse((await choose('Copy as JSON')).text);
    assert.equal(json.length, expected.rows.length);
    assert.deepEqual(
      json.map((row) => [row.name, row.hostSelfUs]),
      expected.rows.map((row) => [row.name, row.hostSelfUs]),
    );
    const csv = await choose('Save as CSV...');
    assert.equal(csv.suggestedName, 'operators.csv');
    assert.equal(csv.content.trimEnd().split('\r\n').length, expected.rows.length + 1);
    const markdown = (await choose('Copy as Markdown')).text.trimEnd().split('\n');
    assert.equal(markdown.length, expected.rows.length + 2);
    assert.match(markdown[0], /^\| Operator \|/);
  });
});

test('keys that come faster than the page draws go to the cell they are meant for', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const shownNames = () =>
      page
        .locator('[role=gridcell][data-key=name] [data-whole]')
        .evaluateAll((cells) => cells.slice(0, 5).map((cell) => cell.dataset.whole));
    const order = await shownNames();
    await page.evaluate(() => {
      const press = (key) =>
        document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
        );
      document.querySelector('[role=columnheader][data-key=name]').focus();
      press('ArrowDown');
      press('ArrowDown');
      press('Enter');
    });
    await openedDetails(page).waitFor();
    const opened = bodyRows(page).and(page.locator('[aria-expanded=true]'));
    assert.equal(await firstCells(opened).getAttribute('data-row'), '1');
    assert.deepEqual(await shownNames(), order, 'the heading was not pressed');
  });
});

test('the grid is walked, sorted and opened by keyboard alone', async () => {
  await withPage(train, {}, async (profile, page) => {
    await page.getByRole('tab', { name: 'Overview' }).focus();
    await page.keyboard.press('ArrowRight');
    await profile.settled();
    assert.equal(
      await page.getByRole('tab', { name: 'Operators' }).getAttribute('aria-selected'),
      'true',
    );
    const grid = page.getByRole('treegrid', { name: 'Operators' });
    await grid.locator('[data-row="-1"][data-column="0"]').focus();
    const where = () =>
      page.evaluate(() => [
        Number(document.activeElement.dataset.row),
        Number(document.activeElement.dataset.column),
      ]);
    const press = async (key, expected) => {
      await page.keyboard.press(key);
      await page.waitForFunction(
        ([row, cell]) =>
          document.activeElement.dataset.row === String(row) &&
          document.activeElement.dataset.column === String(cell),
        expected,
      );
    };
    await press('ArrowDown', [0, 0]);
    await press('ArrowRight', [0, 1]);
    await press('ArrowDown', [1, 1]);
    await press('Home', [1, 0]);
    const rows = Number(await grid.getAttribute('aria-rowcount')) - 1;
    await page.keyboard.press('Control+End');
    await page.waitForFunction(
      (last) => document.activeElement.dataset.row === String(last),
      rows - 1,
    );
    await page.keyboard.press('Control+Home');
    await page.waitForFunction(() => document.activeElement.dataset.row === '0');
    assert.deepEqual(await where(), [0, 0]);
    const copied = await profile.sent('copy', () => page.keyboard.press('Control+c'));
    assert.match(copied.text, /^\S+\t\d/);
    await page.keyboard.press('Enter');
    await openedDetails(page).waitFor();
    await page.keyboard.press('Enter');
    await openedDetails(page).waitFor({ state: 'detached' });
    // The header sorts by Enter.
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.activeElement.dataset.row === '-1');
    await page.keyboard.press('Enter');
    await profile.settled();
    const head = grid.locator('[data-row="-1"][data-column="0"]');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    const names = (await column(page, 'Operators', 'name')).slice(0, 8);
    assert.deepEqual(
      names,
      [...names].sort((a, b) => a.localeCompare(b)),
    );
  });
});

test('a row opens to its stacks, and a frame opens the code', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    await filterBox(page, 'Operators').fill('name:aten::linear');
    await rowCounts(page).filter({ hasText: ' of ' }).waitFor();
    await profile.settled();
    await rowOpeners(page).first().click();
    // The recorder named the function's first line; the call's is found from the source.
    const frame = openedDetails(page)
      .getByRole('list', { name: /^Python stack/ })
      .getByRole('button', { name: /\bmodel\.py:/ })
      .and(page.locator(':not([title*="first line"])'))
      .first();
    const sent = await profile.sent('openSource', () => frame.click());
    assert.match(sent.target.file, /transformer\/model\.py$/);
    assert.equal(sent.toSide, false);
    const text = readFileSync(join(root, 'samples/transformer/model.py'), 'utf8').split('\n');
    assert.match(text[sent.target.line - 1], /self\.\w+\(/);
    // So is that of the row's own link, whose stack is not shown.
    const code = await profile.sent('openSource', () =>
      goToCells(page).first().getByRole('button', { name: 'Code', exact: true }).click(),
    );
    assert.equal(code.target.lineIsDefinition, false);
    assert.equal(code.target.line, sent.target.line);
  });
});

test('the steps selector holds for every view and survives a reload', async () => {
  const expected = commandLine('operators', train, ['--steps', '2', '--sort', '-hostSelfUs']);
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const select = page.locator('vscode-single-select').first();
    await select.evaluate((element) => {
      element.value = element.options.find((option) => option.value === '2').value;
      element.dispatchEvent(new Event('change'));
    });
    await page.waitForFunction(
      (value) =>
        document.querySelector('[role=gridcell][data-key=hostSelfUs]')?.dataset.value ===
        String(value),
      expected.rows[0].hostSelfUs,
    );
    const last = (all) => all.filter((message) => message.type === 'state').at(-1);
    const end = Date.now() + 60_000;
    while (last(profile.messages)?.state.selection.steps !== '2') {
      assert.ok(Date.now() < end, 'the state was not saved');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { state } = last(profile.messages);
    assert.equal(state.view, 'operators');
    await withPage(train, { state }, async (again, second) => {
      await again.settled();
      assert.equal(
        await second.getByRole('tab', { name: 'Operators' }).getAttribute('aria-selected'),
        'true',
      );
      assert.deepEqual(
        (await column(second, 'Operators', 'hostSelfUs')).slice(0, 5),
        expected.rows.slice(0, 5).map((row) => row.hostSelfUs),
      );
    });
  });
});

test('a table shows the rows it showed before, in another view and in a page made again', async () => {
  const first = (page) =>
    page.evaluate(() => {
      const scroll = document.querySelector('#view');
      return { top: scroll.scrollTop, tall: scroll.scrollHeight > 2 * scroll.clientHeight };
    });
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    assert.ok((await first(page)).tall, 'there is something to scroll');
    await page.evaluate(() => (document.querySelector('#view').scrollTop = 700));
    await page.waitForSelector('[role=gridcell][data-row="30"]');
    await profile.view('Overview');
    await profile.view('Operators');
    await page.waitForSelector('[role=gridcell][data-row="30"]');
    assert.equal((await first(page)).top, 700);
    const saved = () =>
      profile.messages
        .filter(({ type, state }) => type === 'state' && state.views.operators !== undefined)
        .findLast(({ state }) => state.views.operators.scrollTop === 700);
    const end = Date.now() + 60_000;
    while (saved() === undefined) {
      assert.ok(Date.now() < end, 'the state was not saved');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { state } = saved();
    await withPage(train, { state: { ...state, view: 'operators' } }, async (again, second) => {
      await second.waitForSelector('[role=gridcell][data-row="30"]');
      assert.equal((await first(second)).top, 700);
      // Another order starts at the top.
      await second.locator('[role=columnheader][data-key=calls]').click();
      await again.settled();
      await second.waitForSelector('[role=gridcell][data-row="0"]');
      const tops = await second.evaluate(() =>
        ['[role=tabpanel]', '[role=treegrid]'].map(
          (one) => document.querySelector(one).getBoundingClientRect().top,
        ),
      );
      assert.ok(Math.abs(tops[0] - tops[1]) < 2, `the view at ${tops[0]}, its table at ${tops[1]}`);
    });
  });
});

test('modules, stacks and memory show the figures of the command line', async () => {
  const modules = commandLine('modules', train);
  const stacks = commandLine('stacks', train);
  const memory = commandLine('memory', train);
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Modules');
    const first = (await column(page, 'Modules', 'hostTotalUs'))[0];
    assert.equal(first, modules.modules[0].hostTotalUs);
    await profile.view('Stacks');
    await page.getByRole('heading', { name: /time by Python stack/ }).waitFor();
    const canvas = flameCanvas(page);
    assert.match(await canvas.getAttribute('aria-label'), /100 % of all/);
    assert.ok(stacks.totalUs > 0);
    await profile.view('Memory');
    const cells = await column(page, 'Memory statistics', 'selfSizeIncreaseBytes');
    const most = Math.max(
      ...(memory.statistics ?? memory.rows).map((row) => row.selfSizeIncreaseBytes),
    );
    assert.equal(cells[0], most);
  });
});

test('a flame graph is walked by keyboard and its twin lists the same', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Stacks');
    const canvas = flameCanvas(page);
    await canvas.focus();
    const label = () => canvas.getAttribute('aria-label');
    const before = await label();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (old) => document.querySelector('canvas[role=application]').ariaLabel !== old,
      before,
    );
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Python stacks as table' }).click();
    const rows = await page
      .getByRole('region', { name: 'Python stacks', exact: true })
      .locator('tbody tr')
      .count();
    assert.ok(rows > 3);
  });
});

test("a chart's table twin is exported, and the slash key leads to the filter", async () => {
  const expected = commandLine('overview', slow);
  await withPage(slow, {}, async (profile, page) => {
    await page.getByRole('button', { name: 'Step time as table' }).click();
    const copied = await profile.sent('copy', async () => {
      await page
        .getByRole('region', { name: 'Step time', exact: true })
        .first()
        .getByRole('button', { name: 'Export' })
        .click();
      await page.getByRole('menuitem', { name: 'Copy as CSV' }).click();
    });
    const lines = copied.text.trimEnd().split('\r\n');
    assert.equal(lines.length, expected.steps.length + 1);
    const total = Number(lines[1].split(',')[1]);
    assert.ok(Math.abs(total - expected.steps[0].durationUs) <= 0.05, lines[1]);
    await profile.view('Operators');
    await page.getByRole('tab', { name: 'Operators' }).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('conv');
    await rowCounts(page).filter({ hasText: ' of ' }).waitFor();
    await profile.settled();
    for (const name of await column(page, 'Operators', 'name')) assert.match(name, /conv/i);
  });
});

test('charts are saved as SVG and PNG', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const save = (kind) =>
      profile.sent('save', async () => {
        await chartsOf(page).getByRole('button', { name: 'Save' }).first().click();
        await page.getByRole('menuitem', { name: `Save as ${kind}` }).click();
      });
    const svg = await save('SVG');
    assert.match(svg.content, /^<svg[^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    assert.doesNotMatch(svg.content, /var\(--/);
    const png = await save('PNG');
    assert.equal(png.base64, true);
    const bytes = Buffer.from(png.content, 'base64');
    assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  });
});

test('what was not recorded is said, with the snippet that records it', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Kernels');
    const empty = page.getByRole('region', { name: /No kernels/ }).first();
    await empty.waitFor();
    const copied = await profile.sent('copy', () =>
      empty.getByRole('button', { name: 'Copy snippet' }).click(),
    );
    assert.match(copied.text, /profile/);
    assert.equal(await page.getByRole('radio').count(), 0, 'nothing to choose among no kernels');
  });
});

test('a file that is no trace says why and offers another try', async () => {
  await withPage(sample('README.md'), {}, async (profile, page) => {
    await page.getByRole('heading', { name: 'This trace cannot be shown' }).waitFor();
    await page.getByText('What to do').waitFor();
    // That it begins wrong is all that there is to say of the place.
    assert.doesNotMatch(await page.locator('body').innerText(), /byte 0/i);
    await profile.sent('showLog', () => page.getByText('Show Log').click());
    await profile.sent('retry', () => page.getByText('Retry').click());
    await profile.sent('openAsText', () => page.getByText('Open as Text').click());
  });
});

test('a folder without traces is not offered as text', async () => {
  await withPage(sample('recorder'), {}, async (_, page) => {
    await page.getByText('There is no trace in').waitFor();
    await page.getByRole('button', { name: 'Retry' }).waitFor();
    assert.equal(await page.getByText('Open as Text').count(), 0);
  });
});

test('progress is determinate and loading can be cancelled', async () => {
  await withPage(train, { hold: true, wait: false }, async (profile, page) => {
    await page.getByRole('main').waitFor();
    await profile.send({ type: 'loading', stage: 'Reading', percent: 42 });
    await page.getByText('Reading, 42 %').waitFor();
    const bar = page.locator('progress');
    assert.equal(await bar.evaluate((element) => element.value), 42);
    await profile.sent('cancelLoad', () => page.getByText('Cancel', { exact: true }).click());
  });
});

test('a view whose script cannot be had says so, and is there when it is tried again', async () => {
  const profile = await harness.open(train, { hold: true, wait: false });
  const { page } = profile;
  const script = /\/views\/operators-/;
  await page.route(script, (route) => route.abort());
  profile.options = {};
  await profile.load();
  await profile.shown();
  await page.getByRole('tab', { name: 'Operators', exact: true }).click();
  await page.getByRole('alert').getByText('This view failed').waitFor();
  await page.getByRole('tab', { name: 'Kernels', exact: true }).click();
  await page.getByRole('heading', { name: 'No kernels' }).waitFor();
  await page.unroute(script);
  await profile.view('Operators');
  assert.ok((await column(page, 'Operators', 'calls')).length > 10);
  await profile.close();
});

test('a stopped daemon shows a banner, and a restart asks again', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    await profile.send({ type: 'daemon', state: 'stopped', message: 'It stopped.' });
    await page.getByText('It stopped.').waitFor();
    await profile.sent('restartDaemon', () => page.getByText('Restart', { exact: true }).click());
    const asked = await profile.sent('request', () => profile.load());
    assert.equal(typeof asked.method, 'string');
    await page.getByText('It stopped.').waitFor({ state: 'detached' });
    await profile.settled();
    assert.ok((await column(page, 'Operators', 'calls')).length > 10);
  });
});

test('a source that was not found offers Locate', async () => {
  await withPage(train, {}, async (profile, page) => {
    const target = { file: '/elsewhere/model.py', line: 3 };
    await profile.send({ type: 'sourceMissing', target });
    const sent = await profile.sent('openSource', () => page.getByText('Locate...').click());
    assert.deepEqual(sent.target, target);
  });
});

test('a navigation from outside shows the rows it names', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.send({ type: 'navigate', to: { view: 'operators', filter: 'name:softmax' } });
    await rowCounts(page).filter({ hasText: ' of ' }).waitFor();
    await profile.settled();
    for (const name of await column(page, 'Operators', 'name')) assert.match(name, /softmax/i);
  });
});

/** Writes a trace of the given events for the time of `work`. */
async function withDrawn(events, work, header = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-drawn-'));
  const file = join(folder, 'drawn.pt.trace.json');
  writeFileSync(file, JSON.stringify({ schemaVersion: 1, ...header, traceEvents: events }));
  try {
    await work(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('each row of a tree opens and closes by itself (B18)', async () => {
  // Two modules whose sub-modules have the same place in their lists.
  const events = [0, 1].flatMap((i) => [
    slice('python_function', `nn.Module: Block_${i}`, 1000 * i, 900, { 'Python id': 3 * i + 1 }),
    slice('python_function', `nn.Module: Inner_${i}`, 1000 * i + 10, 800, {
      'Python id': 3 * i + 2,
      'Python parent id': 3 * i + 1,
    }),
    slice('python_function', `nn.Module: Leaf_${i}`, 1000 * i + 20, 700, {
      'Python id': 3 * i + 3,
      'Python parent id': 3 * i + 2,
    }),
  ]);
  await withDrawn(events, (file) =>
    withPage(file, {}, async (profile, page) => {
      await profile.view('Modules');
      const names = () => firstCells(bodyRows(gridOf(page, 'Modules'))).allInnerTexts();
      const shown = async () => (await names()).map((text) => /\w+_\d/.exec(text)?.[0]);
      const all = ['Block_0', 'Inner_0', 'Leaf_0', 'Block_1', 'Inner_1', 'Leaf_1'];
      assert.deepEqual(await shown(), all);
      const second = bodyRows(gridOf(page, 'Modules')).nth(1);
      await second.getByRole('button', { name: 'Close row' }).click();
      await page.waitForFunction(() => document.querySelectorAll('[data-line]').length === 5);
      assert.deepEqual(
        await shown(),
        all.filter((name) => name !== 'Leaf_0'),
      );
    }),
  );
});

test('stacks open on the side that has some, until the reader chooses', async () => {
  // The call that launched the kernel was not recorded.
  const events = [
    slice('python_function', 'train.py(3): main', 0, 500, { 'Python id': 1 }),
    slice('cpu_op', 'aten::mm', 5, 100),
    slice('kernel', 'gemm', 150, 50, { device: 0, stream: 7, correlation: 9 }, { pid: 0, tid: 7 }),
  ];
  await withDrawn(events, (file) =>
    withPage(file, {}, async (profile, page) => {
      await profile.view('Stacks');
      const side = (name) => page.getByRole('radio', { name, exact: true });
      const checked = (name) => side(name).and(page.locator('[aria-checked=true]'));
      await checked('Host time').waitFor();
      await gridOf(page, 'Functions').getByText('main', { exact: true }).waitFor();
      await side('Device time').click();
      await checked('Device time').waitFor();
      await page
        .getByText('No stack matches')
        .or(page.getByText(/Device time by Python stack/))
        .first()
        .waitFor();
      await profile.view('Operators');
      await profile.view('Stacks');
      await checked('Device time').waitFor();
    }),
  );
});

test('a page asks nobody but its own host (B55)', async () => {
  const profile = await harness.open(train, { hold: true, wait: false });
  const hosts = new Set();
  profile.page.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await profile.page.reload();
  profile.options.hold = false;
  await profile.load();
  await profile.shown();
  for (const tab of await profile.page.getByRole('tab', { includeHidden: true }).allTextContents())
    await profile.view(tab);
  assert.deepEqual([...hosts], [new URL(harness.address).origin]);
  assert.deepEqual(profile.errors, []);
  await profile.close();
});

test('a narrow panel does not overflow', async () => {
  await withPage(train, {}, async (profile, page) => {
    for (const width of [480, 300]) {
      await page.setViewportSize({ width, height: 700 });
      for (const tab of await page.getByRole('tab', { includeHidden: true }).allTextContents()) {
        await profile.view(tab);
        await profile.drawn();
        const over = await page.evaluate(() => {
          const body = document.querySelector('#view');
          return Math.max(
            document.documentElement.scrollWidth - document.documentElement.clientWidth,
            body.scrollWidth - body.clientWidth,
          );
        });
        assert.ok(over <= 1, `${tab} is ${over} px too wide for ${width} px`);
      }
    }
  });
});

test('names of devices, kernels, modules and runs are text too (B65)', async () => {
  const evil = '<img src=x onerror="window.broken=1">';
  const onDevice = { pid: 0, tid: 7 };
  const work = { device: 0, stream: 7, correlation: 1 };
  const events = [
    slice('python_function', `nn.Module: ${evil}`, 0, 500, { 'Python id': 1 }),
    slice('python_function', `${evil}.py(3): ${evil}`, 1, 400),
    slice('cpu_op', 'aten::mm', 5, 100),
    slice('cuda_runtime', evil, 10, 5, { correlation: 1 }),
    { ...slice('kernel', evil, 50, 100, work), ...onDevice },
    { ...slice('gpu_memcpy', `Memcpy HtoD (${evil} -> Device)`, 200, 10, work), ...onDevice },
  ];
  const header = { deviceProperties: [{ id: 0, name: evil, totalGlobalMem: 1 << 30 }] };
  await withDrawn(
    events,
    (file) =>
      withPage(file, {}, async (profile, page) => {
        await page.getByRole('region', { name: 'Device', exact: true }).getByText(evil).waitFor();
        for (const tab of await page.getByRole('tab', { includeHidden: true }).allTextContents()) {
          await profile.view(tab);
          assert.equal(await page.locator('#root img').count(), 0, tab);
        }
        assert.equal(await page.evaluate(() => window.broken), undefined);
      }),
    header,
  );
});

test('names from the trace are text, never markup (B65)', async () => {
  const evil = '<img src=x onerror="window.broken=1">';
  const names = [evil, '=1+1', 'a\nb', '"quoted"', '\u202eright'];
  const events = names.map((name, index) => slice('cpu_op', name, 1000 + 100 * index, 50));
  await withDrawn(events, (file) =>
    withPage(file, {}, async (profile, page) => {
      await profile.view('Operators');
      await page.locator('[role=gridcell]').getByText(evil).first().waitFor();
      assert.equal(await page.evaluate(() => window.broken), undefined);
      assert.equal(await page.locator('#root img').count(), 0);
      const csv = await profile.sent('copy', async () => {
        await page.getByRole('button', { name: 'Export' }).first().click();
        await page.getByRole('menuitem', { name: 'Copy as CSV' }).click();
      });
      assert.match(csv.text, /\r\n'=1\+1,/);
    }),
  );
});

test('headings of numbers say what they stand for, in every view and in the twins of its charts', async () => {
  await withPage(train, {}, async (profile, page) => {
    const silent = async () => [
      ...(await numberHeadings(page.getByRole('tabpanel')))
        .filter(({ title }) => title === '')
        .map(({ text }) => text),
      ...(await page.evaluate(() =>
        [...document.querySelectorAll('[role=tabpanel] dt')]
          .filter((name) => name.title === '' && /\d/.test(name.nextElementSibling.textContent))
          .map((name) => name.textContent),
      )),
    ];
    let heads = 0;
    for (const view of ['Overview', 'Operators', 'Memory', 'Modules', 'Stacks', 'Lines']) {
      await profile.view(view);
      assert.deepEqual(await silent(), [], view);
      for (const twin of await page.getByRole('button', { name: / as table$/ }).all()) {
        await twin.click();
      }
      heads += (await numberHeadings(page.getByRole('tabpanel'))).length;
      assert.deepEqual(await silent(), [], `${view}, charts as tables`);
    }
    assert.ok(heads > 30, `${heads} headings`);
  });
});

test('a chart shown as a table and the order of a small table outlive another view', async () => {
  await withPage(train, {}, async (profile, page) => {
    const pressed = (name) =>
      page.getByRole('button', { name: `${name} as table` }).getAttribute('aria-pressed');
    await page.getByRole('button', { name: 'Step time as table' }).click();
    await profile.view('Operators');
    await page.getByRole('button', { name: 'Host self as table' }).click();
    await profile.view('Memory');
    await page.getByRole('radio', { name: 'At the peak' }).click();
    const peak = page.getByRole('region', { name: 'Memory at the peak' });
    const head = peak.locator('th').nth(0);
    await head.getByRole('button').click();
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
    await profile.view('Overview');
    assert.equal(await pressed('Step time'), 'true');
    await profile.view('Operators');
    assert.equal(await pressed('Host self'), 'true');
    await profile.view('Memory');
    assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  });
});

test('a flame graph is still zoomed after another view', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Stacks');
    const canvas = flameCanvas(page);
    await canvas.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
    const name = await chosenBox(page).locator('strong').textContent();
    await profile.view('Overview');
    await profile.view('Stacks');
    await page.getByRole('button', { name: 'Reset zoom' }).waitFor();
    assert.equal(await chosenBox(page).locator('strong').textContent(), name);
    await page.getByRole('button', { name: 'Reset zoom' }).click();
    await profile.view('Overview');
    await profile.view('Stacks');
    await canvas.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Reset zoom' }).count(), 0);
  });
});

test('the chosen frame of a flame graph survives a reload', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Stacks');
    const chosen = () => chosenBox(page).locator('strong').textContent();
    const first = await chosen();
    await flameCanvas(page).focus();
    const saved = await profile.sent(
      'state',
      async () => {
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
      },
      ({ state }) => state.views.stacks?.pythonStacksChosen?.length === 3,
    );
    const name = await chosen();
    assert.notEqual(name, first);
    await withPage(train, { state: saved.state }, async (again, second) => {
      await again.view('Stacks');
      await flameCanvas(second).waitFor();
      assert.equal(await chosenBox(second).locator('strong').textContent(), name);
      assert.equal(await second.getByRole('button', { name: 'Reset zoom' }).count(), 0);
    });
  });
});

test('a memory device that the file no longer has gives way to the first', async () => {
  const expected = commandLine('memory', train);
  const memory = { device: 'GPU 7', range: { from: 5, to: 10 } };
  const state = { view: 'memory', selection: {}, views: { memory } };
  await withPage(train, { state }, async (profile, page) => {
    await page.getByRole('heading', { name: `Memory of ${expected.devices[0].name}` }).waitFor();
    await profile.settled();
    assert.equal(await failures(page).count(), 0);
    // The range was one of the other device's curve.
    assert.equal(await page.getByRole('button', { name: 'Reset zoom' }).count(), 0);
    assert.ok((await column(page, 'Memory statistics', 'operator')).length > 0);
  });
});

test('a trace without events says so instead of drawing empty charts', async () => {
  await withDrawn([], (file) =>
    withPage(file, {}, async (profile, page) => {
      await page.getByRole('heading', { name: 'No work was recorded' }).waitFor();
      await page.getByRole('heading', { name: 'Trace health' }).waitFor();
      assert.equal(await page.getByRole('application').count(), 0);
      assert.equal(await page.getByText('Nothing stands out').count(), 0);
      await profile.view('Timeline');
      await page.getByText('The trace contains no events.', { exact: true }).waitFor();
    }),
  );
});

test('what a row leads to is in sight without a pointer, and readable', async () => {
  for (const theme of ['light', 'hc-light']) {
    await withPage(train, { theme }, async (profile, page) => {
      await profile.view('Operators');
      // The first row is the one that the keyboard is at.
      const links = await goToCells(gridOf(page, 'Operators'))
        .locator('button:not([data-row="0"] button)')
        .evaluateAll((all) => all.map((link) => getComputedStyle(link)).map((s) => s.opacity));
      assert.ok(links.length > 10);
      assert.deepEqual([...new Set(links)], ['1']);
    });
  }
});

test('columns get wider and narrower by keyboard', async () => {
  await withPage(train, {}, async (profile, page) => {
    await profile.view('Operators');
    const head = page.locator('[role=columnheader][data-key=calls]');
    const width = () => head.evaluate((cell) => cell.getBoundingClientRect().width);
    await head.focus();
    const before = await width();
    await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction(
      (least) =>
        document.querySelector('[role=columnheader][data-key=calls]').getBoundingClientRect()
          .width > least,
      before + 24,
    );
    const wide = await width();
    await page.keyboard.press('Shift+ArrowLeft');
    await page.waitForFunction(
      (most) =>
        document.querySelector('[role=columnheader][data-key=calls]').getBoundingClientRect()
          .width < most,
      wide - 8,
    );
    assert.equal(
      await page.evaluate(() => document.activeElement.dataset.key),
      'calls',
      'the focus stays',
    );
  });
});

test('colors of charts can be told apart in high contrast themes', async () => {
  for (const theme of ['hc-dark', 'hc-light']) {
    await withPage(train, { theme }, async (profile, page) => {
      const colors = await page.evaluate(() => {
        const context = document.createElement('canvas').getContext('2d');
        return Object.fromEntries(
          ['--vscode-charts-blue', '--chart-orange', '--vscode-charts-green']
            .concat(['--vscode-charts-purple', '--vscode-charts-yellow', '--vscode-charts-red'])
            .map((name) => {
              const span = document.body.appendChild(document.createElement('span'));
              span.style.color = `var(${name})`;
              context.fillStyle = getComputedStyle(span).color;
              span.remove();
              context.fillRect(0, 0, 1, 1);
              return [name, [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)]];
            }),
        );
      });
      const names = Object.keys(colors);
      for (const a of names) {
        for (const b of names.slice(names.indexOf(a) + 1)) {
          const far = Math.hypot(...colors[a].map((part, i) => part - colors[b][i]));
          assert.ok(far > 55, `${theme}: ${a} ${colors[a]} and ${b} ${colors[b]}: ${far}`);
        }
      }
    });
  }
});
