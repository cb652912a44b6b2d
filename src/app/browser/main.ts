/** The script of every page. Pages work without it. With it, nothing typed is lost. */
import { startCopy } from './copy.ts';
import { startDialogs } from './dialogs.ts';
import { startDrafts } from './drafts.ts';
import { startEdits } from './edits.ts';
import { startForms } from './forms.ts';
import { startIslands } from './islands.ts';
import { startKeys, startUndo } from './keys.ts';
import { startLists } from './lists.ts';
import { startLive } from './live.ts';
import { startMenus } from './menus.ts';
import { startNarrowing } from './narrow.ts';
import { onPart } from './page.ts';
import { startSeen } from './seen.ts';
import { startZone } from './zone.ts';

document.documentElement.classList.add('scripted');
startDialogs();
startCopy();
startMenus();
startForms();
startDrafts();
startLists();
startIslands();
startKeys();
startUndo();
startEdits();
startLive();
startSeen();
startZone();
startNarrowing();

// A page that the browser kept is loaded again, because its member may be signed out.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());

// The board's script is large, so only boards load it. Once it is loaded, a replaced page starts it
// before the next key or click arrives.
let boardScript: Promise<typeof import('./board.ts')> | undefined;
onPart((part) => {
  const board = part.querySelector<HTMLElement>('#board');
  if (!board) return;
  boardScript ??= import('./board.ts');
  void boardScript.then(({ startBoard }) => startBoard(board));
});
