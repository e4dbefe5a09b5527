// Makes the README's pictures from the real product: node tests/e2e/pictures.mjs
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureNode } from '../../scripts/lib/node.mjs';
import { root } from '../../scripts/lib/paths.mjs';
import { profileFrame, settledGrid, showView } from './product.mjs';
import { startWorkbench, waitUntil } from './workbench.mjs';
import { quickInputBox } from './vscode_parts.mjs';
import { openedDetails } from '../lib/roles.mjs';

const folder = join(root, 'extension', 'media', 'pictures');

await ensureNode();
mkdirSync(folder, { recursive: true });
const workbench = await startWorkbench({
  open: 'train_cnn/slow.pt.trace.json.gz',
  settings: { 'workbench.colorTheme': 'Dark 2026', 'editor.minimap.enabled': false },
  viewport: { width: 1280, height: 800 },
});
const { page } = workbench;

/** A picture once two in a row are the same, that is, when nothing moves any more. */
async function take(name) {
  await page.mouse.move(240, 600);
  let last;
  await waitUntil(`${name} at rest`, async () => {
    const now = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const same = last !== undefined && now.equals(last);
    last = now;
    if (!same) await new Promise((resolve) => setTimeout(resolve, 500));
    return same;
  });
  await page.screenshot({
    path: join(folder, `${name}.png`),
    animations: 'disabled',
    caret: 'hide',
  });
  console.log(`${name}.png`);
}

try {
  const frame = await profileFrame(workbench);
  await frame.getByRole('region', { name: 'Average step time' }).waitFor();
  await take('overview');
  await showView(workbench, 'Operators');
  const grid = await settledGrid(frame, 'Operators');
  await grid.getByRole('button', { name: 'Open row' }).first().click();
  await openedDetails(frame).getByRole('list').getByRole('button').first().waitFor();
  await take('operators');
  for (const view of ['Memory', 'Timeline']) {
    await showView(workbench, view);
    await frame.locator('canvas').first().waitFor();
    await take(view.toLowerCase());
  }
  await workbench.openFile('train_cnn/slow.py');
  await workbench.tab('slow.py').waitFor();
  await workbench.codeLenses().filter({ hasText: /\d ms/ }).first().waitFor();
  await page.keyboard.press('Control+g');
  await quickInputBox(page).fill(':72');
  await page.keyboard.press('Enter');
  await take('source');
} finally {
  await workbench.stop();
}
