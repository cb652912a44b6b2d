import { type SQL, sql } from 'drizzle-orm';
import { contact } from '../contacts/table.ts';
import { lead } from '../leads/table.ts';
import { matter } from '../matters/table.ts';
import { type Given, type Statement, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Page } from '../record/page.ts';
import { hashed, isOfFirm } from '../search-text/index-keys.ts';
import { canSeeContact, canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import type { Look } from './look.ts';
import { fewContacts, type RunsOfKinds, valuesOfRuns } from './runs.ts';
import type { FoundDetails, FoundRecord } from './view.ts';
import { maxMatches, maxRead } from './wire.ts';
import { maxCloseness } from './words.ts';

export type Kinds = { contacts: boolean; leads: boolean; matters: boolean };

/**
 * A look for whole words, and looks for parts of words, used if the first finds few records of a
 * kind. Where the first of the parts also finds all the whole words, and is likely to find few, it is used before:
 * then nobody has to look for whole words.
 */
export type Looks = { whole?: Look; parts: Look[]; partsFirst?: boolean };

/**
 * A page of the records that one of the looks finds, the best first, and their number. `words` are what
 * was looked for, each once.
 */
export const matchesOf = async <Shown extends Detail = 'name'>(
  reader: Reader,
  kinds: Kinds,
  runs: RunsOfKinds,
  looks: Looks,
  words: string[],
  page: Page,
  shown?: Shown,
): Promise<{ matches: Matched<Shown>[]; total: number }> => {
  const asked = searched.filter((one) => kinds[one.kinds]);
  if (asked.length === 0) return { matches: [], total: 0 };
  const named = [
    ...(looks.whole ? [{ name: 'whole', ...looks.whole }] : []),
    ...looks.parts.map((look, at) => ({ name: `part${at}`, ...look })),
  ];
  const ways: Ways = { asked, shown: shown ?? 'name', partsFirst: looks.partsFirst ?? false };
  const rows = await reader.run(statementFor(ways, named, words.length), {
    ...viewerOf(reader),
    ...page,
    ...valuesOfRuns(runs),
    ...Object.fromEntries(named.flatMap(valuesOf)),
    words,
  });
  return {
    matches: rows.filter(({ id }) => id !== null) as Matched<Shown>[],
    total: Number(rows[0]?.total ?? 0),
  };
};

/** How much is read of a record: its id alone, what names it, or all that the application shows of it. */
export type Detail = 'id' | 'name' | 'all';
export type Matched<Shown extends Detail> = {
  id: Pick<FoundRecord, 'id' | 'type'>;
  name: FoundRecord;
  all: FoundRecord & FoundDetails;
}[Shown];

type NamedLook = Look & { name: string };

const valuesOf = ({ name, all, any, patterns }: NamedLook): [string, string[]][] => [
  [`${name}_all`, [...new Set(all)]],
  ...any.map((set, at): [string, string[]] => [`${name}_any${at}`, [...new Set(set)]]),
  [`${name}_patterns`, [...new Set(patterns)]],
];

type Found = FoundRecord & Partial<FoundDetails> & { total: string };

/**
 * The parts of a look that shape its part of the statement. There are few of them, so there are few
 * statements. `closeness` is that of all it finds, if it is known beforehand.
 */
type Shape = { name: string; hasAll: boolean; sets: number; closeness: number | null };

const statements = new Map<string, () => Statement<Found, [Values]>>();

type Ways = { asked: Searched[]; shown: Detail; partsFirst: boolean };

const statementFor = (ways: Ways, looks: NamedLook[], words: number) => {
  const compared = words <= maxSpelledOut ? words : null;
  const shapes = looks.map(({ name, all, any, patterns }) => ({
    name,
    hasAll: all.length > 0,
    sets: any.length,
    // If what was typed can be read in two ways, whole words of one are not the words of both.
    closeness: name === 'whole' && new Set(patterns).size === words ? words * maxCloseness : null,
  }));
  const { asked, shown, partsFirst } = ways;
  const kinds = asked.map(({ kind }) => kind);
  const key = JSON.stringify([kinds, shapes, compared, shown, partsFirst]);
  let found = statements.get(key);
  if (!found)
    statements.set(
      key,
      (found = shortStatement(
        (_: Given<Values>) => matching(ways, shapes, compared),
        (values) => shown === 'id' && Number(values.contact_last) <= fewContacts,
      )),
    );
  return found;
};

// The values of a look have its name in theirs. Their number varies.
type Values = Viewer & Page & { words: string[] } & Record<string, unknown>;
const given = (name: string) => sql.placeholder(name);
const viewer = {
  firmId: given('firmId'),
  memberId: given('memberId'),
  seesPrivate: given('seesPrivate'),
};
const number = (value: number) => sql.raw(String(value));

type Searched = {
  type: FoundRecord['type'];
  kinds: keyof Kinds;
  table: typeof contact | typeof lead | typeof matter;
  kind: keyof RunsOfKinds;
  isSeen: SQL;
};

const searched: Searched[] = [
  {
    type: 'CONTACT',
    kinds: 'contacts',
    table: contact,
    kind: 'contact',
    isSeen: canSeeContact(viewer),
  },
  { type: 'LEAD', kinds: 'leads', table: lead, kind: 'lead', isSeen: canSeeLead(viewer) },
  { type: 'MATTER', kinds: 'matters', table: matter, kind: 'matter', isSeen: sql`true` },
];

/** `words`: how many there are; null for too many to spell out what is compared. */
const matching = ({ asked, shown, partsFirst }: Ways, shapes: Shape[], words: number | null) => {
  const earlier: SQL[] = [];
  const found = asked.flatMap((one) => {
    const nameOf = ({ name }: Shape) => sql.raw(`${name}_${one.kind}`);
    const isFull = (name: SQL) => sql`(select count(*) from ${name}) >= ${number(maxMatches)}`;
    const candidates = sql.raw(`candidate_${one.kind}`);
    const [, firstPart] = shapes;
    if (partsFirst && firstPart)
      earlier.push(sql`${candidates} as materialized (${hitsOf(one, firstPart, words)}), `);
    return shapes.map((shape, at) => {
      // Several looks may find the same.
      const isNew = shapes
        .slice(0, at)
        .map((other) => sql` and id not in (select id from ${nameOf(other)})`);
      // A record with parts of words never comes before one with all whole words.
      const isNeeded =
        shapes[0]?.name === 'whole' && at > 0 ? sql` and not ${isFull(nameOf(shapes[0]))}` : sql``;
      const ofParts = partsFirst && at === 1;
      const isMissed = partsFirst && at === 0 ? sql` and ${isFull(candidates)}` : sql``;
      const hits = ofParts
        ? sql`select * from ${candidates} where true${sql.join(isNew)}${isNeeded}`
        : sql`${hitsOf(one, shape, words)}${sql.join(isNew)}${isNeeded}${isMissed}`;
      if (at === shapes.length - 1) return hits;
      earlier.push(sql`${nameOf(shape)} as materialized (${hits}), `);
      return sql`select * from ${nameOf(shape)}`;
    });
  });
  return sql<Found>`
    with ${sql.join(earlier)}hit as materialized ((${sql.join(found, sql`) union all (`)}))
    select (select count(*) from hit) as total, page.type, page.id${shown === 'id' ? sql`` : names}${shown === 'all' ? shownBesides : sql``}
    from (select) always left join (
      select * from hit order by closeness desc, created_at desc, type, id
      limit ${given('limit')} offset ${given('offset')}) page on true
    ${shown === 'id' ? sql`` : joinedForNames}
    ${shown === 'all' ? joinedBesides : sql``}
    order by page.closeness desc, page.created_at desc, page.type, page.id`;
};

const joinedForNames = sql`
    left join lead on lead.firm_id = ${given('firmId')}
      and lead.id = case page.type when 'LEAD' then page.id end
    left join matter on matter.firm_id = ${given('firmId')}
      and matter.id = case page.type when 'MATTER' then page.id end
    left join contact on contact.firm_id = ${given('firmId')} and contact.deleted_at is null
      and contact.id = case page.type when 'CONTACT' then page.id else lead.contact_id end`;

const names = sql`, coalesce(lead.number, matter.number) as number, matter.title, contact.name, contact.prefix, contact.first_name as "firstName",
  contact.middle_name as "middleName", contact.last_name as "lastName", contact.suffix,
  contact.nickname, contact.company_name as "companyName", contact.trade_name as "tradeName",
  contact.company_type as "companyType", contact.emails, contact.phones`;

const shownBesides = sql`, practice_area.name as area, coalesce(lead_stage.name, stage.name) as stage,
    coalesce(lead.status, matter.status) as status,
  coalesce(contact.id, (select contact_id from matter_client where matter_client.firm_id = ${given('firmId')}
    and matter_client.matter_id = matter.id and is_primary limit 1)) as "personId"`;

const joinedBesides = sql`
    left join practice_area on practice_area.firm_id = ${given('firmId')}
      and practice_area.id = coalesce(lead.practice_area_id, matter.practice_area_id)
    left join lead_stage on lead_stage.firm_id = ${given('firmId')} and lead_stage.id = lead.lead_stage_id
    left join stage on stage.firm_id = ${given('firmId')} and stage.id = matter.stage_id`;

const hitsOf = (one: Searched, shape: Shape, words: number | null): SQL => sql`
  select ${sql.raw(`'${one.type}'`)} as type, id, created_at,
    ${shape.closeness === null ? closenessTo(words) : number(shape.closeness)} as closeness
  from (${newest(one, shape)}) found where true`;

/** Whole words count most, then beginnings, then parts, as in `closeness` of words.ts. */
const closenessOf = (word: SQL) => sql`
  case when position(' ' || ${word} || ' ' in findable_by) > 0 then 3
    when position(' ' || ${word} in findable_by) > 0 then 2
    when position(${word} in findable_by) > 0 then 1 else 0 end`;

// Asking for a list's entries in a query of its own takes most of the time of a match.
const closenessTo = (words: number | null): SQL => {
  if (words === 0) return number(0);
  return words === null
    ? sql`(select sum(${closenessOf(sql`word`)}) from unnest(${given('words')}::text[]) word)`
    : sql.join(
        Array.from({ length: words }, (_, at) =>
          closenessOf(sql`(${given('words')}::text[])[${number(at + 1)}]`),
        ),
        sql` + `,
      );
};

/** The closeness to so many words is spelled out, one after the other. */
const maxSpelledOut = 4;

/**
 * The newest records that a look finds, run by run, until there are enough. If there is nothing to ask
 * the index for, it searches the newest records of all. (Adding nothing to the ordinal keeps Postgres
 * from using another index.)
 */
const newest = ({ table, kind, isSeen }: Searched, shape: Shape): SQL => {
  const compared = shape.closeness === null ? sql`, ${table.searchText}` : sql``;
  const columns = sql`${table.id}, ${table.createdAt}${compared}`;
  const holds = sql`${table.deletedAt} is null and ${isSeen}
    and ${table.searchText} like all(${given(`${shape.name}_patterns`)}::text[])`;
  if (!shape.hasAll && shape.sets === 0)
    return sql`
      select ${columns} from ${table}
      where ${table.firmId} = ${given('firmId')} and ${holds}
        and ${table.ordinal} > ${given(`${kind}_last`)}::bigint - ${number(maxRead)}
      order by ${table.ordinal} desc limit ${number(maxMatches)}`;
  // Two runs may have the same key by chance: a record counts in its own.
  return sql`
    select found.* from unnest(${given(`${kind}_keys`)}::bigint[], ${given(`${kind}_froms`)}::bigint[],
        ${given(`${kind}_ends`)}::bigint[]) run(key, starts, ends)
      cross join lateral (
        select ${columns} from ${table}
        where ${keysHeld(table, shape, sql`run.key`)} and ${isOfFirm(table.firmId, given('firmId'))}
          and ${holds} and ${table.ordinal} + 0 >= run.starts and ${table.ordinal} + 0 < run.ends
        order by ${table.ordinal} + 0 desc) found
    limit ${number(maxMatches)}`;
};

/** Whether the index has the searched parts for a record in this run. */
const keysHeld = (table: Searched['table'], { name, hasAll, sets }: Shape, run: SQL): SQL => {
  const keys = sql`findable_keys(${table.firmId}, ${table.ordinal}, ${table.searchText})`;
  const each = [
    ...(hasAll ? [sql`${keys} @> ${hashed(given(`${name}_all`), given('firmId'), run)}`] : []),
    ...Array.from(
      { length: sets },
      (_, at) => sql`${keys} && ${hashed(given(`${name}_any${at}`), given('firmId'), run)}`,
    ),
  ];
  return sql.join(each, sql` and `);
};
