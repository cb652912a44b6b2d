/** @jsxImportSource preact */
import {
  allMatterTypes,
  createMatterType,
  removeMatterType,
  updateMatterType,
} from '../../matter-types/matter-type.ts';
import { matterTypeChange, newMatterType } from '../../matter-types/wire.ts';
import { allPracticeAreas, areaWithStages } from '../../practice-areas/list.ts';
import {
  createPracticeArea,
  expectLimitationDate,
  removePracticeArea,
  updatePracticeArea,
} from '../../practice-areas/practice-area.ts';
import {
  addAreaStage,
  removeAreaStage,
  renameAreaStage,
  shiftAreaStage,
} from '../../practice-areas/stages.ts';
import { newPracticeArea, practiceAreaChange } from '../../practice-areas/wire.ts';
import { Dialog, Opens } from '../dialog.tsx';
import { checked, type Fields } from '../fields.ts';
import { Act, Form, Text, TextArea } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Empty, Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { nameList, removedWords } from './name-list.tsx';
import { Removes } from './removes.tsx';
import { settingsPage } from './sections.tsx';

const path = '/settings/practice-areas';
const title = 'Practice areas';

const showAreas = async ({ actor }: Visit): Promise<Shown> => {
  const [areas, types] = await Promise.all([allPracticeAreas(actor), allMatterTypes(actor)]);
  const typesOf = Map.groupBy(types, ({ practiceAreaId }) => practiceAreaId);
  return settingsPage({
    title,
    intro: 'The fields of law the firm works in. Each has a board of its own.',
    action: (
      <Opens dialog="new-area" class="button primary">
        <Icon name="plus" />
        New practice area
      </Opens>
    ),
    main: (
      <>
        <NewArea />
        {areas.length === 0 ? (
          <Empty text="There is no practice area yet. A matter needs one." />
        ) : (
          <Table
            caption={title}
            rows={areas}
            columns={[
              {
                name: 'Name',
                isHead: true,
                class: 'line-1',
                cell: ({ id, name }) => (
                  <a class="name" href={`${path}/${id}`}>
                    {name}
                  </a>
                ),
              },
              {
                name: 'Stages',
                class: 'line-2 wraps',
                cell: ({ stages }) => namesOf(stages, 'No stage yet'),
              },
              {
                name: 'Matter types',
                class: 'wraps',
                cell: ({ id }) => namesOf(typesOf.get(id) ?? [], 'None'),
              },
              {
                name: 'Limitation date',
                class: 'nowrap',
                cell: ({ expectsLimitationDate }) =>
                  expectsLimitationDate ? 'Expected' : <span class="muted">Not expected</span>,
              },
            ]}
          />
        )}
      </>
    ),
  });
};

const namesOf = (all: readonly { name: string }[], none: string) =>
  all.length > 0 ? all.map(({ name }) => name).join(', ') : <span class="muted">{none}</span>;

const NewArea = () => (
  <Dialog id="new-area" title="New practice area">
    <Form action={path} save="Create practice area">
      <Text name="name" label="Name" required first />
      <TextArea
        name="stages"
        label="Stages"
        hint="One per line, from left to right on the board."
        rows={6}
      />
    </Form>
  </Dialog>
);

const stages = nameList<'/:id'>(
  {
    id: 'stages',
    title: 'Stages',
    noun: 'stage',
    intro:
      'Stages, in board order. A stage that holds matters cannot be removed: move its matters first.',
    removed: 'Its column leaves the board. A stage that holds matters cannot be removed.',
  },
  {
    add: ({ actor, parameters: { id } }, name) => addAreaStage(actor, id, name),
    rename: ({ actor, parameters: { id } }, stage, name) => renameAreaStage(actor, id, stage, name),
    shift: ({ actor, parameters: { id } }, stage, by) => shiftAreaStage(actor, id, stage, by),
    remove: ({ actor, parameters: { id } }, stage) => removeAreaStage(actor, id, stage),
  },
);

