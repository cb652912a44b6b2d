/** @jsxImportSource preact */
import { invalidField } from '../../base/refusal.ts';
import type { Reader } from '../../record/actor.ts';
import { exampleLists } from '../../task-lists/examples.ts';
import {
  addListLine,
  addTaskList,
  allTaskLists,
  changeListLine,
  changeTaskList,
  type ListFields,
  type ListLine,
  limits,
  readTaskList,
  removeListLine,
  removeTaskList,
  shiftListLine,
  type TaskList,
} from '../../task-lists/task-list.ts';
import { Asks } from '../asks.tsx';
import { Choices } from '../choices.tsx';
import { Dialog, Opens, OpensChange } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { Empty, NoneYet, optionsFrom, optionsOf, Panel, withChosen } from '../list.tsx';
import { counted } from '../numbers.ts';
import { saying } from '../said.ts';
import { Table } from '../table.tsx';
import {
  assigneeNames,
  assigneeWords,
  dueWords,
  everyPlace,
  type Place,
  placeOf,
  placesOfLists,
  placeWords,
  startNames,
} from '../task-lists/words.ts';
import { form, type Page, page, type Shown, type Visit } from '../visit.ts';
import { byIn, Moves, movedWords, removedWords } from './name-list.tsx';
import { Removes } from './removes.tsx';
import { settingsPage } from './sections.tsx';
import { DirectionControl, SpanControls, spanIn, spanTexts } from './span-fields.tsx';

const path = '/settings/task-lists';
const may = 'firm:write';
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
        <Opens dialog="new-list">
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
            <p>You can change everything in it afterwards.</p>
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
        hint="Its matters and leads are offered this list first."
        value={kept}
        none={everyPlace}
        options={optionsOf(
          withChosen(places, kept ? { ...list, id: kept, name: placeWords(list, places) } : null),
        )}
      />
    </>
  );
};

type OfList = Visit<'/:id'>;

const showOne = async ({ actor, parameters }: OfList): Promise<Shown> => {
  const [list, places] = await Promise.all([
    readTaskList(actor, parameters.id),
    placesOfLists(actor),
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
        <Panel
          id="lines"
          title="Tasks"
          action={
            list.lines.length < limits.lines && (
              <Opens dialog="new-line" class="button quiet">
                <Icon name="plus" />
                Task
              </Opens>
            )
          }
        >
          {list.lines.length === 0 && <NoneYet text="The list has no task yet." />}
          <ul class="rows listed">
            {list.lines.map((line, index) => (
              <Line line={line} at={at} index={index} of={list.lines.length} />
            ))}
          </ul>
        </Panel>
        <Dialog id="new-line" title="New task">
          <Form action={`${at}/lines`} save="Add task">
            <LineControls />
          </Form>
        </Dialog>
        {list.lines.map((line) => (
          <Dialog id={`line-${line.id}`} title={`Change ${line.title}`}>
            <Form action={`${at}/lines/${line.id}`} save="Save">
              <LineControls line={line} />
            </Form>
          </Dialog>
        ))}
      </>
    ),
  });
};

type LineProps = { line: TaskList['lines'][number]; at: string; index: number; of: number };

const Line = ({ line, at, index, of }: LineProps) => (
  <li>
    <div class="grow">
      {line.title}
      <div class="sub">
        {dueWords(line)} · {assigneeWords(line)}
      </div>
    </div>
    <Moves one={{ id: line.id, name: line.title }} action={`${at}/lines`} at={index} of={of} />
    <Opens dialog={`line-${line.id}`} class="button quiet icon-only">
      <Icon name="pencil" />
      <span class="hide">Change {line.title}</span>
    </Opens>
    <Removes of={line.id} name={line.title} action={`${at}/lines/${line.id}/remove`}>
      The list no longer adds this task. Tasks that came from it stay.
    </Removes>
  </li>
);

/** What a task of a list sends. */
const textsOf = (line: ListLine) => ({
  title: line.title,
  startDay: line.startDay ?? '',
  ...spanTexts(line),
  assignee: line.assignee ?? '',
});

