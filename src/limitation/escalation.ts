/** The limitation dates of which more people are told while nobody says that they have them. */
import { sql } from 'drizzle-orm';
import type { Given } from '../postgres/statement.ts';
import { type Escalating, escalationOf, isOnTeam } from '../receipts/escalation.ts';
import { roleReads } from '../visibility/subject.ts';
import { dueDates, isDue, isResponsible } from './notice.ts';

const standsInForResponsible = ({
  firmId,
}: Given<'firmId'>) => sql`exists (select 1 from matter_team
  join member absent on absent.firm_id = matter_team.firm_id and absent.id = matter_team.member_id
  where matter_team.firm_id = ${firmId}::uuid and matter_team.matter_id = matter.id
    and matter_team.role = 'RESPONSIBLE_ATTORNEY' and absent.deputy_id = member.id)`;

const matterId = sql.raw('matter.id');

const limitationDates: Escalating = {
  about: 'limitation',
  one: 'a limitation date',
  several: 'limitation dates',
  saysWhen: true,
  dates: dueDates,
  isDue,
  id: matterId,
  column: sql.raw('matter_id'),
  day: sql.raw('matter.sol_date'),
  words: sql.raw(`(matter.number || ' ' || matter.title)`),
  since: sql.raw('null'),
  once: sql.raw('firm_id, matter_id, member_id, day, step'),
  maySee: () => roleReads('matters'),
  isDeputy: standsInForResponsible,
  isColleague: (given) => sql`(${isOnTeam(given, matterId)} and not ${isResponsible(given)})`,
};

/** What happens while nobody has a limitation date. */
export const limitationUnheld = escalationOf(limitationDates);
