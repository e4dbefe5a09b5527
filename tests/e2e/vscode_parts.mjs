// Parts of VS Code's own window. Most of them say what they are by the classes of its style sheets alone,
// which may change with a version of VS Code, so they stand here and nowhere else.

/** Shown once the window can be used. */
export const statusBar = (page) => page.locator('.monaco-workbench .part.statusbar');

/** The window in a theme, by the class that the theme puts on it. */
export const inTheme = (page, className) => page.locator(`.monaco-workbench.${className}`);

/** The icon of a view container, by the beginning of its title. */
export const activity = (page, title) =>
  page.locator(`.activitybar .action-label[aria-label^="${title}"]`).first();

const exactly = (name) => new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);

/** The entries of the Explorer. */
export const explorerRows = (page) => page.locator('.explorer-folders-view .monaco-list-row');

/** The entry of the Explorer that is called so. */
export const explorerRow = (page, name) =>
  explorerRows(page)
    .filter({ has: page.locator('.label-name', { hasText: exactly(name) }) })
    .first();

/** Rows of trees and lists: those of our views, of the Explorer, of the problems. */
export const listRows = (page) => page.locator('.monaco-list-row');

/** Rows of the side bar's views. */
export const paneRows = (page) => page.locator('.pane-body .monaco-list-row');

/** The title of a view in the side bar. */
export const paneHeader = (page, title) =>
  page.locator('.pane-header').filter({ hasText: title, visible: true });

/** What a view without content says. */
export const welcome = (page) => page.locator('.welcome-view-content');

export const walkthrough = (page) => page.locator('.gettingStartedContainer');

/** The box with a list that commands ask by: the palette, Quick Open, and those of our commands. */
export const quickInput = (page) => page.locator('.quick-input-widget');
export const quickInputBox = (page) =>
  quickInput(page).locator('.quick-input-filter input').first();
export const quickInputRows = (page) => quickInput(page).locator('.monaco-list-row');

/** Tabs of editors. */
export const editorTabs = (page) => page.locator('.tabs-container .tab');

/** Of those, the ones in front of their groups. */
export const tabsInFront = (page) => page.locator('.tabs-container .tab.active');

/** A button at the right of the editors' tabs, by the beginning of its name. */
export const editorAction = (page, name) =>
  page.locator(`.editor-actions .action-label[aria-label^="${name}"]`);

/** What kind of editor shows a file, beside the file's place. */
export const editorKinds = (page) => page.locator('.breadcrumbs-editor-type');

/** Frames of the pages of editors, those included that do not show. */
export const pageFrames = (page) => page.locator('iframe.webview.ready');

/** Lines of the text editors that are drawn. */
export const codeLines = '.editor-instance .view-line';

export const codeLenses = (page) => page.locator('.codelens-decoration a');

/** Marks beside the numbers of lines. */
export const marginMarks = (page) =>
  page.locator('.editor-instance .glyph-margin-widgets .cgmr:visible');

export const hoverRows = (page) => page.locator('.monaco-hover .hover-row');

/** The menu of quick fixes. */
export const fixes = (page) => page.locator('.action-widget');

export const problemRows = (page) => page.locator('.markers-panel .monaco-list-row');

export const notifications = (page) => page.locator('.notification-list-item');
export const notificationTexts = (page) => page.locator('.notification-list-item-message');

/** Items of the status bar. */
export const statusItems = (page) => page.locator('.statusbar-item');

/** Of a status item, the icon that warns. */
export const warningIn = (item) => item.locator('.codicon-warning');

export const trustEditor = (page) => page.locator('.workspace-trust-editor');
