import { describe, expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { ownDatabase } from '../support/database.ts';
import { expectRefusal } from '../support/expectations.ts';
import { owner as ada, attorney, type Caller, makeFirm, startTestServer } from '../support/firm.ts';
import { type Arrived, receiversAt, startReceiver } from '../support/receiver.ts';

const databaseUrl = await ownDatabase();
const server = await startTestServer({ databaseUrl, environment: receiversAt });

const path = '/v1/webhook-endpoints';

const endpointFor = async (by: Caller, url: string, body: object = {}) => {
  const { status, body: answer } = await by.post(path, { url, ...body });
  expect(status).toBe(201);
  return answer.data;
};

const leadNamed = async (by: Caller, lastName: string) => {
  const { status, body } = await by.post('/v1/leads', { lastName });
  expect(status).toBe(201);
  return body.data;
};

/** The deliveries of an endpoint, the newest first, once there are so many. */
const deliveries = async (by: Caller, id: string, count: number) => {
  for (;;) {
    const { body } = await by.get(`${path}/${id}/deliveries?limit=100`);
    if (body.data.length >= count) return body.data;
    await Bun.sleep(20);
  }
};

describe('A message', () => {
  test('is the event as GET /v1/events has it, signed so that both official libraries believe it', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver();
    const { body: start } = await owner.get('/v1/events');
    const { id, secret } = await endpointFor(owner, receiver.url, {
      types: ['lead.created', 'lead.updated'],
    });
    const lead = await leadNamed(owner, 'Roe');
    await owner.patch(`/v1/leads/${lead.id}`, { value: 'HIGH' });
    const arrived = await receiver.until(2);
    const { body: told } = await owner.get(
      `/v1/events?after=${start.cursor}&types=lead.created,lead.updated`,
    );
    expect(arrived.map(({ event }) => event)).toEqual(told.data);
    expect(arrived.map((one) => one.id)).toEqual(told.data.map((one: { id: string }) => one.id));
    for (const one of arrived) {
      expect(one.headers['content-type']).toBe('application/json');
      expect(new Webhook(secret).verify(one.body, one.headers)).toEqual(one.event);
      // Svix's returns nothing, and throws for what it does not believe.
      new SvixWebhook(secret).verify(one.body, one.headers);
      for (const library of [new Webhook(secret), new SvixWebhook(secret)]) {
        expectForged(library, one);
      }
    }
    expect(await deliveries(owner, id, 2)).toEqual(
      told.data.toReversed().map((event: { id: string; type: string }) => ({
        id: expect.any(String),
        messageId: event.id,
        type: event.type,
        recordId: lead.id,
        at: expect.any(String),
        answer: 204,
        failure: null,
        milliseconds: expect.any(Number),
        try: 1,
        isLast: true,
      })),
    );
  });
});

/** Changed, older, or signed with another secret: none of it is believed. */
const expectForged = (
  library: { verify(body: string, headers: Record<string, string>): unknown },
  { body, headers }: Arrived,
) => {
  const changed = (more: Record<string, string>) => ({ ...headers, ...more });
  expect(() => library.verify(body.replace('lead', 'load'), headers)).toThrow();
  expect(() => library.verify(body, changed({ 'webhook-id': 'evt_other' }))).toThrow();
  const hourBefore = String(Number(headers['webhook-timestamp']) - 3_600);
  expect(() => library.verify(body, changed({ 'webhook-timestamp': hourBefore }))).toThrow();
  const other = new Webhook('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=');
  const signature = other.sign(
    headers['webhook-id'] ?? '',
    new Date(Number(headers['webhook-timestamp']) * 1000),
    body,
  );
  expect(() => library.verify(body, changed({ 'webhook-signature': signature }))).toThrow();
};

const types = ['lead.created', 'lead.updated', 'lead.deleted'];

