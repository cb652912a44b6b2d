import { type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { InstallationKey } from '../base/installation-key.ts';
import { acrossFirms } from '../postgres/citus/forms.ts';
import type { Database, Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import {
  chainStart,
  eachFirmOf,
  entriesAfter,
  entryColumns,
  fitsPage,
  type StoredEntry,
  sealOf,
  type Walked,
} from './chain.ts';
import { firmsNotSignedBy, type Signer, signerOf, signHeads } from './head.ts';

/**
 * Seals what is new in the audit log (`chain.ts` says how): for each firm, the entries whose
 * transaction is finished, with every older one. So none can appear before a sealed one. Entries
 * are sealed after their writes, which wait for nothing. One instance at a time works on a firm's
 * chain. Seal numbers are unique, so even two could not fork it.
 */
const sealNews = async (
  transaction: Transaction,
  again: (afterSeconds: number) => void,
  signer: Signer | undefined,
): Promise<void> => {
  const until = performance.now() + longestMilliseconds;
  const firms = await transaction.run(firmsWithNews);
  const sealed: string[] = [];
  let isLate = false;
  for (const { firmId } of firms) {
    if (isLate) break;
    if (!(await transaction.first(holdChain, { firmId }))?.isOurs) continue;
    sealed.push(firmId);
    isLate = await sealUntil(transaction, firmId, until);
  }
  await signHeads(transaction, sealed, signer);
  if (isLate || firms.length === maxFirms) again(0);
  else if (firms.length === 0) again(restSeconds);
};

/**
 * The sealer, as one of the server's own jobs. With a key, it signs the end of each chain that it
 * has extended; and once, the chains of a log that is older than the key.
 */
export const auditSeal = (key?: InstallationKey) => {
  let unsigned: string[] | undefined;
  const work = async (
    _job: unknown,
    transaction: Transaction,
    again: (afterSeconds: number) => void,
  ): Promise<void> => {
    const signer = key && signerOf(key);
    if (signer) {
      unsigned ??= await firmsNotSignedBy(transaction, signer.key.publicKey);
      const next = unsigned.splice(0, maxFirms);
      const ours: string[] = [];
      for (const firmId of next) {
        if ((await transaction.first(holdChain, { firmId }))?.isOurs) ours.push(firmId);
      }
      await signHeads(transaction, ours, signer);
      if (unsigned.length > 0) return again(0);
    }
    await sealNews(transaction, again, signer);
  };
  return { kind: auditSealKind, everySeconds: 5, restSeconds, work };
};

/**
 * Seals and signs at once what the job would within seconds. For a past that was made up: its entries
 * look old, and an old entry without a seal does not fit the log.
 */
export const sealNow = async (database: Database, key?: InstallationKey): Promise<void> => {
  const { work } = auditSeal(key);
  for (let more = true; more; ) {
    more = false;
    await database.transaction((transaction) =>
      work(undefined, transaction, (afterSeconds) => {
        more = afterSeconds === 0;
      }),
    );
  }
};

/** The sealer's name among the jobs. */
export const auditSealKind = 'audit_seal';

const longestMilliseconds = 400;
// The net for what a command wrote, or a server that was killed.
const restSeconds = 25;
const maxFirms = 100;
// Small enough that requests between two pages hardly notice.
const pageSize = 200;

/**
 * Seals what is new in a firm's log, whose chain this transaction holds. Says whether it stopped because
 * it is late.
 */
export const sealUntil = async (transaction: Transaction, firmId: string, until: number) => {
  let isLate = false;
  while (!isLate && (await sealPage(transaction, firmId)) > 0) isLate = performance.now() > until;
  return isLate;
};

const sealPage = async (transaction: Transaction, firmId: string): Promise<number> => {
  const last = await transaction.first(lastSealed, { firmId });
  const after = { xid: last?.xid ?? '0', id: last?.id ?? '0' };
  const entries = await transaction.run(news, { firmId, ...after });
  if (entries.length === 0) return 0;
  let hash = last?.hash ?? chainStart(firmId);
  const hashes: string[] = [];
  for (const entry of entries) hashes.push((hash = await sealOf(hash, firmId, entry)));
  await transaction.run(storeSeals, {
    firmId,
    last: last?.sealNumber ?? '0',
    entryIds: entries.map(({ id }) => id),
    hashes,
  });
  return entries.length;
};

// The last seal of the chain, and the position of the last sealed entry that still exists. If
// somebody removed one, sealing goes on, and `audit verify` names it.
export const lastPlace = (firmId: SQLWrapper | Placeholder, also = sql``) => sql`
  select entry.xid, entry.id from audit_seal seal
  join audit_entry entry on entry.firm_id = seal.firm_id and entry.id = seal.entry_id
  where seal.firm_id = ${firmId}${also} order by seal.seal_number desc limit 1`;

// A node is found by the firms of each table.
const onThisNode = (...tables: string[]) =>
  sql.join(tables.map((table) => acrossFirms(sql.raw(`${table}.firm_id`))));

// Looks at the end of each firm's log.
const firmsWhere = (condition: SQL) => sql<{ firmId: string }>`
    ${eachFirmOf('audit_entry')}
    select one.firm_id::text as "firmId" from one
    left join lateral (${lastPlace(sql`one.firm_id`, onThisNode('seal', 'entry'))}) as last on true
    where exists (select from audit_entry entry
      where entry.firm_id = one.firm_id
        and (entry.xid, entry.id) > (coalesce(last.xid, '0'), coalesce(last.id, 0))
        and ${condition}${onThisNode('entry')})
    limit ${sql.raw(String(maxFirms))}`;

export const isFinished = sql`entry.xid < transaction_horizon()`;

const firmsWithNews = statement(() => firmsWhere(isFinished));

/**
 * Firms with entries older than a minute that are not sealed: no server runs, or the sealer fails.
 */
export const firmsLeftUnsealed = statement(() =>
  firmsWhere(sql`entry.at < moment() - interval '1 minute'`),
);

/** Lets this transaction alone work on a firm's chain, if no other one does. */
export const holdChain = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ isOurs: boolean }>`
    select pg_try_advisory_xact_lock(hashtext('audit_seal'), hashtext(${firmId}))
      as "isOurs"`,
);

