// Names that stand beside each other in little room, such as those of a legend: shortened by what tells
// them apart, so that no two of them look alike. Pure.
import { cutParts, functionParts, shownNames, tellingWord } from '#shared/names.ts';

/** Characters that a name takes in a legend, unless what tells it apart is longer. */
const mostLetters = 30;

/** A name of so many stays whole: "aten::native_batch_norm_backward". */
const mostWholeLetters = 40;

/** So many are a function's whole name and the word that tells what it does: of those, no part goes. */
const mostLettersOfFunction = 48;

/** The same in a column, whose cells cut what they have no room for, the ends of a name last. */
const mostColumnLetters = 46;

/** Characters that stay of the beginning. */
const leastLetters = 8;

const ellipsis = '\u2026';

/** The beginning of a name, up to the end of one of its words, in `room` letters with the ellipsis. */
function beginning(name: string, room: number): string {
  if (name.length <= room) return name;
  const cut = name.slice(0, Math.max(leastLetters, room) - 1);
  const end = cut.lastIndexOf('_');
  const kept = end >= leastLetters - 1 ? cut.slice(0, end) : cut;
  // Not between the halves of a surrogate pair.
  return kept.replace(/[\ud800-\udbff]$/, '') + ellipsis;
}

/** A name in little room: its function with the word that says what it does, or both of its ends. */
function briefly(name: string, letters = mostLetters, wholeLetters = letters): string {
  if (name.length <= wholeLetters) return name;
  const parts = functionParts(name);
  if (parts !== undefined) {
    const word = tellingWord(name.slice(parts.name.length));
    if (word !== undefined) {
      const whole = `${parts.name}<${word}>`;
      if (whole.length <= mostLettersOfFunction) return whole;
      return `${beginning(parts.name, letters - word.length - 2)}<${word}>`;
    }
    if (parts.name.length <= wholeLetters) return parts.name;
  }
  const { head, tail } = cutParts(parts?.name ?? name);
  // Nine letters, or the whole words among them.
  const end = tail.slice(-9).replace(/^[^_]{0,3}_|^[^_A-Z]{1,3}(?=[A-Z][a-z])/, '');
  return beginning(head + tail, letters - end.length) + end;
}

/** Larger groups of names that look alike stay so: telling them apart costs the square of their number. */
const mostAlike = 200;

const wordsOf = (name: string): Set<string> => new Set(name.match(/[\p{L}\p{N}]+/gu));

/** The fewest words, in their order, by which a name differs from each of `others`, as far as it does. */
function differingWords(
  own: ReadonlySet<string>,
  others: readonly ReadonlySet<string>[],
): string[] {
  let left = others;
  const chosen = new Set<string>();
  while (left.length > 0) {
    let best = '';
    let most = 0;
    for (const word of own) {
      const lacking = left.filter((other) => !other.has(word)).length;
      if (lacking > most) [best, most] = [word, lacking];
    }
    if (most === 0) break;
    chosen.add(best);
    left = left.filter((other) => other.has(best));
  }
  return [...own].filter((word) => chosen.has(word));
}

/** A name whose short form others have too, with the words that tell it apart. */
function withWords(name: string, label: string, words: readonly string[], letters: number): string {
  if (label.endsWith('\u2026>')) return `${label.slice(0, -2)}, ${words.join(', ')}\u2026>`;
  if (label.endsWith('>')) return `${label.slice(0, -1)}, ${words.join(', ')}>`;
  // A column keeps the name of the function whole: what differs are its arguments.
  const parts = letters === mostColumnLetters ? functionParts(name) : undefined;
  if (parts !== undefined) return `${parts.name}<\u2026${words.join(', ')}\u2026>`;
  const told = words.join(ellipsis);
  const longer = beginning(name, letters - told.length) + told;
  return /<[^>]*$/.test(longer) && name.endsWith('>') ? `${longer}>` : longer;
}

