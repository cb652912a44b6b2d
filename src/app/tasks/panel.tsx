/** @jsxImportSource preact */
import type { TaskLine } from '../../tasks/list.ts';
import { Icon } from '../icon.tsx';
import { Empty, Panel } from '../list.tsx';
import { TaskRows } from './rows.tsx';

type MatterTasksProps = { matterId: string; tasks: readonly TaskLine[]; mayAdd: boolean };

export const MatterTasks = ({ matterId, tasks, mayAdd }: MatterTasksProps) => (
  <Panel
    id="tasks"
    title="Tasks"
    action={
      mayAdd && (
        <a class="button quiet" href={`/tasks/new?matter=${matterId}`} aria-label="Add a task">
          <Icon name="plus" />
          Add
        </a>
      )
    }
  >
    {tasks.length === 0 ? (
      <Empty text="This matter has no tasks." />
    ) : (
      <TaskRows tasks={tasks} namesMatter={false} />
    )}
  </Panel>
);
