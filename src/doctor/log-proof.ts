import { headsFileOf, readKeptHeads } from '../audit/kept-heads.ts';
import { auditSealKind } from '../audit/seal.ts';
import { type Standing, verifyChain } from '../audit/verify.ts';
import type { InstallationKey } from '../base/installation-key.ts';
import { nextRunOf } from '../jobs/queue.ts';
import type { Runs } from '../postgres/pool.ts';

const graceMilliseconds = 60_000;

/**
 * Older entries must be sealed: a minute before the sealer last ended. While no server runs,
 * nothing is sealed, and that is no fault.
 */
export const mustBeSealedUntil = async (database: Runs): Promise<Date | null> => {
  const next = await nextRunOf(database, auditSealKind);
  if (!next) return null;
  return new Date(Math.min(next.runAt.getTime(), next.now.getTime()) - graceMilliseconds);
};

const underWay = new Map<string, Promise<Standing>>();

/**
 * Walks a firm's chain, and holds it against what this installation signed and kept. Whoever asks
 * while a walk is under way waits for its result: a long log is not read several times at once.
 * Throws as reading the file of kept heads does.
 */
export const proveLog = (
  database: Runs,
  firmId: string,
  key: InstallationKey | undefined,
): Promise<Standing> => {
  const known = underWay.get(firmId);
  if (known) return known;
  const proving = prove(database, firmId, key).finally(() => underWay.delete(firmId));
  underWay.set(firmId, proving);
  return proving;
};

const prove = async (database: Runs, firmId: string, key: InstallationKey | undefined) => {
  const kept = key ? readKeptHeads(headsFileOf(key.file))?.get(firmId) : undefined;
  return verifyChain(database, firmId, await mustBeSealedUntil(database), {
    publicKey: key?.publicKey,
    kept: kept ? [kept] : [],
  });
};
