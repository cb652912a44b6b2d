/** @jsxImportSource preact */
import type { MatterRecord } from '../../matters/record.ts';
import type { MatterChoices } from '../../views/choices.ts';
import { customFields } from '../custom-fields.tsx';
import { TextArea } from '../form.tsx';
import { withChosen } from '../list.tsx';
import { Panel } from '../page-parts.tsx';
import { controlsOf, textsOf, valuesOf } from '../records/field.tsx';
import type { SeenNames } from '../records/kinds.tsx';
import { rememberedByAddress } from '../remembered.ts';
import { DetailsPanel, Value, Values } from '../values.tsx';
import { type Matter, matterFields, OfArea, ofArea } from './fields.tsx';

type DetailsProps = {
  matter: MatterRecord;
  mayWrite: boolean;
  choices: MatterChoices;
  names: SeenNames;
};

// Area and stage are chosen together, and the description has a panel of its own.
const { title, area, stage, type, description, ...rows } = matterFields;

/** A matter's details, without its description. Each can be edited in place. */
export const Details = rememberedByAddress(({ matter, mayWrite, choices, names }: DetailsProps) => {
  const action = mayWrite ? `/matters/${matter.id}` : undefined;
  const offered = offeredFor(matter, choices);
  const of = { record: matter, choices: offered, action };
  return (
    <DetailsPanel
      values={[
        ...valuesOf({ title }, of),
        {
          label: area.label,
          stands: true,
          shown: matter.practiceArea?.name,
          action,
          names: ['practiceAreaId'],
          children: [
            ...controlsOf({ area }, offered, textsOf({ area }, matter)),
            <OfArea
              name="practiceAreaStageColumnId"
              label={stage.label}
              none="First stage of the area"
              areas={choices.areas}
              of="stages"
              value={matter.stage?.id}
              takesFirst
            />,
          ],
        },
        ...valuesOf({ type }, { ...of, action: offered.types.length > 0 ? action : undefined }),
        ...valuesOf(rows, of),
        ...valuesOf(customFields<Matter>(matter.defined, names), of),
      ]}
    />
  );
});

/** The types of a matter's area, and its own, if that is no longer offered. */
const offeredFor = ({ practiceAreaId, type }: MatterRecord, choices: MatterChoices) => {
  const offered = ofArea(choices, practiceAreaId);
  return { ...offered, types: withChosen(offered.types, type) };
};

/** The longest description that can be edited on the page, in characters. */
const longestEdited = 100_000;

export const Description = ({ matter, mayWrite }: Pick<DetailsProps, 'matter' | 'mayWrite'>) => {
  const text = matter.description ?? '';
  const isLong = text.length > longestEdited;
  return (
    <Panel id="description" title={description.label}>
      <div class="body whole">
        {isLong && (
          <p class="muted">This description is too long for this page. Here is its beginning.</p>
        )}
        <Values>
          <Value
            label={description.label}
            none={mayWrite && !isLong ? 'Add a description' : 'None'}
            shown={text && <span class="as-written">{text.slice(0, longestEdited)}</span>}
            action={mayWrite && !isLong ? `/matters/${matter.id}` : undefined}
            names={['description']}
            draft={`/matters/${matter.id}:description`}
          >
            <TextArea name="description" label={description.label} value={text} rows={8} />
          </Value>
        </Values>
      </div>
    </Panel>
  );
};
