import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { maxWaiting } from './outgoing.ts';
import { sendingJob } from './sending.ts';
import type { Failure } from './table.ts';

/** How sending to an endpoint stands at this moment. */
export type Progress = {
  endpointId: string;
  /** Its newest try, if there was one in the last 30 days. */
  last: { at: string; answer: number | null; failure: Failure | null } | null;
  /** So many messages wait for their next try, or behind an earlier one; many more may not be read yet (`maxWaiting`). */
  waiting: number;
  /** Whether a server sends to it now what waited. Its turn alone says nothing: most of what it reads is not for this endpoint. */
  isSending: boolean;
  /** In how many seconds it is tried next; null if nothing waits, or nothing is tried. */
  nextSeconds: number | null;
};

/** How sending stands to each of the firm's endpoints, or to this one. */
export const progressOf = (reader: Reader, endpointId: string | null = null): Promise<Progress[]> =>
  reader.run(progress, { firmId: reader.firmId, endpointId });

const progress = statement(
  ({ firmId, endpointId }: Given<{ firmId: string; endpointId: string | null }>) => sql<Progress>`
    select endpoint.id::text as "endpointId", waits.count as waiting,
      (select json_build_object('at', at, 'answer', answer, 'failure', failure)
        from webhook_delivery where firm_id = ${firmId}::uuid and endpoint_id = endpoint.id
        order by id desc limit 1) as last,
      waits.count > 0 and coalesce(sending.turn_ends_at > moment(), false) as "isSending",
      case when endpoint.reason = 'FAILING'
          or endpoint.status = 'ACTIVE' and (waits.count > 0 or sending.held_until > moment())
        then greatest(0, extract(epoch from job.run_at - moment()))::float8 end as "nextSeconds"
    from webhook_endpoint endpoint
    join webhook_sending sending on sending.firm_id = ${firmId}::uuid and sending.endpoint_id = endpoint.id
    left join job on job.firm_id = ${firmId}::uuid and job.dead_at is null
      and job.dedupe_key = ${sql.raw(`'${sendingJob}:'`)} || endpoint.id::text
    cross join lateral (select count(*)::int as count from (
      select from webhook_message where firm_id = ${firmId}::uuid and endpoint_id = endpoint.id
      limit ${sql.raw(String(maxWaiting))}) as message) as waits
    where endpoint.firm_id = ${firmId}::uuid and endpoint.deleted_at is null
      and (${endpointId}::uuid is null or endpoint.id = ${endpointId}::uuid)`,
);
