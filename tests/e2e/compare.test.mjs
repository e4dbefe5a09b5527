// Two profiles compared in the window: chosen in the palette, in the Explorer and in the profiles view;
// the verdict, the way into a step, the code of either side, and all of it again after a reload.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hintOnLine } from './hints.mjs';
import { commandLine, goToView } from './product.mjs';
import { startWorkbench, themes, waitUntil, Workbench } from './workbench.mjs';
import {
  activity,
  explorerRow,
  paneRows,
  quickInput,
  quickInputBox,
  quickInputRows,
  statusItems,
} from './vscode_parts.mjs';
import { levelParts } from '../lib/roles.mjs';

const slow = 'train_cnn/slow.pt.trace.json.gz';
const fixed = 'train_cnn/fixed.pt.trace.json.gz';

describe('a comparison of two profiles', () => {
  let workbench;
  let page;
  const step = Workbench.steps(test, () => workbench);
  const comparison = () => workbench.webviewFrame('[role=group][aria-label=Baseline]');

  before(async () => {
    workbench = await startWorkbench({
      viewport: { width: 1280, height: 800 },
      settings: { 'editor.minimap.enabled': false },
    });
    page = workbench.page;
  });
  after(() => workbench?.stop());

  /** An entry of the Explorer, its folder open. */
  async function entry(name) {
    const row = (text) => explorerRow(page, text);
    if ((await row('train_cnn').getAttribute('aria-expanded')) !== 'true') {
      await row('train_cnn').click();
    }
    await row(name).waitFor();
    return row(name);
  }

  /**
   * Compares two rows by the entries of their menus, until the tab is there. A menu also closes when a page
   * takes the focus, which a slow one does late: that it is gone does not say that its entry was taken. And
   * where the tree was drawn anew meanwhile, the workbench no longer knows which row the entry is about.
   */
  async function compareByMenus(baseline, candidate, tab) {
    await waitUntil(`${tab} by the menus`, async () => {
      await workbench.chooseInMenu(baseline, 'Select Profile for Compare');
      await statusItems(page)
        .filter({ hasText: `Selected for compare: ${tab.split(' ')[0]}` })
        .waitFor({ timeout: 4000 });
      await workbench.chooseInMenu(candidate, 'Compare Profile with Selected');
      await workbench.tab(tab).waitFor({ timeout: 10_000 });
      return true;
    });
  }

  /** The names of baseline and candidate above the tabs. */
  async function sides(frame) {
    return Promise.all(
      ['Baseline', 'Candidate'].map((name) =>
        frame.getByRole('group', { name, exact: true }).locator('strong').innerText(),
      ),
    );
  }

  async function chooseIn(title, text) {
    await quickInput(page).filter({ hasText: title }).waitFor();
    await quickInputRows(page).filter({ hasText: text }).first().click();
  }

  step('the palette asks for both sides, and the verdict stands first', async () => {
    await workbench.runCommand('Compare PyTorch Profiles...');
    await chooseIn('Baseline', 'slow.pt.trace.json.gz');
    await chooseIn('slow.pt.trace.json.gz with', 'fixed.pt.trace.json.gz');
    await workbench.tab('slow \u2194 fixed').waitFor();
    const frame = await comparison();
    assert.deepEqual(await sides(frame), ['slow', 'fixed']);
    const { verdict } = commandLine(
      'diff',
      `${workbench.workspace}/${slow}`,
      `${workbench.workspace}/${fixed}`,
    );
    const said = frame.getByRole('region', { name: 'Verdict' }).locator('h1');
    await said.waitFor();
    assert.equal((await said.innerText()).replaceAll('\u00a0', ' '), verdict.text);
  });

  step('a row of what shrank opens the code of its side', async () => {
    const frame = await comparison();
    await frame.getByRole('button', { name: 'fixed.py:75' }).click();
    await workbench.tab('fixed.py').waitFor();
    await workbench.tab('slow \u2194 fixed').click();
    const again = await comparison();
    await goToView(again, 'Lines');
    await again.getByRole('button', { name: 'slow.py:76' }).click();
    await workbench.tab('slow.py').waitFor();
    // The code stands beside the comparison; what follows has the window to itself.
    await workbench.runCommand('View: Close Editor');
    await workbench.tab('slow.py').waitFor({ state: 'detached' });
    await workbench.tab('slow \u2194 fixed').click();
  });

  step('the source says what is faster, slower and gone', async () => {
    const lensThat = (hasText) => workbench.codeLenses().filter({ hasText, visible: true }).first();
    const goToLine = async (line) => {
      await page.keyboard.press('Control+g');
      await quickInputBox(page).fill(`:${line}`);
      await page.keyboard.press('Enter');
    };
    await workbench.openFile('train_cnn/fixed.py');
    await goToLine(75);
    await hintOnLine(page, 'images = normalise', /ms faster \(\u2212\d+ %\)/);
    await lensThat(/faster.*CPU.*\u2192/).waitFor();
    await workbench.screenshot('compare-source-fixed');
    await workbench.openFile('train_cnn/slow.py');
    await goToLine(76);
    await hintOnLine(page, 'deviation =', /gone, was 30\.0 ms/);
    await workbench.screenshot('compare-source-slow');
    await workbench.clickLens(lensThat(/faster/), workbench.tab('slow \u2194 fixed'));
    const frame = await workbench.webviewFrame('[role=group][aria-label=Baseline]');
    await frame.locator('#tab-functions[aria-selected=true]').waitFor();
    await workbench.tab('slow \u2194 fixed').click();
  });

  step('a click in the execution looks inside, and a reload comes back to it', async () => {
    const frame = await comparison();
    await goToView(frame, 'Execution');
    await frame.getByRole('option', { name: /^ProfilerStep#2/ }).click();
    await frame.getByRole('option', { name: /^aten::std/ }).waitFor();
    await workbench.reload();
    await workbench.tab('slow \u2194 fixed').waitFor();
    const again = await comparison();
    await again.getByRole('navigation', { name: 'Path' }).getByText('ProfilerStep#2').waitFor();
    await again.getByRole('option', { name: /^aten::std/ }).waitFor();
  });

  step('swapped sides have a tab of their own', async () => {
    const frame = await comparison();
    await frame.getByRole('button', { name: 'Swap sides' }).click();
    await workbench.tab('fixed \u2194 slow').waitFor();
    await waitUntil('the swapped sides', async () => {
      return (await sides(await comparison())).join() === 'fixed,slow';
    });
    await waitUntil('the old tab gone', async () => {
      return (await workbench.tab('slow \u2194 fixed').count()) === 0;
    });
  });

  step('the Explorer remembers a baseline and compares with it', async () => {
    await workbench.runCommand('View: Close All Editors');
    const baseline = await entry('slow.pt.trace.json.gz');
    const candidate = await entry('fixed.pt.trace.json.gz');
    await compareByMenus(baseline, candidate, 'slow \u2194 fixed');
    const frame = await comparison();
    assert.deepEqual(await sides(frame), ['slow', 'fixed']);
  });

  step('the profiles view has the same entries on its rows', async () => {
    await activity(page, 'PyTorch Profiles').click();
    const rows = paneRows(page);
    const row = (name) => rows.filter({ hasText: name }).first();
    await row('fixed.pt.trace.json.gz').waitFor();
    await compareByMenus(
      row('fixed.pt.trace.json.gz'),
      row('slow.pt.trace.json.gz'),
      'fixed \u2194 slow',
    );
  });

  step('a row leads to the timeline of its side', async () => {
    const frame = await comparison();
    await goToView(frame, 'Operators');
    const row = frame.getByRole('row', { name: /aten::convolution_backward/ }).first();
    // Beside the side bar there is no room for links in every row.
    await row.getByRole('button', { name: 'Go to' }).click();
    await frame.getByRole('menuitem', { name: 'Baseline', exact: true }).click();
    await workbench.tab('fixed.pt.trace.json.gz').waitFor();
    const profile = await workbench.webviewFrame('#tab-timeline[aria-selected=true]');
    await profile.getByText('aten::convolution_backward').first().waitFor();
  });

  step('the setting of the wheel reaches both timelines', async () => {
    await workbench.tab('fixed \u2194 slow').click();
    const frame = await comparison();
    await goToView(frame, 'Timelines');
    const side = frame.getByRole('group', { name: 'Timeline of the baseline', exact: true });
    await frame.locator('[data-settled=true]').first().waitFor();
    const window = () => side.getAttribute('data-window');
    const lanes = side.getByRole('application');
    const box = await lanes.boundingBox();
    const before = await window();
    /** A small step of the wheel, as of a trackpad, which scrolls unless the setting says otherwise. */
    const turn = () =>
      lanes.dispatchEvent('wheel', {
        deltaY: -12,
        clientX: box.x + box.width / 2,
        clientY: box.y + box.height / 2,
      });
    await turn();
    assert.equal(await window(), before);
    const file = join(workbench.workspace, '.vscode', 'settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ 'emberline.timeline.wheel': 'zoom' }));
    await waitUntil('the wheel to zoom', async () => {
      await turn();
      return (await window()) !== before;
    });
  });

  step('it looks right in every theme', async () => {
    await workbench.tab('fixed \u2194 slow').click();
    for (const name of Object.keys(themes)) {
      await workbench.setTheme(name);
      const frame = await comparison();
      for (const tab of ['Overview', 'Execution', 'Operators']) {
        await goToView(frame, tab);
        await frame
          .getByRole('region', { name: 'Verdict' })
          .or(levelParts(frame))
          .or(frame.getByRole('gridcell'))
          .first()
          .waitFor();
        await workbench.screenshot(`compare-${tab.toLowerCase()}-${name}`);
      }
    }
    assert.deepEqual(workbench.pageErrors, []);
  });
});
