/** When a member is away, and who stands in. */
import { sql } from 'drizzle-orm';
import { checkDay } from '../base/calendar-date.ts';
import { invalidField } from '../base/refusal.ts';
import { isRequired, plainly } from '../base/rule.ts';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { type Acting, write } from '../record/write.ts';
import { memberWithId } from './member.ts';
import { member } from './table.ts';

/** The first and the last day of an absence, both or neither, and the deputy; null is none. */
export type Absence = {
  awayFrom: string | null;
  awayUntil: string | null;
  deputyId: string | null;
};

/**
 * Sets when a member is away and who stands in. Notices of dates, of leads and of matters go to both on these days; the deputy is also the first
 * who is told of a date that the member does not acknowledge. Throws `Refusal` not_found; invalid_request for days that
 * do not exist or are in the wrong order, and for a deputy who is the member or not active.
 */
export const setAbsence = (actor: Acting, memberId: string, absence: Absence) =>
  write(actor, async (w) => {
    const { awayFrom, awayUntil, deputyId } = absence;
    checkDays(awayFrom, awayUntil);
    const [stored, now] = await Promise.all([memberWithId(w, memberId), w.now()]);
    if (deputyId !== null) await checkDeputy(w, memberId, deputyId);
    w.update(member, stored, { awayFrom, awayUntil, deputyId, updatedAt: now });
  });

const checkDays = (from: string | null, until: string | null) => {
  if (from !== null) checkDay('awayFrom', from);
  if (until !== null) checkDay('awayUntil', until);
  if (from === null && until !== null) throw invalidField('awayFrom', isRequired());
  if (until === null && from !== null) throw invalidField('awayUntil', isRequired());
  if (from !== null && until !== null && until < from) {
    throw invalidField('awayUntil', 'must not be before the first day');
  }
};

const checkDeputy = async (reader: Reader, memberId: string, deputyId: string) => {
  if (deputyId === memberId) {
    const words = 'Choose somebody else: nobody stands in for themselves';
    throw invalidField('deputyId', plainly(words, 'must be another member'));
  }
  const deputy = await memberWithId(reader, deputyId);
  if (deputy.deactivatedAt) {
    const words = `Choose another member: ${deputy.name} is deactivated`;
    throw invalidField('deputyId', plainly(words, 'must be an active member'));
  }
};

/** Whether `member` is `holder`, or stands in for them today because they are away, for a query that joins both. */
export const isHolderOrDeputy = sql`(member.id = holder.id
  or member.id = holder.deputy_id and exists (select from firm where firm.id = holder.firm_id
      and (moment() at time zone firm.time_zone)::date between holder.away_from and holder.away_until))`;

/** An active member who is away, from which day to which, and who stands in. */
export type MemberAway = {
  id: string;
  name: string;
  from: string;
  until: string;
  deputy: string | null;
};

/** The active members who are away on any of these days of the firm, by the day on which they go. */
export const awayBetween = (reader: Reader, from: string, to: string): Promise<MemberAway[]> =>
  reader.run(membersAway, { firmId: reader.firmId, from, to });

const membersAway = statement(
  (given: Given<{ firmId: string; from: string; to: string }>) => sql<MemberAway>`
    select absent.id::text as id, absent.name, absent.away_from::text as from,
      absent.away_until::text as until, deputy.name as deputy
    from member absent
    left join member deputy on deputy.firm_id = absent.firm_id and deputy.id = absent.deputy_id
      and deputy.deactivated_at is null
    where absent.firm_id = ${given.firmId}::uuid and absent.deactivated_at is null
      and absent.away_from <= ${given.to}::date and absent.away_until >= ${given.from}::date
    order by absent.away_from, absent.name, absent.id`,
);
