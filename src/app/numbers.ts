const numbers = new Intl.NumberFormat('en-GB');

/** A number as people read it: `1,200`. A list writes many small ones, which need no format. */
export const written = (number: number): string =>
  Number.isInteger(number) && number >= 0 && number < 1_000
    ? String(number)
    : numbers.format(number);

/** A count of things in words: `1 day`, `1,200 days`, `2 people`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${written(count)} ${count === 1 ? one : many}`;

/** How many notices are unread, in words. They are counted to 100. */
export const unreadWords = (unread: number): string => (unread > 99 ? '99+' : String(unread));
