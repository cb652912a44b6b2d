import { sql } from 'drizzle-orm';
import { type InstallationKey, isSignedBy } from '../base/installation-key.ts';
import { log } from '../base/log.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Runs, Transaction } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { eachFirmOf, lastSealOf } from './chain.ts';
import { headsFileOf, type KeptHead, keepHeads, readKeptHeads } from './kept-heads.ts';
import { auditSignature } from './table.ts';

/** A stored signature over the end of a firm's chain. */
export type HeadSignature = {
  /** The number of the seal that it signs. */
  seals: string;
  publicKey: string;
  /** In the form 2026-11-21T09:30:00.123Z. */
  signedAt: string;
  signature: string;
};

/**
 * What is signed of a chain's end, as UTF-8, separated by blanks: these words, the firm's id, the
 * number of seals, the last seal, and when it was signed. Seal N covers everything before it.
 */
const headText = (
  firmId: string,
  hash: string,
  { seals, signedAt }: Pick<HeadSignature, 'seals' | 'signedAt'>,
) => `matterhorn audit head 1 ${firmId} ${seals} ${hash} ${signedAt}`;

/** Whether a signature signs this seal. */
export const fitsHead = (firmId: string, hash: string, signature: HeadSignature) =>
  isSignedBy(signature.publicKey, headText(firmId, hash, signature), signature.signature);

/** The newest signature of each key over a firm's chain. */
export const signaturesOf = (database: Runs, firmId: string): Promise<HeadSignature[]> =>
  database.run(newestSignatures, { firmId });

const signatureColumns = sql.raw(`seal_number::text as seals, public_key as "publicKey",
  to_char(signed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "signedAt", signature`);

const newestSignatures = statement(
  ({ firmId }: Given<'firmId'>) => sql<HeadSignature>`
    select distinct on (public_key) ${signatureColumns} from audit_signature
    where firm_id = ${firmId} order by public_key, seal_number desc`,
);

/**
 * All signatures of a key over a firm's chain with the seals that have their numbers now, oldest
 * first.
 */
export const signaturesBy = (database: Runs, firmId: string, publicKey: string) =>
  database.run(signaturesWithSeals, { firmId, publicKey });

const signaturesWithSeals = statement(
  ({ firmId, publicKey }: Given<{ firmId: string; publicKey: string }>) => sql<
    HeadSignature & { hash: string | null }
  >`
    select ${signatureColumns}, (select hash from audit_seal seal
      where seal.firm_id = ${firmId} and seal.seal_number = signed.seal_number) as hash
    from audit_signature signed
    where firm_id = ${firmId} and public_key = ${publicKey} order by seal_number`,
);

/**
 * What signs the ends of chains: the key, and the heads that it signed before, which are kept
 * outside of the database.
 */
export type Signer = { key: InstallationKey; kept: Map<string, KeptHead> };

/** A signer with the heads kept so far. Throws as reading its file of heads does. */
export const signerOf = (key: InstallationKey): Signer => ({
  key,
  kept: readKeptHeads(headsFileOf(key.file)) ?? new Map(),
});

/**
 * Writes the ends of firms' chains, as sealed in this transaction, to the log after the commit.
 * With a signer, they are first signed, and kept outside of the database. A chain that does not
 * continue what was signed before is not signed: that would vouch for whatever was written instead.
 */
export const signHeads = async (
  transaction: Transaction,
  firmIds: string[],
  signer: Signer | undefined,
): Promise<void> => {
  const signed: KeptHead[] = [];
  for (const firmId of firmIds) {
    const { number, hash } = await lastSealOf(transaction, firmId);
    if (hash === null) continue;
    const head = { firmId, seals: String(number), hash };
    if (!signer) transaction.afterCommit(() => log('info', 'audit head', head));
    else if (await signHead(transaction, head, signer)) signed.push(head);
  }
  if (!signer || signed.length === 0) return;
  transaction.afterCommit(() => keepHeads(headsFileOf(signer.key.file), signed));
};

