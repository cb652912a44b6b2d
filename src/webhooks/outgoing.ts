/** What is to be sent to an endpoint, and what came of it, as the database keeps them. */
import { sql } from 'drizzle-orm';
import { acrossFirms } from '../postgres/citus/forms.ts';
import { type Given, shortStatement, statement } from '../postgres/statement.ts';
import { sendingJob, startOf } from './sending.ts';

/** An endpoint that a server has the turn to send to. */
export type Turn = { firmId: string; endpointId: string; turn: string };

type OfEndpoint = Pick<Turn, 'firmId' | 'endpointId'>;

/** So many messages wait at most. Then the log is read on when one of them has ended. */
export const maxWaiting = 200;

/** A turn ends by itself after so many seconds, if its server is gone: one that sends keeps it meanwhile. */
export const turnSeconds = 20;

/** A paused endpoint is tried so often. */
export const probeSeconds = 3_600;

const isThis = ({ firmId, endpointId }: Given<OfEndpoint>) =>
  sql`firm_id = ${firmId}::uuid and endpoint_id = ${endpointId}::uuid`;

// To send is allowed to active endpoints, and to one that fails, as a probe.
const isSentTo = sql`(endpoint.status = 'ACTIVE'
  or endpoint.status = 'PAUSED' and endpoint.reason = 'FAILING')`;

const endpointOf = ({ firmId }: Given<'firmId'>) => sql`
  webhook_sending sending join webhook_endpoint endpoint on endpoint.firm_id = ${firmId}::uuid
    and endpoint.id = sending.endpoint_id and endpoint.deleted_at is null`;

/** Whether an endpoint is sent to, by whom, and whether it fails. */
export const standing = statement(
  (given: Given<OfEndpoint>) => sql<{ isSentTo: boolean; isTaken: boolean; isFailing: boolean }>`
    select ${isSentTo} as "isSentTo", sending.failing_since is not null as "isFailing",
      coalesce(sending.turn_ends_at > moment(), false) as "isTaken"
    from ${endpointOf(given)}
    where sending.firm_id = ${given.firmId}::uuid and sending.endpoint_id = ${given.endpointId}::uuid`,
);

/** Takes the turn, if nobody has it. */
export const takeTurn = statement(
  (given: Given<OfEndpoint>) => sql<{ turn: string }>`
    update webhook_sending set turn = turn + 1,
      turn_ends_at = moment() + make_interval(secs => ${sql.raw(String(turnSeconds))})
    where ${isThis(given)} and (turn_ends_at is null or turn_ends_at <= moment())
    returning turn::text as turn`,
);

/** Keeps the turn for longer, unless it has ended. */
export const keepTurn = statement(
  (given: Given<Turn>) => sql`
    update webhook_sending set turn_ends_at = moment() + make_interval(secs => ${sql.raw(String(turnSeconds))})
    where ${isThis(given)} and turn = ${given.turn}::bigint and turn_ends_at is not null`,
);

/** An endpoint as a server needs it that sends to it. */
export type Outgoing = {
  url: string;
  types: string[];
  resources: string[] | null;
  memberId: string;
  status: 'ACTIVE' | 'PAUSED';
  isFailing: boolean;
  isActive: boolean;
  holdsAll: boolean;
  permissions: string[];
  secret: string;
  formerSecret: string | null;
  cursor: string | null;
  replayUntil: string;
  heldSeconds: number;
};

