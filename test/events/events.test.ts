import { afterAll, describe, expect, test } from 'bun:test';
import { resources } from '../../src/contents.ts';
import { connect } from '../support/database.ts';
import { expectRefusal } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  type Caller,
  caller,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { matterFor, samples } from '../support/samples.ts';
import { cursorNow, inShort, type Told, told } from './told.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
afterAll(() => sql.end());

const now = (by: Caller) => cursorNow(sql, by);

describe('GET /v1/events', () => {
  test.each(resources.map(({ name }) => ({ name })))(
    'tells of each of the $name that it was made, changed and deleted, in this order, by ids only',
    async ({ name }) => {
      const firm = await makeFirm(server);
      const sample = samples[name] as NonNullable<(typeof samples)[string]>;
      const body = await sample.create(firm);
      const types = ['created', 'updated', 'deleted'].map((what) => `${kindOf(name)}.${what}`);
      const after = await now(firm.owner);
      const asked = { 'x-request-id': 'first', 'idempotency-key': 'once' };
      const made = await firm.owner.post(`/v1/${name}`, body, asked);
      const { id } = made.body.data;
      await firm.owner.patch(`/v1/${name}/${id}`, sample.change, { 'x-request-id': 'second' });
      await firm.owner.delete(`/v1/${name}/${id}`, { 'x-request-id': 'third' });
      const events = await told(firm.owner, after, 3, `&types=${types}`);
      expect(events).toEqual([
        {
          id: expect.stringMatching(/^evt_[0-9a-f]{24}$/),
          type: types[0],
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
          data: { id, resource: name, changed: [] },
          request: { id: 'first', idempotencyKey: 'once' },
        },
        expect.objectContaining({
          type: types[1],
          data: { id, resource: name, changed: expect.arrayContaining(Object.keys(sample.change)) },
          request: { id: 'second', idempotencyKey: null },
        }),
        expect.objectContaining({
          type: types[2],
          data: { id, resource: name, changed: [] },
          request: { id: 'third', idempotencyKey: null },
        }),
      ]);
      expect(new Set(events.map((event) => event.id)).size).toBe(3);
      // The same again from the same cursor: it is good for ever.
      expect(await told(firm.owner, after, 3, `&types=${types}`)).toEqual(events);
    },
  );

  test('an update names the fields as the API calls them', async () => {
    const firm = await makeFirm(server, {
      customFields: [{ on: 'lead', name: 'Source', type: 'TEXT' }],
    });
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
    const matter = await matterFor(firm);
    const task = (await firm.owner.post('/v1/tasks', { matterId: matter, title: 'X' })).body.data;
    const after = await now(firm.owner);
    const area = firm.practiceAreas.Estates;
    await firm.owner.patch(`/v1/leads/${lead.id}`, {
      leadStageColumnId: firm.leadStages.Contacted,
      practiceAreaId: area?.id,
      value: 'HIGH',
      customFields: { Source: 'Web' },
    });
    await firm.owner.patch(`/v1/matters/${matter}`, {
      practiceAreaId: area?.id,
      practiceAreaStageColumnId: area?.stages.Intake,
    });
    await firm.owner.patch(`/v1/tasks/${task.id}`, {
      dueDate: '2031-02-03',
      assigneeId: firm.members[attorney],
    });
    await firm.owner.patch(`/v1/tasks/${task.id}`, { status: 'DONE' });
    await firm.owner.patch(`/v1/matters/${matter}`, { status: 'ARCHIVE' });
    expect(inShort(await told(firm.owner, after, 5))).toEqual([
      ['lead.updated', lead.id, ['customFields', 'leadStageColumnId', 'practiceArea', 'value']],
      ['matter.updated', matter, ['practiceArea', 'stage']],
      ['task.updated', task.id, ['assignee', 'dueDate']],
      ['task.updated', task.id, ['status']],
      ['matter.archived', matter, ['status']],
    ]);
  });

  test('leaves out what the key may not read: by its scopes, and by its member’s role', async () => {
    const firm = await makeFirm(server);
    const leadsOnly = await firm.callerOf(owner, ['events:read', 'leads:read']);
    const cy = await firm.callerOf(bookkeeper);
    const nothing = await firm.callerOf(owner, ['leads:read']);
    const after = await now(firm.owner);
    await firm.owner.post('/v1/leads', { lastName: 'Quill' });
    await matterFor(firm);
    expect((await told(firm.owner, after, 3)).map(({ type }) => type)).toEqual([
      'contact.created',
      'lead.created',
      'matter.created',
    ]);
    expect((await told(leadsOnly, after, 1)).map(({ type }) => type)).toEqual(['lead.created']);
    expect((await told(cy, after, 1)).map(({ type }) => type)).toEqual(['contact.created']);
    expectRefusal(await nothing.get('/v1/events'), 403, 'forbidden', 'events:read');
    const wished = '/v1/events?types=matter.created';
    expectRefusal(await leadsOnly.get(wished), 403, 'forbidden', 'matters:read');
    expectRefusal(await cy.get(wished), 403, 'forbidden', 'matters:read');
  });

  test('what is hidden now is never told, whenever it happened; what is visible now is', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const after = await now(ben);
    const hidden = { lastName: 'Secret', isPrivate: true };
    const lead = (await firm.owner.post('/v1/leads', hidden)).body.data;
    const path = `/v1/leads/${lead.id}`;
    await firm.owner.post('/v1/notes', { leadId: lead.id, text: 'Confidential' });
    const open = (await firm.owner.post('/v1/leads', { lastName: 'Open' })).body.data;
    const ofOpen = ['contact.created', 'lead.created'];
    expect((await told(ben, after, 2)).map(({ type, data }) => [type, data.id])).toEqual([
      [ofOpen[0], open.contact.id],
      [ofOpen[1], open.id],
    ]);
    expect((await told(firm.owner, after, 5)).length).toBe(5);
    const before = await now(ben);
    await firm.owner.patch(path, { isPrivate: false });
    // Who has read on hears that it changed, and can read it.
    const shown = await told(ben, before, 2);
    expect(shown.map(({ type }) => type).sort()).toEqual(['contact.updated', 'lead.updated']);
    expect((await ben.get(path)).status).toBe(200);
    // From the cursor before it, its whole past is visible now.
    expect((await told(ben, after, 7)).map(({ data }) => data.id)).toContain(lead.id);
    await firm.owner.patch(path, { isPrivate: true });
    await firm.owner.delete(path);
    const last = (await firm.owner.post('/v1/contacts', { lastName: 'Last' })).body.data;
    const left = await told(ben, after, 3);
    expect(left.map(({ data }) => data.id)).toEqual([open.contact.id, open.id, last.id]);
  });

  test('from now if `after` is left out or empty, from the beginning with 0', async () => {
    const firm = await makeFirm(server);
    await firm.owner.post('/v1/contacts', { lastName: 'Before' });
    const cursor = await now(firm.owner);
    for (const path of ['/v1/events', '/v1/events?after=']) {
      const { body } = await firm.owner.get(path);
      expect(body).toEqual({ data: [], cursor, hasMore: false });
    }
    const all = await told(firm.owner, '0', 3, '&types=contact.created,practice_area.created');
    expect(all.map(({ type }) => type)).toContain('contact.created');
    expect(all.map(({ type }) => type)).toContain('practice_area.created');
    // What the administrator did has no request.
    expect(all[0]?.request).toBeNull();
  });

  test('by parts of `limit`, each once, none missing; `hasMore` says whether there is another', async () => {
    const firm = await makeFirm(server);
    const after = await now(firm.owner);
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        firm.owner.post('/v1/contacts', { lastName: `Quill ${at}` }),
      ),
    );
    const whole = await told(firm.owner, after, 60);
    expect(whole.map(({ data }) => data.id).sort()).toEqual(
      made.map(({ body }) => body.data.id).sort(),
    );
    const parts: Told[] = [];
    let cursor = after;
    for (let more = true; more; ) {
      const { body } = await firm.owner.get(`/v1/events?after=${cursor}&limit=7`);
      expect(body.data.length).toBeLessThanOrEqual(7);
      parts.push(...body.data);
      cursor = body.cursor;
      more = body.hasMore;
    }
    expect(parts).toEqual(whole);
    // In the order of the sealed log.
    const rows = await sql`
      select entry.record_id from audit_seal seal
      join audit_entry entry on entry.firm_id = seal.firm_id and entry.id = seal.entry_id
      where seal.firm_id = ${firm.id} and entry.record_kind = 'contact'
      order by seal.seal_number`;
    expect(whole.map(({ data }) => data.id)).toEqual(rows.map((row) => row.record_id));
  });

  test.each([
    ['types=lead.created,nope', 'types must be some of contact.created,'],
    ['types=', 'types must be some of contact.created,'],
    ['wait=26', 'wait'],
    ['wait=-1', 'wait'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['after=x', 'after'],
    ['after=1', 'after'],
    ['after=0&after=0', 'after'],
    [`after=${'x'.repeat(300)}`, 'after'],
  ])('%s is 400 naming it', async (query, named) => {
    const firm = await makeFirm(server);
    expectRefusal(await firm.owner.get(`/v1/events?${query}`), 400, 'invalid_request', named);
  });

  test('a cursor of another firm shows nothing of that firm', async () => {
    const [one, two] = [await makeFirm(server), await makeFirm(server)];
    await one.owner.post('/v1/contacts', { lastName: 'Quill' });
    const cursor = await now(one.owner);
    const mine = (await two.owner.post('/v1/contacts', { lastName: 'Reed' })).body.data.id;
    const { status, body } = await two.owner.get(`/v1/events?after=${cursor}`);
    expect(status).toBe(200);
    for (const { data } of body.data as Told[]) {
      if (data.resource === 'contacts') expect(data.id).toBe(mine);
    }
  });

  test('an Idempotency-Key is stored beside the entry, only of calls of the API, and the chain stays sound', async () => {
    const firm = await makeFirm(server);
    await firm.owner.post('/v1/contacts', { lastName: 'Q' }, { 'idempotency-key': 'form-1' });
    await firm.owner.post('/v1/contacts', { lastName: 'Q' });
    const rows = await sql`
      select idempotency_key from audit_entry where firm_id = ${firm.id} and record_kind = 'contact' order by id`;
    expect(rows.map((row) => row.idempotency_key)).toEqual(['form-1', null]);
    await told(firm.owner, '0', 2, '&types=contact.created');
    type Log = { sealed: number; firstBad: unknown };
    const { firms } = await firm.command<{ firms: Log[] }>(['audit', 'verify']);
    expect(firms).toMatchObject([{ firstBad: null }]);
    expect(firms[0]?.sealed).toBeGreaterThan(0);
  });
});

