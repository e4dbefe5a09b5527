/**
 * Scheme of editors on folders: VS Code opens no editor on a folder's own address. A trace file is
 * opened under its own address instead.
 */
export const profileScheme = 'emberline-profile';

/** The view type of the profile editor in the manifest. */
export const profileViewType = 'emberline.profile';

/** Scheme and view type of comparisons: the address holds what is compared. */
export const compareScheme = 'emberline-compare';
export const compareViewType = 'emberline.compare';

/** Scheme and view type of jobs of several ranks, likewise. */
export const jobScheme = 'emberline-job';
export const jobViewType = 'emberline.job';

/** How the files end that `emberline digest` writes. */
export const digestEnding = '.digest';

/** The same editor for files of any name, which *Open With...* offers beside the text editor. */
export const traceViewType = 'emberline.trace';

/** Whether VS Code opens a file of this name in the profile editor by itself. */
export function hasTraceName(name: string): boolean {
  return /\.pt\.trace\.json$|\.json\.gz$/i.test(name);
}

/**
 * The view type that opens an address as a profile. The other one fits no such name, and VS Code would
 * show its id instead of its title.
 */
export function viewTypeFor({ scheme, path }: { scheme: string; path: string }): string {
  return scheme === profileScheme || hasTraceName(path) ? profileViewType : traceViewType;
}

/** Whether a file of this name may hold a trace at all. */
export function mayHoldTrace(name: string): boolean {
  return /\.json(?:\.gz)?$/i.test(name);
}

/** Name of a profile without the endings that all traces share. */
export function shortTitle(name: string): string {
  return name.replace(/(?:\.pt\.trace)?\.json(?:\.gz)?$/i, '') || name;
}
