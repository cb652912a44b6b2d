/** Practice areas and custom fields, as the settings' forms change them. */

import { describe, expect, test } from 'bun:test';
import { memberBrowser } from '../support/app.ts';
import { connect } from '../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributesIn, partsIn, textsIn } from '../support/html.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
const hostile = `<img src=x onerror=alert(1)> "quoted" ‮ 𝒟 / .. ${crypto.randomUUID()}`;

const ready = async (parts = {}) => {
  const firm = await makeFirm(server, parts);
  return { firm, ada: await memberBrowser(server, firm, owner) };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const areas = '/settings/practice-areas';
const fields = '/settings/fields';

/** The names of a list's rows, in their order. */
const namesIn = (page: string) =>
  partsIn(page, 'summary.value').map(({ text }) => text.replace(/^Rename /, ''));

/** The addresses to which a list's rows send a new name, in their order. */
const rowsAt = (text: string, path: string) => [
  ...new Set(
    attributesIn(text, `form[action^="${path}/"]`, 'action').filter((action) =>
      /^\/[\w-]+$/.test(action.slice(path.length)),
    ),
  ),
];

const changesOf = async ({ firm }: Ready, recordId: string) => {
  return sql<{ action: string; changes: object; memberId: string; keyId: string | null }[]>`
    select action, changes, member_id as "memberId", key_id as "keyId" from audit_entry
    where firm_id = ${firm.id} and record_id = ${recordId} order by id`;
};

describe('Practice areas', () => {
  test('are made with their stages, renamed, and removed', async () => {
    const made = await ready();
    const { ada } = made;
    const sent = await ada.send(areas, { name: 'Tax', stages: 'Intake\n\n  Return \nClosed' });
    expect(sent.location).toMatch(/^\/settings\/practice-areas\/[\w-]{36}$/);
    const at = sent.location ?? '';
    expect(namesIn((await ada.get(at)).text)).toEqual(['Intake', 'Return', 'Closed']);
    expect((await ada.get(areas)).text).toContain('Intake, Return, Closed');
    expect((await ada.send(areas, { name: ' ' })).status).toBe(422);
    expect((await ada.send(at, { name: hostile })).status).toBe(303);
    expect((await ada.get(areas)).text).not.toContain('<img src=x');
    expect((await ada.send(at, { name: '' })).text).toContain('Enter a name.');
    expect((await ada.send(`${at}/remove`, {})).location).toBe(areas);
    expect((await ada.get(at)).status).toBe(404);
  });

  test('have stages that are added, renamed, moved and removed, but not while they hold matters', async () => {
    const made = await ready();
    const { ada, firm } = made;
    const area = firm.practiceAreas.Family;
    const at = `${areas}/${area?.id}`;
    const before = namesIn((await ada.get(at)).text).length;
    await ada.send(`${at}/stages`, { name: hostile });
    const text = (await ada.get(at)).text;
    expect(text).not.toContain('<img src=x');
    const rows = rowsAt(text, `${at}/stages`);
    const last = rows.at(-1) ?? '';
    await ada.send(last, { name: 'Appeal' });
    for (let step = 0; step <= rows.length; step += 1) await ada.send(`${last}/move`, { by: 'up' });
    expect(namesIn((await ada.get(at)).text)[0]).toBe('Appeal');
    const opened = await firm.owner.post('/v1/matters', {
      openDate: '2026-01-02',
      practiceAreaId: area?.id,
      practiceAreaStageColumnId: last.split('/').at(-1),
    });
    expect(opened.status).toBe(201);
    const kept = await ada.send(`${last}/remove`, {});
    expect(kept.status).toBe(422);
    expect(kept.text).toContain('still holds matters. Move them to another stage first');
    await firm.owner.delete(`/v1/matters/${opened.body.data.id}`);
    expect((await ada.send(`${last}/remove`, {})).status).toBe(303);
    expect(namesIn((await ada.get(at)).text).length).toBe(before);
    expect((await ada.send(`${last}/remove`, {})).status).toBe(404);
  });

  test('lose no stage where two people change the board at once', async () => {
    const { ada, firm } = await ready();
    const at = `${areas}/${firm.practiceAreas.Family?.id}`;
    const names = ['One', 'Two', 'Three', 'Four'];
    await Promise.all(names.map((name) => ada.send(`${at}/stages`, { name })));
    expect(namesIn((await ada.get(at)).text)).toEqual(expect.arrayContaining(names));
  });

  test('say whether a limitation date is expected, with who said so', async () => {
    const made = await ready();
    const { ada, firm } = made;
    const id = firm.practiceAreas.Estates?.id ?? '';
    const at = `${areas}/${id}`;
    for (const expects of ['yes', 'yes', 'no']) await ada.send(`${at}/limitation`, { expects });
    const change = (before: boolean) => ({
      action: 'update',
      changes: { expectsLimitationDate: { before, after: !before } },
      memberId: firm.members[owner],
      keyId: null,
    });
    expect((await changesOf(made, id)).slice(-2)).toMatchObject([change(false), change(true)]);
    await ada.send(`${at}/limitation`, { expects: 'yes' });
    expect((await ada.get(areas)).text).toContain('Expected');
  });

  test('have matter types, which stay with their own area', async () => {
    const { ada, firm } = await ready();
    const at = `${areas}/${firm.practiceAreas.Estates?.id}`;
    await ada.send(`${at}/types`, { name: 'Codicil' });
    const row = rowsAt((await ada.get(at)).text, `${at}/types`).at(-1) ?? '';
    await ada.send(row, { name: 'Small codicil' });
    expect((await ada.get(at)).text).toContain('Small codicil');
    expect((await ada.get(`${areas}/${firm.practiceAreas.Family?.id}`)).text).not.toContain(
      'odicil',
    );
    expect((await ada.send(row, { name: '' })).status).toBe(422);
    await ada.send(`${row}/remove`, {});
    expect((await ada.get(at)).text).not.toContain('odicil');
  });
});

describe('A name that is on a list already', () => {
  test('is refused alike on every list, whether it is added or given by renaming', async () => {
    const { ada, firm } = await ready({ customFields: [] });
    await ada.send(fields, { appliesTo: 'LEAD', type: 'SELECT', name: 'Court', options: 'A\nB' });
    const [court] = (await firm.owner.get('/v1/custom-fields')).body.data;
    const lists = {
      '/settings/lead-stages': ['stages', 'reasons'],
      '/settings/event-kinds': ['kinds'],
      [`${areas}/${firm.practiceAreas.Family?.id}`]: ['stages'],
      [`${fields}/${court.id}`]: ['options'],
    };
    for (const [page, parts] of Object.entries(lists)) {
      for (const part of parts) {
        const at = `${page}/${part}`;
        for (const name of ['Another', 'Taken']) {
          expect((await ada.send(at, { name })).status, `${at} ${name}`).toBe(303);
        }
        const before = (await ada.get(page)).text;
        const other = rowsAt(before, at)[0] ?? '';
        for (const action of [at, other]) {
          for (const name of [' Taken ', 'TAKEN']) {
            const refused = await ada.send(action, { name });
            expect(refused.status, `${action} ${name}`).toBe(422);
            expect(refused.text).toMatch(/Another [a-z ]+ has this name already/);
          }
        }
        expect(namesIn((await ada.get(page)).text)).toEqual(namesIn(before));
        // A name may be sent as it is.
        const own = rowsAt(before, at).at(-1) ?? '';
        expect((await ada.send(own, { name: 'Taken' })).status).toBe(303);
        expect((await ada.send(own, { name: 'TAKEN' })).status).toBe(303);
      }
    }
  });

  test('is refused in capitals or not also of fields, roles, rules and task lists, to one of two at once', async () => {
    const { ada } = await ready({ customFields: [] });
    const rule = {
      ...{ amount: '8', unit: 'days', direction: 'after', trigger: 'opened', rolling: 'none' },
      ...{ practiceAreaId: '', makes: 'task' },
    };
    const all: [string, object][] = [
      [fields, { appliesTo: 'LEAD', type: 'TEXT', options: '' }],
      ['/settings/roles/new', {}],
      ['/settings/date-rules', rule],
      ['/settings/task-lists', {}],
      ['/settings/event-kinds/kinds', {}],
    ];
    for (const [path, rest] of all) {
      const add = async (name: string) => (await ada.send(path, { ...rest, name })).status;
      const atOnce = await Promise.all(['Twin', 'TWIN', 'twin'].map(add));
      expect(atOnce.sort(), path).toEqual([303, 422, 422]);
      expect(await add('tWIN'), path).toBe(422);
      expect(await add('Single'), path).toBe(303);
    }
  });

  test('and stands beside another from before stays, and can be moved and changed', async () => {
    const { ada, firm } = await ready();
    const page = '/settings/event-kinds';
    const at = `${page}/kinds`;
    for (const name of ['Hearing', 'Visit']) await ada.send(at, { name });
    await sql`update event_kind set name = 'hearing' where firm_id = ${firm.id} and name = 'Visit'`;
    const [, twin = ''] = rowsAt((await ada.get(page)).text, at);
    expect((await ada.send(`${twin}/move`, { by: 'up' })).status).toBe(303);
    expect(namesIn((await ada.get(page)).text)).toEqual(['hearing', 'Hearing']);
    expect((await ada.send(twin, { name: 'hearing' })).status).toBe(303);
    expect((await ada.send(twin, { name: 'Trial' })).status).toBe(303);
    expect(namesIn((await ada.get(page)).text)).toEqual(['Trial', 'Hearing']);
  });
});

describe('Custom fields', () => {
  test('are made for a kind of record, renamed and put in order', async () => {
    const { ada, firm } = await ready({ customFields: [] });
    const field = { appliesTo: 'MATTER', type: 'SELECT', name: 'Court', options: 'North\nSouth' };
    expect((await ada.send(fields, field)).status).toBe(303);
    await ada.send(fields, { ...field, type: 'DATE', name: 'Hearing', options: '' });
    const listed = await firm.owner.get('/v1/custom-fields');
    expect(listed.body.data).toMatchObject([
      { name: 'Hearing', appliesTo: 'MATTER', type: 'DATE', options: [] },
      { name: 'Court', appliesTo: 'MATTER', type: 'SELECT', options: ['North', 'South'] },
    ]);
    const [hearing, court] = listed.body.data;
    const order = async () =>
      textsIn((await ada.get(fields)).text, 'main a').filter((name) =>
        /^(Court|Hearing)$/.test(name),
      );
    expect(await order()).toEqual(['Court', 'Hearing']);
    await ada.send(`${fields}/${hearing.id}/move`, { by: 'up' });
    expect(await order()).toEqual(['Hearing', 'Court']);
    await ada.send(`${fields}/${court.id}`, { name: hostile });
    expect((await ada.get(fields)).text).not.toContain('<img src=x');
    const refusals = [
      [{ ...field, name: 'Hearing', type: 'TEXT', options: '' }, 'has this name already'],
      [{ ...field, name: '' }, 'Enter a name.'],
      [{ ...field, name: 'Judge', options: '' }, 'Options must be 1 to 1,000 lines'],
      [{ ...field, name: 'Judge', type: 'TEXT' }, 'Options belong to a choice'],
      [{ ...field, name: 'Judge', type: 'FILE' }, 'Type must be one of the choices'],
      [{ ...field, name: 'Judge', appliesTo: 'TASK' }, 'Belongs to must be one of the choices'],
    ] as const;
    for (const [wrong, says] of refusals) {
      const refused = await ada.send(fields, { ...wrong, do: 'new-field' });
      expect(refused).toMatchObject({ status: 422, text: expect.stringContaining(says) });
    }
    expect((await firm.owner.get('/v1/custom-fields')).body.data).toHaveLength(2);
  });

  test('have options that are added, renamed, moved and removed while no record holds them', async () => {
    const { ada, firm } = await ready({
      customFields: [{ on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] }],
    });
    const at = `${fields}/${firm.customFields.lead.Source}`;
    const rowOf = (name: string) => `${at}/options/${Buffer.from(name).toString('base64url')}`;
    const options = async () => namesIn((await ada.get(at)).text);
    await ada.send(`${at}/options`, { name: '..' });
    await ada.send(`${rowOf('..')}/move`, { by: 'up' });
    expect(await options()).toEqual(['Web', '..', 'Friend']);
    await ada.send(rowOf('..'), { name: hostile });
    expect((await ada.get(at)).text).not.toContain('<img src=x');
    await ada.send(rowOf(hostile), { name: 'Radio' });
    const made = await firm.owner.post('/v1/leads', {
      lastName: 'Roe',
      leadStageColumnId: firm.leadStages.New,
      customFields: { Source: 'Web' },
    });
    for (const [path, sent] of [
      [rowOf('Web'), { name: 'Internet' }],
      [`${rowOf('Web')}/remove`, {}],
    ] as const) {
      const refused = await ada.send(path, sent);
      expect(refused.status).toBe(422);
      expect(refused.text).toContain('is still held by leads');
    }
    expect((await ada.send(rowOf('Radio'), { name: 'Friend' })).status).toBe(422);
    await firm.owner.delete(`/v1/leads/${made.body.data.id}`);
    for (const name of ['Web', 'Radio']) await ada.send(`${rowOf(name)}/remove`, {});
    expect(await options()).toEqual(['Friend']);
    expect((await ada.send(`${rowOf('Friend')}/remove`, {})).status).toBe(422);
    expect((await ada.send(`${rowOf('Web')}/remove`, {})).status).toBe(404);
  });
});

