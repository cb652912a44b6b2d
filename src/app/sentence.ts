/**
 * Sentences that end with a name, each with one stop: a title may end with one itself, `Acme Inc.`, `Arrived?`. Three
 * dots of a title stay.
 */
export const withOneStop = (sentences: string): string =>
  sentences.replace(/(\.{3}|[?!…]|(?<!\.)\.)\.(?=\s|$)/g, '$1');

/** A text in a sentence or on a button: of a long one, its beginning. */
export const shortened = (text: string): string =>
  text.length > 60 ? `${text.slice(0, 60)}…` : text;
