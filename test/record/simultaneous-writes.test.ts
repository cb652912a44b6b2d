import { describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { auditOf, totalOf, unknownId } from '../support/expectations.ts';
import { attorney, type Firm, makePatientFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();

const makeLead = async (firm: Firm, more: object = {}) => {
  const { status, body } = await firm.owner.post('/v1/leads', { lastName: 'Quill', ...more });
  expect(status).toBe(201);
  return body.data as {
    id: string;
    publicId: string;
    createdAt: string;
    isPrivate: boolean;
    contact: { id: string };
  };
};

const times = <One>(count: number, one: (index: number) => Promise<One>) =>
  Promise.all(Array.from({ length: count }, (_, index) => one(index)));

describe('At the same moment', () => {
  test('creates are each counted and numbered once, in the order they are listed in', async () => {
    const firm = await makePatientFirm(server);
    const made = await times(12, () => makeLead(firm));
    expect(new Set(made.map(({ publicId }) => publicId)).size).toBe(12);
    await Promise.all(made.slice(0, 5).map(({ id }) => firm.owner.delete(`/v1/leads/${id}`)));
    const list = (await firm.owner.get('/v1/leads')).body;
    expect(list.pagination.total).toBe(7);
    expect(list.data).toHaveLength(7);
    const shown = list.data.map(({ publicId }: { publicId: string }) => publicId);
    expect(shown).toEqual([...shown].sort().reverse());
  });

  test('creates are a moment apart, in the order of their numbers, and private ones are counted', async () => {
    const firm = await makePatientFirm(server, { numbering: { lead: 'L-{####}' } });
    const ben = await firm.callerOf(attorney);
    const made: { publicId: string; createdAt: string; isPrivate: boolean }[] = [];
    // More than a block of the register has.
    const [rounds, atOnce] = [26, 20];
    for (let round = 0; round < rounds; round += 1)
      made.push(
        ...(await times(atOnce, (index) => makeLead(firm, { isPrivate: index % 3 === 0 }))),
      );
    made.sort((one, other) => one.publicId.localeCompare(other.publicId));
    const numbers = made.map((_, index) => `L-${String(index + 1).padStart(4, '0')}`);
    expect(made.map(({ publicId }) => publicId)).toEqual(numbers);
    const moments = made.map(({ createdAt }) => Date.parse(createdAt));
    expect(moments.every((at, index) => index === 0 || at > (moments[index - 1] ?? at))).toBe(true);

    const seen = { owner: made, attorney: made.filter(({ isPrivate }) => !isPrivate) };
    for (const [caller, leads] of [
      [firm.owner, seen.owner],
      [ben, seen.attorney],
    ] as const) {
      const newestFirst = leads.map(({ publicId }) => publicId).toReversed();
      for (const offset of [0, 15, newestFirst.length - 15]) {
        const { data, pagination } = (await caller.get(`/v1/leads?limit=10&offset=${offset}`)).body;
        expect(data.map(({ publicId }: { publicId: string }) => publicId)).toEqual(
          newestFirst.slice(offset, offset + 10),
        );
        expect(pagination.total).toBe(leads.length);
      }
    }
  });

  test('creates that are refused among others change nothing, and leave no gap in the numbers', async () => {
    const firm = await makePatientFirm(server);
    const answers = await times(24, (index) =>
      index % 3 === 1
        ? firm.owner.post('/v1/leads', { lastName: 'Vane', practiceAreaId: unknownId })
        : firm.owner.post('/v1/leads', { lastName: `Quill ${index}` }),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, index) => (index % 3 === 1 ? 404 : 201)),
    );
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.data);
    const [first] = made.map(({ publicId }) => publicId).sort();
    const numbers = made.map(({ publicId }) => Number(publicId.replaceAll(/[^0-9]/g, '')));
    const lowest = Number(first.replaceAll(/[^0-9]/g, ''));
    expect(numbers.sort((one, other) => one - other)).toEqual(made.map((_, at) => lowest + at));
    for (const [at, { body }] of answers.entries()) {
      if (at % 3 !== 1) expect(body.data.contact.name).toBe(`Quill ${at}`);
    }
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(16);
    expect(await totalOf(firm.owner.get('/v1/contacts'))).toBe(16);
    const entries = await auditOf(firm);
    for (const { id, contact } of made) {
      const ofLead = entries.filter(({ recordId }) => recordId === id);
      expect(ofLead).toHaveLength(1);
      const sameRequest = entries.filter(({ requestId }) => requestId === ofLead[0]?.requestId);
      expect(sameRequest.map(({ recordId }) => recordId).sort()).toEqual([id, contact.id].sort());
    }
  });

  test('matters with the same hidden contact show it once, and it is counted once', async () => {
    const firm = await makePatientFirm(server);
    const colleague = await firm.callerOf(attorney);
    const { contact } = await makeLead(firm, { isPrivate: true });
    expect(await totalOf(colleague.get('/v1/contacts'))).toBe(0);
    const answers = await times(6, () =>
      firm.owner.post('/v1/matters', {
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: '2026-03-03',
        clientContactIds: [contact.id],
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(await totalOf(colleague.get('/v1/contacts'))).toBe(1);
    const shown = (await auditOf(firm)).filter(
      ({ recordId, changes }) => recordId === contact.id && changes.isPrivate?.after === false,
    );
    expect(shown).toHaveLength(1);
  });

  test('matters with the same clients come out as if made one after the other, and refused ones change nothing', async () => {
    const firm = await makePatientFirm(server);
    const colleague = await firm.callerOf(attorney);
    // Two contacts came with a lead, one of them is hidden; the third came alone.
    const ofLead = (await makeLead(firm)).contact.id;
    const hidden = (await makeLead(firm, { isPrivate: true })).contact.id;
    const alone = (await firm.owner.post('/v1/contacts', { lastName: 'Rook' })).body.data.id;
    const clients = [ofLead, hidden, alone];
    const team = [{ memberId: firm.members[attorney], role: 'RESPONSIBLE_ATTORNEY' }];
    const isRefused = (index: number) => index % 5 === 3;
    const sentBy = (index: number) => [0, 1].map((next) => clients[(index + next) % 3]);
    const answers = await times(30, (index) =>
      firm.owner.post('/v1/matters', {
        practiceAreaId: firm.practiceAreas.Family?.id,
        openDate: '2026-03-03',
        title: `Quackenbush ${index}`,
        clientContactIds: isRefused(index) ? [alone, unknownId] : sentBy(index),
        team,
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(
      answers.map((_, index) => (isRefused(index) ? 404 : 201)),
    );
    const made = answers.flatMap(({ status, body }, index) =>
      status === 201 ? [{ index, id: body.data.id, publicId: body.data.publicId }] : [],
    );
    const numbers = made.map(({ publicId }) => Number(publicId.replaceAll(/[^0-9]/g, '')));
    const [lowest = 0] = numbers.sort((one, other) => one - other);
    expect(numbers).toEqual(made.map((_, at) => lowest + at));

    const entries = await auditOf(firm);
    for (const { index, id, publicId } of made) {
      const { body } = await firm.owner.get(`/v1/matters/${id}`);
      expect(body.data).toMatchObject({ publicId, title: `Quackenbush ${index}` });
      const named = body.data.clients.map(({ contactId }: { contactId: string }) => contactId);
      expect(named).toEqual(sentBy(index));
      expect(entries.filter(({ recordId }) => recordId === id)).toHaveLength(1);
    }
    const shown = entries.filter(
      ({ recordId, changes }) => recordId === hidden && changes.isPrivate?.after === false,
    );
    expect(shown).toHaveLength(1);
    expect(await totalOf(colleague.get('/v1/contacts'))).toBe(3);
    expect(await totalOf(firm.owner.get('/v1/matters'))).toBe(24);
    const list = (await firm.owner.get('/v1/matters?limit=50')).body.data;
    const listed = list.map(({ publicId }: { publicId: string }) => publicId);
    expect(listed).toEqual([...listed].sort().reverse());
    expect(new Set(listed)).toEqual(new Set(made.map(({ publicId }) => publicId)));
  });

  test('creates whose numbers were given before get the next free ones, each its own', async () => {
    const firm = await makePatientFirm(server);
    const before = await times(5, () => makeLead(firm));
    const sql = connect(server.databaseUrl);
    await sql`update register set last_number = 0 where firm_id = ${firm.id} and kind = 'lead'`;
    await sql.end();
    const after = await times(8, () => makeLead(firm));
    const numbers = [...before, ...after].map(({ publicId }) => publicId.replaceAll(/[^0-9]/g, ''));
    const inOrder = numbers.map(Number).sort((one, other) => one - other);
    expect(inOrder).toEqual(numbers.map((_, index) => index + 1));
  });

  test('updates of different fields all last, custom fields key by key', async () => {
    const fields = ['A', 'B', 'C'].map((name) => ({ on: 'lead', name, type: 'TEXT' }));
    const firm = await makePatientFirm(server, { customFields: fields });
    const { id } = await makeLead(firm);
    const area = firm.practiceAreas.Family?.id;
    await Promise.all(
      [
        { value: 'HIGH' },
        { practiceAreaId: area },
        { leadStageColumnId: firm.leadStages.Contacted },
        { customFields: { A: 'a' } },
        { customFields: { B: 'b' } },
        { customFields: { C: 'c' } },
      ].map((body) => firm.owner.patch(`/v1/leads/${id}`, body)),
    );
    expect((await firm.owner.get(`/v1/leads/${id}`)).body.data).toMatchObject({
      value: 'HIGH',
      practiceArea: { id: area },
      leadStageColumnId: firm.leadStages.Contacted,
      customFields: { A: 'a', B: 'b', C: 'c' },
    });
    expect(await auditOf(firm, id)).toHaveLength(7);
  });

  test('of several deletes one succeeds, and the total falls by one', async () => {
    const firm = await makePatientFirm(server);
    const { id } = await makeLead(firm);
    await makeLead(firm);
    const answers = await times(4, () => firm.owner.delete(`/v1/leads/${id}`));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(1);
    expect(await auditOf(firm, id)).toHaveLength(2);
  });

  test('hiding, opening and deleting the same leads keeps everyone’s total true', async () => {
    const firm = await makePatientFirm(server);
    const ben = await firm.callerOf(attorney);
    const leads = await times(4, () => makeLead(firm));
    await Promise.all(
      leads.flatMap(({ id }, index) => [
        ...[true, false, true].map((isPrivate) =>
          firm.owner.patch(`/v1/leads/${id}`, { isPrivate }),
        ),
        ...(index % 2 ? [firm.owner.delete(`/v1/leads/${id}`)] : []),
      ]),
    );
    for (const caller of [firm.owner, ben]) {
      const { data, pagination } = (await caller.get('/v1/leads')).body;
      expect(pagination.total).toBe(data.length);
    }
    expect(await totalOf(firm.owner.get('/v1/leads'))).toBe(2);
  });

  test('a stage is never taken from under a matter that comes to sit in it', async () => {
    const firm = await makePatientFirm(server);
    const { owner } = firm;
    const settled = await times(24, async (index) => {
      const stages = [{ name: 'Intake' }, { name: 'Filed' }];
      const area = (await owner.post('/v1/practice-areas', { name: 'Tax', stages })).body.data;
      const [intake, filed] = area.stages;
      const body = { practiceAreaId: area.id, openDate: '2026-02-03' };
      const start = { ...body, practiceAreaStageColumnId: filed.id };
      const { id } = (await owner.post('/v1/matters', start)).body.data;
      const move = { practiceAreaStageColumnId: intake.id };
      const [drop, place] = await Promise.all([
        owner.patch(`/v1/practice-areas/${area.id}`, { stages: [filed] }),
        index % 2 ? owner.post('/v1/matters', body) : owner.patch(`/v1/matters/${id}`, move),
      ]);
      expect([200, 409]).toContain(drop.status);
      expect([200, 201, 404]).toContain(place.status);
      const board = (await owner.get(`/v1/practice-areas/${area.id}`)).body.data.stages;
      const { stage } = (await owner.get(`/v1/matters/${place.body.data?.id ?? id}`)).body.data;
      return board.some((one: { id: string }) => one.id === stage.id);
    });
    expect(settled.filter((isOnBoard) => !isOnBoard)).toEqual([]);
  });

  test('mixed writes of all kinds never break each other: no 5xx, true totals', async () => {
    const firm = await makePatientFirm(server);
    const leads = await times(6, () => makeLead(firm));
    const one = (index: number) => leads[index % leads.length] as (typeof leads)[number];
    const answers = await times(60, (index) => {
      const { id, contact } = one(index);
      const calls = [
        () => firm.owner.post('/v1/leads', { lastName: 'Vane', isPrivate: index % 2 === 0 }),
        () => firm.owner.patch(`/v1/leads/${id}`, { isPrivate: index % 2 === 0 }),
        () => firm.owner.patch(`/v1/contacts/${contact.id}`, { lastName: `Reed ${index}` }),
        () => firm.owner.post('/v1/contacts', { lastName: 'Vane' }),
        () => firm.owner.delete(`/v1/contacts/${one(5).contact.id}`),
        () => firm.owner.delete(`/v1/leads/${one(4).id}`),
      ];
      return (calls[(index * 7) % 5 === 0 ? 5 : index % 5] as (typeof calls)[number])();
    });
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    for (const path of ['/v1/leads', '/v1/contacts']) {
      const { data, pagination } = (await firm.owner.get(`${path}?limit=100`)).body;
      expect(pagination.total).toBe(data.length);
    }
  });
});
