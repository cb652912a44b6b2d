import { sql } from 'drizzle-orm';
import { lead } from '../leads/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { ofMember } from './subject.ts';
import { canSeeLead } from './visibility.ts';

/** Whether a member sees this lead: it is not private, or they are assigned to it or an owner. */
export const mayMemberSee = async (
  { firmId, first }: Reader,
  leadId: string,
  memberId: string,
): Promise<boolean> => (await first(seesLead, { firmId, leadId, memberId })) !== undefined;

const seesLead = statement(
  ({ firmId, leadId, memberId }: Given<'firmId' | 'leadId' | 'memberId'>) => sql<{ id: string }>`
    select ${lead.id}::text as id from ${lead}
    join member on member.firm_id = ${lead.firmId} and member.id = ${memberId}::uuid
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where ${lead.firmId} = ${firmId}::uuid and ${lead.id} = ${leadId}::uuid
      and ${canSeeLead(ofMember(firmId))}`,
);
