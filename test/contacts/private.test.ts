import { beforeEach, describe, expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { entriesSeen } from '../../src/visibility/entries.ts';
import { connect } from '../support/database.ts';
import { auditOf, expectRefusal, unknownId } from '../support/expectations.ts';
import {
  attorney,
  type Caller,
  comingAgain,
  type Firm,
  makeFirm,
  startTestServer,
} from '../support/firm.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

type Row = { id: string };

describe('The contact of a private lead: only those who see the lead can see it', () => {
  let firm: Firm;
  let ben: Caller;
  let dee: Caller;
  beforeEach(async () => {
    firm = await makeFirm(server, {
      members: [
        { email: 'ada@harrow.example', name: 'Ada', role: 'Owner' },
        { email: attorney, name: 'Ben', role: 'Attorney' },
        { email: 'dee@harrow.example', name: 'Dee', role: 'Attorney' },
      ],
      customFields: [
        { on: 'contact', name: 'Spouse', type: 'CONTACT' },
        { on: 'lead', name: 'Referred by', type: 'CONTACT' },
        { on: 'matter', name: 'Opponent', type: 'CONTACT' },
      ],
    });
    [ben, dee] = await Promise.all([firm.callerOf(attorney), firm.callerOf('dee@harrow.example')]);
  });

  const made = async (caller: Caller, path: string, body: object) => {
    const answer = await caller.post(path, body);
    expect([answer.status, answer.body.error]).toEqual([201, undefined]);
    return answer.body.data;
  };
  const makeLead = (caller: Caller, more: object = {}) =>
    made(caller, '/v1/leads', { lastName: 'Ravenscroft', isPrivate: true, ...more });
  const makeContact = (caller: Caller, more: object = {}) =>
    made(caller, '/v1/contacts', { lastName: 'Moss', ...more });
  const matter = (more: object = {}) => ({
    practiceAreaId: firm.practiceAreas.Family?.id,
    openDate: '2026-03-14',
    ...more,
  });

  /** The ids that a caller's list of contacts shows, and the total it states. */
  const seenBy = async (caller: Caller, query = '') => {
    const { data, pagination } = (await caller.get(`/v1/contacts${query}`)).body;
    return [data.map(({ id }: Row) => id), pagination.total];
  };

  const foundBy = async (caller: Caller, words: string): Promise<string[]> => {
    const { body } = await caller.get(`/v1/search?q=${encodeURIComponent(words)}`);
    expect(body.pagination.total).toBe(body.data.length);
    return body.data.map(({ type, title }: { type: string; title: string }) => `${type} ${title}`);
  };

  const statusFor = async (caller: Caller, id: string) =>
    (await caller.get(`/v1/contacts/${id}`)).status;

  test('to anyone else it is not there: every call answers as for an unknown id, whatever is sent', async () => {
    const { contact } = await makeLead(ben);
    const before = await ben.get(`/v1/contacts/${contact.id}`);
    const entries = await auditOf(firm, contact.id);
    const unknown = await dee.get(`/v1/contacts/${unknownId}`);
    const other = (await makeFirm(server)).owner;
    const path = `/v1/contacts/${contact.id}`;
    const anyState = { 'if-match': '*' };
    for (const answer of [
      await dee.get(path),
      await dee.get(path, { 'if-none-match': '*' }),
      await dee.patch(path, { lastName: 'Reed' }),
      await dee.patch(path, { lastName: 'Reed' }, anyState),
      await dee.patch(path, { lastName: 5 }),
      await dee.patch(path, { lastName: null }),
      await dee.patch(path, { customFields: { nope: 1 } }),
      await dee.patch(path, 'not json'),
      await dee.delete(path),
      await dee.delete(path, anyState),
      await other.get(path),
    ]) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(unknown.body);
      expect(answer.headers.get('etag')).toBeNull();
    }
    expect((await ben.get(path)).body).toEqual(before.body);
    expect(await auditOf(firm, contact.id)).toEqual(entries);
  });

  test('it cannot be named: not as a client, not in a custom field', async () => {
    const { id, contact } = await makeLead(ben);
    const own = await makeContact(dee);
    for (const nobody of [contact.id, unknownId]) {
      const named = { customFields: { Opponent: nobody } };
      const refused = await dee.post('/v1/matters', matter({ clientContactIds: [own.id, nobody] }));
      expectRefusal(refused, 404, 'not_found', 'clientContactIds[1]');
      expectRefusal(await dee.post('/v1/matters', matter(named)), 400, 'invalid_custom_field');
      const spouse = { customFields: { Spouse: nobody } };
      const on = `/v1/contacts/${own.id}`;
      expectRefusal(await dee.patch(on, spouse), 400, 'invalid_custom_field', 'a contact');
      const referrer = { lastName: 'Reed', customFields: { 'Referred by': nobody } };
      expectRefusal(await dee.post('/v1/leads', referrer), 400, 'invalid_custom_field');
    }
    expect((await dee.get('/v1/matters')).body.pagination.total).toBe(0);
    expect(await statusFor(dee, contact.id)).toBe(404);
    // Who sees it may name it; the value itself makes it no more visible.
    const named = await made(
      ben,
      '/v1/matters',
      matter({ customFields: { Opponent: contact.id } }),
    );
    expect(named.customFields.Opponent).toBe(contact.id);
    expect(await statusFor(dee, contact.id)).toBe(404);
    expect((await ben.get(`/v1/leads/${id}`)).status).toBe(200);
  });

  test('a search finds it for those who see the lead, and for nobody else', async () => {
    await makeLead(ben, { email: 'zoe@ravenscroft.example', phone: '+1 555 0142' });
    for (const words of ['ravenscroft', 'venscro', 'ravenscrofd', 'zoe@ravenscroft', '5550142']) {
      const lines = ['CONTACT Ravenscroft', 'LEAD Ravenscroft'];
      expect([words, (await foundBy(ben, words)).sort()]).toEqual([words, lines]);
      expect([words, (await foundBy(firm.owner, words)).sort()]).toEqual([words, lines]);
      expect([words, await foundBy(dee, words)]).toEqual([words, []]);
    }
  });

  test('nothing that is found instead of a misspelled word tells of it', async () => {
    // Of three words, the last is looked for only by what it was likeliest meant for.
    await makeContact(dee, { firstName: 'Quilt', middleName: 'Smith', lastName: 'Ravenscrofd' });
    await makeContact(dee, { lastName: 'Quilx Smitx' });
    const words = 'quilx smitx ravenscroft';
    const before = await foundBy(dee, words);
    expect(before).toEqual(['CONTACT Quilt Smith Ravenscrofd']);
    const { id } = await makeLead(ben);
    expect(await foundBy(dee, words)).toEqual(before);
    // Ben may meet the word, and Dee as soon as she may see who has it.
    expect(await foundBy(ben, words)).toEqual([]);
    await ben.patch(`/v1/leads/${id}`, { isPrivate: false });
    expect(await foundBy(dee, 'ravenscrof')).toContain('CONTACT Ravenscroft');
    expect(await foundBy(dee, words)).toEqual([]);
  });

  test('lists, pages and totals hold exactly the contacts that the reader may see', async () => {
    const all: { id: string; for: Caller[] }[] = [];
    const everyone = [firm.owner, ben, dee];
    for (let at = 0; at < 24; at += 1) {
      const by = everyone[at % 3] as Caller;
      const isPrivate = at % 4 < 2;
      const { id } =
        at % 5 === 0 ? await makeContact(by) : (await makeLead(by, { isPrivate })).contact;
      const isOpen = at % 5 === 0 || !isPrivate;
      all.unshift({ id, for: isOpen ? everyone : [firm.owner, by] });
    }
    for (const reader of everyone) {
      const ids = all.filter((one) => one.for.includes(reader)).map(({ id }) => id);
      expect(await seenBy(reader, '?limit=100')).toEqual([ids, ids.length]);
      for (let offset = 0; offset <= ids.length; offset += 1) {
        const page = [ids.slice(offset, offset + 3), ids.length];
        expect(await seenBy(reader, `?limit=3&offset=${offset}`)).toEqual(page);
      }
    }
    expect((await seenBy(dee))[1]).toBeLessThan(24);
  });

  test('who sees the lead works with its contact, which stays hidden from the others', async () => {
    const { contact } = await makeLead(ben);
    const path = `/v1/contacts/${contact.id}`;
    const { headers } = await ben.get(path);
    const change = await ben.patch(
      path,
      { lastName: 'Ravensworth' },
      { 'if-match': headers.get('etag') ?? '' },
    );
    expect([change.status, change.body.data.name]).toEqual([200, 'Ravensworth']);
    expect(await foundBy(ben, 'ravensworth')).toHaveLength(2);
    expect(await foundBy(dee, 'ravensworth')).toEqual([]);
    expect(await seenBy(dee)).toEqual([[], 0]);
    expect((await firm.owner.delete(path)).status).toBe(200);
    for (const caller of [firm.owner, ben, dee]) expect(await seenBy(caller)).toEqual([[], 0]);
  });

  test('it appears with the lead that is opened, and is hidden with one that becomes private', async () => {
    const { id, contact } = await makeLead(ben);
    const lead = `/v1/leads/${id}`;
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await seenBy(dee)).toEqual([[], 0]);
      expect(await foundBy(dee, 'ravenscroft')).toEqual([]);
      await ben.patch(lead, { isPrivate: false });
      expect(await seenBy(dee)).toEqual([[contact.id], 1]);
      expect(await foundBy(dee, 'ravenscroft')).toHaveLength(2);
      expect(await statusFor(dee, contact.id)).toBe(200);
      // Again: this changes nothing.
      await ben.patch(lead, { isPrivate: false });
      expect((await dee.patch(lead, { isPrivate: true })).status).toBe(200);
      // Dee made it private and works on it from now on; a colleague who comes later sees neither.
      const eve = await colleague(turn);
      expect(await seenBy(eve)).toEqual([[], 0]);
      expect(await statusFor(eve, contact.id)).toBe(404);
      expect(await seenBy(dee)).toEqual([[contact.id], 1]);
      dee = eve;
    }
  });

  const colleague = async (at: number) => {
    const email = `eve${at}@harrow.example`;
    await firm.command([
      'member',
      'add',
      '--name',
      `Eve ${at}`,
      '--email',
      email,
      '--role',
      'Attorney',
    ]);
    return firm.callerOf(email);
  };

  test('a lead that stays private takes its contact nowhere when its other fields change', async () => {
    const { id } = await makeLead(ben);
    await ben.patch(`/v1/leads/${id}`, { value: 'HIGH', isPrivate: true });
    const refused = { isPrivate: false, customFields: { nope: 1 } };
    expectRefusal(await ben.patch(`/v1/leads/${id}`, refused), 400, 'invalid_custom_field');
    expect(await seenBy(dee)).toEqual([[], 0]);
    expect((await seenBy(ben))[1]).toBe(1);
  });

  test('as a client it is everyone’s: for good, whatever becomes of the matter and of the lead', async () => {
    const { id, contact } = await makeLead(ben);
    const body = matter({ clientContactIds: [contact.id] });
    const refused = { ...body, customFields: { nope: 1 } };
    expectRefusal(await ben.post('/v1/matters', refused), 400, 'invalid_custom_field');
    expect(await seenBy(dee)).toEqual([[], 0]);

    const { id: matterId } = await made(ben, '/v1/matters', body);
    const expectOrdinary = async () => {
      for (const caller of [firm.owner, ben, dee])
        expect(await seenBy(caller)).toEqual([[contact.id], 1]);
      expect(await statusFor(dee, contact.id)).toBe(200);
      expect(await foundBy(dee, 'ravenscrofd')).toContain('CONTACT Ravenscroft');
      expect((await dee.get(`/v1/leads/${id}`)).status).toBe(404);
    };
    await expectOrdinary();
    await ben.patch(`/v1/leads/${id}`, { isPrivate: false });
    await ben.patch(`/v1/leads/${id}`, { isPrivate: true });
    await expectOrdinary();
    await made(dee, '/v1/matters', body);
    await expectOrdinary();
    for (const { id } of (await ben.get('/v1/matters')).body.data)
      await ben.delete(`/v1/matters/${id}`);
    expect((await ben.get(`/v1/matters/${matterId}`)).status).toBe(404);
    await expectOrdinary();
    await ben.delete(`/v1/leads/${id}`);
    await expectOrdinary();
  });

  test('it stays hidden when the private lead is deleted, and seen by those who saw it', async () => {
    const { id, contact } = await makeLead(ben);
    expect((await ben.delete(`/v1/leads/${id}`)).status).toBe(200);
    expect(await seenBy(dee)).toEqual([[], 0]);
    expect(await statusFor(dee, contact.id)).toBe(404);
    expect(await foundBy(dee, 'ravenscroft')).toEqual([]);
    for (const caller of [ben, firm.owner]) {
      expect(await seenBy(caller)).toEqual([[contact.id], 1]);
      expect(await foundBy(caller, 'ravenscroft')).toEqual(['CONTACT Ravenscroft']);
    }
  });

  test('a repeated request is answered as the first time, also after its lead became private', async () => {
    const [once, body] = [{ 'idempotency-key': 'once' }, { lastName: 'Ravenscroft' }];
    const first = await dee.post('/v1/leads', body, once);
    await ben.patch(`/v1/leads/${first.body.data.id}`, { isPrivate: true });
    const again = await dee.post('/v1/leads', body, once);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await statusFor(dee, first.body.data.contact.id)).toBe(404);
  });

  test('a lead that becomes private while its contact becomes a client leaves every count right', async () => {
    const [ada, attorneys] = [comingAgain(firm.owner), comingAgain(ben)];
    const leads = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const { id } = await makeLead(attorneys);
        return (await attorneys.patch(`/v1/leads/${id}`, { isPrivate: at % 2 === 0 })).body.data;
      }),
    );
    const answers = await Promise.all(
      leads.flatMap(({ id, contact, isPrivate }, at) => {
        const path = `/v1/leads/${id}`;
        const state = at % 3 === 0 ? { 'if-match': '*' } : {};
        return [
          attorneys.post('/v1/matters', matter({ clientContactIds: [contact.id] })),
          attorneys.patch(path, { isPrivate: !isPrivate }, state),
          ada.patch(path, { isPrivate }, state),
          attorneys.patch(`/v1/contacts/${contact.id}`, { nickname: `Number ${at}` }),
        ];
      }),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
    expect((await ben.get('/v1/matters')).body.pagination.total).toBe(8);
    const ids = leads.map(({ contact }) => contact.id).sort();
    for (const caller of [firm.owner, ben, dee]) {
      const [seen, total] = await seenBy(caller, '?limit=100');
      expect([seen.sort(), total]).toEqual([ids, 8]);
    }
  });

  test('the audit log, as a member may read it, does not speak of it', async () => {
    const { id, contact } = await makeLead(ben);
    const open = await makeContact(dee);
    const database = openDatabase(
      readSettings({ DATABASE_URL: server.databaseUrl }).database ?? '',
    );
    try {
      const reader = async (email: string, seesPrivate = false) => {
        const { run, first } = database;
        const read = {
          run,
          first,
          firmId: firm.id,
          memberId: firm.members[email] ?? null,
          seesPrivate,
        };
        const told = new Set((await entriesSeen(read)).map(({ recordId }) => recordId));
        for (const one of [id, contact.id, open.id])
          expect((await entriesSeen(read, { recordId: one })).length > 0).toBe(told.has(one));
        return [id, contact.id, open.id].map((one) => told.has(one));
      };
      const dees = () => reader('dee@harrow.example');
      expect(await reader(attorney)).toEqual([true, true, true]);
      expect(await reader('ada@harrow.example', true)).toEqual([true, true, true]);
      expect(await dees()).toEqual([false, false, true]);
      await made(ben, '/v1/matters', matter({ clientContactIds: [contact.id] }));
      expect(await dees()).toEqual([false, true, true]);
      const moves = (await auditOf(firm, contact.id)).map(({ changes }) => changes.isPrivate);
      expect(moves).toEqual([
        { before: null, after: true },
        { before: true, after: false },
      ]);
      await ben.delete(`/v1/leads/${id}`);
      expect(await dees()).toEqual([false, true, true]);
    } finally {
      await database.close();
    }
  });

  test('a hire that is undone hides it again, everywhere, and so does the undo of a later hire', async () => {
    const { id, contact } = await makeLead(ben, { email: 'zoe@ravenscroft.example' });
    const bens = await visitorOf(server, firm, attorney);
    const other = await makeContact(dee);
    const entries = async () => {
      const { text } = await dees.get(`/settings/audit?record=${contact.id}`);
      return text.includes('Ravenscroft');
    };
    const dees = await readingAll('dee@harrow.example');
    const seen = async () => ({
      status: await statusFor(dee, contact.id),
      list: await seenBy(dee),
      search: await foundBy(dee, 'ravenscroft'),
      page: (await dees.get(`/contacts/${contact.id}`)).status,
      contacts: (await dees.get('/contacts')).text.includes('Ravenscroft'),
      audit: await entries(),
    });
    const before = await seen();
    expect(before).toMatchObject({ status: 404, search: [], page: 404, audit: false });
    for (const more of [[], [other.id]]) {
      const hired = await bens.post(`/leads/${id}/hire`, {
        do: 'hire',
        practiceAreaId: firm.practiceAreas.Family?.id ?? '',
        openDate: '2026-03-14',
        clientContactIds: [contact.id, ...more],
      });
      expect(hired.status).toBe(303);
      expect(await seen()).toMatchObject({ status: 200, page: 200, contacts: true, audit: true });
      expect((await bens.post(`/leads/${id}/undo-hire`)).status).toBe(303);
      expect(await seen()).toEqual(before);
      expect(await statusFor(ben, contact.id)).toBe(200);
    }
  });

  test('a merge that is undone hides what came from it, also in the log of the other contact', async () => {
    const { contact } = await makeLead(ben, { email: 'zoe@ravenscroft.example' });
    const kept = await makeContact(dee);
    const ada = await visitorOf(server, firm, 'ada@harrow.example');
    const dees = await readingAll('dee@harrow.example');
    const log = async () => (await dees.get(`/settings/audit?record=${kept.id}`)).text;
    await ada.post(`/contacts/${kept.id}/merge`, { with: contact.id, 'field.lastName': 'merged' });
    expect((await ada.get(`/contacts/${kept.id}`)).text).toContain('zoe@ravenscroft.example');
    const [, merge] =
      /\/contacts\/merges\/([^/"]+)\/undo/.exec((await ada.get(`/contacts/${kept.id}`)).text) ?? [];
    expect((await ada.post(`/contacts/merges/${merge}/undo`)).status).toBe(303);
    expect(await statusFor(dee, contact.id)).toBe(404);
    expect(await log()).toContain('Moss');
    for (const text of [await log(), (await dees.get('/settings/audit')).text]) {
      expect(text.toLowerCase().includes('ravenscroft')).toBe(false);
    }
    expect(await foundBy(dee, 'ravenscroft')).toEqual([]);
    const owners = (await ada.get(`/settings/audit?record=${kept.id}`)).text;
    expect(owners).toContain('zoe@ravenscroft.example');
  });

  /** A member who may read everything in the application, the log too, and is no owner. */
  const readingAll = async (email: string) => {
    const sql = connect(server.databaseUrl);
    await sql`update role set permissions = permissions || '{audit:read}' where firm_id = ${firm.id}
      and not holds_all`;
    await sql.end();
    return visitorOf(server, firm, email);
  };
});
