import { sql } from 'drizzle-orm';
import { type Given, shortStatement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/** One of what can be chosen. */
type Choice = { id: string; name: string };

/** What a firm's lists can be filtered by, apart from custom fields; nothing that was removed. */
export type Choices = {
  areas: (Choice & { stages: Choice[]; types: Choice[] })[];
  /** Without those who are deactivated. */
  members: Choice[];
  leadStages: Choice[];
  notHiredReasons: Choice[];
  /** The id of the custom field that the firm counts its leads by; null if it chose none. */
  sourceFieldId: string | null;
};

/** What a firm's lists offer to choose from, each in its order, in one round trip. */
export const choicesOf = async (reader: Reader): Promise<Choices> => {
  const found = await reader.first(choices, { firmId: reader.firmId });
  if (!found) throw new Error('The firm of the reader is not stored.');
  return found;
};

const listOf = (rows: ReturnType<typeof sql>) => sql`coalesce(${rows}, '[]')`;

// Most of these tables are above in the order of floors: they are named by hand.
const choices = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<Choices>`
    select source_field_id::text as "sourceFieldId",
      ${listOf(sql`(select json_agg(json_build_object('id', area.id, 'name', area.name,
          'stages', ${listOf(sql`(select json_agg(json_build_object('id', id, 'name', name) order by position)
            from stage where stage.firm_id = ${firmId} and practice_area_id = area.id
              and deleted_at is null)`)},
          'types', ${listOf(sql`(select json_agg(json_build_object('id', id, 'name', name) order by ordinal)
            from matter_type where matter_type.firm_id = ${firmId} and practice_area_id = area.id
              and deleted_at is null)`)}) order by area.ordinal)
        from practice_area area where area.firm_id = ${firmId} and area.deleted_at is null)`)} as areas,
      ${listOf(sql`(select json_agg(json_build_object('id', member.id, 'name', member.name)
          order by member.created_at, member.id)
        from member where member.firm_id = ${firmId} and member.deactivated_at is null)`)} as members,
      ${listOf(sql`(select json_agg(json_build_object('id', stage.id, 'name', stage.name) order by position)
        from lead_stage stage where stage.firm_id = ${firmId} and stage.deleted_at is null)`)}
        as "leadStages",
      ${listOf(sql`(select json_agg(json_build_object('id', reason.id, 'name', reason.name)
          order by position, reason.id)
        from not_hired_reason reason where reason.firm_id = ${firmId}
          and reason.deleted_at is null)`)} as "notHiredReasons"
    from firm where firm.id = ${firmId}`,
);
