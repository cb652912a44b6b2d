/**
 * Gives notice of limitation dates. It plans nothing ahead: it checks each firm's dates every
 * morning, and a matter's date when it is set. A notice has matter, date and step as its cause, so
 * it is given once, even if several jobs check.
 */
import { sql } from 'drizzle-orm';
import type { JobKind } from '../jobs/kind.ts';
import { noFirm } from '../jobs/queue.ts';
import { limitationLookKind } from '../matters/jobs.ts';
import { deliver } from '../notifications/delivered.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { tellOfLimitation } from './notice.ts';

/** The hour of the firm's morning at which its dates are checked. */
const morningHour = 7;

/** Few enough that a transaction takes well under a second. */
const chunk = 500;

/** Checks the limitation dates of one firm, its `ref`, every morning in its time zone. */
export const limitationDay: JobKind = {
  kind: 'limitation_day',
  async work({ ref }, transaction, again) {
    const firmId = ref as string;
    const here = await transaction.first(untilMorning, { firmId });
    // A server that starts at night waits for the morning.
    const told = here?.isNight
      ? 0
      : await deliver(transaction, tellOfLimitation, { firmId, matterId: null, most: chunk });
    again(told === chunk ? 0 : Number(here?.seconds));
  },
};

/** Checks the limitation date of one matter that was just set. */
export const limitationLook: JobKind = {
  kind: limitationLookKind,
  together: true,
  async work({ firmId, ref }, transaction) {
    void deliver(transaction, tellOfLimitation, { firmId, matterId: ref as string, most: chunk });
  },
};

/**
 * Makes sure that each firm has its morning job: a new firm, a firm that moved to another time
 * zone, and a firm whose job failed too often.
 */
export const limitationGuard: JobKind = {
  kind: 'limitation_guard',
  everySeconds: 60,
  async work(_, transaction) {
    void transaction.run(beginMornings);
    void transaction.run(mendMornings);
  },
};

const morning = sql.raw(`time '${morningHour}:00'`);

const untilMorning = statement(
  ({ firmId }: Given<'firmId'>) => sql<{ isNight: boolean; seconds: string }>`
    select here.at::time < ${morning} as "isNight",
      ceil(extract(epoch from
        (here.at::date + case when here.at::time < ${morning} then 0 else 1 end + ${morning})
          at time zone here.time_zone - moment())) as seconds
    from (select time_zone, moment() at time zone time_zone as at from firm
      where id = ${firmId}) as here`,
);

const day = sql.raw(`'${limitationDay.kind}'`);
const nobody = sql.raw(`'${noFirm}'::uuid`);

// A job of the server, not of the firm: it never ends, and says nothing about the firm.
const beginMornings = statement(
  () => sql`
    insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
    select ${nobody}, ${day}, ${day} || ':' || firm.id, firm.id,
      jsonb_build_object('timeZone', firm.time_zone), moment()
    from firm
    where not exists (select from job where job.firm_id = ${nobody}
      and job.dedupe_key = ${day} || ':' || firm.id)
    on conflict do nothing`,
);

// Skips a job that another instance is running.
const mendMornings = statement(
  () => sql`
    update job set dead_at = null, starts = 0, failures = 0, run_at = moment(),
      payload = jsonb_build_object('timeZone', stale.time_zone)
    from (
      select job.id, firm.time_zone from job
      join firm on firm.id = job.ref
      where job.firm_id = ${nobody} and job.kind = ${day}
        and (job.dead_at is not null or job.payload ->> 'timeZone' <> firm.time_zone)
      for update of job skip locked
    ) as stale
    where job.firm_id = ${nobody} and job.id = stale.id`,
);
