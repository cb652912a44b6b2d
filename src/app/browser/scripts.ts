import { type ComponentType, h, hydrate } from 'preact';
import { type IslandName, islands } from '../islands.ts';
import { startCopy, startPrinted, startPrints } from './copy-and-print.ts';
import { startDialog, startInDialog, startOpens } from './dialogs.ts';
import { startDraft, startSignOut } from './drafts.ts';
import { startEdit, startKeeps, startTakes } from './edits.ts';
import { startForms, startSendsItself } from './forms.ts';
import { startKeys, startTickByLetter } from './keys.ts';
import {
  startFilters,
  startNarrow,
  startPicks,
  startReads,
  startRolePick,
  startStrip,
  startZone,
} from './lists.ts';
import { startLive } from './live.ts';
import { startMenu } from './menus.ts';
import { holdEnter } from './pressing.ts';
import { startKeepsBulk, startKeepsUndo, startLastDone } from './said.ts';
import { startSeen } from './seen.ts';

type Script = (part: never) => unknown;

type Board = typeof import('./board.ts');
let loaded: Board | undefined;

// The board's script is large, so only boards load it. Once it is loaded, a replaced page starts it at
// once: to import it again would take a moment, in which a key would find no script.
const ofBoard =
  <Part>(start: (board: Board, part: Part) => unknown) =>
  async (part: Part) => {
    if (loaded) return start(loaded, part);
    loaded = await import('./board.ts');
    start(loaded, part);
  };

/** Starts an island: the component continues from what the server rendered, and from what was done in it since. */
const startIsland = async (island: HTMLElement) => {
  const load = islands[island.dataset.island as IslandName];
  if (!load) return;
  const releaseEnter = holdEnter(island);
  let typed: HTMLInputElement[] = [];
  try {
    typed = goOn(island, (await load()) as ComponentType<object>);
    await drawn;
  } finally {
    releaseEnter();
  }
  await drawn;
  const left = typed.filter((input) => input !== document.activeElement);
  for (const input of left) input.dispatchEvent(new FocusEvent('blur'));
};

/** Preact draws what a component was told in the next microtask: who waits for this goes on after it. */
const drawn = Promise.resolve();

/** Returns the fields that somebody had typed into. */
const goOn = (island: HTMLElement, component: ComponentType<object>) => {
  const typed = [...island.querySelectorAll('input')]
    .filter(({ value, defaultValue }) => value !== defaultValue)
    .map((input) => [input, input.value] as const);
  hydrate(h(component, JSON.parse(island.dataset.props ?? '{}')), island);
  for (const [input, text] of typed) tell(input, text);
  island.dataset.alive = 'yes';
  return typed.map(([input]) => input);
};

/** Tells a component what was typed before it had started. */
const tell = (input: HTMLInputElement, text: string) => {
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
};

/**
 * Each script, by the name that the HTML of a part gives it: `<form data-script="draft">`. The other
 * `data-` words of the part are what its script needs to know.
 */
export const scripts: Record<string, Script> = {
  board: ofBoard(({ startBoard }, part: HTMLElement) => startBoard(part)),
  'board-asks': ofBoard(({ startAsking }, form: HTMLFormElement) => startAsking(form)),
  'board-pick': ofBoard(({ startPicking }, form: HTMLFormElement) => startPicking(form)),
  'move-menu': ofBoard(({ startMoveMenu }, menu: HTMLElement) => startMoveMenu(menu)),
  copy: startCopy,
  dialog: startDialog,
  draft: startDraft,
  edit: startEdit,
  filters: startFilters,
  forms: startForms,
  'in-dialog': startInDialog,
  island: startIsland,
  keeps: startKeeps,
  'keeps-bulk': startKeepsBulk,
  'keeps-undo': startKeepsUndo,
  keys: startKeys,
  'last-done': startLastDone,
  live: startLive,
  menu: startMenu,
  narrow: startNarrow,
  opens: startOpens,
  picks: startPicks,
  printed: startPrinted,
  prints: startPrints,
  reads: startReads,
  'role-pick': startRolePick,
  seen: startSeen,
  'sends-itself': startSendsItself,
  'sign-out': startSignOut,
  strip: startStrip,
  takes: startTakes,
  'tick-by-letter': startTickByLetter,
  unfinished: (form: HTMLFormElement) =>
    import('./unfinished.ts').then(({ startUnfinished }) => startUnfinished(form)),
  zone: startZone,
};

/** Starts the scripts that the parts of a page name. */
export const startScripts = (page: ParentNode) => {
  for (const part of page.querySelectorAll<HTMLElement>('[data-script]')) {
    for (const name of part.dataset.script?.split(' ') ?? []) scripts[name]?.(part as never);
  }
};
