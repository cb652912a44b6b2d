/** @jsxImportSource preact */
import { todayIn } from '../../base/calendar-date.ts';
import { allChecked } from '../../base/checked.ts';
import { invalid, notFound } from '../../base/refusal.ts';
import { confirmationOf, waitingAmong } from '../../date-rules/confirming.ts';
import { listMembers } from '../../firm/member.ts';
import { acknowledgeDate, noteOpened, receiptsOf } from '../../receipts/receipt.ts';
import { isEscalated } from '../../receipts/work.ts';
import {
  listTaskLines,
  readTask,
  type TaskLine,
  type TaskList,
  taskLists,
} from '../../tasks/list.ts';
import { addTask, changeTask, moveTask, type TaskMove, taskMoves } from '../../tasks/task.ts';
import {
  changesOf,
  mayMakeAbout,
  mustRead,
  namedBy,
  pathOfRecord,
  readsDates,
  recordIn,
  writers,
} from '../about.ts';
import { cameFrom } from '../address.ts';
import { Asks } from '../asks.tsx';
import { type Pickable, pickedNames } from '../away.ts';
import { ConfirmationOf } from '../confirmations.tsx';
import { Opens } from '../dialog.tsx';
import { type Fields, mustHave } from '../fields.ts';
import { Act, Form, Text } from '../form.tsx';
import { Icon } from '../icon.tsx';
import { addressWith, Foot, pageIn, Tabs } from '../list.tsx';
import { MatterField, matterPick, pickedRecord } from '../matter-field.tsx';
import { DayWords, dayInFull, type WritingIn } from '../moments.tsx';
import { Crumbs, Empty, Title } from '../page-parts.tsx';
import { HaveIt, isAsked, Receipts } from '../receipts.tsx';
import { changeFrom, controlsOf, textsOf } from '../records/field.tsx';
import { editForm, editOf } from '../records/forms.tsx';
import { Repeats } from '../repeats.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Undo, type Visit } from '../visit.ts';
import { type Task, taskFields } from './fields.ts';
import { TaskRows } from './rows.tsx';

const names: Record<TaskList, string> = {
  mine: 'Mine',
  team: 'My matters and leads',
  overdue: 'Overdue',
  done: 'Done',
};

const namesOfOther: Record<TaskList, string> = {
  mine: 'Open',
  team: 'Their matters and leads',
  overdue: 'Overdue',
  done: 'Done',
};

const nothing: Record<TaskList, string> = {
  mine: 'You have no open tasks.',
  team: 'No open tasks in your matters and leads.',
  overdue: 'No overdue tasks.',
  done: 'No finished tasks.',
};

const listIn = (query: URLSearchParams): TaskList =>
  taskLists.find((one) => one === query.get('show')) ?? 'mine';

const showTasks = async ({ actor, query, session, may }: Visit): Promise<Shown> => {
  const list = listIn(query);
  const part = pageIn(query);
  const today = todayIn(session.timeZone);
  const asked = query.get('member');
  const of = asked ? (await listMembers(actor)).find(({ id }) => id === asked) : undefined;
  const which = { today, of: of?.id ?? null };
  const { rows, total, counts } = await listTaskLines(actor, list, which, part);
  const matters = rows.flatMap(({ record }) => (record.about === 'matter' ? record.id : []));
  const waiting = await waitingAmong(actor, matters);
  const title = of ? `Tasks of ${of.name}` : 'Tasks';
  return {
    title,
    follows: ['task', 'matter', 'lead', 'ruled_date', 'date_rule'],
    work: 'list',
    main: (
      <>
        <Title title={title}>
          {may('matters:write') && (
            <a class="button primary" href="/tasks/new">
              <Icon name="plus" />
              New task
            </a>
          )}
        </Title>
        <Tabs
          label="Which tasks"
          tabs={taskLists.map((one) => ({
            href: addressWith('/tasks', query, {
              show: one === 'mine' ? null : one,
              page: null,
            }),
            name: of ? namesOfOther[one] : names[one],
            ...(one !== 'done' && { count: counts[one] }),
            isHere: one === list,
          }))}
        />
        <section class="panel" aria-label={names[list]} id="list" tabIndex={-1}>
          {rows.length === 0 ? (
            <Empty text={of ? 'There are no tasks here.' : nothing[list]} />
          ) : (
            <TaskRows tasks={rows} namesRecord waiting={waiting} />
          )}
        </section>
        {total > rows.length && <Foot part={part} total={total} shown={rows.length} />}
      </>
    ),
  };
};

