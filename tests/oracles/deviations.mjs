// Where a figure differs from the plugin's on purpose: which figures of which trace, and the error
// of the plugin (numbers as in README.md) that explains it. A deviation that no longer occurs fails
// the test, so the list stays true.

/** @type {{trace: RegExp, figure: RegExp, bug: string}[]} */
export const deviations = [];
