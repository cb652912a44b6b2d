/** The script of every page. Pages work without it. With it, nothing typed is lost. */
import { onPart } from './page.ts';
import { sayKept } from './said.ts';
import { startScripts } from './scripts.ts';

document.documentElement.classList.add('scripted');
onPart(startScripts);
sayKept();

// A page that the browser kept is loaded again, because its member may be signed out.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());