type Person = Pickable & { deactivatedAt: Date | null };

/** Who can have a task: who is not deactivated, and who has it. */
export const peopleFor = (members: readonly Person[], as: WritingIn, holder?: string) => ({
  people: pickedNames(
    members.filter(({ id, deactivatedAt }) => deactivatedAt === null || id === holder),
    as,
  ),
});

const { title: what, ...others } = taskFields;

const showNew = async (visit: Visit): Promise<Shown> => {
  const { actor, session, query } = visit;
  const [pick, members] = await Promise.all([matterPick(visit), listMembers(actor)]);
  const of = recordIn(query);
  return {
    title: 'New task',
    place: '/tasks',
    work: 'form',
    main: (
      <div class="prose">
        <Title title="New task" />
        <Form
          action={of ? `/tasks/new?${of.about}=${of.id}` : '/tasks/new'}
          save="Add task"
          cancel={of ? pathOfRecord(of) : '/tasks'}
          draft={`task:${of?.id ?? 'new'}`}
          makes="task"
        >
          <Text name="title" label={what.label} required first />
          <MatterField name="matter" label="Matter" pick={pick} />
          {controlsOf(others, peopleFor(members, session), { assigneeId: session.member.id })}
        </Form>
      </div>
    ),
  };
};

const add = async (visit: Visit, fields: Fields) => {
  const of = recordIn(visit.query);
  const [record] = await allChecked(
    () => pickedRecord(visit, fields),
    () => mustHave(fields, 'title'),
  );
  const { id } = await addTask(visit.actor, {
    ...namedBy(record),
    title: '',
    ...changeFrom(taskFields, fields),
  });
  const undo = { action: `/tasks/${id}/move`, fields: [['to', 'cancelled']] } satisfies Undo;
  return saying(of ? pathOfRecord(of) : '/tasks', `Task added: ${fields.text('title')}.`, undo);
};

const showTask = async (visit: Visit<'/tasks/:id'>): Promise<Shown> => {
  const { actor, parameters, may, request, session } = visit;
  const [found, members, receipts] = await Promise.all([
    readTask(actor, parameters.id),
    listMembers(actor),
    receiptsOf(actor, parameters.id),
  ]);
  const task = mustRead(found, visit);
  // A page that renews itself may have nobody in front of it.
  if (!request.headers.has('x-member')) noteOpened(actor, parameters.id, receipts);
  const { id, title, assignee, record } = task;
  const mayWrite = may(`${record.about}s:write`);
  const isOpen = task.doneAt === null && task.cancelledAt === null;
  const [escalates, confirmation] = await Promise.all([
    isEscalated(actor, 'task', task.dueOn),
    record.about === 'matter' ? confirmationOf(actor, record.id, id) : undefined,
  ]);
  return {
    title,
    place: '/tasks',
    follows: ['task', 'matter', 'lead', 'receipt', 'ruled_date', 'date_rule'],
    main: (
      <div class="prose">
        <Crumbs path="/tasks" name="Tasks" here={record.number} to={pathOfRecord(record)} />
        <Title title={title} facts={<Facts task={task} />}>
          {task.dueOn !== null && isAsked(receipts, actor) && (
            <HaveIt of={{ about: 'task', recordId: id, day: task.dueOn }} />
          )}
          <Moves task={task} mayWrite={mayWrite} />
        </Title>
        <ConfirmationOf date={confirmation} />
        {isOpen && mayWrite ? (
          <Form action={`/tasks/${id}`} save="Save" cancel={pathOfRecord(record)}>
            {controlsOf(
              taskFields,
              peopleFor(members, session, assignee?.id),
              textsOf(taskFields, task),
            )}
          </Form>
        ) : (
          <p>Assigned to {assignee?.name ?? 'nobody'}.</p>
        )}
        <Receipts lines={receipts} about="task" isEscalated={escalates} />
      </div>
    ),
  };
};

