/** @jsxImportSource preact */
import { readOverview } from '../../leads/overview.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { Choose } from '../bulk.tsx';
import { Empty, optionsOf } from '../list.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Lead, leadFields } from './fields.tsx';
import { LeadsHead } from './head.tsx';
import { noContact } from './words.tsx';

const BulkButtons = remembered(({ choices }: { choices: LeadChoices }) => (
  <>
    <Choose id="all-move" label="Move" title="Move to" options={optionsOf(choices.leadStages)} />
    <Choose
      id="all-assign"
      label="Assign"
      title="Assign to"
      options={[...optionsOf(choices.members), { value: 'none', name: 'Nobody' }]}
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
  Nothing: () => <Empty text="There are no leads here yet." />,
  BulkButtons,
});
