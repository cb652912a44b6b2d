/** A form is refused over its limits, and what a firm's limits allow passes. */
import { describe, expect, test } from 'bun:test';
import { permissions } from '../../../src/contents.ts';
import { attorney, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { visitorOf, visitorWith } from '../../support/visitor.ts';

const server = await startTestServer();
const maxFields = 5_000;

const join = async (parts: Record<string, unknown> = {}) => {
  const firm = await makeFirm(server, parts);
  return { firm, ada: await visitorOf(server, firm, owner) };
};

/** As many fields as this, each with another name. */
const distinct = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`n${at}`, 'x']));

describe('A form over its limits is refused with 413, and nothing is done', () => {
  const parts = (count: number) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(distinct(count))) body.append(name, value);
    return body;
  };

  test('too many fields, in either encoding, with one name or many', async () => {
    const { firm, ada } = await join();
    const typed = { lastName: 'Quill', once: Bun.randomUUIDv7() };
    const refused = [
      await ada.post('/leads/new', { ...typed, ...distinct(maxFields - 1) }),
      await ada.post('/leads/new', { ...typed, a: Array(maxFields - 1).fill('x') }),
      await ada.send('/leads/new', parts(maxFields + 1)),
      await visitorWith(server.url, '').post('/sign-in?form=/x', distinct(maxFields + 1)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([413, 413, 413, 413]);
    expect(refused[0]?.text).toContain('more than the 5,000 fields');
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
    const { status } = await ada.post('/leads/new', { ...typed, ...distinct(maxFields - 2) });
    expect(status).toBe(303);
  });

  test('a name of more than 300 characters, counted as people count', async () => {
    const { firm, ada } = await join();
    const lead = (name: string) => ada.post('/leads/new', { lastName: 'Quill', [name]: 'x' });
    expect((await lead('🗻'.repeat(301))).status).toBe(413);
    expect((await lead('x'.repeat(200_000))).text).toContain('more than 300 characters');
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(0);
    expect((await lead('🗻'.repeat(300))).status).toBe(303);
  });

  test('a form without a file that is as large as a file may be', async () => {
    const { ada } = await join();
    const body = `kind=lead&file=${'%'.repeat(2 * 1024 * 1024)}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await ada.send('/settings/imports', body, type)).status).toBe(413);
  });
});

describe('The largest form that a firm’s limits allow passes', () => {
  test('all permissions of all roles that a page shows, of more roles than it shows', async () => {
    const roles = Array.from({ length: 120 }, (_, at) => ({ name: `Role ${at}`, permissions: [] }));
    const members = [{ email: owner, name: 'Ada Harrow', role: 'Owner' }];
    const { ada } = await join({ roles, members });
    const { text } = await ada.get('/settings/roles?page=2');
    const ids = [...text.matchAll(/name="roles" value="([^"]+)"/g)].map(([, id = '']) => id);
    expect(ids).toHaveLength(50);
    const ticked = ids.flatMap((id) => [
      [`was.${id}`, ''],
      [`may.${id}`, [...permissions]],
    ]);
    const fields = { roles: ids, ...Object.fromEntries(ticked) };
    const saved = await ada.post('/settings/roles?page=2', fields);
    expect(saved.status).toBe(303);
    expect(saved.location).toContain('page=2');
    const after = await ada.get('/settings/roles?page=2');
    expect(after.text.match(/name="may\.[^>]* checked/g)).toHaveLength(50 * permissions.length);
  });

  test('a thousand custom fields with names of 255 characters, some with a hundred choices', async () => {
    const options = Array.from({ length: 100 }, (_, at) => `Choice ${at}`);
    const customFields = Array.from({ length: 1_000 }, (_, at) => ({
      on: 'lead',
      name: `${'n'.repeat(251)}${String(at).padStart(4, '0')}`,
      ...(at < 20 ? { type: 'MULTI_SELECT', options } : { type: 'TEXT' }),
    }));
    const { firm, ada } = await join({ customFields });
    const sent = customFields.flatMap(({ name, type }) => [
      [`customFields.${name}`, type === 'TEXT' ? 'x' : options],
      ...(type === 'TEXT' ? [] : [[`several.customFields.${name}`, 'on']]),
    ]);
    const typed = { lastName: 'Quill', once: Bun.randomUUIDv7() };
    const made = await ada.post('/leads/new', { ...typed, ...Object.fromEntries(sent) });
    expect(made.status).toBe(303);
    const { body } = await firm.owner.get(`/v1${made.location}`);
    expect(Object.keys(body.data.customFields)).toHaveLength(1_000);
    expect(body.data.customFields[customFields[0]?.name ?? '']).toHaveLength(100);
  });

  test('a matter with 50 clients and a team of 50', async () => {
    const members = Array.from({ length: 50 }, (_, at) => ({
      email: `m${at}@harrow.example`,
      name: `Member ${at}`,
      role: 'Attorney',
    }));
    const { firm, ada } = await join({
      members: [{ email: owner, name: 'Ada Harrow', role: 'Owner' }, ...members],
    });
    const clients: string[] = [];
    for (let count = 0; count < 50; count += 1) {
      const made = await firm.owner.post('/v1/contacts', { lastName: `Client ${count}` });
      clients.push(made.body.data.id);
    }
    const team = members.flatMap(({ email }, at) => [
      [`team[${at}].memberId`, firm.members[email] ?? ''],
      [`team[${at}].role`, 'RESPONSIBLE_STAFF'],
      [`team[${at}].allocation`, '2'],
    ]);
    const made = await ada.post('/matters/new', {
      ...{ title: 'Large', once: Bun.randomUUIDv7(), openDate: '2026-03-02' },
      practiceAreaId: firm.practiceAreas.Family?.id ?? '',
      clientContactIds: clients,
    });
    expect(made.status).toBe(303);
    const gathered = await ada.post(`${made.location}/team`, Object.fromEntries(team));
    expect(gathered.status).toBe(303);
    const { body } = await firm.owner.get(`/v1${made.location}`);
    expect([body.data.clients.length, body.data.team.length]).toEqual([50, 50]);
  });
});

test('a form that waits for its sign-in comes back at most six times as long', async () => {
  const nobody = visitorWith(server.url, '');
  const empty = (await nobody.post('/sign-in?form=/x', { a: '' })).text.length;
  const shortest = Array.from({ length: 4_900 }, (_, at) => at.toString(36)).join('&');
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const body of [shortest, 'a&'.repeat(4_900), `a=${'"'.repeat(20_000)}`]) {
    const { status, text } = await nobody.send('/sign-in?form=/x', body, type);
    expect([200, 422]).toContain(status);
    expect(text.length - empty).toBeLessThanOrEqual(6 * body.length);
  }
  for (const kept of ['"'.repeat(60_000), 'x'.repeat(60_000)]) {
    const { text } = await nobody.post('/sign-in', { kept, email: attorney, password: 'wrong' });
    expect(text.length).toBeLessThanOrEqual(2 * empty);
  }
});

test('a form that waits is counted before anything is made of it, as an attempt to sign in is', async () => {
  const limited = await startTestServer({ environment: { RATE_LIMIT: '20/600' } });
  const nobody = visitorWith(limited.url, '');
  const answers: string[] = [];
  for (let count = 0; count < 80; count += 1) {
    answers.push((await nobody.post('/sign-in?form=/x', { lastName: 'Quill' })).text);
  }
  const counted = answers.filter((text) => text.includes('Too many attempts'));
  expect(counted.length).toBeGreaterThan(0);
  expect(counted.some((text) => text.includes('name="kept"'))).toBe(false);
});