describe('What is sent', () => {
  test('is what happens after the endpoint was made, of its types alone, in the order of each record', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver();
    const before = await leadNamed(owner, 'Early');
    await endpointFor(owner, receiver.url, { types });
    const [one, two] = [await leadNamed(owner, 'Roe'), await leadNamed(owner, 'Doe')];
    for (const value of ['HIGH', 'LOW', 'HIGH']) {
      for (const { id } of [one, two]) await owner.patch(`/v1/leads/${id}`, { value });
    }
    await owner.delete(`/v1/leads/${one.id}`);
    const arrived = await receiver.until(9);
    for (const [{ id }, expected] of [
      [one, ['created', 'updated', 'updated', 'updated', 'deleted']],
      [two, ['created', 'updated', 'updated', 'updated']],
      [before, []],
    ] as const) {
      const ofRecord = arrived.filter(({ event }) => event.data.id === id);
      expect(ofRecord.map(({ event }) => event.type)).toEqual(
        expected.map((what) => `lead.${what}`),
      );
    }
    expect(new Set(arrived.map(({ id }) => id)).size).toBe(9);
  });

  test('is what its member may see at that moment: no private lead of others, nothing that their role or the key may not read', async () => {
    const firm = await makeFirm(server, {
      roles: [
        {
          name: 'Attorney',
          permissions: ['leads:read', 'leads:write', 'contacts:read', 'keys:write'],
        },
        { name: 'Bookkeeper', permissions: ['contacts:read'] },
      ],
    });
    const ben = await firm.callerOf(attorney);
    const narrow = await firm.callerOf(ada, ['webhooks:write', 'leads:read']);
    const [ofBen, ofNarrow] = [startReceiver(), startReceiver()];
    await endpointFor(ben, ofBen.url);
    await endpointFor(narrow, ofNarrow.url);
    const hidden = await firm.owner.post('/v1/leads', { lastName: 'Hidden', isPrivate: true });
    expect(hidden.status).toBe(201);
    const area = Object.values(firm.practiceAreas)[0]?.id;
    await firm.owner.patch(`/v1/practice-areas/${area}`, { name: 'Families' });
    const open = await leadNamed(firm.owner, 'Open');
    await ofBen.until(
      2,
      ({ event }) => event.data.id === open.id || event.type === 'contact.created',
    );
    expect(ofBen.arrived.map(({ event }) => event.type).sort()).toEqual([
      'contact.created',
      'lead.created',
    ]);
    expect(JSON.stringify(ofBen.arrived)).not.toContain(hidden.body.data.id);
    await ofNarrow.until(2);
    expect(ofNarrow.arrived.map(({ event }) => [event.type, event.data.id]).sort()).toEqual(
      [
        ['lead.created', hidden.body.data.id],
        ['lead.created', open.id],
      ].sort(),
    );
  });

  test('a member who is deactivated gets nothing more: the endpoint is paused, and the owners are told', async () => {
    const firm = await makeFirm(server, {
      roles: [
        { name: 'Attorney', permissions: ['leads:read', 'keys:write'] },
        { name: 'Bookkeeper', permissions: ['contacts:read'] },
      ],
    });
    const ben = await firm.callerOf(attorney);
    const receiver = startReceiver();
    const { id } = await endpointFor(ben, receiver.url, { types });
    await firm.command(['member', 'deactivate', attorney]);
    await leadNamed(firm.owner, 'Roe');
    await untilStatus(firm.owner, id, 'PAUSED');
    expect((await firm.owner.get(`${path}/${id}`)).body.data.reason).toBe('MEMBER');
    expect(receiver.arrived).toEqual([]);
    const told = await firm.command<{ kind: string }[]>(['inbox', '--member', ada]);
    expect(told.filter(({ kind }) => kind === 'webhook.paused')).toHaveLength(1);
    expectRefusal(await firm.owner.post(`${path}/${id}/resume`, undefined), 409, 'conflict');
  });
});

describe('A receiver', () => {
  test('that leads elsewhere is not followed', async () => {
    const { owner } = await makeFirm(server);
    const other = startReceiver();
    const receiver = startReceiver(() => Response.redirect(other.url, 307));
    const { id } = await endpointFor(owner, receiver.url, { types });
    await leadNamed(owner, 'Roe');
    const [delivery] = await deliveries(owner, id, 1);
    expect(delivery).toMatchObject({ answer: 307, failure: 'redirect', isLast: false });
    expect(other.arrived).toEqual([]);
  });

  test('that answers 10 MB costs nothing: its headers are enough', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver(() => new Response('x'.repeat(10_000_000)));
    const { id } = await endpointFor(owner, receiver.url, { types });
    await leadNamed(owner, 'Roe');
    const [delivery] = await deliveries(owner, id, 1);
    expect(delivery).toMatchObject({ answer: 200, failure: null, isLast: true });
  });

  test('that says 410 gets nothing more, and its member is told', async () => {
    const firm = await makeFirm(server);
    const receiver = startReceiver(() => new Response(null, { status: 410 }));
    const { id } = await endpointFor(firm.owner, receiver.url, { types });
    await leadNamed(firm.owner, 'Roe');
    await untilStatus(firm.owner, id, 'DISABLED');
    await leadNamed(firm.owner, 'Doe');
    const told = await firm.command<{ kind: string }[]>(['inbox', '--member', ada]);
    expect(told.filter(({ kind }) => kind === 'webhook.paused')).toHaveLength(1);
    receiver.answer(() => new Response(null, { status: 204 }));
    expect(receiver.arrived).toHaveLength(1);
    // Nothing is lost: resumed, it hears of both.
    await firm.owner.post(`${path}/${id}/resume`, undefined);
    const arrived = await receiver.until(3);
    expect(new Set(arrived.map((one) => one.id)).size).toBe(2);
  });

  test('that ends a message gets the others, and no more of this one', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver((_, nth) =>
      nth === 1
        ? new Response(null, { status: 422, headers: { 'webhook-delivery': 'abort-message' } })
        : new Response(null, { status: 204 }),
    );
    const { id } = await endpointFor(owner, receiver.url, { types });
    const roe = await leadNamed(owner, 'Roe');
    await receiver.until(1);
    await owner.patch(`/v1/leads/${roe.id}`, { value: 'HIGH' });
    const [last, first] = await deliveries(owner, id, 2);
    expect(first).toMatchObject({ answer: 422, failure: 'aborted', isLast: true });
    expect(last).toMatchObject({ answer: 204, type: 'lead.updated', isLast: true });
  });
});

