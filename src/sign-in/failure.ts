import { sql } from 'drizzle-orm';
import { describeError, log } from '../base/log.ts';
import { member } from '../firm/table.ts';
import type { Database } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { administrator, type Reader } from '../record/actor.ts';
import { write } from '../record/write.ts';
import type { Browser } from './session.ts';
import { warnLater } from './warning.ts';

/** What was wrong in a failed attempt to sign in. */
type FailedWith = 'password' | 'code' | 'passkey';

/** A failed attempt to sign in as a member, as the audit log has it. */
export type FailedSignIn = { at: Date; with: FailedWith; address: string; browser: string };

/**
 * Records in the audit log that somebody tried to sign in as these members and failed: for each
 * member and kind of failure at most one entry a minute. A wrong code is told to the member too,
 * at most once in each hour of the clock: who types one knows the password. Nobody waits for this,
 * so that known addresses take no longer than others.
 */
export const noteFailures = (
  database: Database,
  holders: readonly { firmId: string; memberId: string }[],
  failedWith: FailedWith,
  browser: Browser,
): void => {
  for (const holder of holders) {
    noteFailure(database, holder, failedWith, browser).catch((error) =>
      log('warn', 'failed sign-in not recorded', describeError(error)),
    );
  }
};

const noteFailure = (
  database: Database,
  { firmId, memberId }: { firmId: string; memberId: string },
  failedWith: FailedWith,
  { address, agent }: Browser,
) =>
  write(administrator(database, firmId), async (w) => {
    await w.first(holdMember, { firmId, memberId });
    const [last, now] = await Promise.all([
      w.first(lastFailedWith, { firmId, memberId, failedWith }),
      w.now(),
    ]);
    if (last && now.getTime() - new Date(last.at).getTime() < everyMilliseconds) return;
    const after = { with: failedWith, address: address.slice(0, 64), browser: agent.slice(0, 255) };
    w.record('update', member, memberId, { failedSignIn: { before: null, after } });
    const hour = Math.floor(now.getTime() / 3_600_000);
    if (failedWith === 'code') warnLater(w, memberId, 'code', String(hour));
  });

const everyMilliseconds = 60_000;

/** The last failed attempt to sign in as a member; undefined if there was none. */
export const lastFailedSignIn = async (
  { first, firmId }: Pick<Reader, 'first' | 'firmId'>,
  memberId: string,
): Promise<FailedSignIn | undefined> => {
  const found = await first(lastFailed, { firmId, memberId });
  return found && { ...found.attempt, at: new Date(found.at) };
};

const lastFailed = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql<{
    at: string;
    attempt: Omit<FailedSignIn, 'at'>;
  }>`
    select entry.at, entry.changes #> '{failedSignIn,after}' as attempt
    from audit_entry entry
    where entry.firm_id = ${firmId}::uuid and entry.record_id = ${memberId}::uuid
      and entry.changes -> 'failedSignIn' is not null
    order by entry.id desc limit 1`,
);

const lastFailedWith = statement(
  ({ firmId, memberId, failedWith }: Given<'firmId' | 'memberId' | 'failedWith'>) => sql<{
    at: string;
  }>`
    select entry.at from audit_entry entry
    where entry.firm_id = ${firmId}::uuid and entry.record_id = ${memberId}::uuid
      and entry.changes #>> '{failedSignIn,after,with}' = ${failedWith}
    order by entry.id desc limit 1`,
);

const holdMember = statement(
  ({ firmId, memberId }: Given<'firmId' | 'memberId'>) => sql`
    select 1 as held from member
    where firm_id = ${firmId}::uuid and id = ${memberId}::uuid for no key update`,
);
