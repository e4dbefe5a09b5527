// Where source may lie and in what state: folders of a workspace with several, packages of the
// selected interpreter, texts that were never saved, cells of old kernels, restricted mode; and what
// the editor asks the daemon meanwhile.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { prepareWorkbench } from '../../scripts/lib/code-server.mjs';
import { root, serverPath } from '../../scripts/lib/paths.mjs';
import { run } from '../../scripts/lib/process.mjs';
import { notebookOf, traceOfFile } from './notebook.mjs';
import { profileFrame } from './product.mjs';
import { startWorkbench, waitUntil, Workbench } from './workbench.mjs';
import { quickInputBox, trustEditor } from './vscode_parts.mjs';

const text = `import torch

def double(x):
    y = torch.add(x, x)
    return torch.mul(y, 2)

double(torch.ones(3))`;

function write(path, content) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** An extension that answers as the Python extension does: one interpreter is selected. */
function standInForPython(folders, prefix) {
  const folder = join(folders.home, 'stand-in');
  const manifest = {
    name: 'python',
    publisher: 'ms-python',
    version: '1.0.0',
    engines: { vscode: '^1.95.0' },
    main: './extension.js',
    activationEvents: ['onLanguage:python'],
  };
  write(join(folder, 'package.json'), JSON.stringify(manifest));
  write(join(folder, 'README.md'), 'Stands in for the Python extension.');
  write(
    join(folder, 'extension.js'),
    `exports.activate = () => ({
      environments: {
        getActiveEnvironmentPath: () => ({ path: 'selected' }),
        onDidChangeActiveEnvironmentPath: () => ({ dispose() {} }),
        resolveEnvironment: async () => ({ executable: { sysPrefix: ${JSON.stringify(prefix)} } }),
      },
    });`,
  );
  const out = join(folders.home, 'stand-in.vsix');
  const vsce = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--no-dependencies', '--allow-missing-repository', '--skip-license'];
  run(process.execPath, [vsce, 'package', ...flags, '--out', out], {
    cwd: folder,
    stdio: 'ignore',
  });
  prepareWorkbench(folders, out);
}

/** A daemon that writes down what it is asked. Gives its program and the messages so far. */
function listeningDaemon(folders) {
  const log = join(folders.home, 'requests.log');
  const program = join(folders.home, 'listening-daemon');
  write(program, `#!/bin/sh\ntee -a "${log}" | exec "${serverPath()}" "$@"\n`);
  chmodSync(program, 0o755);
  // Settings of the machine are the server's, not the user's.
  write(
    join(folders.data, 'Machine', 'settings.json'),
    JSON.stringify({ 'emberline.serverPath': program }),
  );
  return () => {
    if (!existsSync(log)) return [];
    const bytes = readFileSync(log);
    const messages = [];
    for (let at = 0; at < bytes.length;) {
      const head = bytes.indexOf('\r\n\r\n', at);
      if (head < 0) break;
      const length = Number(/Content-Length: (\d+)/i.exec(bytes.toString('latin1', at, head))[1]);
      const end = head + 4 + length;
      if (end > bytes.length) break;
      messages.push(JSON.parse(bytes.toString('utf8', head + 4, end)));
      at = end;
    }
    return messages;
  };
}

/** Opens a profile of the workspace and waits until its figures are there. */
async function openProfile(workbench, name) {
  await workbench.openFile(name);
  await workbench.tab(name.split('/').at(-1)).waitFor();
  const frame = await profileFrame(workbench);
  await frame.getByRole('tab', { name: 'Overview', exact: true }).waitFor();
}

const lensOf = (workbench) =>
  workbench
    .codeLenses()
    .filter({ visible: true, hasText: /aten::add|aten::mul/ })
    .first();