const signHead = async (
  transaction: Transaction,
  head: KeptHead,
  { key, kept }: Signer,
): Promise<boolean> => {
  const { firmId, seals, hash } = head;
  const why = await whyNotContinued(transaction, kept.get(firmId), { firmId, key });
  if (why) {
    log('error', 'audit log not signed: it was rewritten', { firmId, why });
    return false;
  }
  // Not by the database's clock: somebody who rewrites the log there could also turn that clock
  // back.
  const signedAt = new Date();
  const { publicKey } = key;
  const signature = key.sign(headText(firmId, hash, { seals, signedAt: signedAt.toISOString() }));
  const values = { firmId, sealNumber: Number(seals), publicKey, signedAt, signature };
  await transaction.run(storeSignature, values);
  transaction.afterCommit(() =>
    log('info', 'audit head', { ...head, publicKey, signedAt, signature }),
  );
  return true;
};

const storeSignature = statement(
  (
    given: Given<{
      firmId: string;
      sealNumber: number;
      publicKey: string;
      signedAt: Date;
      signature: string;
    }>,
  ) => {
    const { firmId, sealNumber, publicKey, signedAt, signature } = given;
    return query
      .insert(auditSignature)
      .values({ firmId, sealNumber, publicKey, signedAt, signature })
      .onConflictDoNothing();
  },
);

/**
 * Why a chain does not continue what this key signed before; undefined if it does, or is new to the
 * key.
 */
const whyNotContinued = async (
  database: Runs,
  kept: KeptHead | undefined,
  { firmId, key }: { firmId: string; key: InstallationKey },
): Promise<string | undefined> => {
  if (kept && (await sealAt(database, firmId, kept.seals)) !== kept.hash) {
    return `Seal ${kept.seals} is not the one that was signed and kept.`;
  }
  const last = (await signaturesOf(database, firmId)).find(
    ({ publicKey }) => publicKey === key.publicKey,
  );
  if (!last) return undefined;
  const hash = await sealAt(database, firmId, last.seals);
  if (hash !== undefined && fitsHead(firmId, hash, last)) return undefined;
  return `Seal ${last.seals} is not the one that was signed.`;
};

/** The firms whose chain goes on after the last signature of a key, or has no signature of it. */
export const firmsNotSignedBy = async (database: Runs, publicKey: string) =>
  (await database.run(notSignedBy, { publicKey })).map(({ firmId }) => firmId);

const notSignedBy = statement(
  ({ publicKey }: Given<'publicKey'>) => sql<{ firmId: string }>`
    ${eachFirmOf('audit_seal')}
    select one.firm_id::text as "firmId" from one
    where one.firm_id is not null and not exists (
      select from audit_signature signed
      where signed.firm_id = one.firm_id and signed.public_key = ${publicKey}${acrossFirms(sql`signed.firm_id`)}
        and signed.seal_number = (select max(seal_number) from audit_seal seal
          where seal.firm_id = one.firm_id${acrossFirms(sql`seal.firm_id`)}))`,
);

const sealAt = async (database: Runs, firmId: string, sealNumber: string) =>
  (await database.first(sealHash, { firmId, sealNumber }))?.hash;

const sealHash = statement(
  ({ firmId, sealNumber }: Given<{ firmId: string; sealNumber: string }>) => sql<{ hash: string }>`
    select hash from audit_seal where firm_id = ${firmId} and seal_number = ${sealNumber}::bigint`,
);

/** The end of a firm's chain, with the newest signature over it by any key, if there is one. */
export type Head = KeptHead & { signature: HeadSignature | null };

/** The end of a firm's chain; undefined if nothing is sealed yet. */
export const headOf = async (database: Runs, firmId: string): Promise<Head | undefined> => {
  const [{ number, hash }, signatures] = await Promise.all([
    lastSealOf(database, firmId),
    signaturesOf(database, firmId),
  ]);
  if (hash === null) return undefined;
  const newest = signatures
    .filter(({ seals }) => BigInt(seals) <= number)
    .sort((one, other) => Number(BigInt(other.seals) - BigInt(one.seals)))[0];
  return { firmId, seals: String(number), hash, signature: newest ?? null };
};
