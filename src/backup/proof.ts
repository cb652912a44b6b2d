import { sql } from 'drizzle-orm';
import { firmsOfLog, type Standing, verifyChain } from '../audit/verify.ts';
import { Refusal } from '../base/refusal.ts';
import type { Runs } from '../postgres/pool.ts';
import type { Session } from '../postgres/session.ts';
import { statement } from '../postgres/statement.ts';
import { headsOf, type OnProgress } from './backup.ts';
import { countedRecords, sequencesBehind, sumOf } from './catalogue.ts';
import type { Manifest } from './manifest.ts';

/** Throws `Refusal` unless every existing table holds exactly the rows of the backup. */
export const proveRows = async (
  session: Session,
  { tables }: Manifest,
  { leftOut, onProgress }: { leftOut: string[]; onProgress: OnProgress },
): Promise<void> => {
  for (const [place, { name, rows, checksum }] of tables.entries()) {
    onProgress('Comparing tables', place, tables.length);
    if (leftOut.includes(name)) continue;
    const sum = await sumOf(session, name);
    if (sum.rows !== rows || sum.checksum !== checksum) {
      throw new Refusal(
        'conflict',
        `The table ${name} did not come out as it was backed up (${sum.rows} rows of ${rows}). Nothing was restored; use another backup.`,
      );
    }
  }
};

/** What is inconsistent in the restored data, each in a sentence; and each firm's audit log. */
export type Examined = { findings: string[]; logs: Standing[] };

/**
 * Checks that the data is consistent: every register counts the existing records, every sequence
 * and position goes on after the last one, and every audit log fits its seals and ends as the
 * manifest says. The rows were proved before. What is found here was already so when the backup was
 * made.
 */
export const examine = async (
  session: Session,
  manifest: Manifest,
  onProgress: OnProgress,
): Promise<Examined> => {
  onProgress('Counting records', 0, 0);
  const findings = [...(await countersOff(session)), ...(await sequencesOff(session))];
  const logs: Standing[] = [];
  const firms = await firmsOfLog(session);
  for (const [place, firmId] of firms.entries()) {
    onProgress('Walking the audit log', place, firms.length);
    const log = await verifyChain(session, firmId, null);
    logs.push(log);
    if (log.firstBad) {
      const { id, what } = log.firstBad;
      findings.push(
        `The audit log of firm ${firmId} does not fit its seals: entry ${id}, ${what}.`,
      );
    }
  }
  if (!Bun.deepEquals(await headsOf(session), manifest.firms)) {
    findings.push('The audit log does not end where the backup says.');
  }
  return { findings, logs };
};

const sequencesOff = async (database: Runs) =>
  (await sequencesBehind(database)).map((name) => `The sequence ${name} is behind its column.`);

const countersOff = async (database: Runs) => {
  const off = [...(await registersOff(database)), ...(await database.run(statusesOff))];
  const sentences = off.map(
    ({ firmId, kind }) => `The register of firm ${firmId} does not count its ${kind} records.`,
  );
  return [...new Set(sentences)];
};

const statusesOf = (kind: 'lead' | 'matter', isPrivate: string) =>
  sql.raw(`select firm_id, '${kind}' as kind, status, count(*) as live,
      count(*) filter (where ${isPrivate}) as live_private
    from ${kind} where deleted_at is null and status <> 'ACTIVE' group by 1, 3`);

const statusesOff = statement(
  () => sql<{ firmId: string; kind: string }>`
    select distinct firm_id::text as "firmId", kind
    from (${statusesOf('lead', 'is_private')} union all ${statusesOf('matter', 'false')}) counted
    full join register_status kept using (firm_id, kind, status)
    where (coalesce(counted.live, 0), coalesce(counted.live_private, 0))
      is distinct from (coalesce(kept.live, 0), coalesce(kept.live_private, 0))
    order by 1, 2`,
);

// A register may exist without records. Records need a register.
const registersOff = async (database: Runs) => {
  const records = sql.join(await countedRecords(database), sql` union all `);
  const compared = statement(
    () => sql<{ firmId: string; kind: string }>`
    with counted as (
      select firm_id, kind, count(*) filter (where is_live) as live,
        count(*) filter (where is_private) as live_private, max(ordinal) as highest
      from (${records}) as records group by firm_id, kind
    ),
    blocks as (
      select firm_id, kind, length, sum(live) as live, sum(live_private) as live_private
      from register_block group by firm_id, kind, length
    )
    select distinct firm_id::text as "firmId", kind from counted
    full join register using (firm_id, kind) full join blocks using (firm_id, kind)
    where (coalesce(counted.live, 0), coalesce(counted.live_private, 0))
        is distinct from (coalesce(register.live, 0), coalesce(register.live_private, 0))
      or (coalesce(counted.live, 0), coalesce(counted.live_private, 0))
        is distinct from (coalesce(blocks.live, 0), coalesce(blocks.live_private, 0))
      or coalesce(register.last_ordinal, 0) < coalesce(counted.highest, 0)
    order by 1, 2`,
  );
  return database.run(compared);
};
