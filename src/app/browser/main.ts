/** What runs in browsers beside every page. Pages work without it; with it nothing typed is lost. */
import { startDialogs } from './dialogs.ts';
import { startDrafts } from './drafts.ts';
import { startForms } from './forms.ts';
import { startIslands } from './islands.ts';
import { startKeys, startUndo } from './keys.ts';
import { startLists } from './lists.ts';
import { startLive } from './live.ts';
import { startMenus } from './menus.ts';
import { startSeen } from './seen.ts';

document.documentElement.classList.add('scripted');
startDialogs();
startMenus();
startForms();
startDrafts();
startLists();
startIslands();
startKeys();
startUndo();
startLive();
startSeen();
