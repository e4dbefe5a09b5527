// A job of several ranks in the window: opened in the palette, in the Explorer and from the profiles
// view; its late rank's line, that rank's profile, and all of it again after a reload. Then digests, and
// a real job where there is one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serverPath } from '../../scripts/lib/paths.mjs';
import { writeJob } from '../generator/job.mjs';
import { goToView, profileFrame } from './product.mjs';
import { startWorkbench, themes, waitUntil, Workbench } from './workbench.mjs';
import { activity, explorerRow, notifications, paneRows, quickInputRows } from './vscode_parts.mjs';
import { busyParts } from '../lib/roles.mjs';

const corpus = process.env.EMBERLINE_CORPUS;
const real = join(corpus ?? '', 'param/et_replay/tests/inputs/extracted/dlrm_kineto');
const hasReal = corpus !== undefined && existsSync(real);

describe('a job of several ranks', () => {
  let workbench;
  let page;
  const step = Workbench.steps(test, () => workbench);
  const jobPage = () => workbench.webviewFrame('#tab-stragglers');

  before(async () => {
    workbench = await startWorkbench({
      viewport: { width: 1280, height: 800 },
      settings: { 'editor.minimap.enabled': false },
      prepare: ({ workspace }) => {
        const straggler = { rank: 5, kind: 'device', extraNs: 1_500_000 };
        writeJob(join(workspace, 'ranks'), {
          ranks: 8,
          steps: 4,
          seed: 3,
          missing: [6],
          straggler,
        });
        const lines = Array.from({ length: 100 }, (_, line) => `# line ${line + 1}`);
        mkdirSync(join(workspace, 'job'));
        writeFileSync(join(workspace, 'job', 'train.py'), lines.join('\n'));
        const args = ['digest', join(workspace, 'ranks'), '-o', join(workspace, 'digests')];
        const made = spawnSync(serverPath(), args, { encoding: 'utf8' });
        assert.equal(made.status, 0, made.stderr);
        if (hasReal) cpSync(real, join(workspace, 'dlrm'), { recursive: true });
      },
    });
    page = workbench.page;
  });
  after(() => workbench?.stop());

  async function answer() {
    const frame = await jobPage();
    const said = frame.getByRole('region', { name: 'Answer' });
    await said.locator('h1').waitFor();
    // Figures stay on one line with their units.
    return (await said.innerText()).replaceAll('\u00a0', ' ').replaceAll(/\n+/g, ' ');
  }

  async function openJob(folder) {
    await waitUntil(`${folder} in the list`, async () => {
      await workbench.runCommand('Open PyTorch Job...');
      await quickInputRows(page).filter({ hasText: folder }).first().click({ timeout: 8000 });
      return true;
    });
    await workbench.tab(`${folder} \u00b7 job`).waitFor();
  }

  step('the palette offers the folder, and the answer stands first', async () => {
    await openJob('ranks');
    const all = await waitUntil('all ranks', async () => {
      const said = await answer();
      return said.includes(' 7 of 8 ranks: ') ? said : undefined;
    });
    assert.match(
      all,
      /^Rank 5 is the bottleneck: .* with 6\.00 ms more in aten::sort on the device\. /,
    );
    const frame = await jobPage();
    await frame.getByText('Rank 6 has no trace here; the job has 8.').waitFor();
  });

  step("the late rank's reason opens its line", async () => {
    const frame = await jobPage();
    await frame.getByRole('button', { name: 'train.py:77' }).click();
    await workbench.tab('train.py').waitFor();
    await page.getByText('Ln 77, Col 1').waitFor();
    await workbench.tab('ranks \u00b7 job').click();
  });

  step('a reload comes back to the tab that was shown', async () => {
    const frame = await jobPage();
    await goToView(frame, 'Stragglers');
    await frame.getByRole('grid', { name: 'Ranks by lateness' }).waitFor();
    await workbench.reload();
    await workbench.tab('ranks \u00b7 job').waitFor();
    const again = await jobPage();
    await again.locator('#tab-stragglers[aria-selected=true]').waitFor();
    await again.getByRole('row').filter({ hasText: 'aten::sort' }).waitFor();
  });

  step("a rank opens its own trace in the profile's editor", async () => {
    const frame = await jobPage();
    await goToView(frame, 'Topology');
    await frame.getByRole('button', { name: /^Rank 5, late, GPU 5/ }).click();
    await workbench.tab('ranks').waitFor();
    const profile = await workbench.webviewFrame('#tab-operators');
    await waitUntil('the worker of rank 5', async () => {
      const chosen = profile.locator('vscode-single-select[label=Worker]');
      return (await chosen.evaluate((select) => select.value)) === 'node0_5';
    });
  });

  step('the profiles view has the way to the job', async () => {
    await activity(page, 'PyTorch Profiles').click();
    const row = paneRows(page).filter({ hasText: 'ranks' }).first();
    await workbench.chooseInMenu(row, 'Open as PyTorch Job');
    await jobPage();
  });

  step('a folder of digests shows the same', async () => {
    await openJob('digests');
    await waitUntil('the digests', async () => {
      const frame = await jobPage();
      return frame.getByText('7 digests', { exact: true }).isVisible();
    });
    const frame = await jobPage();
    await goToView(frame, 'Overview');
    assert.match(await answer(), / 7 of 8 ranks: /);
    await frame.getByText('Rank 6 has no digest here; the job has 8.').waitFor();
    // No trace tells where the code lies: the workspace does.
    await frame.getByRole('button', { name: 'train.py:77' }).click();
    await page.getByText('Ln 77, Col 1').waitFor();
  });

  step('a folder of digests that grows asks to be loaded again', async () => {
    await workbench.tab('digests \u00b7 job').click();
    const lost = join(workbench.workspace, '..', 'lost');
    const missing = [0, 1, 2, 3, 4, 5, 7];
    writeJob(lost, { ranks: 8, steps: 4, seed: 3, missing });
    const digests = join(workbench.workspace, 'digests');
    const made = spawnSync(serverPath(), ['digest', lost, '-o', digests], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
    const offer = notifications(page).filter({ hasText: 'digests has changed on disk' });
    await workbench.answer(offer, 'Reload');
    await waitUntil('all ranks', async () => (await answer()).includes('. 8 ranks: '));
  });

  step('a table without rows says why, below the choice of another', async () => {
    const frame = await jobPage();
    await goToView(frame, 'Analyses');
    const choice = frame.locator('vscode-single-select[label=Analysis]');
    await choice.waitFor();
    await choice.evaluate((select) => {
      select.value = 'counters';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    await frame.getByText('No hardware counters of kernels were recorded.').first().waitFor();
    await choice.waitFor();
    for (const name of ['light', 'highContrastDark']) {
      await workbench.setTheme(name);
      await workbench.screenshot(`job-no-rows-${name}`);
    }
  });

  step('a folder of several ranks that is opened as a profile offers the job', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.runCommand('View: Show Explorer');
    const row = explorerRow(page, 'ranks');
    await workbench.chooseInMenu(row, 'Open as PyTorch Profile');
    const offer = notifications(page).filter({ hasText: '7 workers' });
    await workbench.answer(offer, 'Open as Job');
    await workbench.tab('ranks \u00b7 job').waitFor();
    await jobPage();
  });

  step('it looks right in every theme', async () => {
    await workbench.tab('ranks \u00b7 job').click();
    for (const name of Object.keys(themes)) {
      await workbench.setTheme(name);
      const frame = await jobPage();
      for (const tab of ['Overview', 'Steps', 'Communication', 'Timeline', 'Topology']) {
        await goToView(frame, tab);
        await frame.getByRole('tabpanel').getByRole('region').first().waitFor();
        await waitUntil('its answers', async () => (await busyParts(frame).count()) === 0);
        await workbench.screenshot(`job-${tab.toLowerCase()}-${name}`);
      }
    }
    assert.deepEqual(workbench.pageErrors, []);
  });

  step('a rank that is removed, or added under another name, asks to load it again', async () => {
    await workbench.runCommand('View: Close All Editors');
    await openJob('ranks');
    await goToView(await jobPage(), 'Overview');
    await waitUntil('all ranks', async () => / 7 of 8 ranks: /.test(await answer()));
    const folder = join(workbench.workspace, 'ranks');
    const name = readdirSync(folder).find((entry) => entry.startsWith('node0_3.'));
    const away = join(workbench.workspace, '..', name);
    const offer = notifications(page).filter({ hasText: 'ranks has changed on disk' });
    const reload = () => workbench.answer(offer, 'Reload');
    // What is no trace does not matter.
    writeFileSync(join(folder, 'notes.json'), '{"a": 1}');
    await page.waitForTimeout(4000);
    assert.equal(await offer.count(), 0);
    renameSync(join(folder, name), away);
    await reload();
    await waitUntil('one rank less', async () => / 6 of 8 ranks: /.test(await answer()));
    const third = join(folder, 'third.json');
    renameSync(away, third);
    await reload();
    await waitUntil('its rank again', async () => / 7 of 8 ranks: /.test(await answer()));
    // Its name does not say that it is a trace, nor can it be read any more once it is gone.
    for (const reopened of [false, true]) {
      if (reopened) {
        await workbench.runCommand('View: Close All Editors');
        await openJob('ranks');
        await goToView(await jobPage(), 'Overview');
        await waitUntil('all ranks', async () => / 7 of 8 ranks: /.test(await answer()));
      }
      renameSync(third, away);
      await reload();
      await waitUntil('one rank less', async () => / 6 of 8 ranks: /.test(await answer()));
      renameSync(away, third);
      await reload();
      await waitUntil('its rank again', async () => / 7 of 8 ranks: /.test(await answer()));
    }
  });

  step('a folder that is open as a profile, too, asks once and loads both', async () => {
    const folder = join(workbench.workspace, 'ranks');
    await workbench.chooseInMenu(explorerRow(page, 'ranks'), 'Open as PyTorch Profile');
    await workbench.tab(/^ranks$/).waitFor();
    const profile = await profileFrame(workbench);
    const worker = profile.locator('vscode-single-select[label=Worker]');
    await worker.waitFor();
    const workers = () => worker.evaluate((select) => select.options.length);
    const before = await workers();
    const name = readdirSync(folder).find((entry) => entry.startsWith('node0_4.'));
    renameSync(join(folder, name), join(workbench.workspace, '..', name));
    const offer = notifications(page).filter({ hasText: 'ranks has changed on disk' });
    await offer.first().waitFor();
    // The other watch has rested as long.
    await page.waitForTimeout(1000);
    assert.equal(await offer.count(), 1);
    await workbench.answer(offer, 'Reload');
    await waitUntil('one worker less', async () => (await workers()) === before - 1);
    await workbench.tab('ranks \u00b7 job').click();
    await waitUntil('one rank less', async () => / 6 of 8 ranks: /.test(await answer()));
  });

  step('a real job of eight ranks', async () => {
    if (!hasReal) return;
    await openJob('dlrm');
    const said = await waitUntil('all ranks', async () => {
      const text = await answer();
      return text.includes('. 8 ranks: ') ? text : undefined;
    });
    assert.match(said, /^Rank 7 arrives last at 5 of its 8 collectives/);
    await workbench.screenshot('job-real');
  });
});
