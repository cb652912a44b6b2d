/** @jsxImportSource preact */
import type { MatterLine } from '../../matters/overview.ts';
import type { RowFrame } from '../frame.tsx';
import { Assignees } from '../leads/words.tsx';
import { limitationLine } from '../limitation.tsx';
import { chosenColumns, type FileColumn } from '../list-columns.ts';
import { markup } from '../markup.ts';
import { dayShown } from '../moments.tsx';
import { rowName } from '../table.tsx';
import { Or } from '../words.tsx';
import { statusNames } from './words.ts';

const dayOf = (day: string | null, frame: RowFrame) => day && dayShown(day, frame);

/** The list's columns, in their order. The title is always shown. */
export const matterColumns: readonly FileColumn<MatterLine>[] = [
  {
    key: 'number',
    name: 'No.',
    sort: 'number',
    class: 'nowrap',
    cell: ({ number }) => number,
    text: ({ number }) => number,
  },
  {
    key: 'title',
    name: 'Title',
    sort: 'title',
    isHead: true,
    class: 'line-1 cut',
    cell: ({ id, title }) => rowName(`/matters/${id}`, title),
    text: ({ title }) => title,
  },
  {
    key: 'clients',
    name: 'Clients',
    sort: 'clients',
    class: 'line-2 cut short',
    cell: ({ clients, number }) =>
      markup`<span class="more">${number} · </span>${Or({ value: clients.join(', '), none: 'No client' })}`,
    text: ({ clients }) => clients.join(', '),
  },
  {
    key: 'area',
    name: 'Area',
    sort: 'area',
    class: 'cut short',
    cell: ({ practiceAreaName }) => practiceAreaName,
    text: ({ practiceAreaName }) => practiceAreaName,
  },
  {
    key: 'stage',
    name: 'Stage',
    sort: 'stage',
    class: 'cut short',
    cell: ({ stageName }) => stageName,
    text: ({ stageName }) => stageName,
  },
  {
    key: 'responsible',
    name: 'Responsible',
    sort: 'responsible',
    cell: ({ responsible }) => Assignees({ assignees: responsible.map((name) => ({ name })) }),
    text: ({ responsible }) => responsible.join(', '),
  },
  {
    key: 'limitation',
    name: 'Limitation',
    sort: 'limitation',
    class: 'nowrap two-lines line-1',
    cell: limitationLine,
    text: ({ solDate }) => solDate ?? '',
  },
  {
    key: 'opened',
    name: 'Opened',
    sort: 'opened',
    class: 'nowrap',
    cell: ({ openDate }, frame) => dayOf(openDate, frame),
    text: ({ openDate }) => openDate,
  },
  {
    key: 'status',
    name: 'Status',
    sort: 'status',
    class: 'nowrap',
    cell: ({ status }) => statusNames[status],
    text: ({ status }) => statusNames[status],
  },
  {
    key: 'type',
    isExtra: true,
    name: 'Type',
    sort: 'type',
    class: 'cut short',
    cell: ({ typeName }) => Or({ value: typeName, none: 'None' }),
    text: ({ typeName }) => typeName ?? '',
  },
  {
    key: 'closed',
    isExtra: true,
    name: 'Closed',
    sort: 'closed',
    class: 'nowrap',
    cell: ({ closeDate }, frame) => Or({ value: dayOf(closeDate, frame), none: 'Not closed' }),
    text: ({ closeDate }) => closeDate ?? '',
  },
  {
    key: 'former',
    isExtra: true,
    name: 'Former no.',
    class: 'nowrap',
    cell: ({ formerNumber }) => Or({ value: formerNumber, none: 'None' }),
    text: ({ formerNumber }) => formerNumber ?? '',
  },
  {
    key: 'met',
    isExtra: true,
    name: 'Limitation met',
    class: 'nowrap',
    cell: ({ limitationMetOn }, frame) =>
      Or({ value: dayOf(limitationMetOn, frame), none: 'Not met' }),
    text: ({ limitationMetOn }) => limitationMetOn ?? '',
  },
];

/** The columns that an address asks for; by default the usual ones. */
export const columnsIn = (query: URLSearchParams) => chosenColumns(query, matterColumns);
