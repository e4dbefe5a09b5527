// When the extension begins to run, by what VS Code's extension host writes down: not with every
// window and any file, but where a trace lies in the folder, and with its commands.
import assert from 'node:assert/strict';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { after, before, describe, test } from 'node:test';
import { root } from '../../scripts/lib/paths.mjs';
import { Workbench, startWorkbench, waitUntil } from './workbench.mjs';
import { profileFrame } from './product.mjs';
import { editorAction, notifications } from './vscode_parts.mjs';
import { headline } from '../lib/roles.mjs';

/** What the extension host of the window says. */
function hostLog({ data }) {
  const [path] = globSync('logs/*/exthost*/remoteexthost.log', { cwd: data });
  return path === undefined ? '' : readFileSync(join(data, path), 'utf8');
}

/** The event that our extension was activated by; undefined while it does not run. */
const activatedBy = (folders) =>
  /_doActivateExtension emberline\.emberline, startup: \w+, activationEvent: '([^']*)'/.exec(
    hostLog(folders),
  )?.[1];

/** Waits until VS Code has started all that starts with a window. */
const started = (folders) =>
  waitUntil('the end of the start', () => hostLog(folders).includes('Eager extensions activated'));

describe('a folder without traces', () => {
  let folder;
  let workbench;
  const step = Workbench.steps(test, () => workbench);

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'emberline-plain-'));
    writeFileSync(join(folder, 'train.py'), 'import torch\n\nprint(torch.ones(3))\n');
    writeFileSync(join(folder, 'config.json'), '{ "epochs": 3 }\n');
    const zipped = readFileSync(join(root, 'samples', 'inference', 'classify.pt.trace.json.gz'));
    for (const name of ['my_profile.json', 'second.json', 'third.json']) {
      writeFileSync(join(folder, name), gunzipSync(zipped));
    }
    workbench = await startWorkbench({ folder, settings: { 'workbench.startupEditor': 'none' } });
  });
  after(async () => {
    await workbench?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const button = () => editorAction(workbench.page, 'Open as PyTorch Profile');

  step('nothing of ours runs, also beside Python and JSON', async () => {
    await started(workbench.folders);
    for (const name of ['train.py', 'config.json']) {
      await workbench.openFile(name);
      await workbench.tab(name).waitFor();
    }
    await waitUntil('the JSON extension', () =>
      hostLog(workbench.folders).includes('onLanguage:json'),
    );
    assert.equal(activatedBy(workbench.folders), undefined);
    assert.equal(await button().count(), 0);
    assert.deepEqual(workbench.daemonPids(), []);
  });

  step('a plain file that is named after a profile has the button, which starts it', async () => {
    await workbench.openFile('my_profile.json');
    await button().waitFor();
    assert.equal(activatedBy(workbench.folders), undefined);
    await button().click();
    await headline(await profileFrame(workbench)).waitFor();
    assert.equal(activatedBy(workbench.folders), 'onCommand:emberline.openAsProfile');
    // What a plain file holds is known from now on, and its name does not count.
    await workbench.openFile('config.json');
    await workbench.tab('config.json').waitFor();
    assert.equal(await button().count(), 0);
  });

  step('another plain trace is offered, and none after "Don\'t Ask Again"', async () => {
    const offers = () => notifications(workbench.page).filter({ hasText: 'is a profiler trace' });
    await workbench.openFile('second.json');
    const offer = offers().filter({ hasText: 'second.json' });
    await workbench.answer(offer, "Don't Ask Again");
    await offer.first().waitFor({ state: 'hidden' });
    await workbench.openFile('third.json');
    await button().waitFor();
    assert.equal(await offers().count(), 0);
  });
});

test('a trace in the folder starts it, and no daemon before it is opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-traced-'));
  let workbench;
  try {
    mkdirSync(join(folder, 'log'));
    const trace = join(root, 'samples', 'train_cnn', 'slow.pt.trace.json.gz');
    cpSync(trace, join(folder, 'log', 'slow.pt.trace.json.gz'));
    workbench = await startWorkbench({ folder, settings: { 'workbench.startupEditor': 'none' } });
    await workbench.watched('activation', async () => {
      await waitUntil('the extension', () => activatedBy(workbench.folders));
      assert.match(activatedBy(workbench.folders), /^workspaceContains:/);
      assert.deepEqual(workbench.daemonPids(), []);
    });
  } finally {
    await workbench?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
