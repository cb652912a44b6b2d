/** @jsxImportSource preact */
import {
  type ContactFilter,
  type ContactOrder,
  contactSorts,
  readContacts,
} from '../../contacts/overview.ts';
import type { ContactRow } from '../../contacts/wire.ts';
import { recordExport } from '../../firm/exported.ts';
import { countOfContacts } from '../../matters/of-contacts.ts';
import type { Page } from '../../record/page.ts';
import { csvFile } from '../csv.ts';
import { Export } from '../export.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Empty, Filter, Filters, Foot, pageIn, Title } from '../list.tsx';
import { markup } from '../markup.ts';
import { type Column, Table } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import { Or } from '../words.tsx';

type ContactLine = ContactRow & { leads: number; matters: number };

/** The address or number to use first. */
export const primaryOf = <One extends { isPrimary: boolean }>(all: readonly One[]) =>
  all.find(({ isPrimary }) => isPrimary) ?? all[0];

const typeName = ({ type }: ContactRow) => (type === 'COMPANY' ? 'Company' : 'Person');

const columns: Column<ContactLine>[] = [
  {
    name: 'Name',
    isHead: true,
    class: 'line-1 cut',
    sort: 'name',
    cell: ({ id, name }) =>
      markup`<a class="name" href="/contacts/${id}" title="${name}">${name}</a>`,
  },
  { name: 'Type', sort: 'type', cell: typeName },
  {
    name: 'Email',
    class: 'line-2 cut',
    sort: 'email',
    cell: ({ emails }) => Or({ value: primaryOf(emails)?.address, none: 'No email' }),
  },
  {
    name: 'Phone',
    class: 'nowrap',
    sort: 'phone',
    cell: ({ phones }) => Or({ value: primaryOf(phones)?.number, none: 'No phone' }),
  },
];

const mattersColumn: Column<ContactLine> = {
  name: 'Matters',
  class: 'number',
  sort: 'matters',
  cell: ({ matters }) => matters,
};
const leadsColumn: Column<ContactLine> = {
  name: 'Leads',
  class: 'number',
  sort: 'leads',
  cell: ({ leads }) => leads,
};

/** The filter in an address. Wrong values are left out. */
const filterIn = (query: URLSearchParams): ContactFilter => {
  const type = query.get('type');
  return {
    words: query.get('q')?.trim().slice(0, 255) || null,
    type: type === 'PERSON' || type === 'COMPANY' ? type : null,
  };
};

/** The order in an address, by a column that the visitor sees; by default the newest first. */
const orderIn = ({ query, may }: Pick<Visit, 'query' | 'may'>): ContactOrder => {
  const text = query.get('sort') ?? '';
  const by = contactSorts.find((sort) => sort === text.replace(/^-/, ''));
  const isHidden = (by === 'matters' || by === 'leads') && !may(`${by}:read`);
  return by && !isHidden ? { by, isDown: text.startsWith('-') } : { by: 'created', isDown: true };
};

const readPage = async (visit: Visit, part: Page) => {
  const { actor, query } = visit;
  const { rows, total } = await readContacts(actor, filterIn(query), orderIn(visit), part);
  const ids = rows.map(({ id }) => id);
  const counts = await countOfContacts(actor, ids);
  return { total, rows: rows.map((row) => ({ ...row, ...(counts.get(row.id) ?? noCounts) })) };
};

const noCounts = { leads: 0, matters: 0 };

export const showContacts = async (visit: Visit): Promise<Shown> => {
  const { may, query } = visit;
  const part = pageIn(query);
  const { rows, total } = await readPage(visit, part);
  const { words, type } = filterIn(query);
  const isFiltered = words !== null || type !== null;
  const shown = [
    ...columns,
    ...(may('matters:read') ? [mattersColumn] : []),
    ...(may('leads:read') ? [leadsColumn] : []),
  ];
  return {
    title: 'Contacts',
    follows: ['contact'],
    main: (
      <>
        <Title title="Contacts">
          <Export action={addressWith('/contacts/export', query, { page: null })} />
          {may('contacts:write') && (
            <a class="button primary" href="/contacts/new">
              <Icon name="plus" />
              New contact
            </a>
          )}
        </Title>
        {(total > 0 || isFiltered) && <ContactFilters words={words ?? ''} />}
        {total === 0 ? (
          <None isFiltered={isFiltered} />
        ) : (
          <>
            <Table caption="Contacts" columns={shown} rows={rows} />
            <Foot part={part} total={total} shown={rows.length} />
          </>
        )}
      </>
    ),
  };
};

const ContactFilters = ({ words }: { words: string }) => (
  <Filters keep={['sort']}>
    <label class="filter-by">
      <span class="hide">Words</span>
      <input class="input" type="search" name="q" value={words} placeholder="Name, email, phone" />
    </label>
    <Filter
      name="type"
      label="Type"
      any="Type: all"
      options={[
        { value: 'PERSON', name: 'People' },
        { value: 'COMPANY', name: 'Companies' },
      ]}
    />
  </Filters>
);

const None = ({ isFiltered }: { isFiltered: boolean }) => {
  const { visit, admits } = useFrame();
  if (!isFiltered)
    return (
      <Empty text="The firm has no contacts yet. Every new lead adds one.">
        {admits('/settings/imports') && (
          <a class="button" href="/settings/imports">
            Import contacts
          </a>
        )}
      </Empty>
    );
  return (
    <Empty text="No contact matches.">
      <a class="button" href={visit.path}>
        Show all
      </a>
    </Empty>
  );
};

const maxExported = 50_000;

export const exportContacts = async (visit: Visit): Promise<Response> => {
  const { actor, may, query } = visit;
  const { rows } = await readPage(visit, { limit: maxExported, offset: 0 });
  const [withMatters, withLeads] = [may('matters:read'), may('leads:read')];
  const head = [
    ...['Name', 'Type', 'Email', 'Phone'],
    ...(withMatters ? ['Matters'] : []),
    ...(withLeads ? ['Leads'] : []),
  ];
  const lines = rows.map((row) => [
    ...[row.name, typeName(row), primaryOf(row.emails)?.address ?? ''],
    primaryOf(row.phones)?.number ?? '',
    ...(withMatters ? [String(row.matters)] : []),
    ...(withLeads ? [String(row.leads)] : []),
  ]);
  const address = addressWith('/contacts', query, { page: null });
  await recordExport(actor, { what: 'contacts', address, rows: lines.length });
  return csvFile('contacts', head, lines);
};
