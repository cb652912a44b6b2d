import { and, asc, eq, getTableName, isNull } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { newId } from '../base/columns.ts';
import { invalidField, notFound } from '../base/refusal.ts';
import { shortText } from '../base/short-text.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from './actor.ts';
import { nameInTurn, refuseLike, refuseTakenName } from './taken.ts';
import { type Acting, type Write, write } from './write.ts';

/** One name on a list, as it is stored. */
type Entry = {
  firmId: string;
  id: string;
  name: string;
  position: number;
  createdAt: Date;
  deletedAt: Date | null;
};

/** A table of names in an order, with a unique index `TABLE_name` over what a firm has listed. */
type ListTable = PgTable & Record<keyof Entry, PgColumn>;

/**
 * A list of names that a firm puts in an order, such as the stages of its leads. `noun` is the word
 * for one entry. `refuseInUse` throws `Refusal` conflict for an entry that cannot be removed now.
 *
 * Its verbs throw `Refusal` not_found for an unknown id, invalid_request for a name that is empty or
 * too long, and conflict for a name that is on the list already, in capitals or not.
 */
export const orderedList = (
  table: ListTable,
  noun: string,
  refuseInUse?: (w: Write, entry: Entry) => Promise<void>,
) => {
  const listed = ({ firmId }: Given<'firmId'>) =>
    and(eq(table.firmId, firmId), isNull(table.deletedAt));
  const inOrder = (given: Given<'firmId'>) =>
    query.select().from(table).where(listed(given)).orderBy(asc(table.position), asc(table.id));
  const withId = (given: Given<'firmId' | 'id'>) =>
    query
      .select()
      .from(table)
      .where(and(listed(given), eq(table.id, given.id)));
  const all = statement(inOrder);
  const allForChange = statement((given: Given<'firmId'>) => inOrder(given).for('no key update'));
  // Records refer to an entry. Its removal and a record that is given it wait for each other.
  const oneForChange = statement((given: Given<'firmId' | 'id'>) => withId(given).for('update'));
  const oneHeld = statement((given: Given<'firmId' | 'id'>) => withId(given).for('key share'));

  const ofFirm = `${noun} of the firm`;
  const taken = refuseTakenName(`${getTableName(table)}_name`, ofFirm);
  const unknown = () => notFound(`The firm has no such ${noun}.`);
  const changed = async (w: Write, id: string) => {
    const stored = await w.first(oneForChange, { firmId: w.firmId, id });
    if (!stored) throw unknown();
    return stored as Entry;
  };
  const entriesForChange = async (w: Write) =>
    (await w.run(allForChange, { firmId: w.firmId })) as Entry[];
  const putInOrder = (w: Write, entries: Entry[]) => {
    for (const [position, entry] of entries.entries()) {
      const moved: Partial<Entry> = { position };
      w.update(table, entry, moved);
    }
  };
  const store = (w: Write, name: string, position: number, createdAt: Date) => {
    const id = newId();
    const entry = { firmId: w.firmId, id, name: shortText('name', name), position, createdAt };
    w.create(table, entry);
    return id;
  };

  return {
    all: async (reader: Reader) => (await reader.run(all, { firmId: reader.firmId })) as Entry[],

    /** Adds a name at the end, and gives its id. */
    add: (actor: Acting, name: string) =>
      write(actor, async (w) => {
        await nameInTurn(w, getTableName(table));
        const [entries, now] = await Promise.all([entriesForChange(w), w.now()]);
        refuseLike(w, ofFirm, entries, name);
        return store(w, name, positionAfter(entries), now);
      }).catch(taken),

    /** Gives a new firm's list, which is empty, these names. */
    begin: async (w: Write, names: readonly string[]) => {
      const now = await w.now();
      for (const [position, name] of names.entries()) store(w, name, position, now);
    },

    /** Gives an entry another name, which records that have it show from then on. */
    rename: (actor: Acting, id: string, name: string) =>
      write(actor, async (w) => {
        await nameInTurn(w, getTableName(table));
        const stored = await changed(w, id);
        const entries = (await w.run(all, { firmId: w.firmId })) as Entry[];
        refuseLike(w, ofFirm, entries, name, stored);
        const named: Partial<Entry> = { name: shortText('name', name) };
        w.update(table, stored, named);
      }).catch(taken),

    /** Puts an entry one place up or down. At either end nothing changes. */
    shift: (actor: Acting, id: string, by: -1 | 1) =>
      write(actor, async (w) => {
        const entries = await entriesForChange(w);
        const index = entries.findIndex((entry) => entry.id === id);
        if (index < 0) throw unknown();
        putInOrder(w, shifted(entries, index, by));
      }),

    /**
     * Puts the entries in the order of these ids. Throws `Refusal` invalid_request unless each entry
     * is named once, and nothing else.
     */
    order: (actor: Acting, ids: readonly string[]) =>
      write(actor, async (w) => {
        const entries = await entriesForChange(w);
        const ofId = new Map(entries.map((entry) => [entry.id, entry]));
        const ordered = [...new Set(ids)].map((id) => ofId.get(id)).filter((entry) => !!entry);
        if (ordered.length !== entries.length || ids.length !== entries.length) {
          throw invalidField('ids', `must name every ${noun} of the firm once`);
        }
        putInOrder(w, ordered);
      }),

    /** Takes an entry off the list. Records that have it keep it. */
    remove: (actor: Acting, id: string) =>
      write(actor, async (w) => {
        const stored = await changed(w, id);
        await refuseInUse?.(w, stored);
        w.remove(table, stored, await w.now());
      }),

    /** Whether it is listed, and if so, keeps it listed until the commit. */
    hold: async (w: Write, id: string) => !!(await w.first(oneHeld, { firmId: w.firmId, id })),
  };
};

export type OrderedList = ReturnType<typeof orderedList>;

/** The position after the last of entries that are in their order. */
export const positionAfter = (entries: readonly { position: number }[]) =>
  (entries.at(-1)?.position ?? -1) + 1;

/** The list with the entry at `index` one place up or down. At either end nothing changes. */
export const shifted = <One>(list: readonly One[], index: number, by: -1 | 1): One[] =>
  list.toSpliced(index, 1).toSpliced(Math.max(0, index + by), 0, ...list.slice(index, index + 1));
