// What lines of a program would save, in the editor and in the roofline, on a drawn trace of a GPU.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { program, programTrace, savedUs } from '../lib/gpu_program.mjs';
import { profileFrame, rowCount, settledGrid, cellText, cellValue } from './product.mjs';
import { startWorkbench, themes, Workbench } from './workbench.mjs';

const source = 'block.py';
const trace = 'block.pt.trace.json';

describe('savings of a program on a GPU', () => {
  let workbench;
  const step = Workbench.steps(test, () => workbench);
  const lens = (hasText) => workbench.codeLenses().filter({ hasText, visible: true }).first();

  before(async () => {
    workbench = await startWorkbench({
      viewport: { width: 1280, height: 800 },
      prepare: ({ workspace }) => {
        const file = join(workspace, source);
        writeFileSync(file, program);
        writeFileSync(join(workspace, trace), programTrace(file));
        return { settings: { 'emberline.openOnStartup': join(workspace, trace) } };
      },
    });
  });
  after(() => workbench?.stop());

  step('the lines that would save most say so', async () => {
    await profileFrame(workbench);
    await workbench.openFile(source);
    await lens('could save 333 \u00b5s at 60 % of the roof').waitFor();
    await lens('could save 92.6 \u00b5s at 60 % of the roof').waitFor();
    await workbench.screenshot('savings-source');
  });

  step('a saving leads to its line in the roofline', async () => {
    await workbench.clickLens(lens('could save 333'), workbench.tab(trace));
    const frame = await profileFrame(workbench);
    await rowCount(frame, '1 of 2 rows');
    const grid = await settledGrid(frame, 'Costs');
    assert.equal(await cellText(grid, 0, 'name'), 'block');
    assert.ok(Math.abs((await cellValue(grid, 0, 'savedUs')) - savedUs('activation', 0.6)) < 0.01);
  });

  step('it looks right in every theme', async () => {
    for (const name of Object.keys(themes)) {
      await workbench.setTheme(name);
      await settledGrid(await profileFrame(workbench), 'Costs');
      await workbench.screenshot(`roofline-${name}`);
    }
    assert.deepEqual(workbench.pageErrors, []);
  });
});
