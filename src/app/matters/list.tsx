/** @jsxImportSource preact */
import { countMatters, readMatterOverview } from '../../matters/overview.ts';
import { matterChoicesOf } from '../../views/choices.ts';
import { withPickedNames } from '../away.ts';
import { AssignButtons, AssignDialogs, Choose } from '../bulk.tsx';
import { optionsOf } from '../list.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Matter, matterFields, ofArea } from './fields.tsx';
import { MattersHead } from './list-head.tsx';

/** The buttons for ticked matters. Stages are those of the area that the list is filtered by. */
const BulkButtons = remembered(({ choices }: { choices: Matter['choices'] }) => (
  <>
    <AssignButtons />
    {choices.stages.length > 0 && (
      <Choose
        id="all-move"
        label="Move"
        title="Move to"
        options={optionsOf(choices.stages)}
        letter="m"
      />
    )}
    <button class="button" name="do" value="all-status:ARCHIVE">
      Archive
    </button>
    <button class="button" name="do" value="all-status:ACTIVE">
      Make active
    </button>
  </>
));

const BulkDialogs = ({ choices: { members } }: { choices: Matter['choices'] }) => (
  <AssignDialogs
    members={members}
    hints={{
      add: 'They join the team as responsible staff.',
      replace: 'They become the responsible staff instead. The attorneys stay.',
    }}
  />
);

/** The firm's matters as a list, and as a file. */
export const { showList, listForms } = recordList<Matter>({
  list: 'matters',
  noun: 'matter',
  follows: ['stage', 'practice_area'],
  fields: matterFields,
  foundBy: 'Name, number, words',
  hasTabs: true,
  nameOf: ({ title }) => title,
  filterIn,
  choicesOf: async ({ actor, query, session }) =>
    ofArea(withPickedNames(await matterChoicesOf(actor), session), query.get('area')),
  read: readMatterOverview,
  count: countMatters,
  Head: ({ countOf, filter: { status } }) => (
    <MattersHead countOf={countOf} status={status === 'CURRENT' ? null : status} isBoard={false} />
  ),
  BulkButtons,
  BulkDialogs,
});
