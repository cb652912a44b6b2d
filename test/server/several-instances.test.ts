/**
 * Three instances, each a process of its own, on one database: a client that speaks to any of them
 * cannot tell (docs/scaling.md). Jobs and the burst: burst/; the rate: shared-rate-limit.test.ts.
 */
import { describe, expect, test } from 'bun:test';
import { ownDatabase } from '../support/database.ts';
import { type Caller, caller, comingAgain, makeFirm } from '../support/firm.ts';
import { startInstance } from '../support/instances.ts';

const databaseUrl = await ownDatabase();
const instances = await Promise.all([1, 2, 3].map(() => startInstance(databaseUrl)));
const firm = await makeFirm({ url: instances[0]?.url ?? '', databaseUrl });

/** The same key at each instance. */
const everywhere = (key: string) => instances.map(({ url }) => caller(url, key));

describe('Three instances on one database', () => {
  test('number without gap or double, whichever takes a lead', async () => {
    const callers = everywhere(firm.owner.key);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        comingAgain(callers[index % 3] as Caller).post('/v1/leads', { lastName: `Quill ${index}` }),
      ),
    );
    const numbers = answers.map((answer) => Number(answer.body.data.publicId.slice(2)));
    expect(numbers.sort((one, other) => one - other)).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    for (const one of callers) {
      expect((await one.get('/v1/leads?limit=1')).body.pagination.total).toBe(60);
    }
  });

  test('make one record of the same Idempotency-Key sent to all at the same moment', async () => {
    const callers = everywhere(firm.owner.key);
    const before = (await firm.owner.get('/v1/contacts?limit=1')).body.pagination.total;
    for (let round = 0; round < 10; round += 1) {
      const sendAgain = () =>
        callers.map((one) =>
          one.post('/v1/contacts', { lastName: 'Once' }, { 'idempotency-key': `once ${round}` }),
        );
      const answers = await Promise.all([...sendAgain(), ...sendAgain()]);
      const ids = answers.filter(({ status }) => status === 201).map(({ body }) => body.data.id);
      expect(ids.length).toBeGreaterThan(0);
      expect(new Set(ids).size).toBe(1);
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    }
    for (const one of callers) {
      expect((await one.get('/v1/contacts?limit=1')).body.pagination.total).toBe(before + 10);
    }
  });

  test('show what one of them created, changed and deleted on the very next request to any', async () => {
    const [first, ...others] = everywhere(firm.owner.key);
    for (let round = 0; round < 10; round += 1) {
      const name = `Everywhere${round}x`;
      const made = await first?.post('/v1/contacts', { lastName: name });
      const path = `/v1/contacts/${made?.body.data.id}`;
      for (const other of others) {
        expect((await other.get(path)).body).toEqual(made?.body);
        const found = await other.get(`/v1/search?q=${name}`);
        expect(found.body.data).toHaveLength(1);
        expect((await other.get('/v1/contacts?limit=1')).body.data[0].lastName).toBe(name);
      }
      const etag = (await others[0]?.get(path))?.headers.get('etag') ?? '';
      await others[0]?.patch(path, { lastName: `${name}y` });
      expect((await first?.get(path))?.body.data.lastName).toBe(`${name}y`);
      const late = await others[1]?.patch(path, { lastName: 'Lost' }, { 'if-match': etag });
      expect(late?.status).toBe(412);
      await others[1]?.delete(path);
      expect((await first?.get(path))?.status).toBe(404);
      expect((await first?.get(`/v1/search?q=${name}`))?.body.data).toEqual([]);
    }
  });

  test('refuse a revoked key on the next request to any', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { key, keyId } = await firm.callerOf('ben@harrow.example', ['leads:read']);
      const callers = everywhere(key);
      for (const one of callers) expect((await one.get('/v1/leads')).status).toBe(200);
      await firm.command(['key', 'revoke', keyId]);
      for (const one of callers) expect((await one.get('/v1/leads')).status).toBe(401);
    }
  });

  test('take over from one that was killed', async () => {
    const [, ...others] = everywhere(firm.owner.key);
    await instances[0]?.kill();
    for (const one of others) {
      expect((await one.post('/v1/leads', { lastName: 'Survivor' })).status).toBe(201);
    }
  });
});
