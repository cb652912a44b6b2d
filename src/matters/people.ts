import { sql } from 'drizzle-orm';
import { isId } from '../base/columns.ts';
import { notFoundField } from '../base/refusal.ts';
import { isNotTheIdOf } from '../base/rule.ts';
import { contact } from '../contacts/table.ts';
import { member } from '../firm/table.ts';
import { type Given, query, statement } from '../postgres/statement.ts';
import type { Reader } from '../record/actor.ts';
import type { Write } from '../record/write.ts';
import { canSeeContact, type Viewer, viewerOf } from '../visibility/visibility.ts';
import { matterClient, matterTeam, sortedLength } from './table.ts';
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
  const held = await contactsHeld(w, unique);
  const found = unique.map((id) => {
    const row = held.get(id);
    if (row?.mayJoin) return row;
    throw notFoundField(
      `clientContactIds[${ids.indexOf(id)}]`,
      isNotTheIdOf('a contact of the firm'),
      'GET /v1/contacts',
    );
  });
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

/**
 * A matter's team as it was sent, each member in each role once. Members who are deactivated are only
 * found among those who are on it before. Throws `Refusal` not_found.
 */
export const teamFrom = async (
  w: Write,
  sent: NonNullable<NewMatter['team']>,
  before: readonly TeamEntry[] = [],
): Promise<TeamEntry[]> => {
  const names = await memberNamesOf(w, sent, before);
  const team = new Map<string, TeamEntry>();
  for (const [
    index,
    { memberId, role = 'RESPONSIBLE_ATTORNEY', allocation = 0 },
  ] of sent.entries()) {
    const name = names.get(memberId);
    if (name === undefined) {
      const rule = isNotTheIdOf('a member of the firm');
      throw notFoundField(`team[${index}].memberId`, rule, 'GET /v1/members');
    }
    const part = `${memberId} ${role}`;
    if (!team.has(part)) team.set(part, { memberId, role, allocation, name });
  }
  return [...team.values()];
};

type OnTeam = { memberId: string };

const memberNamesOf = async (w: Write, sent: OnTeam[], before: readonly OnTeam[]) => {
  const ids = sent.map(({ memberId }) => memberId).filter(isId);
  const staying = before.map(({ memberId }) => memberId);
  const found = ids.length > 0 ? await w.run(memberNames, { firmId: w.firmId, ids, staying }) : [];
  return new Map(found.map(({ id, name }) => [id, name]));
};

/**
 * The contacts with these ids, locked, so that nobody renames one of them before the commit: a matter
 * is found by their names. `mayJoin` says whether a contact can become a client: it is not deleted,
 * and the actor may see it.
 */
export const contactsHeld = async (w: Write, ids: string[]) => {
  const known = ids.filter(isId);
  const rows = known.length > 0 ? await w.run(held, { ...viewerOf(w), ids: known }) : [];
  return new Map(rows.map((row) => [row.id, row]));
};

const held = statement((given: Given<Viewer & { ids: string[] }>) =>
  query
    .select({
      id: contact.id,
      name: contact.name,
      ordinal: contact.ordinal,
      searchText: contact.searchText,
      isPrivate: contact.isPrivate,
      mayJoin: sql<boolean>`${contact.deletedAt} is null and coalesce(${canSeeContact(given)}, false)`,
    })
    .from(contact)
    .where(sql`${contact.firmId} = ${given.firmId} and ${contact.id} = any(${given.ids}::uuid[])`)
    .orderBy(contact.id)
    .for('key share'),
);

const memberNames = statement(
  ({ firmId, ids, staying }: Given<{ firmId: string; ids: string[]; staying: string[] }>) =>
    query
      .select({ id: member.id, name: member.name })
      .from(member)
      .where(
        sql`${member.firmId} = ${firmId} and ${member.id} = any(${ids}::uuid[])
          and (${member.deactivatedAt} is null or ${member.id} = any(${staying}::uuid[]))`,
      ),
);

/** A matter's clients, in order. The caller has checked that the matter belongs to the firm. */
export const clientsOf = (reader: Reader, matterId: string): Promise<Client[]> =>
  reader.run(clients, { firmId: reader.firmId, matterId });

