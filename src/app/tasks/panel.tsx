/** @jsxImportSource preact */
import type { TaskLine } from '../../tasks/list.ts';
import type { AboutRecord } from '../../visibility/subject.ts';
import { Icon } from '../icon.tsx';
import { NoneYet, Panel } from '../list.tsx';
import { AppliesList } from '../task-lists/link.tsx';
import { TaskRows } from './rows.tsx';

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
