import { addDays } from '../../base/calendar-date.ts';
import type { teamRoles } from '../../matters/table.ts';
import { type Load, reportWorkload } from '../../reports/workload.ts';
import { leadsAddress } from '../leads/fields.tsx';
import { matterFields, mattersAddress } from '../matters/fields.tsx';
import { type Asked, report } from './report.tsx';
import { type Column, table } from './tables.tsx';

/** Report 5: the work of each member now. */
export const workload = report<Load[]>({
  path: '/reports/workload',
  name: 'Workload',
  reads: 'matters:read',
  hasPeriod: false,
  read: (reader, { today }) => reportWorkload(reader, today),
  note: () => 'Members who have active matters, active leads or open tasks.',
  empty: (loads) => loads.length === 0 && 'There is no open work yet.',
  tables: (loads, asked) => [
    table({
      id: 'loads',
      title: 'Work of each member',
      look: 'blocks',
      columns: columnsFor(loads, asked),
      rows: loads,
    }),
  ],
});

/** The address of a member's open tasks, or of those whose day is past. */
const tasksAddress = (member: string, isOverdue = false): string =>
  `/tasks?${new URLSearchParams({ ...(isOverdue && { show: 'overdue' }), member })}`;

/** `4.9 matters’ worth`: the shares of a member's matters, added up. */
const worth = ({ allocation }: Load) => {
  const matters = tenth(allocation / 100);
  return `${matters} ${matters === '1' ? 'matter’s' : 'matters’'} worth`;
};

const tenth = (share: number) => String(Math.round(share * 10) / 10);

/** One figure of each member, and the list that it opens. */
const column = (
  name: string,
  count: (load: Load) => number,
  href: (load: Load) => string,
): Column<Load> => ({ name, count: (load) => ({ count: count(load), href: href(load) }) });

const columnsFor = (loads: readonly Load[], { today, may }: Asked): Column<Load>[] => {
  const max = Math.max(100, ...loads.map(({ allocation }) => allocation));
  const inRole =
    (role: (typeof teamRoles)[number]) =>
    ({ id }: Load) =>
      mattersAddress({ status: 'ACTIVE', member: id, role });
  const leads = column(
    'Leads',
    (load) => load.leads,
    ({ id }) => leadsAddress({ status: 'ACTIVE', assignee: id }),
  );
  return [
    {
      name: 'Member',
      text: ({ name }) => name,
      below: ({ isDeactivated }) => isDeactivated && 'Deactivated',
    },
    {
      name: 'Allocation',
      only: 'page',
      text: worth,
      bar: ({ allocation }) => ({ share: allocation / max }),
    },
    { name: 'Allocation', only: 'file', text: ({ allocation }) => `${tenth(allocation)}%` },
    column(
      matterFields.responsible.label,
      (load) => load.responsible,
      inRole('RESPONSIBLE_ATTORNEY'),
    ),
    column('Originating', (load) => load.originating, inRole('ORIGINATING_ATTORNEY')),
    column('Staff', (load) => load.staff, inRole('RESPONSIBLE_STAFF')),
    ...(may('leads:read') ? [leads] : []),
    column(
      'Tasks',
      (load) => load.tasks,
      ({ id }) => tasksAddress(id),
    ),
    column(
      'Overdue',
      (load) => load.overdue,
      ({ id }) => tasksAddress(id, true),
    ),
    column(
      'Limitation ≤ 30 days',
      (load) => load.limitation,
      ({ id }) =>
        mattersAddress({
          status: 'CURRENT',
          limitation: 'open',
          limitationTo: addDays(today, 30),
          member: id,
        }),
    ),
  ];
};