const clients = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<Client>`
    select part.contact_id::text as "contactId", contact.name, part.is_primary as "isPrimary",
      part.is_bill_recipient as "isBillRecipient"
    from matter_client part
    join contact on contact.firm_id = part.firm_id and contact.id = part.contact_id
    where part.firm_id = ${firmId} and part.matter_id = ${matterId} order by part.position`,
);

/** A matter's team, in order. The caller has checked that the matter belongs to the firm. */
export const teamOf = (reader: Reader, matterId: string): Promise<TeamEntry[]> =>
  reader.run(team, { firmId: reader.firmId, matterId });

const team = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<TeamEntry>`
    select part.member_id::text as "memberId", part.role, part.allocation, member.name
    from matter_team part
    join member on member.firm_id = part.firm_id and member.id = part.member_id
    where part.firm_id = ${firmId} and part.matter_id = ${matterId} order by part.position`,
);

/**
 * What lists sort a new matter by. Triggers keep it from then on, and store the same if this were
 * left out: then the matter would be stored once more for its clients, and once for its team.
 */
export const sortedBy = ([primary]: Client[], team: TeamEntry[]) => ({
  clientName: primary ? [...primary.name].slice(0, sortedLength).join('').toLowerCase() : null,
  firstAttorneyId: team.find(({ role }) => role === 'RESPONSIBLE_ATTORNEY')?.memberId ?? null,
});

/** Stores the clients and the team of a matter that has none, in their order. */
export const storePeople = (w: Write, matterId: string, clients: Client[], team: TeamEntry[]) => {
  const of = { firmId: w.firmId, matterId };
  if (clients.length > 0) void w.run(storeClients, { ...of, clients: JSON.stringify(clients) });
  if (team.length > 0) void w.run(storeTeam, { ...of, team: JSON.stringify(team) });
};

const placeInMatter = sql.raw('matter.firm_id, matter.id, sent.position - 1');

const isThisMatter = ({ firmId, matterId }: Given<'firmId' | 'matterId'>) =>
  sql`matter.firm_id = ${firmId} and matter.id = ${matterId}`;

const storeClients = statement((given: Given<'firmId' | 'clients' | 'matterId'>) =>
  query.insert(matterClient).select(sql`
    select ${placeInMatter}, sent."contactId", sent."isPrimary", sent."isBillRecipient"
    from matter, rows from (json_to_recordset(${given.clients}::json)
      as ("contactId" uuid, "isPrimary" boolean, "isBillRecipient" boolean))
      with ordinality as sent("contactId", "isPrimary", "isBillRecipient", position)
    where ${isThisMatter(given)}`),
);

const storeTeam = statement((given: Given<'firmId' | 'team' | 'matterId'>) =>
  query.insert(matterTeam).select(sql`
    select ${placeInMatter}, sent."memberId", sent.role, sent.allocation
    from matter, rows from (json_to_recordset(${given.team}::json)
      as ("memberId" uuid, role text, allocation float8))
      with ordinality as sent("memberId", role, allocation, position)
    where ${isThisMatter(given)}`),
);

/** How a contact is reached. */
export type Reach = { phone: string | null };

/** How the clients of a matter are reached, by the ids of their contacts that are not deleted. */
export const reachOfClients = async (
  reader: Reader,
  matterId: string,
): Promise<ReadonlyMap<string, Reach>> => {
  const rows = await reader.run(reach, { firmId: reader.firmId, matterId });
  return new Map(rows.map(({ id, ...one }) => [id, one]));
};

const reach = statement(
  ({ firmId, matterId }: Given<'firmId' | 'matterId'>) => sql<Reach & { id: string }>`
    select contact.id::text as id,
      (select phone ->> 'number' from jsonb_array_elements(contact.phones) phone
        order by (phone ->> 'isPrimary')::boolean desc limit 1) as phone
    from matter_client part
    join contact on contact.firm_id = part.firm_id and contact.id = part.contact_id
      and contact.deleted_at is null
    where part.firm_id = ${firmId} and part.matter_id = ${matterId}`,
);
