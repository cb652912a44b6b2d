import { type SQL, sql } from 'drizzle-orm';
import { openPace } from '../base/pace.ts';
import { member } from '../firm/table.ts';
import { acrossFirms, forCluster } from '../postgres/citus/forms.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { register } from '../register/table.ts';

// TypeScript does not know yet that a reviver is also told how a value was written.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (name: string, value: unknown, written: { source?: string }) => unknown,
    ): unknown;
  }
}

/**
 * The chain over a firm's audit log. Each seal is a SHA-256, written as 64 lower-case hexadecimal
 * digits. It is taken over the UTF-8 bytes of the seal before it (those 64 digits), followed by the
 * entry's text. Before the first seal, SHA-256 of `matterhorn audit log 1 ` and the firm's id is
 * used.
 *
 * The entry's text is canonical JSON (RFC 8785: members sorted by the UTF-16 units of their names,
 * no white space, strings and numbers as JavaScript's JSON.stringify writes them) of an object with
 * exactly these members, null if absent:
 *
 *     action recordKind requestId       texts
 *     firmId recordId memberId keyId    ids, as lower-case UUIDs
 *     id xid                            whole numbers, as texts of decimal digits
 *     at                                a moment in UTC, as 2026-11-21T09:30:00.123Z
 *     changes                           an object: { field: { before, after } }
 *
 * Seals are numbered 1, 2, 3 … in the order of (xid, id), each a number: xid is the number of the
 * transaction that wrote the entry. With these words and an export, anyone can verify the chain
 * without this program.
 */
export const textOf = (firmId: string, entry: StoredEntry): string =>
  textWith(firmId, entry, changesOf(entry.changes));

const textWith = (firmId: string, entry: StoredEntry, changes: unknown): string => {
  const { id, xid, action, recordKind, recordId, memberId, keyId, requestId } = entry;
  const at = momentOf(entry.at);
  return canonicalJson({
    firmId,
    id,
    xid,
    at,
    action,
    recordKind,
    recordId,
    memberId,
    keyId,
    requestId,
    changes,
  });
};

/** What is used in place of a seal before a firm's first one. */
export const chainStart = (firmId: string) => sha256(`matterhorn audit log 1 ${firmId}`);

// Sealing an entry of 16 MiB computes for a fifth of a second.
const longCharacters = 256 * 1024;

/** The seal of an entry, after the one before it. A long one is made in steps: others go first in between. */
export const sealOf = async (
  before: string,
  firmId: string,
  entry: StoredEntry,
): Promise<string> => {
  if (entry.changes.length <= longCharacters) return sha256(before + textOf(firmId, entry));
  const giveWay = openPace();
  const changes = changesOf(entry.changes);
  await giveWay();
  const text = textWith(firmId, entry, changes);
  const hasher = new Bun.CryptoHasher('sha256').update(before);
  for (const piece of piecesOf(text)) {
    await giveWay();
    hasher.update(piece);
  }
  return hasher.digest('hex');
};

/** A text in pieces, none of which ends in the middle of a surrogate pair. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + longCharacters;
    const to = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end + 1 : end;
    yield text.slice(from, to);
    from = to;
  }
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

/** Canonical JSON (RFC 8785) of a value that JSON can hold. */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const object = value as Record<string, unknown>;
  const members = Object.keys(object).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(object[name])}`).join(',')}}`;
};

/** An entry as it is read for the chain: nothing is rounded, and nothing fails to be read. */
export type StoredEntry = {
  id: string;
  xid: string;
  /** Milliseconds since 1970. */
  at: number;
  action: string;
  recordKind: string;
  recordId: string;
  memberId: string | null;
  keyId: string | null;
  requestId: string;
  /** JSON as Postgres writes it. */
  changes: string;
};

// A value that this program never wrote must not fail here, but give another text.
const momentOf = (at: number) =>
  Number.isInteger(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);

/** The changes; or their text if it holds a number that JavaScript would round. */
const changesOf = (text: string): unknown => {
  let isKept = true;
  const changes = JSON.parse(text, (_name, value, { source = '' }) => {
    if (typeof value === 'number') isKept &&= isExact(source);
    return value;
  });
  return isKept ? changes : text;
};

