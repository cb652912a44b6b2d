import { written } from '../base/numbers.ts';

/** A count of things in words: `1 day`, `1,200 days`, `2 people`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${written(count)} ${count === 1 ? one : many}`;

/** How many notices are unread, in words. They are counted to 100. */
export const unreadWords = (unread: number): string => (unread > 99 ? '99+' : String(unread));