describe('A secret that was replaced', () => {
  test('signs for 24 hours more, beside the new one', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver();
    const made = await endpointFor(owner, receiver.url, { types });
    const rotated = (await owner.post(`${path}/${made.id}/rotate`, undefined)).body.data;
    await leadNamed(owner, 'Roe');
    const [one] = (await receiver.until(1)) as [Arrived];
    expect(one.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [made.secret, rotated.secret]) {
      expect(new Webhook(secret).verify(one.body, one.headers)).toEqual(one.event);
      new SvixWebhook(secret).verify(one.body, one.headers);
    }
  });
});

describe('A test', () => {
  test('is sent at once, also to a paused endpoint, and its answer is shown', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver();
    const { id, secret } = await endpointFor(owner, receiver.url, { types });
    await owner.post(`${path}/${id}/pause`, undefined);
    const { status, body } = await owner.post(`${path}/${id}/test`, undefined);
    expect([status, body.data.answer, body.data.failure]).toEqual([200, 204, null]);
    const [one] = receiver.arrived as [Arrived];
    expect(one.event).toMatchObject({
      id: body.data.messageId,
      type: 'webhook.test',
      data: { id, resource: 'webhook-endpoints', changed: [] },
    });
    expect(new Webhook(secret).verify(one.body, one.headers)).toEqual(one.event);
    expect(await deliveries(owner, id, 1)).toEqual([body.data]);
    receiver.answer(() => new Response(null, { status: 500 }));
    const failed = await owner.post(`${path}/${id}/test`, undefined);
    expect(failed.body.data).toMatchObject({ answer: 500, failure: 'status' });
  });
});

describe('A replay', () => {
  test('that is asked for while the first message is on its way is not forgotten', async () => {
    const { owner } = await makeFirm(server);
    const lead = await leadNamed(owner, 'Before');
    const wait = Promise.withResolvers<void>();
    const receiver = startReceiver(async () => {
      await wait.promise;
      return new Response(null, { status: 204 });
    });
    const { id } = await endpointFor(owner, receiver.url, { types: ['lead.created'] });
    const later = await leadNamed(owner, 'Roe');
    await receiver.until(1);
    const answer = await owner.post(`${path}/${id}/replay`, { after: '0' });
    expect(answer.status).toBe(200);
    wait.resolve();
    await receiver.until(1, ({ event }) => event.data.id === lead.id);
    await receiver.until(2, ({ event }) => event.data.id === later.id);
  });

  test('from where the endpoint stands sends again what is on its way at that moment', async () => {
    const { owner } = await makeFirm(server);
    const wait = Promise.withResolvers<void>();
    const receiver = startReceiver(async () => {
      await wait.promise;
      return new Response(null, { status: 204 });
    });
    const { id } = await endpointFor(owner, receiver.url, { types: ['lead.created'] });
    const { body: start } = await owner.get('/v1/events');
    await leadNamed(owner, 'Roe');
    const [first] = await receiver.until(1);
    const answer = await owner.post(`${path}/${id}/replay`, { after: start.cursor });
    expect(answer.status).toBe(200);
    wait.resolve();
    const [, again] = await receiver.until(2);
    expect(again?.id).toBe(first?.id as string);
  });

  test('sends again what happened after a cursor, with the ids from before', async () => {
    const { owner } = await makeFirm(server);
    const receiver = startReceiver();
    const { id } = await endpointFor(owner, receiver.url, { types });
    const { body: start } = await owner.get('/v1/events');
    await leadNamed(owner, 'Roe');
    const first = await receiver.until(1);
    await deliveries(owner, id, 1);
    const answer = await owner.post(`${path}/${id}/replay`, { after: start.cursor });
    expect(answer.status).toBe(200);
    await leadNamed(owner, 'Doe');
    const arrived = await receiver.until(3);
    expect(arrived[1]?.body).toBe(first[0]?.body as string);
    expect(arrived[1]?.id).toBe(first[0]?.id as string);
    expect(arrived[2]?.id).not.toBe(first[0]?.id as string);
    expectRefusal(
      await owner.post(`${path}/${id}/replay`, { after: 'x' }),
      400,
      'invalid_request',
      'after',
    );
  });
});

const untilStatus = async (by: Caller, id: string, status: string) => {
  while ((await by.get(`${path}/${id}`)).body.data.status !== status) await Bun.sleep(20);
};
