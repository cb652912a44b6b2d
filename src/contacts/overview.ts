import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { lead } from '../leads/table.ts';
import { matter, matterClient } from '../matters/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import { spacedOut, wordsOf } from '../search-text/search-text.ts';
import { type FieldFilter, fieldConditions, hasFields, isLikeAll } from '../views/filter.ts';
import { totalSeen } from '../visibility/counts.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { listContacts } from './contact.ts';
import { contact } from './table.ts';
import { viewContact } from './view.ts';
import type { ContactRow, contactTypes } from './wire.ts';

export const contactSorts = [
  'name',
  'type',
  'email',
  'phone',
  'matters',
  'leads',
  'created',
] as const;

/** The order of a list: by which column, and whether the last or the newest comes first. */
export type ContactOrder = { by: (typeof contactSorts)[number]; isDown: boolean };

/** Which contacts a list shows. Null is any. */
export type ContactFilter = {
  /** Words that it holds, or parts of them. */
  q: string | null;
  type: (typeof contactTypes)[number] | null;
  fields: readonly FieldFilter[];
};

export const everyContact: ContactFilter = { q: null, type: null, fields: [] };

const maxWords = 10;

/**
 * A page of the contacts that the reader may see and that pass a filter, in an order. What has no
 * email or phone comes last by these. By leads counts those that the reader may see.
 */
export const readContacts = async (
  reader: Reader,
  filter: ContactFilter,
  order: ContactOrder,
  page: Page,
): Promise<Listed<ContactRow>> => {
  const words = wordsOf(filter.q ?? '').slice(0, maxWords);
  const isPlain = words.length === 0 && filter.type === null && filter.fields.length === 0;
  if (isPlain && order.by === 'created' && order.isDown && page.limit <= 100) {
    return listContacts(reader, page);
  }
  const asked = {
    ...viewerOf(reader),
    patterns: words.map((word) => `%${spacedOut(word)}%`),
    type: filter.type,
    fields: (await fieldConditions(reader, 'CONTACT', filter.fields)).fields,
  };
  const [rows, total] = await Promise.all([
    reader.run(pageBy(order), { ...asked, ...page }),
    isPlain ? totalSeen(reader, 'contact') : countSome(reader, asked),
  ]);
  return { rows: rows.map((row) => viewContact(row)), total };
};

type ContactCondition = Viewer & { patterns: string[]; type: string | null; fields: string };

const passes = (given: Given<ContactCondition>): SQL =>
  and(
    eq(contact.firmId, given.firmId),
    isNull(contact.deletedAt),
    canSeeContact(given),
    isLikeAll(sql`${contact.searchText}`, given.patterns),
    sql`(${given.type}::text is null or ${contact.type} = ${given.type}::text)`,
    hasFields(sql`${contact.customFields}`, given.fields),
  ) as SQL;

const countSome = async (reader: Reader, asked: ContactCondition): Promise<number> =>
  (await reader.first(countOf, asked))?.count ?? 0;

const countOf = statement(
  (given: Given<ContactCondition>) =>
    sql<{ count: number }>`select count(*)::int as count from contact where ${passes(given)}`,
  'anew',
);

const primary = (list: SQL, part: string) => sql`(
  select lower(one ->> ${sql.raw(`'${part}'`)}) from jsonb_array_elements(${list}) one
  order by (one ->> 'isPrimary')::boolean desc limit 1)`;

type Key = (given: Given<ContactCondition & Page>) => SQL;

const mattersOf: Key = ({ firmId }) => sql`(select count(*) from ${matterClient}
  join ${matter} on ${matter.firmId} = ${matterClient.firmId} and ${matter.id} = ${matterClient.matterId}
  where ${matterClient.firmId} = ${firmId} and ${matterClient.contactId} = contact.id
    and ${matter.deletedAt} is null)`;
const leadsOf: Key = (given) => sql`(select count(*) from ${lead}
  where ${lead.firmId} = ${given.firmId} and ${lead.contactId} = contact.id
    and ${lead.deletedAt} is null and ${canSeeLead(given)})`;

const sortKeys: Record<ContactOrder['by'], Key> = {
  name: () => sql`lower(${contact.name})`,
  type: () => sql`${contact.type}`,
  email: () => primary(sql`${contact.emails}`, 'address'),
  phone: () => primary(sql`${contact.phones}`, 'number'),
  matters: mattersOf,
  leads: leadsOf,
  created: () => sql`${contact.ordinal}`,
};

const pageOrderedBy = (key: Key, isDown: boolean) =>
  statement(
    (given: Given<ContactCondition & Page>) =>
      query
        .select()
        .from(contact)
        .where(passes(given))
        .orderBy(
          sql`${key(given)} ${sql.raw(isDown ? 'desc' : 'asc')} nulls last`,
          sql`${contact.ordinal} desc`,
        )
        .limit(given.limit)
        .offset(given.offset),
    'anew',
  );

const pages = Object.fromEntries(
  contactSorts.flatMap((by) => [
    [`${by} up`, pageOrderedBy(sortKeys[by], false)],
    [`${by} down`, pageOrderedBy(sortKeys[by], true)],
  ]),
);

const pageBy = ({ by, isDown }: ContactOrder) => {
  const found = pages[`${by} ${isDown ? 'down' : 'up'}`];
  if (!found) throw new Error(`Contacts are not sorted by ${by}.`);
  return found;
};
