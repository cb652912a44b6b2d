/** @jsxImportSource preact */
import type { ListField } from '../../views/choices.ts';
import type { View } from '../../views/view.ts';
import type { Option } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Filter, Filters } from '../list.tsx';
import { chipsIn, KeptColumns, ListTools, otherNames, Removed, WordsFilter } from '../list-bar.tsx';
import { Columns, MoreFilters, OwnFields, Pair, Pick } from '../list-dialogs.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { Views } from '../saved-views.tsx';
import { columnsIn, matterColumns } from './columns.tsx';
import { roleNames } from './words.ts';

/** The choices of the list's filters and menus. */
export type Offered = {
  areas: Option[];
  /** Those of the area in the list's filter. */
  stages: Option[];
  types: Option[];
  members: Option[];
  /** The fields that can be filtered by: SELECT and DATE. */
  fields: ListField[];
  /** The parts of the address that name a removed field. */
  removed: string[];
};

type AboveList = {
  offered: Offered;
  views: View[];
  mayExport: boolean;
  memberId: string;
  isOwner: boolean;
};

const none: Option = { value: 'none', name: 'None' };
const inBar = ['q', 'area', 'stage', 'responsible', 'limitation'];

const limitations: Option[] = [
  { value: 'open', name: 'Set, not met' },
  { value: 'met', name: 'Met' },
  { value: 'none', name: 'None set' },
  { value: 'missing', name: 'None set, though expected' },
];

/** Active filters that have no control in the bar, in words. */
const wordsOf: Record<string, string> = {
  type: 'Type',
  member: 'On the team',
  role: 'Part in the team',
  limitationFrom: 'Limitation from',
  limitationTo: 'Limitation to',
  openedFrom: 'Opened from',
  openedTo: 'Opened to',
  closedFrom: 'Closed from',
  closedTo: 'Closed to',
};

export const MatterFilters = rememberedByAddress(
  ({ offered, views, mayExport, memberId, isOwner }: AboveList) => {
    const { query } = useFrame().visit;
    const people = [
      { value: 'me', name: 'Me' },
      { value: 'none', name: 'Nobody' },
      ...offered.members,
    ];
    const known = [...offered.types, ...people];
    const chips = chipsIn(query, wordsOf, offered.fields, (name, value) =>
      name === 'role'
        ? roleNames[value as keyof typeof roleNames]
        : known.find((one) => one.value === value)?.name,
    );
    return (
      <>
        <Filters keep={otherNames(query, inBar)}>
          <WordsFilter />
          <KeptColumns />
          <Filter name="area" label="Practice area" any="Area: any" options={offered.areas} />
          {offered.stages.length > 0 && (
            <Filter name="stage" label="Stage" any="Stage: any" options={offered.stages} />
          )}
          <Filter
            name="responsible"
            label="Responsible"
            any="Responsible: anyone"
            options={people}
          />
          <Filter
            name="limitation"
            label="Limitation date"
            any="Limitation: any"
            options={limitations}
          />
        </Filters>
        <Removed path="/matters" names={offered.removed} />
        <ListTools path="/matters" mayExport={mayExport} chips={chips} />
        <MoreFilters path="/matters" has={(name) => name in wordsOf}>
          <Pick name="member" label="On the team" options={people} />
          {offered.types.length > 0 && (
            <Pick name="type" label="Type" options={[...offered.types, none]} />
          )}
          <Pair of="Limitation" names={['limitationFrom', 'limitationTo']} />
          <Pair of="Opened" names={['openedFrom', 'openedTo']} />
          <Pair of="Closed" names={['closedFrom', 'closedTo']} />
          <OwnFields fields={offered.fields} />
        </MoreFilters>
        <Columns path="/matters" all={matterColumns} shown={columnsIn(query)} always="title" />
        <Views list="matters" views={views} memberId={memberId} isOwner={isOwner} />
      </>
    );
  },
);