const Facts = ({ task: { doneAt, cancelledAt, dueOn, rrule, record } }: { task: TaskLine }) => (
  <>
    <span class={doneAt || cancelledAt ? 'tag' : 'tag accent'}>
      {doneAt ? 'Done' : cancelledAt ? 'Cancelled' : 'Open'}
    </span>
    <span>{record.title}</span>
    {dueOn && (
      <span>
        Due <DayWords day={dueOn} />
      </span>
    )}
    {rrule && <Repeats rrule={rrule} />}
  </>
);

const Moves = ({ task, mayWrite }: { task: TaskLine; mayWrite: boolean }) => {
  const action = `/tasks/${task.id}/move`;
  const isOpen = task.doneAt === null && task.cancelledAt === null;
  if (!isOpen)
    return (
      <Act action={action} fields={{ to: 'open' }}>
        Reopen
      </Act>
    );
  return (
    <>
      <Act action={action} fields={{ to: 'done' }} class="button">
        <Icon name="check" />
        Done
      </Act>
      {mayWrite && (
        <>
          <Opens dialog="cancel">Cancel task</Opens>
          <Asks
            id="cancel"
            title="Cancel this task?"
            action={action}
            fields={{ to: 'cancelled' }}
            verb="Cancel task"
            back="Keep task"
            isEnd
          >
            <p>{task.title}</p>
            <p class="muted">
              The task leaves the lists{task.rrule && ' and no longer repeats'}. You can reopen the
              task on this page.
            </p>
          </Asks>
        </>
      )}
    </>
  );
};

const taskEdit = editOf<Task>({
  fields: taskFields,
  read: async (reader, id) => {
    const task = await readTask(reader, id);
    if (!task) throw notFound();
    return task;
  },
  change: changeTask,
});

const moveWords: Record<TaskMove, string> = {
  done: 'Done',
  open: 'Reopened',
  cancelled: 'Cancelled',
};

const move = async (visit: Visit<'/tasks/:id/move'>, fields: Fields) => {
  const to = fields.text('to') as TaskMove;
  if (!taskMoves.includes(to)) throw invalid('A task can be done, open or cancelled.');
  const { actor, parameters, request, session } = visit;
  const before = await readTask(actor, parameters.id);
  const next = await moveTask(actor, parameters.id, to);
  const back = before?.doneAt ? 'done' : before?.cancelledAt ? 'cancelled' : 'open';
  const undo: Undo | false = back !== to && { action: visit.path, fields: [['to', back]] };
  const day = next?.dueOn && dayInFull(next.dueOn, session);
  const more =
    to === 'done' ? ` The next one is due ${day}.` : ` The next one, due ${day}, was removed.`;
  const words = `${moveWords[to]}: ${before?.title}.${day ? more : ''}`;
  return saying(cameFrom(request, '/tasks'), words, undo);
};

const acknowledge = async (visit: Visit<'/tasks/:id/acknowledged'>, fields: Fields) => {
  const { actor, request, session } = visit;
  const { id } = visit.parameters;
  const task = mustRead(await readTask(actor, id), visit);
  const day = fields.text('day') ?? '';
  await acknowledgeDate(actor, id, day);
  const words = `You have the task ${task.title}, due ${dayInFull(day, session)}.`;
  return saying(cameFrom(request, `/tasks/${id}`), words);
};

const mayChange = changesOf(readTask);

const tasksPage = page('/tasks', readsDates, showTasks);
const newPage = page('/tasks/new', writers, showNew, { also: mayMakeAbout });
const taskPage = page('/tasks/:id', readsDates, showTask);

export const taskPages: Page[] = [
  tasksPage,
  newPage,
  form('/tasks/new', writers, add, newPage, { once: true, also: mayMakeAbout }),
  taskPage,
  editForm(taskPage, writers, taskEdit, { also: mayChange, said: 'Task changed: {title}.' }),
  form('/tasks/:id/acknowledged', readsDates, acknowledge, taskPage),
  form('/tasks/:id/move', readsDates, move, tasksPage),
];
