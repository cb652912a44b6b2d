import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFoundField } from '../base/refusal.ts';
import { contact } from '../contacts/table.ts';
import { member } from '../firm/table.ts';
import { type Given, query, type Statement, statement } from '../postgres/statement.ts';
import type { Write } from '../record/write.ts';
import { type Sight, seesContact, sightOf } from '../sight/sight.ts';
import { matterClient, matterTeam } from './table.ts';
import type { NewMatter } from './wire.ts';

/** A matter's client and team member as they are stored, with their names. */
export type Client = {
  contactId: string;
  name: string;
  isPrimary: boolean;
  isBillRecipient: boolean;
};
export type TeamEntry = Required<NonNullable<NewMatter['team']>[number]> & { name: string };

/**
 * The clients of a new matter, each contact once, at its first position, and their contacts,
 * locked. The first is primary client and bill recipient. Throws `Refusal` not_found.
 */
export const clientsFrom = async (w: Write, ids: string[]) => {
  const unique = [...new Set(ids)];
  const rowOf = await rowsOf(w, contactsHeld, unique);
  const found = unique.map((id) => rowOf(id, `clientContactIds[${ids.indexOf(id)}]`, 'contact'));
  const clients = found.map(
    ({ id, name }, position): Client => ({
      contactId: id,
      name,
      isPrimary: position === 0,
      isBillRecipient: position === 0,
    }),
  );
  return { clients, contacts: found };
};

/** The team of a new matter, each member in each role once. Throws `Refusal` not_found. */
export const teamFrom = async (
  w: Write,
  sent: NonNullable<NewMatter['team']>,
): Promise<TeamEntry[]> => {
  const rowOf = await rowsOf(
    w,
    memberNames,
    sent.map((entry) => entry.memberId),
  );
  const team = new Map<string, TeamEntry>();
  for (const [
    index,
    { memberId, role = 'RESPONSIBLE_ATTORNEY', allocation = 0 },
  ] of sent.entries()) {
    const { name } = rowOf(memberId, `team[${index}].memberId`, 'member');
    const part = `${memberId} ${role}`;
    if (!team.has(part)) team.set(part, { memberId, role, allocation, name });
  }
  return [...team.values()];
};

/** Looks up all rows at once. A missing one is refused, naming the field it was sent in. */
const rowsOf = async <Row extends { id: string }>(
  w: Write,
  rows: () => Statement<Row, [Sight & { ids: string[] }]>,
  ids: string[],
) => {
  const known = ids.filter(isId);
  const found = known.length > 0 ? await w.run(rows, { ...sightOf(w), ids: known }) : [];
  const byId = new Map(found.map((row) => [row.id, row]));
  return (id: string, field: string, noun: string): Row => {
    const row = byId.get(id);
    if (!row) throw notFoundField(field, `is not the id of a ${noun} of the firm`);
    return row;
  };
};

// Locked, so that nobody renames one of them before the commit: the matter is found by their names.
const contactsHeld = statement((given: Given<Sight & { ids: string[] }>) =>
  query
    .select({
      id: contact.id,
      name: contact.name,
      ordinal: contact.ordinal,
      findableBy: contact.findableBy,
      isPrivate: contact.isPrivate,
    })
    .from(contact)
    .where(
      sql`${contact.firmId} = ${given.firmId} and ${contact.id} = any(${given.ids}::uuid[])
        and ${contact.deletedAt} is null and ${seesContact(given)}`,
    )
    .for('key share'),
);

const memberNames = statement(({ firmId, ids }: Given<{ firmId: string; ids: string[] }>) =>
  query
    .select({ id: member.id, name: member.name })
    .from(member)
    .where(
      sql`${member.firmId} = ${firmId} and ${member.id} = any(${ids}::uuid[])
        and ${member.deactivatedAt} is null`,
    ),
);

/** Stores a new matter's clients and team, in their order. */
export const storePeople = (w: Write, matterId: string, clients: Client[], team: TeamEntry[]) => {
  const of = { firmId: w.firmId, matterId };
  if (clients.length > 0) void w.run(storeClients, { ...of, clients: JSON.stringify(clients) });
  if (team.length > 0) void w.run(storeTeam, { ...of, team: JSON.stringify(team) });
};

const ofMatter = ({ firmId, matterId }: Given<'firmId' | 'matterId'>) =>
  sql`${firmId}::uuid, ${matterId}::uuid, sent.position - 1`;

const storeClients = statement((given: Given<'firmId' | 'clients' | 'matterId'>) =>
  query.insert(matterClient).select(sql`
    select ${ofMatter(given)}, "contactId", "isPrimary", "isBillRecipient"
    from rows from (json_to_recordset(${given.clients}::json)
      as ("contactId" uuid, "isPrimary" boolean, "isBillRecipient" boolean))
      with ordinality as sent("contactId", "isPrimary", "isBillRecipient", position)`),
);

const storeTeam = statement((given: Given<'firmId' | 'team' | 'matterId'>) =>
  query.insert(matterTeam).select(sql`
    select ${ofMatter(given)}, "memberId", role, allocation
    from rows from (json_to_recordset(${given.team}::json)
      as ("memberId" uuid, role text, allocation float8))
      with ordinality as sent("memberId", role, allocation, position)`),
);
