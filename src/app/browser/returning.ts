import { linkIn, rowSelector, rowsOf } from './rows.ts';

/** A row or card from which a page was left: the address of its record, and its place. */
type Left = { from: string; to: string; at: number };

const place = 'left';
const most = 20;

/** Who comes back to a page finds the focus on the row or card from which they left it, not at its beginning. */
export const startReturning = () => {
  const [{ type } = { type: '' }] = performance.getEntriesByType(
    'navigation',
  ) as PerformanceNavigationTiming[];
  if (type === 'back_forward' || type === 'reload') giveBackRow();
  window.addEventListener('pagehide', noteRow);
};

const noteRow = () => {
  const rows = rowsOf(document);
  const focused = document.activeElement;
  // A menu of all cards stands beside them, and leads to the page of one.
  const path = focused instanceof HTMLAnchorElement ? focused.pathname : '';
  const row =
    focused?.closest(`main ${rowSelector}`) ?? rows.find((one) => linkIn(one)?.pathname === path);
  const link = linkIn(row);
  if (!row || !link) return;
  const left = { from: location.href, to: link.href, at: rows.indexOf(row) };
  const others = kept().filter(({ from }) => from !== left.from);
  sessionStorage.setItem(place, JSON.stringify([left, ...others].slice(0, most)));
};

/** If the row is gone, the one that stands in its place has the focus. */
const giveBackRow = () => {
  const left = kept().find(({ from }) => from === location.href);
  if (!left) return;
  const links = rowsOf(document).map(linkIn);
  const link = links.find((one) => one?.href === left.to) ?? links[left.at] ?? links.at(-1);
  link?.focus();
};

const kept = () => JSON.parse(sessionStorage.getItem(place) ?? '[]') as Left[];
