import type { Found } from './found.ts';

/** What the three dots of the page below lead to, as commands: `Apply a task list`. */
export const ofThisPage = (): Found[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('#more-actions a.item')].map((item) => ({
    path: item.pathname + item.search,
    name: item.textContent?.trim() ?? '',
    sub: document.querySelector('h1')?.textContent?.trim() ?? '',
  }));
