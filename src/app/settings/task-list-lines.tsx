/** @jsxImportSource preact */
import {
  type CountedFrom,
  type Counting,
  isTriggerGone,
  ofNothing,
  triggerIn,
  triggerKey,
} from '../../date-rules/trigger.ts';
import type { Reader } from '../../record/actor.ts';
import type { ListTrigger } from '../../task-lists/table.ts';
import {
  addListLine,
  changeListLine,
  type LineFields,
  type ListLine,
  limits,
  readTaskList,
  removeListLine,
  shiftListLine,
  type TaskList,
} from '../../task-lists/task-list.ts';
import { Dialog, Opens } from '../dialog.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { optionsFrom } from '../list.tsx';
import { NoneYet, Panel } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { assigneeNames, assigneeWords, dueWords } from '../task-lists/words.ts';
import { form, type Page, type ShownPage, type Visit } from '../visit.ts';
import { byIn, Moves, movedWords, removedWords } from './name-list.tsx';
import { Removes } from './removes.tsx';
import {
  DirectionControl,
  SpanControls,
  spanIn,
  spanTexts,
  triggerOptions,
} from './span-fields.tsx';

export const listsPath = '/settings/task-lists';
export const may = 'firm:write';

/** The tasks of a list, each with its form, and the form of a new one. */
export const Lines = ({ list, triggers }: Triggers & { list: TaskList }) => {
  const at = `${listsPath}/${list.id}/lines`;
  return (
    <>
      {list.lines.some(isTriggerGone) && (
        <p class="banner warn" role="note">
          <Icon name="triangle-alert" />
          Some of these tasks count from a field that was removed. They are added without a day
          until they count from another day.
        </p>
      )}
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
        <Form action={at} save="Add task">
          <LineControls triggers={triggers} />
        </Form>
      </Dialog>
      {list.lines.map((line) => (
        <Dialog id={`line-${line.id}`} title={`Change ${line.title}`}>
          <Form action={`${at}/${line.id}`} save="Save">
            <LineControls line={line} triggers={triggers} />
          </Form>
        </Dialog>
      ))}
    </>
  );
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
    <Moves one={{ id: line.id, name: line.title }} action={at} at={index} of={of} />
    <Opens dialog={`line-${line.id}`} class="button quiet icon-only">
      <Icon name="pencil" />
      <span class="hide">Change {line.title}</span>
    </Opens>
    <Removes of={line.id} name={line.title} action={`${at}/${line.id}/remove`}>
      The list no longer adds this task. Tasks that came from it stay.
    </Removes>
  </li>
);

/** What a task of a list sends. */
const textsOf = (line: LineFields) => ({
  title: line.title,
  trigger: line.trigger === null ? '' : triggerKey({ ...line, trigger: line.trigger }),
  ...spanTexts(line),
  assignee: line.assignee ?? '',
});

const newLine: LineFields = {
  title: '',
  trigger: 'applied',
  ...ofNothing,
  amount: 0,
  unit: 'workingDays',
  assignee: 'RESPONSIBLE_ATTORNEY',
};

type Triggers = { triggers: readonly Counting<ListTrigger>[] };

const LineControls = ({ line, triggers }: Triggers & { line?: ListLine }) => {
  const now = textsOf(line ?? newLine);
  return (
    <>
      <Text name="title" label="Task" value={now.title} required first />
      <Choice
        name="trigger"
        label="Due date counted from"
        hint="With 0 days, the task is due on that day itself. Of several events of a kind, the next one counts. The opening day of a lead is the day it came in."
        value={now.trigger}
        none="No due date"
        options={triggerOptions(triggers, line)}
      />
      <SpanControls now={now} />
      <DirectionControl now={now} />
      <Choice
        name="assignee"
        label="Assigned to"
        hint="On a lead, each role means the lead’s assignee."
        value={now.assignee}
        none="Nobody"
        options={optionsFrom(assigneeNames)}
      />
    </>
  );
};

/** The verb judges what is no choice. */
const lineIn = (fields: Fields): LineFields => {
  const key = fields.text('trigger');
  return {
    title: fields.text('title') ?? '',
    ...spanIn(fields),
    // Without a day there is nothing to count.
    ...(key
      ? (triggerIn(key) as CountedFrom<ListTrigger>)
      : { trigger: null, ...ofNothing, amount: 0 }),
    assignee: (fields.text('assignee') || null) as LineFields['assignee'],
  };
};

export type OfList = Visit<'/:id'>;

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

const back = (id: string) => `${listsPath}/${id}`;

const lines = `${listsPath}/:id/lines` as const;
const one = `${lines}/:lineId` as const;

/** What the forms of a list's tasks do, for those who see its page. */
export const lineForms = (shown: ShownPage): Page[] => [
  form(lines, may, addLine, shown, { once: true }),
  form(one, may, changeLine, shown, { guard: lineNow }),
  form(`${one}/move`, may, moveLine, shown),
  form(`${one}/remove`, may, removeLine, shown),
];
