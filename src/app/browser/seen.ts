import type { Found } from '../search/found.ts';

const max = 8;

/** Stores in this browser which records were opened last, for the palette. */
export const startSeen = () => {
  const { record, member } = document.body.dataset;
  const name = document.querySelector('h1')?.textContent?.trim();
  if (!record || !member || !name) return;
  const key = `seen:${member}`;
  try {
    const before = JSON.parse(localStorage.getItem(key) ?? '[]') as Found[];
    const now = { path: location.pathname, name, sub: record };
    const others = before.filter(({ path }) => path !== now.path);
    localStorage.setItem(key, JSON.stringify([now, ...others].slice(0, max)));
  } catch {
    // A private window stores nothing.
  }
};
