/** Notices that nothing a member does makes at once. An import of matters does. */
import { connect } from './database.ts';

/** Gives a member the notices numbered from one number to another. Their texts are `Notice 1`. */
export const giveNotices = async (
  databaseUrl: string,
  firm: { id: string; members: Record<string, string> },
  email: string,
  [from, to]: [number, number],
) => {
  const sql = connect(databaseUrl);
  await sql`
    insert into notification (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
    select ${firm.id}, ${firm.members[email] ?? ''}, 'matter.added', 'matter ' || n, 'Notice ' || n,
      'Roe', moment() + n * interval '1 millisecond', moment() + n * interval '1 millisecond'
    from generate_series(${from}::int, ${to}::int) n`;
  // No server wrote it: none has its job look for mails again before that has rested.
  await sql`update job set run_at = least(run_at, moment()) where kind = 'send_mails'`;
  await sql.end();
};
