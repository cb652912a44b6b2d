/** The secrets of firms' own mail servers, sealed anew where the installation's key was replaced. */
import { sql } from 'drizzle-orm';
import type { InstallationKey } from '../base/installation-key.ts';
import { sealedLike, sealsOf, unsealedAmong } from '../base/seal.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { rowOfAccount, swapSecret } from './account.ts';

/** Seals with this key what the `former` one has sealed. Returns how many; what cannot be read stays. */
export const resealAccounts = async (
  database: Runs,
  key: InstallationKey,
  former: InstallationKey,
): Promise<number> => {
  const [seals, earlier] = [sealsOf(key), sealsOf(former)];
  let count = 0;
  const stored = await database.run(notSealedBy, { beginning: sealedLike(key) });
  for (const { firmId, secret } of stored) {
    const opened = await earlier.open(secret, rowOfAccount(firmId));
    if (opened === undefined) continue;
    const sealed = await seals.seal(opened, rowOfAccount(firmId));
    await database.run(swapSecret, { firmId, secret: sealed, former: secret });
    count += 1;
  }
  return count;
};

/** How many mail servers' secrets are sealed with another key than this. */
export const countForeignAccounts = async (database: Runs, key: InstallationKey | undefined) =>
  unsealedAmong(await database.run(notSealedBy, { beginning: sealedLike(key) })).foreign;

const notSealedBy = statement(
  ({ beginning }: Given<'beginning'>) => sql<{ firmId: string; secret: string }>`
    select firm_id::text as "firmId", secret from mail_account
    where secret is not null and secret not like ${beginning}${acrossFirms(sql`firm_id`, 'answer')}`,
);
