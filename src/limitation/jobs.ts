/**
 * Gives notice of limitation dates. It plans nothing ahead: it checks each firm's dates every
 * morning, and a matter's date when it is set. A notice has matter, date and step as its cause, so
 * it is given once, even if several jobs check.
 */

import { sql } from 'drizzle-orm';
import { noFirm } from '../base/columns.ts';
import { calendarEvent } from '../calendar/table.ts';
import type { JobKind } from '../jobs/kind.ts';
import { queueMorning } from '../mail/morning.ts';
import { limitationLookKind } from '../matters/jobs.ts';
import { deliver } from '../notifications/delivered.ts';
import type { Transaction } from '../postgres/pool.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Escalation, Whose } from '../receipts/escalation.ts';
import { tellUnanswered, workUnheld } from '../receipts/work.ts';
import { keepPlans } from '../record/kept-plans.ts';
import { limitationUnheld } from './escalation.ts';
import {
  askDeputies,
  askForReceipts,
  noteTold,
  tellOfLimitation,
  withdrawFromGone,
} from './notice.ts';

/** The hour of the firm's morning at which its dates are checked. */
const morningHour = 7;

/** Many enough that few rounds look through all dates, few enough that storing them takes no longer than looking. */
const chunk = 2_000;

/**
 * Checks the limitation dates of one firm, its `ref`, every morning in its time zone, the next steps of leads that
 * nobody has answered, and the tasks and events that nobody has, if the firm has chosen it; and has the morning's mails sent.
 */
export const limitationDay: JobKind = {
  kind: 'limitation_day',
  async work({ ref }, transaction, again) {
    const firmId = ref as string;
    const here = await transaction.first(untilMorning, { firmId });
    // A server that starts at night waits for the morning.
    if (here?.isNight) return again(Number(here.seconds));
    void transaction.run(followZone, { firmId });
    const whose = { firmId, matterId: null };
    const unheld = [limitationUnheld, ...workUnheld];
    // Whom to ask further is reckoned over all due dates: once they are all asked about, not for each part of them.
    if (!(await areAll(askAndTell(transaction, whose)))) return again(0);
    if (!(await areAll(askFurther(transaction, whose, unheld)))) return again(0);
    // Each gets one notice of all dates of a kind that nobody has.
    for (const one of unheld) tellFurther(transaction, whose, one);
    void deliver(transaction, tellUnanswered, { firmId });
    // The dates of this morning belong into its mail.
    queueMorning(transaction, firmId);
    again(Number(here?.seconds));
  },
};

/** Checks the limitation date of one matter that was just set. */
export const limitationLook: JobKind = {
  kind: limitationLookKind,
  together: true,
  async work({ firmId, ref }, transaction) {
    const whose = { firmId, matterId: ref as string };
    // Planning takes fifty times as long as looking at the one date.
    void transaction.run(keepPlans);
    void transaction.run(withdrawFromGone, { firmId, matterId: ref as string });
    void areAll(askAndTell(transaction, whose));
    void areAll(askFurther(transaction, whose, [limitationUnheld]));
    tellFurther(transaction, whose, limitationUnheld);
  },
};

/** How many were asked or told, each at most a chunk. */
type Counts = readonly Promise<number>[];

/** Whether that was all that there is. */
const areAll = async (counts: Counts): Promise<boolean> =>
  (await Promise.all(counts)).every((count) => count < chunk);

const ask = (transaction: Transaction, whose: Whose, asking: typeof askForReceipts) =>
  transaction.run(asking, { ...whose, max: chunk }).then(
    ({ length }) => length,
    // The transaction fails with it.
    () => 0,
  );

/** Asks about the due dates, and gives their notices. */
const askAndTell = (transaction: Transaction, whose: Whose): Counts => {
  const asking = [askForReceipts, askDeputies].map((one) => ask(transaction, whose, one));
  const telling = deliver(transaction, tellOfLimitation, { ...whose, max: chunk });
  void transaction.run(noteTold, whose);
  return [...asking, telling];
};

/** Asks further about what nobody has. */
const askFurther = (
  transaction: Transaction,
  whose: Whose,
  unheld: readonly Escalation[],
): Counts => unheld.map((one) => ask(transaction, whose, one.askFurther));

/** Tells those who were asked because nobody has a date. */
const tellFurther = (transaction: Transaction, whose: Whose, of: Escalation) => {
  void deliver(transaction, of.tellUnheld, whose);
  void transaction.run(of.noteTold, whose);
};

/**
 * Makes sure that each firm has its morning job: a new firm, a firm that moved to another time
 * zone, and a firm whose job failed too often.
 */
export const limitationGuard: JobKind = {
  kind: 'limitation_guard',
  everySeconds: 60,
  async work(_, transaction) {
    const lacking = await transaction.run(firmsWithoutMorning);
    if (lacking.length > 0) {
      void transaction.run(beginMornings, {
        firmIds: lacking.map(({ firmId }) => firmId),
        zones: lacking.map(({ zone }) => zone),
      });
    }
    for (const one of await transaction.run(staleMornings)) void transaction.run(mendMorning, one);
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

/** The firm may have moved to another time zone, where an event has another day: its receipts are then about that day. */
const followZone = statement(
  ({ firmId }: Given<'firmId'>) => sql`
    update receipt set day = (event.starts_at at time zone firm.time_zone)::date
    from ${calendarEvent} event
    join firm on firm.id = event.firm_id
    where receipt.firm_id = ${firmId}::uuid and receipt.withdrawn_at is null
      and event.firm_id = ${firmId}::uuid and event.id = receipt.event_id
      and event.first_day is null and event.starts_at > moment() - interval '2 days'
      and receipt.day <> (event.starts_at at time zone firm.time_zone)::date`,
);

const day = sql.raw(`'${limitationDay.kind}'`);
const nobody = sql.raw(`'${noFirm}'::uuid`);

type Zoned = { firmIds: string[]; zones: string[] };

const firmsWithoutMorning = statement(
  () => sql<{ firmId: string; zone: string }>`
    select firm.id::text as "firmId", firm.time_zone as zone from firm
    left join job on job.firm_id = ${nobody} and job.dedupe_key = ${day} || ':' || firm.id
    where job.id is null limit 1000`,
);

// A job of the server, not of the firm: it never ends, and says nothing about the firm.
const beginMornings = statement(
  ({ firmIds, zones }: Given<Zoned>) => sql`
    insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
    select ${nobody}, ${day}, ${day} || ':' || one.firm_id, one.firm_id,
      jsonb_build_object('timeZone', one.zone), moment()
    from unnest(${firmIds}::uuid[], ${zones}::text[]) as one (firm_id, zone)
    on conflict do nothing`,
);

// Skips a job that another instance is running.
const staleMornings = statement(
  () => sql<{ id: string; zone: string }>`
    select job.id::text as id, firm.time_zone as zone from job
    join firm on firm.id = job.ref
    where job.firm_id = ${nobody} and job.kind = ${day}
      and (job.dead_at is not null or job.payload ->> 'timeZone' <> firm.time_zone)
    limit 1000 for update of job skip locked`,
);

const mendMorning = statement(
  ({ id, zone }: Given<{ id: string; zone: string }>) => sql`
    update job set dead_at = null, starts = 0, failures = 0, run_at = moment(),
      payload = jsonb_build_object('timeZone', ${zone}::text)
    where job.firm_id = ${nobody} and job.id = ${id}::bigint`,
);
