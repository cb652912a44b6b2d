/**
 * What is stored of a firm, held against what its clients were told (docs/design/later.md, V1 to
 * V6, V13).
 */
import type postgres from 'postgres';
import type { FirmOfClients, Known } from './firms.ts';

export type Misfits = Record<string, string[]>;

type Row = {
  id: string;
  token: string;
  isDeleted: boolean;
  number: number;
  at: number;
  contact: string | null;
  clients: string[];
  team: string[];
};
type Entry = {
  recordId: string;
  recordKind: string;
  action: 'create' | 'update' | 'delete';
  requestId: string;
  isAttributed: boolean;
};

/** Whatever does not fit, in words, by the kind of misfit. */
export const storedMisfits = async (sql: postgres.Sql, firm: FirmOfClients): Promise<Misfits> => {
  const leads = await leadsOf(sql, firm);
  const matters = await mattersOf(sql, firm);
  const contacts = await sql<{ id: string }[]>`select id from contact where firm_id = ${firm.id}`;
  const known = [...firm.known.values()];
  const rows = new Map([...leads, ...matters].map((row) => [row.id, row]));
  const withLead = new Set(leads.map(({ contact }) => contact));
  const isLost = ({ id, token, isDeleted }: Known) => {
    const row = rows.get(id);
    return !row || row.token !== token || row.isDeleted !== isDeleted;
  };
  const hasAllParts = ({ id, clients, team }: Known) => {
    const row = rows.get(id);
    return !row || (sameSet(row.clients, clients) && sameSet(row.team, team));
  };
  return {
    lost: known.filter(isLost).map(({ resource, id }) => `${resource} ${id}`),
    half: [
      ...known.filter((one) => !hasAllParts(one)).map(({ id }) => `parts of ${id}`),
      ...leads.filter(({ contact }) => contact === null).map(({ id }) => `lead alone ${id}`),
      ...contacts.filter(({ id }) => !withLead.has(id)).map(({ id }) => `contact alone ${id}`),
    ],
    twice: [...rows.keys()].filter((id) => !firm.known.has(id)).map((id) => `unknown ${id}`),
    audit: await auditMisfits(sql, firm, contacts),
    numbers: [
      ...numberMisfits('lead', leads),
      ...numberMisfits('matter', matters),
      ...(await registerMisfits(sql, firm.id)),
    ],
  };
};

const sameSet = (one: string[], other: string[]) =>
  one.length === other.length && one.every((member) => other.includes(member));

const leadsOf = (sql: postgres.Sql, { id, customFields }: FirmOfClients) => sql<Row[]>`
  select lead.id, lead.custom_fields ->> ${customFields.lead.Token ?? ''} as token,
    lead.deleted_at is not null as "isDeleted", substring(number from '\\d+$')::int as number,
    (extract(epoch from lead.created_at) * 1000)::float8 as at, contact.id as contact,
    '{}'::text[] as clients, '{}'::text[] as team
  from lead left join contact on contact.firm_id = lead.firm_id and contact.id = contact_id
  where lead.firm_id = ${id} order by lead.ordinal`;

const mattersOf = (sql: postgres.Sql, { id }: FirmOfClients) => sql<Row[]>`
  select id, title as token, deleted_at is not null as "isDeleted",
    substring(number from '\\d+$')::int as number,
    (extract(epoch from created_at) * 1000)::float8 as at, null as contact,
    array(select contact_id::text from matter_client part
      where part.firm_id = matter.firm_id and part.matter_id = matter.id) as clients,
    array(select member_id::text from matter_team part
      where part.firm_id = matter.firm_id and part.matter_id = matter.id) as team
  from matter where firm_id = ${id} order by ordinal`;

/** Numbers are 1 to n in the order of creation, and moments do not fall. */
const numberMisfits = (kind: string, rows: Row[]): string[] =>
  rows.flatMap(({ id, number, at }, index) => {
    if (number !== index + 1) return `${kind} ${id} is ${number}, not ${index + 1}`;
    return at < (rows[index - 1]?.at ?? 0) ? `${kind} ${id} is older than the one before it` : [];
  });

const registerMisfits = async (sql: postgres.Sql, firmId: string): Promise<string[]> => {
  const rows = await sql<{ kind: string }[]>`
    with counted as (
      select 'lead' as kind, count(*) filter (where deleted_at is null) as live,
        count(*) as numbers from lead where firm_id = ${firmId}
      union all select 'matter', count(*) filter (where deleted_at is null), count(*)
        from matter where firm_id = ${firmId}
      union all select 'contact', count(*) filter (where deleted_at is null), 0
        from contact where firm_id = ${firmId})
    select kind from counted join register using (kind)
    where firm_id = ${firmId} and (register.live <> counted.live
      or kind <> 'contact' and register.last_number <> counted.numbers)`;
  return rows.map(({ kind }) => `register of ${kind}`);
};

/**
 * Each change has one entry, with member, key and the request that made it; none is of anything else.
 * A contact that is hidden or shown with its lead has an entry of that, of the lead's request.
 */
const auditMisfits = async (
  sql: postgres.Sql,
  firm: FirmOfClients,
  contacts: { id: string }[],
): Promise<string[]> => {
  const entries = await sql<Entry[]>`
    select record_id as "recordId", record_kind as "recordKind", action, request_id as "requestId",
      member_id is not null and key_id is not null as "isAttributed"
    from audit_entry where firm_id = ${firm.id} and record_kind in ('contact', 'lead', 'matter')
      and not (record_kind = 'contact' and action = 'update'
        and changes - 'isPrivate' = '{}' and changes <> '{}')`;
  const byRecord = Map.groupBy(entries, ({ recordId }) => recordId);
  const wrong: string[] = [];
  const expectEntries = (id: string, expected: Record<Entry['action'], number>) => {
    const found = byRecord.get(id) ?? [];
    for (const action of ['create', 'update', 'delete'] as const) {
      const count = found.filter((entry) => entry.action === action).length;
      if (count !== expected[action]) wrong.push(`${count} × ${action} of ${id}`);
    }
    if (new Set(found.map(({ requestId }) => requestId)).size !== found.length)
      wrong.push(`one request changed ${id} twice`);
    byRecord.delete(id);
  };
  for (const { id, updates, isDeleted, requestId } of firm.known.values()) {
    const creation = byRecord.get(id)?.find(({ action }) => action === 'create');
    if (requestId !== undefined && creation?.requestId !== requestId)
      wrong.push(`${id} is not of its request`);
    expectEntries(id, { create: 1, update: updates, delete: isDeleted ? 1 : 0 });
  }
  for (const { id } of contacts) expectEntries(id, { create: 1, update: 0, delete: 0 });
  return [
    ...wrong,
    ...[...byRecord.keys()].map((id) => `entries of unknown ${id}`),
    ...entries.filter(({ isAttributed }) => !isAttributed).map(({ recordId }) => `by ${recordId}`),
  ];
};
