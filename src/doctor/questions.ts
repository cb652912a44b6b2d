/**
 * What `doctor` asks the database: one statement for each question, answered by an index or from
 * few rows. Those that are asked for a firm leave out what belongs to another; null is all firms.
 */

import { sql } from 'drizzle-orm';
import { noFirm } from '../base/columns.ts';
import { type Given, statement } from '../postgres/statement.ts';

type OfFirm = Given<{ firmId: string | null }>;

const isOf = (firmId: OfFirm['firmId']) =>
  sql`(${firmId}::uuid is null or firm.id = ${firmId}::uuid)`;

/** Whether a job is the firm's, or the server's own. */
const isJobOf = (firmId: OfFirm['firmId']) => sql`
  (${firmId}::uuid is null or job.firm_id = ${firmId}::uuid
    or job.firm_id = ${sql.raw(`'${noFirm}'`)})`;

export const migrations = statement(
  () => sql<{ when: string }>`select created_at::text as "when" from drizzle.__drizzle_migrations`,
);

export const lateJobs = statement(
  ({ firmId }: OfFirm) => sql<{ count: number; oldestSeconds: string }>`
    select count(*)::int as count, extract(epoch from moment() - min(run_at)) as "oldestSeconds"
    from job where dead_at is null and run_at <= moment() - interval '30 seconds'
      and ${isJobOf(firmId)}`,
);

export const deadJobs = statement(
  ({ firmId }: OfFirm) => sql<{ count: number; kinds: string }>`
    select count(*)::int as count, string_agg(distinct kind, ', ') as kinds
    from job where dead_at is not null and ${isJobOf(firmId)}`,
);

export const clock = statement(
  () => sql<{ now: string }>`select extract(epoch from moment()) * 1000 as now`,
);

export const keysAboutToExpire = statement(
  ({ firmId }: OfFirm) => sql<{
    firm: string;
    id: string;
    name: string;
    email: string;
    expiresOn: string;
  }>`
    select firm.name as firm, api_key.id::text as id, api_key.name, member.email,
      to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD') as "expiresOn"
    from api_key
    join firm on firm.id = api_key.firm_id
    join member on member.firm_id = api_key.firm_id and member.id = api_key.member_id
    where ${isOf(firmId)} and revoked_at is null and member.deactivated_at is null
      and expires_at > moment() and expires_at <= moment() + interval '30 days'
      and not exists (select from api_key successor
        where successor.firm_id = api_key.firm_id and successor.member_id = api_key.member_id
          and successor.family_id = api_key.family_id and successor.id <> api_key.id
          and successor.created_at >= api_key.created_at)
    order by expires_at, api_key.id limit 100`,
);

export const firmsWithoutOwner = statement(
  ({ firmId }: OfFirm) => sql<{ firm: string }>`
    select firm.name as firm from firm
    where ${isOf(firmId)} and firm.id not in (
      select member.firm_id from member
      join role on role.firm_id = member.firm_id and role.id = member.role_id
      where member.deactivated_at is null and role.holds_all)
    order by firm.created_at, firm.id limit 100`,
);

export const firmsNotSetUp = statement(
  ({ firmId }: OfFirm) => sql<{ firm: string; lacks: string }>`
    select firm.name as firm, string_agg(lacks.what, ', ' order by lacks.place) as lacks
    from firm join (
      select id, 1 as place, 'numbering of leads' as what from firm where id not in (
        select firm_id from register where kind = 'lead' and number_format is not null)
      union all
      select id, 2, 'numbering of matters' from firm where id not in (
        select firm_id from register where kind = 'matter' and number_format is not null)
      union all
      select id, 3, 'lead stages' from firm where id not in (
        select firm_id from lead_stage where deleted_at is null)
    ) as lacks on lacks.id = firm.id
    where ${isOf(firmId)}
    group by firm.id, firm.name, firm.created_at order by firm.created_at, firm.id limit 100`,
);
