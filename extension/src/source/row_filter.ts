/** A text as one word of a table's filter; undefined where no filter can say it. */
export function quoted(text: string): string | undefined {
  if (text === '' || text.includes('"')) return undefined;
  return /[\s|]/.test(text) ? `"${text}"` : text;
}

/** The filter that leaves the rows of exactly these operators; undefined where there are none. */
export function operatorRows(names: readonly string[]): string | undefined {
  const words = names.map(quoted).filter((word) => word !== undefined);
  return words.length === 0 ? undefined : `name=${words.join('|')}`;
}
