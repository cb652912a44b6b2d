/**
 * Sentences that end with a name, each with one stop: a title may end with one itself, `Acme Inc.`, `Arrived?`. Three
 * dots of a title stay.
 */
export const withOneStop = (sentences: string): string =>
  sentences.replace(/(\.{3}|[?!…]|(?<!\.)\.)\.(?=\s|$)/g, '$1');
