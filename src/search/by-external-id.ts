import { sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Kinds } from './matches.ts';
import type { FoundRow } from './wire.ts';
import { closeness, readingsOf } from './words.ts';

/**
 * The records of these kinds that another program gave this id, the newest first: at most one of a
 * kind. With `q`, only those that also contain every searched word.
 */
export const withExternalId = async (
  reader: Reader,
  kinds: Kinds,
  { externalId, q }: { externalId: string; q: string | undefined },
  { limit, offset }: Page,
): Promise<Listed<FoundRow>> => {
  const found = await reader.run(holders, {
    ...viewerOf(reader),
    externalId: externalId.trim(),
    contacts: kinds.contacts,
    leads: kinds.leads,
  });
  const rows = found
    .filter(({ searchText }) => q === undefined || holdsWords(searchText, q))
    .map(({ searchText: _, ...row }): FoundRow => ({ ...row, matched: 'externalId' }));
  return { rows: rows.slice(offset, offset + limit), total: rows.length };
};

const holdsWords = (searchText: string, q: string) =>
  readingsOf(q).some((words) => words.every((word) => closeness(searchText, word) > 0));

type Holder = Omit<FoundRow, 'matched'> & { searchText: string };
type Asked = Viewer & { externalId: string; contacts: boolean; leads: boolean };

const holders = statement(
  (given: Given<Asked>) => sql<Holder>`
    select type, id, "publicId", title, "searchText" from (
      select 'LEAD' as type, ${lead.id}::text as id, ${lead.number} as "publicId",
        coalesce(${contact.name}, ${lead.number}) as title, ${lead.searchText} as "searchText",
        ${lead.createdAt} as at
      from ${lead} left join ${contact} on ${contact.firmId} = ${lead.firmId}
        and ${contact.id} = ${lead.contactId} and ${contact.deletedAt} is null
      where ${given.leads}::boolean and ${lead.firmId} = ${given.firmId}
        and ${lead.externalId} = ${given.externalId} and ${lead.deletedAt} is null
        and ${canSeeLead(given)}
      union all
      select 'CONTACT', ${contact.id}::text, null, ${contact.name}, ${contact.searchText},
        ${contact.createdAt}
      from ${contact}
      where ${given.contacts}::boolean and ${contact.firmId} = ${given.firmId}
        and ${contact.externalId} = ${given.externalId} and ${contact.deletedAt} is null
        and ${canSeeContact(given)}
    ) found order by at desc, type`,
);
