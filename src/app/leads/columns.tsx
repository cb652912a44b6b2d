/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import type { LeadLine } from '../../leads/overview.ts';
import type { RowFrame } from '../frame.tsx';
import { chosenColumns, type FileColumn } from '../list-columns.ts';
import { markup } from '../markup.ts';
import { dayShown } from '../moments.tsx';
import { rowName } from '../table.tsx';
import { muted, Or } from '../words.tsx';
import {
  Assignees,
  durationWords,
  noContact,
  Private,
  statusNames,
  valueNames,
  Worth,
  waited,
} from './words.tsx';

const dayOf = (at: string, frame: RowFrame) => dayShown(dayIn(new Date(at), frame.timeZone), frame);

/** The list's columns, in their order. The first is always shown. */
export const leadColumns: readonly FileColumn<LeadLine>[] = [
  {
    key: 'name',
    name: 'Name',
    sort: 'name',
    isHead: true,
    class: 'line-1 cut',
    cell: ({ id, contactName, isPrivate }) =>
      markup`${isPrivate && Private()}${rowName(`/leads/${id}`, contactName ?? noContact)}`,
    text: ({ contactName }) => contactName ?? '',
  },
  {
    key: 'number',
    name: 'No.',
    sort: 'number',
    class: 'nowrap',
    cell: ({ number }) => number,
    text: ({ number }) => number,
  },
  {
    key: 'area',
    name: 'Area',
    sort: 'area',
    class: 'line-2',
    cell: ({ practiceAreaName, stageName }) =>
      markup`${Or({ value: practiceAreaName, none: 'None' })}<span class="more"> · ${stageName}</span>`,
    text: ({ practiceAreaName }) => practiceAreaName ?? '',
  },
  {
    key: 'stage',
    name: 'Stage',
    sort: 'stage',
    class: 'nowrap',
    cell: ({ stageName }) => stageName,
    text: ({ stageName }) => stageName,
  },
  {
    key: 'value',
    name: 'Value',
    sort: 'value',
    cell: ({ value }) => Worth({ value }),
    text: ({ value }) => (value === null ? '' : valueNames[value]),
  },
  {
    key: 'source',
    name: 'Source',
    sort: 'source',
    class: 'nowrap',
    cell: ({ source }) => Or({ value: source, none: 'None' }),
    text: ({ source }) => source ?? '',
  },
  {
    key: 'assigned',
    name: 'Assigned',
    sort: 'assigned',
    cell: ({ assignees }) => Assignees({ assignees: assignees.map((name) => ({ name })) }),
    text: ({ assignees }) => assignees.join(', '),
  },
  {
    key: 'waiting',
    name: 'Waiting',
    sort: 'waiting',
    class: 'number line-1',
    cell: ({ waitingSince, stagePosition, status }, frame) =>
      waitingSince
        ? waited({ since: new Date(waitingSince), isFirst: stagePosition === 0 }, frame)
        : muted(statusNames[status]),
    text: ({ waitingSince }, { now }) =>
      waitingSince ? durationWords(new Date(waitingSince), now) : '',
  },
  {
    key: 'created',
    name: 'Created',
    sort: 'created',
    class: 'number',
    cell: ({ createdAt }, frame) => dayOf(createdAt, frame),
    text: ({ createdAt }, { timeZone }) => dayIn(new Date(createdAt), timeZone),
  },
  {
    key: 'status',
    name: 'Status',
    class: 'nowrap',
    cell: ({ status }) => statusNames[status],
    text: ({ status }) => statusNames[status],
  },
  {
    key: 'decided',
    name: 'Decided',
    class: 'number',
    cell: ({ decidedAt }, frame) => (decidedAt ? dayOf(decidedAt, frame) : muted('Not yet')),
    text: ({ decidedAt }, { timeZone }) => (decidedAt ? dayIn(new Date(decidedAt), timeZone) : ''),
  },
];

/** The columns that an address asks for; by default the usual ones. */
export const columnsIn = (query: URLSearchParams) => chosenColumns(query, leadColumns, 9, 'name');
