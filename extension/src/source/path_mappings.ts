import type { PathMapping } from '#shared/protocol.ts';

const separators = /[\\/]+/;

function parts(path: string): string[] {
  return path.split(separators);
}

/**
 * The mapping that a located file teaches: what is left of both paths when their common end is
 * taken away, so that the files beside it are found too. Undefined when the names differ.
 */
export function mappingOf(recorded: string, located: string): PathMapping | undefined {
  const from = parts(recorded);
  const to = parts(located);
  let common = 0;
  while (
    common < from.length - 1 &&
    common < to.length - 1 &&
    from[from.length - 1 - common] === to[to.length - 1 - common]
  ) {
    common++;
  }
  if (common === 0) return undefined;
  const separator = recorded.includes('\\') && !recorded.includes('/') ? '\\' : '/';
  const head = (path: string[], join: string) => path.slice(0, path.length - common).join(join);
  const hereSeparator = located.includes('\\') ? '\\' : '/';
  const fromHead = head(from, separator);
  const toHead = head(to, hereSeparator);
  return {
    from: fromHead === '' ? separator : fromHead,
    to: toHead === '' ? hereSeparator : toHead,
  };
}

/**
 * Whether a path of a trace names a file of Python code: no builtin, no `<string>`, no code of
 * torch's own, and no way up, which would lead from any folder to any other.
 */
export function isRealFile(file: string): boolean {
  return (
    file !== '' &&
    !/^<.*>$/.test(file) &&
    !parts(file).includes('..') &&
    /\.py[wi]?$|[\\/]ipykernel_\d+[\\/]/.test(file)
  );
}

/** Those of `located` whose ends agree with the recorded path over the most folders. */
export function bestMatches(recorded: string, located: readonly string[]): string[] {
  const wanted = parts(recorded).reverse();
  let most = 0;
  let best: string[] = [];
  for (const path of located) {
    const own = parts(path).reverse();
    const differs = wanted.findIndex((part, index) => part !== own[index]);
    const common = differs < 0 ? wanted.length : differs;
    if (common === 0 || common < most) continue;
    if (common > most) best = [];
    most = common;
    best.push(path);
  }
  return best;
}