describe('a workspace with several folders', () => {
  let workbench;
  let page;
  let messages;
  const step = Workbench.steps(test, () => workbench);
  const library = '/opt/conda/lib/python3.10/site-packages/somepack/ops.py';
  let packageFile;

  before(async () => {
    workbench = await startWorkbench({
      open: 'train_cnn/slow.pt.trace.json.gz',
      settings: { 'files.autoSave': 'off', 'editor.minimap.enabled': false },
      viewport: { width: 1500, height: 1000 },
      prepare: ({ folders, workspace }) => {
        const second = join(folders.home, 'second');
        write(join(second, 'project', 'both.py'), text);
        write(
          join(second, 'both.pt.trace.json'),
          traceOfFile('/recorded/elsewhere/project/both.py', text),
        );
        write(join(second, 'library.pt.trace.json'), traceOfFile(library, text));
        // The program's own file calls the package.
        write(
          join(second, 'calling.pt.trace.json'),
          traceOfFile(library, text).replace(`${library}(7)`, '/recorded/main.py(7)'),
        );
        write(join(second, 'pasted.pt.trace.json'), traceOfFile('/gone/pasted.py', text));
        const digest = createHash('sha1').update(`${text}\n`).digest('hex').slice(0, 12);
        write(
          join(second, 'oldcell.pt.trace.json'),
          traceOfFile(`<ipython-input-7-${digest}>`, text),
        );
        write(join(second, 'oldcell.ipynb'), notebookOf(text));
        const prefix = join(folders.home, 'environment');
        packageFile = join(prefix, 'lib', 'python3.12', 'site-packages', 'somepack', 'ops.py');
        write(packageFile, text);
        standInForPython(folders, prefix);
        messages = listeningDaemon(folders);
        const address = join(folders.home, 'both.code-workspace');
        write(address, JSON.stringify({ folders: [{ path: workspace }, { path: second }] }));
        return { address };
      },
    });
    page = workbench.page;
  });
  after(() => workbench?.stop());

  step('files of each folder have their costs', async () => {
    // The profile opens by itself, and comes to the front when it does.
    await workbench.tab('slow.pt.trace.json.gz').waitFor();
    await workbench.openFile('train_cnn/slow.py');
    await workbench.tab('slow.py').waitFor();
    await workbench
      .codeLenses()
      .filter({ hasText: /ms CPU/ })
      .first()
      .waitFor();
    await openProfile(workbench, 'both.pt.trace.json');
    await workbench.openFile('project/both.py');
    await workbench.tab('both.py').waitFor();
    await lensOf(workbench).waitFor();
  });

  step('each version of a text is asked about once', async () => {
    const asked = () =>
      messages()
        .filter(({ method }) => method === 'source/annotations')
        .filter(({ params }) => params.path.endsWith('/project/both.py'))
        .map(({ params }) => params.text);
    await page.keyboard.press('Control+End');
    await page.keyboard.press('Enter');
    const begun = asked().length;
    await page.keyboard.type('# some words that somebody types');
    await waitUntil('the question about the typed text', () =>
      asked().some((asks) => asks.endsWith('# some words that somebody types')),
    );
    const typed = asked().slice(begun);
    assert.equal(new Set(typed).size, typed.length, 'no text is asked about twice');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('# one\n# two');
    const pasted = () => asked().filter((asks) => asks.endsWith('# one\n# two'));
    await waitUntil('the question about the pasted text', () => pasted().length > 0);
    // All surfaces have drawn their part of it; another tab and back asks nothing new.
    await lensOf(workbench).waitFor();
    await workbench.tab('slow.py').click();
    await workbench.tab('both.py').click();
    await lensOf(workbench).waitFor();
    assert.equal(pasted().length, 1);
    await workbench.runCommand('File: Revert File');
  });

  step('packages of the selected interpreter have theirs', async () => {
    await openProfile(workbench, 'library.pt.trace.json');
    await workbench.openFile(packageFile);
    await workbench.tab('ops.py').waitFor();
    await lensOf(workbench).waitFor();
    const { params } = messages()
      .filter(({ method }) => method === 'source/annotations')
      .findLast((message) => message.params.path === packageFile);
    assert.ok(params.sitePackages.includes(dirname(dirname(packageFile))), params.sitePackages);
  });

  step('a package counts as library code until the user says that it is theirs', async () => {
    await openProfile(workbench, 'calling.pt.trace.json');
    const frame = await profileFrame(workbench);
    const hottest = frame.getByRole('region', { name: 'Hottest lines' });
    await hottest.getByRole('button', { name: /main\.py:7/ }).waitFor();
    assert.equal(await hottest.getByRole('button', { name: /ops\.py/ }).count(), 0);
    workbench.changeSettings({ 'emberline.userPackages': ['somepack'] });
    await workbench.reload();
    await openProfile(workbench, 'calling.pt.trace.json');
    const own = (await profileFrame(workbench)).getByRole('region', { name: 'Hottest lines' });
    await own
      .getByRole('button', { name: /ops\.py/ })
      .first()
      .waitFor();
  });

  step(
    'a text that was never saved is the recorded file it is of, also while it is edited',
    async () => {
      await openProfile(workbench, 'pasted.pt.trace.json');
      await workbench.runCommand('File: New Untitled Text File');
      await workbench.tab('Untitled-1').waitFor();
      await page.keyboard.insertText(text);
      await workbench.runCommand('Change Language Mode');
      await quickInputBox(page).fill('python');
      await workbench.pickInList('Python');
      await lensOf(workbench).waitFor();
      const before = await lensOf(workbench).innerText();
      await page.keyboard.press('Control+Home');
      await page.keyboard.insertText('# a note\n\n');
      await waitUntil('the lens on its function', async () => {
        const last = messages().findLast(({ method }) => method === 'source/annotations');
        return last.params.untitled === true && last.params.text.startsWith('# a note');
      });
      await waitUntil(
        'the same cost',
        async () => (await lensOf(workbench).innerText()) === before,
      );
    },
  );

  step('cells of kernels that named them by a digest', async () => {
    await openProfile(workbench, 'oldcell.pt.trace.json');
    await workbench.openFile('oldcell.ipynb');
    await workbench.tab('oldcell.ipynb').waitFor();
    await lensOf(workbench).waitFor();
  });

  step('nothing went wrong in the pages', () => {
    assert.deepEqual(workbench.pageErrors, []);
  });
});

