import { sql } from 'drizzle-orm';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { chainStart, entryColumns, type StoredEntry, textOf } from './chain.ts';
import { headOf } from './head.ts';

type WithSeals = StoredEntry & {
  sealNumber: string | null;
  hash: string | null;
  before: string | null;
};

const entriesOf = statement(
  ({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) => sql<WithSeals>`
    select ${entryColumns}, seal.seal_number::text as "sealNumber", seal.hash, last.hash as before
    from audit_entry entry
    left join audit_seal seal on seal.firm_id = entry.firm_id and seal.entry_id = entry.id
    left join audit_seal last on last.firm_id = seal.firm_id
      and last.seal_number = seal.seal_number - 1
    where entry.firm_id = ${firmId}::uuid and entry.record_id = any(${ids}::uuid[])
    order by entry.xid, entry.id`,
);

/**
 * The part of a firm's audit log that is about some records, as lines of JSON. Each entry is the text
 * that its seal is over, with that seal and the one before it (null if it has none yet):
 * `{"entry":{…},"seal":{"number","before","hash"}}`. SHA-256 of `before` and the entry's text is
 * `hash`. The last line is the end of the whole chain, with its newest signature. The caller has
 * seen to it that the reader may read of these records.
 */
export const linesAbout = async (
  database: Runs,
  firmId: string,
  recordIds: readonly string[],
): Promise<string> => {
  const [entries, head] = await Promise.all([
    database.run(entriesOf, { firmId, ids: [...recordIds] }),
    headOf(database, firmId),
  ]);
  const lines = entries.map((entry) => {
    const { sealNumber, hash } = entry;
    const before = entry.before ?? chainStart(firmId);
    const seal = sealNumber === null ? null : { number: Number(sealNumber), before, hash };
    return `{"entry":${textOf(firmId, entry)},"seal":${JSON.stringify(seal)}}`;
  });
  return `${[...lines, JSON.stringify({ head: head ?? null })].join('\n')}\n`;
};
