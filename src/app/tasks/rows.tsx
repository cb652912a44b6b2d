/** @jsxImportSource preact */

import { dayIn } from '../../base/calendar-date.ts';
import type { TaskLine } from '../../tasks/list.ts';
import type { AboutRecord } from '../../visibility/subject.ts';
import { NotConfirmed } from '../confirmations.tsx';
import { DatedLine } from '../dated-line.tsx';
import { useFrame } from '../frame.tsx';
import { Icon } from '../icon.tsx';
import { awayWords, dayWords } from '../moments.tsx';
import { NoneYet, Panel } from '../page-parts.tsx';
import { RepeatsSign } from '../repeats.tsx';
import type { Visit } from '../visit.ts';
import { Avatar } from '../words.tsx';

type TasksPanelProps = {
  of: Pick<AboutRecord, 'about' | 'id'>;
  tasks: readonly TaskLine[];
  mayAdd: boolean;
  /** An archived record takes no list. */
  isArchived: boolean;
  /** The ids of those that a second person has to confirm. */
  waiting?: ReadonlySet<string>;
};

/** The tasks about a record. */
export const TasksPanel = ({ of, tasks, mayAdd, isArchived, waiting }: TasksPanelProps) => (
  <Panel
    id="tasks"
    title="Tasks"
    action={
      mayAdd && (
        <>
          {!isArchived && <AppliesList of={of} class="button quiet" />}
          <a class="button quiet" href={`/tasks/new?${of.about}=${of.id}`} aria-label="Add a task">
            <Icon name="plus" />
            Add
          </a>
        </>
      )
    }
  >
    {tasks.length === 0 ? (
      <NoneYet text="No tasks yet.">
        {mayAdd && (
          <a href={`/tasks/new?${of.about}=${of.id}`}>
            Add one<span class="hide">: task</span>
          </a>
        )}
      </NoneYet>
    ) : (
      <TaskRows tasks={tasks} namesRecord={false} waiting={waiting} />
    )}
  </Panel>
);

export const TaskRows = ({
  tasks,
  namesRecord,
  waiting,
}: {
  tasks: readonly TaskLine[];
  namesRecord: boolean;
  /** The ids of those that a second person has to confirm. */
  waiting?: ReadonlySet<string> | undefined;
}) => (
  <ul class="rows tasks">
    {tasks.map((task) => (
      <TaskRow task={task} namesRecord={namesRecord} isWaiting={waiting?.has(task.id) === true} />
    ))}
  </ul>
);

type TaskRowProps = { task: TaskLine; namesRecord: boolean; isWaiting: boolean };

const TaskRow = ({ task, namesRecord, isWaiting }: TaskRowProps) => {
  const { id, title, doneAt, record, assignee } = task;
  const when = (
    <>
      {task.rrule && <RepeatsSign rrule={task.rrule} />}
      <Due task={task} />
    </>
  );
  return (
    <DatedLine
      sign={<TaskBox {...task} isDone={doneAt !== null} />}
      path={`/tasks/${id}`}
      name={title}
      isDone={doneAt !== null}
      below={namesRecord && [record.number, record.title]}
    >
      {isWaiting ? (
        <span class="row">
          <NotConfirmed />
          {when}
        </span>
      ) : (
        when
      )}
      <Avatar name={assignee?.name ?? null} />
    </DatedLine>
  );
};

/** The box that marks a task as done or open again: one click, or D on its row. */
export const TaskBox = (props: {
  id: string;
  title: string;
  assignee: { id: string } | null;
  record: Pick<AboutRecord, 'about'>;
  isDone: boolean;
}) => {
  const { id, title, assignee, record, isDone } = props;
  const { may, session } = useFrame().visit as Visit;
  if (!may(`${record.about}s:write`) && assignee?.id !== session.member.id) {
    return <Icon name={isDone ? 'square-check' : 'circle'} />;
  }
  return (
    <form class="act" method="post" action={`/tasks/${id}/move`}>
      <input type="hidden" name="to" value={isDone ? 'open' : 'done'} />
      <button
        class={isDone ? 'tick done' : 'tick'}
        data-key="d"
        aria-label={isDone ? `Reopen: ${title}` : `Done: ${title}`}
      >
        {isDone && <Icon name="check" />}
      </button>
    </form>
  );
};

/** The day by which it is due, or on which it was done. */
const Due = ({ task: { dueOn, doneAt } }: { task: TaskLine }) => {
  const frame = useFrame();
  const { timeZone, today } = frame;
  if (doneAt) {
    return <span class="muted">Done {dayWords(dayIn(doneAt, timeZone), today, frame)}</span>;
  }
  if (dueOn === null) return <span class="muted">No due date</span>;
  return (
    <span class={dueOn < today ? 'tone-danger' : 'muted'}>
      {awayWords(dueOn, today, 'overdue')},{' '}
      <time dateTime={dueOn}>{dayWords(dueOn, today, frame)}</time>
    </span>
  );
};

/** Leads to the preview of what a task list would add to a record. */
export const AppliesList = (props: { of: Pick<AboutRecord, 'about' | 'id'>; class: string }) => (
  <a class={props.class} href={`/tasks/from-list?${props.of.about}=${props.of.id}`}>
    <Icon name="list-checks" />
    Apply a task list
  </a>
);
