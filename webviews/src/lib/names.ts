// Long C++ names, shown short. Pure. Kernels of one library begin alike ("void at::native::...") and
// end alike (their parameters); what tells them apart stands between.

/** Position of the bracket that opens the pair closed at `end`; -1 when there is none. */
function opening(name: string, end: number): number {
  let depth = 0;
  for (let i = end; i >= 0; i--) {
    const c = name[i];
    if (c === ')') depth++;
    else if (c === '(' && --depth === 0) return i;
  }
  return -1;
}

/**
 * A demangled C++ name without its return type, its parameters and the namespaces; other names as
 * they are.
 */
export function shortName(name: string): string {
  let short = name.replace(/^void /, '');
  const suffix = /(?: \[clone [^\]]*\]|\.kd)+$/.exec(short)?.[0] ?? '';
  short = short.slice(0, short.length - suffix.length);
  if (short.endsWith(')')) {
    const at = opening(short, short.length - 1);
    // "operator()" and "(anonymous namespace)" are no parameters.
    const head = short.slice(0, Math.max(0, at));
    if (at > 0 && /[\w>]$/.test(head) && !head.endsWith('operator')) short = head;
  }
  if (!/[<(]/.test(name)) return name;
  return short.replace(/(?:\(anonymous namespace\)|\b[A-Za-z_]\w*)::(?=[A-Za-z_(~])/g, '');
}

/** Characters that stay at the end of a name that is cut in its middle. */
const tailLength = 18;

/** A name as two parts: the first one gives way where there is no room for both. */
export function cutParts(text: string): { head: string; tail: string } {
  if (text.length < 3 * tailLength) return { head: text, tail: '' };
  // Not between the halves of a surrogate pair.
  let at = text.length - tailLength;
  if (/[\udc00-\udfff]/.test(text[at]!)) at++;
  return { head: text.slice(0, at), tail: text.slice(at) };
}

/**
 * What to show for each name: the short form, or the whole name where two would look alike.
 */
export function shownNames(names: Iterable<string>): Map<string, string> {
  const byShort = new Map<string, Set<string>>();
  for (const name of names) {
    const short = shortName(name);
    const group = byShort.get(short);
    if (group === undefined) byShort.set(short, new Set([name]));
    else group.add(name);
  }
  const shown = new Map<string, string>();
  for (const [short, group] of byShort) {
    for (const name of group) shown.set(name, group.size === 1 ? short : name);
  }
  return shown;
}
