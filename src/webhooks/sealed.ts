/** The secrets of webhooks, sealed anew where the installation has a key only now, or another one. */
import { sql } from 'drizzle-orm';
import type { InstallationKey } from '../base/installation-key.ts';
import { sealedLike, sealsOf, unsealedAmong } from '../base/seal.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { rowOf } from './secret.ts';

/**
 * Seals with this key what is stored as it is, or what the `former` key has sealed. Returns of how many webhooks; what
 * cannot be read stays as it is.
 */
export const sealWebhooks = async (
  database: Runs,
  key: InstallationKey,
  former?: InstallationKey,
): Promise<number> => {
  const [seals, earlier] = [sealsOf(key), sealsOf(former)];
  let count = 0;
  for (const stored of await database.run(notSealedBy, { beginning: sealedLike(key) })) {
    const row = rowOf(stored);
    const anew = async (text: string | null) => {
      const opened = text === null ? undefined : await earlier.open(text, row);
      return opened === undefined ? text : seals.seal(opened, row);
    };
    const secret = (await anew(stored.secret)) ?? stored.secret;
    if (secret === stored.secret) continue;
    const formerSecret = await anew(stored.formerSecret);
    await database.run(replace, { ...stored, sealed: secret, formerSealed: formerSecret });
    count += 1;
  }
  return count;
};

/** How many webhooks' secrets are stored as they are, and how many are sealed with another key. */
export const countUnsealedWebhooks = async (database: Runs, key: InstallationKey | undefined) =>
  unsealedAmong(await database.run(notSealedBy, { beginning: sealedLike(key) }));

type Stored = { firmId: string; endpointId: string; secret: string; formerSecret: string | null };

const notSealedBy = statement(
  ({ beginning }: Given<'beginning'>) => sql<Stored>`
    select firm_id::text as "firmId", endpoint_id::text as "endpointId", secret,
      former_secret as "formerSecret"
    from webhook_sending where secret not like ${beginning}${acrossFirms(sql`firm_id`, 'answer')}`,
);

const replace = statement(
  (given: Given<Stored & { sealed: string; formerSealed: string | null }>) => sql`
    update webhook_sending set secret = ${given.sealed}, former_secret = ${given.formerSealed}
    where firm_id = ${given.firmId}::uuid and endpoint_id = ${given.endpointId}::uuid
      and secret = ${given.secret}`,
);
