import { type SQL, sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import { hashed } from '../search-text/index-keys.ts';
import { hasFields, isLikeAll } from '../views/filter.ts';
import type { Filtering } from './filter.ts';
import type { MatterSort } from './order.ts';

/** A part of a filter, as statements ask it of `matter`. */
type Condition = {
  /** As an index answers it. */
  found: SQL;
  /** As a row at hand answers it, if that is asked differently. */
  inRow?: SQL;
  /** What follows from it for the index of a column that the list is sorted by. */
  within?: Partial<Record<MatterSort, SQL>>;
  /** What follows from it for the names that the list is sorted by, if they belong to areas. */
  ofNames?: SQL;
};

type Filter = Given<Filtering>;

const bounded = (sort: MatterSort, condition: SQL): Condition => ({
  found: condition,
  within: { [sort]: condition },
});

/** A condition whose index has the matters in the order of their ordinals. */
const inOrder = (sort: MatterSort, condition: SQL): Condition => ({
  found: condition,
  within: { [sort]: condition, number: condition, created: condition },
});

const sol = sql`matter.sol_date`;

/** Each part of a filter. An index of names has the area of each name (`order.ts`). */
const conditions = {
  nothing: () => ({ found: sql`false` }),
  area: ({ area }) => {
    const found = sql`matter.practice_area_id = ${area}::uuid`;
    return { ...inOrder('area', found), ofNames: sql`named.area = ${area}::uuid` };
  },
  stage: ({ firmId, stage }) => {
    const found = sql`matter.stage_id = ${stage}::uuid`;
    const area = sql`matter.practice_area_id = (select practice_area_id from stage
      where firm_id = ${firmId} and id = ${stage}::uuid)`;
    return { found, within: { ...inOrder('stage', found).within, area } };
  },
  type: ({ firmId, type }) => {
    const found = sql`matter.matter_type_id = ${type}::uuid`;
    const area = sql`matter.practice_area_id = (select practice_area_id from matter_type
      where firm_id = ${firmId} and id = ${type}::uuid)`;
    return { found, within: { ...inOrder('type', found).within, area } };
  },
  noType: () => inOrder('type', sql`matter.matter_type_id is null`),
  responsible: (given) => ({
    found: sql`(${isFirst(given.responsible)}
      or matter.id in (${placesOf(given, given.responsible, isResponsible)}))`,
  }),
  noResponsible: () => inOrder('responsible', sql`matter.first_attorney_id is null`),
  member: (given) => hasPlace(placesOf(given, given.member, sql``)),
  memberAs: (given) => hasPlace(placesOf(given, given.member, isAs(given))),
  noMember: (given) => hasNoMember(given, sql``),
  noMemberAs: (given) => hasNoMember(given, isAs(given)),
  'limitation none': () => bounded('limitation', sql`${sol} is null`),
  'limitation missing': ({ firmId }) => ({
    found: sql`${sol} is null and matter.practice_area_id in (
      select id from practice_area where firm_id = ${firmId} and expects_limitation_date)`,
    within: { limitation: sql`${sol} is null` },
  }),
  'limitation open': () => ({
    found: sql`${sol} is not null and matter.limitation_met_on is null`,
    within: { limitation: sql`${sol} is not null` },
  }),
  'limitation met': () => ({ found: sql`matter.limitation_met_on is not null` }),
  limitationFrom: (given) => bounded('limitation', sql`${sol} >= ${given.limitationFrom}::date`),
  limitationTo: (given) => bounded('limitation', sql`${sol} <= ${given.limitationTo}::date`),
  openedFrom: (given) => bounded('opened', sql`matter.open_date >= ${given.openedFrom}::date`),
  openedTo: (given) => bounded('opened', sql`matter.open_date <= ${given.openedTo}::date`),
  closedFrom: (given) => bounded('closed', sql`matter.close_date >= ${given.closedFrom}::date`),
  closedTo: (given) => bounded('closed', sql`matter.close_date <= ${given.closedTo}::date`),
  words: ({ patterns }) => ({ found: isLikeAll(sql`matter.findable_by`, patterns) }),
  fieldTexts: (given) => ({
    found: sql`${fieldKeys} @> ${hashed(given.fieldTexts, given.firmId, sql`0`)}`,
    inRow: hasFields(sql`matter.custom_fields`, given.fields),
  }),
  fieldDays: (given) => ({
    found: sql`${fieldKeys} && ${hashed(given.fieldDays, given.firmId, sql`0`)}`,
    inRow: hasFields(sql`matter.custom_fields`, given.fields),
  }),
  fields: ({ fields }) => ({ found: hasFields(sql`matter.custom_fields`, fields) }),
} satisfies Record<string, (given: Filter) => Condition>;

/** A part of a filter that is asked, and how. */
export type Part = keyof typeof conditions;

const fieldKeys = sql`field_keys(matter.firm_id, matter.custom_fields)`;
const isResponsible = sql`and place.role = 'RESPONSIBLE_ATTORNEY'`;
const isAs = ({ role }: Filter) => sql`and place.role = ${role}::text`;

/** The matters of a member, in any part or one. */
const placesOf = (
  { firmId }: Filter,
  member: Filter['member' | 'responsible'],
  further: SQL,
) => sql`
  select place.matter_id from matter_team place
  where place.firm_id = ${firmId} and place.member_id = ${member}::uuid ${further}`;

// Gathered once: each row is compared with them.
const hasPlace = (places: SQL): Condition => ({ found: sql`matter.id in (${places})` });

const hasNoMember = ({ firmId }: Filter, further: SQL): Condition => {
  const noAttorney = sql`matter.first_attorney_id is null`;
  const place = sql`from matter_team place
    where place.firm_id = ${firmId} and place.matter_id = matter.id ${further}`;
  return {
    found: sql`${noAttorney} and not exists (select ${place})`,
    inRow: sql`${noAttorney} and (select true ${place} limit 1) is null`,
    within: { responsible: noAttorney },
  };
};

const conditionOf = (part: Part, given: Filter): Condition => conditions[part](given);

/** Whether the row of `matter` is one of the firm's that are not deleted. */
export const isOfFirm = ({ firmId }: Given<'firmId'>): SQL =>
  sql`matter.firm_id = ${firmId} and matter.deleted_at is null`;

/** Whether the row of `matter` passes these parts of a filter, asked so that an index answers. */
export const isFound = (parts: readonly Part[], given: Filter): SQL =>
  allOf([isOfFirm(given), ...parts.map((part) => conditionOf(part, given).found)]);

/**
 * The same, asked while the matters are read in the order of a column: only what bounds this column
 * may choose an index. For the rest, Postgres is not told how many pass.
 */
export const passesInOrderOf = (sort: MatterSort, parts: readonly Part[], given: Filter) => {
  const all = parts.map((part) => conditionOf(part, given));
  const within = all.flatMap((one) => one.within?.[sort] ?? []);
  const rest = all
    .filter((one) => one.within?.[sort] !== one.found)
    .map(({ found, inRow }) => inRow ?? found);
  const ofAreas = sort === 'stage' || sort === 'type';
  return {
    ofNames: allOf([sql`true`, ...(ofAreas ? all.flatMap((one) => one.ofNames ?? []) : [])]),
    within: allOf([isOfFirm(given), ...within]),
    rest: rest.length > 0 ? sql`coalesce(${allOf(rest)}, false)` : null,
  };
};

const allOf = (all: SQL[]) => sql.join(all, sql` and `);

/**
 * The rows that pass, if a member or nobody is asked for: their matters are gathered from indexes, and
 * what does not belong is taken away from them as a whole. Null if no member is asked for.
 */
export const foundOfMember = (
  parts: readonly Part[],
  given: Filter,
  columns: SQL,
  further: SQL,
): SQL | null => {
  const asked = parts.find((part) => part in ofMember) as keyof typeof ofMember | undefined;
  if (!asked) return null;
  const { first, others } = ofMember[asked](given);
  const passes = sql`${isFound(
    parts.filter((part) => part !== asked),
    given,
  )} ${further}`;
  // Only the id may choose the index, also while Postgres knows nothing of the table.
  const atOthers = sql`
    select matter.* from (${others}) place cross join lateral (
      select ${columns} from matter where matter.firm_id = ${given.firmId}
        and matter.id = place.matter_id and coalesce(${passes}, false) limit 1) matter`;
  return first
    ? sql`(select ${columns} from matter where ${passes} and ${first}) union all (${atOthers})`
    : atOthers;
};

/** Whether a filter asks for days of the matters' dates, and for nothing else. */
export const asksForDays = (parts: readonly Part[]): boolean =>
  parts.every((part) => /(From|To)$/.test(part));

type OfMember = {
  /** Those of which a member is the first responsible attorney: an index has them. */
  first?: SQL;
  /** The ids of the others. */
  others: SQL;
};

const isFirst = (member: Filter['member' | 'responsible']) =>
  sql`matter.first_attorney_id = ${member}::uuid`;
const idsWhere = (given: Filter, condition: SQL) =>
  sql`select matter.id as matter_id from matter where ${isOfFirm(given)} and ${condition}`;

const ofMember = {
  responsible: (given: Filter): OfMember => {
    const first = isFirst(given.responsible);
    const places = placesOf(given, given.responsible, isResponsible);
    const firsts = idsWhere(given, first);
    // Mostly there is no other.
    return {
      first,
      others: sql`select * from ((${places}) except (${firsts})) others
        where (select count(*) from (${places}) places) > (select count(*) from (${firsts}) firsts)`,
    };
  },
  member: (given: Filter): OfMember => {
    const first = isFirst(given.member);
    const places = placesOf(given, given.member, sql``);
    return { first, others: sql`(${places}) except (${idsWhere(given, first)})` };
  },
  memberAs: (given: Filter): OfMember => ({
    others: placesOf(given, given.member, isAs(given)),
  }),
  noMember: (given: Filter) => nobody(given, sql``),
  noMemberAs: (given: Filter) => nobody(given, isAs(given)),
};

// Who has no responsible attorney may have a place of another role.
const nobody = (given: Filter, further: SQL): OfMember => ({
  others: sql`(${idsWhere(given, sql`matter.first_attorney_id is null`)}) except (
    select place.matter_id from matter_team place
    where place.firm_id = ${given.firmId}
      and place.member_id = any(array(select id from member where firm_id = ${given.firmId}))
      and place.role = any('{ORIGINATING_ATTORNEY,RESPONSIBLE_STAFF}') ${further})`,
});
