/** Firms whose limitation dates are watched, and their clock. */
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, type Firm, makeFirm } from '../support/firm.ts';
import { untilItDoes } from '../support/until.ts';

export type Notice = { kind: string; recordId: string; title: string; text: string };

/** A database of its own whose clock does not run. */
export const guardedDatabase = async () => {
  const databaseUrl = await ownDatabase();
  const clock = await takeClock(databaseUrl);
  const sql = connect(databaseUrl);

  /** Waits until nothing is left to do for the guardian at this moment. */
  const settled = () =>
    untilItDoes(async () => {
      const due = await sql`select from job
        where kind like 'limitation_%' and run_at <= moment() and dead_at is null`;
      return due.length === 0;
    });

  /** The moment of an hour of a firm's day. */
  const momentOf = async (day: string, hour: string, timeZone: string) => {
    const [row] = await sql<{ at: Date }[]>`
      select (${day}::date + ${hour}::time) at time zone ${timeZone} as at`;
    return row ? row.at.getTime() : Number.NaN;
  };

  const put = async (at: number) => {
    await clock.standAt(at);
    await settled();
  };

  /** What a member was told because nobody had it, the oldest first: also what a newer notice has replaced in the inbox. */
  const unheldOf = async (firm: Firm, email: string): Promise<Notice[]> => [
    ...(await sql<Notice[]>`
      select kind, record_id as "recordId", title, text from notification
      where firm_id = ${firm.id} and member_id = ${firm.members[email] ?? ''}
        and kind like '%.unheld' order by id`),
  ];

  /** Every morning of these days in UTC, each looked at twice. */
  const mornings = async (firm: Firm, days: readonly string[]) => {
    for (const day of days) {
      await put(await momentOf(day, '07:00', 'UTC'));
      await sql`update job set run_at = moment() where kind = 'limitation_day' and ref = ${firm.id}`;
      await settled();
    }
  };

  /** The id of the task or the event that was made last. */
  const newest = async (firm: Firm, table: 'task' | 'calendar_event') => {
    const [row] = await sql`select id from ${sql(table)} where firm_id = ${firm.id}
      order by created_at desc, id desc limit 1`;
    return String(row?.id);
  };

  /** The clock stands: an idle server looks for mails after half a minute of it. */
  const untilSent = async (firm: Firm) => {
    await clock.step(31);
    await untilItDoes(async () => {
      const queued = await sql`select from mail where firm_id = ${firm.id} and state = 'queued'`;
      return queued.length === 0;
    });
  };

  return {
    ...{ databaseUrl, clock, sql, settled, momentOf, put, unheldOf },
    ...{ mornings, newest, untilSent },
  };
};

/** A firm in a time zone. */
export const firmIn = async (
  server: { url: string; databaseUrl: string },
  timeZone: string,
): Promise<Firm> => {
  const firm = await makeFirm(server);
  const sql = connect(server.databaseUrl);
  await sql`update firm set time_zone = ${timeZone} where id = ${firm.id}`;
  await sql.end();
  return firm;
};

/** Opens a matter with a limitation date; the attorney answers for it. */
export const openMatter = async (firm: Firm, solDate: string | undefined, more: object = {}) => {
  const { body, status } = await firm.owner.post('/v1/matters', {
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-01-01',
    solDate,
    title: 'Quill v. Rook',
    team: [{ memberId: firm.members[attorney] }],
    ...more,
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data as { id: string; publicId: string };
};

/** What a member was told of limitation dates, the oldest first. */
export const noticesOf = async (firm: Firm, email: string): Promise<Notice[]> => {
  const notices = await firm.command<Notice[]>(['inbox', '--member', email]);
  return notices.filter(({ kind }) => kind === 'limitation.near').reverse();
};

export const dayBefore = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
