/** The typical server's leads. */
import { randomUUID } from 'node:crypto';
import { and, asc, count, desc, eq, isNull, sql } from 'drizzle-orm';
import { nextPlace } from './places.mjs';
import { auditEntry, contact, customField, job, lead, leadStage, practiceArea } from './tables.mjs';

const isOfFirm = ({ firmId }) => and(eq(lead.firmId, firmId), isNull(lead.deletedAt));

const leads = (db) =>
  db
    .select({ lead, contactName: contact.name, areaName: practiceArea.name })
    .from(lead)
    .leftJoin(
      contact,
      and(
        eq(contact.firmId, lead.firmId),
        eq(contact.id, lead.contactId),
        isNull(contact.deletedAt),
      ),
    )
    .leftJoin(
      practiceArea,
      and(eq(practiceArea.firmId, lead.firmId), eq(practiceArea.id, lead.practiceAreaId)),
    );

const view = ({ lead, contactName, areaName }) => ({
  id: lead.id,
  publicId: lead.number,
  status: lead.status,
  value: lead.value,
  isPrivate: lead.isPrivate,
  leadStageColumnId: lead.leadStageId,
  contact: contactName === null ? null : { id: lead.contactId, name: contactName },
  practiceArea: areaName === null ? null : { id: lead.practiceAreaId, name: areaName },
  createdAt: lead.createdAt.toISOString(),
  updatedAt: lead.updatedAt.toISOString(),
});

const viewFull = (row, fields) => ({
  ...view(row),
  customFields: Object.fromEntries(
    fields.map(({ id, name }) => [name, row.lead.customFields[id] ?? null]),
  ),
  unsupportedCustomFields: [],
});

const fieldsOnLeads = (db, { firmId }) =>
  db
    .select({ id: customField.id, name: customField.name })
    .from(customField)
    .where(and(eq(customField.firmId, firmId), eq(customField.appliesTo, 'LEAD')))
    .orderBy(asc(customField.position));

export const listLeads = async (db, holder, { limit, offset }) => {
  const [rows, [counted]] = await Promise.all([
    leads(db).where(isOfFirm(holder)).orderBy(desc(lead.ordinal)).limit(limit).offset(offset),
    db.select({ total: count() }).from(lead).where(isOfFirm(holder)),
  ]);
  return { data: rows.map(view), pagination: { limit, offset, total: counted.total } };
};

export const readLead = async (db, holder, id) => {
  const [[found], fields] = await Promise.all([
    leads(db).where(and(isOfFirm(holder), eq(lead.id, id))),
    fieldsOnLeads(db, holder),
  ]);
  return found && viewFull(found, fields);
};

export const createLead = (db, holder, body, requestId) =>
  db.transaction(async (tx) => {
    const { firmId, memberId, keyId } = holder;
    const [stage] = await tx
      .select({ id: leadStage.id })
      .from(leadStage)
      .where(eq(leadStage.firmId, firmId))
      .orderBy(asc(leadStage.position))
      .limit(1);
    const fields = await fieldsOnLeads(tx, holder);
    const ofContact = await nextPlace(tx, firmId, 'contact');
    const ofLead = await nextPlace(tx, firmId, 'lead');
    const at = ofLead.at;
    const name = body.companyName ?? [body.firstName, body.lastName].filter(Boolean).join(' ');
    const emails = body.email ? [{ address: body.email, label: null, isPrimary: true }] : [];
    const made = {
      firmId,
      id: randomUUID(),
      ordinal: ofLead.ordinal,
      number: `L-${ofLead.number}`,
      status: 'ACTIVE',
      value: body.value ?? null,
      isPrivate: body.isPrivate,
      leadStageId: body.leadStageColumnId ?? stage.id,
      contactId: randomUUID(),
      practiceAreaId: body.practiceAreaId ?? null,
      customFields: {},
      cameThroughApi: true,
      searchText: ` l ${ofLead.number} `,
      createdAt: at,
      updatedAt: at,
    };
    await tx.insert(contact).values({
      firmId,
      id: made.contactId,
      ordinal: ofContact.ordinal,
      type: body.type,
      name,
      firstName: body.firstName,
      lastName: body.lastName,
      companyName: body.companyName,
      emails,
      phones: [],
      customFields: {},
      createdAt: at,
      updatedAt: at,
      searchText: ` ${name} ${body.email ?? ''} `.toLowerCase(),
    });
    await tx.insert(lead).values(made);
    const entry = { firmId, at: sql`now()`, action: 'create', memberId, keyId, requestId };
    await tx.insert(auditEntry).values([
      { ...entry, recordKind: 'contact', recordId: made.contactId, changes: { name, emails } },
      { ...entry, recordKind: 'lead', recordId: made.id, changes: { number: made.number } },
    ]);
    await tx.insert(job).values({
      firmId,
      kind: 'lead_announce',
      dedupeKey: `lead_announce:${made.id}`,
      ref: made.id,
      payload: {},
      runAt: sql`now() + interval '60 seconds'`,
    });
    return viewFull({ lead: made, contactName: name, areaName: null }, fields);
  });

export const updateLead = (db, holder, id, body, requestId) =>
  db.transaction(async (tx) => {
    const { firmId, memberId, keyId } = holder;
    const [stored] = await leads(tx)
      .where(and(isOfFirm(holder), eq(lead.id, id)))
      .for('update', { of: lead });
    if (!stored) return undefined;
    const fields = await fieldsOnLeads(tx, holder);
    const { leadStageColumnId: leadStageId, value, isPrivate } = body;
    const [updated] = await tx
      .update(lead)
      .set({ leadStageId, value, isPrivate, updatedAt: sql`now()` })
      .where(and(eq(lead.firmId, firmId), eq(lead.id, id)))
      .returning();
    await tx.insert(auditEntry).values({
      firmId,
      at: sql`now()`,
      action: 'update',
      memberId,
      keyId,
      requestId,
      recordKind: 'lead',
      recordId: id,
      changes: body,
    });
    return viewFull({ ...stored, lead: updated }, fields);
  });
