// Costs in the source, and what survives: a daemon that dies, a window that is loaded again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Workbench, startWorkbench, waitUntil } from './workbench.mjs';
import { profileFrame, settledGrid, showView } from './product.mjs';
import { editorTabs } from './vscode_parts.mjs';

const sample = 'train_cnn/slow.pt.trace.json.gz';
let workbench;

before(async () => {
  workbench = await startWorkbench({ open: sample });
});
after(() => workbench?.stop());

const step = Workbench.steps(test, () => workbench);

step('the profile of the settings is shown when the window starts', async () => {
  await workbench.tab('slow.pt.trace.json.gz').waitFor();
  const frame = await profileFrame(workbench);
  await frame.getByRole('region', { name: 'Average step time' }).waitFor();
  assert.equal(workbench.daemonPids().length, 1);
});

step('the source shows what its functions cost', async () => {
  await workbench.openFile('train_cnn/slow.py');
  await workbench.tab('slow.py').waitFor();
  const lens = workbench.codeLenses().filter({ hasText: /\d(\.\d+)? (s|ms|µs)/ });
  await lens.first().waitFor();
  await lens.first().click();
  const frame = await profileFrame(workbench);
  await waitUntil('the operators of the function', async () => {
    const tab = frame.locator('[role=tab][aria-selected=true]');
    return /Operators|Lines/.test(await tab.innerText());
  });
  // Beside the code, and nowhere else: a tab left behind would have nothing to show.
  const tabs = editorTabs(workbench.page).filter({ hasText: 'slow.pt.trace' });
  await waitUntil('one tab of the profile', async () => (await tabs.count()) === 1);
});

step('a killed daemon comes back, and the editor with it', async () => {
  await workbench.doubleClickInExplorer(sample);
  const [pid] = workbench.daemonPids();
  process.kill(pid, 'SIGKILL');
  const next = await waitUntil('another daemon', () =>
    workbench.daemonPids().find((other) => other !== pid),
  );
  assert.notEqual(next, pid);
  const frame = await showView(workbench, 'Memory');
  await frame.getByRole('grid').or(frame.getByRole('region')).first().waitFor();
  await showView(workbench, 'Operators');
  await settledGrid(frame, 'Operators');
});

step('a window that is loaded again shows the same view', async () => {
  const before = await showView(workbench, 'Operators');
  const header = before.locator('[role=columnheader][data-key=calls]');
  if ((await header.getAttribute('aria-sort')) !== 'descending') await header.click();
  await waitUntil(
    'the order',
    async () => (await header.getAttribute('aria-sort')) === 'descending',
  );
  await settledGrid(before, 'Operators');
  await workbench.reload();
  await workbench.tab('slow.pt.trace.json.gz').waitFor();
  const frame = await profileFrame(workbench);
  const selected = frame.locator('[role=tab][aria-selected=true]');
  assert.equal((await selected.innerText()).trim(), 'Operators');
  await settledGrid(frame, 'Operators');
  const order = frame.locator('[role=columnheader][data-key=calls]');
  assert.equal(await order.getAttribute('aria-sort'), 'descending');
});
