// How low a chart above a table is.

/** Height of the chart, in CSS pixels. */
export const stripPx = 112;

/** Width of a letter of an axis, in CSS pixels, about. */
export const letterPx = 6.4;
