import type { Runs } from '../postgres/pool.ts';
import { lastSealOf, logOf, textOf } from './chain.ts';
import { signaturesOf } from './head.ts';

/**
 * A firm's audit log as lines of JSON, page by page. Each entry is the text that its seal is over,
 * with its seal (null if it has none yet): `{"entry":{…},"seal":{"number","hash"}}`. The last line
 * is the head: `{"head":{"firmId","entries","sealed","hash","signatures"}}`, with the newest
 * signature of each key. `chain.ts` and `head.ts` say how to verify it.
 */
export async function* exportLines(database: Runs, firmId: string): AsyncGenerator<string> {
  const signed = await signaturesOf(database, firmId);
  const last = await lastSealOf(database, firmId);
  let [entries, sealed] = [0, 0];
  for await (const page of logOf(database, firmId)) {
    let text = '';
    for (const entry of page) {
      const isSealed = entry.sealNumber !== null && BigInt(entry.sealNumber) <= last.number;
      const seal = isSealed ? { number: Number(entry.sealNumber), hash: entry.hash } : null;
      text += `{"entry":${textOf(firmId, entry)},"seal":${JSON.stringify(seal)}}\n`;
      entries += 1;
      if (isSealed) sealed += 1;
    }
    yield text;
  }
  const signatures = signed.filter(({ seals }) => BigInt(seals) <= last.number);
  yield `${JSON.stringify({ head: { firmId, entries, sealed, hash: last.hash, signatures } })}\n`;
}
