/** @jsxImportSource preact */
import { dayIn } from '../../base/calendar-date.ts';
import { everyLead, type LeadFilter, nextSteps } from '../../leads/filter.ts';
import type { LeadLine, leadSorts } from '../../leads/overview.ts';
import type { LeadRecord } from '../../leads/record.ts';
import type { StatusCounts } from '../../leads/status-counts.ts';
import { leadStatuses, leadValues } from '../../leads/table.ts';
import { type LeadChangeByPeople, leadLabels, type NewLeadByPeople } from '../../leads/wire.ts';
import type { LeadChoices } from '../../views/choices.ts';
import type { RowFrame } from '../frame.tsx';
import { optionsOf } from '../list.tsx';
import { aCount, aMember, among, anId, aText, listAddress, statusIn } from '../list-query.ts';
import { markup } from '../markup.ts';
import { spanWords } from '../moments.tsx';
import { fieldsOf } from '../records/field.tsx';
import {
  day,
  dayOrTime,
  type Kind,
  line,
  number,
  oneOf,
  oneOrNone,
  person,
} from '../records/kinds.tsx';
import { askedIn } from '../records/list.tsx';
import { rowName } from '../table.tsx';
import { muted, Or } from '../words.tsx';
import {
  Assignees,
  durationWords,
  NextStep,
  nextStepInRow,
  noContact,
  Private,
  statusNames,
  valueNames,
  Worth,
  waited,
} from './words.tsx';

/** What a lead's fields are about. */
export type Lead = {
  record: LeadRecord;
  line: LeadLine;
  body: NewLeadByPeople & LeadChangeByPeople;
  filter: LeadFilter;
  sort: (typeof leadSorts)[number];
  choices: LeadChoices;
  counts: StatusCounts;
};

/** The values to choose from, the highest first. */
const values = leadValues.map((value) => ({ value, name: valueNames[value] })).reverse();

const privacy: Kind = {
  ...oneOf([
    { value: 'no', name: 'No: everyone with access to leads' },
    { value: 'yes', name: 'Yes: only those assigned and the owners' },
  ]),
  text: (isPrivate) => (isPrivate ? 'yes' : 'no'),
  sent: (fields, name) => ['yes', 'on'].includes(fields.text(name) ?? ''),
};

/** The labels of the custom field that the firm counts its leads by. */
const sources = ({ fields, sourceFieldId }: LeadChoices) =>
  (fields.find(({ id }) => id === sourceFieldId)?.options ?? []).map((value) => ({
    value,
    name: value,
  }));

const dayOf = (at: string, { timeZone }: RowFrame) => dayIn(new Date(at), timeZone);

