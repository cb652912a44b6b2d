import { type Column, type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead, leadAssignee } from '../leads/table.ts';
import { matter, matterClient } from '../matters/table.ts';
import { type Statement, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { runOf, runSize } from '../record/findable.ts';
import type { Page } from '../record/page.ts';
import { register } from '../record/table.ts';
import { type FoundRow, mostMatches } from './wire.ts';
import { isDigits, mostSpellings, patternOf, type Reading } from './words.ts';

/** Which kinds of record are looked at. */
export type Kinds = { contacts: boolean; leads: boolean; matters: boolean };

/** A record that matches. */
export type Match = { type: FoundRow['type']; id: string };

/** The words of a reading that the index is asked for; the others are only compared. */
const mostIndexed = 4;

/** Newest runs of records that are searched one by one, before all older ones at once. */
const newestRuns = 8;

/** A page of the records that match one of the readings, best first, and how many do. */
export const matchesOf = async (
  actor: Actor,
  kinds: Kinds,
  readings: Reading[],
  page: Page,
): Promise<{ matches: Match[]; total: number }> => {
  const sorted = readings.map(hardestFirst);
  const { firmId, memberId, seesPrivate } = actor;
  const values = {
    ...{ firmId, memberId, seesPrivate, ...kinds, ...page },
    ...Object.fromEntries(sorted.flatMap(valuesOf)),
    spellings: arrayOf(readings.flat(2)),
  };
  const rows = await actor.database.transaction(async ({ run }) => {
    void run(keepPlan);
    return await run(statementFor(sorted), values);
  });
  return {
    matches: rows.filter(({ id }) => id !== null),
    total: Number(rows[0]?.total ?? 0),
  };
};

// Planning takes several times as long as looking, and the plan is the same for all words and firms.
const keepPlan = statement(
  () => sql`select set_config('plan_cache_mode', 'force_generic_plan', true)`,
);

/** Long words tell the most: they come first, after those that may be spelled in several ways. */
const hardestFirst = (reading: Reading): Reading =>
  reading.toSorted(
    ([a = '', ...others], [b = '', ...more]) => more.length - others.length || b.length - a.length,
  );

const valuesOf = (reading: Reading, index: number): [string, string][] => [
  ...reading.slice(0, mostIndexed).flatMap((word, at) =>
    Array.from({ length: slotsFor(word) }, (_, slot) => word[slot] ?? word[0] ?? '').flatMap(
      (spelling, slot): [string, string][] => [
        [`part${index}_${at}_${slot}`, patternOf(spelling)],
        [`whole${index}_${at}_${slot}`, `% ${spelling} %`],
      ],
    ),
  ),
  [`rest${index}`, arrayOf(reading.slice(mostIndexed).map(([word = '']) => patternOf(word)))],
];

/** Places in the statement for the spellings of a word: few numbers of them, so that statements are few. */
const slotsFor = (word: string[]) => (word.length > 1 ? mostSpellings : 1);

/** An array as Postgres reads it; words and ids hold nothing that would need quoting inside quotes. */
export const arrayOf = (texts: string[]) =>
  `{${[...new Set(texts)].map((text) => `"${text}"`).join()}}`;

const statements = new Map<string, () => Statement<Found>>();

type Found = Match & { total: string };

/** Each reading's indexed words as how many places their spellings take. */
type Shape = number[][];

/** Whether some words may be the record's own and others its contact's: of digits alone, none are. */
const isMixable = (readings: Reading[]) =>
  readings.some((reading) => reading.length > 1) &&
  readings.flat(2).some((spelling) => !isDigits(spelling));

const statementFor = (readings: Reading[]) => {
  const shape = readings.map((reading) => reading.slice(0, mostIndexed).map(slotsFor));
  const mixes = isMixable(readings);
  const key = JSON.stringify([shape, mixes]);
  let found = statements.get(key);
  if (!found) statements.set(key, (found = statement(() => matching(shape, mixes))));
  return found;
};

const given = (name: string) => sql.placeholder(name);
const either = (conditions: SQL[]) => sql`(${sql.join(conditions, sql` or `)})`;

/** How a word must stand in a text. */
type As = 'part' | 'whole';

/** That a text holds each indexed word of a reading, one condition for each. */
const holdsEach = (text: SQL | Column, places: number[], index: number, as: As = 'part'): SQL[] =>
  places.map((slots, at) =>
    either(
      Array.from(
        { length: slots },
        (_, slot) => sql`${text} like ${given(`${as}${index}_${at}_${slot}`)}`,
      ),
    ),
  );

/** That a text holds every word of a reading. */
const holds = (text: SQL | Column, places: number[], index: number, as: As = 'part'): SQL =>
  sql.join(
    [
      ...holdsEach(text, places, index, as),
      sql`${text} like all(${given(`rest${index}`)}::text[])`,
    ],
    sql` and `,
  );

type Searched = { table: typeof contact | typeof lead | typeof matter; kind: string };

const contacts = { table: contact, kind: 'contact' };
const leads = { table: lead, kind: 'lead' };
const matters = { table: matter, kind: 'matter' };

/**
 * The newest records that a condition holds for. The newest runs are looked through one by one,
 * so that a word that many records hold costs no more than one that few do. (Adding nothing to the
 * ordinal keeps Postgres from walking another index instead.)
 */
const newest = ({ table, kind }: Searched, condition: SQL): SQL => {
  const part = (more: SQL) => sql`
    (select ${table.id}, ${table.createdAt}, ${table.findableBy} from ${table}
    where ${table.firmId} = ${given('firmId')} and ${table.deletedAt} is null and ${more}
      and (${condition}) order by ${table.ordinal} + 0 desc)`;
  const lastRun = sql`(select ${register.lastOrdinal} / ${sql.raw(String(runSize))} from ${register}
    where ${register.firmId} = ${given('firmId')} and ${register.kind} = ${sql.raw(`'${kind}'`)})`;
  return sql`
    (select near.* from generate_series(${lastRun}, greatest(${lastRun} - ${sql.raw(String(newestRuns - 1))}, 0), -1) run
      cross join lateral ${part(sql`${runOf(table)} = run`)} near
    union all
    ${part(sql`${table.ordinal} < (${lastRun} - ${sql.raw(String(newestRuns - 1))}) * ${sql.raw(String(runSize))}`)}
    limit ${sql.raw(String(mostMatches))})`;
};

/**
 * The newest matches of a kind as `by_<kind>`. Where there are more than are looked at, the newest
 * with all words whole come on top, or older ones would be lost behind mere parts of words.
 */
const newestMatches = (searched: Searched, shape: Shape): SQL => {
  const [found, all] = [sql.raw(`some_${searched.kind}`), sql.raw(`by_${searched.kind}`)];
  const each = (as: As) =>
    sql.join(
      shape.map((places, index) =>
        newest(searched, holds(searched.table.findableBy, places, index, as)),
      ),
      sql` union `,
    );
  return sql`
    ${found} as materialized (${each('part')}),
    ${all} as materialized (
      select * from ${found}
      union
      select * from (${each('whole')}) whole
      where (select count(*) from ${found}) >= ${sql.raw(String(mostMatches))})`;
};

const newestOfAny = (searched: Searched, shape: Shape): SQL =>
  newest(
    searched,
    either(shape.flatMap((places, index) => holdsEach(searched.table.findableBy, places, index))),
  );

/** Whole words count most, then beginnings, then parts. */
const closeness = (text: SQL): SQL => sql`
  (select sum(case when position(' ' || spelling || ' ' in ${text}) > 0 then 3
    when position(' ' || spelling in ${text}) > 0 then 2
    when position(spelling in ${text}) > 0 then 1 else 0 end)
  from unnest(${given('spellings')}::text[]) spelling)`;

const isVisible = sql`${lead.deletedAt} is null and (not ${lead.isPrivate} or ${given('seesPrivate')}
  or exists (select from ${leadAssignee} where ${leadAssignee.firmId} = ${lead.firmId}
    and ${leadAssignee.leadId} = ${lead.id} and ${leadAssignee.memberId} = ${given('memberId')}))`;

const itself = sql`${lead.firmId} = ${given('firmId')} and ${lead.id} = by.id`;

// One look-up for each contact, which `offset 0` insists on: it cannot be known in advance how few
// they are, and all of a firm's matters would be read to be joined to one contact.
const leadsOfContact = sql`lateral (
  select * from ${lead} where ${lead.firmId} = ${given('firmId')} and ${lead.contactId} = by.id
  and ${isVisible} offset 0) of_contact`;
const mattersOfClient = sql`lateral (
  select ${matter.id}, ${matter.createdAt}, ${matter.findableBy} from ${matterClient}
  join ${matter} on ${matter.firmId} = ${matterClient.firmId}
    and ${matter.id} = ${matterClient.matterId} and ${matter.deletedAt} is null
  where ${matterClient.firmId} = ${given('firmId')} and ${matterClient.contactId} = by.id
  offset 0) of_client`;

const matching = (shape: Shape, mixes: boolean) => {
  const hits = [
    sql`select 'CONTACT' as type, id, created_at, ${closeness(sql`findable_by`)} as closeness
      from by_contact where ${given('contacts')}`,
    sql`select 'LEAD', of_contact.id, of_contact.created_at, ${closeness(sql`by.findable_by`)}
      from by_contact by cross join ${leadsOfContact} where ${given('leads')}`,
    sql`select 'LEAD', ${lead.id}, ${lead.createdAt}, ${closeness(sql`by.findable_by`)}
      from by_lead by join ${lead} on ${itself}
      where ${given('leads')} and ${isVisible}`,
    sql`select 'MATTER', of_client.id, of_client.created_at, ${closeness(sql`by.findable_by`)}
      from by_contact by cross join ${mattersOfClient} where ${given('matters')}`,
    sql`select 'MATTER', id, created_at, ${closeness(sql`by.findable_by`)}
      from by_matter by where ${given('matters')}`,
    ...(mixes ? [mixedLeads(shape), mixedMatters(shape)] : []),
  ];
  return sql<Found>`
    with ${sql.join(
      [contacts, leads, matters].map((searched) => newestMatches(searched, shape)),
      sql`, `,
    )},
    hit as materialized (
      select type, id, max(created_at) as created_at, max(closeness) as closeness
      from (${sql.join(hits, sql` union all `)}) hits group by type, id)
    select (select count(*) from hit) as total, page.type, page.id
    from (select) always left join (
      select * from hit order by closeness desc, created_at desc, type, id
      limit ${given('limit')} offset ${given('offset')}) page on true
    order by page.closeness desc, page.created_at desc, page.type, page.id`;
};

/** That a text put together of a record's own and its contacts' holds every word of one reading. */
const holdsOne = (text: SQL, shape: Shape): SQL =>
  either(shape.map((places, index) => sql`(${holds(text, places, index)})`));

/** Leads with some of the words in their number and the others in their contact. */
const mixedLeads = (shape: Shape): SQL => {
  const text = sql`(by.findable_by || ${contact.findableBy})`;
  return sql`
    select 'LEAD', ${lead.id}, ${lead.createdAt}, ${closeness(text)}
    from (${newestOfAny(leads, shape)}) by join ${lead} on ${itself}
    join ${contact} on ${contact.firmId} = ${lead.firmId} and ${contact.id} = ${lead.contactId}
      and ${contact.deletedAt} is null
    where ${given('leads')} and ${isVisible} and ${holdsOne(text, shape)}`;
};

/** Matters with some of the words in their number or title and the others in their clients. */
const mixedMatters = (shape: Shape): SQL => sql`
  select 'MATTER', id, created_at, ${closeness(sql`whole`)} from (
    select one.id, one.created_at, one.findable_by || (
      select coalesce(string_agg(${contact.findableBy}, ''), '')
      from ${matterClient} join ${contact} on ${contact.firmId} = ${matterClient.firmId}
        and ${contact.id} = ${matterClient.contactId} and ${contact.deletedAt} is null
      where ${matterClient.firmId} = ${given('firmId')} and ${matterClient.matterId} = one.id
    ) as whole
    from (
      ${newestOfAny(matters, shape)}
      union
      select of_client.* from (${newestOfAny(contacts, shape)}) by
      cross join ${mattersOfClient}
    ) one
  ) mixed where ${given('matters')} and ${holdsOne(sql`whole`, shape)}`;
