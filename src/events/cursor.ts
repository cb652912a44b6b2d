import { sql } from 'drizzle-orm';
import { invalidField } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';

/**
 * A place in a firm's sealed audit log: after the seal with this number. A cursor also contains the
 * beginning of the seal and when its entry was made. So a place is known again after a restore from a
 * backup, when the same number belongs to another entry.
 */
const written = (number: string, hash: string, at: number) =>
  Buffer.from(`${number}.${hash.slice(0, 16)}.${at}`).toString('base64url');

/** The cursor of the beginning. */
const beginning = '0';

const form = /^(\d{1,18})\.([0-9a-f]{16})\.(\d{1,15})$/;

/** The cursor after a seal. */
export const cursorAfter = async (reader: Reads, number: bigint): Promise<string> => {
  if (number === 0n) return beginning;
  const seal = await reader.first(sealAt, { firmId: reader.firmId, number: String(number) });
  return seal ? written(String(number), seal.hash, seal.at) : beginning;
};

/** Who reads a firm's log. */
export type Reads = Runs & { firmId: string };

/**
 * The number of the seal that a cursor is after. If the firm was restored from a backup that does not
 * have that seal, it is the last one that was made a minute or more before it: what happened since the
 * restore comes after it. Throws `Refusal` invalid_request for a text that is no cursor.
 */
export const placeOf = async (reader: Reads, cursor: string): Promise<bigint> => {
  if (cursor === beginning) return 0n;
  const [, number, hash = '', at] = form.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (number === undefined) {
    throw invalidField('after', 'must be the cursor of an earlier answer, 0, or empty');
  }
  const { firmId } = reader;
  const seal = await reader.first(sealAt, { firmId, number });
  if (seal?.hash.startsWith(hash)) return BigInt(number);
  return placeBefore(reader, Number(at));
};

/** The number of a seal after which comes all that happened since this time, in milliseconds, and up to a minute before it. */
export const placeBefore = async (reader: Reads, at: number): Promise<bigint> => {
  const given = { firmId: reader.firmId, before: at - skewMilliseconds };
  return BigInt((await reader.first(lastBefore, given))?.number ?? 0);
};

// Entries are not sealed in the very order in which they were made.
const skewMilliseconds = 60_000;

const sealAt = shortStatement(
  ({ firmId, number }: Given<'firmId' | 'number'>) => sql<{ hash: string; at: number }>`
    select seal.hash, (extract(epoch from entry.at) * 1000)::float8 as at
    from audit_seal seal
    join audit_entry entry on entry.firm_id = ${firmId}::uuid and entry.id = seal.entry_id
    where seal.firm_id = ${firmId}::uuid and seal.seal_number = ${number}::bigint`,
);

const lastBefore = statement(
  ({ firmId, before }: Given<{ firmId: string; before: number }>) => sql<{ number: string }>`
    select seal.seal_number::text as number
    from audit_seal seal
    join audit_entry entry on entry.firm_id = ${firmId}::uuid and entry.id = seal.entry_id
    where seal.firm_id = ${firmId}::uuid
      and entry.at <= to_timestamp(${before}::float8 / 1000)
    order by seal.seal_number desc limit 1`,
);
