/** @jsxImportSource preact */
import type { ComponentChild } from 'preact';
import { invalidField } from '../../base/refusal.ts';
import { capitalised } from '../../base/wording.ts';
import { customFieldsOn } from '../../custom-fields/custom-field.ts';
import { dayOrders } from '../../imports/cells.ts';
import { leftOutOf, newField, targetsFor, withoutLoss } from '../../imports/columns.ts';
import { separators, separatorWords } from '../../imports/file.ts';
import { holders } from '../../imports/plan.ts';
import { samplesIn } from '../../imports/rows.ts';
import type { Import } from '../../imports/stored.ts';
import type { Choices } from '../../imports/upload.ts';
import { allPracticeAreas } from '../../practice-areas/list.ts';
import type { Fields } from '../fields.ts';
import { Act, Choice, Form, type Option } from '../form.tsx';
import { optionsOf } from '../list.tsx';
import { matterFields } from '../matters/fields.tsx';
import { Panel } from '../page-parts.tsx';
import type { Visit } from '../visit.ts';

const sentSeparator = (separator: string) => (separator === '\t' ? 'tab' : separator);
const separatorNames = separators.map((one) => ({
  value: sentSeparator(one),
  name: capitalised(separatorWords[one]),
}));
const dayNames: Record<(typeof dayOrders)[number], string> = {
  DMY: 'Day, month, year: 31/12/2026',
  MDY: 'Month, day, year: 12/31/2026',
  YMD: 'Year, month, day: 2026/12/31',
};

/**
 * How a form wants the file to be read. One of its buttons makes custom fields of all columns that
 * would be left out.
 */
export const choicesFrom = async (
  { actor, may }: Visit<'/:id'>,
  fields: Fields,
  found: Import,
): Promise<Choices> => {
  const sent = fields.text('separator');
  const separator = separators.find((one) => one === (sent === 'tab' ? '\t' : sent));
  const dayOrder = dayOrders.find((one) => one === fields.text('dayOrder'));
  if (!separator) throw invalidField('separator', 'must be one of the choices');
  if (!dayOrder) throw invalidField('dayOrder', 'must be one of the choices');
  const columns = found.mapping.heads.map((_, at) => {
    const key = fields.text(`column.${at}`) || null;
    if (key === newField && !may('firm:write')) {
      throw invalidField(`column.${at}`, 'must be a field that the firm has');
    }
    return key;
  });
  const rest = { separator, dayOrder, practiceAreaId: fields.text('practiceAreaId') || null };
  if (fields.text('leftOut') !== 'fields' || !may('firm:write')) return { ...rest, columns };
  const defined = await customFieldsOn(actor, holders[found.kind]);
  return { ...rest, columns: withoutLoss(found.mapping.heads, columns, defined) };
};

/** Which columns are left out, and a press that makes fields of them. `children` is that button. */
export const LeftOutColumns = ({
  mapping,
  children,
}: {
  mapping: Import['mapping'];
  children: ComponentChild;
}) => {
  const left = leftOutOf(mapping);
  if (left.length === 0) return null;
  return (
    <div class="banner warn left-columns" role="note">
      <p>
        {left.length === 1 ? 'This column is left out: ' : `${left.length} columns are left out: `}
        <strong>{left.map(({ head }) => head).join(', ')}</strong>.
      </p>
      {children}
    </div>
  );
};

/** The same, of a file whose rows were checked: it sends the choices of the columns again. */
export const LeftOutAfterCheck = ({ found, may }: { found: Import; may: Visit['may'] }) => {
  const { separator, dayOrder, practiceAreaId, columns } = found.mapping;
  return (
    <LeftOutColumns mapping={found.mapping}>
      {may('firm:write') && (
        <Act
          action={`/settings/imports/${found.id}/columns`}
          class="button small"
          fields={{
            leftOut: 'fields',
            separator: sentSeparator(separator),
            dayOrder,
            practiceAreaId: practiceAreaId ?? '',
            ...Object.fromEntries(columns.map((key, at) => [`column.${at}`, key ?? ''])),
          }}
        >
          {createFields(found.mapping)}
        </Act>
      )}
    </LeftOutColumns>
  );
};

const createFields = (mapping: Import['mapping']) =>
  leftOutOf(mapping).length === 1 ? 'Create a field for it' : 'Create fields for them';

/** The form that chooses the field of each column. */
export const columnsForm = async ({ actor, may }: Visit<'/:id'>, found: Import) => {
  const [samples, defined, areas] = await Promise.all([
    samplesIn(actor, found.id),
    customFieldsOn(actor, holders[found.kind]),
    found.kind === 'matter' ? allPracticeAreas(actor) : [],
  ]);
  const targets = targetsFor(found.kind, defined).map(({ key, label }) => ({
    value: key,
    name: label,
  }));
  const { heads, columns } = found.mapping;
  const optionsOf = (at: number): Option[] => [
    ...targets,
    ...(may('firm:write') && heads[at]
      ? [{ value: newField, name: `New custom field “${heads[at]}”` }]
      : []),
  ];
  const path = `/settings/imports/${found.id}`;
  return (
    <Panel id="columns" title="What is in each column?">
      <div class="body">
        <Form action={`${path}/columns`}>
          {howToRead(found, areas)}
          <LeftOutColumns mapping={found.mapping}>
            {may('firm:write') && (
              <button class="button small" name="leftOut" value="fields">
                {createFields(found.mapping)}
              </button>
            )}
          </LeftOutColumns>
          <div class="file-columns">
            <p class="heads" aria-hidden="true">
              <span>Column</span>
              <span>First values</span>
              <span>Becomes</span>
            </p>
            {heads.map((head, at) => (
              <Choice
                name={`column.${at}`}
                label={head || `Column ${at + 1}`}
                hint={sampleWords(samples[at] ?? [])}
                value={columns[at]}
                options={optionsOf(at)}
                none="Leave out"
              />
            ))}
          </div>
          <div class="row end">
            <a class="button" href="/settings/imports">
              Later
            </a>
            <button class="button primary">Check the rows</button>
          </div>
        </Form>
      </div>
    </Panel>
  );
};

/** The choices that hold for the whole file; no component, so that the form knows their labels. */
const howToRead = (found: Import, areas: readonly { id: string; name: string }[]) => {
  const { separator, dayOrder, practiceAreaId } = found.mapping;
  return (
    <div class="pair">
      <Choice
        name="separator"
        label="Separator"
        hint="If you change the separator, the columns are read again"
        value={sentSeparator(separator)}
        options={separatorNames}
      />
      <Choice
        name="dayOrder"
        label="Date format"
        hint="2026-12-31 always works"
        value={dayOrder}
        options={dayOrders.map((value) => ({ value, name: dayNames[value] }))}
      />
      {found.kind === 'matter' && (
        <Choice
          name="practiceAreaId"
          label={matterFields.area.label}
          hint="For rows without a practice area"
          value={practiceAreaId}
          options={optionsOf(areas)}
          none="None: skip the row"
        />
      )}
    </div>
  );
};

const sampleWords = (samples: string[]) => {
  const shown = samples
    .slice(0, 3)
    .map((text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text));
  return shown.length > 0 ? shown.join(' · ') : 'Empty';
};
