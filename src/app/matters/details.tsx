/** @jsxImportSource preact */
import type { allMatterTypes } from '../../matter-types/matter-type.ts';
import type { MatterRecord } from '../../matters/record.ts';
import type { allPracticeAreas } from '../../practice-areas/list.ts';
import { CustomFieldValues, customFieldTexts } from '../custom-fields.tsx';
import { Choice, Day, Text, TextArea } from '../form.tsx';
import { optionsOf, Panel } from '../list.tsx';
import { DayWords } from '../moments.tsx';
import type { NameOf } from '../records/kinds.tsx';
import { Value, Values } from '../values.tsx';
import { StageOfArea } from './stage-of-area.tsx';

/** The values of a matter's fields, as its forms show and send them. */
export const textsOfMatter = (matter: MatterRecord): Record<string, string> => ({
  title: matter.title,
  description: matter.description ?? '',
  practiceAreaId: matter.practiceArea?.id ?? '',
  practiceAreaStageColumnId: matter.stage?.id ?? '',
  matterTypeId: matter.type?.id ?? '',
  formerNumber: matter.formerNumber ?? '',
  openDate: matter.openDate ?? '',
  closeDate: matter.closeDate ?? '',
  ...customFieldTexts(matter),
});

type DetailsProps = {
  matter: MatterRecord;
  mayWrite: boolean;
  areas: Awaited<ReturnType<typeof allPracticeAreas>>;
  types: Awaited<ReturnType<typeof allMatterTypes>>;
  nameOf: NameOf;
};

/** A matter's details. Each can be edited in place. */
export const Details = ({ matter, mayWrite, areas, types, nameOf }: DetailsProps) => {
  const action = mayWrite ? `/matters/${matter.id}` : undefined;
  const held = textsOfMatter(matter);
  return (
    <Panel id="details" title="Details">
      <div class="body">
        <Values>
          <Value label="Title" shown={matter.title} action={action} names={['title']}>
            <Text name="title" label="Title" value={held.title} />
          </Value>
          <Value
            label="Area"
            shown={matter.practiceArea?.name}
            action={action}
            names={['practiceAreaId']}
          >
            <Choice
              name="practiceAreaId"
              label="Practice area"
              value={held.practiceAreaId}
              options={optionsOf(areas)}
            />
            <StageOfArea
              areas={areas}
              area={held.practiceAreaId}
              stage={held.practiceAreaStageColumnId ?? ''}
            />
          </Value>
          <Type matter={matter} types={types} action={action} />
          <Value
            label="Opened on"
            shown={matter.openDate && <DayWords day={matter.openDate} />}
            action={action}
            names={['openDate']}
          >
            <Day name="openDate" label="Opened on" value={held.openDate} required />
          </Value>
          <Value
            label="Closed on"
            none="Not closed"
            shown={matter.closeDate && <DayWords day={matter.closeDate} />}
            action={action}
            names={['closeDate']}
          >
            <Day name="closeDate" label="Closed on" value={held.closeDate} />
          </Value>
          <Value
            label="Former no."
            none="None"
            shown={matter.formerNumber}
            action={action}
            names={['formerNumber']}
          >
            <Text name="formerNumber" label="Former number" value={held.formerNumber} />
          </Value>
          <CustomFieldValues record={matter} action={action} nameOf={nameOf} />
        </Values>
      </div>
    </Panel>
  );
};

type TypeProps = Pick<DetailsProps, 'matter' | 'types'> & { action: string | undefined };

const Type = ({ matter, types, action }: TypeProps) => {
  const ofArea = types.filter(({ practiceAreaId }) => practiceAreaId === matter.practiceAreaId);
  const isOffered = ofArea.some(({ id }) => id === matter.type?.id);
  const options = [...ofArea, ...(matter.type && !isOffered ? [matter.type] : [])];
  return (
    <Value
      label="Type"
      shown={matter.type?.name}
      action={options.length > 0 ? action : undefined}
      names={['matterTypeId']}
    >
      <Choice
        name="matterTypeId"
        label="Type"
        value={matter.type?.id}
        options={optionsOf(options)}
        none="None"
      />
    </Value>
  );
};

/** The longest description that can be edited on the page, in characters. */
const longestEdited = 100_000;

export const Description = ({ matter, mayWrite }: Pick<DetailsProps, 'matter' | 'mayWrite'>) => {
  const text = matter.description ?? '';
  const isLong = text.length > longestEdited;
  return (
    <Panel id="description" title="Description">
      <div class="body whole">
        {isLong && (
          <p class="muted">This description is too long for this page. Here is its beginning.</p>
        )}
        <Values>
          <Value
            label="Description"
            none="None"
            shown={text && <span class="as-written">{text.slice(0, longestEdited)}</span>}
            action={mayWrite && !isLong ? `/matters/${matter.id}` : undefined}
            names={['description']}
            draft={`/matters/${matter.id}:description`}
          >
            <TextArea name="description" label="Description" value={text} rows={8} />
          </Value>
        </Values>
      </div>
    </Panel>
  );
};
