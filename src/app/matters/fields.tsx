/** @jsxImportSource preact */

import { everyMatter, type MatterFilter } from '../../matters/filter.ts';
import type { matterSorts } from '../../matters/order.ts';
import type { MatterLine } from '../../matters/overview.ts';
import type { MatterRecord } from '../../matters/record.ts';
import type { MatterCounts } from '../../matters/status-counts.ts';
import { matterStatuses, teamRoles } from '../../matters/table.ts';
import type { TypeAndFormerNumber } from '../../matters/type-and-former-number.ts';
import { type MatterChange, matterLabels, type NewMatter } from '../../matters/wire.ts';
import type { MatterChoices } from '../../views/choices.ts';
import { Field, useField } from '../field.tsx';
import { optionsIn, selectOf } from '../form.tsx';
import { Assignees } from '../leads/words.tsx';
import { limitationCell } from '../limitation.tsx';
import { optionsOf } from '../list.tsx';
import { aMember, among, anId, listAddress, statusIn } from '../list-query.ts';
import { markup } from '../markup.ts';
import { fieldsOf } from '../records/field.tsx';
import { day, line, lines, oneOf, oneOrNone, person, required } from '../records/kinds.tsx';
import { askedIn } from '../records/list.tsx';
import { rowName } from '../table.tsx';
import { Or } from '../words.tsx';

/** What a member does in a matter, as people say it. */
export const roleNames: Record<(typeof teamRoles)[number], string> = {
  ORIGINATING_ATTORNEY: 'Originating attorney',
  RESPONSIBLE_ATTORNEY: 'Responsible attorney',
  RESPONSIBLE_STAFF: 'Responsible staff',
};

export const statusNames: Record<(typeof matterStatuses)[number], string> = {
  ACTIVE: 'Active',
  DRAFT: 'Draft',
  ARCHIVE: 'Archived',
};

/** What the firm has to choose from; stages and types are those of one area. */
export const ofArea = (choices: MatterChoices, areaId: string | null | undefined) => {
  const area = choices.areas.find(({ id }) => id === areaId);
  return { ...choices, stages: area?.stages ?? [], types: area?.types ?? [] };
};

/** What a matter's fields are about. */
export type Matter = {
  record: MatterRecord;
  line: MatterLine;
  /** The type and the former number have a verb of their own. */
  body: NewMatter & MatterChange & TypeAndFormerNumber;
  filter: MatterFilter;
  sort: (typeof matterSorts)[number];
  choices: ReturnType<typeof ofArea>;
  counts: MatterCounts;
};

const roles = teamRoles.map((value) => ({ value, name: roleNames[value] }));

