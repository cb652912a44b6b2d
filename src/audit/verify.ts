import { sql } from 'drizzle-orm';
import { fingerprintOf } from '../base/installation-key.ts';
import { forCluster } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { chainStart, eachFirmOf, lastSealOf, logOf, type SealedEntry, sealOf } from './chain.ts';
import { fitsHead, type HeadSignature, signaturesBy, signaturesOf } from './head.ts';
import type { KeptHead } from './kept-heads.ts';

/** What does not fit, in one word. */
export type Misfit = 'changed' | 'missing' | 'out of order' | 'unsealed' | 'rewritten' | 'cut off';

/** The first entry that does not fit. What is no longer known of it is null. */
export type FirstBad = {
  id: string | null;
  recordKind: string | null;
  recordId: string | null;
  what: Misfit;
  explanation: string;
};

/** How far a key has signed a chain. `key` is the fingerprint. */
export type Signed = { key: string; isOurs: boolean; seals: string; signedAt: string };

/**
 * What a log is compared with: this installation's key, heads kept outside of the database, and
 * hashes of heads.
 */
export type Evidence = {
  publicKey?: string | undefined;
  kept?: KeptHead[];
  /** Hashes of heads of any firm. Those that are found are removed. */
  wanted?: Set<string>;
};

/**
 * The state of a firm's audit log. `head` is its last seal: kept elsewhere, it proves everything
 * before it. `signed` has each key's newest signature. A signature that fits no seal makes the log
 * unfit.
 */
export type Standing = {
  firmId: string;
  entries: number;
  sealed: number;
  unsealed: number;
  head: string | null;
  signed: Signed[];
  firstBad: FirstBad | null;
};

/**
 * Walks a firm's chain and finds the first entry that does not fit. Entries older than
 * `sealedUntil` must be sealed. What is sealed during the walk is not looked at. The chain must
 * also contain what was signed, or kept as a head.
 */
export const verifyChain = async (
  database: Runs,
  firmId: string,
  sealedUntil: Date | null,
  { publicKey, kept = [], wanted }: Evidence = {},
): Promise<Standing> => {
  // Read before the end of the chain. A signature that comes later may cover seals beyond that end.
  const signatures = await signaturesOf(database, firmId);
  const marks = Map.groupBy<string, Mark>([...kept, ...signatures], ({ seals }) => seals);
  const { number: last, hash: head } = await lastSealOf(database, firmId);
  let hash = chainStart(firmId);
  let reached = 0n;
  let entries = 0;
  let sealed = 0;
  let firstBad: FirstBad | null = null;

  const misfitOf = async (entry: SealedEntry): Promise<FirstBad | null> => {
    const isSealed = entry.sealNumber !== null && BigInt(entry.sealNumber) <= last;
    if (!isSealed && reached === last) {
      const isLate = sealedUntil !== null && entry.at < sealedUntil.getTime();
      return isLate && entry.sealNumber === null
        ? bad(entry, 'unsealed', 'It is not sealed, although it is old enough to be.')
        : null;
    }
    reached += 1n;
    if (isSealed && BigInt(entry.sealNumber as string) === reached) {
      hash = await sealOf(hash, firmId, entry);
      wanted?.delete(hash);
      if (hash !== entry.hash)
        return bad(entry, 'changed', `It was changed after it was sealed, or seal ${reached} was.`);
      const unfit = marks
        .get(entry.sealNumber as string)
        ?.find((mark) => !fits(mark, firmId, hash));
      return unfit ? whatWasRewritten(database, firmId, { mark: unfit, publicKey }) : null;
    }
    const named = await whatIsSealed(database, firmId, reached);
    if (isSealed || named?.what === 'missing') return named ?? gone(reached);
    return bad(
      entry,
      'unsealed',
      'It has no seal, although later entries have one: it was inserted, or its seal was removed.',
    );
  };

  for await (const page of logOf(database, firmId)) {
    for (const entry of page) {
      entries += 1;
      if (entry.sealNumber !== null) sealed += 1;
      if (!firstBad) firstBad = await misfitOf(entry);
    }
  }
  if (!firstBad && reached < last) {
    firstBad = (await whatIsSealed(database, firmId, reached + 1n)) ?? gone(reached + 1n);
  }
  const beyond = [...kept, ...signatures].find(({ seals }) => BigInt(seals) > last);
  if (!firstBad && beyond) firstBad = cutOff(beyond, last);
  const unsealed = entries - sealed;
  const signed = signatures.map((one) => ({
    key: fingerprintOf(one.publicKey),
    isOurs: one.publicKey === publicKey,
    seals: one.seals,
    signedAt: one.signedAt,
  }));
  return { firmId, entries, sealed, unsealed, head, signed, firstBad };
};

