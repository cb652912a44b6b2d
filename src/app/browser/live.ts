import { unreadWords } from '../numbers.ts';
import { fetchHere, showPage } from './page.ts';
import { isPressing, watchPresses } from './pressing.ts';
import { isChanged, recordFormsIn } from './typed.ts';

type Told = { unread?: string; changed?: string };

const againMilliseconds = 60_000;
const awayMilliseconds = 5_000;

/**
 * Receives what the server reports: how many notices are unread, and which kinds of record changed.
 * One tab listens for all tabs, because a browser opens only six connections to a server.
 */
export const startLive = () => {
  watchPresses();
  const channel = new BroadcastChannel('live');
  channel.onmessage = ({ data }: MessageEvent<Told>) => show(data);
  const tell = (told: Told) => {
    show(told);
    channel.postMessage(told);
  };
  const listen = () => {
    const open = () => {
      const source = new EventSource(`/live?shown=${shownMilliseconds()}`);
      source.addEventListener('unread', ({ data }) => tell({ unread: data }));
      source.addEventListener('changed', ({ data }) => tell({ changed: data }));
      const again = () => {
        document.removeEventListener('signed-in', again);
        clearTimeout(timer);
        source.close();
        open();
      };
      // It ends with its session.
      document.addEventListener('signed-in', again);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const listenLater = () => {
        timer = setTimeout(
          () => (document.visibilityState === 'visible' ? again() : listenLater()),
          againMilliseconds,
        );
      };
      // No place is free, so the browser does not ask again by itself.
      source.addEventListener('error', () => {
        if (source.readyState === EventSource.CLOSED) listenLater();
      });
    };
    open();
    // While this tab is open it holds the lock, and with it the connection.
    return new Promise<void>(() => {});
  };
  // Locks exist only on secure connections. Without them, each tab listens while it is visible.
  if (navigator.locks) void navigator.locks.request('live', listen);
  else if (document.visibilityState === 'visible') void listen();
};

/** How long ago this page was asked for: what changed since is told once the stream begins. */
const shownMilliseconds = () => {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return Math.ceil(performance.now() - (page?.requestStart ?? 0));
};

const show = ({ unread, changed }: Told) => {
  if (unread !== undefined) showUnread(Number(unread));
  const shown = follows();
  if (changed?.split(' ').some((kind) => shown.includes(kind))) renewSoon();
};

const showUnread = (unread: number) => {
  for (const one of document.querySelectorAll<HTMLElement>('[data-unread]')) {
    const figure = one.firstElementChild;
    if (figure) figure.textContent = unreadWords(unread);
    one.hidden = unread === 0;
  }
  if (follows().includes('notification')) renewSoon();
};

let isDue = false;
let later: ReturnType<typeof setTimeout> | undefined;
const askLater = () => {
  clearTimeout(later);
  later = setTimeout(renewSoon, awayMilliseconds);
};

/**
 * Fetches the page again and shows it. It waits until nobody is typing, pressing, dragging or choosing. A refused
 * form that has taken the place of the page meanwhile stays. If the server gives no answer, it is asked
 * again.
 */
export const renewSoon = () => {
  if (isDue) return;
  isDue = true;
  const tryNow = async () => {
    if (isBusy()) return setTimeout(tryNow, 1_000);
    isDue = false;
    if (follows().length === 0) return;
    const { text, isAway } = await fetchHere();
    // A change is told once: nobody would ask for it again.
    if (isAway) askLater();
    // Work that began in the meantime is not disturbed either.
    else if (isBusy()) renewSoon();
    else if (text !== undefined && follows().length > 0) showAnew(text);
  };
  void tryNow();
};

/**
 * Fetches the page again and shows it at once; false if that fails. What somebody has opened over it
 * meanwhile stays, and the page is renewed when it is closed. So does a form that is being sent: its
 * answer closes it.
 */
export const renewPage = async (): Promise<boolean> => {
  const { text } = await fetchHere();
  if (text === undefined) return false;
  if (!isCovered() && !isSending()) return showPage(text, true);
  renewSoon();
  return true;
};

/** The kinds of record that the page shows: it is renewed when one of them changes. */
const follows = () => document.querySelector('main')?.dataset.follows?.split(' ') ?? [];

/** Shows the page anew. A refusal above it, or above its board, stays until the next action. */
const showAnew = (text: string) => {
  const refusal = document.querySelector<HTMLElement>('main > [data-focus], #not-moved');
  const focused = document.activeElement as HTMLElement | null;
  const hadFocus = refusal?.contains(focused);
  if (!showPage(text, true) || !refusal) return;
  const board = refusal.id === 'not-moved' ? document.querySelector('.board') : null;
  if (board) board.before(refusal);
  else document.querySelector('main')?.prepend(refusal);
  if (hadFocus) focused?.focus({ preventScroll: true });
};

const isBusy = () =>
  isPressing() ||
  isCovered() ||
  isSending() ||
  document.querySelector('details.edit[open]') !== null ||
  (document.activeElement instanceof HTMLElement &&
    document.activeElement.matches('main :is(input:not([type=checkbox]), textarea, select)')) ||
  isHalfEdited();

/** Whether something that was pressed waits for its answer. */
const isSending = () => document.querySelector('[aria-busy=true]') !== null;

/** Whether a question or a menu is open over the page, or a card is lifted from it. */
const isCovered = () =>
  document.querySelector('dialog[open], .lifted, [popover]:popover-open') !== null;

/** Whether a record's form on the page holds a change, or a refusal that waits for a choice. */
const isHalfEdited = () =>
  recordFormsIn(document).some(
    (form) => form.querySelector('[data-focus]') !== null || isChanged(form),
  );
