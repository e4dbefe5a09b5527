// The cost on the line, in the real editor: CodeLens, hints with the command line's figures, hover,
// the way to the timeline, hot lines, edits and drift, code of another machine, notebooks.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatShare, formatUs, quantity } from '../../extension/shared/numbers.ts';
import { commandLine, profileFrame } from './product.mjs';
import { hintOnLine, hintsShown } from './hints.mjs';
import { notebookOf, traceOfCell, traceOfFile } from './notebook.mjs';
import { startWorkbench, waitUntil } from './workbench.mjs';
import {
  activity,
  explorerRow,
  fixes,
  hoverRows,
  listRows,
  marginMarks,
  notifications,
  paneHeader,
  problemRows,
  quickInput,
  quickInputBox,
  tabsInFront,
} from './vscode_parts.mjs';

const sample = 'train_cnn/slow.pt.trace.json.gz';
const cellText =
  'import torch\n\ndef double(x):\n    y = torch.add(x, x)\n    return torch.mul(y, 2)\n\ndouble(torch.ones(3))';
let workbench;
let page;
let trace;

before(async () => {
  workbench = await startWorkbench({
    open: sample,
    settings: {
      'files.autoSave': 'off',
      'editor.minimap.enabled': false,
      'explorer.autoReveal': false,
    },
    viewport: { width: 1500, height: 1000 },
  });
  page = workbench.page;
  trace = join(workbench.workspace, sample);
});
after(() => workbench?.stop());

const step = (name, part) =>
  test(name, () => workbench.watched(name.replaceAll(/\W+/g, '-'), part));

/** The CodeLenses in sight; those scrolled away stay in the page, hidden. */
const lenses = () => workbench.codeLenses().filter({ visible: true });

/** Puts the cursor on a line of the editor in front. */
function goToLine(line) {
  const input = quickInputBox(page);
  return waitUntil(`line ${line}`, async () => {
    await page.keyboard.press('Control+g');
    await input.waitFor({ state: 'visible', timeout: 4000 });
    await input.fill(`:${line}`);
    await page.keyboard.press('Enter');
    await page.getByText(`Ln ${line}, Col`).first().waitFor({ timeout: 4000 });
    return true;
  });
}

/** Shows the view container; its icon hides it when it is shown already. */
async function showProfilesTree() {
  const pane = paneHeader(page, 'Hot Lines');
  if ((await pane.count()) > 0) return;
  await activity(page, 'PyTorch Profiles').click();
  await pane.first().waitFor();
}

const shownHints = () => hintsShown(page);
const hintOn = (text, wanted) => hintOnLine(page, text, wanted);

/** The row of a line in the answer of `emberline lines`. */
function costOf(line) {
  const { rows } = commandLine('lines', trace, '--source', workbench.workspace, '--limit', '-1');
  return rows.find((row) => row.line === line && row.confidence !== 'function');
}

step('functions, classes and modules have their CodeLens', async () => {
  await workbench.tab('slow.pt.trace.json.gz').waitFor();
  await (
    await profileFrame(workbench)
  )
    .getByRole('tab', { name: 'Overview', exact: true })
    .waitFor();
  await workbench.openFile('train_cnn/slow.py');
  await workbench.tab('slow.py').waitFor();
  await goToLine(76);
  const lens = lenses().filter({ hasText: 'aten::std' });
  await lens.first().waitFor();
  assert.match(await lens.first().innerText(), /ms CPU, \d+ % · 4 calls · aten::std/);
  // The hint at the end of the line says it; a lens of its own would say it twice.
  assert.equal(await lenses().filter({ hasText: 'Hottest line' }).count(), 0);
});

step('hints show the figures of the command line', async () => {
  await goToLine(76);
  for (const [line, text] of [
    [75, 'mean = dataset.images.mean'],
    [76, 'deviation = dataset.images.std'],
    [70, 'features = self.body(features)'],
  ]) {
    const cost = costOf(line);
    const hint = await hintOn(text, /%/);
    assert.ok(hint.startsWith(`${formatUs(cost.hostTotalUs)}, `), `${line}: ${hint}`);
  }
  const { rows, totals } = commandLine(
    'lines',
    trace,
    '--source',
    workbench.workspace,
    '--limit',
    '-1',
  );
  const share = costOf(76).hostTotalUs / totals.hostUs;
  assert.match(await hintOn('deviation =', /%/), new RegExp(`, ${formatShare(share)}`));
  assert.ok(rows.length > 20);
});

