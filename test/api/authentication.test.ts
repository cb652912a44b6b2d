import { describe, expect, test } from 'bun:test';
import { isWellFormed } from '../../src/api-keys/secret.ts';
import { isPermission, resources, type Scope, scopes } from '../../src/contents.ts';
import { act, actions, makeOne } from '../support/actions.ts';
import { takeClock } from '../support/clock.ts';
import { connect, moveClock, ownDatabase, setMoment } from '../support/database.ts';
import {
  type Answer,
  attorney,
  bookkeeper,
  caller,
  makeFirm,
  owner,
  send,
  startTestServer,
  usualBlueprint,
} from '../support/firm.ts';
import { type Lines, sendRaw } from '../support/raw.ts';
import { run } from '../support/terminal.ts';

const server = await startTestServer();

const refusal401 = {
  error: {
    code: 'unauthorized',
    message:
      'The API key is missing, wrong, revoked or expired. Send `Authorization: Bearer <API_KEY>`.',
  },
};

/** One message for every reason: who holds a key learns nothing about others. */
const expectUnauthorized = (answer: Answer) => {
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual(refusal401);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
};

/** A key of the right form and checksum that nobody holds. */
const strangerOf = (key: string): string => {
  for (let tries = 0; ; tries += 1) {
    const letters = Bun.hash(`${key} ${tries}`).toString(36).padStart(13, 'x');
    const end = Bun.hash
      .crc32(`${key.slice(0, 20)}${letters}`)
      .toString(36)
      .padStart(6, '0');
    const attempt = `${key.slice(0, 20)}${letters}${end.slice(-6)}`;
    const made = withChecksum(attempt.slice(0, 33));
    if (made !== key) return made;
  }
};

/**
 * CRC32 over all before it, in base62, as docs/contract.md says. Written again here to check the
 * service's own.
 */
const withChecksum = (body: string): string => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = BigInt(Bun.hash.crc32(body));
  let checksum = '';
  for (let place = 0; place < 6; place += 1) {
    checksum = digits[Number(rest % 62n)] + checksum;
    rest /= 62n;
  }
  return body + checksum;
};

