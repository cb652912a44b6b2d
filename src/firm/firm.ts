import { asc, eq, sql } from 'drizzle-orm';
import { changesBetween } from '../audit/entry.ts';
import { newId } from '../base/columns.ts';
import { notFound } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import type { Runs } from '../postgres/pool.ts';
import { type Given, query, shortStatement, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import { refuseTaken } from '../record/taken.ts';
import { type Acting, write } from '../record/write.ts';
import { ownerRole } from './role.ts';
import { firm, role } from './table.ts';
import { timeZoneFrom, usualTimeZone } from './time-zone.ts';

const firms = statement(() => query.select().from(firm).orderBy(asc(firm.createdAt), asc(firm.id)));

/** All firms of this database, oldest first. */
export const listFirms = (database: Runs) => database.run(firms);

/**
 * Makes the firm with the id of the actor's firm, with its role Owner and nothing else. Throws
 * `Refusal` invalid_request for a wrong name or an unknown time zone.
 */
export const createFirm = (actor: Acting, name: string, timeZone = usualTimeZone) =>
  write(actor, async (w) => {
    const made = {
      id: w.firmId,
      name: shortText('name', name),
      timeZone: timeZoneFrom(timeZone),
    };
    w.create(firm, { ...made, createdAt: await w.now() });
    w.create(role, {
      firmId: w.firmId,
      id: newId(),
      name: ownerRole,
      permissions: [],
      holdsAll: true,
    });
  });

/** The firm and its settings. Throws `Refusal` not_found. */
export const readFirm = async (reader: Reader) => {
  const found = await reader.first(thisFirm, { id: reader.firmId });
  if (!found) throw noSuchFirm();
  return found;
};

/**
 * Changes the firm's name or its time zone, an IANA name: days and years begin at midnight there.
 * Throws `Refusal` invalid_request, and conflict for a name that another firm has.
 */
export const changeFirm = (actor: Acting, change: { name?: string; timeZone?: string }) =>
  write(actor, async (w) => {
    const stored = await w.first(firmForChange, { id: w.firmId });
    if (!stored) throw noSuchFirm();
    const changed = {
      ...stored,
      name: change.name === undefined ? stored.name : shortText('name', change.name),
      timeZone: change.timeZone === undefined ? stored.timeZone : timeZoneFrom(change.timeZone),
    };
    const changes = changesBetween(stored, changed);
    if (Object.keys(changes).length > 0) {
      void w.run(setFirm, { id: w.firmId, name: changed.name, timeZone: changed.timeZone });
      w.record('update', firm, w.firmId, changes);
    }
    return { id: changed.id, name: changed.name, timeZone: changed.timeZone };
  }).catch(refuseTaken('firm_name', 'Another firm of this database has this name.'));

const noSuchFirm = () => notFound('There is no such firm.');

const setFirm = statement(
  ({ id, name, timeZone }: Given<'id' | 'name' | 'timeZone'>) =>
    sql`update firm set name = ${name}, time_zone = ${timeZone} where id = ${id}`,
);

const thisFirm = shortStatement(({ id }: Given<'id'>) =>
  query.select().from(firm).where(eq(firm.id, id)),
);

const firmForChange = statement(({ id }: Given<'id'>) =>
  query.select().from(firm).where(eq(firm.id, id)).for('no key update'),
);