step('a hover breaks the line down, and leads to its calls in the timeline', async () => {
  await goToLine(76);
  await workbench.runCommand('Show or Focus Hover');
  const hover = hoverRows(page).filter({ hasText: 'Called from' }).first();
  await hover.waitFor();
  const cost = costOf(76);
  const text = await hover.innerText();
  assert.ok(text.includes(`${formatUs(cost.hostTotalUs)} CPU`), text);
  assert.match(text, /aten::std/);
  assert.match(text, /Called from/);
  await hover
    .getByRole('link', { name: 'Timeline' })
    .or(hover.getByText('Timeline', { exact: true }))
    .first()
    .click();
  const frame = await profileFrame(workbench);
  await waitUntil('the timeline', async () => {
    const tab = frame.locator('[role=tab][aria-selected=true]').first();
    return (await tab.innerText()).trim() === 'Timeline';
  });
  await frame.getByText('slow.py:76').first().waitFor();
});

step('the hot lines of the profile lead to the source', async () => {
  await showProfilesTree();
  const row = listRows(page).filter({ hasText: 'slow.py:76' });
  await row.first().waitFor();
  await row.first().click();
  await page.getByText('Ln 76, Col').first().waitFor();
  await workbench.tab('slow.py').waitFor();
  // The profile itself stands in the tree with its worker.
  await listRows(page).filter({ hasText: 'slow.pt.trace.json.gz' }).first().waitFor();
});

step('the next hot line is one with time of its own', async () => {
  const root = workbench.workspace;
  const { rows, totals } = commandLine('lines', trace, '--source', root, '--limit', '-1');
  const hot = rows
    .filter((row) => row.confidence !== 'function' && row.hostSelfUs / totals.hostUs >= 0.005)
    .map((row) => row.line)
    .sort((a, b) => a - b);
  const next = hot.find((line) => line > 71);
  const previous = hot.filter((line) => line < next).at(-1);
  await goToLine(71);
  await workbench.runCommand('PyTorch Profile: Go to Next Hot Line');
  await page.getByText(`Ln ${next}, Col`).first().waitFor();
  await workbench.runCommand('PyTorch Profile: Go to Previous Hot Line');
  await page.getByText(`Ln ${previous}, Col`).first().waitFor();
});

step('findings about lines stand among the problems', async () => {
  const { recommendations } = commandLine('overview', trace);
  const finding = recommendations.find(({ frames }) => frames.some(({ library }) => !library));
  assert.ok(finding, 'the sample has a finding with a line');
  await goToLine(71);
  await workbench.runCommand('Problems: Focus on Problems View');
  const row = problemRows(page).filter({ hasText: finding.id });
  await row.first().waitFor();
  assert.match(await row.first().innerText(), /PyTorch Profile/);
  // It stands on the line that calls, where the recorder named another.
  const found = commandLine('overview', trace, '--source', workbench.workspace).recommendations;
  const [frame] = found.find(({ id }) => id === finding.id).frames;
  assert.equal(frame.lineIsDefinition, false);
  await problemRows(page)
    .filter({ hasText: `Ln ${frame.line}, Col` })
    .first()
    .waitFor();
  await workbench.runCommand('View: Toggle Panel Visibility');
  await row.first().waitFor({ state: 'hidden' });
  const fix = fixes(page).getByText('Copy the suggested code').first();
  // A menu that opens before the fixes are known lacks them, and is asked for again.
  await waitUntil('the fixes of the finding', async () => {
    await page.keyboard.press('Escape');
    await goToLine(frame.line);
    await page.keyboard.press('Control+.');
    await fix.waitFor({ timeout: 4000 });
    await fixes(page).getByText('Show in PyTorch Profile').first().waitFor();
    await fix.click({ timeout: 4000 });
    await fix.waitFor({ state: 'hidden', timeout: 4000 });
    return true;
  });
});

step('hints follow their statements through edits', async () => {
  await goToLine(74);
  const before = await hintOn('deviation = dataset.images.std', /%/);
  await page.keyboard.press('Home');
  await page.keyboard.type('# a note\n\n');
  await page.keyboard.press('Control+Home');
  await goToLine(78);
  assert.equal(await hintOn('deviation = dataset.images.std', /%/), before);
  // The line that stands where the statement was before has none of its cost.
  const other = (await shownHints()).find(({ text }) => text.includes('def normalise'));
  assert.ok(!other.hint.startsWith(before.slice(0, 8)), other.hint);
  // So do the hot lines, and a click goes to where the statement is now.
  await goToLine(1);
  await showProfilesTree();
  await listRows(page).filter({ hasText: 'slow.py:78' }).first().click();
  await page.getByText('Ln 78, Col').first().waitFor();
});