describe('Missing, wrong, revoked or expired key: 401 unauthorized', () => {
  test('on every action of every resource without a key, and nothing is written', async () => {
    const firm = await makeFirm(server);
    const nobody = caller(server.url, '');
    const stranger = caller(server.url, strangerOf(firm.owner.key));
    for (const { name } of resources) {
      const id = await makeOne(firm, name);
      for (const action of actions) {
        expectUnauthorized(await act(nobody, action, name, firm, id));
        expectUnauthorized(await act(stranger, action, name, firm, id));
      }
      expect((await firm.owner.get(`/v1/${name}/${id}`)).status).toBe(200);
    }
    expectUnauthorized(await nobody.get('/v1/custom-fields'));
    expectUnauthorized(await stranger.get('/v1/custom-fields'));
  });

  test('a wrong key is told from a good one by its last letter too', async () => {
    const { owner: ada } = await makeFirm(server);
    const wrong = [
      ada.key.slice(0, -1),
      `${ada.key}0`,
      ada.key.slice(0, -1) + (ada.key.endsWith('0') ? '1' : '0'),
      ada.key.slice(0, 10) + (ada.key[10] === 'a' ? 'b' : 'a') + ada.key.slice(11),
      ada.key.toUpperCase(),
      ada.key.toLowerCase(),
      ada.key.slice(3),
      `lpk_${ada.key.slice(3)}`,
      strangerOf(ada.key),
      withChecksum(`mh_${'0'.repeat(30)}`),
      'null',
      'undefined',
      "' or 1=1 --",
    ];
    for (const key of wrong) expectUnauthorized(await caller(server.url, key).get('/v1/leads'));
    expect((await ada.get('/v1/leads')).status).toBe(200);
  });

  test('a revoked key, from the next request on; revoking again changes nothing', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    expect((await ben.get('/v1/leads')).status).toBe(200);
    const revoke = ['key', 'revoke', ben.keyId];
    const first = await firm.command<{ id: string; revokedAt: string }>(revoke);
    expectUnauthorized(await ben.get('/v1/leads'));
    expectUnauthorized(await ben.post('/v1/leads', { lastName: 'Quill' }));
    expect(await firm.command<typeof first>(revoke)).toEqual(first);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
  });

  test('a revoked key on another instance of the same database, from the next request on', async () => {
    const other = await startTestServer({ databaseUrl: server.databaseUrl });
    const firm = await makeFirm(server);
    for (let round = 0; round < 5; round += 1) {
      const ben = await firm.callerOf(attorney);
      const there = caller(other.url, ben.key);
      expect((await ben.get('/v1/leads')).status).toBe(200);
      expect((await there.get('/v1/leads')).status).toBe(200);
      await firm.command(['key', 'revoke', ben.keyId]);
      expectUnauthorized(await there.get('/v1/leads'));
      expectUnauthorized(await ben.get('/v1/leads'));
    }
  });

  test('a key under constant use never succeeds after its revocation returned', async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    let isRevoked = false;
    let isOver = false;
    let early = 0;
    const late: number[] = [];
    const use = async () => {
      while (!isOver) {
        const sentAfter = isRevoked;
        const { status } = await ben.get('/v1/leads');
        if (sentAfter) late.push(status);
        else early += 1;
      }
    };
    const users = Array.from({ length: 8 }, use);
    while (early < 16) await Bun.sleep(5);
    await firm.command(['key', 'revoke', ben.keyId]);
    isRevoked = true;
    while (late.length < 16) await Bun.sleep(5);
    isOver = true;
    await Promise.all(users);
    expect(late.filter((status) => status !== 401)).toEqual([]);
  });

  test("the keys of a deactivated member; those of others go on, and so does the member's once back", async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const sql = connect(server.databaseUrl);
    const setTo = (moment: string | null) =>
      sql`update member set deactivated_at = ${moment}
        where firm_id = ${firm.id} and email = ${attorney}`;
    await setTo('2026-01-01T00:00:00Z');
    expectUnauthorized(await ben.get('/v1/leads'));
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
    await setTo(null);
    expect((await ben.get('/v1/leads')).status).toBe(200);
    await sql.end();
  });

  test('an expired key, to the millisecond', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    const ends = new Date(Date.now() + 3_600_000);
    const ben = await firm.callerOf(attorney, scopes, ['--expires', ends.toISOString()]);
    const setClockTo = (milliseconds: number) =>
      setMoment(
        databaseUrl,
        `timestamptz '${new Date(ends.getTime() + milliseconds).toISOString()}'`,
      );
    await setClockTo(-1);
    expect((await ben.get('/v1/leads')).status).toBe(200);
    await setClockTo(0);
    expectUnauthorized(await ben.get('/v1/leads'));
    await setClockTo(1);
    expectUnauthorized(await ben.get('/v1/leads'));
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
  });

  test('a key lasts one year by default; never is allowed', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    const forever = await firm.callerOf(owner, scopes, ['--expires', 'never']);
    const day = 24 * 60 * 60;
    await moveClock(databaseUrl, 365 * day - 60);
    expect((await firm.owner.get('/v1/leads')).status).toBe(200);
    await moveClock(databaseUrl, 365 * day + 1);
    expectUnauthorized(await firm.owner.get('/v1/leads'));
    await moveClock(databaseUrl, 50 * 365 * day);
    expect((await forever.get('/v1/leads')).status).toBe(200);
  });

  test('the key goes before the body: a broken or huge one is not looked at', async () => {
    const nobody = caller(server.url, '');
    expectUnauthorized(await nobody.post('/v1/leads', '{"broken'));
    expectUnauthorized(await nobody.post('/v1/leads', { x: 'x'.repeat(2_000_000) }));
    expectUnauthorized(await nobody.get('/v1/leads?limit=0'));
    expectUnauthorized(await nobody.get('/v1/leads/no-id'));
  });
});

