// A name in the room that it has: shortened once, by what its parts mean. Pure: `widthOf` measures.
import { cutParts, functionParts, tellingWord } from '#shared/names.ts';

/** Pixels that a text takes. */
export type WidthOf = (text: string) => number;

const ellipsis = '\u2026';

/** Letters of a function's name that stay in front of the word that tells what it does. */
const leastFunction = 4;

/** Words that say only what kind of code a kernel was generated from. */
const noise = /(?<=\w)(?:_kernel(?:_cuda|_impl|_cuda_impl)?|KernelImpl)(?=$|, )/g;

/** What tells a name apart, in its fewest letters: "direct_copy, 12" of "direct_copy_kernel_cuda, 12". */
const briefWord = (word: string): string => word.replace(noise, '');

/** The word in `<\u2026word\u2026>`, which stands for all template arguments. */
const toldWord = (args: string): string | undefined => /^<\u2026(.*)\u2026>$/.exec(args)?.[1];

/** The most letters of `text` for which `fits` holds; half a surrogate pair is no letter. */
function mostLetters(text: string, fits: (letters: number) => boolean): number {
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least > 0 && /[\ud800-\udbff]/.test(text[least - 1]!) ? least - 1 : least;
}

/** The beginning of a text in `room` pixels, with an ellipsis where some of it is missing. */
function beginning(text: string, room: number, widthOf: WidthOf): string {
  if (widthOf(text) <= room) return text;
  const letters = mostLetters(text, (count) => widthOf(text.slice(0, count) + ellipsis) <= room);
  // Whole words, where that costs few letters.
  const end = text.slice(0, letters).search(/[_ ][^_ ]*$/);
  const kept = end >= leastFunction && end >= letters - 5 ? end : letters;
  return text.slice(0, kept) + ellipsis;
}

/** As much of the beginning as there is room for before the end. */
function beginningAnd(head: string, end: string, room: number, widthOf: WidthOf): string {
  const fits = (letters: number) => widthOf(head.slice(0, letters) + ellipsis + end) <= room;
  return head.slice(0, mostLetters(head, fits)) + ellipsis + end;
}

/**
 * Both ends of a name without template arguments: names of kernels begin alike, and their ends tell them
 * apart. The end has up to two fifths of the room and begins with a whole word where it can.
 */
function bothEnds(text: string, room: number, widthOf: WidthOf): string {
  if (widthOf(text) <= room) return text;
  // "Conv2d_12" and "Conv2d_3" differ in their numbers alone.
  const tail = cutParts(text).tail || (/_\d{1,5}$/.exec(text)?.[0] ?? '');
  if (tail === '') {
    // "aten::convolution" is another operator than "aten::convolution_backward".
    const last = /(?<=[^_:]{6})_[a-z]{4,8}$/.exec(text)?.[0];
    if (last === undefined || widthOf(last) > room / 2) return beginning(text, room, widthOf);
    return beginningAnd(text.slice(0, -last.length), last, room, widthOf);
  }
  const letters = mostLetters(tail, (count) => widthOf(tail.slice(-count)) <= room * 0.4);
  const cut = letters === 0 ? '' : tail.slice(-letters);
  const word = /^[^_/.:]{0,5}([_/.:].{4,})$|^[^_/.:A-Z]{0,5}([A-Z][a-z].{3,})$/.exec(cut);
  const end = (word?.[1] ?? word?.[2] ?? cut).replace(/^[\udc00-\udfff]/, '');
  return beginningAnd(text.slice(0, text.length - end.length), end, room, widthOf);
}

/**
 * A qualified name without its namespaces, which give way first; undefined where that is not enough. Of
 * "autograd::engine::evaluate_function: MulBackward0", what is evaluated tells it from others.
 */
function unqualified(text: string, room: number, widthOf: WidthOf): string | undefined {
  const [, name, evaluated] = /^(?:\w+::)+(\w+)(?:: (.+))?$/.exec(text) ?? [];
  if (name === undefined) return undefined;
  const fits = (candidate: string): boolean => widthOf(candidate) <= room;
  if (evaluated === undefined) {
    const own = ellipsis + name;
    return fits(own) ? own : undefined;
  }
  const whole = `${ellipsis}${name}: ${evaluated}`;
  if (fits(whole)) return whole;
  const own = evaluated.replace(/^(?:\w+::)+(?=\w)/, '');
  const front = beginning(name, room - widthOf(`: ${own}`), widthOf);
  return front.length > leastFunction ? `${front}: ${own}` : bothEnds(own, room, widthOf);
}