/** Everything that sending needs to know, if it is still this server's turn. */
export const outgoing = statement(
  (given: Given<Turn>) => sql<Outgoing>`
    select endpoint.url, to_json(endpoint.types) as types, to_json(endpoint.resources) as resources, endpoint.member_id::text as "memberId",
      endpoint.status, sending.failing_since is not null as "isFailing",
      member.deactivated_at is null as "isActive", role.holds_all as "holdsAll",
      to_json(role.permissions) as permissions,
      sending.secret, sending.replay_until::text as "replayUntil",
      case when sending.former_ends_at > moment() then sending.former_secret end as "formerSecret",
      greatest(0, coalesce(extract(epoch from sending.held_until - moment()), 0))::float8 as "heldSeconds",
      coalesce(sending.cursor, ${startOf(given)})::text as cursor
    from ${endpointOf(given)}
    join member on member.firm_id = ${given.firmId}::uuid and member.id = endpoint.member_id
    join role on role.firm_id = ${given.firmId}::uuid and role.id = member.role_id
    where sending.firm_id = ${given.firmId}::uuid and sending.endpoint_id = ${given.endpointId}::uuid
      and sending.turn = ${given.turn}::bigint and ${isSentTo}`,
);

/** The messages that wait, in their order. */
export const waiting = statement(
  (given: Given<OfEndpoint>) => sql<{
    seal: string;
    recordId: string;
    tries: number;
    isDue: boolean;
  }>`
    select seal_number::text as seal, record_id::text as "recordId", tries, next_try_at <= moment() as "isDue"
    from webhook_message where ${isThis(given)}
    order by seal_number limit ${sql.raw(String(2 * maxWaiting))}`,
);

/** Keeps how far it was read, and how its tries went, if it is still this server's turn. */
export const advance = statement(
  (
    given: Given<
      Turn & { cursor: string; hasArrived: boolean; hasFailed: boolean; holdSeconds: number }
    >,
  ) => sql<{ hasFailedLong: boolean }>`
    update webhook_sending set cursor = ${given.cursor}::bigint,
      last_success_at = case when ${given.hasArrived}::boolean then moment() else last_success_at end,
      failing_since = case when ${given.hasArrived}::boolean then null
        when ${given.hasFailed}::boolean then coalesce(failing_since, moment()) else failing_since end,
      held_until = case when ${given.holdSeconds}::float8 > 0
        then moment() + make_interval(secs => ${given.holdSeconds}::float8) else held_until end,
      turn_ends_at = moment() + make_interval(secs => ${sql.raw(String(turnSeconds))})
    where ${isThis(given)} and turn = ${given.turn}::bigint
    returning coalesce(failing_since <= moment() - interval '24 hours', false) as "hasFailedLong"`,
);

/** A try as it is stored. */
export type Tried = {
  id: string;
  messageId: string;
  type: string;
  recordId: string;
  answer: number | null;
  failure: string | null;
  milliseconds: number;
  tryNumber: number;
  isLast: boolean;
};

/** Stores tries; `tried` is a list of `Tried` as JSON. */
export const keepTries = statement(
  (given: Given<OfEndpoint & { tried: string }>) => sql`
    insert into webhook_delivery (firm_id, endpoint_id, id, message_id, type, record_id, at, answer, failure,
      milliseconds, try_number, is_last)
    select ${given.firmId}::uuid, ${given.endpointId}::uuid, one.*
    from (select (item->>'id')::uuid, item->>'messageId', item->>'type', (item->>'recordId')::uuid, moment(),
        (item->>'answer')::smallint, item->>'failure', (item->>'milliseconds')::integer,
        (item->>'tryNumber')::smallint, (item->>'isLast')::boolean
      from jsonb_array_elements(${given.tried}::text::jsonb) as item) as one`,
);

/** Removes messages that have ended. */
export const dropMessages = statement(
  (given: Given<OfEndpoint & { seals: string[] }>) => sql`
    delete from webhook_message where ${isThis(given)} and seal_number = any(${given.seals}::text[]::bigint[])`,
);

/** Messages that wait from now on, as JSON: each with its seal, its record, its tries and for how long. */
export const keepMessages = statement(
  (given: Given<OfEndpoint & { messages: string }>) => sql`
    insert into webhook_message (firm_id, endpoint_id, seal_number, record_id, tries, next_try_at)
    select ${given.firmId}::uuid, ${given.endpointId}::uuid, (item->>'seal')::bigint, (item->>'recordId')::uuid,
      (item->>'tries')::smallint, moment() + make_interval(secs => (item->>'seconds')::float8)
    from jsonb_array_elements(${given.messages}::text::jsonb) as item
    on conflict (firm_id, endpoint_id, seal_number) do update
      set tries = excluded.tries, next_try_at = excluded.next_try_at`,
);