const kindOf = (name: string) => name.replace(/s$/, '').replaceAll('-', '_');

describe('wait', () => {
  const waiting = (by: Caller, after: string, seconds = 25) =>
    by.get(`/v1/events?after=${after}&wait=${seconds}`);

  test('answers as soon as something is committed, on this and on another server', async () => {
    // A database of its own: an older transaction of another test would hold up the seal.
    const own = await startTestServer({});
    const other = await startTestServer({ databaseUrl: own.databaseUrl });
    const firm = await makeFirm(own);
    for (const url of [own.url, other.url]) {
      const there = caller(url, firm.owner.key);
      const asked = performance.now();
      const answer = waiting(there, await now(there));
      await Bun.sleep(100);
      const made = await firm.owner.post('/v1/contacts', { lastName: 'Quill' });
      const { body } = await answer;
      // Who hears of nothing is answered after 25 seconds. The benchmark measures the second.
      expect(performance.now() - asked).toBeLessThan(24_000);
      expect(body.data.map(({ data }: Told) => data.id)).toEqual([made.body.data.id]);
    }
  });

  test('answers with nothing, and the same cursor, when the time is over', async () => {
    const firm = await makeFirm(server);
    const after = await now(firm.owner);
    const began = performance.now();
    const { body } = await waiting(firm.owner, after, 1);
    expect(body).toEqual({ data: [], cursor: after, hasMore: false });
    expect(performance.now() - began).toBeGreaterThan(900);
  });

  /** The one of them that found no room; and the others, who all have a place by then. */
  const withoutRoom = async (all: ReturnType<Caller['get']>[]) => {
    const began = performance.now();
    const [nth, { body }] = await Promise.race(
      all.map(async (answer, nth) => [nth, await answer] as const),
    );
    // Who waits is answered after 25 seconds.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(body.data).toEqual([]);
    return all.filter((_, at) => at !== nth);
  };

  test('has room for 5 of a key; the sixth is answered at once', async () => {
    const own = await startTestServer({});
    const firm = await makeFirm(own);
    const after = await now(firm.owner);
    const five = await withoutRoom(Array.from({ length: 6 }, () => waiting(firm.owner, after)));
    // Another key has its own room.
    const another = waiting(await firm.callerOf(attorney), after);
    const made = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
    for (const { body } of await Promise.all([...five, another])) {
      expect(body.data[0].data.id).toBe(made);
    }
    // Their places are free again.
    const again = waiting(firm.owner, await now(firm.owner), 1);
    expect((await again).body.data).toEqual([]);
  });

  test('has room for 50 of a firm, holds no connection, and a stop answers all who wait', async () => {
    const own = await startTestServer({ environment: { DATABASE_CONNECTIONS: '2' } });
    const firm = await makeFirm(own);
    const keys = await Promise.all(Array.from({ length: 11 }, () => firm.callerOf(owner)));
    const after = await now(firm.owner);
    const all = Array.from({ length: 51 }, (_, nth) => waiting(keys[nth % 11] as Caller, after));
    const fifty = await withoutRoom(all);
    // With two connections, 50 who wait leave room for others.
    const began = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => firm.owner.get('/v1/contacts')));
    expect(performance.now() - began).toBeLessThan(20_000);
    await own.stop();
    for (const { status, body } of await Promise.all(fifty)) {
      expect([status, body]).toEqual([200, { data: [], cursor: after, hasMore: false }]);
    }
  });

  test('who loses their key while they wait learns nothing more', async () => {
    const firm: Firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const answer = waiting(ben, await now(ben));
    await Bun.sleep(100);
    await firm.command(['key', 'revoke', ben.keyId]);
    await firm.owner.post('/v1/contacts', { lastName: 'Quill' });
    expectRefusal(await answer, 401, 'unauthorized');
  });
});