describe('The header Authorization: Bearer <API_KEY>', () => {
  const ask = (lines: Lines, path = '/v1/leads') => sendRaw(server.url, `GET ${path}`, lines);

  test('is refused in every other form', async () => {
    const { owner: ada } = await makeFirm(server);
    const { key } = ada;
    const values = [
      ...[
        '',
        'Bearer',
        'Bearer ',
        'Bearer  ',
        key,
        `Bearer${key}`,
        `Bearer:${key}`,
        `Bearer=${key}`,
      ],
      ...[`Bearer\t${key}`, `Bearer,${key}`, `Bearer "${key}"`, `Bearer <${key}>`, `BearerX${key}`],
      ...[`Bearer Bearer ${key}`, `Basic ${key}`, `Basic ${btoa(`${key}:`)}`, `Token ${key}`],
      ...[
        `Digest ${key}`,
        `Bearer ${key},`,
        `Bearer ${key}, Bearer ${key}`,
        `Bearer ${key},${key}`,
      ],
      ...[`Bearer ${key} x`, `Bearer ${key};x=1`, `Bearer ${key}\u00a0`, `Bearer \u00e9${key}`],
      ...[
        `Bearer ${key}\u00ff`,
        `Bearer ${'x'.repeat(8_000)}`,
        `Bearer ${key}${'0'.repeat(8_000)}`,
      ],
    ];
    for (const value of values) expectUnauthorized(await ask([['Authorization', value]]));
  });

  test('is refused twice over, also where both are good', async () => {
    const { owner: ada } = await makeFirm(server);
    const good = `Bearer ${ada.key}`;
    const bad = `Bearer ${strangerOf(ada.key)}`;
    for (const pair of [
      [good, good],
      [good, bad],
      [bad, good],
      ['', bad],
      ['Basic x', good],
    ]) {
      const lines = pair.map((value): [string, string] => ['Authorization', value]);
      expectUnauthorized(await ask(lines));
    }
  });

  test('a value beyond what a header may hold is refused, whatever it says', async () => {
    const { owner: ada } = await makeFirm(server);
    const { status } = await ask([['Authorization', `Bearer ${ada.key} ${'x'.repeat(1_000_000)}`]]);
    expect([401, 431]).toContain(status);
  });

  test('is read without regard to the case of Bearer and of the header, and past several spaces', async () => {
    const { owner: ada } = await makeFirm(server);
    for (const [name, scheme] of [
      ['Authorization', 'Bearer '],
      ['authorization', 'bearer '],
      ['AUTHORIZATION', 'BEARER '],
      ['Authorization', 'bEaReR '],
      ['Authorization', 'Bearer   '],
      ['Authorization', '  Bearer '],
    ] as const) {
      expect((await ask([[name, scheme + ada.key]])).status).toBe(200);
      expect((await ask([[name, `${scheme}${ada.key}  `]])).status).toBe(200);
    }
  });

  test('is the only place for a key: in the query, the body, a cookie or another header it is 401', async () => {
    const { owner: ada } = await makeFirm(server);
    const { key } = ada;
    for (const name of ['', 'access_token', 'key', 'api_key', 'token', 'bearer', 'authorization']) {
      const path = `/v1/leads?${name}=${key}`;
      expectUnauthorized(await ask([], path));
      expectUnauthorized(await ask([['Authorization', 'Basic x']], path));
      expectUnauthorized(await ask([['Authorization', '']], path));
      const inBody = { [name]: key, lastName: 'Quill' };
      expectUnauthorized(await caller(server.url, '').post('/v1/leads', inBody));
      expectUnauthorized(await caller(server.url, 'x').post('/v1/leads', inBody));
    }
    for (const [name, value] of [
      ['X-API-Key', key],
      ['Cookie', `access_token=${key}; key=${key}`],
      ['Proxy-Authorization', `Bearer ${key}`],
      ['Sec-WebSocket-Protocol', key],
    ] as Lines) {
      expectUnauthorized(await ask([[name as string, value as string]]));
    }
    expect((await ada.get('/v1/leads')).body.pagination.total).toBe(0);
  });
});

