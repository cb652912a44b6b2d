import { sql } from 'drizzle-orm';
import { type Given, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { task } from '../tasks/table.ts';
import { isAbout, joinSubject } from '../visibility/subject.ts';
import { canSeeLead, type Viewer, viewerOf } from '../visibility/visibility.ts';

export type Load = {
  id: string;
  name: string;
  isDeactivated: boolean;
  /** ACTIVE matters by the member's role in them. */
  originating: number;
  responsible: number;
  staff: number;
  /** The sum of their shares of ACTIVE matters, in per cent. */
  allocation: number;
  /** ACTIVE leads assigned to them that the reader may see. */
  leads: number;
  /** Open tasks assigned to them that the reader may see, and those of them whose day is past. */
  tasks: number;
  overdue: number;
  /** Their matters, not archived, with an open limitation date that is past or within 30 days. */
  limitation: number;
};

/** The work of each member who has some, on a day of the firm, by name. */
export const reportWorkload = (reader: Reader, today: string): Promise<Load[]> =>
  reader.run(loads, { ...viewerOf(reader), today });

const loads = statement(
  (given: Given<Viewer & { today: string }>) => sql<Load>`
    with part as (
      select place.member_id,
        count(*) filter (where place.role = 'ORIGINATING_ATTORNEY' and matter.status = 'ACTIVE') as originating,
        count(*) filter (where place.role = 'RESPONSIBLE_ATTORNEY' and matter.status = 'ACTIVE') as responsible,
        count(*) filter (where place.role = 'RESPONSIBLE_STAFF' and matter.status = 'ACTIVE') as staff,
        coalesce(sum(place.allocation) filter (where matter.status = 'ACTIVE'), 0) as allocation,
        count(distinct matter.id) filter (where matter.status <> 'ARCHIVE'
          and matter.limitation_met_on is null
          and matter.sol_date <= ${given.today}::date + 30) as limitation
      from matter join matter_team place
        on place.firm_id = matter.firm_id and place.matter_id = matter.id
      where matter.firm_id = ${given.firmId} and matter.deleted_at is null
        and matter.status <> 'ARCHIVE'
      group by place.member_id
    ), led as (
      select lead_assignee.member_id, count(*) as leads from lead
      join lead_assignee on lead_assignee.firm_id = lead.firm_id and lead_assignee.lead_id = lead.id
      where lead.firm_id = ${given.firmId} and lead.deleted_at is null and lead.status = 'ACTIVE'
        and ${canSeeLead(given)}
      group by lead_assignee.member_id
    ), due as (
      select task.assignee_id as member_id, count(*) as tasks,
        count(*) filter (where task.due_on < ${given.today}::date) as overdue
      from task ${joinSubject(task, given)}
      where task.firm_id = ${given.firmId} and ${isAbout} and task.done_at is null and task.cancelled_at is null
        and task.assignee_id is not null
      group by task.assignee_id
    )
    select member.id::text as id, member.name, member.deactivated_at is not null as "isDeactivated",
      coalesce(part.originating, 0)::int as originating,
      coalesce(part.responsible, 0)::int as responsible, coalesce(part.staff, 0)::int as staff,
      coalesce(part.allocation, 0)::float8 as allocation, coalesce(led.leads, 0)::int as leads,
      coalesce(due.tasks, 0)::int as tasks, coalesce(due.overdue, 0)::int as overdue,
      coalesce(part.limitation, 0)::int as limitation
    from member
    left join part on part.member_id = member.id
    left join led on led.member_id = member.id
    left join due on due.member_id = member.id
    where member.firm_id = ${given.firmId}
      and coalesce(part.member_id, led.member_id, due.member_id) is not null
    order by member.name, member.id`,
);