describe('a folder that is not trusted', () => {
  let workbench;
  let mapped;
  const step = Workbench.steps(test, () => workbench);

  before(async () => {
    workbench = await startWorkbench({
      open: 'train_cnn/slow.pt.trace.json.gz',
      trust: false,
      // Else the question about trust stands in front of the editors.
      settings: { 'workbench.editor.useModal': 'off' },
      prepare: ({ folders, workspace }) => {
        const near = join(folders.home, 'near');
        mapped = join(near, 'away', 'renamed.py');
        write(mapped, text);
        write(
          join(workspace, 'far.pt.trace.json'),
          traceOfFile('/recorded/far/away/renamed.py', text),
        );
        write(
          join(workspace, '.vscode', 'settings.json'),
          JSON.stringify({
            'emberline.pathMappings': [{ from: '/recorded/far', to: near }],
            'emberline.serverPath': '/bin/false',
          }),
        );
      },
    });
  });
  after(() => workbench?.stop());

  step('profiles are shown, and costs in the files of the folder', async () => {
    await workbench.page.getByText('Restricted Mode').first().waitFor();
    const frame = await profileFrame(workbench);
    await frame.getByRole('region', { name: 'Average step time' }).waitFor();
    await workbench.openFile('train_cnn/slow.py');
    await workbench.tab('slow.py').waitFor();
    await workbench
      .codeLenses()
      .filter({ hasText: /ms CPU/ })
      .first()
      .waitFor();
  });

  step('the folder maps no paths until it is trusted', async () => {
    await openProfile(workbench, 'far.pt.trace.json');
    await workbench.openFile(mapped);
    await workbench.tab('renamed.py').waitFor();
    // The other profile's costs have gone with it, so this one was asked.
    await workbench.tab('slow.py').click();
    await waitUntil('no costs', async () => (await workbench.codeLenses().count()) === 0);
    await workbench.tab('renamed.py').click();
    await workbench.page.getByText('Ln 1, Col').first().waitFor();
    assert.equal(await workbench.codeLenses().count(), 0);

    await workbench.runCommand('Workspaces: Manage Workspace Trust');
    await trustEditor(workbench.page).getByText('Trust', { exact: true }).first().click();
    await workbench.page.getByText('Restricted Mode').first().waitFor({ state: 'hidden' });
    await workbench.tab('renamed.py').click();
    await lensOf(workbench).waitFor();
  });
});