const newLine: ListLine = {
  title: '',
  startDay: 'applied',
  amount: 0,
  unit: 'workingDays',
  assignee: 'RESPONSIBLE_ATTORNEY',
};

const LineControls = ({ line = newLine }: { line?: ListLine }) => {
  const now = textsOf(line);
  return (
    <>
      <Text name="title" label="Task" value={now.title} required first />
      <Choice
        name="startDay"
        label="Its day is counted from"
        hint="0 days after it is that day itself. A lead’s opening day is the one on which it came in."
        value={now.startDay}
        none="It has no day"
        options={optionsFrom(startNames)}
      />
      <SpanControls now={now} />
      <DirectionControl now={now} />
      <Choice
        name="assignee"
        label="Assigned to"
        hint="On a lead, each part is its assignee’s."
        value={now.assignee}
        none="Nobody"
        options={optionsFrom(assigneeNames)}
      />
    </>
  );
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

const lineIn = (fields: Fields): ListLine => ({
  title: fields.text('title') ?? '',
  startDay: (fields.text('startDay') || null) as ListLine['startDay'],
  ...spanIn(fields),
  // Without a day there is nothing to count.
  ...(!fields.text('startDay') && { amount: 0 }),
  assignee: (fields.text('assignee') || null) as ListLine['assignee'],
});

const addList = async ({ actor }: Visit, fields: Fields) =>
  `${path}/${await addTaskList(actor, await fieldsIn(actor, fields))}`;

const addExample = async ({ actor }: Visit, fields: Fields) => {
  const example = exampleLists.find(({ name }) => name === fields.text('example'));
  if (!example) throw invalidField('example', 'must be one of the choices');
  const { name, lines } = example;
  return `${path}/${await addTaskList(actor, { name, practiceAreaId: null, stageId: null }, lines)}`;
};

const back = (id: string) => `${path}/${id}`;

const changeList = async ({ actor, parameters: { id } }: OfList, fields: Fields) => {
  await changeTaskList(actor, id, await fieldsIn(actor, fields, await readTaskList(actor, id)));
  return back(id);
};

const listNow = async (reader: Reader, { parameters }: OfList) => {
  const list = await readTaskList(reader, parameters.id);
  return { name: list.name, practiceAreaId: placeOf(list) ?? '' };
};

const removeList = async ({ actor, parameters: { id } }: OfList) =>
  saying(path, `Task list removed: ${await removeTaskList(actor, id)}.`);

const addLine = async ({ actor, parameters: { id } }: OfList, fields: Fields) => {
  await addListLine(actor, id, lineIn(fields));
  return saying(back(id), `Task added: ${fields.text('title')}.`);
};

type OfLine = Visit<'/:id/:lineId'>;

const changeLine = async ({ actor, parameters: { id, lineId } }: OfLine, fields: Fields) => {
  await changeListLine(actor, id, lineId, lineIn(fields));
  return saying(back(id), `Task changed: ${fields.text('title')}.`);
};

const lineNow = async (reader: Reader, { parameters: { id, lineId } }: OfLine) => {
  const line = (await readTaskList(reader, id)).lines.find((one) => one.id === lineId);
  return line ? textsOf(line) : {};
};

const moveLine = async ({ actor, parameters: { id, lineId } }: OfLine, fields: Fields) => {
  await shiftListLine(actor, id, lineId, byIn(fields));
  return saying(back(id), movedWords('Task')(fields));
};

const removeLine = async ({ actor, parameters: { id, lineId } }: OfLine, fields: Fields) => {
  await removeListLine(actor, id, lineId);
  return saying(back(id), removedWords('Task')(fields));
};

const one = `${path}/:id` as const;
const line = `${one}/lines/:lineId` as const;

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
  form(`${one}/lines`, may, addLine, listPage, { once: true }),
  form(line, may, changeLine, listPage, { guard: lineNow }),
  form(`${line}/move`, may, moveLine, listPage),
  form(`${line}/remove`, may, removeLine, listPage),
];
