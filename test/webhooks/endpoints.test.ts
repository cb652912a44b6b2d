import { afterAll, describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { expectRefusal } from '../support/expectations.ts';
import {
  attorney,
  type Caller,
  comingAgain,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);
afterAll(() => sql.end());

const path = '/v1/webhook-endpoints';
// A name of documentation, which has no address.
const url = 'https://hooks.harrow.example/in?key=1';

const keepers = {
  roles: [
    { name: 'Attorney', permissions: ['leads:read', 'leads:write', 'keys:write'] },
    { name: 'Bookkeeper', permissions: ['contacts:read'] },
  ],
};

const makeOne = async (by: Caller, body: object = {}) => {
  const { status, body: answer } = await by.post(path, { url, ...body });
  expect(status).toBe(201);
  return answer.data;
};

describe('An endpoint', () => {
  test('is made, read, listed, changed and deleted; its secret is shown once', async () => {
    const { owner: ada, members } = await makeFirm(server);
    const made = await makeOne(ada, { types: ['lead.created'], description: ' Books ' });
    expect(made).toEqual({
      id: expect.any(String),
      url,
      description: 'Books',
      types: ['lead.created'],
      status: 'ACTIVE',
      reason: null,
      statusAt: made.createdAt,
      member: { id: members[owner], name: 'Ada Harrow' },
      createdAt: expect.any(String),
      updatedAt: made.createdAt,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = made;
    expect((await ada.get(`${path}/${made.id}`)).body).toEqual({ data: shown });
    expect((await ada.get(path)).body).toEqual({
      data: [shown],
      pagination: { limit: 20, offset: 0, total: 1 },
    });
    const changed = await ada.patch(`${path}/${made.id}`, { types: ['*'], description: null });
    expect(changed.body.data).toMatchObject({ id: made.id, url, types: ['*'], description: null });
    expect(changed.body.data.secret).toBeUndefined();
    expect((await ada.delete(`${path}/${made.id}`)).body.data).toEqual({
      id: made.id,
      deleted: true,
    });
    expectRefusal(await ada.get(`${path}/${made.id}`), 404, 'not_found');
    expect((await ada.get(path)).body.data).toEqual([]);
    expect(await sql`select from webhook_sending where endpoint_id = ${made.id}`).toHaveLength(0);
    expect(await sql`select from job where ref = ${made.id}`).toHaveLength(0);
  });

  test('hears of everything unless types are named', async () => {
    const { owner: ada } = await makeFirm(server);
    expect((await makeOne(ada)).types).toEqual(['*']);
  });

  test('has its secret nowhere in the audit log, and a repeat of the request gets it again', async () => {
    const { id: firmId, owner: ada } = await makeFirm(server);
    const once = { 'idempotency-key': 'once' };
    const made = (await ada.post(path, { url }, once)).body.data;
    const again = await ada.post(path, { url }, once);
    expect(again.body.data).toEqual(made);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const rotated = (await ada.post(`${path}/${made.id}/rotate`, undefined, once2)).body.data;
    expect(rotated.secret).not.toBe(made.secret);
    expect((await ada.post(`${path}/${made.id}/rotate`, undefined, once2)).body.data).toEqual(
      rotated,
    );
    const entries = await sql`
      select changes::text as changes from audit_entry
      where firm_id = ${firmId} and record_id = ${made.id}`;
    expect(entries.length).toBeGreaterThan(1);
    for (const { changes } of entries) expect(changes).not.toMatch(/secret|whsec_/);
  });

  test('a dry run makes none, and shows no secret', async () => {
    const { owner: ada } = await makeFirm(server);
    const { status, body } = await ada.post(path, { url }, { prefer: 'dry-run' });
    expect([status, body.data.id, body.data.secret]).toEqual([200, null, undefined]);
    expect((await ada.get(path)).body.data).toEqual([]);
  });

  test('there are 20 of a firm at most, also if 30 come at once', async () => {
    const { owner: ada } = await makeFirm(server);
    const asked = Array.from({ length: 30 }, () => comingAgain(ada).post(path, { url }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const one of refused) expectRefusal(one, 409, 'conflict');
    const [first] = (await ada.get(path)).body.data;
    await ada.delete(`${path}/${first.id}`);
    await makeOne(ada);
  });
});

const once2 = { 'idempotency-key': 'another' };

describe('Refused at creation, and by a change', () => {
  test.each([
    ['no address', 'hello'],
    ['http', 'http://hooks.harrow.example/'],
    ['a user', 'https://ada@hooks.harrow.example/'],
    ['a password', 'https://ada:secret@hooks.harrow.example/'],
    ['this machine', 'https://127.0.0.1/'],
    ['a decimal number', 'https://2130706433/'],
    ['a hexadecimal number', 'https://0x7f000001/'],
    ['an octal number', 'https://0177.0.0.1/'],
    ['a short number', 'https://127.1/'],
    ['round digits', 'https://①②⑦.⓪.⓪.①/'],
    ['a name of this machine', 'https://localhost/'],
    ['a private network', 'https://10.0.0.7/'],
    ['another private network', 'https://192.168.1.1:8443/'],
    ['a carrier’s network', 'https://100.64.0.1/'],
    ['metadata of a cloud', 'https://169.254.169.254/latest/meta-data/'],
    ['no host', 'https://0.0.0.0/'],
    ['many hosts', 'https://224.0.0.1/'],
    ['documentation', 'https://192.0.2.1/'],
    ['this machine, IPv6', 'https://[::1]/'],
    ['mapped', 'https://[::ffff:127.0.0.1]/'],
    ['mapped, private', 'https://[::ffff:a00:7]/'],
    ['translated', 'https://[64:ff9b::7f00:1]/'],
    ['6to4', 'https://[2002:7f00:1::]/'],
    ['Teredo', 'https://[2001:0:1::1]/'],
    ['own link', 'https://[fe80::1]/'],
    ['unique local', 'https://[fd00::1]/'],
    ['compatible', 'https://[::127.0.0.1]/'],
  ])('%s', async (_, wrong) => {
    const { owner: ada } = await ofAll;
    const refused = await ada.post(path, { url: wrong });
    expectRefusal(refused, 400, 'invalid_request', 'url');
    const { id } = (await ada.get(path)).body.data[0];
    expectRefusal(await ada.patch(`${path}/${id}`, { url: wrong }), 400, 'invalid_request', 'url');
    expect((await ada.get(path)).body.data.map((one: { url: string }) => one.url)).toEqual([url]);
  });

  test('an unknown type, and * beside another', async () => {
    const { owner: ada } = await makeFirm(server);
    for (const types of [['lead.sneezed'], ['*', 'lead.created'], []]) {
      expectRefusal(await ada.post(path, { url, types }), 400, 'invalid_request', 'types');
    }
  });
});

const ofAll = (async () => {
  const firm = await makeFirm(server);
  await makeOne(firm.owner);
  return firm;
})();

describe('Who', () => {
  test('webhooks:* needs keys:write of its member', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    expectRefusal(await ben.get(path), 403, 'forbidden', 'keys:write');
    expectRefusal(await ben.post(path, { url }), 403, 'forbidden', 'keys:write');
    const reader = await firm.callerOf(owner, ['webhooks:read']);
    expectRefusal(await reader.post(path, { url }), 403, 'forbidden', 'webhooks:write');
    const writer = await firm.callerOf(owner, ['webhooks:write']);
    expectRefusal(await writer.get(path), 403, 'forbidden', 'webhooks:read');
  });

  test('a key asks for no type that it may not read', async () => {
    const firm = await makeFirm(server);
    const narrow = await firm.callerOf(owner, ['webhooks:read', 'webhooks:write', 'leads:read']);
    expectRefusal(
      await narrow.post(path, { url, types: ['lead.created', 'matter.created'] }),
      403,
      'forbidden',
      'matters:read',
    );
    await makeOne(narrow, { types: ['lead.created'] });
  });

  test('members see and change their own; who manages keys and members sees all, pauses and deletes', async () => {
    const firm = await makeFirm(server, keepers);
    const ben = await firm.callerOf(attorney);
    const ofAda = await makeOne(firm.owner);
    const ofBen = await makeOne(ben);
    expect((await ben.get(path)).body.data.map(({ id }: { id: string }) => id)).toEqual([ofBen.id]);
    expectRefusal(await ben.get(`${path}/${ofAda.id}`), 404, 'not_found');
    for (const verb of ['test', 'rotate', 'pause', 'resume']) {
      expectRefusal(await ben.post(`${path}/${ofAda.id}/${verb}`, undefined), 404, 'not_found');
    }
    expectRefusal(await ben.delete(`${path}/${ofAda.id}`), 404, 'not_found');
    expect((await firm.owner.get(path)).body.data).toHaveLength(2);
    const at = `${path}/${ofBen.id}`;
    expectRefusal(await firm.owner.patch(at, { url }), 403, 'forbidden');
    expectRefusal(await firm.owner.post(`${at}/rotate`, undefined), 403, 'forbidden');
    expectRefusal(await firm.owner.post(`${at}/replay`, { after: '0' }), 403, 'forbidden');
    expectRefusal(await firm.owner.post(`${at}/test`, undefined), 403, 'forbidden');
    const paused = await firm.owner.post(`${at}/pause`, undefined);
    expect(paused.body.data).toMatchObject({ status: 'PAUSED', reason: 'ASKED' });
    expect((await ben.post(`${at}/resume`, undefined)).body.data).toMatchObject({
      status: 'ACTIVE',
      reason: null,
    });
    expect((await firm.owner.delete(at)).status).toBe(200);
  });

  test('another firm sees nothing of it', async () => {
    const [firm, other] = [await makeFirm(server), await makeFirm(server)];
    const { id } = await makeOne(firm.owner);
    for (const call of [
      other.owner.get(`${path}/${id}`),
      other.owner.get(`${path}/${id}/deliveries`),
      other.owner.patch(`${path}/${id}`, { description: 'Mine' }),
      other.owner.delete(`${path}/${id}`),
      other.owner.post(`${path}/${id}/test`, undefined),
      other.owner.post(`${path}/${id}/replay`, { after: '0' }),
      other.owner.post(`${path}/${id}/rotate`, undefined),
      other.owner.post(`${path}/${id}/resume`, undefined),
    ]) {
      expectRefusal(await call, 404, 'not_found');
    }
  });
});
