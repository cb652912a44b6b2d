/** What the bare yardstick stores, statement by statement as the server does. */
import type postgres from 'postgres';

/** A lead as the API shows it. */
export const view = (row: postgres.Row) => ({
  id: row.id,
  publicId: row.number,
  status: row.status,
  value: row.value,
  isPrivate: row.is_private,
  leadStageColumnId: row.lead_stage_id,
  contact: row.contact_name && { id: row.contact_id, name: row.contact_name },
  practiceArea: row.area_name && { id: row.practice_area_id, name: row.area_name },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const fieldsOn = (sql: postgres.TransactionSql, firmId: string, kind: string) =>
  sql`select id, name, type from custom_field where firm_id = ${firmId} and applies_to = ${kind} order by position`;

/** Takes the next place of a kind in the firm's register, and counts it in its block. */
const enter = async (tx: postgres.TransactionSql, firmId: string, kind: string) => {
  const [place] = await tx`
    update register set live = live + 1, last_ordinal = last_ordinal + 1, last_at = clock_timestamp(),
      last_number = last_number + (number_format is not null)::int
    where firm_id = ${firmId} and kind = ${kind} returning last_ordinal, last_at, last_number`;
  const { last_ordinal: ordinal, last_at: at, last_number: count } = place as postgres.Row;
  await tx`
    insert into register_block as standing (firm_id, kind, length, block, live, live_private)
    select ${firmId}, ${kind}, length, ${ordinal}::bigint / length, 1, 0 from unnest('{500,25000}'::int[]) length
    on conflict (firm_id, kind, length, block) do update set live = standing.live + 1`;
  return { ordinal, at, count: String(count).padStart(4, '0') };
};

type Entry = { action: string; kind: string; id: string; changes: object };

const audit = (tx: postgres.TransactionSql, holder: postgres.Row, entry: Entry) => tx`
  insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
  values (${holder.firm_id}, clock_timestamp(), ${entry.action}, ${entry.kind}, ${entry.id}, ${holder.member_id},
    ${holder.key_id}, ${Bun.randomUUIDv7()}, ${tx.json(entry.changes as never)})`;

/** Each field as it was before, which is nothing, and after. */
const set = (fields: object) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, after]) => [name, { before: null, after }]),
  );

/** Stores a lead and its contact. */
export const createLead = (sql: postgres.Sql, holder: postgres.Row, body: Record<string, string>) =>
  sql.begin(async (tx) => {
    const { firm_id: firmId } = holder;
    const [contactId, leadId] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
    const name = `${body.firstName} ${body.lastName}`;
    const emails = [{ address: body.email, label: null, isPrimary: true }];
    const searchText = ` ${name} ${body.email} `.toLowerCase();
    const [stage] =
      await tx`select id from lead_stage where firm_id = ${firmId} order by position limit 1`;
    const fields = await fieldsOn(tx, firmId, 'LEAD');
    const contact = await enter(tx, firmId, 'contact');
    const lead = await enter(tx, firmId, 'lead');
    const number = `L-${lead.count}`;
    const at = lead.at;
    await tx`
      insert into contact (firm_id, id, ordinal, type, name, first_name, last_name, emails, phones, custom_fields, findable_by, created_at, updated_at)
      values (${firmId}, ${contactId}, ${contact.ordinal}, 'PERSON', ${name}, ${body.firstName ?? null}, ${body.lastName ?? null},
        ${tx.json(emails as never)}, '[]', '{}', ${searchText}, ${at}, ${at})`;
    await tx`
      insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id, custom_fields, findable_by, came_through_api, created_at, updated_at)
      values (${firmId}, ${leadId}, ${lead.ordinal}, ${number}, 'ACTIVE', false, ${stage?.id}, ${contactId}, '{}', ${` ${number} `.toLowerCase()}, true, ${at}, ${at})`;
    const create = { action: 'create' };
    await audit(tx, holder, {
      ...create,
      kind: 'contact',
      id: contactId,
      changes: set({ name, emails }),
    });
    await audit(tx, holder, {
      ...create,
      kind: 'lead',
      id: leadId,
      changes: set({ number, contactId }),
    });
    await tx`
      insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
      values (${firmId}, 'lead_announce', ${`lead_announce:${leadId}`}, ${leadId}, '{}', clock_timestamp() + interval '60 seconds')`;
    const row = {
      id: leadId,
      number,
      status: 'ACTIVE',
      value: null,
      is_private: false,
      lead_stage_id: stage?.id,
      contact_id: contactId,
      contact_name: name,
      created_at: at,
      updated_at: at,
    };
    return {
      ...view(row as never),
      customFields: Object.fromEntries(fields.map((field) => [field.name, null])),
      unsupportedCustomFields: [],
    };
  });