/** All that is said of a matter's fields, in their order. */
export const matterFields = fieldsOf<Matter>()({
  number: {
    label: 'No.',
    kind: line,
    column: { sort: 'number', class: 'nowrap', text: 'number' },
  },
  title: {
    label: matterLabels.title,
    kind: required(line),
    edit: { name: 'title' },
    column: {
      sort: 'title',
      isHead: true,
      class: 'line-1 cut',
      text: 'title',
      cell: ({ id, title }) => rowName(`/matters/${id}`, title),
    },
  },
  clients: {
    label: 'Clients',
    kind: line,
    column: {
      sort: 'clients',
      class: 'line-2 cut short',
      text: ({ clients }) => clients.join(', '),
      cell: ({ clients, number }) =>
        markup`<span class="more">${number} · </span>${Or({ value: clients.join(', '), none: 'No client' })}`,
    },
  },
  area: {
    label: matterLabels.practiceArea,
    short: 'Area',
    kind: oneOf(({ areas }) => optionsOf(areas)),
    edit: { name: 'practiceAreaId', value: ({ practiceArea }) => practiceArea?.id },
    column: { sort: 'area', class: 'cut short', text: 'practiceAreaName' },
    filter: { name: 'area', read: anId, at: 'bar' },
  },
  stage: {
    label: matterLabels.stage,
    kind: oneOf(({ stages }) => optionsOf(stages)),
    edit: { name: 'practiceAreaStageColumnId', value: ({ stage }) => stage?.id },
    column: { sort: 'stage', class: 'cut short', text: 'stageName' },
    filter: { name: 'stage', read: anId, at: 'bar' },
  },
  responsible: {
    label: 'Responsible',
    kind: person(({ members }) => optionsOf(members)),
    column: {
      sort: 'responsible',
      text: ({ responsible }) => responsible.join(', '),
      cell: ({ responsible }) => Assignees({ assignees: responsible.map((name) => ({ name })) }),
    },
    filter: { name: 'responsible', read: aMember, at: 'bar' },
  },
  member: {
    label: 'On the team',
    kind: person(({ members }) => optionsOf(members)),
    filter: { name: 'member', read: aMember, at: 'more' },
  },
  role: {
    label: 'Role on the team',
    kind: oneOf(roles),
    filter: { name: 'role', read: among(teamRoles) },
  },
  limitation: {
    label: matterLabels.solDate,
    short: 'Limitation',
    kind: oneOf([
      { value: 'open', name: 'Set, not met' },
      { value: 'met', name: 'Met' },
      { value: 'none', name: 'None set' },
      { value: 'missing', name: 'None set, though expected' },
    ]),
    column: {
      sort: 'limitation',
      class: 'nowrap away line-1',
      text: 'solDate',
      cell: limitationCell,
    },
    filter: {
      name: 'limitation',
      read: among(['none', 'missing', 'open', 'met']),
      at: 'bar',
    },
  },
  limitationDays: {
    label: 'Limitation',
    kind: day,
    filter: { days: ['limitationFrom', 'limitationTo'] },
  },
  opened: {
    label: 'Opened on',
    short: matterLabels.openDate,
    kind: required(day),
    edit: { name: 'openDate' },
    column: { sort: 'opened', class: 'nowrap', text: 'openDate' },
    filter: { days: ['openedFrom', 'openedTo'] },
  },
  status: {
    label: matterLabels.status,
    kind: line,
    column: { sort: 'status', class: 'nowrap', text: ({ status }) => statusNames[status] },
  },
  type: {
    label: matterLabels.matterType,
    kind: oneOrNone(({ types }) => optionsOf(types)),
    edit: { name: 'matterTypeId', value: ({ type }) => type?.id },
    column: {
      isExtra: true,
      sort: 'type',
      class: 'cut short',
      text: 'typeName',
    },
    filter: { name: 'type', read: anId, at: 'more', orNone: true },
  },
  closed: {
    label: 'Closed on',
    short: matterLabels.closeDate,
    none: 'Not closed',
    kind: day,
    edit: { name: 'closeDate' },
    column: {
      isExtra: true,
      sort: 'closed',
      class: 'nowrap',
      text: 'closeDate',
    },
    filter: { days: ['closedFrom', 'closedTo'] },
  },
  former: {
    label: matterLabels.formerNumber,
    short: 'Former no.',
    kind: line,
    edit: { name: 'formerNumber' },
    column: {
      isExtra: true,
      class: 'nowrap',
      text: 'formerNumber',
    },
  },
  met: {
    label: 'Limitation met',
    none: 'Not met',
    kind: day,
    column: {
      isExtra: true,
      class: 'nowrap',
      text: 'limitationMetOn',
    },
  },
  description: {
    label: matterLabels.description,
    kind: lines,
    edit: { name: 'description' },
  },
});

/** The filter in an address. Wrong values are left out. */
export const filterIn = (query: URLSearchParams, memberId: string): MatterFilter => ({
  ...everyMatter,
  ...askedIn(matterFields, query, memberId),
  status: statusIn(query, [...matterStatuses, 'CURRENT']),
});

/** The address of the list for a filter. A report's figure links to it. */
export const mattersAddress = (filter: Partial<MatterFilter>): string =>
  listAddress('/matters', filter);

type Choice = { id: string; name: string };

type OfAreaProps<What extends string> = {
  name: string;
  label: string;
  /** The words for no choice. */
  none: string;
  areas: readonly (Choice & Record<What, readonly Choice[]>)[];
  /** What of an area is chosen. */
  of: What;
  value?: string | undefined;
  /** Another area brings its first choice, and not none. */
  takesFirst?: boolean;
};

/** A choice that depends on the practice area; a script shows only those of the chosen one. */
export const OfArea = <What extends string>({
  name,
  label,
  none,
  areas,
  of,
  value,
  takesFirst,
}: OfAreaProps<What>) => {
  const field = useField({ name, label, options: areas }, value ?? '');
  const all = areas.flatMap((one): readonly Choice[] => one[of]);
  const say = (sent: string) => all.find(({ id }) => id === sent)?.name ?? (sent ? 'another' : '');
  const groups = areas.map(
    (one) =>
      markup`<optgroup label="${one.name}" data-of="${one.id}">${optionsIn(optionsOf(one[of]), field.value)}</optgroup>`,
  );
  const narrowing = {
    'data-script': 'narrow',
    'data-narrowed-by': 'practiceAreaId',
    'data-takes-first': takesFirst,
    'data-first': of === 'stages',
  };
  const options = markup`<option value="">${none}</option>${groups}`;
  const children = selectOf({ ...field.control, ...narrowing }, options);
  return Field({ name, label, field, say, children });
};
