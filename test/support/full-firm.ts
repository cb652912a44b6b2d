/** A firm that has something of everything: the demonstration's, and what else a page can be about. */
import { scopes } from '../../src/contents.ts';
import { people } from '../../src/demonstration/cast.ts';
import { makeDemonstrationFirm } from '../../src/demonstration/demonstration.ts';
import { applicationPermissions } from '../../src/firm/permissions.ts';
import { connect, onDatabase } from './database.ts';
import { caller } from './firm.ts';
import { bringIn, checkRows, uploadCsv } from './imports.ts';
import { runJson } from './terminal.ts';
import { visitorOf } from './visitor.ts';

export const fullOwner = people.ada.email;
/** Holds every permission, and is no owner. */
export const administrator = 'max@harrow.example';
/** Holds every permission but those that a test takes away. */
export const limited = 'lim@harrow.example';

/** What a page may ask for. */
export const everyPermission = [...new Set([...scopes, ...applicationPermissions])];

/** Text that is only in a private lead. */
export const secret = 'Zxhidden';

/** Makes it. `hidden` are the ids of a private lead of the owner's and of all that hangs on it. */
export const makeFullFirm = async (server: { url: string; databaseUrl: string }) => {
  const id = Bun.randomUUIDv7();
  await onDatabase(server.databaseUrl, (database) =>
    makeDemonstrationFirm(database, id, new Date()),
  );
  const sql = connect(server.databaseUrl);
  // Names of firms are one server's: each test has a demonstration of its own.
  await sql`update firm set name = ${`Harrow ${id}`} where id = ${id}`;
  const roleId = Bun.randomUUIDv7();
  for (const [email, name] of [
    [administrator, 'Max Ward'],
    [limited, 'Lim Moor'],
  ] as const) {
    const role = email === limited ? Bun.randomUUIDv7() : roleId;
    await sql`insert into role (firm_id, id, name, permissions, holds_all)
      values (${id}, ${role}, ${`${name}’s role`}, ${everyPermission}, false)`;
    await sql`insert into member (firm_id, id, email, name, role_id, muted_kinds, created_at, updated_at)
      values (${id}, ${Bun.randomUUIDv7()}, ${email}, ${name}, ${role}, '{}', moment(), moment())`;
  }
  const rows = await sql<{ id: string; email: string }[]>`
    select id, email from member where firm_id = ${id}`;
  const members = Object.fromEntries(rows.map((row) => [row.email, row.id]));
  const firm = { id, members };
  const words = ['key', 'create', '--member', fullOwner, '--scope', ...scopes, '--firm', id];
  const made = await runJson<{ id: string; key: string }>(server.databaseUrl, words);
  const api = caller(server.url, made.key, made.id);
  const ada = await visitorOf(server, firm, fullOwner);
  const lead = async (body: object) => (await api.post('/v1/leads', body)).body.data.id as string;

  const gone = await lead({ lastName: 'Gone' });
  await ada.post(`/leads/${gone}/delete`);
  const hired = await lead({ firstName: 'Hired', lastName: 'Today' });
  const { practiceAreaId, openDate } = {
    practiceAreaId: (await api.get('/v1/practice-areas')).body.data[0].id as string,
    openDate: new Date().toISOString().slice(0, 10),
  };
  await ada.post(`/leads/${hired}/hire`, { do: 'hire', practiceAreaId, openDate });
  const noted = await lead({ firstName: 'Noted', lastName: 'Today' });
  await ada.post(`/leads/${noted}/notes`, { text: 'Called back.' });
  await ada.post('/leads/views?view=list', { name: 'Everything', firm: 'on' });
  const hidden = await lead({ lastName: secret, email: `${secret}@example.org`, isPrivate: true });
  await ada.post(`/leads/${hidden}/notes`, { text: `${secret} called.` });
  const csv = 'Last name\nBrought\n""\n';
  await uploadCsv(ada, 'contact', 'Last name\nWaits\n');
  await checkRows(ada, await uploadCsv(ada, 'contact', csv));
  const brought = await uploadCsv(
    ada,
    'lead',
    csv.replace('""', ',x@example.org').replace('name', 'name,Email'),
  );
  await checkRows(ada, brought);
  await bringIn(ada, brought);
  const parts = await sql<{ id: string }[]>`
    select contact_id as id from lead where firm_id = ${id} and id = ${hidden}
    union all select id from note where firm_id = ${id} and record_id = ${hidden}`;
  await sql.end();
  return {
    ...firm,
    api,
    leads: { gone, hired, noted, hidden },
    hidden: [hidden, ...parts.map((part) => part.id)],
  };
};

/** A firm as `makeFullFirm` gives it. */
export type FullFirm = Awaited<ReturnType<typeof makeFullFirm>>;

/**
 * Where a walk through everything begins: every page without a parameter, and records in each
 * state.
 */
export const startsOf = ({ leads }: FullFirm, paths: readonly string[]) => [
  ...paths.filter((path) => !path.includes(':')),
  ...Object.values(leads).map((id) => `/leads/${id}`),
  `/leads/${leads.gone}/deleted`,
];