/** Whether `text` has each of `words` as whole words. */
const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => {
    const at = text.indexOf(word);
    const letter = /[\p{L}\p{N}]/u;
    return (
      at >= 0 && !letter.test(text[at - 1] ?? '') && !letter.test(text[at + word.length] ?? '')
    );
  });

/**
 * A name of which only the beginning and the words were kept that tell it from others, "igemm\u2026bt64x256",
 * with as much of `full` as there is room for, if the words are in it.
 */
function withMore(text: string, full: string, room: number, widthOf: WidthOf): string {
  const [head, ...words] = text.split(ellipsis);
  if (words.length === 0 || text.includes('<') || !full.startsWith(head!)) return text;
  const longer = bothEnds(full, room, widthOf);
  return hasWords(longer, words) ? longer : text;
}

/** As many of the arguments as there is room for, up to the end of one where that costs few letters. */
function firstArguments(name: string, args: string, fits: (candidate: string) => boolean): string {
  const letters = mostLetters(args, (count) => fits(`${name}<${args.slice(0, count)}${ellipsis}>`));
  const end = args.slice(0, letters).lastIndexOf(',');
  return args.slice(0, end > 0 && end >= letters - 8 ? end : letters);
}

/**
 * `name<\u2026word\u2026>` with what stands around the word in `full`, first behind it, as far as there is
 * room: "Kernel2<\u2026bf16_256x128_nn_align1>" says more than "Kernel2<\u2026256x128\u2026>".
 */
function withContext(text: string, full: string, fits: (candidate: string) => boolean): string {
  const [, name, word] = /^([^<]+)<\u2026(.*)\u2026>$/.exec(text) ?? [];
  if (name === undefined || word === undefined || word === '') return text;
  if (!full.startsWith(`${name}<`) || !full.endsWith('>')) return text;
  if (fits(full)) return full;
  const args = full.slice(name.length + 1, -1);
  const whole = /^(?![\p{L}\p{N}])|^$/u;
  let at = args.indexOf(word);
  while (
    at >= 0 &&
    !(whole.test(args.slice(at + word.length)) && (at === 0 || whole.test(args[at - 1]!)))
  ) {
    at = args.indexOf(word, at + 1);
  }
  if (at < 0) {
    // Several words: the arguments up to the last of them.
    const kept = firstArguments(name, args, fits);
    return hasWords(kept, word.split(', ')) ? `${name}<${kept}${ellipsis}>` : text;
  }
  const before = args.slice(0, at);
  const after = args.slice(at + word.length);
  const shown = (left: string, right: string): string => {
    const opened = [...right].reduce((sum, c) => sum + (c === '<' ? 1 : c === '>' ? -1 : 0), 0);
    const end = right === after ? '' : ellipsis + '>'.repeat(Math.max(0, opened));
    return `${name}<${left === before ? '' : ellipsis}${left}${word}${right}${end}>`;
  };
  // Whole words alone, and none of one letter, such as that of "bfloat16_t".
  const endsOf = (part: string): number[] =>
    [...part.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index, 0: found }) => index + found.length);
  const startsOf = (part: string): number[] =>
    [...part.matchAll(/(?<!_)[\p{L}\p{N}]+|(?<=_)[\p{L}\p{N}]{2,}/gu)].map(
      ({ index }) => part.length - index,
    );
  let right = '';
  for (const end of [...endsOf(after), after.length]) {
    if (!fits(shown('', after.slice(0, end)))) break;
    right = after.slice(0, end);
  }
  let left = '';
  for (const length of [...startsOf(before).reverse(), before.length]) {
    if (!fits(shown(before.slice(-length), right))) break;
    left = before.slice(-length);
  }
  return shown(left, right);
}

/** Of a word that tells a name from others, this share of its letters still does. */
const leastOfWord = 0.6;