describe('Each endpoint requires a scope named <resource>:read or <resource>:write', () => {
  const scopeMessage = (scope: string) => ({
    error: {
      code: 'forbidden',
      message: `This key lacks the scope ${scope}. Make a key that has it.`,
    },
  });
  const permissionMessage = (scope: string) => ({
    error: {
      code: 'forbidden',
      message: `The member who made this key lacks the permission ${scope}. An owner can give it to their role.`,
    },
  });

  for (const { name } of resources) {
    const [read, write] = [`${name}:read`, `${name}:write`] as const;
    if (!isPermission(read)) continue;

    test(`${name}: the key's scope and its member's permission, each for itself; write does not imply read`, async () => {
      const roles = [
        { name: 'Both', permissions: [read, write] },
        { name: 'Reads', permissions: [read] },
        { name: 'Writes', permissions: [write] },
        {
          name: 'Neither',
          permissions: scopes.filter(isPermission).filter((one) => one !== read && one !== write),
        },
      ];
      const emailOf = (role: string) => `${role.toLowerCase()}@harrow.example`;
      const firm = await makeFirm(server, {
        roles,
        members: [
          { email: owner, name: 'Ada', role: 'Owner' },
          ...roles.map((role) => ({ email: emailOf(role.name), name: 'M', role: role.name })),
        ],
      });
      const scopeSets = [
        [read, write],
        [read],
        [write],
        scopes.filter((one) => one !== read && one !== write),
      ];
      const members = [
        { email: owner, may: [...scopes] as Scope[] },
        ...roles.map((role) => ({ email: emailOf(role.name), may: role.permissions })),
      ];
      for (const { email, may } of members) {
        for (const scopes of scopeSets) {
          const id = await makeOne(firm, name);
          const key = await firm.callerOf(email, scopes);
          for (const action of actions) {
            const scope = action.right === 'read' ? read : write;
            const answer = await act(key, action, name, firm, id);
            if (!scopes.includes(scope)) {
              expect(answer.status).toBe(403);
              expect(answer.body).toEqual(scopeMessage(scope));
            } else if (!may.includes(scope)) {
              expect(answer.status).toBe(403);
              expect(answer.body).toEqual(permissionMessage(scope));
            } else {
              expect(answer.status).toBe(action.status);
            }
          }
          const wasDeleted = scopes.includes(write) && may.includes(write);
          const { status } = await firm.owner.get(`/v1/${name}/${id}`);
          expect(status).toBe(wasDeleted ? 404 : 200);
        }
      }
    });
  }

  test('custom-fields takes custom-fields:read, and no other', async () => {
    const firm = await makeFirm(server);
    const others = scopes.filter((scope) => scope !== 'custom-fields:read');
    expect((await firm.owner.get('/v1/custom-fields')).status).toBe(200);
    expect((await (await firm.callerOf(owner, others)).get('/v1/custom-fields')).body).toEqual(
      scopeMessage('custom-fields:read'),
    );
    const cy = await firm.callerOf(bookkeeper);
    expect((await cy.get('/v1/custom-fields')).body).toEqual(
      permissionMessage('custom-fields:read'),
    );
  });

  test('lead-stages takes leads:read, and no other', async () => {
    const firm = await makeFirm(server);
    const others = scopes.filter((scope) => scope !== 'leads:read');
    const path = '/v1/lead-stages';
    expect((await (await firm.callerOf(owner, ['leads:read'])).get(path)).status).toBe(200);
    expectUnauthorized(await caller(server.url, '').get(path));
    expect((await (await firm.callerOf(owner, others)).get(path)).body).toEqual(
      scopeMessage('leads:read'),
    );
    const cy = await firm.callerOf(bookkeeper);
    expect((await cy.get(path)).body).toEqual(permissionMessage('leads:read'));
  });

  test('403 goes before what is wrong with the path, the query or the body, and writes nothing', async () => {
    const firm = await makeFirm(server);
    const cy = await firm.callerOf(bookkeeper);
    const nothing = '/v1/leads/019f0000-0000-7000-8000-000000000000';
    expect((await cy.get(nothing)).status).toBe(403);
    expect((await cy.patch(nothing, '{"broken')).status).toBe(403);
    expect((await cy.delete('/v1/leads/no-id')).status).toBe(403);
    expect((await cy.get('/v1/leads?limit=0')).status).toBe(403);
    expect((await cy.post('/v1/leads', '[')).status).toBe(403);
    expect((await cy.post('/v1/leads', { lastName: 'Quill' })).status).toBe(403);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
  });

  test("a change of the role's permissions acts on the next request, both ways", async () => {
    const firm = await makeFirm(server);
    const ben = await firm.callerOf(attorney);
    const apply = (may: string[], role = 'Attorney') =>
      run(
        server.databaseUrl,
        ['firm', 'apply', '-'],
        JSON.stringify({
          ...usualBlueprint,
          name: firm.firm.name,
          roles: [
            { name: 'Attorney', permissions: may },
            { name: 'Bookkeeper', permissions: ['contacts:read'] },
          ],
          members: [
            { email: owner, name: 'Ada Harrow', role: 'Owner' },
            { email: attorney, name: 'Ben Lane', role },
          ],
        }),
      );
    expect((await ben.post('/v1/leads', { lastName: 'Quill' })).status).toBe(201);
    await apply(['leads:read']);
    const refused = await ben.post('/v1/leads', { lastName: 'Quill' });
    expect(refused.status).toBe(403);
    expect(refused.body).toEqual(permissionMessage('leads:write'));
    expect((await ben.get('/v1/leads')).status).toBe(200);
    await apply(['leads:read'], 'Bookkeeper');
    expect((await ben.get('/v1/leads')).body).toEqual(permissionMessage('leads:read'));
    expect((await ben.get('/v1/contacts')).status).toBe(200);
    await apply(['leads:read'], 'Owner');
    expect((await ben.post('/v1/leads', { lastName: 'Quill' })).status).toBe(201);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(2);
  });

  test('a key reaches its own firm alone', async () => {
    const [one, two] = await Promise.all([makeFirm(server), makeFirm(server)]);
    for (const { name } of resources) {
      const id = await makeOne(one, name);
      for (const { action } of actions.filter(({ action }) => !/list|create/.test(action))) {
        const answer = await act(two.owner, { action }, name, two, id);
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual({
          error: { code: 'not_found', message: 'No record has this id.' },
        });
      }
      expect((await one.owner.get(`/v1/${name}/${id}`)).status).toBe(200);
    }
  });
});

