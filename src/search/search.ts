import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import { arrayOf, type Kinds, type Match, matchesOf } from './matches.ts';
import { correctedFrom } from './spelling.ts';
import { viewFoundContact, viewFoundLead, viewFoundMatter } from './view.ts';
import type { FoundRow } from './wire.ts';
import { type Reading, readingsOf } from './words.ts';

/**
 * A page of the records of these kinds that hold every word searched for, best first. The rows
 * themselves are looked at, so what was committed a moment ago is found, on any instance. Only
 * where nothing is, the words are taken for misspelled.
 */
export const search = async (
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
): Promise<Listed<FoundRow>> => {
  const readings = readingsOf(q);
  const as = async (meant: Reading[]) => {
    const { matches, total } = await matchesOf(actor, kinds, meant, page);
    return { rows: await rowsOf(actor, matches, [...new Set(meant.flat(2))]), total };
  };
  if (readings.length === 0) return { rows: [], total: 0 };
  const found = await as(readings);
  if (found.total > 0) return found;
  const corrected = await Promise.all(readings.map((reading) => correctedFrom(actor, reading)));
  const meant = corrected.filter((reading) => reading !== undefined);
  return meant.length > 0 ? await as(meant) : found;
};

const rowsOf = async (reader: Reader, matches: Match[], spellings: string[]) => {
  const { firmId } = reader;
  const idsOf = (wanted: Match['type']) =>
    matches.filter(({ type }) => type === wanted).map(({ id }) => id);
  const [contacts, leads, matters] = [idsOf('CONTACT'), idsOf('LEAD'), idsOf('MATTER')];
  const [foundContacts, foundLeads, foundMatters] = await Promise.all([
    contacts.length > 0 ? reader.run(contactsByIds, { firmId, ids: arrayOf(contacts) }) : [],
    leads.length > 0 ? reader.run(leadsByIds, { firmId, ids: arrayOf(leads) }) : [],
    matters.length > 0 ? reader.run(mattersByIds, { firmId, ids: arrayOf(matters) }) : [],
  ]);
  const rows = new Map<string, FoundRow>(
    [
      ...foundContacts.map((found) => viewFoundContact(found, spellings)),
      ...foundLeads.map((found) => viewFoundLead(found, spellings)),
      ...foundMatters.map((found) => viewFoundMatter(found, spellings)),
    ].map((row) => [row.id, row]),
  );
  return matches.flatMap(({ id }) => rows.get(id) ?? []);
};

const isAmong = (table: typeof contact | typeof lead | typeof matter): SQL =>
  sql`${table.firmId} = ${sql.placeholder('firmId')} and ${table.deletedAt} is null
    and ${table.id} = any(${sql.placeholder('ids')}::uuid[])`;

const { firmId, ordinal, customFields, findableBy, createdAt, updatedAt, deletedAt, ...parts } =
  getTableColumns(contact);

const contactsByIds = statement(() => query.select(parts).from(contact).where(isAmong(contact)));

const leadsByIds = statement(() =>
  query
    .select({ id: lead.id, number: lead.number, contact: parts })
    .from(lead)
    .leftJoin(
      contact,
      sql`${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId} and ${contact.deletedAt} is null`,
    )
    .where(isAmong(lead)),
);

const mattersByIds = statement(() =>
  query
    .select({ id: matter.id, number: matter.number, title: matter.title })
    .from(matter)
    .where(isAmong(matter)),
);
