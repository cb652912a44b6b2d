import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { isWithinDays } from '../firm/days.ts';
import type { Given } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import {
  type FieldFilter,
  fieldConditions,
  filterWords,
  hasFields,
  isLikeAll,
  isOrNone,
  isThisId,
  type Words,
} from '../views/filter.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { firstTouch } from './first-touch.ts';
import type { leadStatuses, leadValues } from './table.ts';

/**
 * Which leads a list shows. The list's address has the same names, and reports link by them. Null is
 * any; `none` is an empty place. Days are calendar days of the firm, `YYYY-MM-DD`, both inclusive.
 */
export type LeadFilter = {
  status: (typeof leadStatuses)[number] | null;
  /** The id of the stage it sits in. */
  stage: string | null;
  /** The id of a stage that it reached: it was in it or past it, or was hired. */
  reached: string | null;
  /** A practice area's id. */
  area: string | 'none' | null;
  /** A member's id. */
  assignee: string | 'none' | null;
  value: (typeof leadValues)[number] | 'none' | null;
  /** A label of the custom field that the firm divides its leads by. */
  source: string | 'none' | null;
  /** The id of the reason for which it was not hired. */
  reason: string | 'none' | null;
  /** The days it was created on. */
  from: string | null;
  to: string | null;
  /** The days it was hired or not hired on. */
  decidedFrom: string | null;
  decidedTo: string | null;
  /** Whether a person has worked on it: `yes`, `no`, or within this many hours, as digits. */
  touched: string | null;
  /** ACTIVE, and in its stage for at least this many days. */
  waiting: number | null;
  /** An open lead whose next step is past, or today, or that has none. */
  next: (typeof nextSteps)[number] | null;
  /** Words that it, or its contact, is found by. */
  q: string | null;
  fields: readonly FieldFilter[];
};

export const everyLead: LeadFilter = {
  status: null,
  stage: null,
  reached: null,
  area: null,
  assignee: null,
  value: null,
  source: null,
  reason: null,
  from: null,
  to: null,
  decidedFrom: null,
  decidedTo: null,
  touched: null,
  waiting: null,
  next: null,
  q: null,
  fields: [],
};

export const nextSteps = ['overdue', 'today', 'none'] as const;

/** A filter as statements take it. */
export type Filtering = Viewer & { fields: string } & Omit<LeadFilter, 'q' | 'fields'> & Words;

/** A filter, and who looks, in the form that `passes` takes. */
export const filteringOf = async (
  reader: Reader,
  { q, fields, ...plain }: LeadFilter,
): Promise<Filtering> => ({
  ...viewerOf(reader),
  ...plain,
  ...(await filterWords(reader, q)),
  fields: (await fieldConditions(reader, 'LEAD', fields)).fields,
});

/** Whether the row of `lead` is one that the reader sees and that passes the filter, its status aside. */
export const passes = (given: Given<Filtering>): SQL => sql`
  lead.firm_id = ${given.firmId} and lead.deleted_at is null and ${canSeeLead(given)}
  and ${isThisId(sql`lead.lead_stage_id`, given.stage)}
  and ${hasReached(given)}
  and ${isThisId(sql`lead.practice_area_id`, given.area)}
  and ${isAssignedTo(given, given.assignee)}
  and ${isOrNone(sql`lead.value`, given.value)}
  and ${isOrNone(sourceOf(given.firmId), given.source)}
  and ${isThisId(sql`lead.not_hired_reason_id`, given.reason)}
  and ${isWithinDays(sql`lead.created_at`, given)}
  and ${isWithinDays(sql`lead.decided_at`, {
    firmId: given.firmId,
    from: given.decidedFrom,
    to: given.decidedTo,
  })}
  and ${wasTouched(given)}
  and (${given.waiting}::int is null or (lead.status = 'ACTIVE'
    and ${inStageSince(given)} <= moment() - make_interval(days => ${given.waiting}::int)))
  and ${hasNext(given)}
  and ${isLikeAll(sql`lead.findable_by`, given.patterns)}
  and ${hasFields(sql`lead.custom_fields`, given.fields)}`;

/** Since when the row of `lead` sits in its stage. */
export const inStageSince = ({
  firmId,
}: Given<'firmId'>) => sql`coalesce((select max(lead_move.at) from lead_move
  where lead_move.firm_id = ${firmId} and lead_move.lead_id = lead.id), lead.created_at)`;

/** Where the lead came from, by the field that the firm chose for it; null if that is empty. */
export const sourceOf = (firmId: Placeholder) => sql`nullif(btrim(lead.custom_fields ->>
  (select firm.source_field_id::text from firm where firm.id = ${firmId})), '')`;

/** Whether the row of `lead` is somebody's: a member's by their id, nobody's for `none`, any for null. */
export const isAssignedTo = ({ firmId }: Given<'firmId'>, assignee: Placeholder) => sql`
  (${assignee}::text is null or case when ${assignee}::text = 'none'
    then not exists (select from lead_assignee taken
      where taken.firm_id = ${firmId} and taken.lead_id = lead.id)
    else exists (select from lead_assignee taken
      where taken.firm_id = ${firmId} and taken.lead_id = lead.id
        and taken.member_id::text = ${assignee}::text) end)`;

const wasTouched = (given: Given<Filtering>) => sql`(case
  when ${given.touched}::text is null then true
  when ${given.touched}::text = 'yes' then ${firstTouch(given)} is not null
  when ${given.touched}::text = 'no' then ${firstTouch(given)} is null
  else ${firstTouch(given)} <= lead.created_at + (${given.touched}::text || ' hours')::interval end)`;

/** The firm's time of day now, as a next step has it. */
const timeOf = (firmId: Placeholder) => sql`to_char(moment() at time zone
  (select firm.time_zone from firm where firm.id = ${firmId}), 'YYYY-MM-DD"T"HH24:MI')`;

/** Whether the next step of the row of `lead` is past: its day is over, or its time has come. */
export const isStepPast = ({ firmId }: Given<'firmId'>) =>
  sql<boolean | null>`(lead.next_touch < left(${timeOf(firmId)}, length(lead.next_touch)))`;

const hasNext = (given: Given<Filtering>) => sql`(${given.next}::text is null
  or (lead.status in ('ACTIVE', 'DRAFT') and case ${given.next}::text
    when 'none' then lead.next_touch is null
    when 'overdue' then ${isStepPast(given)}
    else left(lead.next_touch, 10) = left(${timeOf(given.firmId)}, 10) end))`;

const hasReached = ({ firmId, reached }: Given<Filtering>) => sql`
  (${reached}::text is null or lead.status = 'HIRED' or exists (
    select from lead_stage goal
    join lead_stage past on past.firm_id = goal.firm_id and past.position >= goal.position
      and past.deleted_at is null
    where goal.firm_id = ${firmId} and goal.id::text = ${reached}::text
      and (past.id = lead.lead_stage_id or exists (select from lead_move
        where lead_move.firm_id = ${firmId} and lead_move.lead_id = lead.id
          and past.id in (lead_move.from_stage_id, lead_move.to_stage_id)))))`;
