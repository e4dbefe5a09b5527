// A comparison whose baseline ran a text that is only in Git: the user names the commit, and the costs
// stand where that text's lines are now. Then every page of a comparison in four themes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { hintOnLine, hintsShown } from './hints.mjs';
import { startWorkbench, themes, waitUntil, Workbench } from './workbench.mjs';
import { codeLines, quickInput, quickInputBox, quickInputRows } from './vscode_parts.mjs';
import { levelParts, settledTimeline } from '../lib/roles.mjs';

/**
 * The text of now: seven lines more above the code, and a line more that calls what the line behind it
 * calls. Which of the two was recorded only the text of then can tell.
 */
function edited(text) {
  const line = '    deviation = dataset.images.std(';
  assert.ok(text.includes(line));
  const more = '    spread = dataset.images.std(dim=(0, 2, 3), keepdim=True)\n';
  return '# Written after the recording.\n'.repeat(7) + text.replace(line, more + line);
}
const choose = "Choose Baseline's Source Revision...";

/** Commits the folder as it is, under a tag. */
function commitAs(folder, tag) {
  const git = (...args) => execFileSync('git', ['-C', folder, ...args], { stdio: 'pipe' });
  git('init', '--quiet');
  git('add', '--all');
  const identity = ['-c', 'user.name=A Tester', '-c', 'user.email=tester@example.org'];
  git(...identity, 'commit', '--quiet', '--no-gpg-sign', '-m', 'As recorded');
  git('tag', tag);
}

describe('a baseline whose source is only in Git', () => {
  let workbench;
  let page;
  const step = Workbench.steps(test, () => workbench);
  const comparison = () => workbench.webviewFrame('[role=group][aria-label=Baseline]');

  before(async () => {
    workbench = await startWorkbench({
      viewport: { width: 1280, height: 800 },
      settings: { 'editor.minimap.enabled': false },
      prepare: ({ workspace }) => {
        commitAs(workspace, 'as-recorded');
        const path = join(workspace, 'train_cnn', 'slow.py');
        writeFileSync(path, edited(readFileSync(path, 'utf8')));
      },
    });
    page = workbench.page;
  });
  after(() => workbench?.stop());

  async function chooseIn(title, text) {
    await quickInput(page).filter({ hasText: title }).waitFor();
    await quickInputRows(page).filter({ hasText: text }).first().click();
  }

  /** Waits until the line before has its costs, and the line that ran has none. */
  function placedByNow() {
    return waitUntil('costs placed by the text of now', async () => {
      const rows = await hintsShown(page);
      const hintOf = (text) => rows.find((row) => row.text.includes(text))?.hint;
      return /ms/.test(hintOf('mean = dataset') ?? '') && hintOf('deviation = dataset') === '';
    });
  }

  /** Opens the input for the revision and fills it; the input is given back. */
  async function nameRevision(text) {
    await workbench.runCommand(choose);
    const widget = quickInput(page);
    await widget.filter({ hasText: 'Source of the Baseline slow' }).waitFor();
    await quickInputBox(page).fill(text);
    return widget;
  }

  async function showSlow() {
    await workbench.openFile('train_cnn/slow.py');
    // All of the functions that the tests look at are on one screen.
    await page.keyboard.press('Control+g');
    const widget = quickInput(page);
    await quickInputBox(page).fill(':80');
    // A slow window may drop the key.
    await waitUntil('the line is gone to', async () => {
      await page.keyboard.press('Enter');
      await widget.waitFor({ state: 'hidden', timeout: 4000 });
      return true;
    });
  }

  step('without a revision the costs are placed by the text of now', async () => {
    await workbench.runCommand('Compare PyTorch Profiles...');
    await chooseIn('Baseline', 'slow.pt.trace.json.gz');
    await chooseIn('slow.pt.trace.json.gz with', 'fixed.pt.trace.json.gz');
    await workbench.tab('slow \u2194 fixed').waitFor();
    await (await comparison()).getByRole('region', { name: 'Verdict' }).locator('h1').waitFor();
    await showSlow();
    await placedByNow();
  });

  step('what Git does not know is refused while it is typed', async () => {
    const widget = await nameRevision('no-such-tag');
    await widget.getByText('Git has no commit "no-such-tag" here.').waitFor();
    await page.keyboard.press('Escape');
    await widget.waitFor({ state: 'hidden' });
  });

  step('with the commit that was recorded they stand on the lines that ran', async () => {
    const widget = await nameRevision('as-recorded');
    await page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
    await showSlow();
    await hintOnLine(page, 'deviation = dataset.images.std', /gone, was 30\.0 ms/);
    await workbench.screenshot('compare-git-source');
  });

  step('a class says how much slower or faster it is', async () => {
    await page.keyboard.press('Control+g');
    const widget = quickInput(page);
    await quickInputBox(page).fill(':63');
    await page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
    const top = async (locator) => (await locator.first().boundingBox())?.y;
    const definition = page.locator(codeLines, { hasText: 'class\u00a0SmallCnn' });
    await waitUntil('a lens above the class', async () => {
      const [line, lenses] = [await top(definition), await workbench.codeLenses().all()];
      for (const lens of lenses) {
        const box = await lens.boundingBox();
        const near = box !== null && line !== undefined && line - box.y > 0 && line - box.y < 30;
        if (near && /slower|faster/.test(await lens.innerText())) return true;
      }
      return false;
    });
    await workbench.screenshot('compare-git-class');
  });

  step('the revision is kept over a reload, and none takes it back', async () => {
    await workbench.tab('slow \u2194 fixed').click();
    await workbench.reload();
    await (await comparison()).getByRole('region', { name: 'Verdict' }).locator('h1').waitFor();
    await showSlow();
    await hintOnLine(page, 'deviation = dataset.images.std', /gone, was 30\.0 ms/);
    const widget = await nameRevision('');
    await page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
    await placedByNow();
  });

  step('every page of the comparison in every theme', async () => {
    await workbench.runCommand('View: Close Primary Side Bar').catch(() => undefined);
    for (const theme of Object.keys(themes)) {
      await workbench.setTheme(theme);
      await workbench.tab('slow \u2194 fixed').click();
      const frame = await comparison();
      const tabs = frame.locator('[role=tablist] [role=tab]');
      const names = await tabs.allInnerTexts();
      assert.ok(names.length >= 8, names.join());
      for (const name of names) {
        const tab = frame.getByRole('tab', { name, exact: true });
        await tab.click();
        await waitUntil(`the tab ${name}`, async () => {
          return (await tab.getAttribute('aria-selected')) === 'true';
        });
        await frame
          .getByRole('region', { name: 'Verdict' })
          .or(levelParts(frame))
          .or(frame.getByRole('gridcell'))
          .or(settledTimeline(frame))
          .first()
          .waitFor();
        await waitUntil(`${name} at rest`, async () => {
          const busy = await frame.locator('[aria-busy=true], [data-settled=false]').count();
          return busy === 0;
        });
        await workbench.screenshot(`compare-git/${theme}-${name.toLowerCase()}`);
      }
    }
    assert.deepEqual(workbench.pageErrors, []);
  });
});
