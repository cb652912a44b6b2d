/** @jsxImportSource preact */
import { addDays, dayIn } from '../../base/calendar-date.ts';
import type { teamRoles } from '../../matters/table.ts';
import { type Load, reportWorkload } from '../../reports/workload.ts';
import { leadsAddress } from '../leads/fields.tsx';
import { Empty } from '../list.tsx';
import { mattersAddress } from '../matters/fields.tsx';
import { dayWords } from '../moments.tsx';
import { Scrolls } from '../table.tsx';
import type { Shown, Visit } from '../visit.ts';
import { Drawn, Figure, reportFile, reportPage } from './parts.tsx';

const path = '/reports/workload';

/** Report 5: the work of each member now. */
export const showWorkload = async (visit: Visit): Promise<Shown> => {
  const today = dayIn(new Date(), visit.session.timeZone);
  const loads = await reportWorkload(visit.actor, today);
  const columns = columnsFor(visit, today);
  const max = Math.max(100, ...loads.map(({ allocation }) => allocation));
  const note = `${dayWords(today, '0000')}. Members who have active matters, active leads or open tasks.`;
  return reportPage(
    { path, note },
    loads.length === 0 ? (
      <Empty text="Nobody has any work yet." />
    ) : (
      <Loads loads={loads} columns={columns} max={max} />
    ),
  );
};

/** The address of a member's open tasks, or of those whose day is past. */
const tasksAddress = (member: string, isOverdue = false): string =>
  `/tasks?${new URLSearchParams({ ...(isOverdue && { show: 'overdue' }), member })}`;

/** One figure of each member, and the list that it opens. */
type Column = { name: string; count(load: Load): number; href(load: Load): string };

const columnsFor = ({ may }: Visit, today: string): Column[] => {
  const inRole =
    (role: (typeof teamRoles)[number]) =>
    ({ id }: Load) =>
      mattersAddress({ status: 'ACTIVE', member: id, role });
  const leads: Column = {
    name: 'Leads',
    count: (load) => load.leads,
    href: ({ id }) => leadsAddress({ status: 'ACTIVE', assignee: id }),
  };
  return [
    {
      name: 'Responsible',
      count: (load) => load.responsible,
      href: inRole('RESPONSIBLE_ATTORNEY'),
    },
    {
      name: 'Originating',
      count: (load) => load.originating,
      href: inRole('ORIGINATING_ATTORNEY'),
    },
    { name: 'Staff', count: (load) => load.staff, href: inRole('RESPONSIBLE_STAFF') },
    ...(may('leads:read') ? [leads] : []),
    { name: 'Tasks', count: (load) => load.tasks, href: ({ id }) => tasksAddress(id) },
    { name: 'Overdue', count: (load) => load.overdue, href: ({ id }) => tasksAddress(id, true) },
    {
      name: 'Limitation ≤ 30 days',
      count: (load) => load.limitation,
      href: ({ id }) =>
        mattersAddress({
          status: 'CURRENT',
          limitation: 'open',
          limitationTo: addDays(today, 30),
          member: id,
        }),
    },
  ];
};

const sharesName = 'Shares of active matters';

const Loads = ({ loads, columns, max }: { loads: Load[]; columns: Column[]; max: number }) => (
  <Scrolls label="Workload of each member">
    <table class="table loads">
      <caption class="hide">Workload of each member</caption>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">{sharesName}</th>
          {columns.map(({ name }) => (
            <th scope="col" class="number">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {loads.map((load) => (
          <tr>
            <th scope="row">
              {load.name}
              {load.isDeactivated && <div class="small muted">Deactivated</div>}
            </th>
            <td data-name={sharesName}>
              <span class="load">
                <Drawn share={load.allocation / max} class="bar-of" />
                {percent(load.allocation)}
              </span>
            </td>
            {columns.map(({ name, count, href }) => (
              <td class="number" data-name={name}>
                <Figure count={count(load)} href={href(load)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scrolls>
);

const percent = (allocation: number) => `${Math.round(allocation * 10) / 10}%`;

export const exportWorkload = async (visit: Visit): Promise<Response> => {
  const today = dayIn(new Date(), visit.session.timeZone);
  const loads = await reportWorkload(visit.actor, today);
  const columns = columnsFor(visit, today);
  const lines = loads.map((load) => [
    load.name,
    percent(load.allocation),
    ...columns.map(({ count }) => String(count(load))),
  ]);
  const head = ['Member', sharesName, ...columns.map(({ name }) => name)];
  return reportFile(visit, path, head, lines);
};
