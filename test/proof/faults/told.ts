/**
 * Who was told of what, held against the rule written down a second time (docs/design/later.md, V6,
 * V7, V9).
 */
import type postgres from 'postgres';
import { listNotifications } from '../../../src/notifications/notification.ts';
import type { Database } from '../../../src/postgres/pool.ts';
import { administrator } from '../../../src/record/actor.ts';
import { attorney, owner } from '../../support/firm.ts';
import { expectSound, storedNotices } from '../../support/invariants.ts';
import { type MetLead, nothingShown, tell } from '../../support/oracle.ts';
import type { FirmOfClients } from './firms.ts';

/** Members who were told otherwise than the rule says, and matters whose teams were. */
export const toldMisfits = async (
  sql: postgres.Sql,
  database: Database,
  firm: FirmOfClients,
): Promise<string[]> => [
  ...(await soundness(sql, database, firm)),
  ...(firm.quietSeconds > 0 ? await leadMisfits(sql, firm) : []),
  ...(await matterMisfits(sql, firm)),
];

/** What holds at every look whatever happened to the leads: I1 to I3, the unread counter, privacy. */
const soundness = async (sql: postgres.Sql, database: Database, firm: FirmOfClients) => {
  const inboxes: Parameters<typeof expectSound>[2] = {};
  for (const email of Object.keys(firm.members)) {
    const inbox = await listNotifications(
      administrator(database, firm.id),
      firm.members[email] ?? '',
    );
    inboxes[email] = inbox.filter(({ kind }) => kind.startsWith('lead.'));
  }
  try {
    await expectSound(sql, firm.id, inboxes);
    return [];
  } catch (error) {
    return [`${firm.id} is not sound: ${String(error).split('\n')[0]}`];
  }
};

/** To the leads of a quiet firm nothing happens: what everyone is shown follows from their moments. */
const leadMisfits = async (sql: postgres.Sql, firm: FirmOfClients): Promise<string[]> => {
  const leads = await sql<(MetLead & { isPrivate: boolean })[]>`
    select id, (extract(epoch from created_at) * 1000)::float8 as at, is_private as "isPrivate"
    from lead where firm_id = ${firm.id} order by ordinal`;
  const stored = await storedNotices(sql, firm.id);
  return Object.keys(firm.members).filter((email) => {
    const expected = nothingShown();
    const seen = email === owner ? leads : leads.filter(({ isPrivate }) => !isPrivate);
    if (email === owner || email === attorney) tell(expected, seen, () => true);
    const ofMember = stored.filter((one) => one.email === email);
    const found = {
      singles: ofMember.flatMap(({ recordId }) => recordId ?? []).sort(),
      bursts: ofMember
        .filter(({ recordId }) => !recordId)
        .map(({ firstAt, lastAt, count }) => ({ firstAt, lastAt, count })),
    };
    const singles = expected.singles.map(({ id }) => id).sort();
    return !Bun.deepEquals(found, { singles, bursts: expected.bursts });
  });
};

type Counted = { recordId: string; memberId: string; kind: string; count: number };

/** Each of a matter's team is told once that they were added, once for each archiving, once of its end. */
const matterMisfits = async (sql: postgres.Sql, firm: FirmOfClients): Promise<string[]> => {
  const counted = await sql<Counted[]>`
    select record_id as "recordId", member_id as "memberId", kind, count(*)::int as count
    from notification where firm_id = ${firm.id} and kind like 'matter.%' group by 1, 2, 3`;
  const of = Map.groupBy(counted, ({ recordId }) => recordId);
  const wrong: string[] = [];
  for (const { id, team, timesArchived, isDeleted, resource } of firm.known.values()) {
    if (resource !== 'matters') continue;
    const told = of.get(id) ?? [];
    for (const memberId of team) {
      const times = (kind: string) =>
        told.find((one) => one.memberId === memberId && one.kind === kind)?.count ?? 0;
      // What was deleted before anyone was told of it is no news any more.
      const isRight = isDeleted
        ? times('matter.added') <= 1 && times('matter.archived') <= timesArchived
        : times('matter.added') === 1 && times('matter.archived') === timesArchived;
      if (!isRight || times('matter.deleted') !== (isDeleted ? 1 : 0))
        wrong.push(`${memberId} about ${id}`);
    }
    if (told.some(({ memberId }) => !team.includes(memberId))) wrong.push(`others about ${id}`);
  }
  return wrong;
};
