/** Fresh records of every kind for the forms that are about one, so that each form reaches what it does. */
import { connect } from '../../support/database.ts';
import { runJson } from '../../support/terminal.ts';
import { visitorWith } from '../../support/visitor.ts';
import type { Scene } from './scene.ts';

/** Makes a record, and gives the ids that stand in the form's path, in their order. */
type Maker = () => Promise<(string | undefined)[]>;

/** `addressOf` makes a record for the form at this path and gives the path with its ids. */
export const openRecords = ({ url, databaseUrl, attacker }: Scene, cookie: string) => {
  const { id: firmId, marker, key } = attacker;
  const visitor = visitorWith(url, cookie);
  const sql = connect(databaseUrl);
  let count = 0;
  const name = () => {
    count += 1;
    return `Cost ${marker} ${count}`;
  };
  const api = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { data } = (await answer.json()) as { data?: { id: string } };
    if (!data) throw new Error(`No record for the forms: ${path} was answered ${answer.status}.`);
    return data.id;
  };
  /** The record that was made last: ids are in the order in which they are made. */
  const newest = async (table: string) => {
    const [row] = await sql<{ id: string }[]>`
      select id::text as id from ${sql(table)} where firm_id = ${firmId} order by ${sql(table)}.id desc limit 1`;
    return row?.id;
  };
  const send = async (path: string, fields: Record<string, string | string[]> = {}) => {
    const answer = await visitor.post(path, fields);
    if (answer.status >= 400) {
      const why = /role="alert".*?<\/div>/s.exec(answer.text)?.[0] ?? '';
      throw new Error(`No record for the forms: ${path} was answered ${answer.status}. ${why}`);
    }
    return answer;
  };
  /** Sends a form that makes a record, and gives the record's id. */
  const made = async (table: string, path: string, fields: Record<string, string | string[]>) => {
    await send(path, fields);
    return newest(table);
  };

  const contact = () => api('POST', 'contacts', { lastName: name() });
  const lead = () => api('POST', 'leads', { lastName: name() });
  const areaId = () => made('practice_area', practiceAreas, { name: name(), stages: 'In\nOut' });
  const openDate = '2026-02-03';
  let area: string | undefined;
  const matter = async (more: object = {}) => {
    area ??= await areaId();
    return api('POST', 'matters', { title: name(), openDate, practiceAreaId: area, ...more });
  };
  const deleted = async (kind: string, of: () => Promise<string>) => {
    const id = await of();
    await api('DELETE', `${kind}/${id}`);
    return id;
  };
  const noteOn = async (kind: string, of: () => Promise<string>) => {
    const id = await of();
    return [id, await made('note', `/${kind}/${id}/notes`, { text: name() })];
  };
  const ofMatter = async () => ({ matter: await numberOf(await matter()) });
  const numberOf = async (id: string) => {
    const [row] = await sql<{ number: string }[]>`
      select number from matter where firm_id = ${firmId} and id = ${id}`;
    return row?.number ?? '';
  };
  const field = (type: string) => {
    const options = type === 'SELECT' ? { options: 'One\nTwo' } : {};
    return made('custom_field', fields, { appliesTo: 'MATTER', name: name(), type, ...options });
  };
  const member = async (isActive = true) => {
    const id = Bun.randomUUIDv7();
    await sql`insert into member (firm_id, id, email, name, role_id, muted_kinds, created_at, updated_at, deactivated_at)
      select ${firmId}, ${id}, ${`${id}@${marker}.example`}, ${name()}, role_id, '{}', moment(), moment(),
        ${isActive ? null : sql`moment()`}
      from member where firm_id = ${firmId} and email = ${`clerk@${marker}.example`}`;
    return id;
  };
  const importOf = async (step: 'uploaded' | 'checked' | 'done') => {
    const file = new File([`Last name\n${name()}\n`], 'people.csv');
    const { location } = await visitor.upload('/settings/imports', { kind: 'contact' }, file);
    const columns = { 'column.0': 'lastName', separator: ',', dayOrder: 'DMY' };
    if (step !== 'uploaded') await send(`${location}/columns`, columns);
    if (step === 'done') {
      await send(`${location}/begin`);
      while (!(await visitor.get(location ?? '')).text.includes('Imported.')) await Bun.sleep(50);
    }
    return location?.split('/').at(-1);
  };
  const bulk = async () => {
    await send('/leads?view=list', { do: 'all-status:ARCHIVE', id: [await lead()] });
    return newest('bulk_change');
  };
  const owner = sql`(select id from member where firm_id = ${firmId}
    and email = ${`owner@${marker}.example`})`;

  const taskList = async () => {
    // A firm has no more than a hundred.
    await visitor.post(`${taskLists}/${await newest('task_list')}/remove`, {});
    return made('task_list', taskLists, { name: name() });
  };

  let days = 0;
  /** By the beginning of the form's path: the first that fits. */
  const makers: [begins: string, maker: Maker][] = [
    [
      '/welcome/:token',
      async () => {
        const words = ['member', 'invite', '--firm', firmId];
        const who = ['--member', `clerk@${marker}.example`];
        const { link } = await runJson<{ link: string }>(databaseUrl, [...words, ...who]);
        return [link.split('/').at(-1)];
      },
    ],
    [
      '/inbox/:notice',
      async () => {
        await sql`insert into notification
            (firm_id, member_id, kind, cause, title, text, created_at, raised_at)
          values (${firmId}, ${owner}, 'account.warned', ${name()}, 'A notice', 'Roe', moment(), moment())`;
        return [await newest('notification')];
      },
    ],
    [
      '/contacts/merges/:id',
      async () => {
        const [kept, other] = [await contact(), await contact()];
        return [await made('contact_merge', `/contacts/${kept}/merge`, { with: other })];
      },
    ],
    ['/contacts/views/:id', async () => [await made('saved_view', contactViews, { name: name() })]],
    ['/contacts/:id/notes/:noteId', () => noteOn('contacts', contact)],
    ['/contacts/:id/restore', async () => [await deleted('contacts', contact)]],
    ['/contacts/:id', async () => [await contact()]],
    ['/bulk/:id', async () => [await bulk()]],
    ['/leads/views/:id', async () => [await made('saved_view', leadViews, { name: name() })]],
    ['/matters/views/:id', async () => [await made('saved_view', matterViews, { name: name() })]],
    ['/leads/:id/notes/:noteId', () => noteOn('leads', lead)],
    [
      '/leads/:id/undo-hire',
      async () => {
        const id = await lead();
        area ??= await areaId();
        await send(`/leads/${id}/hire`, { do: 'hire', practiceAreaId: area ?? '', openDate });
        return [id];
      },
    ],
    ['/leads/:id/restore', async () => [await deleted('leads', lead)]],
    ['/leads/:id', async () => [await lead()]],
    ['/matters/:id/notes/:noteId', () => noteOn('matters', matter)],
    ['/matters/:id/restore', async () => [await deleted('matters', matter)]],
    ['/matters/:id/limitation', async () => [await matter({ solDate: '2031-02-03' })]],
    ['/matters/:id', async () => [await matter()]],
    [
      '/calendar/:id',
      async () => {
        const when = { day: '2031-02-03', begins: '10:00', ends: '11:00', lastDay: '' };
        const event = { ...(await ofMatter()), title: name(), ...when, guests: '' };
        return [await made('calendar_event', '/calendar/new', event)];
      },
    ],
    [
      '/tasks/:id',
      async () => [await made('task', '/tasks/new', { ...(await ofMatter()), title: name() })],
    ],
    [
      '/settings/me/passkeys/:id',
      async () => {
        const id = Bun.randomUUIDv7();
        await sql`insert into passkey (firm_id, id, member_id, name, credential_id, public_key, uses,
            transports, is_synced, created_at)
          values (${firmId}, ${id}, ${owner}, 'A key', ${id}, '', 0, '{}', false, moment())`;
        return [id];
      },
    ],
    [
      '/settings/lead-stages/stages/:id',
      async () => [await made('lead_stage', `${leadStages}/stages`, { name: name() })],
    ],
    [
      '/settings/lead-stages/reasons/:id',
      async () => [await made('not_hired_reason', `${leadStages}/reasons`, { name: name() })],
    ],
    [
      '/settings/event-kinds/kinds/:id',
      async () => [await made('event_kind', '/settings/event-kinds/kinds', { name: name() })],
    ],
    [
      '/settings/holidays/own/:id',
      async () => {
        const day = new Date(Date.UTC(2050, 0, (days += 1))).toISOString().slice(0, 10);
        return [await made('holiday', '/settings/holidays/own', { name: name(), day })];
      },
    ],
    [
      '/settings/date-rules/:id',
      async () => [await made('date_rule', '/settings/date-rules', { name: name(), ...dateRule })],
    ],
    [
      '/settings/task-lists/:id/lines/:lineId',
      async () => {
        const list = await taskList();
        return [list, await made('task_list_line', `${taskLists}/${list}/lines`, listLine)];
      },
    ],
    ['/settings/task-lists/:id', async () => [await taskList()]],
    [
      '/settings/practice-areas/:id/stages/:partId',
      async () => [await areaId(), await newest('stage')],
    ],
    [
      '/settings/practice-areas/:id/types/:partId',
      async () => {
        const id = await areaId();
        return [id, await made('matter_type', `${practiceAreas}/${id}/types`, { name: name() })];
      },
    ],
    ['/settings/practice-areas/:id', async () => [await areaId()]],
    [
      '/settings/fields/:id/options/:option',
      async () => [await field('SELECT'), Buffer.from('One').toString('base64url')],
    ],
    ['/settings/fields/:id/options', async () => [await field('SELECT')]],
    ['/settings/fields/:id', async () => [await field('TEXT')]],
    ['/settings/members/:id/activate', async () => [await member(false)]],
    ['/settings/members/:id', async () => [await member()]],
    [
      '/settings/roles/:id',
      async () => {
        const id = Bun.randomUUIDv7();
        await sql`insert into role (firm_id, id, name, permissions, holds_all)
          values (${firmId}, ${id}, ${name()}, '{contacts:read}', false)`;
        return [id];
      },
    ],
    [
      '/settings/keys/:id',
      async () => {
        const words = ['key', 'create', '--firm', firmId, '--scope', 'leads:read'];
        const who = ['--member', `owner@${marker}.example`];
        return [(await runJson<{ id: string }>(databaseUrl, [...words, ...who])).id];
      },
    ],
    [
      '/settings/webhooks/:id',
      async () => {
        const endpoint = { url: 'https://receiver.example/hook', types: 'note.created' };
        // A firm has no more than a few.
        await visitor.post(`/settings/webhooks/${await newest('webhook_endpoint')}/delete`, {});
        return [await made('webhook_endpoint', '/settings/webhooks', endpoint)];
      },
    ],
    ['/settings/imports/:id/begin', async () => [await importOf('checked')]],
    ['/settings/imports/:id/undo', async () => [await importOf('done')]],
    ['/settings/imports/:id', async () => [await importOf('uploaded')]],
    ['/settings/deleted/leads/:id', async () => [await deleted('leads', lead)]],
    ['/settings/deleted/matters/:id', async () => [await deleted('matters', matter)]],
    ['/settings/deleted/contacts/:id', async () => [await deleted('contacts', contact)]],
  ];

  const makerOf = (path: string) => {
    const [, make] =
      makers.find(([begins]) => `${shapeOf(path)}/`.startsWith(`${shapeOf(begins)}/`)) ?? [];
    if (!make) throw new Error(`No record is made for the form ${path}.`);
    return make;
  };
  const addressOf = async (path: string) => {
    // What these are about is named in the query.
    if (path.startsWith(fromList)) return `${path}?lead=${await lead()}`;
    if (!path.includes(':')) return path;
    const ids = await makerOf(path)();
    return path.replaceAll(/:\w+/g, () => ids.shift() ?? '');
  };
  /** Throws if one of these forms is about a record that is not made here. */
  const mustKnow = (paths: readonly string[]) => {
    for (const path of paths) if (path.includes(':')) makerOf(path);
  };
  /** What the fields of the form at this path must name, since its path does not. */
  const fieldsOf = async (path: string) => {
    if (path === fromList) return `list=${await taskList()}&`;
    return path === '/' ? `assign=${await lead()}&` : '';
  };
  return { addressOf, mustKnow, fieldsOf, close: () => sql.end() };
};

const practiceAreas = '/settings/practice-areas';
const taskLists = '/settings/task-lists';
const fromList = '/tasks/from-list';
const listLine = { title: 'Letter', trigger: 'applied', amount: '1', unit: 'days' };
const dateRule = {
  amount: '3',
  unit: 'days',
  direction: 'after',
  trigger: 'opened',
  rolling: 'next',
  makes: 'task',
};
const leadStages = '/settings/lead-stages';
const fields = '/settings/fields';
const contactViews = '/contacts/views?view=list';
const leadViews = '/leads/views?view=list';
const matterViews = '/matters/views?view=list';

/** A path whatever its ids are called. */
const shapeOf = (path: string) => path.replaceAll(/:\w+/g, ':');
