import { and, eq, sql } from 'drizzle-orm';
import { newId } from '../base/columns.ts';
import { invalidField, notFound, Refusal } from '../base/refusal.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Actor } from '../record/actor.ts';
import { write } from '../record/write.ts';
import { type ListName, savedView } from './table.ts';

const longestName = 64;
const longestQuery = 2_000;
const maxPerMember = 100;

/** A view of a list, as its maker sees it, and if it is shared, the whole firm. */
export type View = Pick<
  typeof savedView.$inferSelect,
  'id' | 'name' | 'query' | 'memberId' | 'isShared'
>;

/**
 * Keeps how a member looks at a list, under a name; their view of the same name is replaced. Throws
 * `Refusal` invalid_request for the name, conflict past 100 views.
 */
export const saveView = (
  actor: Actor,
  view: { list: ListName; name: string; query: string; isShared: boolean },
) =>
  write(actor, async (w) => {
    const { memberId } = w;
    if (memberId === null) throw notFound();
    const name = view.name.trim();
    if (!name || [...name].length > longestName) {
      throw invalidField('name', {
        rule: `must be 1 to ${longestName} characters`,
        kind: { kind: 'length', max: longestName },
      });
    }
    const [own, now] = await Promise.all([
      w.run(ownViews, { firmId: w.firmId, memberId, list: view.list }),
      w.now(),
    ]);
    const fields = { query: view.query.slice(0, longestQuery), isShared: view.isShared };
    const known = own.find((one) => one.name === name);
    if (known) return void w.update(savedView, known, { ...fields, updatedAt: now });
    if (own.length >= maxPerMember) {
      throw new Refusal('conflict', `You have ${maxPerMember} views. Remove one first.`);
    }
    w.create(savedView, {
      firmId: w.firmId,
      id: newId(),
      memberId,
      list: view.list,
      name,
      ...fields,
      createdAt: now,
      updatedAt: now,
    });
  });

const ownViews = statement(
  ({ firmId, memberId, list }: Given<{ firmId: string; memberId: string; list: ListName }>) =>
    query
      .select()
      .from(savedView)
      .where(
        and(
          eq(savedView.firmId, firmId),
          eq(savedView.memberId, memberId),
          eq(savedView.list, list),
        ),
      )
      .for('update'),
);

/**
 * Removes a member's own view. Owners can also remove the firm's. It gives the view, for `saveView` to bring it back;
 * undefined if the member has another view of its name, in whose place it would come. Throws `Refusal` not_found.
 */
export const removeView = (actor: Actor, id: string) =>
  write(actor, async (w) => {
    const stored = await w.first(viewById, { firmId: w.firmId, id });
    const mayRemove =
      stored && (stored.memberId === w.memberId || (stored.isShared && w.seesPrivate));
    if (!mayRemove) throw notFound();
    const { list, name, query, isShared } = stored;
    const isOwn = stored.memberId === w.memberId;
    const { firmId, memberId } = w;
    const own = isOwn || !memberId ? [] : await w.run(ownViews, { firmId, memberId, list });
    void w.run(dropView, { firmId, id });
    w.record('delete', savedView, id, { name: { before: name, after: null } });
    return own.some((one) => one.name === name) ? undefined : { name, query, isShared };
  });

const viewById = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query
    .select()
    .from(savedView)
    .where(and(eq(savedView.firmId, firmId), sql`${savedView.id}::text = ${id}`))
    .for('update'),
);

const dropView = statement(({ firmId, id }: Given<'firmId' | 'id'>) =>
  query.delete(savedView).where(and(eq(savedView.firmId, firmId), eq(savedView.id, id))),
);
