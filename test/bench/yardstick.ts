/**
 * The bare yardstick: Bun.serve with hand-written SQL over postgres.js. Key look-up and the same
 * statements as the server's, nothing else: no validation, no conventions, one statement after the
 * other, and the obvious count of all rows for a list's total.
 */
import postgres from 'postgres';

const [url = '', port = '0'] = process.argv.slice(2);
const { hostname, username, password, pathname } = new URL(url);
const sql = postgres({
  path: `${decodeURIComponent(hostname)}/.s.PGSQL.5432`,
  username,
  password: decodeURIComponent(password),
  database: pathname.slice(1),
  max: 10,
  onnotice: () => {},
});

const json = (body: unknown, status = 200) => Response.json(body, { status });

const holderOf = async (request: Request) => {
  const key = request.headers.get('authorization')?.slice(7) ?? '';
  const digest = new Bun.CryptoHasher('sha256').update(key).digest();
  const [holder] = await sql`
    select k.firm_id, k.id as key_id, k.member_id, k.scopes, r.permissions, r.holds_all
    from api_key k join member m on m.firm_id = k.firm_id and m.id = k.member_id
    join role r on r.firm_id = m.firm_id and r.id = m.role_id
    where k.digest = ${digest} and k.revoked_at is null and m.deactivated_at is null
      and (k.expires_at is null or k.expires_at > now())`;
  return holder;
};

const view = (row: postgres.Row) => ({
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

const read = async (firmId: string, id: string) => {
  const [row] = await sql`
    select l.*, c.name as contact_name, p.name as area_name from lead l
    left join contact c on c.firm_id = l.firm_id and c.id = l.contact_id and c.deleted_at is null
    left join practice_area p on p.firm_id = l.firm_id and p.id = l.practice_area_id
    where l.firm_id = ${firmId} and l.id = ${id} and l.deleted_at is null`;
  const fields = await sql`
    select id, name, type from custom_field where firm_id = ${firmId} and applies_to = 'LEAD' order by position`;
  if (!row) return json({ error: { code: 'not_found', message: 'No such lead.' } }, 404);
  const customFields = Object.fromEntries(
    fields.map((field) => [field.name, row.custom_fields[field.id] ?? null]),
  );
  return json({ data: { ...view(row), customFields, unsupportedCustomFields: [] } });
};

const list = async (firmId: string, limit: number, offset: number) => {
  const rows = await sql`
    select l.*, c.name as contact_name, p.name as area_name from lead l
    left join contact c on c.firm_id = l.firm_id and c.id = l.contact_id and c.deleted_at is null
    left join practice_area p on p.firm_id = l.firm_id and p.id = l.practice_area_id
    where l.firm_id = ${firmId} and l.deleted_at is null
    order by l.ordinal desc limit ${limit} offset ${offset}`;
  const [counted] = await sql`
    select count(*)::int as total from lead where firm_id = ${firmId} and deleted_at is null`;
  return json({ data: rows.map(view), pagination: { limit, offset, total: counted?.total } });
};

const create = async (holder: postgres.Row, body: Record<string, string>) => {
  const { firm_id: firmId, member_id: memberId, key_id: keyId } = holder;
  const requestId = Bun.randomUUIDv7();
  const [contactId, leadId] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()];
  const name = `${body.firstName} ${body.lastName}`;
  const emails = [{ address: body.email, label: null, isPrimary: true }];
  const made = await sql.begin(async (tx) => {
    const [stage] =
      await tx`select id from lead_stage where firm_id = ${firmId} order by position limit 1`;
    const fields =
      await tx`select id, name from custom_field where firm_id = ${firmId} and applies_to = 'LEAD'`;
    const [contacts] = await tx`
      update register set live = live + 1, last_ordinal = last_ordinal + 1, last_at = clock_timestamp()
      where firm_id = ${firmId} and kind = 'contact' returning last_ordinal`;
    const [leads] = await tx`
      update register set live = live + 1, last_ordinal = last_ordinal + 1, last_at = clock_timestamp(),
        last_number = last_number + 1
      where firm_id = ${firmId} and kind = 'lead' returning last_ordinal, last_at, last_number`;
    for (const [kind, ordinal] of [
      ['contact', contacts?.last_ordinal],
      ['lead', leads?.last_ordinal],
    ]) {
      await tx`
        insert into register_block as standing (firm_id, kind, block, live, live_private)
        values (${firmId}, ${kind}, ${Math.floor(ordinal / 2000)}, 1, 0)
        on conflict (firm_id, kind, block) do update set live = standing.live + 1`;
    }
    const number = `L-${String(leads?.last_number).padStart(4, '0')}`;
    const at = leads?.last_at;
    await tx`
      insert into contact (firm_id, id, ordinal, type, name, first_name, last_name, emails, phones, custom_fields, findable_by, created_at, updated_at)
      values (${firmId}, ${contactId}, ${contacts?.last_ordinal}, 'PERSON', ${name}, ${body.firstName ?? null}, ${body.lastName ?? null},
        ${sql.json(emails)}, '[]', '{}', ${` ${name} ${body.email} `.toLowerCase()}, ${at}, ${at})`;
    await tx`
      insert into lead (firm_id, id, ordinal, number, status, is_private, lead_stage_id, contact_id, custom_fields, findable_by, came_through_api, created_at, updated_at)
      values (${firmId}, ${leadId}, ${leads?.last_ordinal}, ${number}, 'ACTIVE', false, ${stage?.id}, ${contactId}, '{}', ${` ${number} `.toLowerCase()}, true, ${at}, ${at})`;
    await tx`
      insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
      values (${firmId}, clock_timestamp(), 'create', 'contact', ${contactId}, ${memberId}, ${keyId}, ${requestId},
        ${sql.json({ name: { before: null, after: name }, emails: { before: null, after: emails } })})`;
    await tx`
      insert into audit_entry (firm_id, at, action, record_kind, record_id, member_id, key_id, request_id, changes)
      values (${firmId}, clock_timestamp(), 'create', 'lead', ${leadId}, ${memberId}, ${keyId}, ${requestId},
        ${sql.json({ number: { before: null, after: number }, contactId: { before: null, after: contactId } })})`;
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
    };
    const rest = { contact_id: contactId, contact_name: name, created_at: at, updated_at: at };
    return {
      ...view({ ...row, ...rest } as never),
      customFields: Object.fromEntries(fields.map((field) => [field.name, null])),
    };
  });
  return json({ data: { ...made, unsupportedCustomFields: [] } }, 201);
};

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  async fetch(request) {
    const holder = await holderOf(request);
    if (!holder) return json({ error: { code: 'unauthorized', message: 'No.' } }, 401);
    const { pathname: path, searchParams } = new URL(request.url);
    if (request.method === 'POST')
      return create(holder, (await request.json()) as Record<string, string>);
    const id = path.slice('/v1/leads/'.length);
    if (id) return read(holder.firm_id, id);
    return list(
      holder.firm_id,
      Number(searchParams.get('limit') ?? 20),
      Number(searchParams.get('offset') ?? 0),
    );
  },
});
console.log(`http://127.0.0.1:${server.port}`);
