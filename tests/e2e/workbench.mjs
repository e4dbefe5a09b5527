// Drives the real product: the packaged VSIX in a served VS Code, in a real browser.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import {
  prepareWorkbench,
  readSettings,
  startCodeServer,
  workbenchFolders,
  workbenchUrl,
  writeSettings,
} from '../../scripts/lib/code-server.mjs';
import { root, vsixPath } from '../../scripts/lib/paths.mjs';
import { chromiumPath } from '../../scripts/setup.mjs';
import {
  activity,
  codeLenses,
  editorTabs,
  explorerRow,
  explorerRows,
  inTheme,
  notificationTexts,
  pageFrames,
  quickInput,
  quickInputBox,
  quickInputRows,
  statusBar,
} from './vscode_parts.mjs';

/** How long a condition may take on a slow machine before it counts as missed. */
export const patienceMs = 60_000;

export const outputDir = join(root, 'tests', 'out', 'e2e');

const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-swiftshader',
];

/** Themes by their label in VS Code and the class that they put on the workbench. */
export const themes = {
  dark: { label: 'Dark 2026', className: 'vs-dark' },
  light: { label: 'Light 2026', className: 'vs' },
  highContrastDark: { label: 'Dark High Contrast', className: 'hc-black' },
  highContrastLight: { label: 'Light High Contrast', className: 'hc-light' },
};