describe('A key', () => {
  test('is mh_ and 36 letters or digits, the last six its checksum, one word, never the same', async () => {
    const firm = await makeFirm(server);
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => firm.callerOf(attorney, ['leads:read'])),
    );
    for (const { key } of keys) {
      expect(key).toMatch(/^mh_[0-9A-Za-z]{36}$/);
      expect(`key=${key}&`.match(/\bmh_[0-9A-Za-z]{36}\b/)?.[0]).toBe(key);
      expect(key).toBe(withChecksum(key.slice(0, 33)));
      expect(isWellFormed(key)).toBe(true);
    }
    expect(new Set(keys.map(({ key }) => key)).size).toBe(20);
  });

  test('is shown once: neither stored nor listed nor in the audit log again', async () => {
    const databaseUrl = await ownDatabase();
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    const { key } = firm.owner;
    await firm.owner.post('/v1/leads', { lastName: 'Quill' }, { 'idempotency-key': 'once' });
    await firm.command(['key', 'revoke', firm.owner.keyId]);
    const sql = connect(databaseUrl);
    const tables = await sql<{ name: string }[]>`
      select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema')`;
    const secrets = [key, key.slice(8), Buffer.from(key).toString('hex')];
    expect(tables.length).toBeGreaterThan(10);
    for (const { name } of tables) {
      const rows = await sql.unsafe(`select t::text as row from ${name} t`);
      for (const { row } of rows) {
        for (const secret of secrets) expect(row).not.toContain(secret);
      }
    }
    const [stored] = await sql`select start, digest from api_key where id = ${firm.owner.keyId}`;
    expect(stored?.start).toBe(key.slice(0, 8));
    expect(Buffer.from(stored?.digest).toString('hex')).toBe(
      new Bun.CryptoHasher('sha256').update(key).digest('hex'),
    );
    await sql.end();
    for (const words of [
      ['key', 'list'],
      ['audit', 'list'],
      ['firm', 'show'],
    ]) {
      for (const json of [[], ['--json']]) {
        const { out, err } = await run(databaseUrl, [...words, ...json]);
        expect(out + err).not.toContain(key.slice(8));
        expect(out).not.toMatch(/\bmh_[0-9A-Za-z]{36}\b/);
      }
    }
  });

  test('has its last use noted, at most once a minute', async () => {
    const databaseUrl = await ownDatabase();
    const clock = await takeClock(databaseUrl);
    const own = await startTestServer({ databaseUrl });
    const firm = await makeFirm(own);
    type Listed = { id: string; lastUsedAt: string | null }[];
    const lastUse = async () =>
      (await firm.command<Listed>(['key', 'list'])).find(({ id }) => id === firm.owner.keyId)
        ?.lastUsedAt;
    const use = () => firm.owner.get('/v1/leads');
    /** The last use, once another one is noted than before. */
    const noted = async (before: string | null): Promise<number> => {
      for (;;) {
        const at = await lastUse();
        if (at && at !== before) return Date.parse(at);
        await Bun.sleep(20);
      }
    };
    expect(await lastUse()).toBeNull();
    await use();
    const first = await noted(null);
    expect(first).toBe(await clock.now());
    const asNoted = (await lastUse()) as string;
    await clock.step(59);
    await use();
    await Bun.sleep(150);
    expect(await lastUse()).toBe(asNoted);
    await clock.step(1);
    await use();
    expect(await noted(asNoted)).toBe(first + 60_000);
  });
});

test('GET /v1/openapi.json needs no key, and neither do health and version', async () => {
  for (const path of ['/v1/openapi.json', '/healthz', '/readyz', '/version']) {
    expect((await send(server.url + path, {})).status).toBe(200);
    const wrong = { headers: { authorization: 'Bearer wrong' } };
    expect((await send(server.url + path, wrong)).status).toBe(200);
  }
});
