import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFoundField, Refusal } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { dateRule } from '../date-rules/table.ts';
import { type Given, statement } from '../postgres/statement.ts';
import { orderedList } from '../record/ordered-list.ts';
import type { Write } from '../record/write.ts';
import { eventKind } from './table.ts';

/** The firm's kinds of events. Events keep a kind that was removed; one that a date rule counts from stays. */
export const eventKindList = orderedList(eventKind, 'event kind', async (w, { id }) => {
  const rule = await w.first(countingFrom, { firmId: w.firmId, id });
  if (!rule) return;
  throw new Refusal(
    'conflict',
    `The date rule ${JSON.stringify(rule.name)} counts from events of this kind. Change or delete the rule first.`,
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
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql<{ name: string }>`
    select ${dateRule.name} as name from ${dateRule}
    where ${dateRule.firmId} = ${firmId}::uuid and ${dateRule.eventKindId} = ${id}::uuid
      and ${dateRule.deletedAt} is null
    order by ${dateRule.name} limit 1`,
);