/**
 * Ends the turn, and says when there is something to send again; null if it is not known yet. After a failure the endpoint
 * is left alone for so long, whatever happens meanwhile.
 */
export const endTurn = statement(
  (given: Given<Turn & { restSeconds: number }>) => sql<{ dueAt: string | null }>`
    with heads as (
      select distinct on (record_id) next_try_at, count(*) over () as waiting
      from webhook_message where ${isThis(given)} order by record_id, seal_number
    ), ended as (
      update webhook_sending set turn_ends_at = null,
        held_until = case when ${given.restSeconds}::float8 > 0
          then greatest(held_until, moment() + make_interval(secs => ${given.restSeconds}::float8)) else held_until end
      where ${isThis(given)} and turn = ${given.turn}::bigint
      returning endpoint_id, cursor, case when held_until > moment() then held_until end as held_until
    )
    select (case when endpoint.status = 'ACTIVE' then greatest(ended.held_until, case
          when coalesce((select max(waiting) from heads), 0) < ${sql.raw(String(maxWaiting))}
            and coalesce(ended.cursor, ${startOf(given)}) < (select max(seal_number) from audit_seal where firm_id = ${given.firmId}::uuid)
          then moment() else (select min(next_try_at) from heads) end)
        when ${isSentTo} then moment() + make_interval(secs => ${sql.raw(String(probeSeconds))}) end)::text
        as "dueAt"
    from ended join webhook_endpoint endpoint on endpoint.firm_id = ${given.firmId}::uuid
      and endpoint.id = ended.endpoint_id`,
);

/** Whether a firm has anything to send to. */
export const hasEndpoints = shortStatement(
  ({ firmId }: Given<'firmId'>) => sql<{ has: boolean }>`
    select exists (select from webhook_sending where firm_id = ${firmId}::uuid) as has`,
);

/** The firms with endpoints that do not know all yet. */
export const firmsBehind = statement(
  () => sql<{ firmId: string; last: string }>`
    select sending.firm_id::text as "firmId", max(seal.seal_number)::text as last
    from webhook_sending sending
    join webhook_endpoint endpoint on endpoint.firm_id = sending.firm_id and endpoint.id = sending.endpoint_id
      and endpoint.deleted_at is null
    join audit_seal seal on seal.firm_id = sending.firm_id
      and seal.seal_number > coalesce(sending.cursor, 0)
    where endpoint.status = 'ACTIVE' and (sending.held_until is null or sending.held_until <= moment())
      and (sending.turn_ends_at is null or sending.turn_ends_at <= moment())${acrossFirms(sql`sending.firm_id`)}
    group by 1 limit 1000`,
);

/**
 * Has the endpoints of a firm that do not know all yet be sent to now, also those whose turn is about to end: it waits for
 * that. Those that are left alone are sent to when that is over.
 */
export const callBehind = statement(
  (given: Given<{ firmId: string; last: string }>) => sql`
    update job set run_at = greatest(moment(), (select sending.held_until from webhook_sending sending
        where sending.firm_id = ${given.firmId}::uuid and sending.endpoint_id = job.ref))
    where firm_id = ${given.firmId}::uuid and id in (
      select job.id from job
      join ${endpointOf(given)} on sending.firm_id = ${given.firmId}::uuid and sending.endpoint_id = job.ref
      where job.firm_id = ${given.firmId}::uuid and job.kind = ${sql.raw(`'${sendingJob}'`)}
        and job.dead_at is null and job.run_at > greatest(moment(), sending.held_until)
        and endpoint.status = 'ACTIVE' and coalesce(sending.cursor, 0) < ${given.last}::bigint
      order by job.id for update of job)`,
);