describe('Removing a custom field', () => {
  const say = (text: string) => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  const held = async (firm: Ready['firm'], id: string) =>
    (
      await sql<{ values: number }[]>`
        select count(*)::int as values from lead where firm_id = ${firm.id} and custom_fields ? ${id}`
    )[0]?.values;
  const parts = {
    customFields: [
      { on: 'lead', name: 'Source', type: 'SELECT', options: ['Web', 'Friend'] },
      { on: 'lead', name: 'Budget', type: 'NUMBER' },
      { on: 'contact', name: 'Budget', type: 'NUMBER' },
    ],
  };

  test('foretells what is lost, asks, and takes the values away for good; the log keeps the field', async () => {
    const made = await ready(parts);
    const { ada, firm } = made;
    const id = firm.customFields.lead.Budget ?? '';
    const make = async (Budget: number | null, more: object = {}) =>
      (await firm.owner.post('/v1/leads', { lastName: 'Roe', customFields: { Budget }, ...more }))
        .body.data.id as string;
    const [one, gone, empty] = [await make(1), await make(2), await make(null)];
    await make(3, { isPrivate: true });
    await firm.owner.delete(`/v1/leads/${gone}`);
    const own = { lastName: 'Moss', customFields: { Budget: 7 } };
    const contact = (await firm.owner.post('/v1/contacts', own)).body.data.id;
    const at = `${fields}/${id}`;
    const page = (await ada.get(at)).text;
    expect(say(page)).toContain('2 leads and 1 deleted lead lose their values in this field.');
    const sent = { standing: '2', deleted: '1' };
    // Somebody fills the field in while the question is open.
    await firm.owner.patch(`/v1/leads/${empty}`, { customFields: { Budget: 4 } });
    const late = await ada.send(`${at}/remove`, sent);
    expect(late.status).toBe(422);
    expect(late.text).toContain(
      'The number of records that hold a value in this field has changed.',
    );
    expect(say(late.text)).toContain('3 leads and 1 deleted lead lose their values');
    expect((await ada.send(`${at}/remove`, {})).status).toBe(422);
    expect(await held(firm, id)).toBe(4);
    const done = await ada.send(`${at}/remove`, { ...sent, standing: '3' });
    expect(done).toMatchObject({ status: 303, location: fields });
    expect(await held(firm, id)).toBe(0);
    expect((await ada.get(at)).status).toBe(404);
    expect((await firm.owner.get(`/v1/leads/${one}`)).body.data.customFields).toEqual({
      Source: null,
    });
    const refused = await firm.owner.patch(`/v1/leads/${one}`, { customFields: { Budget: 5 } });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_custom_field']);
    const names = (await firm.owner.get('/v1/custom-fields')).body.data;
    expect(names.map(({ appliesTo }: { appliesTo: string }) => appliesTo).sort()).toEqual([
      'CONTACT',
      'LEAD',
    ]);
    const kept = (await firm.owner.get(`/v1/contacts/${contact}`)).body.data;
    expect(kept.customFields).toEqual({ Budget: 7 });
    expect((await changesOf(made, id)).at(-1)).toMatchObject({
      action: 'delete',
      changes: {
        name: { before: 'Budget', after: null },
        records: { before: { standing: 3, deleted: 1 }, after: null },
      },
      memberId: firm.members[owner],
    });
    // What was entered once is still told with the name of the field.
    const log = say((await ada.get(`/settings/audit?record=${one}`)).text);
    expect(log).toContain('Budget');
    expect((await ada.send(`${at}/remove`, sent)).status).toBe(404);
    const again = { appliesTo: 'LEAD', name: 'Budget', type: 'TEXT', options: '' };
    expect((await ada.send(fields, again)).status).toBe(303);
    expect((await firm.owner.get(`/v1/leads/${one}`)).body.data.customFields.Budget).toBeNull();
  });

  test('does not count private records for those who may not see them, and says that they lose theirs', async () => {
    const { firm } = await ready({
      ...parts,
      roles: [{ name: 'Office', permissions: ['firm:write', 'leads:read'] }],
      members: [
        { email: owner, name: 'Ada Harrow', role: 'Owner' },
        { email: attorney, name: 'Max Reed', role: 'Office' },
      ],
    });
    const id = firm.customFields.lead.Budget ?? '';
    await firm.owner.post('/v1/leads', {
      lastName: 'Hidden',
      isPrivate: true,
      customFields: { Budget: 1 },
    });
    const max = await memberBrowser(server, firm, attorney);
    const page = say((await max.get(`${fields}/${id}`)).text);
    expect(page).toContain('No lead holds a value in this field.');
    expect(page).toContain('Values on private leads that you may not see are lost too.');
    const sent = { standing: '0', deleted: '0' };
    expect((await max.send(`${fields}/${id}/remove`, sent)).status).toBe(303);
    expect(await held(firm, id)).toBe(0);
  });

  test('is refused for the field that reports count leads by', async () => {
    const { ada, firm } = await ready(parts);
    const id = firm.customFields.lead.Source ?? '';
    const chosen = await ada.send('/settings/firm/source', { sourceFieldId: id });
    expect(chosen.status).toBe(303);
    expect((await ada.get(`${fields}/${id}`)).text.includes('Remove field')).toBe(false);
    const sent = { standing: '0', deleted: '0' };
    const refused = await ada.send(`${fields}/${id}/remove`, sent);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Reports count leads by this field.');
    expect((await firm.owner.get('/v1/custom-fields')).body.data).toHaveLength(3);
  });
});

test('an attorney and another firm are refused, by page and by form', async () => {
  const { ada, firm } = await ready();
  const ben = await memberBrowser(server, firm, attorney);
  const other = await ready();
  const area = `${areas}/${firm.practiceAreas.Family?.id}`;
  const field = `${fields}/${Object.values(firm.customFields.lead)[0]}`;
  for (const path of [areas, fields, area, field]) {
    expect((await ben.get(path)).status).toBe(403);
    expect((await ben.send(path, { name: 'Mine' })).status).toBe(403);
  }
  const acts = ['', '/limitation', '/remove', '/stages', '/types'].map((act) => area + act);
  for (const path of [...acts, field, `${field}/move`, `${field}/remove`, `${field}/options`]) {
    expect((await other.ada.send(path, { name: 'Mine', expects: 'yes' })).status).toBe(404);
  }
  for (const path of [area, field]) {
    expect((await other.ada.get(path)).status).toBe(404);
    expect((await ada.get(path)).text).not.toContain('Mine');
  }
});
