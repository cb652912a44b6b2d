import { sql } from 'drizzle-orm';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Author } from '../record/actor.ts';
import type { Permission } from './permissions.ts';

type Asking = { firmId: string; memberId: string; requestId: string };

/** A member for whom a job does something that they asked for, with the rights that they have now. */
export const authorNow = async (
  transaction: Pick<Transaction, 'first'>,
  { firmId, memberId, requestId }: Asking,
): Promise<{ author: Author; may(permission: Permission): boolean }> => {
  const found = await transaction.first(rightsOfMember, { firmId, memberId });
  const seesPrivate = found?.holdsAll ?? false;
  return {
    author: { firmId, memberId, requestId, keyId: null, seesPrivate },
    may: (permission) =>
      found?.isActive === true && (seesPrivate || found.permissions.includes(permission)),
  };
};

type Rights = { holdsAll: boolean; permissions: string[]; isActive: boolean };

const rightsOfMember = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<Rights>`
    select role.holds_all as "holdsAll", role.permissions,
      member.deactivated_at is null as "isActive"
    from member
    join role on role.firm_id = member.firm_id and role.id = member.role_id
    where member.firm_id = ${firmId}::uuid and member.id = ${memberId}::uuid`,
);
