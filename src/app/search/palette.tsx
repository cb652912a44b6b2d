/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { nobodyWords } from '../calls/caller.ts';
import { Combobox, type Offer, useFound } from '../combobox.tsx';
import { type Found, maxSearched, type PaletteProps } from './found.ts';

const remembered = 'seen:';

/** The records that were opened last in this browser, the newest first. */
const lastOpened = (member: string): Found[] => {
  try {
    return JSON.parse(localStorage.getItem(remembered + member) ?? '[]') as Found[];
  } catch {
    return [];
  }
};

/** What the three dots of the page below lead to, as commands: `Apply a task list`. */
const ofThisPage = (): Found[] =>
  [...document.querySelectorAll<HTMLAnchorElement>('#more-actions a.item')].map((item) => ({
    path: item.pathname + item.search,
    name: item.textContent?.trim() ?? '',
    sub: document.querySelector('h1')?.textContent?.trim() ?? '',
  }));

/** The search palette: records, pages, commands. Without a script there is the search page. */
export const Palette = ({ member, places, commands }: PaletteProps) => {
  const [text, setText] = useState('');
  const { found, leftOut, create, isAsked, isLooking } = useFound(text);
  // What can be chosen is shown once the browser has it: the server sends no closed list with each page.
  const [last, setLast] = useState<Found[]>();
  useEffect(() => setLast(lastOpened(member)), [member]);

  const wanted = text.trim().toLowerCase();
  const isMeant = ({ name, also }: Found) =>
    [name, also].some((words) => words?.toLowerCase().includes(wanted));
  const isCalled = ({ name }: Found) => name.toLowerCase() === wanted;
  const hasWords = wanted.includes(' ');
  const isBegun = (one: Found) =>
    isCalled(one) || (hasWords && one.name.toLowerCase().startsWith(wanted));
  const own = [
    { name: 'Pages', rows: last ? places.filter(isMeant) : [] },
    { name: 'Commands', rows: last ? [...ofThisPage(), ...commands].filter(isMeant) : [] },
  ];
  const begun = own.map(({ name, rows }) => ({ name, rows: rows.filter(isBegun) }));
  const groups = [
    // Who types the name of a page or a command means it, not the notes with these words, and who types its first word and
    // goes on. One word alone may begin the name of a person.
    ...begun,
    { name: 'Records', rows: wanted ? found : [] },
    { name: 'Recently opened', rows: wanted || !last ? [] : last },
    ...own.map(({ name, rows }) => ({ name, rows: rows.filter((one) => !isBegun(one)) })),
    { name: nobodyWords(text), rows: wanted && create ? [create] : [] },
  ];
  const isEmpty = groups.every(({ rows }) => rows.length === 0);
  return (
    <>
      <Combobox
        input={{
          id: 'palette-text',
          'aria-label': 'Search',
          placeholder: 'A name, a number, a page or a command',
          maxLength: maxSearched,
        }}
        text={text}
        type={setText}
        groups={groups.map(({ name, rows }) => ({ name, offers: rows.map(offerOf) }))}
        label="Found"
        takesFirst
        isLooking={isLooking}
        isAlwaysOpen
        frame={(input) => (
          <div class="ask">
            {input}
            <kbd>Esc</kbd>
          </div>
        )}
      />
      {wanted && leftOut && <p class="muted none">{leftOut}</p>}
      {isAsked && isEmpty && <p class="muted none">No results for “{text.trim()}”.</p>}
    </>
  );
};

/** Another part of this page is gone to without the page being left. */
const goTo = (path: string) => {
  const isHere = new URL(path, location.href).pathname === location.pathname;
  if (isHere) document.querySelector<HTMLDialogElement>('#palette[open]')?.close();
  location.assign(path);
};

const offerOf = ({ path, name, sub }: Found): Offer => ({
  key: path,
  path,
  words: (
    <>
      <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
        <use href={`#place-${path.split(/[/?]/)[1] ?? ''}`} />
      </svg>
      <span class="grow">
        {name}
        {sub && <span class="sub">{sub}</span>}
      </span>
    </>
  ),
  choose: () => goTo(path),
});