/** What is known of a seal from elsewhere. */
type Mark = KeptHead | HeadSignature;

const fits = (mark: Mark, firmId: string, hash: string) =>
  'signature' in mark ? fitsHead(firmId, hash, mark) : mark.hash === hash;

const saidOf = (mark: Mark) =>
  'signature' in mark
    ? `the signature of seal ${mark.seals}, of ${mark.signedAt} by key ${fingerprintOf(mark.publicKey)},`
    : `the head of seal ${mark.seals} that was kept`;

/**
 * All seals fit each other, but differ from what was signed or kept: says which, as closely as
 * signatures tell.
 */
const whatWasRewritten = async (
  database: Runs,
  firmId: string,
  { mark, publicKey }: { mark: Mark; publicKey: string | undefined },
): Promise<FirstBad> => {
  const key = 'signature' in mark ? mark.publicKey : publicKey;
  let first = 1n;
  let unfit = mark;
  for (const signed of key ? await signaturesBy(database, firmId, key) : []) {
    if (signed.hash === null || !fitsHead(firmId, signed.hash, signed)) {
      unfit = signed;
      break;
    }
    first = BigInt(signed.seals) + 1n;
  }
  const entry = await database.first(sealedAt, { firmId, sealNumber: String(first) });
  const explanation = `It, or a later entry up to seal ${unfit.seals}, was rewritten and sealed again: ${saidOf(unfit)} belongs to another chain.`;
  const { entryId: id = null, recordKind = null, recordId = null } = entry ?? {};
  return { id, recordKind, recordId, what: 'rewritten', explanation };
};

const cutOff = (mark: Mark, last: bigint): FirstBad => ({
  id: null,
  recordKind: null,
  recordId: null,
  what: 'cut off',
  explanation: `The log ends with seal ${last}, but ${saidOf(mark)} covers more.`,
});

const bad = (
  entry: Pick<FirstBad, 'id' | 'recordKind' | 'recordId'>,
  what: Misfit,
  explanation: string,
): FirstBad => {
  const { id, recordKind, recordId } = entry;
  return { id, recordKind, recordId, what, explanation };
};

/**
 * The chain has another entry in the place of this seal. The right one is elsewhere, or missing.
 */
const whatIsSealed = async (
  database: Runs,
  firmId: string,
  sealNumber: bigint,
): Promise<FirstBad | null> => {
  const seal = await database.first(sealedAt, { firmId, sealNumber: String(sealNumber) });
  if (!seal) return null;
  if (seal.recordId === null) {
    return {
      id: seal.entryId,
      recordKind: null,
      recordId: null,
      what: 'missing',
      explanation: `Seal ${sealNumber} belongs to this entry, but there is no such entry: it was removed, or its id was changed.`,
    };
  }
  const explanation = `Seal ${sealNumber} belongs to this entry, but another entry is in its place.`;
  return bad({ ...seal, id: seal.entryId }, 'out of order', explanation);
};

const gone = (sealNumber: bigint): FirstBad => ({
  id: null,
  recordKind: null,
  recordId: null,
  what: 'missing',
  explanation: `There is no seal ${sealNumber}, and no entry that lacks it: both were removed, or the seal's number changed.`,
});

const sealedAt = statement(
  ({ firmId, sealNumber }: Given<'firmId' | 'sealNumber'>) => sql<{
    entryId: string;
    recordKind: string | null;
    recordId: string | null;
  }>`
    select seal.entry_id::text as "entryId", entry.record_kind as "recordKind",
      entry.record_id::text as "recordId"
    from audit_seal seal
    left join audit_entry entry on entry.firm_id = seal.firm_id and entry.id = seal.entry_id
    where seal.firm_id = ${firmId}
      and seal.seal_number = ${sealNumber}::bigint`,
);

// Every row of a spread database is read: a firm may be in its log only.
const firmsAlong = (relation: 'audit_entry' | 'audit_seal') =>
  forCluster(
    sql`${eachFirmOf(relation)} select firm_id from one where firm_id is not null`,
    sql`select distinct firm_id from ${sql.raw(relation)}`,
  );

const firmsInLog = statement(
  () => sql<{ firmId: string }>`
    select firm_id::text as "firmId" from (
      (${firmsAlong('audit_entry')}) union (${firmsAlong('audit_seal')})
    ) as named order by firm_id`,
);

/** The firms that the log names, known or not. An entry under another firm's id is found there. */
export const firmsOfLog = async (database: Runs) =>
  (await database.run(firmsInLog)).map(({ firmId }) => firmId);