const matterTypes = nameList<'/:id'>(
  {
    id: 'types',
    title: 'Matter types',
    noun: 'matter type',
    intro: 'The kinds of matter in this area.',
    removed: 'Matters keep this type. It can no longer be chosen.',
  },
  {
    add: ({ actor, parameters: { id } }, name) =>
      createMatterType(actor, checked(newMatterType, { practiceAreaId: id, name })),
    rename: ({ actor }, type, name) =>
      updateMatterType(actor, type, checked(matterTypeChange, { name })),
    remove: ({ actor }, type) => removeMatterType(actor, type),
  },
);

const showArea = async ({ actor, parameters }: Visit<'/:id'>): Promise<Shown> => {
  const [area, types] = await Promise.all([
    areaWithStages(actor, parameters.id),
    allMatterTypes(actor),
  ]);
  const at = `${path}/${area.id}`;
  return settingsPage({
    title: area.name,
    intro: 'A practice area',
    within: { path, name: 'Practice areas' },
    main: (
      <>
        <Panel id="area" title="Name">
          <div class="body">
            <Form action={at} save="Save" within="area">
              <Text name="name" label="Name" value={area.name} required />
            </Form>
          </div>
        </Panel>
        <stages.Panel at={at} names={area.stages} />
        <matterTypes.Panel
          at={at}
          names={types.filter(({ practiceAreaId }) => practiceAreaId === area.id)}
        />
        <Expectation action={`${at}/limitation`} isExpected={area.expectsLimitationDate} />
        <Panel id="remove" title="Remove">
          <div class="body stack">
            <p class="muted">
              New matters cannot be opened in a removed practice area. Its matters stay in it.
            </p>
            <div class="row">
              <Removes
                of={area.id}
                name={area.name}
                action={`${at}/remove`}
                verb="Remove practice area"
                class="button danger"
              >
                Its matters stay in it. Its stages and matter types are no longer offered.
              </Removes>
            </div>
          </div>
        </Panel>
      </>
    ),
  });
};

const Expectation = ({ action, isExpected }: { action: string; isExpected: boolean }) => (
  <Panel id="limitation" title="Limitation date">
    <div class="body stack">
      <p>
        {isExpected
          ? 'Expects a limitation date. Home and the report show matters without one.'
          : 'Does not expect a limitation date.'}
      </p>
      <div>
        <Act action={action} fields={{ expects: isExpected ? 'no' : 'yes' }}>
          {isExpected ? 'Do not expect a limitation date' : 'Expect a limitation date'}
        </Act>
      </div>
    </div>
  </Panel>
);

const addArea = async ({ actor }: Visit, fields: Fields) => {
  const stages = (fields.text('stages') ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((name) => ({ name }));
  const body = checked(newPracticeArea, { name: fields.text('name') ?? '', stages });
  const { id } = await createPracticeArea(actor, body);
  return `${path}/${id}`;
};

type OfArea = Visit<'/:id'>;

const nameIn = (fields: Fields) => fields.text('name') ?? '';
const back = (id: string) => `${path}/${id}`;

const renameArea = async ({ actor, parameters: { id } }: OfArea, fields: Fields) => {
  await updatePracticeArea(actor, id, checked(practiceAreaChange, { name: nameIn(fields) }));
  return `${back(id)}?saved`;
};

const expect = async ({ actor, parameters: { id } }: OfArea, fields: Fields) => {
  await expectLimitationDate(actor, id, fields.text('expects') === 'yes');
  return `${back(id)}?saved`;
};

const removeArea = async ({ actor, parameters: { id } }: OfArea, fields: Fields) => {
  await removePracticeArea(actor, id);
  return saying(path, removedWords('Practice area')(fields));
};

const may = 'firm:write';
const one = `${path}/:id` as const;

const areasPage = page(path, may, showAreas);
const areaPage = page(one, may, showArea);

export const practiceAreaPages: Page[] = [
  areasPage,
  form(path, may, addArea, areasPage, { said: 'Practice area added: {title}.' }),
  areaPage,
  form(one, may, renameArea, areaPage, { said: 'Practice area renamed: {title}.' }),
  form(`${one}/limitation`, may, expect, areaPage, {
    said: 'The limitation date setting of {title} is changed.',
  }),
  form(`${one}/remove`, may, removeArea, areaPage),
  ...stages.forms(areaPage),
  ...matterTypes.forms(areaPage),
];
