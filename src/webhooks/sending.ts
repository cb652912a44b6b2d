/** How sending to an endpoint is begun, changed and ended inside a write of its record. */
import { sql } from 'drizzle-orm';
import { enqueue } from '../jobs/enqueue.ts';
import { wakeRunners } from '../jobs/runner.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { webhookSending } from './table.ts';

/** The kind of job that sends. Each endpoint has one, for as long as it is there. */
export const sendingJob = 'webhook_send';

const jobOf = (endpointId: string) => `${sendingJob}:${endpointId}`;

type OfEndpoint = { firmId: string; endpointId: string };

/** Begins to send to a new endpoint what happens from now on. */
export const beginSending = async (w: Write, sending: OfEndpoint & { secret: string }) => {
  void w.run(insertSending, sending);
  enqueue(w, {
    kind: sendingJob,
    dedupeKey: jobOf(sending.endpointId),
    ref: sending.endpointId,
    afterSeconds: 0,
  });
};

/**
 * Changes how it is sent: with a new secret; or as if nothing had failed yet. Then a server that sends at this moment keeps
 * nothing of its turn.
 */
export const keepSending = (
  w: Write,
  endpointId: string,
  { secret = null, isFresh = false }: { secret?: string | null; isFresh?: boolean },
) => {
  const { firmId } = w;
  if (secret !== null) void w.run(rotate, { firmId, endpointId, secret });
  if (!isFresh) return;
  void w.run(forgetFailures, { firmId, endpointId });
  void w.run(tryNow, { firmId, endpointId });
};

/**
 * Has what waits be sent soon. Called first: a job too locks its own row before the endpoint's. From then on the job does
 * not begin before the write is committed.
 */
export const sendSoon = (w: Write, endpointId: string) => {
  void w.run(runNow, { firmId: w.firmId, job: jobOf(endpointId) });
  w.afterCommit(wakeRunners);
};

/** Ends the sending of a removed endpoint: what waits, and its job. */
export const endSending = (w: Write, endpointId: string) => {
  const { firmId } = w;
  void w.run(dropJob, { firmId, job: jobOf(endpointId) });
  void w.run(dropMessages, { firmId, endpointId });
  void w.run(dropSending, { firmId, endpointId });
};

/** Locks an endpoint's job until the end of the transaction. */
export const holdJob = (runs: Runs, { firmId, endpointId }: OfEndpoint) =>
  runs.run(hold, { firmId, job: jobOf(endpointId) });

/** Without anything to send, an endpoint is looked at so often. */
export const idleSeconds = 6 * 3_600;

/** Has an endpoint's job run once something is due; if nothing is, after `idleSeconds`. */
export const sendAt = (runs: Runs, { firmId, endpointId }: OfEndpoint, dueAt: string | null) =>
  void runs.run(runAt, { firmId, job: jobOf(endpointId), dueAt });

const insertSending = statement(
  (given: Given<OfEndpoint & { secret: string }>) => sql`
    insert into webhook_sending (firm_id, endpoint_id, secret)
    values (${given.firmId}::uuid, ${given.endpointId}::uuid, ${given.secret})`,
);

const isThis = ({ firmId, endpointId }: Given<OfEndpoint>) =>
  sql`firm_id = ${firmId}::uuid and endpoint_id = ${endpointId}::uuid`;

/** Where an endpoint begins that has heard of nothing: at the entry of its creation; null while that is not sealed. */
export const startOf = ({ firmId, endpointId }: Given<OfEndpoint>) => sql`(select seal.seal_number
  from audit_entry entry join audit_seal seal on seal.firm_id = ${firmId}::uuid and seal.entry_id = entry.id
  where entry.firm_id = ${firmId}::uuid and entry.record_id = ${endpointId}::uuid
    and entry.action = 'create' order by entry.id limit 1)`;

const rotate = statement(
  (given: Given<OfEndpoint & { secret: string }>) => sql`
    update webhook_sending set former_secret = secret, former_ends_at = moment() + interval '24 hours',
      secret = ${given.secret} where ${isThis(given)}`,
);

const forgetFailures = statement(
  (given: Given<OfEndpoint>) => sql`
    update webhook_sending set failing_since = null, held_until = null, turn = turn + 1, turn_ends_at = null where ${isThis(given)}`,
);

const tryNow = statement(
  (given: Given<OfEndpoint>) => sql`
    update webhook_message set next_try_at = moment(), tries = 0 where ${isThis(given)}`,
);

/**
 * Has what happened after this seal be sent again. A server that sends at this moment keeps nothing of its turn: what is
 * on its way is sent again too.
 */
export const replayAfter = (w: Write, endpointId: string, after: bigint) => {
  const given = { firmId: w.firmId, endpointId, after: String(after) };
  sendSoon(w, endpointId);
  void w.run(goBack, given);
  void w.run(dropLater, given);
};

const goBack = statement(
  (given: Given<OfEndpoint & { after: string }>) => sql`
    update webhook_sending set replay_until = greatest(replay_until, cursor),
      cursor = least(coalesce(cursor, ${startOf(given)}), ${given.after}::bigint),
      turn = turn + 1, turn_ends_at = null
    where ${isThis(given)}
      and (coalesce(cursor, ${startOf(given)}, ${given.after}::bigint + 1) > ${given.after}::bigint
        or turn_ends_at is not null)`,
);

const dropLater = statement(
  (given: Given<OfEndpoint & { after: string }>) => sql`
    delete from webhook_message where ${isThis(given)} and seal_number > ${given.after}::bigint`,
);

const dropMessages = statement(
  (given: Given<OfEndpoint>) => sql`delete from webhook_message where ${isThis(given)}`,
);

const dropSending = statement((given: Given<OfEndpoint>) =>
  query.delete(webhookSending).where(isThis(given)),
);

const isItsJob = ({ firmId, job }: Given<{ firmId: string; job: string }>) =>
  sql`firm_id = ${firmId}::uuid and dedupe_key = ${job}`;

const dropJob = statement(
  (given: Given<{ firmId: string; job: string }>) => sql`delete from job where ${isItsJob(given)}`,
);

const hold = statement(
  (given: Given<{ firmId: string; job: string }>) => sql`
    select from job where ${isItsJob(given)} for update`,
);

const runNow = statement(
  (given: Given<{ firmId: string; job: string }>) => sql`
    update job set run_at = least(run_at, moment()) where ${isItsJob(given)}`,
);

const runAt = statement(
  (given: Given<{ firmId: string; job: string; dueAt: string | null }>) => sql`
    update job set run_at =
      coalesce(${given.dueAt}::timestamptz, moment() + make_interval(secs => ${sql.raw(String(idleSeconds))}))
    where ${isItsJob(given)}`,
);
