/**
 * Characters that act on a terminal instead of being shown: control characters (C0, DEL, C1), line
 * ends, and those that change the direction of text. A name from a web form may hold them.
 */
const hostile = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const codeOf = (character: string) => character.charCodeAt(0).toString(16);

/**
 * One line of text for a terminal: characters that would act on it are written as `\x1b`, `\u202e`.
 */
export const plainText = (text: string): string =>
  text.replace(hostile, (one) => {
    const code = codeOf(one);
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });

/**
 * The same for one line of JSON. The value stays the same: the characters are escaped as in JSON.
 */
export const plainJson = (json: string): string =>
  json.replace(hostile, (one) => `\\u${codeOf(one).padStart(4, '0')}`);
