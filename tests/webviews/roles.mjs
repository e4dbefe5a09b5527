// Parts of the page as a screen reader finds them, by role and name: what they look like may change.

/** Whatever says that something failed. */
export const failures = (page) => page.getByRole('alert');

/** The buttons that open the rows of a table. */
export const rowOpeners = (within) => within.getByRole('button', { name: 'Open row', exact: true });

/** The drawing of the timeline, which takes its keys. */
export const timelineCanvas = (page) => page.getByRole('application', { name: /^Timeline\./ });

/** The operators over time, among the modules. */
export const stripCanvas = (page) => page.getByRole('application', { name: /^Operators of / });

/** The flame graph of the view. */
export const flameCanvas = (page) => page.getByRole('application', { name: /Arrows walk/ });

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

/** The box that filters a table. */
export const filterBox = (page, table) =>
  page.getByRole('textbox', { name: `Filter ${table.toLowerCase()}`, exact: true });
