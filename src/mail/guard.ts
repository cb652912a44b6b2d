import { sql } from 'drizzle-orm';
import type { JobKind } from '../jobs/kind.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';

/**
 * Has the notices of all firms go out by mail where the installation has a mail server (MAIL_URL), and else
 * of those that have set one of their own: also of new firms, and after the setting was changed.
 */
export const mailGuard = (isSetForAll: boolean): JobKind => ({
  kind: 'mail_guard',
  everySeconds: 60,
  async work(_, transaction) {
    if (isSetForAll) return void beginMailing(transaction);
    const mailing = await transaction.run(mailingFirms);
    if (mailing.length === 0) return;
    const own = new Set((await transaction.run(firmsWithAccount)).map(({ firmId }) => firmId));
    const firmIds = mailing.map(({ firmId }) => firmId).filter((firmId) => !own.has(firmId));
    if (firmIds.length > 0) void transaction.run(endFor, { firmIds });
  },
});

/** Has the notices of all firms go out from now on, on a server with a mail server for all of them. */
export const beginMailing = (runs: Runs) => runs.run(beginForAll);

const beginForAll = statement(
  () => sql`update firm set mails_since = moment() where mails_since is null`,
);

const mailingFirms = statement(
  () => sql<{ firmId: string }>`
    select id::text as "firmId" from firm where mails_since is not null`,
);

const firmsWithAccount = statement(
  () => sql<{ firmId: string }>`
    select firm_id::text as "firmId" from mail_account where true${acrossFirms(sql`firm_id`, 'answer')}`,
);

const endFor = statement(
  ({ firmIds }: Given<{ firmIds: string[] }>) => sql`
    update firm set mails_since = null where id = any(${firmIds}::uuid[])`,
);