/** Sets a lead's value. */
export const updateLead = (
  sql: postgres.Sql,
  holder: postgres.Row,
  id: string,
  { value }: { value: string },
) =>
  sql.begin(async (tx) => {
    const { firm_id: firmId } = holder;
    const [row] = await tx`
      select l.*, c.name as contact_name, p.name as area_name from lead l
      left join contact c on c.firm_id = l.firm_id and c.id = l.contact_id and c.deleted_at is null
      left join practice_area p on p.firm_id = l.firm_id and p.id = l.practice_area_id
      where l.firm_id = ${firmId} and l.id = ${id} and l.deleted_at is null for update of l`;
    const fields = await fieldsOn(tx, firmId, 'LEAD');
    if (!row) throw new Error('No such lead.');
    const [updated] = await tx`
      update lead set value = ${value}, updated_at = clock_timestamp()
      where firm_id = ${firmId} and id = ${id} returning updated_at`;
    const changes = { value: { before: row.value, after: value } };
    await audit(tx, holder, { action: 'update', kind: 'lead', id, changes });
    return {
      ...view({ ...row, value, updated_at: updated?.updated_at } as never),
      customFields: Object.fromEntries(
        fields.map((field) => [field.name, row.custom_fields[field.id] ?? null]),
      ),
      unsupportedCustomFields: [],
    };
  });

type MatterBody = {
  practiceAreaId: string;
  openDate: string;
  title: string;
  clientContactIds: string[];
  team: { memberId: string; allocation: number }[];
};

/** Stores a matter with its clients and team. */
export const createMatter = (sql: postgres.Sql, holder: postgres.Row, body: MatterBody) =>
  sql.begin(async (tx) => {
    const { firm_id: firmId } = holder;
    const matterId = Bun.randomUUIDv7();
    const { title, openDate, practiceAreaId } = body;
    const [area] = await tx`
      select id, name from practice_area
      where firm_id = ${firmId} and id = ${practiceAreaId} and deleted_at is null for key share`;
    const [stage] = await tx`
      select id, name from stage where firm_id = ${firmId} and practice_area_id = ${practiceAreaId}
      and deleted_at is null order by position limit 1`;
    const contacts = await tx`
      select id, name from contact where firm_id = ${firmId} and id = any(${body.clientContactIds}) and deleted_at is null`;
    const members = await tx`
      select id, name from member where firm_id = ${firmId} and id = any(${body.team.map((one) => one.memberId)})`;
    await fieldsOn(tx, firmId, 'MATTER');
    const { ordinal, at, count } = await enter(tx, firmId, 'matter');
    const number = `M-${count}`;
    await tx`
      insert into matter (firm_id, id, ordinal, number, title, status, open_date, practice_area_id, stage_id, custom_fields, findable_by, times_archived, created_at, updated_at)
      values (${firmId}, ${matterId}, ${ordinal}, ${number}, ${title}, 'ACTIVE', ${openDate}, ${practiceAreaId}, ${stage?.id}, '{}',
        ${` ${number} ${title} `.toLowerCase()}, 0, ${at}, ${at})`;
    const clients = body.clientContactIds.map((contactId, position) => ({
      contactId,
      name: contacts.find(({ id }) => id === contactId)?.name,
      isPrimary: position === 0,
      isBillRecipient: position === 0,
    }));
    const team = body.team.map(({ memberId, allocation }) => ({
      memberId,
      role: 'RESPONSIBLE_ATTORNEY',
      allocation,
      name: members.find(({ id }) => id === memberId)?.name,
    }));
    for (const [position, client] of clients.entries())
      await tx`insert into matter_client values (${firmId}, ${matterId}, ${position}, ${client.contactId}, ${client.isPrimary}, ${client.isBillRecipient})`;
    for (const [position, { memberId, role, allocation }] of team.entries())
      await tx`insert into matter_team values (${firmId}, ${matterId}, ${position}, ${memberId}, ${role}, ${allocation})`;
    const changes = set({ number, title, openDate, practiceAreaId, clients, team });
    await audit(tx, holder, { action: 'create', kind: 'matter', id: matterId, changes });
    await tx`
      insert into job (firm_id, kind, dedupe_key, ref, payload, run_at)
      values (${firmId}, 'matter_tell', ${`matter.added:${matterId}:created`}, ${matterId}, '{}', clock_timestamp())`;
    return {
      id: matterId,
      publicId: number,
      title,
      description: null,
      status: 'ACTIVE',
      openDate,
      closeDate: null,
      solDate: null,
      practiceArea: area,
      stage,
      clients,
      team,
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: at,
      updatedAt: at,
    };
  });