function groupsBy(names: readonly string[], labels: ReadonlyMap<string, string>): string[][] {
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const label = labels.get(name)!;
    const group = groups.get(label);
    if (group === undefined) groups.set(label, [name]);
    else group.push(name);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Labels for those of `texts` whose brief forms are alike. */
function toldApart(
  texts: readonly string[],
  brief: ReadonlyMap<string, string>,
  letters = mostLetters,
): Map<string, string> {
  const labels = new Map<string, string>();
  for (const group of groupsBy(texts, brief)) {
    if (group.length > mostAlike) continue;
    const words = group.map(wordsOf);
    for (const [index, name] of group.entries()) {
      const others = words.filter((_, at) => at !== index);
      const differing = differingWords(words[index]!, others);
      if (differing.length > 0) {
        labels.set(name, withWords(name, brief.get(name)!, differing, letters));
      }
    }
  }
  return labels;
}

/** Template arguments, as far as they are not inside others: "<a, b<c, d>>" are "a" and "b<c, d>". */
function outerArguments(args: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 1;
  for (let i = 1; i < args.length - 1; i++) {
    if ('<({'.includes(args[i]!)) depth++;
    else if ('>)}'.includes(args[i]!)) depth--;
    else if (args[i] === ',' && depth === 0) {
      found.push(args.slice(from, i).trim());
      from = i + 1;
    }
  }
  return [...found, args.slice(from, -1).trim()];
}

/** Names of one function by the arguments in which they differ; undefined where these are long. */
function byArguments(names: readonly string[]): string[] | undefined {
  const of = functionParts(names[0]!)?.name;
  if (of === undefined || names.some((name) => functionParts(name)?.name !== of)) return undefined;
  const lists = names.map((name) => outerArguments(name.slice(of.length)));
  const [first] = lists;
  if (lists.some(({ length }) => length !== first!.length)) return undefined;
  const places = [...first!.keys()].filter((at) => lists.some((list) => list[at] !== first![at]));
  const labels = lists.map((list) => places.map((at) => list[at]).join(', '));
  return labels.some((label) => label.length > mostLetters)
    ? undefined
    : labels.map((label) => `${of}<\u2026${label}\u2026>`);
}

/** What a legend shows for each name: short, and no two alike. */
export function legendNames(names: readonly string[]): Map<string, string> {
  const shown = shownNames(names);
  const texts = [...new Set(shown.values())];
  const labels = new Map(texts.map((text) => [text, briefly(text, mostLetters, mostWholeLetters)]));
  for (const [text, label] of toldApart(texts, labels)) labels.set(text, label);
  // Names of the same words differ in signs alone.
  for (const group of groupsBy(texts, labels)) for (const name of group) labels.set(name, name);
  return new Map([...shown].map(([name, text]) => [name, labels.get(text)!]));
}

/** The function with the word among its arguments that says what it does: "kernel<\u2026MulFunctor\u2026>". */
function withTellingWord(name: string): string {
  const parts = functionParts(name);
  const word = parts && tellingWord(name.slice(parts.name.length));
  return parts === undefined || word === undefined ? name : `${parts.name}<\u2026${word}\u2026>`;
}

/**
 * What a column shows for each name: all of it, unless others look like it where it is cut. A word in
 * `<\u2026...\u2026>` is then what tells it apart.
 */
export function columnNames(names: Iterable<string>): Map<string, string> {
  const shown = shownNames(names);
  const texts = [...new Set(shown.values())].filter((text) => text.length > mostLetters);
  const functions = new Map(
    texts.map((text) => [text, functionParts(text)?.name ?? briefly(text)]),
  );
  const labels = new Map<string, string>();
  for (const group of groupsBy(texts, functions)) {
    for (const name of group) labels.set(name, withTellingWord(name));
  }
  // What the word does not tell apart, or has none.
  const alike = [...labels.keys()];
  const brief = new Map(
    alike.map((text) => {
      const label = labels.get(text)!;
      return [text, label.endsWith('\u2026>') ? label : briefly(text, mostColumnLetters)];
    }),
  );
  for (const [text, label] of toldApart(alike, brief, mostColumnLetters)) labels.set(text, label);
  // Names of different groups may have got the same words.
  for (const group of groupsBy(alike, labels)) {
    const same = new Map(group.map((text) => [text, labels.get(text)!]));
    const apart = toldApart(group, same, mostColumnLetters);
    for (const text of group) labels.set(text, apart.get(text) ?? text);
  }
  // Words that are the same, in another order.
  for (const group of groupsBy(alike, functions)) {
    if (group.length > mostAlike || !group.some((text) => labels.get(text) === text)) continue;
    const apart = byArguments(group);
    for (const [index, text] of group.entries())
      labels.set(text, apart?.[index] ?? labels.get(text)!);
  }
  for (const group of groupsBy(alike, labels)) for (const text of group) labels.set(text, text);
  for (const [name, text] of shown) shown.set(name, labels.get(text) ?? text);
  return shown;
}
