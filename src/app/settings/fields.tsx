/** @jsxImportSource preact */

import { invalidField } from '../../base/refusal.ts';
import {
  type CustomField,
  customFieldsOn,
  readCustomField,
} from '../../custom-fields/custom-field.ts';
import {
  createCustomField,
  shiftCustomField,
  updateCustomField,
} from '../../custom-fields/definition.ts';
import { addOption, removeOption, renameOption, shiftOption } from '../../custom-fields/options.ts';
import { heldValues, removeCustomField } from '../../custom-fields/remove.ts';
import {
  type CustomFieldHolder,
  type CustomFieldType,
  carriedTypes,
  customFieldHolders,
} from '../../custom-fields/table.ts';
import { listDateRules } from '../../date-rules/rule.ts';
import { readFirm } from '../../firm/firm.ts';
import { allTaskLists } from '../../task-lists/task-list.ts';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text, TextArea } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { byIn, Moves, movedWords, nameList } from './name-list.tsx';
import { RemoveField } from './remove-field.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/fields';

const holderNames: Record<CustomFieldHolder, string> = {
  CONTACT: 'Contacts',
  LEAD: 'Leads',
  MATTER: 'Matters',
};

/** The types in people's words, in the order of the choice. */
const typeNames: Partial<Record<CustomFieldType, string>> = {
  TEXT: 'Text',
  LONG_TEXT: 'Long text',
  SELECT: 'Choice',
  MULTI_SELECT: 'Several choices',
  DATE: 'Day',
  NUMBER: 'Number',
  CURRENCY: 'Amount of money',
  CHECKBOX: 'Yes or no',
  EMAIL: 'Email',
  PHONE: 'Phone',
  URL: 'Web address',
  CONTACT: 'Contact',
  MATTER: 'Matter',
  FILE: 'File (cannot be filled in here)',
  FORMULA: 'Formula (cannot be filled in here)',
  SIGNATURE: 'Signature (cannot be filled in here)',
};

const offered = Object.entries(typeNames)
  .map(([value, name]) => ({ value, name }))
  .filter(({ value }) => (carriedTypes as readonly string[]).includes(value));

const showFields = async ({ actor }: Visit): Promise<Shown> => {
  const kinds = ['CONTACT', 'LEAD', 'MATTER'] as const;
  const [{ sourceFieldId }, ...lists] = await Promise.all([
    readFirm(actor),
    ...kinds.map((kind) => customFieldsOn(actor, kind)),
  ]);
  return settingsPage({
    title: 'Custom fields',
    intro: 'Fields that your firm adds to its records.',
    action: (
      <Opens dialog="new-field" class="button primary">
        <Icon name="plus" />
        New field
      </Opens>
    ),
    main: (
      <>
        <NewField />
        {kinds.map((kind, at) => (
          <FieldList kind={kind} fields={lists[at] ?? []} sourceFieldId={sourceFieldId} />
        ))}
      </>
    ),
  });
};

const NewField = () => (
  <Dialog id="new-field" title="New field">
    <Form action={path} save="Create field">
      <Choice
        name="appliesTo"
        label="Belongs to"
        value="LEAD"
        options={(['LEAD', 'MATTER', 'CONTACT'] as const).map((value) => ({
          value,
          name: holderNames[value],
        }))}
      />
      <Text name="name" label="Name" required first />
      <Choice
        name="type"
        label="Type"
        hint="A type cannot be changed later."
        value="TEXT"
        options={offered}
      />
      <div class="of-choice">
        <TextArea name="options" label="Options" hint="One per line." rows={5} />
      </div>
    </Form>
  </Dialog>
);

type ListProps = { kind: CustomFieldHolder; fields: CustomField[]; sourceFieldId: string | null };

const FieldList = ({ kind, fields, sourceFieldId }: ListProps) => (
  <Panel id={kind.toLowerCase()} title={holderNames[kind]}>
    {fields.length === 0 ? (
      <div class="body">
        <p class="muted">{holderNames[kind]} have no field of their own yet.</p>
      </div>
    ) : (
      <ul class="rows">
        {fields.map((field, at) => (
          <li>
            <div class="grow">
              <a class="name" href={`${path}/${field.id}`}>
                {field.name}
              </a>
              <div class="small muted">
                {typeNames[field.type]}
                {field.options.length > 0 && `: ${field.options.join(', ')}`}
                {field.id === sourceFieldId && ' · says where a lead came from'}
              </div>
            </div>
            <Moves one={field} action={path} at={at} of={fields.length} />
          </li>
        ))}
      </ul>
    )}
  </Panel>
);

/** An option in an address: its label in letters that are safe there. */
const keyOf = (label: string) => Buffer.from(label).toString('base64url');
const labelOf = (key: string) => Buffer.from(key, 'base64url').toString();

