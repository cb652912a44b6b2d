/**
 * What a terminal acts on instead of showing it: control characters (C0, DEL, C1) with every line
 * end, and the characters that turn the direction of text. A name from a web form may hold them.
 */
const hostile = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const codeOf = (character: string) => character.charCodeAt(0).toString(16);

/** One line of text for a terminal: what it would act on is written as its code, `\x1b` or `\u202e`. */
export const plainText = (text: string): string =>
  text.replace(hostile, (one) => {
    const code = codeOf(one);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });

/** The same for one line of JSON, where it stays the same value: escaped as JSON escapes. */
export const plainJson = (json: string): string =>
  json.replace(hostile, (one) => `\\u${codeOf(one).padStart(4, '0')}`);
