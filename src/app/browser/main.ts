/** The script of every page. Pages work without it. With it, nothing typed is lost. */
import { focusTitle, onPart } from './page.ts';
import { startReturning } from './returning.ts';
import { sayKept } from './said.ts';
import { startScripts } from './scripts.ts';

document.documentElement.classList.add('scripted');
onPart(startScripts);
// A form that the browser sends itself says on its page that it is done.
const isDone = sayKept() || new URLSearchParams(location.search).has('saved');
startReturning();

// The browser itself gives a page's field the focus only with its first picture: what somebody types
// before that would lose its first letter.
if (!location.hash) {
  for (const field of document.querySelectorAll<HTMLElement>('[autofocus]')) {
    if (document.activeElement === document.body) field.focus();
  }
  // After a form, one stands at the title of what it made: the next Tab is its first action.
  if (isDone && document.activeElement === document.body) focusTitle();
}

// A page that the browser kept is loaded again, because its member may be signed out.
window.addEventListener('pageshow', (event) => event.persisted && location.reload());
