import { type Column, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead, leadAssignee } from '../leads/table.ts';
import { matter, matterClient } from '../matters/table.ts';
import { type Statement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { type FoundRow, mostMatches } from './wire.ts';
import { patternOf, type Reading } from './words.ts';

/** Which kinds of record are looked at. */
export type Kinds = { contacts: boolean; leads: boolean; matters: boolean };

/** Which records match, best first. */
export type Match = { type: FoundRow['type']; id: string };

/** The words of a reading that the index is asked for; the others are only compared. */
const mostIndexed = 4;

/** A page of the records that match one of the readings, and how many do. */
export const matchesOf = async (
  reader: Reader,
  kinds: Kinds,
  readings: Reading[],
  page: Page,
): Promise<{ matches: Match[]; total: number }> => {
  const sorted = readings.map(hardestFirst);
  const { firmId, memberId, seesPrivate } = reader;
  const rows = await reader.run(statementFor(sorted.map(({ length }) => length)), {
    ...{ firmId, memberId, seesPrivate, ...kinds, ...page },
    ...Object.fromEntries(sorted.flatMap(valuesOf)),
    spellings: arrayOf(readings.flat(2)),
    patterns: arrayOf(readings.flat(2).map(patternOf)),
  });
  return {
    matches: rows.filter(({ id }) => id !== null),
    total: Number(rows[0]?.total ?? 0),
  };
};

/** The longest words tell the most: they come first, after those that are spelled in several ways. */
const hardestFirst = (reading: Reading): Reading =>
  reading.toSorted(
    ([a = '', ...others], [b = '', ...more]) => more.length - others.length || b.length - a.length,
  );

const valuesOf = (reading: Reading, index: number): [string, string][] => [
  ...reading
    .slice(0, mostIndexed)
    .map((word, at): [string, string] => [`word${index}_${at}`, arrayOf(word.map(patternOf))]),
  [`rest${index}`, arrayOf(reading.slice(mostIndexed).map(([word = '']) => patternOf(word)))],
];

/** An array as Postgres reads it; words hold nothing but letters and digits. */
export const arrayOf = (texts: string[]) => `{${[...new Set(texts)].map((text) => `"${text}"`)}}`;

const statements = new Map<string, () => Statement<Found>>();

type Found = Match & { total: string };

/** The statement for readings of so many words. */
const statementFor = (lengths: number[]) => {
  const shape = lengths.map((length) => Math.min(length, mostIndexed));
  const key = shape.join();
  let found = statements.get(key);
  if (!found) statements.set(key, (found = statement(() => matching(shape))));
  return found;
};

const given = (name: string) => sql.placeholder(name);

/** That a text holds every word of one reading. */
const holds = (text: SQL | Column, length: number, index: number): SQL =>
  sql.join(
    [
      ...Array.from(
        { length },
        (_, at) => sql`${text} like any(${given(`word${index}_${at}`)}::text[])`,
      ),
      sql`${text} like all(${given(`rest${index}`)}::text[])`,
    ],
    sql` and `,
  );

const holdsOne = (text: SQL, shape: number[]): SQL =>
  sql`(${sql.join(
    shape.map((length, index) => sql`(${holds(text, length, index)})`),
    sql` or `,
  )})`;

type Searched = typeof contact | typeof lead | typeof matter;

/** The newest records of a kind that a condition holds for. Adding nothing keeps the sort off other indexes. */
const newest = (table: Searched, condition: SQL): SQL => sql`
  (select ${table.id}, ${table.ordinal}, ${table.createdAt}, ${table.findableBy} from ${table}
  where ${table.firmId} = ${given('firmId')} and ${table.deletedAt} is null and ${condition}
  order by ${table.ordinal} + 0 desc limit ${sql.raw(String(mostMatches))})`;

const newestOfEach = (table: Searched, shape: number[]): SQL =>
  sql.join(
    shape.map((length, index) => newest(table, holds(table.findableBy, length, index))),
    sql` union `,
  );

const newestOfAny = (table: Searched): SQL =>
  newest(table, sql`${table.findableBy} like any(${given('patterns')}::text[])`);

/** Whole words count most, then beginnings, then parts. */
const closeness = (text: SQL): SQL => sql`
  (select sum(case when position(' ' || spelling || ' ' in ${text}) > 0 then 3
    when position(' ' || spelling in ${text}) > 0 then 2
    when position(spelling in ${text}) > 0 then 1 else 0 end)
  from unnest(${given('spellings')}::text[]) spelling)`;

const isVisible = sql`${lead.deletedAt} is null and (not ${lead.isPrivate} or ${given('seesPrivate')}
  or exists (select from ${leadAssignee} where ${leadAssignee.firmId} = ${lead.firmId}
    and ${leadAssignee.leadId} = ${lead.id} and ${leadAssignee.memberId} = ${given('memberId')}))`;

const ofContact = sql`${lead.firmId} = ${given('firmId')} and ${lead.contactId} = by.id`;

const ofClient = sql`${matterClient.firmId} = ${given('firmId')} and ${matterClient.contactId} = by.id`;

const matterOfClient = sql`${matter.firmId} = ${matterClient.firmId} and ${matter.id} = ${matterClient.matterId}
  and ${matter.deletedAt} is null`;

const matching = (shape: number[]) => {
  const hits = [
    sql`select 'CONTACT' as type, id, created_at, ${closeness(sql`findable_by`)} as closeness
      from by_contact where ${given('contacts')}`,
    sql`select 'LEAD', ${lead.id}, ${lead.createdAt}, ${closeness(sql`by.findable_by`)}
      from by_contact by join ${lead} on ${ofContact} where ${given('leads')} and ${isVisible}`,
    sql`select 'LEAD', ${lead.id}, ${lead.createdAt}, ${closeness(sql`by.findable_by`)}
      from (${newestOfEach(lead, shape)}) by
      join ${lead} on ${lead.firmId} = ${given('firmId')} and ${lead.id} = by.id
      where ${given('leads')} and ${isVisible}`,
    sql`select 'MATTER', ${matter.id}, ${matter.createdAt}, ${closeness(sql`by.findable_by`)}
      from by_contact by join ${matterClient} on ${ofClient} join ${matter} on ${matterOfClient}
      where ${given('matters')}`,
    sql`select 'MATTER', id, created_at, ${closeness(sql`by.findable_by`)}
      from (${newestOfEach(matter, shape)}) by where ${given('matters')}`,
    ...(Math.max(...shape) > 1 ? [mixedLeads(shape), mixedMatters(shape)] : []),
  ];
  return sql<Found>`
    with by_contact as materialized (${newestOfEach(contact, shape)}),
    hit as materialized (
      select type, id, max(created_at) as created_at, max(closeness) as closeness
      from (${sql.join(hits, sql` union all `)}) hits group by type, id)
    select (select count(*) from hit) as total, page.type, page.id
    from (select) always left join (
      select * from hit order by closeness desc, created_at desc, type, id
      limit ${given('limit')} offset ${given('offset')}) page on true
    order by page.closeness desc, page.created_at desc, page.type, page.id`;
};

/** Leads with some of the words in their number and the others in their contact. */
const mixedLeads = (shape: number[]): SQL => {
  const text = sql`by.findable_by || ${contact.findableBy}`;
  return sql`
    select 'LEAD', ${lead.id}, ${lead.createdAt}, ${closeness(text)}
    from (${newestOfAny(lead)}) by
    join ${lead} on ${lead.firmId} = ${given('firmId')} and ${lead.id} = by.id
    join ${contact} on ${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId}
      and ${contact.deletedAt} is null
    where ${given('leads')} and ${isVisible} and ${holdsOne(sql`(${text})`, shape)}`;
};

/** Matters with some of the words in their number or title and the others in their clients. */
const mixedMatters = (shape: number[]): SQL => sql`
  select 'MATTER', id, created_at, ${closeness(sql`whole`)} from (
    select any_word.id, any_word.created_at, any_word.findable_by || (
      select coalesce(string_agg(${contact.findableBy}, ''), '')
      from ${matterClient} join ${contact} on ${contact.firmId} = ${matterClient.firmId}
        and ${contact.id} = ${matterClient.contactId} and ${contact.deletedAt} is null
      where ${matterClient.firmId} = ${given('firmId')} and ${matterClient.matterId} = any_word.id
    ) as whole
    from (
      ${newestOfAny(matter)}
      union
      select ${matter.id}, ${matter.ordinal}, ${matter.createdAt}, ${matter.findableBy}
      from (${newestOfAny(contact)}) by
      join ${matterClient} on ${ofClient} join ${matter} on ${matterOfClient}
    ) any_word
  ) mixed where ${given('matters')} and ${holdsOne(sql`whole`, shape)}`;