/**
 * A word that tells a name from others in `room` pixels, if enough of it is left: of several, the last stays
 * whole.
 */
function wordWithin(word: string, room: number, widthOf: WidthOf): string | undefined {
  const last = /, [^,]+$/.exec(word)?.[0];
  const cut =
    last === undefined
      ? bothEnds(word, room, widthOf)
      : beginningAnd(word.slice(0, -last.length), last, room, widthOf);
  return widthOf(cut) <= room && cut.length - 1 >= leastOfWord * word.length ? cut : undefined;
}

/**
 * A shown name in `room` pixels; `full` is all of it. Namespaces give way first. The function's name stays
 * and the word among its template arguments that says what it does, as far as there is room; other
 * arguments give way first. Where that word is what tells the name from others (`<\u2026word\u2026>`), some
 * of the function's name gives way to it, but not before the word is as short as it can be.
 */
export function fitName(text: string, room: number, widthOf: WidthOf, full = text): string {
  if (widthOf(text) <= room) {
    const more = withMore(text, full, room, widthOf);
    return withContext(more, full, (one) => widthOf(one) <= room);
  }
  const parts = functionParts(text);
  if (parts === undefined) return unqualified(text, room, widthOf) ?? bothEnds(text, room, widthOf);
  const { name } = parts;
  const fits = (candidate: string): boolean => widthOf(candidate) <= room;
  const told = toldWord(parts.args);
  const whole = text.slice(name.length);
  if (whole.startsWith(`<${ellipsis}`) && told !== undefined) {
    const brief = briefWord(told);
    for (const word of [told, brief]) if (fits(`${name}<${word}>`)) return `${name}<${word}>`;
    const within = wordWithin(brief, room - widthOf(`${name}<>`), widthOf);
    if (within !== undefined) return `${name}<${within}>`;
    const front = name.slice(0, leastFunction) + ellipsis;
    const word = bothEnds(brief, room - widthOf(`${front}<>`), widthOf);
    return `${beginning(name, room - widthOf(`<${word}>`), widthOf)}<${word}>`;
  }
  const word = told ?? tellingWord(whole);
  if (word !== undefined) {
    const brief = briefWord(word);
    for (const one of [word, brief]) {
      if (fits(`${name}<${ellipsis}${one}${ellipsis}>`))
        return `${name}<${ellipsis}${one}${ellipsis}>`;
    }
  }
  const kept = firstArguments(name, whole.slice(1, -1), fits);
  if (kept.length >= 3) return `${name}<${kept}${ellipsis}>`;
  if (fits(`${name}<${ellipsis}>`)) return `${name}<${ellipsis}>`;
  return bothEnds(name, room, widthOf);
}

/**
 * The shortest form in which `fitName` keeps the function whole, and the word that says what it does: in
 * less room, some of its name is lost.
 */
export function leastWhole(text: string): string {
  const parts = functionParts(text);
  if (parts === undefined) return text;
  const whole = text.slice(parts.name.length);
  const told = toldWord(parts.args);
  // What tells the name from others stands without marks.
  if (told !== undefined && whole === parts.args) return `${parts.name}<${briefWord(told)}>`;
  const word = told ?? tellingWord(whole);
  const least = `${parts.name}<${ellipsis}${word === undefined ? '' : briefWord(word) + ellipsis}>`;
  return least.length < text.length ? least : text;
}

/** A path whose last name, behind the mark at `at`, stays: what stands before the mark gives way. */
export function fitPath(path: string, at: number, room: number, widthOf: WidthOf): string {
  if (widthOf(path) <= room) return path;
  const end = path.slice(at);
  const before = beginning(path.slice(0, at), room - widthOf(end), widthOf);
  if (before.length > 2) return before + end;
  const name = end.replace(/^[\s/:,.]+/, '');
  return widthOf(name) <= room ? name : bothEnds(name, room, widthOf);
}

/** A thread's "thread 25286 (python3)": its number and name stay before the word, which all of them have. */
export function fitTrack(name: string, room: number, widthOf: WidthOf): string {
  return fitName(widthOf(name) <= room ? name : name.replace(/^thread (?=\d)/i, ''), room, widthOf);
}