/** Asks again until the answer is neither undefined nor false; throws with `what` when it never is. */
export async function waitUntil(what, question, timeoutMs = patienceMs) {
  const end = Date.now() + timeoutMs;
  let lastError;
  for (;;) {
    try {
      const answer = await question();
      if (answer !== undefined && answer !== false && answer !== null) return answer;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > end) {
      throw new Error(`Waited ${timeoutMs / 1000} s in vain: ${what}`, { cause: lastError });
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** Whether a locator's element shows within so long. */
const appears = (locator, timeout = 4000) =>
  locator.waitFor({ timeout }).then(
    () => true,
    () => false,
  );

export function launchBrowser() {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: browserArguments,
    timeout: patienceMs,
  });
}

/**
 * Starts a VS Code with a copy of `folder` (default: the samples), the VSIX installed, in a browser
 * window. `settings` go to the user's settings; `open` is a profile of the folder to begin with.
 * Without `trust` the folder opens in restricted mode. `prepare({ folders, workspace })` runs before
 * the window opens and may name settings and another `address` (a *.code-workspace file).
 */
export async function startWorkbench({
  folder = join(root, 'samples'),
  settings = {},
  open,
  viewport = { width: 1440, height: 900 },
  trust = true,
  prepare = () => undefined,
} = {}) {
  const home = mkdtempSync(join(tmpdir(), 'emberline-'));
  const folders = workbenchFolders(home, { trust });
  const workspace = join(home, basename(folder));
  mkdirSync(outputDir, { recursive: true });
  cpSync(folder, workspace, { recursive: true });
  const prepared = (await prepare({ folders, workspace })) ?? {};
  const allSettings = {
    'security.workspace.trust.enabled': !trust,
    'security.workspace.trust.startupPrompt': 'never',
    'window.confirmBeforeClose': 'never',
    'window.autoDetectColorScheme': false,
    'window.autoDetectHighContrast': false,
    ...(open === undefined ? {} : { 'emberline.openOnStartup': join(workspace, open) }),
    ...settings,
    ...prepared.settings,
  };
  let server;
  let browser;
  try {
    prepareWorkbench(folders, process.env.EMBERLINE_VSIX ?? vsixPath(), allSettings);
    server = await startCodeServer(folders, { logFile: join(home, 'server.log') });
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport });
    const workbench = new Workbench({ folders, workspace, server, browser, page });
    await page.goto(workbenchUrl(server.url, prepared.address ?? workspace));
    await workbench.waitForReady();
    return workbench;
  } catch (error) {
    await browser?.close().catch(() => {});
    await server?.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

export class Workbench {
  constructor({ folders, workspace, server, browser, page }) {
    this.folders = folders;
    this.workspace = workspace;
    this.server = server;
    this.browser = browser;
    this.page = page;
    page.setDefaultTimeout(patienceMs);
    page.setDefaultNavigationTimeout(patienceMs);
    /** Errors that our own pages reported. The window's own script may have others, such as `Canceled`. */
    this.pageErrors = [];
    page.on('pageerror', (error) => {
      const text = String(error?.stack ?? error);
      if (/dist\/(webview\.js|views\/)/.test(text)) this.pageErrors.push(text);
      else console.log(`An error that is none of our pages': ${text}`);
    });
  }

  async waitForReady() {
    await statusBar(this.page).waitFor();
    await explorerRows(this.page).first().waitFor();
    // Its icon tells that VS Code knows the extension: earlier, a trace opens as text.
    await activity(this.page, 'PyTorch Profiles').waitFor();
  }

  /** Runs a command from the Command Palette by its full title. */
  async runCommand(title) {
    await this.#quickInput('F1', `>${title}`, title);
  }

  /** Opens a file of the workspace by Quick Open, in the editor that VS Code chooses for it. */
  async openFile(path) {
    await waitUntil(`${path} open`, async () => {
      await this.#quickInput('Control+p', path, basename(path));
      await this.tab(basename(path)).waitFor({ timeout: 8000 });
      return true;
    });
  }

  /**
   * Fills VS Code's quick input, waits for the row that says `wanted`, and takes it. The list is
   * made when the text changes and misses what is registered later, so it is asked for again.
   */
  async #quickInput(key, text, wanted) {
    const widget = quickInput(this.page);
    const input = quickInputBox(this.page);
    const row = quickInputRows(this.page).filter({ hasText: wanted });
    await waitUntil(`"${wanted}" in the quick input`, async () => {
      if (await input.isVisible()) await this.page.keyboard.press('Escape');
      await widget.waitFor({ state: 'hidden', timeout: 4000 });
      // A webview that is just being replaced takes keys and passes none on.
      await this.page.evaluate(() => {
        if (document.activeElement?.tagName === 'IFRAME') document.activeElement.blur();
      });
      await this.page.keyboard.press(key);
      await input.waitFor({ state: 'visible', timeout: 4000 });
      await input.fill(text, { timeout: 4000 });
      await row.first().click({ timeout: 4000 });
      return true;
    });
  }

  /** Takes an entry of a list that a command shows. */
  async pickInList(text) {
    await quickInputRows(this.page).filter({ hasText: text }).first().click();
  }

  /** Double click on a file in the Explorer; folders on the way are opened. */
  async doubleClickInExplorer(path) {
    const parts = path.split('/');
    for (const [index, part] of parts.entries()) {
      const row = explorerRow(this.page, part);
      await row.waitFor();
      if (index === parts.length - 1) await row.dblclick();
      else if ((await row.getAttribute('aria-expanded')) !== 'true') await row.click();
    }
  }

  /**
   * Takes an entry of the menu that a right click on `target` opens. A menu that has just opened takes
   * no click, and stays.
   */
  async chooseInMenu(target, title) {
    const item = this.page.getByRole('menuitem', { name: title, exact: true });
    await waitUntil(`"${title}" in the menu`, async () => {
      if (!(await item.isVisible())) {
        await this.page.keyboard.press('Escape');
        await target.click({ button: 'right', timeout: 4000 });
        await item.waitFor({ timeout: 2000 });
      }
      await item.click({ timeout: 4000 });
      await item.waitFor({ state: 'hidden', timeout: 2000 });
      return true;
    });
  }

  /** The tab of an editor by its title. */
  tab(title) {
    return editorTabs(this.page).filter({ hasText: title }).first();
  }

  /**
   * The document of a webview that is shown and holds `selector`; waits for it.
   */
  webviewFrame(selector = 'body') {
    return waitUntil(`a webview with ${selector}`, async () => {
      for (const outer of await pageFrames(this.page).elementHandles()) {
        const box = await outer.boundingBox();
        if (box === null || box.width < 2 || box.height < 2) continue;
        const visible = await outer.evaluate((element) => {
          const style = element.ownerDocument.defaultView.getComputedStyle(element);
          return style.visibility !== 'hidden';
        });
        if (!visible) continue;
        const host = await outer.contentFrame();
        const inner = await host?.$('iframe#active-frame');
        const frame = await inner?.contentFrame();
        if (frame && (await frame.$(selector)) !== null) return frame;
      }
      return undefined;
    });
  }

  /** CodeLens texts of the editor that is shown. */
  codeLenses() {
    return codeLenses(this.page);
  }

  /**
   * Clicks a lens until the tab that it leads to is in front. Lenses are drawn anew whenever costs
   * arrive, and a click that falls into such a moment leads nowhere.
   */
  async clickLens(lens, tab) {
    const inFront = async () => (await tab.getAttribute('aria-selected')) === 'true';
    await waitUntil('the tab that a lens leads to', async () => {
      if (await inFront()) return true;
      await lens.click({ timeout: 4000 });
      return waitUntil('the tab in front', inFront, 4000);
    });
  }

  /** Texts of the notifications that are shown. */
  async notifications() {
    return notificationTexts(this.page).allInnerTexts();
  }

  /**
   * Takes a button of the notification `offer`, a locator. A notification that nobody answers hides
   * after some seconds, which a busy machine may take to get here; then it is in the list of all.
   */
  async answer(offer, button) {
    const shown = offer.filter({ visible: true }).first();
    let tried = false;
    await waitUntil(`"${button}" taken`, async () => {
      if (!(await appears(shown, patienceMs / 4))) {
        await this.runCommand('Notifications: Show Notifications');
        // The list of all does not have it any more: a click that was told to have failed, because
        // the window took long to say what became of it, was taken.
        if (tried && !(await appears(shown))) return true;
      }
      tried ||= await shown.isVisible();
      await shown.getByRole('button', { name: button }).click({ timeout: patienceMs / 4 });
      return true;
    });
  }

  /** Changes user settings for the next reload; those already there stay. */
  changeSettings(settings) {
    writeSettings(this.folders, { ...readSettings(this.folders), ...settings });
  }

  /** Changes the color theme (a key of `themes`) while the window lives; waits until it is drawn. */
  async setTheme(name) {
    const { label, className } = themes[name];
    const widget = quickInput(this.page);
    const row = quickInputRows(this.page).filter({ hasText: label });
    const shown = inTheme(this.page, className);
    await waitUntil(`the theme ${label}`, async () => {
      if ((await shown.count()) > 0) return true;
      await this.runCommand('Preferences: Color Theme');
      await quickInputBox(this.page).fill(label, { timeout: 4000 });
      await row.first().click({ timeout: 4000 });
      await widget.waitFor({ state: 'hidden', timeout: 4000 });
      await shown.first().waitFor({ timeout: 4000 });
      return true;
    });
  }

  /** Process ids of the daemon that the installed extension runs. */
  daemonPids() {
    return readdirSync('/proc')
      .filter((name) => {
        if (!/^\d+$/.test(name)) return false;
        try {
          return (
            readlinkSync(`/proc/${name}/exe`).startsWith(this.folders.extensions) &&
            readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('serve')
          );
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** Reloads the window by VS Code's own command, which saves the window's state before. */
  async reload() {
    const loaded = this.page.waitForEvent('domcontentloaded');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.waitForReady();
  }

  async screenshot(name) {
    const path = join(outputDir, `${name}.png`);
    mkdirSync(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
    return path;
  }

  /** Runs a part of a test; when it fails, a picture and the server's log are left in tests/out. */
  async watched(name, part) {
    try {
      await part();
    } catch (error) {
      const picture = await this.screenshot(`failed-${name}`).catch(() => 'no picture');
      const log = join(this.folders.home, 'server.log');
      if (existsSync(log)) cpSync(log, join(outputDir, `failed-${name}.log`));
      const errors = this.pageErrors.slice(-5).join('\n');
      error.message += `\nSee ${picture}${errors === '' ? '' : `\nErrors in the page:\n${errors}`}`;
      throw error;
    }
  }

  /**
   * For a file whose tests are the steps of one session: gives `step(name, part)`. After a second
   * failed step the others are skipped, since each would only wait in vain.
   */
  static steps(test, workbench) {
    let failures = 0;
    return (name, part) =>
      test(name, async (context) => {
        if (failures >= 2) {
          context.skip('after failed steps');
          return;
        }
        try {
          await workbench().watched(name.replaceAll(/\W+/g, '-'), part);
        } catch (error) {
          failures += 1;
          throw error;
        }
      });
  }

  async stop() {
    await this.browser.close().catch(() => {});
    await this.server.stop();
    rmSync(this.folders.home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
