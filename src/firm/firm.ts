import { asc, eq, sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { newId } from '../base/columns.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { refuseTaken } from '../record/taken.ts';
import { type Acting, write } from '../record/write.ts';
import { ownerRole } from './role.ts';
import { firm, role } from './table.ts';

const firms = statement(() => query.select().from(firm).orderBy(asc(firm.createdAt), asc(firm.id)));

/** All firms of this database, oldest first. */
export const listFirms = (database: Runs) => database.run(firms);

/**
 * The firm that the actor's id is to be, with its role Owner and nothing else. Throws `Refusal`
 * invalid_request for its name, and for a time zone that there is none of by that name.
 */
export const createFirm = (actor: Acting, name: string, timeZone = 'UTC') =>
  write(actor, async (w) => {
    if (!isTimeZone(timeZone)) throw invalidField('timeZone', 'must be the name of a time zone');
    const made = { id: w.firmId, name: shortText('name', name), timeZone };
    w.create(firm, { ...made, createdAt: await w.now() });
    w.create(role, {
      firmId: w.firmId,
      id: newId(),
      name: ownerRole,
      permissions: [],
      holdsAll: true,
    });
  });

/** Whether this is a time zone's IANA name. */
export const isTimeZone = (name: string) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined && /^[A-Z]/.test(name);
  } catch {
    return false;
  }
};

/** Gives the firm another name. Throws `Refusal` conflict for one that another firm has. */
export const renameFirm = (actor: Acting, name: string) =>
  write(actor, async (w) => {
    const stored = await w.first(firmForChange, { id: w.firmId });
    if (!stored) throw notFound('There is no such firm.');
    const renamed = { ...stored, name: shortText('name', name) };
    if (renamed.name !== stored.name) {
      void w.run(setName, { id: w.firmId, name: renamed.name });
      w.record('update', firm, w.firmId, changesBetween(stored, renamed));
    }
    return { id: renamed.id, name: renamed.name };
  }).catch(refuseTaken('firm_name', 'Another firm of this database has this name.'));

const setName = statement(
  ({ id, name }: Given<'id' | 'name'>) => sql`update firm set name = ${name} where id = ${id}`,
);

const firmForChange = statement(({ id }: Given<'id'>) =>
  query.select().from(firm).where(eq(firm.id, id)).for('no key update'),
);