const isExact = (token: string) => {
  const [, sign = '', digits = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(Number(token))) ?? [];
  if (exponent === undefined) return String(Number(token)) === token;
  // JavaScript prints very large and very small numbers with an exponent, Postgres without.
  const places = Number(exponent);
  return places > 0
    ? token === sign + digits + fraction.padEnd(places, '0')
    : token === `${sign}0.${'0'.repeat(-places - 1)}${digits}${fraction}`;
};

/** The columns of `StoredEntry`, of a row called `entry`. */
export const entryColumns = sql.raw(`
  entry.id::text as id, entry.xid::text as xid, (extract(epoch from entry.at) * 1000)::float8 as at,
  entry.action, entry.record_kind as "recordKind", entry.record_id::text as "recordId",
  entry.member_id::text as "memberId", entry.key_id::text as "keyId",
  entry.request_id as "requestId", entry.changes::text as changes`);

/**
 * How large an entry's changes may be as text, without reading them. Postgres's compressed form can
 * become up to ninety times larger.
 */
export const largestSize = sql.raw(`pg_column_size(entry.changes)::bigint
  * case when pg_column_compression(entry.changes) is null then 1 else 90 end`);

/** How far a firm's log is walked: to the entry (xid, id). */
export type Walked = { firmId: string; xid: string; id: string };

/**
 * At most `max` of the firm's entries after (xid, id), in the chain's order, as rows called
 * `entry`. There are fewer if they are large, so that a page of long descriptions fits in memory.
 */
export const entriesAfter = (max: number, given: Given<Walked>, condition: SQL = sql`true`) => sql`(
  select entry.*, sum(entry.size) over (order by entry.xid, entry.id) - entry.size as size_before
  from (
    select *, ${largestSize} as size from audit_entry entry
    where entry.firm_id = ${given.firmId}
      and (entry.xid, entry.id) > (${given.xid}::xid8, ${given.id}::bigint)
      and ${condition}
    order by entry.xid, entry.id limit ${sql.raw(String(max))}
  ) entry
) entry`;

/**
 * Where to cut a page of large entries, by the `size_before` of each. The first is always included.
 */
export const fitsPage = sql`entry.size_before < 1000000`;

/**
 * `one`: the firms that a table of the log names, from firm to firm along its index. Each node of a spread
 * database reads its own; their members and registers tell the firms.
 */
export const eachFirmOf = (relation: 'audit_entry' | 'audit_seal'): SQL => {
  const table = sql.raw(relation);
  return forCluster(
    sql`with recursive one as (
      (select firm_id from ${table} order by firm_id limit 1)
      union all
      select (select next.firm_id from ${table} next where next.firm_id > one.firm_id
        order by next.firm_id limit 1) from one where one.firm_id is not null
    )`,
    sql`with one as (
      select ${member.firmId} from ${member} where true${acrossFirms(member.firmId)}
      union
      select ${register.firmId} from ${register} where true${acrossFirms(register.firmId)}
    )`,
  );
};

const lastSeal = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ number: string; hash: string }>`
    select seal_number::text as number, hash from audit_seal
    where firm_id = ${firmId} order by seal_number desc limit 1`,
);

/**
 * The present end of the firm's chain. A walk over the log stops there, because more seals may be
 * added in the meantime.
 */
export const lastSealOf = async (database: Runs, firmId: string) => {
  const last = await database.first(lastSeal, { firmId });
  return { number: BigInt(last?.number ?? 0), hash: last?.hash ?? null };
};

/** An entry with its seal, if it has one. */
export type SealedEntry = StoredEntry & { sealNumber: string | null; hash: string | null };

const pageSize = 1_000;

const page = statement(
  (given: Given<Walked>) => sql<SealedEntry>`
    select ${entryColumns}, seal.seal_number::text as "sealNumber", seal.hash
    from ${entriesAfter(pageSize, given)}
    left join audit_seal seal on seal.firm_id = entry.firm_id and seal.entry_id = entry.id
    where ${fitsPage} order by entry.xid, entry.id`,
);

/** The firm's entries with their seals, in the chain's order, page by page. */
export async function* logOf(database: Runs, firmId: string): AsyncGenerator<SealedEntry[]> {
  const read = (after: { xid: string; id: string }) =>
    database.run(page, { firmId, xid: after.xid, id: after.id });
  let next = read({ xid: '0', id: '-9223372036854775808' });
  for (let entries = await next; entries.length > 0; entries = await next) {
    // The next page is read while this one is checked.
    next = read(entries[entries.length - 1] as SealedEntry);
    next.catch(() => {});
    yield entries;
  }
}