step('a changed statement is marked stale on its function, not on the new line', async () => {
  await goToLine(78);
  await page.keyboard.press('End');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.type('deviation = 1.0');
  const cost = formatUs(costOf(76).hostTotalUs);
  const stale = await hintOn('def normalise', /changed/);
  // The shorter form, where the editor has no room for the whole.
  const forms = [`${cost} CPU, 1 line changed since the recording`, `${cost}, changed`];
  assert.ok(forms.includes(stale), stale);
  const line = (await shownHints()).find(({ text }) => text.includes('deviation = 1.0'));
  assert.equal(line.hint, '');
  // Among the hot lines it keeps its rank, and says what it was.
  const rows = listRows(page).filter({ hasText: 'deviation = dataset.images.std' });
  await rows.filter({ hasText: 'changed' }).first().waitFor();
  for (let i = 0; i < 12; i++) await page.keyboard.press('Control+z');
  await hintOn('deviation = dataset.images.std', /%/);
});

step('one command switches everything off and on', async () => {
  await workbench.runCommand('PyTorch Profile: Toggle Costs in Source');
  await waitUntil('no costs', async () => {
    const hints = (await shownHints()).filter(({ hint }) => hint !== '');
    return hints.length === 0 && (await workbench.codeLenses().count()) === 0;
  });
  await workbench.runCommand('PyTorch Profile: Toggle Costs in Source');
  await hintOn('deviation = dataset.images.std', /%/);
  await lenses().first().waitFor();
});

step('each surface has its setting', async () => {
  await goToLine(76);
  const heat = () => marginMarks(page).count();
  const hinted = async () => (await shownHints()).filter(({ hint }) => hint !== '').length;
  await waitUntil('heat', async () => (await heat()) > 0);
  const all = await hinted();
  /** Changes settings, waits for what they do, and takes them back. */
  const under = async (settings, what, effect) => {
    // Those of the folder, which are watched.
    const file = join(workbench.workspace, '.vscode', 'settings.json');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(settings));
    await waitUntil(what, effect);
    writeFileSync(file, '{}');
    await waitUntil(`as before ${what}`, async () => {
      return (await heat()) > 0 && (await hinted()) === all && (await lenses().count()) > 0;
    });
  };
  await under({ 'emberline.hints.enabled': false }, 'no hints', async () => {
    return (await hinted()) === 0 && (await heat()) > 0;
  });
  await under({ 'emberline.heat.enabled': false }, 'no heat', async () => {
    return (await heat()) === 0 && (await hinted()) === all;
  });
  await under({ 'emberline.codeLens.enabled': false }, 'no lenses', async () => {
    return (await lenses().count()) === 0 && (await hinted()) > 0;
  });
  await under({ 'emberline.codeLens.hottestLines': 0 }, 'no lenses on lines', async () => {
    return (
      (await lenses().filter({ hasText: 'Hottest line' }).count()) === 0 &&
      (await lenses().count()) > 0
    );
  });
  await under({ 'emberline.hints.minimumPercent': 40 }, 'only the hottest lines', async () => {
    const hints = (await shownHints()).filter(({ hint }) => hint !== '');
    return hints.length > 0 && hints.length < all && hints.some(({ text }) => /std/.test(text));
  });
  // The sample has no device work, so there is no device time to show.
  await under({ 'emberline.metric': 'device' }, 'no device time', async () => {
    return (await hinted()) === 0 && (await lenses().count()) === 0;
  });
});

step('code that was recorded on another machine finds its file', async () => {
  await workbench.openFile('transformer/train.pt.trace.json.gz');
  const frame = await profileFrame(workbench);
  await frame.getByRole('tab', { name: 'Overview', exact: true }).waitFor();
  await workbench.openFile('transformer/model.py');
  await workbench.tab('model.py').waitFor();
  await lenses()
    .filter({ hasText: /CPU, .* · .*calls/ })
    .first()
    .waitFor();
});

step('the active profile is the one whose costs are shown', async () => {
  await workbench.openFile('train_cnn/fixed.py');
  await workbench.tab('fixed.py').waitFor();
  await workbench.openFile('train_cnn/slow.py');
  await waitUntil('no costs of the other profile', async () => {
    return (await workbench.codeLenses().count()) === 0;
  });
  await workbench.runCommand('PyTorch Profile: Choose Active Profile...');
  await workbench.pickInList('slow.pt.trace.json.gz');
  await lenses().filter({ hasText: /CPU/ }).first().waitFor();
});

