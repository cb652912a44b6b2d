/**
 * The bare yardstick: Bun.serve with hand-written SQL over postgres.js. Key look-up and the same
 * statements as the server's, nothing else: no validation, no conventions, what is independent asked
 * at once, the obvious count of all rows for a list's total, and the obvious search.
 *
 *   bun yardstick.ts DATABASE_URL CONNECTIONS
 */
import postgres from 'postgres';
import { createLead, createMatter, updateLead, view } from './yardstick-writes.ts';

const [url = '', connections = '10'] = process.argv.slice(2);
const { hostname, username, password, pathname } = new URL(url);
const sql = postgres({
  path: `${decodeURIComponent(hostname)}/.s.PGSQL.5432`,
  username,
  password: decodeURIComponent(password),
  database: pathname.slice(1),
  max: Number(connections),
  idle_timeout: 2,
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

const read = async (firmId: string, id: string) => {
  const [[row], fields] = await Promise.all([
    sql`
      select l.*, c.name as contact_name, p.name as area_name from lead l
      left join contact c on c.firm_id = l.firm_id and c.id = l.contact_id and c.deleted_at is null
      left join practice_area p on p.firm_id = l.firm_id and p.id = l.practice_area_id
      where l.firm_id = ${firmId} and l.id = ${id} and l.deleted_at is null`,
    sql`
      select id, name, type from custom_field
      where firm_id = ${firmId} and applies_to = 'LEAD' order by position`,
  ]);
  if (!row) return json({ error: { code: 'not_found', message: 'No such lead.' } }, 404);
  const customFields = Object.fromEntries(
    fields.map((field) => [field.name, row.custom_fields[field.id] ?? null]),
  );
  return json({ data: { ...view(row), customFields, unsupportedCustomFields: [] } });
};

const list = async (firmId: string, limit: number, offset: number) => {
  const [rows, [counted]] = await Promise.all([
    sql`
      select l.*, c.name as contact_name, p.name as area_name from lead l
      left join contact c on c.firm_id = l.firm_id and c.id = l.contact_id and c.deleted_at is null
      left join practice_area p on p.firm_id = l.firm_id and p.id = l.practice_area_id
      where l.firm_id = ${firmId} and l.deleted_at is null
      order by l.ordinal desc limit ${limit} offset ${offset}`,
    sql`
      select count(*)::int as total from lead where firm_id = ${firmId} and deleted_at is null`,
  ]);
  return json({ data: rows.map(view), pagination: { limit, offset, total: counted?.total } });
};

const search = async (firmId: string, words: string, limit: number) => {
  const parts = words.toLowerCase().split(/\s+/);
  // One condition for each word, since `like all(array)` would not use the index.
  const matches = (column: postgres.PendingQuery<postgres.Row[]>) =>
    parts.map((word) => sql` and ${column} like ${`%${word}%`}`);
  const rows = await sql`
    with hits as (
      select id, name, created_at from contact
      where firm_id = ${firmId} and deleted_at is null ${matches(sql`findable_by`)}
    ), found as (
      select 'CONTACT' as type, id, null as number, name as title, created_at from hits
      union
      select 'LEAD', l.id, l.number, hits.name, l.created_at from hits
      join lead l on l.firm_id = ${firmId} and l.contact_id = hits.id and l.deleted_at is null
      union
      select 'LEAD', l.id, l.number, c.name, l.created_at from lead l
      join contact c on c.firm_id = l.firm_id and c.id = l.contact_id
      where l.firm_id = ${firmId} and l.deleted_at is null ${matches(sql`l.findable_by`)}
      union
      select 'MATTER', m.id, m.number, m.title, m.created_at from hits
      join matter_client mc on mc.firm_id = ${firmId} and mc.contact_id = hits.id
      join matter m on m.firm_id = mc.firm_id and m.id = mc.matter_id and m.deleted_at is null
      union
      select 'MATTER', id, number, title, created_at from matter
      where firm_id = ${firmId} and deleted_at is null ${matches(sql`findable_by`)}
    )
    select *, count(*) over ()::int as total from found order by created_at desc limit ${limit}`;
  const data = rows.map(({ type, id, number, title }) => ({ type, id, publicId: number, title }));
  return json({ data, pagination: { limit, offset: 0, total: rows[0]?.total ?? 0 } });
};

const server = Bun.serve({
  // Deep pages take it long, and the load waits.
  idleTimeout: 255,
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const holder = await holderOf(request);
    if (!holder) return json({ error: { code: 'unauthorized', message: 'No.' } }, 401);
    const { pathname: path, searchParams } = new URL(request.url);
    const id = path.slice('/v1/leads/'.length);
    if (request.method === 'POST') {
      const create = path === '/v1/matters' ? createMatter : createLead;
      return json({ data: await create(sql, holder, (await request.json()) as never) }, 201);
    }
    if (request.method === 'PATCH')
      return json({ data: await updateLead(sql, holder, id, (await request.json()) as never) });
    const limit = Number(searchParams.get('limit') ?? 20);
    if (path === '/v1/search') return search(holder.firm_id, searchParams.get('q') ?? '', limit);
    if (id) return read(holder.firm_id, id);
    return list(holder.firm_id, limit, Number(searchParams.get('offset') ?? 0));
  },
});
console.log(`http://127.0.0.1:${server.port}`);
