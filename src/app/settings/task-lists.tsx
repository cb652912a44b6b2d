/** @jsxImportSource preact */
import { invalidField } from '../../base/refusal.ts';
import type { Reader } from '../../record/actor.ts';
import { exampleLists } from '../../task-lists/examples.ts';
import {
  addTaskList,
  allTaskLists,
  changeTaskList,
  type ListFields,
  readTaskList,
  removeTaskList,
  type TaskList,
  triggersOfLists,
} from '../../task-lists/task-list.ts';
import { Asks } from '../asks.tsx';
import { Choices } from '../choices.tsx';
import { Dialog, Opens, OpensChange } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { optionsOf, withChosen } from '../list.tsx';
import { counted } from '../numbers.ts';
import { Empty } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import { everyPlace, type Place, placeOf, placesOfLists, placeWords } from '../task-lists/words.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { settingsPage } from './sections.tsx';
import { Lines, lineForms, may, type OfList, listsPath as path } from './task-list-lines.tsx';

const title = 'Task lists';

const showLists = async ({ actor }: Visit): Promise<Shown> => {
  const [lists, places] = await Promise.all([allTaskLists(actor), placesOfLists(actor)]);
  return settingsPage({
    title,
    intro:
      'Tasks that belong together. Whoever works on a matter or a lead adds a whole list at once.',
    action: (
      <>
        <Opens dialog="example">Start from an example</Opens>
        <Opens dialog="new-list" class="button primary">
          <Icon name="plus" />
          New task list
        </Opens>
      </>
    ),
    main: (
      <>
        <Dialog id="new-list" title="New task list" class="slim">
          <Form action={path} save="Create task list">
            <ListControls places={places} />
          </Form>
        </Dialog>
        <Dialog id="example" title="Start from an example" class="slim">
          <Form action={`${path}/example`} save="Create task list">
            <p>You can change the list afterwards.</p>
            <Choices
              name="example"
              label="Example"
              value={exampleLists[0]?.name}
              options={exampleLists.map(({ name, lines }) => ({
                value: name,
                name,
                hint: lines.map((line) => line.title).join(' · '),
              }))}
            />
          </Form>
        </Dialog>
        {lists.length === 0 ? (
          <Empty text="There is no task list yet." />
        ) : (
          <Table
            caption={title}
            rows={lists}
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
                name: placeLabel,
                class: 'line-2',
                cell: (list) => placeWords(list, places),
              },
              {
                name: 'Tasks',
                class: 'line-2 nowrap',
                cell: ({ lines }) => counted(lines.length, 'task'),
              },
            ]}
          />
        )}
      </>
    ),
  });
};

const placeLabel = 'Practice area or stage';

const ListControls = ({ list, places }: { list?: TaskList; places: readonly Place[] }) => {
  const kept = list && placeOf(list);
  return (
    <>
      <Text name="name" label="Name" value={list?.name} required first />
      <Choice
        name="practiceAreaId"
        label={placeLabel}
        hint="On matters and leads of this area or stage, this list comes first."
        value={kept}
        none={everyPlace}
        options={optionsOf(
          withChosen(places, kept ? { ...list, id: kept, name: placeWords(list, places) } : null),
        )}
      />
    </>
  );
};

const showOne = async ({ actor, parameters }: OfList): Promise<Shown> => {
  const [list, places, triggers] = await Promise.all([
    readTaskList(actor, parameters.id),
    placesOfLists(actor),
    triggersOfLists(actor),
  ]);
  const at = `${path}/${list.id}`;
  return settingsPage({
    title: list.name,
    intro: `${counted(list.lines.length, 'task')} · ${placeWords(list, places)}`,
    within: { path, name: title },
    action: (
      <>
        <OpensChange dialog="change-list" verb="Name and area" of="of the list" />
        <Opens dialog="remove-list">Remove</Opens>
      </>
    ),
    main: (
      <>
        <Dialog id="change-list" title="Name and practice area or stage" class="slim">
          <Form action={at} save="Save">
            <ListControls list={list} places={places} />
          </Form>
        </Dialog>
        <Asks
          id="remove-list"
          title={`Remove ${list.name}?`}
          action={`${at}/remove`}
          verb="Remove task list"
          isEnd
        >
          <p>Tasks that came from it stay.</p>
        </Asks>
        <Lines list={list} triggers={triggers} />
      </>
    ),
  });
};

const fieldsIn = async (
  reader: Reader,
  fields: Fields,
  stored?: ListFields,
): Promise<ListFields> => {
  const id = fields.text('practiceAreaId') || null;
  const name = fields.text('name') ?? '';
  // What was removed meanwhile may stay.
  if (stored && placeOf(stored) === id) return { ...stored, name };
  const found = (await placesOfLists(reader)).find((one) => one.id === id);
  const { practiceAreaId = id, stageId = null } = found ?? {};
  return { name, practiceAreaId, stageId };
};

const addList = async ({ actor }: Visit, fields: Fields) =>
  `${path}/${await addTaskList(actor, await fieldsIn(actor, fields))}`;

const addExample = async ({ actor }: Visit, fields: Fields) => {
  const example = exampleLists.find(({ name }) => name === fields.text('example'));
  if (!example) throw invalidField('example', 'must be one of the choices');
  const { name, lines } = example;
  return `${path}/${await addTaskList(actor, { name, practiceAreaId: null, stageId: null }, lines)}`;
};

const changeList = async ({ actor, parameters: { id } }: OfList, fields: Fields) => {
  await changeTaskList(actor, id, await fieldsIn(actor, fields, await readTaskList(actor, id)));
  return `${path}/${id}`;
};

const listNow = async (reader: Reader, { parameters }: OfList) => {
  const list = await readTaskList(reader, parameters.id);
  return { name: list.name, practiceAreaId: placeOf(list) ?? '' };
};

const removeList = async ({ actor, parameters: { id } }: OfList) =>
  saying(path, `Task list removed: ${await removeTaskList(actor, id)}.`);

const one = `${path}/:id` as const;

const listsPage = page(path, may, showLists);
const listPage = page(one, may, showOne);

export const taskListPages: Page[] = [
  listsPage,
  form(path, may, addList, listsPage, { once: true, said: 'Task list added: {title}.' }),
  form(`${path}/example`, may, addExample, listsPage, {
    once: true,
    said: 'Task list added: {title}.',
  }),
  listPage,
  form(one, may, changeList, listPage, { guard: listNow, said: 'Task list changed: {title}.' }),
  form(`${one}/remove`, may, removeList, listPage),
  ...lineForms(listPage),
];
