/** The private keys of certificates and of their accounts, sealed anew where the installation's key was replaced. */
import { sql } from 'drizzle-orm';
import type { Acme } from '../base/certificate-settings.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { sealedLike, sealsOf } from '../base/seal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { rowOf, rowOfAccount, whichOf } from './stored.ts';

/** Seals with this key what the `former` one has sealed. Returns how many; what cannot be read stays. */
export const resealCertificates = async (
  database: Runs,
  key: InstallationKey,
  former: InstallationKey,
): Promise<number> => {
  const [seals, earlier] = [sealsOf(key), sealsOf(former)];
  let count = 0;
  for (const stored of await database.run(notSealedBy, { beginning: sealedLike(key) })) {
    const { directory, names, secret } = stored;
    const row = names === null ? rowOfAccount(directory) : rowOf({ directory, names });
    const opened = await earlier.open(secret, row);
    if (opened === undefined) continue;
    const sealed = await seals.seal(opened, row);
    await database.run(names === null ? replaceAccount : replace, { ...stored, sealed });
    count += 1;
  }
  return count;
};

/** Whether the private keys of this certificate and of its account are sealed with another key than this. */
export const areForeign = async (
  database: Runs,
  acme: Acme,
  key: InstallationKey | undefined,
): Promise<{ certificate: boolean; account: boolean }> => {
  const stored = await database.run(notSealedBy, { beginning: sealedLike(key) });
  const has = (wanted: string | null) =>
    stored.some(({ directory, names }) => directory === acme.directory && names === wanted);
  return { certificate: has(whichOf(acme).names), account: has(null) };
};

/** The private key of a certificate; of an account where there are no names. */
type Stored = { directory: string; names: string | null; secret: string };

const notSealedBy = statement(
  ({ beginning }: Given<'beginning'>) => sql<Stored>`
    select directory, names, key as secret from certificate where key not like ${beginning}
    union all
    select directory, null, key from certificate_account where key not like ${beginning}`,
);

type Sealed = Given<Stored & { sealed: string }>;

const replace = statement(
  ({ directory, names, secret, sealed }: Sealed) => sql`
    update certificate set key = ${sealed}
    where directory = ${directory} and names = ${names} and key = ${secret}`,
);

const replaceAccount = statement(
  ({ directory, secret, sealed }: Sealed) => sql`
    update certificate_account set key = ${sealed}
    where directory = ${directory} and key = ${secret}`,
);
