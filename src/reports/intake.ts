import { sql } from 'drizzle-orm';
import { type Days, isWithinDays } from '../firm/days.ts';
import { sourceOf } from '../leads/filter.ts';
import { leadStageList } from '../leads/stages.ts';
import type { leadStatuses } from '../leads/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

/** Some leads, counted: how far they came and what became of them. */
export type IntakeCounts = {
  leads: number;
  /**
   * How many reached each stage: visited it or a later one, or were hired. In the order of stages.
   */
  reached: number[];
  hired: number;
  notHired: number;
  /** Not decided yet. */
  open: number;
  /** Of the open ones, those whose next step nobody has set. */
  withoutStep: number;
  archived: number;
  drafts: number;
};

/** The counts of the leads of one source or one practice area; null if there is none. */
export type IntakePart = IntakeCounts & { id: string | null; name: string | null };

/** The intake report over the leads created in a period. */
export type Intake = {
  stages: { id: string; name: string }[];
  all: IntakeCounts;
  /** Why leads were not hired, the most frequent reason first; null if no reason was given. */
  reasons: { id: string | null; name: string | null; count: number }[];
  /** By the custom field that the firm chose for it, with its name; null if it chose none. */
  bySource: { fieldName: string; parts: IntakePart[] } | null;
  byArea: IntakePart[];
};

/**
 * The intake report: the leads created in these days of the firm that the reader may see. A stage
 * was reached by a lead that visited it or one past it, and by every hired one.
 */
export const reportIntake = async (reader: Reader, days: Days): Promise<Intake> => {
  const [stages, groups, source, areas, reasons] = await Promise.all([
    leadStageList.all(reader),
    reader.run(groupsOfLeads, { ...viewerOf(reader), ...days }),
    reader.first(sourceField, { firmId: reader.firmId }),
    reader.run(areaNames, { firmId: reader.firmId }),
    reader.run(reasonNames, { firmId: reader.firmId }),
  ]);
  const positions = stages.map(({ position }) => position);
  const partsBy = (keyOf: (group: Group) => string | null, names: Map<string, string> | null) =>
    [...Map.groupBy(groups, keyOf)]
      .map(([id, part]) => {
        const name = id === null ? null : names ? (names.get(id) ?? null) : id;
        return { id, name, ...countsOf(part, positions) };
      })
      .sort(byCountDown);
  return {
    stages: stages.map(({ id, name }) => ({ id, name })),
    all: countsOf(groups, positions),
    reasons: reasonsOf(groups, namesById(reasons)),
    bySource: source
      ? { fieldName: source.name, parts: partsBy((group) => group.source, null) }
      : null,
    byArea: partsBy((group) => group.areaId, namesById(areas)),
  };
};

/** The share of hired leads among the decided ones, 0 to 1; null if none is decided. */
export const hiredRate = ({ hired, notHired }: IntakeCounts): number | null =>
  hired + notHired === 0 ? null : hired / (hired + notHired);

/** A group of leads with the same values in everything that the report asks, and their number. */
type Group = {
  status: (typeof leadStatuses)[number];
  reasonId: string | null;
  areaId: string | null;
  source: string | null;
  /** The position of the furthest stage that they visited. */
  furthest: number;
  hasStep: boolean;
  count: number;
};

const countsOf = (groups: readonly Group[], positions: readonly number[]): IntakeCounts => {
  const sum = (fits: (group: Group) => boolean) =>
    groups.reduce((total, group) => total + (fits(group) ? group.count : 0), 0);
  const of = (status: Group['status']) => sum((group) => group.status === status);
  return {
    leads: sum(() => true),
    reached: positions.map((position) =>
      sum(({ status, furthest }) => status === 'HIRED' || furthest >= position),
    ),
    hired: of('HIRED'),
    notHired: of('NOT_HIRED'),
    open: of('ACTIVE'),
    withoutStep: sum(({ status, hasStep }) => status === 'ACTIVE' && !hasStep),
    archived: of('ARCHIVE'),
    drafts: of('DRAFT'),
  };
};

const reasonsOf = (groups: readonly Group[], names: ReadonlyMap<string, string>) => {
  const declined = groups.filter(({ status }) => status === 'NOT_HIRED');
  return [...Map.groupBy(declined, ({ reasonId }) => reasonId)]
    .map(([id, part]) => ({
      id,
      name: id === null ? null : (names.get(id) ?? null),
      count: part.reduce((total, { count }) => total + count, 0),
    }))
    .sort((a, b) => b.count - a.count || byName(a, b));
};

type GroupName = { name: string | null };

/** By name. Leads without one are at the end. */
const byName = (a: GroupName, b: GroupName) => {
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null);
  return a.name.localeCompare(b.name, 'en');
};

const byCountDown = (a: IntakePart, b: IntakePart) =>
  Number(a.name === null) - Number(b.name === null) || b.leads - a.leads || byName(a, b);

const namesById = (rows: readonly { id: string; name: string }[]) =>
  new Map(rows.map(({ id, name }) => [id, name]));

// A removed stage has no position any more. A lead that visited it also visited others.
const groupsOfLeads = statement(
  (given: Given<Viewer & Days>) => sql<Group>`
    select lead.status, lead.not_hired_reason_id::text as "reasonId",
      lead.practice_area_id::text as "areaId",
      ${sourceOf(given.firmId)} as source,
      greatest(case when here.deleted_at is null then here.position end, visited.position, 0) as furthest,
      lead.next_touch is not null as "hasStep", count(*)::int as count
    from lead
    left join lead_stage here on here.firm_id = lead.firm_id and here.id = lead.lead_stage_id
    left join lateral (
      select max(lead_stage.position) as position from lead_move
      join lead_stage on lead_stage.firm_id = lead_move.firm_id and lead_stage.deleted_at is null
        and lead_stage.id in (lead_move.from_stage_id, lead_move.to_stage_id)
      where lead_move.firm_id = ${given.firmId} and lead_move.lead_id = lead.id
    ) visited on true
    where lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
      and ${isWithinDays(sql`lead.created_at`, given)}
    group by 1, 2, 3, 4, 5, 6`,
);

const sourceField = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ name: string }>`
    select field.name from firm
    join custom_field field on field.firm_id = ${firmId} and field.id = firm.source_field_id
    where firm.id = ${firmId}`,
);

// Including removed ones, because leads keep them.
const areaNames = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string; name: string }>`
    select id::text as id, name from practice_area where firm_id = ${firmId}`,
);

const reasonNames = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ id: string; name: string }>`
    select id::text as id, name from not_hired_reason where firm_id = ${firmId}`,
);
