/** @jsxImportSource preact */

import { countMatters, readMatterOverview } from '../../matters/overview.ts';
import type { MatterCounts } from '../../matters/status-counts.ts';
import { matterChoicesOf } from '../../views/choices.ts';
import { withPickedNames } from '../away.ts';
import { AssignButtons, AssignDialogs, Choose, chosenNames, type Several } from '../bulk.tsx';
import { optionsOf } from '../list.tsx';
import { ListHead } from '../list-head.tsx';
import { recordList } from '../records/record-list.tsx';
import { remembered } from '../remembered.ts';
import { filterIn, type Matter, matterFields, ofArea } from './fields.tsx';

const tabs = [
  ['ACTIVE', 'Active'],
  ['DRAFT', 'Drafts'],
  ['ARCHIVE', 'Archived'],
] as const;

type MattersHeadProps = {
  /** Null if they were not counted. */
  countOf: MatterCounts | null;
  /** The status shown; null if all are shown. */
  status: keyof MatterCounts | null;
  isBoard: boolean;
  areaId?: string;
};

/** The head of the matters' pages: board or list, a new matter, and the matters by status. */
export const MattersHead = ({ areaId, ...props }: MattersHeadProps) => (
  <ListHead
    path="/matters"
    title="Matters"
    making="New matter"
    tabs={tabs}
    also={areaId === undefined ? {} : { area: areaId }}
    {...props}
  />
);

const byAge = { by: 'created', isDown: false } as const;

export const severalMatters: Several = {
  noun: 'matter',
  found: ({ actor, query, session }, max) =>
    readMatterOverview(actor, filterIn(query, session.member.id), byAge, { limit: max, offset: 0 }),
  acts: {
    move: {
      title: 'Move',
      said: async (reader, many, { choice }) => {
        const stages = (await matterChoicesOf(reader)).areas.flatMap((area) => area.stages);
        return `Moved ${many} to ${stages.find(({ id }) => id === choice)?.name ?? 'a stage'}.`;
      },
    },
    assign: {
      title: 'Assign',
      said: async (reader, many, act) => {
        const names = chosenNames((await matterChoicesOf(reader)).members, act);
        if (!names) return `Nobody is responsible staff of ${many} now.`;
        return act.choice === 'replace'
          ? `Responsible staff of ${many}: ${names}, and nobody else.`
          : `Added ${names} to the responsible staff of ${many}.`;
      },
    },
    status: {
      title: 'Change the status of',
      said: (_, many, { choice }) =>
        choice === 'ARCHIVE' ? `Archived ${many}.` : `Made ${many} active.`,
    },
  },
};

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
