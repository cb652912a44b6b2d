/** @jsxImportSource preact */
import type { Subject } from '../../about/subject.ts';
import { notFound } from '../../base/refusal.ts';
import { applyTaskList, type Proposed, proposeTasks, recordFor } from '../../task-lists/applied.ts';
import { allTaskLists, type ListFields, limits } from '../../task-lists/task-list.ts';
import { takeTasksBack } from '../../tasks/task.ts';
import { mayMakeAbout, namedBy, pathOfRecord, recordIn, writers } from '../about.ts';
import { Checks } from '../choices.tsx';
import type { Fields } from '../fields.ts';
import { Choice, Day, Form } from '../form.tsx';
import { useForm, useFrame } from '../frame.tsx';
import { matterPick } from '../matter-field.tsx';
import { dayInFull } from '../moments.tsx';
import { counted } from '../numbers.ts';
import { Empty, Title } from '../page-parts.tsx';
import { saying } from '../said.ts';
import { form, type Page, page, type Shown, type Undo, type Visit } from '../visit.ts';
import { Avatar } from '../words.tsx';
import { reckonedWords } from './words.ts';

const path = '/tasks/from-list';
const title = 'Apply a task list';

const recordOf = ({ query }: Visit) => {
  const record = recordIn(query);
  if (!record) throw notFound();
  return record;
};

const showPreview = async (visit: Visit): Promise<Shown> => {
  const { actor, query, may, refused } = visit;
  const of = recordOf(visit);
  const named = namedBy(of);
  const [at, lists, { fixed }] = await Promise.all([
    recordFor(actor, named),
    allTaskLists(actor),
    matterPick(visit),
  ]);
  // Those of its stage come first, then those of its practice area, then those of all, then the others.
  const rank = ({ practiceAreaId, stageId }: ListFields) => {
    if (practiceAreaId === null) return 2;
    if (practiceAreaId !== at.practiceAreaId) return 3;
    if (stageId === null) return 1;
    return stageId === at.stageId ? 0 : 3;
  };
  const offered = lists
    .filter(({ lines }) => lines.length > 0)
    .sort((one, other) => rank(one) - rank(other));
  const asked = refused?.fields.text('list') ?? query.get('list');
  const list = offered.find(({ id }) => id === asked) ?? offered[0];
  const proposal = list && (await proposeTasks(actor, named, list.id));
  // What was sent is of another preview than this one.
  const isAnew = refused?.fields.text('seen') !== proposal?.seen;
  return {
    title,
    place: `/${of.about}s`,
    work: 'form',
    main: (
      <div class="prose">
        <Title title={title} facts={fixed && `${fixed.number} ${fixed.title}`} />
        {!proposal ? (
          <Empty text="The firm has no task list yet.">
            {may('firm:write') ? (
              <a class="button" href="/settings/task-lists">
                Task lists in the settings
              </a>
            ) : (
              <p class="muted">Anyone who may change the firm’s settings can create a task list.</p>
            )}
          </Empty>
        ) : (
          <>
            <form
              class="form choose-list"
              method="get"
              action={path}
              autocomplete="off"
              data-script="filters"
            >
              <input type="hidden" name={of.about} value={of.id} />
              <Choice
                name="list"
                label="Task list"
                value={proposal.id}
                options={offered.map(({ id, name, lines }) => ({
                  value: id,
                  name: `${name} (${counted(lines.length, 'task')})`,
                }))}
              />
              <button class="button only-plain">Show</button>
            </form>
            <Form
              action={`${path}?${of.about}=${of.id}`}
              save="Add tasks"
              cancel={pathOfRecord(of)}
              within="preview"
              {...(isAnew && { names: [] })}
            >
              <input type="hidden" name="list" value={proposal.id} />
              <input type="hidden" name="seen" value={proposal.seen} />
              <Checks name="lines" label="Tasks to add. Untick those that you do not need.">
                <ul class="rows preview">
                  {proposal.tasks.map((task) => (
                    <Line task={task} about={of.about} />
                  ))}
                </ul>
              </Checks>
            </Form>
          </>
        )}
      </div>
    ),
  };
};

const Line = ({ task, about }: { task: Proposed; about: Subject['about'] }) => {
  const frame = useFrame();
  const { refused } = useForm();
  const { id, assignedTo, isThere } = task;
  const isChosen = refused?.fields.all('lines').includes(id) ?? !isThere;
  return (
    <li>
      <label class="hit">
        <input
          type="checkbox"
          name="lines"
          value={id}
          checked={isChosen}
          aria-label={`Add: ${task.title}`}
        />
      </label>
      <div class="grow">
        {task.title}
        <div class="sub">
          {reckonedWords(task, about, (day) => dayInFull(day, frame))}
          {isThere && (
            <>
              {' · '}
              <span class="tone-warn">already a task</span>
            </>
          )}
          {task.assignee !== null && !assignedTo && ' · nobody has this role'}
        </div>
      </div>
      <Day name={`dueOn.${id}`} label="Due on" value={task.dueOn} />
      <span class="whose">
        <Avatar name={assignedTo?.name ?? null} plain />
        {assignedTo?.name ?? 'Nobody'}
      </span>
    </li>
  );
};

const apply = async (visit: Visit, fields: Fields) => {
  const of = recordOf(visit);
  const { name, ids } = await applyTaskList(visit.actor, namedBy(of), {
    listId: fields.text('list') ?? '',
    seen: fields.text('seen') ?? '',
    wanted: fields.all('lines').map((id) => ({ id, dueOn: fields.text(`dueOn.${id}`) || null })),
  });
  const undo: Undo = {
    action: `${path}/undo?${of.about}=${of.id}`,
    fields: ids.map((id) => ['task', id]),
  };
  return saying(pathOfRecord(of), `${counted(ids.length, 'task')} added from ${name}.`, undo);
};

const undo = async (visit: Visit, fields: Fields) => {
  const of = recordOf(visit);
  const ids = [...new Set(fields.all('task'))].slice(0, limits.lines);
  const count = await takeTasksBack(visit.actor, namedBy(of), ids);
  const left = ids.length - count;
  const stay =
    left > 0
      ? ` ${counted(left, 'task')} stayed: somebody has changed ${left === 1 ? 'it' : 'them'}.`
      : '';
  return saying(pathOfRecord(of), `${counted(count, 'task')} cancelled.${stay}`);
};

const previewPage = page(path, writers, showPreview, { also: mayMakeAbout });

/** The pages on which a whole list is added to a matter or a lead. */
export const fromListPages: Page[] = [
  previewPage,
  form(path, writers, apply, previewPage, { once: true, also: mayMakeAbout }),
  form(`${path}/undo`, writers, undo, previewPage, { also: mayMakeAbout }),
];
