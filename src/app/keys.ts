import type { Permission } from '../firm/permissions.ts';

type Key = {
  /** What is pressed, one after the other, or together with Ctrl. */
  pressed: readonly string[];
  words: string;
  /** It goes where the link of the page with this address leads. */
  path?: string;
  /** It goes so many rows or cards on. */
  steps?: 1 | -1;
  /** What a member's role must allow, all of it, for the key to do anything. */
  needs?: readonly Permission[];
  /** It is obeyed also where letters come fast, like those of a word: it opens nothing. */
  isQuick?: boolean;
};

/**
 * The keys of every page, each said once: `browser/keys.ts` acts on them, `shortcuts.tsx` lists
 * them. Of those without a path, a single letter presses the link or button with that `data-key`.
 */
export const keys: readonly Key[] = [
  { pressed: ['Ctrl', 'K'], words: 'Search, go anywhere, do anything' },
  { pressed: ['?'], words: 'Show the keyboard shortcuts' },
  { pressed: ['N'], words: 'New lead', path: '/leads/new' },
  { pressed: ['C'], words: 'Note a call', path: '/calls/new' },
  { pressed: ['G', 'H'], words: 'Go to Home', path: '/' },
  { pressed: ['G', 'L'], words: 'Go to Leads', path: '/leads' },
  { pressed: ['G', 'M'], words: 'Go to Matters', path: '/matters' },
  { pressed: ['G', 'C'], words: 'Go to Contacts', path: '/contacts' },
  { pressed: ['G', 'D'], words: 'Go to the calendar', path: '/calendar' },
  { pressed: ['G', 'T'], words: 'Go to Tasks', path: '/tasks' },
  { pressed: ['G', 'I'], words: 'Go to the inbox', path: '/inbox' },
  {
    pressed: ['J', '↓'],
    words: 'To the first row or card, then the next',
    steps: 1,
    isQuick: true,
  },
  { pressed: ['K', '↑'], words: 'The row or card before', steps: -1, isQuick: true },
  { pressed: ['X'], words: 'Select the row in a list', isQuick: true },
  { pressed: ['Enter'], words: 'Open the row or card' },
  { pressed: ['M'], words: 'Move the row or card, or all that are selected' },
  {
    pressed: ['A'],
    words:
      'Assign the row or card, or all that are selected: then the first letter of a name, and Enter',
  },
  {
    pressed: ['H'],
    words: 'Hire the lead of a card, a row or a page',
    needs: ['leads:write', 'matters:write'],
  },
  { pressed: ['E'], words: 'Open the row or card; on a page: edit the first value' },
  { pressed: ['D'], words: 'On a task: done' },
  {
    pressed: ['←', '→'],
    words: 'In the calendar: the days before or after; on a day, the one beside it, and Enter adds',
  },
  { pressed: ['T'], words: 'In the calendar: today' },
  { pressed: ['Z'], words: 'Undo what was just done, while Undo is offered; Ctrl+Z does the same' },
  { pressed: ['Ctrl', 'Enter'], words: 'In a form: save' },
  { pressed: ['Esc'], words: 'Close, or undo an edit that is not saved' },
];

/** The address that letters go to, pressed one after the other. */
export const pathOf = (...pressed: string[]): string | undefined => {
  const letters = pressed.join(' ').toUpperCase();
  return keys.find((key) => key.path && key.pressed.join(' ') === letters)?.path;
};

const namesOfArrows: Record<string, string> = { ArrowDown: '↓', ArrowUp: '↑' };

/** A key that is pressed alone. */
const keyOf = (pressed: string) => {
  const name = namesOfArrows[pressed] ?? pressed.toUpperCase();
  return keys.find((key) => !key.path && key.pressed[0] !== 'Ctrl' && key.pressed.includes(name));
};

/** How many rows or cards a key goes on, as the browser names it: `j`, `ArrowUp`. */
export const stepsOf = (pressed: string): number | undefined => keyOf(pressed)?.steps;

/** Whether a letter is a command even if it may belong to a word that somebody types. */
export const isQuick = (letter: string): boolean => keyOf(letter)?.isQuick ?? false;

/** The single key that goes to an address. */
export const keyTo = (path: string): string | undefined =>
  keys.find((key) => key.path === path && key.pressed.length === 1)?.pressed[0];
