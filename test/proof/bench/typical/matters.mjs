/** The typical server's matters. */
import { randomUUID } from 'node:crypto';
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { nextPlace } from './places.mjs';
import {
  auditEntry,
  contact,
  job,
  matter,
  matterClient,
  matterTeam,
  member,
  practiceArea,
  stage,
} from './tables.mjs';

const namesOf = async (tx, table, firmId, ids, isThere) => {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(eq(table.firmId, firmId), inArray(table.id, ids), isThere));
  return new Map(rows.map(({ id, name }) => [id, name]));
};

/** Stores a matter with its clients and team; undefined where a reference is not there. */
export const createMatter = (db, holder, body, requestId) =>
  db.transaction(async (tx) => {
    const { firmId, memberId, keyId } = holder;
    const [found] = await tx
      .select({ area: practiceArea, stage })
      .from(practiceArea)
      .innerJoin(
        stage,
        and(
          eq(stage.firmId, practiceArea.firmId),
          eq(stage.practiceAreaId, practiceArea.id),
          isNull(stage.deletedAt),
        ),
      )
      .where(
        and(
          eq(practiceArea.firmId, firmId),
          eq(practiceArea.id, body.practiceAreaId),
          isNull(practiceArea.deletedAt),
        ),
      )
      .orderBy(asc(stage.position))
      .limit(1);
    const memberIds = body.team.map((entry) => entry.memberId);
    const ids = body.clientContactIds;
    const contacts = await namesOf(tx, contact, firmId, ids, isNull(contact.deletedAt));
    const members = await namesOf(tx, member, firmId, memberIds, isNull(member.deactivatedAt));
    const isAllThere =
      ids.every((id) => contacts.has(id)) && memberIds.every((id) => members.has(id));
    if (!found || !isAllThere) return undefined;

    const { ordinal, number, at } = await nextPlace(tx, firmId, 'matter');
    const made = {
      firmId,
      id: randomUUID(),
      ordinal,
      number: `M-${number}`,
      title: body.title ?? 'Untitled matter',
      description: body.description ?? null,
      status: 'ACTIVE',
      openDate: body.openDate,
      closeDate: null,
      solDate: null,
      practiceAreaId: found.area.id,
      stageId: found.stage.id,
      customFields: {},
      searchText: ` m ${number} ${body.title ?? ''} `.toLowerCase(),
      timesArchived: 0,
      createdAt: at,
      updatedAt: at,
    };
    const clients = ids.map((contactId, position) => ({
      contactId,
      name: contacts.get(contactId),
      isPrimary: position === 0,
      isBillRecipient: position === 0,
    }));
    const team = body.team.map((entry) => ({ ...entry, name: members.get(entry.memberId) }));
    const part = (entry, position) => ({ firmId, matterId: made.id, position, ...entry });
    await tx.insert(matter).values(made);
    if (clients.length > 0) await tx.insert(matterClient).values(clients.map(part));
    if (team.length > 0) await tx.insert(matterTeam).values(team.map(part));
    await tx.insert(auditEntry).values({
      firmId,
      at: sql`now()`,
      action: 'create',
      memberId,
      keyId,
      requestId,
      recordKind: 'matter',
      recordId: made.id,
      changes: { number: made.number, title: made.title, clients, team },
    });
    await tx.insert(job).values({
      firmId,
      kind: 'matter_tell',
      dedupeKey: `matter.added:${made.id}`,
      ref: made.id,
      payload: {},
      runAt: sql`now()`,
    });
    return {
      id: made.id,
      publicId: made.number,
      title: made.title,
      description: made.description,
      status: made.status,
      openDate: made.openDate,
      closeDate: null,
      solDate: null,
      practiceArea: found.area,
      stage: found.stage,
      clients,
      team,
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: at.toISOString(),
      updatedAt: at.toISOString(),
    };
  });
