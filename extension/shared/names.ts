// Names and recorded shapes as text. Pure. Long C++ names are shown short: kernels of one library begin
// alike ("void at::native::...") and end alike (their parameters); what tells them apart stands between.

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

/** Where the pair of a mangled name's template arguments that opens at `from` ends; -1 for none. */
function endOfArguments(name: string, from: number): number {
  let at = from + 1;
  // One entry per open I, N, J, X, F or L, by whose E it ends.
  const open: string[] = ['I'];
  while (at < name.length) {
    const c = name[at]!;
    const digits = /^\d+/.exec(name.slice(at, at + 6))?.[0];
    if (digits !== undefined) {
      // The number of a literal; elsewhere the length of an identifier.
      at += open.at(-1) === 'L' ? digits.length : digits.length + Number(digits);
    } else if (c === 'E') {
      open.pop();
      at++;
      if (open.length === 0) return at;
      // What closes a literal's own type is not its end.
    } else if (c === 'S' || c === 'T') {
      const substitution = /^[ST][0-9A-Z]*_/.exec(name.slice(at, at + 12))?.[0];
      at += substitution?.length ?? 2;
    } else {
      if ('INJXFL'.includes(c)) open.push(c);
      at++;
    }
  }
  return -1;
}

/**
 * The qualified name of a function in a name that the Itanium C++ ABI mangled, without template
 * arguments and parameters: `_ZN2ck6kernelILi4EEEvi` is `ck::kernel`. Undefined for other names. The
 * daemon reads them in the same way, so that a filter finds both forms.
 */
export function demangled(name: string): string | undefined {
  const begin = /^_Z(N?)[rVK]*L?/.exec(name);
  if (begin === null) return undefined;
  const nested = begin[1] === 'N';
  const parts: string[] = [];
  let at = begin[0].length;
  while (at < name.length) {
    const digits = /^\d+/.exec(name.slice(at, at + 6))?.[0];
    if (digits !== undefined) {
      const from = at + digits.length;
      const part = name.slice(from, from + Number(digits));
      if (part.length !== Number(digits) || part === '') return undefined;
      parts.push(part.startsWith('_GLOBAL__N') ? '(anonymous namespace)' : part);
      at = from + part.length;
      if (!nested) break;
    } else if (name[at] === 'I') {
      at = endOfArguments(name, at);
      if (at < 0) break;
    } else if (name.startsWith('St', at)) {
      parts.push('std');
      at += 2;
    } else {
      break;
    }
  }
  return parts.length === 0 ? undefined : parts.join('::');
}

/** Functions that only start what their template argument is. */
const entries = /^k?entry$|^kernel(_entry|_wrapper)?$/;

/** The first class among the template arguments of a mangled function, without its namespaces. */
function firstType(name: string, of: string): string | undefined {
  const begin = `${of.length}${of}I`;
  let at = name.indexOf(begin);
  if (at < 0) return undefined;
  at += begin.length;
  let last: string | undefined;
  while (at < name.length) {
    const rest = name.slice(at);
    const skipped = /^(?:L[a-z]n?\d+E|S[0-9A-Z]*_|S[a-z]|[NJKPR])/.exec(rest)?.[0];
    if (last === undefined && skipped !== undefined) {
      at += skipped.length;
      continue;
    }
    const digits = /^\d+/.exec(rest.slice(0, 6))?.[0];
    if (digits === undefined) return last;
    last = rest.slice(digits.length, digits.length + Number(digits));
    at += digits.length + Number(digits);
  }
  return last;
}

/** Where the parameters begin in a name that was cut inside them; -1 where no bracket is left open. */
function openParameters(name: string): number {
  const open: { bracket: string; at: number }[] = [];
  for (let i = 0; i < name.length; i++) {
    const c = name[i]!;
    // Operators such as << and -> are rare in names, and close nothing that is open.
    if (c === '(' || c === '<') open.push({ bracket: c, at: i });
    else if (c === ')' && open.at(-1)?.bracket === '(') open.pop();
    else if (c === '>' && open.at(-1)?.bracket === '<') open.pop();
  }
  const outer = open[0];
  return outer?.bracket === '(' && /[\w>]$/.test(name.slice(0, outer.at)) ? outer.at : -1;
}

/**
 * A C++ name without its return type, its parameters and the namespaces; other names as
 * they are.
 */
