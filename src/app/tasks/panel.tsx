/** @jsxImportSource preact */
import type { TaskLine } from '../../tasks/list.ts';
import { Icon } from '../icon.tsx';
import { NoneYet, Panel } from '../list.tsx';
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
      <NoneYet text="No tasks yet.">
        {mayAdd && (
          <a href={`/tasks/new?matter=${matterId}`}>
            Add one<span class="hide">: task</span>
          </a>
        )}
      </NoneYet>
    ) : (
      <TaskRows tasks={tasks} namesMatter={false} />
    )}
  </Panel>
);
