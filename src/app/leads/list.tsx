/** @jsxImportSource preact */
import { readOverview } from '../../leads/overview.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { Choose, ChooseNames, OpensNames } from '../bulk.tsx';
import { NothingYet, optionsOf } from '../list.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Lead, leadFields } from './fields.tsx';
import { LeadsHead } from './head.tsx';
import { noContact } from './words.tsx';

const BulkButtons = remembered(({ choices }: { choices: LeadChoices }) => (
  <>
    <OpensNames id="add-assignee" icon="user-plus" label="Add assignee" />
    <OpensNames id="replace-assignees" icon="users" label="Replace assignees" />
    <Choose id="all-move" label="Move" title="Move to" options={optionsOf(choices.leadStages)} />
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
  <>
    <ChooseNames
      id="add-assignee"
      title="Add assignee"
      act="all-assign:add"
      verb="Add"
      members={members}
    />
    <ChooseNames
      id="replace-assignees"
      title="Replace assignees"
      act="all-assign:replace"
      verb="Replace"
      members={members}
    />
  </>
);

/** The firm's leads as a list, and as a file. */
export const { showList, listForms } = recordList<Lead>({
  list: 'leads',
  noun: 'lead',
  title: 'Leads',
  follows: ['lead', 'lead_stage'],
  fields: leadFields,
  foundBy: 'Name, number, words',
  nameOf: ({ contactName }) => contactName ?? noContact,
  filterIn,
  choicesOf: leadChoicesOf,
  read: readOverview,
  Head: ({ countOf, filter }) => (
    <LeadsHead countOf={countOf} status={filter.status} isBoard={false} />
  ),
  Nothing: () => (
    <NothingYet text="There are no leads here yet." path="/leads/new" making="New lead" />
  ),
  BulkButtons,
  BulkDialogs,
});
