/** @jsxImportSource preact */
import { readOverview } from '../../leads/overview.ts';
import { type LeadChoices, leadChoicesOf } from '../../views/choices.ts';
import { withPickedNames } from '../away.ts';
import { AssignButtons, AssignDialogs, Choose } from '../bulk.tsx';
import { optionsOf } from '../list.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Lead, leadFields } from './fields.tsx';
import { LeadsHead } from './head.tsx';
import { noContact } from './words.tsx';

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