/** All that is said of a lead's fields, in their order. */
export const leadFields = fieldsOf<Lead>()({
  name: {
    label: 'Name',
    kind: line,
    column: {
      sort: 'name',
      isHead: true,
      class: 'line-1 cut',
      text: 'contactName',
      cell: ({ id, contactName, isPrivate }) =>
        markup`${isPrivate && Private()}${rowName(`/leads/${id}`, contactName ?? noContact)}`,
    },
  },
  number: {
    label: 'No.',
    kind: line,
    column: { sort: 'number', class: 'nowrap', text: 'number' },
  },
  area: {
    label: leadLabels.practiceArea,
    short: 'Area',
    kind: oneOrNone(({ areas }) => optionsOf(areas)),
    edit: {
      name: 'practiceAreaId',
      stands: true,
      value: ({ practiceArea }) => practiceArea?.id,
    },
    column: {
      sort: 'area',
      class: 'line-2 cut short',
      text: 'practiceAreaName',
      cell: ({ practiceAreaName, stageName }) =>
        markup`<span title="${practiceAreaName ?? ''}">${Or({ value: practiceAreaName, none: 'None' })}</span><span class="more"> · ${stageName}</span>`,
    },
    filter: { name: 'area', read: anId, at: 'bar', orNone: true },
  },
  stage: {
    label: leadLabels.stage,
    kind: oneOf(({ leadStages }) => optionsOf(leadStages)),
    edit: { name: 'leadStageColumnId' },
    column: { sort: 'stage', class: 'cut short', text: 'stageName' },
    filter: { name: 'stage', read: anId, at: 'bar' },
  },
  value: {
    label: leadLabels.value,
    kind: oneOrNone(values),
    edit: {
      name: 'value',
      stands: true,
      shown: ({ value }) => value && <Worth value={value} />,
    },
    column: {
      sort: 'value',
      text: ({ value }) => (value ? valueNames[value] : ''),
      cell: ({ value }) => Or({ value: value && Worth({ value }), none: 'None' }),
    },
    filter: { name: 'value', read: among([...leadValues, 'none']), at: 'more', orNone: true },
  },
  nextTouch: {
    label: leadLabels.nextTouch,
    none: 'No next step',
    kind: dayOrTime,
    edit: {
      name: 'nextTouch',
      stands: true,
      shown: (record) => record.nextTouch && <NextStep {...record} />,
    },
    column: {
      sort: 'next',
      class: 'line-2 nowrap',
      text: ({ nextTouch }) => nextTouch?.replace('T', ' ') ?? '',
      cell: nextStepInRow,
    },
  },
  next: {
    label: leadLabels.nextTouch,
    kind: oneOf([
      { value: 'overdue', name: 'Overdue' },
      { value: 'today', name: 'Today' },
      { value: 'none', name: 'No next step' },
    ]),
    filter: { name: 'next', read: among(nextSteps), at: 'bar' },
  },
  source: {
    label: 'Source',
    kind: oneOrNone(sources),
    column: { sort: 'source', class: 'cut short', text: 'source' },
    filter: { name: 'source', read: aText, at: 'more', orNone: true },
  },
  assigned: {
    label: 'Assigned',
    kind: person(({ members }) => optionsOf(members)),
    column: {
      sort: 'assigned',
      text: ({ assignees }) => assignees.join(', '),
      cell: ({ assignees }) => Assignees({ assignees: assignees.map((name) => ({ name })) }),
    },
    filter: { name: 'assignee', read: aMember, at: 'bar' },
  },
  private: {
    label: 'Private',
    kind: privacy,
    edit: { name: 'isPrivate' },
  },
  waiting: {
    label: 'Waiting',
    kind: number,
    column: {
      sort: 'waiting',
      class: 'number line-1',
      text: ({ waitingSince }, { now }) =>
        waitingSince ? durationWords(new Date(waitingSince), now) : '',
      cell: ({ waitingSince, stagePosition, status }, frame) =>
        waitingSince
          ? waited({ since: new Date(waitingSince), isFirst: stagePosition === 0 }, frame)
          : muted(statusNames[status]),
    },
  },
  created: {
    label: 'Created',
    kind: day,
    column: {
      sort: 'created',
      class: 'number',
      text: ({ createdAt }, frame) => dayOf(createdAt, frame),
    },
    filter: { days: ['from', 'to'] },
  },
  status: {
    label: 'Status',
    kind: line,
    column: { isExtra: true, class: 'nowrap', text: ({ status }) => statusNames[status] },
  },
  decided: {
    label: 'Decided',
    none: 'Not yet',
    kind: day,
    column: {
      isExtra: true,
      class: 'number',
      text: ({ decidedAt }, frame) => (decidedAt ? dayOf(decidedAt, frame) : ''),
    },
    filter: { days: ['decidedFrom', 'decidedTo'] },
  },
  waitingDays: {
    label: 'Waiting at least (days)',
    kind: number,
    filter: { name: 'waiting', read: aCount(36_500), at: 'more' },
  },
  reason: {
    label: 'Not hired because',
    kind: oneOf(({ notHiredReasons }) => optionsOf(notHiredReasons)),
    filter: { name: 'reason', read: anId, at: 'more' },
  },
  reached: {
    label: 'Reached the stage',
    kind: oneOf(({ leadStages }) => optionsOf(leadStages)),
    filter: { name: 'reached', read: anId, at: 'more' },
  },
  touched: {
    label: 'First response',
    kind: number,
    filter: {
      name: 'touched',
      read: (text) => (/^(yes|no|[1-9]\d{0,4})$/.test(text) ? text : null),
      said: (text) => {
        if (text === 'yes') return 'by somebody';
        return text === 'no' ? 'not yet' : `within ${spanWords(Number(text) * 3600)}`;
      },
    },
  },
});

/** The filter in an address. Wrong values are left out. */
export const filterIn = (query: URLSearchParams, memberId: string): LeadFilter => ({
  ...everyLead,
  ...askedIn(leadFields, query, memberId),
  status: statusIn(query, leadStatuses),
});

/** The address of the list for a filter. A report's figure links to it. */
export const leadsAddress = (filter: Partial<LeadFilter>): string => listAddress('/leads', filter);
