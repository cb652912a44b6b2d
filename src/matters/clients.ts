import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { invalidField, notFound, notFoundField } from '../base/refusal.ts';
import { plainly } from '../base/rule.ts';
import { becomeClients, holdContacts, leaveClients } from '../contacts/privacy.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import { type Acting, write } from '../record/write.ts';
import { partsOf, searchTextWith } from '../search-text/search-text.ts';
import { matterForChange } from './list.ts';
import { type Client, clientsOf, contactsHeld, storePeople } from './people.ts';
import { matter } from './table.ts';
import { limits } from './wire.ts';

/** The clients that a matter will have, in order, and which of them have which part. */
type ClientsInput = {
  contactIds: readonly string[];
  /** The primary client; null if there is no client. */
  primaryId: string | null;
  /** The client who gets the bill; null if there is no client. */
  billRecipientId: string | null;
};

/**
 * Makes exactly these contacts the clients of a matter: at most 50, each once, one of them primary and
 * one the bill's recipient. The matter is then found by their names, and an added contact that was
 * hidden with a private lead is seen by all; one that is taken off its last matter is hidden with that
 * lead again. A client whose contact was deleted may stay. Throws
 * `Refusal` not_found for the matter or a contact, and invalid_request, naming `clients`, `primary` or
 * `billRecipient`.
 */
export const changeClients = (actor: Acting, id: string, input: ClientsInput) =>
  write(actor, async (w) => {
    const ids = [...new Set(input.contactIds)];
    if (ids.length > limits.clients) {
      throw invalidField('clients', `must name at most ${limits.clients} contacts`);
    }
    // The contacts are locked before the matter, as by a change of a contact.
    const standing = isId(id) ? await clientsOf(w, id) : [];
    holdContacts(w, goneFrom(standing, ids));
    const rowOf = await contactsHeld(w, ids);
    const stored = isId(id) && (await matterForChange(w, id));
    if (!stored) throw notFound();
    const [present, now] = await Promise.all([clientsOf(w, id), w.now()]);
    const before = new Set(present.map(({ contactId }) => contactId));
    const contacts = ids.map((one) => {
      const row = rowOf.get(one);
      if (!row || !(before.has(one) || row.mayJoin)) {
        throw notFoundField('clients', 'names a contact that is not there');
      }
      return row;
    });
    const after = contacts.map(
      ({ id: contactId, name }): Client => ({
        contactId,
        name,
        isPrimary: contactId === input.primaryId,
        isBillRecipient: contactId === input.billRecipientId,
      }),
    );
    mustHaveParts(after);
    if (Bun.deepEquals(present.map(withoutName), after.map(withoutName))) return;
    await becomeClients(
      w,
      contacts.filter(({ id: one }) => !before.has(one)),
    );
    void w.run(dropClients, { firmId: w.firmId, id });
    storePeople(w, id, after, []);
    await leaveClients(w, goneFrom(present, ids));
    const texts = contacts.map(({ searchText }) => searchText);
    const searchText = searchTextWith(partsOf(stored.searchText).own, texts);
    void w.run(touch, { firmId: w.firmId, id, now, searchText });
    w.record('update', matter, id, {
      clients: { before: present.map(withoutName), after: after.map(withoutName) },
    });
  });

const goneFrom = (clients: readonly Client[], ids: readonly string[]) =>
  clients.map(({ contactId }) => contactId).filter((one) => !ids.includes(one));

const withoutName = ({ name, ...client }: Client) => client;

const isOne = 'must be one of the clients';

const mustHaveParts = (clients: Client[]) => {
  if (clients.length === 0) return;
  if (!clients.some(({ isPrimary }) => isPrimary)) {
    throw invalidField('primary', plainly('Choose the primary client', isOne));
  }
  if (!clients.some(({ isBillRecipient }) => isBillRecipient)) {
    throw invalidField('billRecipient', plainly('Choose who gets the bill', isOne));
  }
};

const dropClients = statement(
  ({ firmId, id }: Given<'firmId' | 'id'>) => sql`
    delete from matter_client where firm_id = ${firmId} and matter_id = ${id}`,
);

const touch = statement(
  ({
    firmId,
    id,
    now,
    searchText,
  }: Given<{ firmId: string; id: string; now: Date; searchText: string }>) =>
    query
      .update(matter)
      .set({ updatedAt: sql`${now}`, searchText: sql`${searchText}` })
      .where(sql`${matter.firmId} = ${firmId} and ${matter.id} = ${id}`),
);
