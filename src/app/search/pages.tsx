/** @jsxImportSource preact */
import { search } from '../../search/search.ts';
import type { FoundRow, foundTypes } from '../../search/wire.ts';
import { Icon, type IconName } from '../icon.tsx';
import { Empty, Foot, pageIn, Title } from '../list.tsx';
import { type Page, page, type Shown, type Visit } from '../visit.ts';
import type { Found } from './found.ts';

type Kind = (typeof foundTypes)[number];

const kinds: Record<Kind, { icon: IconName; path: string; name: string }> = {
  CONTACT: { icon: 'contact', path: '/contacts', name: 'Contact' },
  LEAD: { icon: 'funnel', path: '/leads', name: 'Lead' },
  MATTER: { icon: 'briefcase', path: '/matters', name: 'Matter' },
};

const pathOf = ({ type, id }: FoundRow) => `${kinds[type].path}/${id}`;
const subOf = ({ type, publicId, matched }: FoundRow) =>
  [kinds[type].name, publicId, matched === 'client' ? 'found by its client' : undefined]
    .filter(Boolean)
    .join(' · ');

/** The search page. It finds the same as the palette, and works without a script. */
const showSearch = async ({ actor, may, query }: Visit): Promise<Shown> => {
  const q = (query.get('q') ?? '').trim().slice(0, 200);
  const part = pageIn(query);
  const only = query.get('kind');
  const reads = (kind: 'contacts' | 'leads' | 'matters') =>
    may(`${kind}:read`) && (only === null || only === kind);
  const readable = {
    contacts: reads('contacts'),
    leads: reads('leads'),
    matters: reads('matters'),
  };
  const { rows, total } = q ? await search(actor, readable, q, part) : { rows: [], total: 0 };
  return {
    title: q ? `${q}: search` : 'Search',
    data: {
      found: rows.slice(0, 12).map(
        (row): Found => ({
          path: pathOf(row),
          name: row.title,
          sub: subOf(row),
          ...(row.publicId && { number: row.publicId }),
        }),
      ),
    },
    main: (
      <div class="searching">
        <Title title="Search" />
        <form class="toolbar" role="search" action="/search">
          <input
            class="input grow"
            type="search"
            name="q"
            value={q}
            aria-label="Search for"
            placeholder="Names, numbers, titles, emails, phones"
          />
          <button class="button primary">Find</button>
        </form>
        {q && rows.length === 0 && <Empty text="Nothing that you may see matches these words." />}
        {rows.length > 0 && (
          <section class="panel" aria-label="Found">
            <ul class="rows">
              {rows.map((row) => (
                <li>
                  <Icon name={kinds[row.type].icon} />
                  <div class="grow">
                    <a class="name" href={pathOf(row)}>
                      {row.title}
                    </a>
                    <div class="sub">{subOf(row)}</div>
                  </div>
                </li>
              ))}
            </ul>
          </section>
        )}
        {rows.length > 0 && <Foot part={part} total={total} shown={rows.length} />}
      </div>
    ),
  };
};

export const searchPages: Page[] = [page('/search', 'member', showSearch)];
