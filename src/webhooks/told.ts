/** Who is told that an endpoint is no longer sent to. */
import { sql } from 'drizzle-orm';
import { deliver, type Told } from '../notifications/delivered.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { PauseReason } from './table.ts';

/** Why the server itself stops sending. */
export type StopReason = Exclude<PauseReason, 'ASKED'>;

/** Without the address: a notice may be read by who looks over a shoulder, and an address may contain a secret. */
const says: Record<StopReason, string> = {
  FAILING:
    'Nothing has arrived for 24 hours. It is tried once an hour and goes on by itself, with all that happened in the meantime.',
  GONE: 'It answered that it is gone (410). Nothing more is sent until you resume it.',
  MEMBER:
    'Its member is deactivated, or may have no webhooks any more. Resume it when they may again, or delete it.',
  SECRET:
    'Its secret was sealed with a key that this server does not have. Give the webhook a new secret, and resume it.',
};

type Stopped = {
  firmId: string;
  endpointId: string;
  memberId: string;
  reason: StopReason;
};

/** Tells its member; the owners, if it is the member who may not any more. */
export const tellStopped = (transaction: Transaction, stopped: Stopped, at: Date) =>
  deliver(transaction, tell, {
    ...stopped,
    cause: `${stopped.endpointId}:${at.getTime()}`,
    text: says[stopped.reason],
    tellsOwners: stopped.reason === 'MEMBER',
  });

type Notice = Omit<Stopped, 'reason'> & { cause: string; text: string; tellsOwners: boolean };

const tell = statement(
  (given: Given<Notice>) => sql<Told>`
    insert into notification (firm_id, member_id, kind, cause, record_id, title, text, created_at, raised_at)
    select member.firm_id, member.id, 'webhook.paused', ${given.cause}, ${given.endpointId}::uuid,
      'A webhook is paused', ${given.text}, moment(), moment()
    from member join role on role.firm_id = member.firm_id and role.id = member.role_id
    where member.firm_id = ${given.firmId}::uuid and member.deactivated_at is null
      and case when ${given.tellsOwners}::boolean then role.holds_all
        else member.id = ${given.memberId}::uuid end
    on conflict do nothing returning kind`,
);
