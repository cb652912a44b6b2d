/** The secrets of authenticators as they are stored: sealed, where the installation has a key. */
import { sql } from 'drizzle-orm';
import type { InstallationKey } from '../base/installation-key.ts';
import { type Seals, sealedLike, sealsOf, unsealedAmong } from '../base/seal.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';

type OfMember = { firmId: string; memberId: string };

/** What the secret of a member's authenticator is sealed to. */
export const rowOf = ({ firmId, memberId }: OfMember) => `authenticator ${firmId} ${memberId}`;

/**
 * Seals what this installation's key has not sealed and can be read: stored as it is, or sealed with
 * the `former` key. What cannot be read stays as it is. Returns how many were sealed. Done twice, or
 * by two at once, it changes nothing more.
 */
export const sealStored = async (
  database: Runs,
  key: InstallationKey,
  former?: InstallationKey,
): Promise<number> => {
  const [seals, earlier]: Seals[] = [sealsOf(key), sealsOf(former)];
  let count = 0;
  for (const stored of await database.run(notSealedBy, { beginning: sealedLike(key) })) {
    const secret = await earlier?.open(stored.secret, rowOf(stored));
    const sealed = secret && (await seals?.seal(secret, rowOf(stored)));
    if (!sealed) continue;
    await database.run(replace, { ...stored, sealed });
    count += 1;
  }
  return count;
};

const notSealedBy = statement(
  ({ beginning }: Given<'beginning'>) => sql<OfMember & { secret: string }>`
    select firm_id::text as "firmId", member_id::text as "memberId", secret from authenticator
    where secret not like ${beginning}${acrossFirms(sql`firm_id`)}`,
);

const replace = statement(
  ({
    firmId,
    memberId,
    secret,
    sealed,
  }: Given<OfMember & { secret: string; sealed: string }>) => sql`
    update authenticator set secret = ${sealed}
    where firm_id = ${firmId}::uuid and member_id = ${memberId}::uuid and secret = ${secret}`,
);

/** How many second factors are stored as they are, and how many are sealed with another key. */
export const countUnsealed = async (database: Runs, key: InstallationKey | undefined) =>
  unsealedAmong(await database.run(notSealedBy, { beginning: sealedLike(key) }));
