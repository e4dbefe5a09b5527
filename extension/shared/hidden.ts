// Characters that are not seen but change what is. Pure; the daemon's program does the same to what
// it prints (native/base/escape.h), and both are tested by the same cases.

/**
 * Control characters (escape sequences begin with one), bidirectional marks and overrides, line
 * separators, and what fonts draw as nothing.
 */
const hidden =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}\u{13430}-\u{1343f}]/gu;

/** `text` with the replacement character in place of each hidden one. */
export function replaceHidden(text: string): string {
  return text.replace(hidden, '\ufffd');
}

/** Hidden characters written out: `\n`, `\t`, `\xNN` up to U+009F, `\u{NNNN}` above. */
export function escapeHidden(text: string): string {
  return text.replace(hidden, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code < 0xa0 ? `\\x${digits.padStart(2, '0')}` : `\\u{${digits}}`;
  });
}

/** A JSON document with hidden characters of its texts as `\uNNNN`: the same document. */
export function escapeJson(json: string): string {
  const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
  return json.replace(hidden, (character) =>
    character < ' '
      ? character
      : character
          .split('')
          .map((c) => unit(c.charCodeAt(0)))
          .join(''),
  );
}
