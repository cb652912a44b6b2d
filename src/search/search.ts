import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { isNumber } from '../findable/known-words.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { formed } from '../postgres/spread/forms.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor, Reader } from '../record/actor.ts';
import type { Listed, Page } from '../record/page.ts';
import { lookForMeant, lookForParts, lookForWholes, type Piece } from './look.ts';
import { type Kinds, type Looks, type Match, matchesOf } from './matches.ts';
import { wordsHolding, wordsNear } from './spelling.ts';
import { viewFoundContact, viewFoundLead, viewFoundMatter } from './view.ts';
import { type FoundRow, mostHolding } from './wire.ts';
import { isShort, piecesOf, type Reading, readingsOf } from './words.ts';

/**
 * A page of the records of these kinds that contain every searched word, the best first. It reads
 * the rows themselves, so it finds what was committed a moment ago on any instance. Only if nothing
 * is found, the words are treated as misspelled.
 */
export const search = async (
  actor: Actor,
  kinds: Kinds,
  q: string,
  page: Page,
): Promise<Listed<FoundRow>> => {
  const readings = readingsOf(q);
  if (readings.length === 0) return { rows: [], total: 0 };
  const { rows, total } = await actor.database.transaction(
    async ({ run, first }) => {
      void run(keepPlans);
      const reader: Reader = { ...actor, run, first };
      const find = async (looks: Looks | undefined, words: string[]) => {
        if (!looks) return nothing;
        const { matches, total } = await matchesOf(reader, kinds, looks, words, page);
        // Not awaited: the end of the transaction travels with it, and fails with it.
        const rows = rowsOf(reader, matches, words);
        rows.catch(() => {});
        return { rows, total };
      };
      const found = await find(await looksFor(reader, readings), [...new Set(readings.flat())]);
      if (found.total > 0) return found;
      const meant = await meantBy(reader, readings);
      if (meant.length === 0) return found;
      return await find({ parts: meant.map(lookForMeant) }, [...new Set(meant.flat(2))]);
    },
    { of: actor.firmId },
  );
  return { rows: await rows, total };
};

const nothing: { rows: FoundRow[] | Promise<FoundRow[]>; total: number } = { rows: [], total: 0 };

/**
 * Planning takes several times as long as searching. The plan is the same for all words and firms:
 * it uses the index, whatever statistics Postgres has. A spread database needs the firm to plan.
 */
export const keepPlans = statement(
  () => sql`
    select ${formed(sql`set_config('plan_cache_mode', 'force_generic_plan', true), `, sql``)}set_config('jit', 'off', true),
      set_config('max_parallel_workers_per_gather', '0', true), set_config('enable_seqscan', 'off', true)`,
);

/**
 * How to look for the readings; undefined if the firm knows no word that contains one of theirs.
 */
const looksFor = async (reader: Reader, readings: Reading[]): Promise<Looks | undefined> => {
  const [first = []] = readings;
  const held = await Promise.all(
    [...new Set(readings.flat().flatMap(piecesOf))].map((piece) => heldBy(reader, piece)),
  );
  if (!held.every(({ piece, holding }) => isNumber(piece) || holding.length > 0)) return;
  const pieces = new Map(held.map((piece) => [piece.piece, piece]));
  const parts = readingsByParts(readings).flatMap((words) => lookForParts(words, pieces) ?? []);
  return { whole: lookForWholes(first), parts };
};

/**
 * A text that contains a number also contains each group of its digits. Both are searched only if
 * some groups are so short that they match only the beginning of words.
 */
const readingsByParts = (readings: Reading[]): Reading[] =>
  readings[0]?.some((word) => isNumber(word) && isShort(word)) ? readings : readings.slice(0, 1);

const heldBy = async (reader: Reader, piece: string): Promise<Piece> => {
  const holding = isNumber(piece) ? [] : await wordsHolding(reader, piece);
  return { piece, holding, isCut: holding.length > mostHolding };
};

/** For readings that differ from what was typed: the known words that each word may have meant. */
const meantBy = async (reader: Reader, readings: Reading[]): Promise<string[][][]> => {
  const meant = await Promise.all(
    readings.map((reading) => Promise.all(reading.map((word) => wordsNear(reader, word)))),
  );
  return meant.filter(
    (words, at) =>
      words.every(({ length }) => length > 0) && words.join(' ') !== readings[at]?.join(' '),
  );
};

const rowsOf = async (reader: Reader, matches: Match[], spellings: string[]) => {
  const { firmId } = reader;
  const idsOf = (wanted: Match['type']) =>
    matches.filter(({ type }) => type === wanted).map(({ id }) => id);
  const [contacts, leads, matters] = [idsOf('CONTACT'), idsOf('LEAD'), idsOf('MATTER')];
  const [foundContacts, foundLeads, foundMatters] = await Promise.all([
    contacts.length > 0 ? reader.run(contactsByIds, { firmId, ids: contacts }) : [],
    leads.length > 0 ? reader.run(leadsByIds, { firmId, ids: leads }) : [],
    matters.length > 0 ? reader.run(mattersByIds, { firmId, ids: matters }) : [],
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

type Among = { firmId: string; ids: string[] };

const isAmong = (
  table: typeof contact | typeof lead | typeof matter,
  { firmId, ids }: Given<Among>,
): SQL =>
  sql`${table.firmId} = ${firmId} and ${table.deletedAt} is null and ${table.id} = any(${ids}::uuid[])`;

const { firmId, ordinal, customFields, findableBy, createdAt, updatedAt, deletedAt, ...parts } =
  getTableColumns(contact);

const contactsByIds = statement((given: Given<Among>) =>
  query.select(parts).from(contact).where(isAmong(contact, given)),
);

const leadsByIds = statement((given: Given<Among>) =>
  query
    .select({ ...parts, id: lead.id, number: lead.number, contactId: contact.id })
    .from(lead)
    .leftJoin(
      contact,
      sql`${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId} and ${contact.deletedAt} is null`,
    )
    .where(isAmong(lead, given)),
);

const mattersByIds = statement((given: Given<Among>) =>
  query
    .select({ id: matter.id, number: matter.number, title: matter.title })
    .from(matter)
    .where(isAmong(matter, given)),
);
