/** @jsxImportSource preact */
import type { Actor } from '../../record/actor.ts';
import { withClients } from '../../search/clients-found.ts';
import { type FoundOfFirm, find } from '../../search/find.ts';
import type { Kinds } from '../../search/matches.ts';
import { search } from '../../search/search.ts';
import { isByClient } from '../../search/view.ts';
import { createWords } from '../calls/caller.ts';
import { Foot, pageIn } from '../list.tsx';
import { Empty, Title } from '../page-parts.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import { type Found, maxSearched } from './found.ts';
import { byPerson, clientWords, pathOf, Results, suggestionOf } from './results.tsx';

const mostSuggested = 12;
// Enough for what is suggested, where nothing counts them.
const mostTextsWhileTyping = 36;

/** The search page. It finds the same as the palette, and works without a script. */
const showSearch = async ({ actor, may, query, request }: Visit): Promise<Shown> => {
  const q = (query.get('q') ?? '').trim().slice(0, maxSearched);
  const only = query.get('kind');
  // A field for what is written about a record asks for those that the member may write about.
  const isToWrite = query.get('for') === 'writing';
  const reads = (kind: 'contacts' | 'leads' | 'matters') =>
    may(`${kind}:read`) && (only === null || only === kind) && (!isToWrite || may(`${kind}:write`));
  const kinds = {
    contacts: reads('contacts'),
    leads: reads('leads'),
    matters: reads('matters'),
  };
  const title = q ? `${q}: search` : 'Search';
  const isTyping = request.headers.get('x-sent-by') === 'island';
  if (isTyping && only !== null)
    return { title, main: null, data: { found: await namesLike(actor, kinds, q) } };
  const part = isTyping ? { limit: mostSuggested, offset: 0 } : pageIn(query);
  const mostTexts = isTyping ? mostTextsWhileTyping : undefined;
  const found = q ? await find(actor, kinds, q, part, mostTexts) : nothing;
  const rows = await withClients(actor, found.rows, found.words);
  const people = byPerson(rows, found.isNumbered);
  const create = q && found.rows.length === 0 && may('leads:write') ? leadOf(q) : undefined;
  return {
    title,
    data: {
      found: people.flat().map((row) => suggestionOf(row, found.words)),
      leftOut: leftOutWords(found.leftOut),
      ...(create && { create }),
    },
    work: people.length > 0 ? 'list' : undefined,
    main: (
      <div class="searching">
        <Title title="Search" />
        <form
          class="toolbar"
          role="search"
          aria-label="The firm"
          action="/search"
          autocomplete="off"
        >
          <input
            class="input grow"
            type="search"
            name="q"
            value={q}
            maxLength={maxSearched}
            autofocus
            aria-label="Search for"
            placeholder="Names, numbers, phones, notes, tasks, events"
          />
          <button class="button primary">Search</button>
        </form>
        {found.leftOut.length > 0 && <p class="muted">{leftOutWords(found.leftOut)}</p>}
        {q && people.length === 0 && (
          <Empty text={`No results for “${q}”.`}>
            {create && (
              <a class="button" href={create.path}>
                {create.name}
              </a>
            )}
          </Empty>
        )}
        {people.length > 0 && (
          <section class="panel" aria-label="Found" id="list" tabIndex={-1}>
            <Results people={people} words={found.words} />
          </section>
        )}
        {people.length > 0 && <Foot part={part} total={found.total} shown={found.rows.length} />}
      </div>
    ),
  };
};

const nothing: FoundOfFirm = { rows: [], total: 0, words: [], leftOut: [], isNumbered: false };

/** Says which words were not searched for. */
const leftOutWords = (words: string[]): string =>
  words.length === 0
    ? ''
    : `${words.map((word) => `“${word}”`).join(' and ')} ${words.length === 1 ? 'was' : 'were'} left out: nothing that you may see contains ${words.length === 1 ? 'it' : 'them'}.`;

const leadOf = (who: string): Found => ({
  path: `/leads/new?${new URLSearchParams({ name: who })}`,
  name: createWords(who),
});

/** For a field that asks for a contact or a matter: those with this name or number. */
const namesLike = async (actor: Actor, kinds: Kinds, q: string): Promise<Found[]> => {
  if (!q) return [];
  const part = { limit: mostSuggested, offset: 0 };
  const { rows, words, isMeant } = await search(actor, kinds, q, part);
  const found = rows.map((row) => ({ ...row, isByClient: isByClient(row) }));
  return (await withClients(actor, found, words)).map((row) => ({
    path: pathOf(row),
    name: row.title,
    ...(row.publicId && { number: row.publicId }),
    ...(row.client && { sub: clientWords(row.client) }),
    ...(isMeant && { isSimilar: true }),
  }));
};

export const searchPages: Page[] = [page('/search', 'member', showSearch)];