step('cells of a notebook have their costs', async () => {
  const notebook = 'cells.ipynb';
  writeFileSync(join(workbench.workspace, notebook), notebookOf(cellText));
  writeFileSync(join(workbench.workspace, 'cells.pt.trace.json'), traceOfCell(cellText));
  await workbench.openFile('cells.pt.trace.json');
  await workbench.tab('cells.pt.trace.json').waitFor();
  const frame = await profileFrame(workbench);
  await frame.getByRole('tab', { name: 'Overview', exact: true }).waitFor();
  await workbench.openFile(notebook);
  await workbench.tab(notebook).waitFor();
  await lenses()
    .filter({ hasText: /aten::add|aten::mul/ })
    .first()
    .waitFor();
});

/** The one of some rows that stands lowest; a list's rows are in no order in the page. */
async function lowest(locator) {
  const boxes = await Promise.all(
    (await locator.all()).map(async (row) => ({ row, y: (await row.boundingBox())?.y ?? -1 })),
  );
  const last = boxes.sort((a, b) => b.y - a.y)[0];
  assert.ok(last, 'no such row');
  return last.row;
}

step('a file that is not in the workspace is located once', async () => {
  const elsewhere = join(workbench.folders.home, 'elsewhere', 'project');
  mkdirSync(elsewhere, { recursive: true });
  writeFileSync(join(elsewhere, 'lonely.py'), cellText);
  const recorded = '/recorded/far/away/project/lonely.py';
  writeFileSync(join(workbench.workspace, 'far.pt.trace.json'), traceOfFile(recorded, cellText));
  await workbench.openFile('far.pt.trace.json');
  await workbench.tab('far.pt.trace.json').waitFor();
  await showProfilesTree();
  const row = listRows(page).filter({ hasText: 'lonely.py:', visible: true });
  const locate = notifications(page).getByText('Locate...');
  const input = quickInputBox(page);
  // The tree is filled again when the profile is loaded, which may take a click with it.
  await waitUntil('the question where the file lies', async () => {
    await row.first().click({ timeout: 4000 });
    await locate.first().click({ timeout: 4000 });
    await input.waitFor({ timeout: 4000 });
    return true;
  });
  // The dialog writes its own folder into the box when it has listed it.
  await waitUntil('the file, located', async () => {
    if (await input.isVisible()) {
      await input.fill(join(elsewhere, 'lonely.py'));
      const accept = quickInput(page).getByText('Use This File');
      await accept.first().click({ timeout: 4000 });
    }
    await workbench.tab('lonely.py').waitFor({ timeout: 4000 });
    return true;
  });
  // With its folder known, the file has its costs too.
  await lenses()
    .filter({ hasText: /aten::add|aten::mul/ })
    .first()
    .waitFor();
});

step('a folder opens from the Explorer, and its workers from the tree', async () => {
  await workbench.runCommand('View: Show Explorer');
  const rows = listRows(page).filter({ visible: true });
  const folderRow = explorerRow(page, 'train_cnn');
  // The tree may still be moving while it reveals the file in front.
  await waitUntil('the menu of the folder', async () => {
    await page.keyboard.press('Escape');
    await folderRow.click({ button: 'right', timeout: 4000 });
    const item = page.getByRole('menuitem', { name: /Open as PyTorch Profile/ });
    await item.first().waitFor({ timeout: 4000 });
    // A menu that has just opened takes no clicks yet: the release of the button that opened it
    // must not choose anything. So it is clicked until it is gone.
    await waitUntil(
      'the menu to take the click',
      async () => {
        await item.first().click({ timeout: 1000 });
        await item.first().waitFor({ state: 'detached', timeout: 1000 });
        return true;
      },
      8000,
    );
    // A row that moved under the mouse opened something else.
    await workbench.tab(/^train_cnn/).waitFor({ timeout: 6000 });
    return true;
  });
  await showProfilesTree();
  const folder = join(workbench.workspace, 'train_cnn');
  // Until the folder was looked through, the only worker of that name is another profile's.
  await rows
    .filter({ hasText: 'fixed' })
    .filter({ hasText: /\d KiB/ })
    .first()
    .waitFor();
  for (const worker of ['slow', 'fixed']) {
    const { average } = commandLine('overview', folder, '--worker', worker);
    const shown = quantity(average.durationUs, 'us');
    // The tree grows while profiles load, so the row is looked for again.
    await waitUntil(`the steps of ${worker}: ${shown}`, async () => {
      await (await lowest(rows.filter({ hasText: worker }).filter({ hasText: /\d KiB/ }))).click();
      await tabsInFront(page).filter({ hasText: 'train_cnn' }).first().waitFor({ timeout: 4000 });
      // Other profiles are in sight beside it.
      const frame = await workbench.webviewFrame(`text="${shown}"`);
      await frame.getByText(shown).filter({ visible: true }).first().waitFor({ timeout: 4000 });
      return true;
    });
  }
});

step('nothing went wrong in the pages', () => {
  assert.deepEqual(workbench.pageErrors, []);
});
