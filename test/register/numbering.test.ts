import { describe, expect, test } from 'bun:test';
import {
  attorney,
  type Firm,
  makeFirm,
  makePatientFirm,
  startTestServer,
} from '../support/firm.ts';
import { run } from '../support/terminal.ts';
import { visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const renumber = async (firm: Firm, numbering: object) => {
  const members = [{ email: 'ada@harrow.example', name: 'Ada Harrow', role: 'Owner' }];
  const blueprint = JSON.stringify({ name: firm.firm.name, members, numbering });
  expect((await run(server.databaseUrl, ['firm', 'apply', '-'], blueprint)).exitCode).toBe(0);
};

describe('A number is unique and never reused', () => {
  test('when the format changes, the counter goes on and passes numbers that are taken', async () => {
    const firm = await makeFirm(server, { numbering: { lead: 'L-1{#}', matter: 'M-1{#}' } });
    const lead = async () =>
      (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data.publicId;
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const matter = async () =>
      (await firm.owner.post('/v1/matters', { practiceAreaId, openDate: '2026-03-14' })).body.data
        .publicId;
    expect([await lead(), await lead()]).toEqual(['L-11', 'L-12']);
    expect([await matter(), await matter()]).toEqual(['M-11', 'M-12']);
    await renumber(firm, { lead: 'L-{#}', matter: 'M-{#}' });
    const leads = [];
    const matters = [];
    for (let made = 0; made < 10; made += 1) {
      leads.push(await lead());
      matters.push(await matter());
    }
    const after = [3, 4, 5, 6, 7, 8, 9, 10, 13, 14];
    expect(leads).toEqual(after.map((number) => `L-${number}`));
    expect(matters).toEqual(after.map((number) => `M-${number}`));
  });

  test('of twenty simultaneous creates where the next numbers are taken, none is refused or twice', async () => {
    const firm = await makePatientFirm(server, { numbering: { lead: 'L-1{#}' } });
    for (let made = 0; made < 9; made += 1) await firm.owner.post('/v1/leads', { lastName: 'Q' });
    await renumber(firm, { lead: 'L-{#}' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => firm.owner.post('/v1/leads', { lastName: 'Q' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ body }) => body.data.publicId)).size).toBe(20);
    expect((await firm.owner.get('/v1/leads')).body.pagination.total).toBe(29);
  });

  test('a hire whose next number is taken makes one matter, with the number after it', async () => {
    const firm = await makeFirm(server, { numbering: { lead: 'L-{#}', matter: 'M-1{#}' } });
    const ben = await visitorOf(server, firm, attorney);
    const hire = { practiceAreaId: firm.practiceAreas.Family?.id ?? '', openDate: '2026-03-14' };
    for (let made = 0; made < 10; made += 1) await firm.owner.post('/v1/matters', hire);
    await renumber(firm, { matter: 'M-{#}' });
    const lead = (await firm.owner.post('/v1/leads', { lastName: 'Quill' })).body.data;
    expect((await ben.post(`/leads/${lead.id}/hire`, { do: 'hire', ...hire })).status).toBe(303);
    const { data } = (await firm.owner.get('/v1/matters?limit=100')).body;
    const numbers = data.map(({ publicId }: { publicId: string }) => publicId);
    expect(numbers).toHaveLength(11);
    expect(numbers).toContain('M-20');
  });
});

test('firm apply says which parts of a document are no part of a blueprint, and goes on', async () => {
  const blueprint = JSON.stringify({
    name: `Firm ${Bun.randomUUIDv7()}`,
    members: [{ email: 'ada@harrow.example', name: 'Ada', role: 'Owner', phone: '1' }],
    customFields: [],
    customfields: [],
  });
  const ran = await run(
    server.databaseUrl,
    ['firm', 'apply', '-', '--another', '--json'],
    blueprint,
  );
  expect(ran.exitCode).toBe(0);
  expect(ran.err).toBe(
    '"members[0].phone" is not part of a blueprint. It was ignored.\n"customfields" is not part of a blueprint; did you mean `customFields`? It was ignored.\n',
  );
  expect(Object.keys(JSON.parse(ran.out).members)).toEqual(['ada@harrow.example']);
});
