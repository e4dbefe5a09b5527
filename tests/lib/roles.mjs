// Parts of the page as a screen reader finds them, by role and name: what they look like may change.

/** Whatever says that something failed. */
export const failures = (page) => page.getByRole('alert');

/** A view's tab, where it stands in the line. */
export const viewTab = (page, title) => page.getByRole('tab', { name: title, exact: true });

/** The button of the menu that holds the tabs without room. */
export const moreViews = (page) => page.getByRole('button', { name: 'More views' });

/** Picks a view by its tab, or in the menu of those that have no room beside the others. */
export async function pickView(page, title, options) {
  const tab = viewTab(page, title);
  if (await tab.isVisible()) return tab.click(options);
  await moreViews(page).click(options);
  await page.getByRole('menuitem', { name: title, exact: true }).click(options);
}

/** The table of that name, whether its rows open or not. */
export const gridOf = (page, name) =>
  page
    .getByRole('grid', { name, exact: true })
    .or(page.getByRole('treegrid', { name, exact: true }));

/** Cells of a column by its key, in the rows in sight. */
export const cellsOf = (grid, key) => grid.locator(`[role=gridcell][data-key="${key}"]`);

/** The cell that names each row in sight. */
export const firstCells = (grid) => grid.locator('[role=gridcell][aria-colindex="1"]');

/** The rows in sight that hold cells: neither the headings nor what an opened row shows. */
export const bodyRows = (grid) =>
  grid.locator('[role=row][aria-rowindex]:not([aria-rowindex="1"])');

/** Where each row in sight leads to: its last cell. */
export const goToCells = (grid) =>
  bodyRows(grid).locator('[role=gridcell]:last-child:not(:first-child)');

/** The buttons that open the rows of a table. */
export const rowOpeners = (within) => within.getByRole('button', { name: 'Open row', exact: true });

/** What opened rows show. */
export const openedDetails = (page) => page.getByRole('group', { name: /^Details of / });

/** How many rows a table says it has: "34 rows", "3 of 34 rows". */
export const rowCounts = (page) =>
  page.getByRole('status').filter({ hasText: /^[\d,]+ (of [\d,]+ )?rows?$/ });

/** The box that filters a table. */
export const filterBox = (page, table) =>
  page.getByRole('textbox', { name: `Filter ${table.toLowerCase()}`, exact: true });

/** A name with its value, as views list them beside their charts and tables. */
export const factOf = (within, name) =>
  within.locator('dl > div').filter({ hasText: new RegExp(`^${name}`) });

/** The charts above a table, which fold away. */
export const chartsOf = (page, name = 'Charts') => page.getByRole('group', { name, exact: true });

/** What shows beside the pointer. */
export const tooltips = (within) => within.getByRole('tooltip');

/** What is said to screen readers alone. */
export const announcements = (page) => page.locator('[role=status][aria-live=polite]');

/** What is not up to date or not there yet: parts that say so, and texts in place of others. */
export const busyParts = (within) =>
  within.locator('[aria-busy=true]').or(within.getByRole('status', { name: 'Loading' }));

/** Titles of findings. */
export const findings = (page) =>
  page.getByRole('region', { name: 'Findings' }).getByRole('heading', { level: 3 });

/** The lines that cost the most, of which each is a button. */
export const hotLines = (page) =>
  page.getByRole('region', { name: 'Hottest lines' }).getByRole('listitem').getByRole('button');

/** The one sentence that an overview begins with. */
export const headline = (page) =>
  page.getByRole('region', { name: 'Answer' }).getByRole('paragraph').first();

/** The drawing of the timeline, which takes its keys. */
export const timelineCanvas = (page) => page.getByRole('application', { name: /^Timeline\./ });

/** The tracks of the timeline: its headings, and a group for each track. */
export const timelineTracks = (page) => page.getByRole('group', { name: 'Tracks', exact: true });

/** The tracks below each other. */
export const trackRows = (page) => timelineTracks(page).getByRole('group');

/** Names of groups of tracks, "Pinned" and "GPU 0" among them. */
export const trackHeadings = (page) => timelineTracks(page).getByRole('heading');

export const trackNames = (page) =>
  trackRows(page).evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));

/** Waits until the timeline says that so many tracks are listed. */
export const tracksListed = (page, count) =>
  page.waitForFunction(
    (wanted) =>
      document.querySelectorAll('[role=group][aria-label=Tracks] [role=group]').length === wanted,
    count,
  );

/** Draws all that it has: the timeline of a profile, or those of a comparison. */
export const settledTimeline = (page) => page.locator('[data-settled=true]');

/** Lacks something that it should draw. */
export const unsettledTimeline = (page) => page.locator('[data-settled=false]');

/** The operators over time, among the modules. */
export const stripCanvas = (page) => page.getByRole('application', { name: /^Operators of / });

/** The flame graph of the view. */
export const flameCanvas = (page) =>
  page.getByRole('application', { name: /Arrow keys move between the boxes/ });

/** What a chart of boxes says of the one that is chosen, with where it leads. */
export const chosenBox = (page) => page.getByRole('group', { name: 'Selected', exact: true });

export const timelinePanel = (page) =>
  page.getByRole('complementary', { name: 'About the timeline' });

const otherPanels = /^(Search|Idle time of the device|Slices in the window|What the file says)/;

/** Headings of what is selected: a slice, an instant, a range. */
export const detailHeadings = (page) =>
  timelinePanel(page).getByRole('heading', { level: 2 }).filter({ hasNotText: otherPanels });

/** How many slices a search found. */
export const foundCount = (page) =>
  // While the search runs, another status says so.
  timelinePanel(page).getByRole('status').filter({ hasText: /match/ });

/** The slices that a search found. */
export const foundSlices = (page) =>
  timelinePanel(page).getByRole('list', { name: 'Matches', exact: true }).getByRole('listitem');

/** The parts of the aligned execution of a comparison. */
export const levelChart = (page) => page.getByRole('listbox', { name: /^Aligned execution/ });
export const levelParts = (page) => levelChart(page).getByRole('option');

/** Headings of numbers, which stand at the right of their columns. */
export const numberHeadings = (within) =>
  within
    .locator('[role=columnheader], th')
    .evaluateAll((all) =>
      all
        .filter((head) => getComputedStyle(head).textAlign === 'right')
        .map((head) => ({ text: head.textContent, title: head.title })),
    );