const lastSealed = statement(
  ({ firmId }: Given<'firmId'>) => sql<{
    sealNumber: string;
    hash: string;
    xid: string | null;
    id: string | null;
  }>`
    select one.seal_number::text as "sealNumber", one.hash, last.xid::text as xid, last.id::text as id
    from audit_seal one left join lateral (${lastPlace(firmId)}) as last on true
    where one.firm_id = ${firmId}
    order by one.seal_number desc limit 1`,
);

// Looked up entry by entry. Postgres would turn `not exists` into a join, which costs their product
// until it has learned how much a new firm's log has grown.
const isNews = ({ firmId }: Given<'firmId'>) => sql`${isFinished}
  and (select seal.entry_id from audit_seal seal
    where seal.firm_id = ${firmId} and seal.entry_id = entry.id) is null`;

const news = statement(
  (given: Given<Walked>) => sql<StoredEntry>`
    select ${entryColumns} from ${entriesAfter(pageSize, given, isNews(given))}
    where ${fitsPage} order by entry.xid, entry.id`,
);

const storeSeals = statement(
  ({
    firmId,
    last,
    entryIds,
    hashes,
  }: Given<{ firmId: string; last: string; entryIds: string[]; hashes: string[] }>) => sql`
    insert into audit_seal (firm_id, seal_number, entry_id, hash)
    select ${firmId}::uuid, ${last}::bigint + place, entry_id, hash
    from unnest(${entryIds}::bigint[], ${hashes}::text[])
      with ordinality as sealed (entry_id, hash, place)`,
);
