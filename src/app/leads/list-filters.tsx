/** @jsxImportSource preact */
import type { Option } from '../form.tsx';
import { useFrame } from '../frame.tsx';
import { Filter, Filters } from '../list.tsx';
import { chipsIn, KeptColumns, ListTools, otherNames, Removed, WordsFilter } from '../list-bar.tsx';
import { Columns, Entry, labelsOf, MoreFilters, OwnFields, Pair, Pick } from '../list-dialogs.tsx';
import { spanWords } from '../moments.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { Views } from '../saved-views.tsx';
import { columnsIn, leadColumns } from './columns.tsx';
import { type AboveList, wordsOf } from './offered.ts';
import { valueNames } from './words.tsx';

const values = Object.entries(valueNames).map(([value, name]) => ({ value, name }));
const none: Option = { value: 'none', name: 'None' };
const inBar = ['q', 'stage', 'area', 'assignee', 'value', 'source'];

export const LeadFilters = rememberedByAddress((props: AboveList) => {
  const { offered, mayExport, views, memberId, isOwner } = props;
  const { query } = useFrame().visit;
  const known = [...offered.stages, ...offered.reasons, none];
  const chips = chipsIn(query, wordsOf, offered.fields, (name, value) =>
    name === 'touched' ? touchedWords(value) : known.find((one) => one.value === value)?.name,
  );
  return (
    <>
      <Filters keep={otherNames(query, inBar)}>
        <WordsFilter />
        <KeptColumns />
        <Filter name="stage" label="Stage" any="Stage: any" options={offered.stages} />
        <Filter
          name="area"
          label="Practice area"
          any="Area: any"
          options={[...offered.areas, none]}
        />
        <Filter
          name="assignee"
          label="Assigned"
          any="Assigned: anyone"
          options={offered.assignees}
        />
        <Filter name="value" label="Value" any="Value: any" options={[...values, none]} />
        {offered.source && (
          <Filter
            name="source"
            label="Source"
            any="Source: any"
            options={[...labelsOf(offered.source), none]}
          />
        )}
      </Filters>
      <Removed path="/leads" names={offered.removed} />
      <ListTools path="/leads" mayExport={mayExport} chips={chips} />
      <MoreFilters path="/leads" has={(name) => name in wordsOf}>
        <Pair of="Created" names={['from', 'to']} />
        <Pair of="Decided" names={['decidedFrom', 'decidedTo']} />
        <Entry name="waiting" label="Waiting at least (days)" type="number" />
        <Pick name="reason" label="Not hired because" options={offered.reasons} />
        <Pick name="reached" label="Reached the stage" options={offered.stages} />
        <OwnFields fields={offered.fields} />
      </MoreFilters>
      <Columns path="/leads" all={leadColumns} shown={columnsIn(query)} always="name" />
      <Views list="leads" views={views} memberId={memberId} isOwner={isOwner} />
    </>
  );
});

const touchedWords = (value: string) => {
  if (value === 'yes') return 'by somebody';
  return value === 'no' ? 'not yet' : `within ${spanWords(Number(value) * 3600)}`;
};