export function shortName(name: string): string {
  const plain = demangled(name);
  if (plain !== undefined) {
    const last = plain.replace(/^.*::(?=[^:]+$)/, '');
    const body = entries.test(last) ? firstType(name, last) : undefined;
    return body === undefined ? last : `${last}<${body}>`;
  }
  let short = name.replace(/^void /, '');
  const suffix = /(?: \[clone [^\]]*\]|\.kd)+$/.exec(short)?.[0] ?? '';
  short = short.slice(0, short.length - suffix.length);
  if (short.endsWith(')')) {
    const at = opening(short, short.length - 1);
    // "operator()" and "(anonymous namespace)" are no parameters.
    const head = short.slice(0, Math.max(0, at));
    if (at > 0 && /[\w>]$/.test(head) && !head.endsWith('operator')) short = head;
  } else if (short.endsWith('\u2026')) {
    const at = openParameters(short);
    if (at > 0 && !short.slice(0, at).endsWith('operator')) short = short.slice(0, at);
  }
  if (!/[<(]/.test(name)) return name;
  return short.replace(/(?:\(anonymous namespace\)|\b[A-Za-z_]\w*)::(?=[A-Za-z_(~])/g, '');
}

/** A qualified name without its namespaces: that of the function, and what it evaluates. */
export const unqualifiedName = (name: string): string =>
  name.replace(/^(?:\w+::)+(?=\w+(?:: |$))/, '').replace(/(?<=^\w+: )(?:\w+::)+(?=\w+$)/, '');

/** Characters that stay at the end of a name that is cut in its middle. */
const tailLength = 18;

/** The same of names that are not much longer: "_backward" tells operators apart. */
const shortTailLength = 9;

/** A name as two parts: the first one gives way where there is no room for both. */
export function cutParts(text: string): { head: string; tail: string } {
  if (text.length < 3 * shortTailLength) return { head: text, tail: '' };
  // Not between the halves of a surrogate pair.
  let at = text.length - (text.length < 3 * tailLength ? shortTailLength : tailLength);
  if (/[\udc00-\udfff]/.test(text[at]!)) at++;
  return { head: text.slice(0, at), tail: text.slice(at) };
}

/** Wrappers that every elementwise or reducing kernel has: what they wrap tells what it does. */
const wrappers = /^(?:[AB]?UnaryFunctor|BinaryFunctor|ReduceOp|gpu_kernel(?:_impl\w*)?)$/;

/** The word among template arguments that tells what a kernel does: "MulFunctor", "MeanOps". */
export function tellingWord(args: string): string | undefined {
  const words: string[] = args.match(/[A-Za-z_]\w*/g) ?? [];
  return words
    .filter(
      (word) =>
        /Functor|[a-z]_kernel$|_kernel_cuda$|_kernel_impl$|KernelImpl$|[a-z]Ops?$/.test(word) &&
        !wrappers.test(word),
    )
    .at(-1);
}

/** Longer arguments are shown by their telling word. */
const mostArguments = 24;

/**
 * A short C++ name as its function and its template arguments, of which the latter give way first;
 * undefined for names without.
 */
export function functionParts(text: string): { name: string; args: string } | undefined {
  const at = text.indexOf('<');
  if (at < 2 || !text.endsWith('>') || !/^[\w:~]+$/.test(text.slice(0, at))) return undefined;
  const args = text.slice(at);
  // What was shortened to its telling word stays as it is.
  const word =
    args.length > mostArguments && !args.startsWith('<\u2026') ? tellingWord(args) : undefined;
  return { name: text.slice(0, at), args: word === undefined ? args : `<\u2026${word}\u2026>` };
}

/** The numbers among the template arguments of a mangled name, values of enumerations too. */
function numbersOf(name: string): string[] {
  return [...name.matchAll(/L(?:[a-z]|N\w*?E)(n?\d+)E/g)].map(([, value]) =>
    value!.replace(/^n/, '-'),
  );
}

/**
 * Mangled names of one short form, each with the numbers among its template arguments in which they
 * differ; undefined where numbers do not tell them apart.
 */
function withNumbers(names: readonly string[], short: string): string[] | undefined {
  if (names.some((name) => demangled(name) === undefined)) return undefined;
  const numbers = names.map(numbersOf);
  const first = numbers[0]!;
  // Lists of one length have the same places.
  const alike = numbers.every(({ length }) => length === first.length);
  const shown = numbers.map((list) =>
    alike ? list.filter((_, at) => numbers.some((other) => other[at] !== list[at])) : list,
  );
  const longer = shown.map((list) =>
    list.length === 0
      ? short
      : short.endsWith('>')
        ? `${short.slice(0, -1)}, ${list.join(', ')}>`
        : `${short}<${list.join(', ')}>`,
  );
  return new Set(longer).size === names.length ? longer : undefined;
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
    const longer = group.size === 1 ? [short] : withNumbers([...group], short);
    for (const [index, name] of [...group].entries()) shown.set(name, longer?.[index] ?? name);
  }
  return shown;
}

/**
 * `[[64, 3, 256, 256], [], [64]]` as `64x3x256x256, 64`: arguments that are no tensors say nothing.
 * Undefined for a text that holds no shape.
 */
export function tensorShapes(text: string): string | undefined {
  const tensors = [...text.matchAll(/\[([\d\s,]+)\]/g)].map(([, sizes]) =>
    (sizes ?? '').replace(/\s/g, '').replaceAll(',', 'x'),
  );
  return tensors.length > 0 ? tensors.join(', ') : undefined;
}