const options = nameList<'/:id'>(
  {
    id: 'options',
    title: 'Options',
    noun: 'option',
    parameter: 'option',
    intro:
      'You cannot rename or remove an option that records use. Give those records another value first.',
    removed: 'Nobody can choose the option any more. An option that records use cannot be removed.',
  },
  {
    add: ({ actor, parameters: { id } }, label) => addOption(actor, id, label),
    rename: ({ actor, parameters: { id } }, key, label) =>
      renameOption(actor, id, labelOf(key), label),
    shift: ({ actor, parameters: { id } }, key, by) => shiftOption(actor, id, labelOf(key), by),
    remove: ({ actor, parameters: { id } }, key) => removeOption(actor, id, labelOf(key)),
  },
);

const showField = async ({ actor, parameters }: Visit<'/:id'>): Promise<Shown> => {
  const [field, { sourceFieldId }] = await Promise.all([
    readCustomField(actor, parameters.id),
    readFirm(actor),
  ]);
  const [held, rules, lists] = await Promise.all([
    heldValues(actor, field),
    listDateRules(actor),
    allTaskLists(actor),
  ]);
  const countsFromIt = ({ fieldId }: { fieldId: string | null }) => fieldId === field.id;
  const at = `${path}/${field.id}`;
  const chooses = field.type === 'SELECT' || field.type === 'MULTI_SELECT';
  return settingsPage({
    title: field.name,
    intro: `A custom field of ${holderNames[field.appliesTo].toLowerCase()}. Type: ${typeNames[field.type]?.toLowerCase()}.`,
    within: { path, name: 'Custom fields' },
    action: field.id !== sourceFieldId && (
      <Opens dialog="remove" class="button danger">
        Remove
      </Opens>
    ),
    main: (
      <>
        {field.id !== sourceFieldId && (
          <RemoveField
            field={field}
            action={`${at}/remove`}
            held={held}
            rules={rules.filter(countsFromIt)}
            lists={lists.filter(({ lines }) => lines.some(countsFromIt))}
            seesAll={actor.seesPrivate}
          />
        )}
        <Panel id="field" title="Name">
          <div class="body">
            <Form action={at} save="Save" within="field">
              <Text
                name="name"
                label="Name"
                hint="Programs use this name too: tell the people who maintain them."
                value={field.name}
                required
              />
            </Form>
          </div>
        </Panel>
        {chooses && (
          <options.Panel at={at} names={field.options.map((name) => ({ id: keyOf(name), name }))} />
        )}
        {field.id === sourceFieldId && (
          <div class="banner">
            <p>
              Reports count leads by this field. Choose another one under{' '}
              <a href="/settings/firm#source">Firm</a>.
            </p>
          </div>
        )}
      </>
    ),
  });
};

const remove = async ({ actor, parameters: { id } }: OfField, fields: Fields) => {
  const number = (name: string) => Number(fields.text(name) ?? Number.NaN);
  const expected = { standing: number('standing'), deleted: number('deleted') };
  const { name } = await readCustomField(actor, id);
  await removeCustomField(actor, id, expected);
  return saying(path, `Field removed: ${name}.`);
};

const addField = async ({ actor }: Visit, fields: Fields) => {
  const appliesTo = customFieldHolders.find((one) => one === fields.text('appliesTo'));
  const type = carriedTypes.find((one) => one === fields.text('type'));
  if (!appliesTo) throw invalidField('appliesTo', 'must be one of the choices');
  if (!type) throw invalidField('type', 'must be one of the choices');
  const options = (fields.text('options') ?? '').split('\n').filter((line) => line.trim());
  const name = nameIn(fields);
  await createCustomField(actor, { appliesTo, type, options, name });
  return saying(path, `Field added: ${name}.`);
};

type OfField = Visit<'/:id'>;

const nameIn = (fields: Fields) => fields.text('name') ?? '';

const rename = async ({ actor, parameters: { id } }: OfField, fields: Fields) => {
  await updateCustomField(actor, id, { name: nameIn(fields) });
  return `${path}/${id}?saved`;
};

const move = async ({ actor, parameters: { id } }: OfField, fields: Fields) => {
  await shiftCustomField(actor, id, byIn(fields));
  return saying(path, movedWords('Field')(fields));
};

const may = 'firm:write';
const one = `${path}/:id` as const;
const fieldsPage = page(path, may, showFields);
const fieldPage = page(one, may, showField);

export const fieldPages: Page[] = [
  fieldsPage,
  form(path, may, addField, fieldsPage),
  fieldPage,
  form(one, may, rename, fieldPage, { said: 'Field renamed: {title}.' }),
  form(`${one}/move`, may, move, fieldsPage),
  form(`${one}/remove`, may, remove, fieldPage),
  ...options.forms(fieldPage),
];
