/** What is stored of a firm whose members work in browsers, held against what they were told. */
import type postgres from 'postgres';
import { run } from '../../support/terminal.ts';
import type { Laboratory } from './laboratory.ts';
import type { FirmInBrowsers, KnownLead } from './members.ts';
import { replayMisfits } from './replay.ts';
import type { Misfits } from './stored.ts';

type Row = {
  id: string;
  name: string | null;
  stageId: string;
  status: string;
  notes: string[];
  matters: number;
  parts: number;
  tasks: string[];
};

/** Whatever does not fit, in words, by the kind of misfit. */
export const memberMisfits = async (lab: Laboratory, firm: FirmInBrowsers): Promise<Misfits> => {
  const rows = await lab.look((sql) => leadsOf(sql, firm.id));
  const byPath = new Map(rows.map((row) => [`/leads/${row.id}`, row]));
  const verified = await run(lab.databaseUrl, ['audit', 'verify', '--firm', firm.id]);
  const found = [...firm.known].map(([path, known]) => misfitsOf(path, known, byPath.get(path)));
  const misfits: Misfits = {
    lost: found.flatMap(({ lost }) => lost),
    half: found.flatMap(({ half }) => half),
    twice: [
      ...found.flatMap(({ twice }) => twice),
      ...[...byPath.keys()].filter((path) => !firm.known.has(path)).map((path) => `new ${path}`),
    ],
    audit: await lab.look((sql) => entryMisfits(sql, firm.id)),
    replay: await lab.look((sql) => replayMisfits(sql, firm.id)),
    chain: verified.exitCode === 0 ? [] : [verified.err],
  };
  return misfits;
};

const misfitsOf = (path: string, known: KnownLead, row: Row | undefined) => {
  const wrong = { lost: [] as string[], half: [] as string[], twice: [] as string[] };
  if (!row) return { ...wrong, lost: [path] };
  if (row.name !== known.name) wrong.half.push(`${path} has the contact ${row.name}`);
  if (row.stageId !== known.stageId) wrong.lost.push(`the stage of ${path}`);
  for (const [kind, told, stored] of [
    ['note', known.notes, row.notes],
    ['task', known.tasks ?? [], row.tasks],
  ] as const) {
    if (told.some((one) => !stored.includes(one))) wrong.lost.push(`a ${kind} of ${path}`);
    if (stored.length > told.length) wrong.twice.push(`a ${kind} of ${path}`);
  }
  const isHired = known.tasks !== undefined;
  if (isHired !== (row.status === 'HIRED')) wrong.lost.push(`the hire of ${path}`);
  if (row.matters > (isHired ? 1 : 0)) wrong.twice.push(`the matter of ${path}`);
  // A client and a member of the team, once each.
  if (row.parts !== (isHired ? 2 : 0)) wrong.half.push(`${row.parts} parts of ${path}'s matter`);
  return wrong;
};

/** Every lead, with what members added to it. Matters are found by their client, the lead's contact. */
const leadsOf = (sql: postgres.Sql, firmId: string) => sql<Row[]>`
  select lead.id, contact.last_name as name, lead.lead_stage_id as "stageId", lead.status,
    array(select text from note where note.firm_id = lead.firm_id and record_id = lead.id
      and deleted_at is null) as notes,
    (select count(distinct matter_id)::int from matter_client one
      where one.firm_id = lead.firm_id and one.contact_id = lead.contact_id) as matters,
    ((select count(*) from matter_client one
      where one.firm_id = lead.firm_id and one.matter_id = lead.matter_id)
      + (select count(*) from matter_team one
      where one.firm_id = lead.firm_id and one.matter_id = lead.matter_id))::int as parts,
    array(select title from task where task.firm_id = lead.firm_id
      and task.matter_id = lead.matter_id and title <> 'To do') as tasks
  from lead left join contact on contact.firm_id = lead.firm_id and contact.id = lead.contact_id
  where lead.firm_id = ${firmId}`;

/** Each record has one entry of its creation, by a member and without a key. */
const entryMisfits = async (sql: postgres.Sql, firmId: string): Promise<string[]> => {
  const wrong = await sql<{ kind: string; id: string }[]>`
    with made as (
      select 'lead' as kind, id from lead where firm_id = ${firmId}
      union all select 'contact', id from contact where firm_id = ${firmId}
      union all select 'matter', id from matter where firm_id = ${firmId}
      union all select 'note', id from note where firm_id = ${firmId}
      union all select 'task', id from task where firm_id = ${firmId} and title <> 'To do')
    select kind, id from made where (select count(*) from audit_entry entry
      where entry.firm_id = ${firmId} and record_kind = kind and record_id = made.id
        and action = 'create' and member_id is not null and key_id is null) <> 1`;
  return wrong.map(({ kind, id }) => `creation of ${kind} ${id}`);
};
