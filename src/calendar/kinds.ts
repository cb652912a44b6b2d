import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { dateRule } from '../date-rules/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { orderedList } from '../record/ordered-list.ts';
import type { Write } from '../record/write.ts';
import { taskList, taskListLine } from '../task-lists/table.ts';
import { eventKind } from './table.ts';

/** The firm's kinds of events. Events keep a kind that was removed; one that is counted from stays. */
export const eventKindList = orderedList(eventKind, 'event kind', async (w, { id }) => {
  const found = await w.first(countingFrom, { firmId: w.firmId, id });
  if (!found) return;
  const { name, isRule } = found;
  throw new Refusal(
    'conflict',
    isRule
      ? `The date rule ${JSON.stringify(name)} counts from events of this kind. Change or delete the rule first.`
      : `The task list ${JSON.stringify(name)} counts from events of this kind. Change or remove its tasks first.`,
  );
});

/**
 * The kind that an event will have, kept on the list until the commit. Throws `Refusal` not_found for one that the firm does
 * not have.
 */
export const kindFor = async (w: Write, kindId: string | null): Promise<string | null> => {
  if (kindId === null) return null;
  if (!isId(kindId) || !(await eventKindList.hold(w, kindId))) {
    throw notFoundField('kindId', isNotTheIdOf('an event kind of the firm'));
  }
  return kindId;
};

const countingFrom = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ name: string; isRule: boolean }>`
    select ${dateRule.name} as name, true as "isRule" from ${dateRule}
    where ${dateRule.firmId} = ${firmId}::uuid and ${dateRule.eventKindId} = ${id}::uuid
      and ${dateRule.deletedAt} is null
    union all
    select ${taskList.name}, false from ${taskListLine}
    join ${taskList} on ${taskList.firmId} = ${taskListLine.firmId} and ${taskList.id} = ${taskListLine.listId}
      and ${taskList.deletedAt} is null
    where ${taskListLine.firmId} = ${firmId}::uuid and ${taskListLine.eventKindId} = ${id}::uuid
      and ${taskListLine.deletedAt} is null
    order by 2 desc, 1 limit 1`,
);
