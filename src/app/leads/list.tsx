/** @jsxImportSource preact */

import { readOverview } from '../../leads/overview.ts';
import type { StatusCounts } from '../../leads/status-counts.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { withPickedNames } from '../away.ts';
import {
  AssignButtons,
  AssignDialogs,
  Choose,
  chosenNames,
  nameIn,
  type Several,
} from '../bulk.tsx';
import { optionsOf } from '../list.tsx';
import { ListHead } from '../list-head.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Lead, leadFields } from './fields.tsx';
import { noContact } from './words.tsx';

const tabs = [
  ['ACTIVE', 'Active'],
  ['HIRED', 'Hired'],
  ['NOT_HIRED', 'Not hired'],
  ['ARCHIVE', 'Archived'],
  ['DRAFT', 'Drafts'],
] as const;

type LeadsHeadProps = {
  countOf: StatusCounts | null;
  /** The status shown; null if all are shown. */
  status: keyof StatusCounts | null;
  isBoard: boolean;
};

/** The head of the leads' pages: board or list, a new lead, and the leads by status. */
export const LeadsHead = (props: LeadsHeadProps) => (
  <ListHead path="/leads" title="Leads" making="New lead" tabs={tabs} {...props} />
);

const byAge = { by: 'created', isDown: false } as const;

export const severalLeads: Several = {
  noun: 'lead',
  found: ({ actor, query, session }, max) =>
    readOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  acts: {
    move: {
      title: 'Move',
      said: async (reader, many, { choice }) => {
        const { leadStages } = await leadChoicesOf(reader);
        return `Moved ${many} to ${nameIn(leadStages, choice)}.`;
      },
    },
    assign: {
      title: 'Assign',
      said: async (reader, many, act) => {
        const names = chosenNames((await leadChoicesOf(reader)).members, act);
        if (!names) return `Nobody is assigned to ${many} now.`;
        return act.choice === 'replace'
          ? `Assigned ${many} to ${names}, and to nobody else.`
          : `Assigned ${many} to ${names}.`;
      },
    },
    status: {
      title: 'Change the status of',
      said: (_, many, { choice }) =>
        choice === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`,
    },
    'not-hired': {
      title: 'Not hired:',
      said: async (reader, many, { choice }) => {
        const { notHiredReasons } = await leadChoicesOf(reader);
        return `Not hired: ${many}. ${nameIn(notHiredReasons, choice)}.`;
      },
    },
  },
};

const BulkButtons = remembered(({ choices }: { choices: LeadChoices }) => (
  <>
    <AssignButtons />
    <Choose
      id="all-move"
      label="Move"
      title="Move to"
      options={optionsOf(choices.leadStages)}
      letter="m"
    />
    {choices.notHiredReasons.length > 0 && (
      <Choose
        id="all-not-hired"
        label="Not hired"
        title="Why"
        options={optionsOf(choices.notHiredReasons)}
      />
    )}
    <button class="button" name="do" value="all-status:ARCHIVE">
      Archive
    </button>
  </>
));

const BulkDialogs = ({ choices: { members } }: { choices: LeadChoices }) => (
  <AssignDialogs members={members} />
);

/** The firm's leads as a list, and as a file. */
export const { showList, listForms } = recordList<Lead>({
  list: 'leads',
  noun: 'lead',
  follows: ['lead_stage'],
  fields: leadFields,
  foundBy: 'Name, number, words',
  hasTabs: true,
  nameOf: ({ contactName }) => contactName ?? noContact,
  filterIn,
  choicesOf: async ({ actor, session }) => withPickedNames(await leadChoicesOf(actor), session),
  read: readOverview,
  Head: ({ countOf, filter }) => (
    <LeadsHead countOf={countOf} status={filter.status} isBoard={false} />
  ),
  BulkButtons,
  BulkDialogs,
  rowKeyFor: ({ may, query, session }) => {
    const { status } = filterIn(query, session.member.id);
    const mayBeOpen = status === 'ACTIVE' || status === null;
    return mayBeOpen && may('matters:write') ? { key: 'h', asks: 'hire' } : undefined;
  },
});
