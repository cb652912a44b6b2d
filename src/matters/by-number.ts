import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';

/** A matter as it is chosen from a list. */
export type MatterChoice = { id: string; number: string; title: string };

/** The matter of this number, typed in any case; undefined if there is none. */
export const matterOfNumber = (reader: Reader, number: string): Promise<MatterChoice | undefined> =>
  reader.first(ofNumber, { firmId: reader.firmId, number });

/** The matter with this id. Throws `Refusal` not_found. */
export const matterById = async (reader: Reader, id: string): Promise<MatterChoice> => {
  const found = isId(id) && (await reader.first(ofId, { firmId: reader.firmId, id }));
  if (!found) throw notFound();
  return found;
};

/** The reader's active matters, the newest first: those that they are most likely to mean. */
export const matterChoices = (reader: Reader): Promise<MatterChoice[]> =>
  reader.run(ofMember, { firmId: reader.firmId, memberId: reader.memberId });

const ofNumber = statement(
  ({ firmId, number }: Given<'firmId' | 'number'>) => sql<MatterChoice>`
    select id::text as id, number, title from matter
    where firm_id = ${firmId}::uuid and number in (${number}::text, upper(${number}::text))
      and deleted_at is null
    order by number = ${number}::text desc limit 1`,
);

const ofId = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<MatterChoice>`
    select id::text as id, number, title from matter
    where firm_id = ${firmId}::uuid and id = ${id}::uuid and deleted_at is null`,
);

const ofMember = statement(
  ({ firmId, memberId }: Given<{ firmId: string; memberId: string | null }>) => sql<MatterChoice>`
    select id::text as id, number, title from matter
    where firm_id = ${firmId}::uuid and deleted_at is null and status = 'ACTIVE'
      and exists (select from matter_team where matter_team.firm_id = ${firmId}::uuid
        and matter_team.matter_id = matter.id and matter_team.member_id = ${memberId}::uuid)
    order by ordinal desc limit 100`,
);
