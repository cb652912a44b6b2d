import { beforeAll, describe, expect, test } from 'bun:test';
import {
  alphabets,
  around,
  auditOf,
  expectRefusal,
  notOf,
  unknownId,
} from '../support/expectations.ts';
import { type Firm, makeFirm, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
beforeAll(async () => {
  firm = await makeFirm(server);
});

type Stage = { id: string; name: string };

const create = (body: object) => firm.owner.post('/v1/practice-areas', body);

const make = async (stages: string[] = []) => {
  const answer = await create({ name: 'Tax', stages: stages.map((name) => ({ name })) });
  expect(answer.status).toBe(201);
  return answer.body.data as { id: string; name: string; stages: Stage[]; updatedAt: string };
};

const change = (id: string, body: object) => firm.owner.patch(`/v1/practice-areas/${id}`, body);
const read = async (id: string) => (await firm.owner.get(`/v1/practice-areas/${id}`)).body.data;

describe('A practice area', () => {
  test('read by id carries its stages in order, each with an id; the list leaves stages out', async () => {
    const made = await make(['Intake', ' Filed ', 'Closed']);
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Tax',
      stages: ['Intake', 'Filed', 'Closed'].map((name) => ({ id: expect.any(String), name })),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    } as never);
    expect(await read(made.id)).toEqual(made);
    const { stages, ...row } = made;
    expect((await firm.owner.get('/v1/practice-areas')).body.data[0]).toEqual(row);
  });

  test('may be made without stages, and is then shown with none', async () => {
    expect((await create({ name: 'Tax' })).body.data.stages).toEqual([]);
  });

  test('of a blueprint shows the stages that the blueprint made', async () => {
    const family = firm.practiceAreas.Family;
    const stages = Object.entries(family?.stages ?? {}).map(([name, id]) => ({ id, name }));
    expect(await read(family?.id ?? '')).toMatchObject({ name: 'Family', stages });
  });

  test.each(alphabets)('takes names of 255 characters and no more, in $script', async ({ of }) => {
    const { id } = await make();
    for (const length of [1, ...around(255).allowed]) {
      const body = { name: of(length), stages: [{ name: of(length) }] };
      const { data } = (await create(body)).body;
      expect([data.name, data.stages[0].name]).toEqual([of(length), of(length)]);
    }
    const long = of(256);
    for (const [body, field] of [
      [{ name: long }, 'name'],
      [{ name: 'Tax', stages: [{ name: 'Intake' }, { name: long }] }, 'stages[1].name'],
    ] as const) {
      expectRefusal(await create(body), 400, 'invalid_request', field);
      expectRefusal(await change(id, body), 400, 'invalid_request', field);
    }
  });

  test('needs a name: missing, empty and white space are refused, white space at the ends is not kept', async () => {
    const { id } = await make();
    for (const body of [{}, { name: '' }, { name: ' \t' }, ...wrong('name', notOf.string)]) {
      expectRefusal(await create(body), 400, 'invalid_request', 'name');
      if ('name' in body) expectRefusal(await change(id, body), 400, 'invalid_request', 'name');
    }
    expect((await create({ name: ' Tax ' })).body.data.name).toBe('Tax');
    expect((await change(id, { name: ' Trusts ' })).body.data.name).toBe('Trusts');
  });

  test.each(
    [
      ...notOf.list,
      ...[['Intake'], [5], [null], [[]], [{}]],
      ...[5, true, null, '', ' '].map((name) => [{ name }]),
      [{ id: 5, name: 'Intake' }],
    ].map((stages) => [stages]),
  )('refuses the stages %j', async (stages) => {
    const made = await make(['Intake']);
    const hasName = Array.isArray(stages) && stages[0]?.id !== undefined;
    if (!hasName) expectRefusal(await create({ name: 'Tax', stages }), 400, 'invalid_request');
    expectRefusal(await change(made.id, { stages }), 400, 'invalid_request', 'stages');
    expect(await read(made.id)).toEqual(made as never);
  });
});

const wrong = (field: string, values: unknown[]) => values.map((value) => ({ [field]: value }));

describe('PATCH /v1/practice-areas/{id}', () => {
  test('renames it and keeps its stages', async () => {
    const made = await make(['Intake']);
    const { data } = (await change(made.id, { name: 'Trusts' })).body;
    expect(data).toEqual({ ...made, name: 'Trusts', updatedAt: data.updatedAt });
    expect(await read(made.id)).toEqual(data);
  });

  test('takes stages as the whole new list: entries with an id keep theirs, others are new or gone', async () => {
    const made = await make(['Intake', 'Filed', 'Closed']);
    const [intake, filed, closed] = made.stages as [Stage, Stage, Stage];
    const stages = [{ ...closed }, { name: 'Review' }, { id: intake.id, name: 'Start' }];
    const { data } = (await change(made.id, { stages })).body;
    expect(data.stages).toEqual([closed, { id: expect.any(String), name: 'Review' }, stages[2]]);
    const old = [intake.id, filed.id, closed.id];
    expect(old).not.toContain(data.stages[1].id);
    expect(await read(made.id)).toEqual(data);
    expect((await change(made.id, { stages: [] })).body.data.stages).toEqual([]);
    expect((await read(made.id)).stages).toEqual([]);
  });

  test('a stage taken out is gone: its id can not be sent again', async () => {
    const made = await make(['Intake', 'Filed']);
    await change(made.id, { stages: [made.stages[0] as Stage] });
    const answer = await change(made.id, { stages: made.stages });
    expectRefusal(answer, 404, 'not_found', 'stages[1].id');
  });

  test('a stage id that is unknown, malformed or of another area answers 404 and changes nothing', async () => {
    const [made, other] = [await make(['Intake']), await make(['Intake'])];
    for (const id of [unknownId, 'x', '', other.stages[0]?.id]) {
      const body = { name: 'Trusts', stages: [made.stages[0], { id, name: 'Filed' }] };
      expectRefusal(await change(made.id, body), 404, 'not_found', 'stages[1].id');
    }
    expect(await read(made.id)).toEqual(made as never);
    expect(await read(other.id)).toEqual(other as never);
  });

  test('the same stage twice in one list is refused', async () => {
    const made = await make(['Intake']);
    const answer = await change(made.id, { stages: [made.stages[0], made.stages[0]] });
    expectRefusal(answer, 400, 'invalid_request', 'stages[1].id');
    expect(await read(made.id)).toEqual(made as never);
  });

  test('the same stages again change nothing: updatedAt stays, no audit entry', async () => {
    const made = await make(['Intake', 'Filed']);
    const audited = await auditOf(firm);
    const { data } = (await change(made.id, { name: 'Tax', stages: made.stages })).body;
    expect(data).toEqual(made);
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('another order of the same stages is a change, and moves updatedAt', async () => {
    const made = await make(['Intake', 'Filed']);
    await Bun.sleep(2);
    const stages = [...made.stages].reverse();
    const { data } = (await change(made.id, { stages })).body;
    expect(data.stages).toEqual(stages);
    expect(data.updatedAt > made.updatedAt).toBe(true);
    expect(await read(made.id)).toEqual(data);
  });

  test('each stage made, renamed or taken out has an audit entry of its own', async () => {
    const made = await make(['Intake', 'Filed']);
    const [intake, filed] = made.stages as [Stage, Stage];
    const headers = { 'x-request-id': `stages-${made.id}` };
    const body = { stages: [{ id: intake.id, name: 'Start' }, { name: 'Review' }] };
    const path = `/v1/practice-areas/${made.id}`;
    const { data } = (await firm.owner.patch(path, body, headers)).body;
    const entries = (await auditOf(firm)).filter((one) => one.requestId === `stages-${made.id}`);
    const seen = entries.map(({ action, recordKind, recordId }) => [action, recordKind, recordId]);
    expect(seen.sort()).toEqual(
      [
        ['create', 'stage', data.stages[1].id],
        ['delete', 'stage', filed.id],
        ['update', 'stage', intake.id],
      ].sort(),
    );
    const renamed = entries.find(({ action }) => action === 'update');
    expect(renamed?.changes).toEqual({ name: { before: 'Intake', after: 'Start' } });
    expect(entries.every(({ keyId }) => keyId === firm.owner.keyId)).toBe(true);
  });
});

describe('A stage that still holds matters', () => {
  let area: Awaited<ReturnType<typeof make>>;
  let matter: { id: string };
  beforeAll(async () => {
    area = await make(['Intake', 'Filed']);
    const body = { practiceAreaId: area.id, openDate: '2026-02-03' };
    matter = (await firm.owner.post('/v1/matters', body)).body.data;
  });

  test('cannot be left out of the list: 409 conflict, and nothing of the update is written', async () => {
    const audited = await auditOf(firm);
    for (const stages of [[], [area.stages[1]], [{ name: 'Intake' }, area.stages[1]]]) {
      const answer = await change(area.id, { name: 'Trusts', stages });
      expectRefusal(answer, 409, 'conflict', 'Intake');
    }
    expect(await read(area.id)).toEqual(area as never);
    expect(await auditOf(firm)).toEqual(audited);
  });

  test('can be renamed and moved; the matter shows its new name', async () => {
    const [intake, filed] = area.stages as [Stage, Stage];
    const stages = [filed, { ...intake, name: 'Start' }];
    expect((await change(area.id, { stages })).body.data.stages).toEqual(stages);
    const { data } = (await firm.owner.get(`/v1/matters/${matter.id}`)).body;
    expect(data.stage).toEqual({ id: intake.id, name: 'Start' });
  });

  test('can be left out once its matters are moved or deleted', async () => {
    const { stages } = await read(area.id);
    const body = { practiceAreaStageColumnId: stages[0].id };
    expect((await firm.owner.patch(`/v1/matters/${matter.id}`, body)).status).toBe(200);
    expect((await change(area.id, { stages: [stages[0]] })).status).toBe(200);
    await firm.owner.delete(`/v1/matters/${matter.id}`);
    expect((await change(area.id, { stages: [] })).body.data.stages).toEqual([]);
  });
});

test('DELETE /v1/practice-areas/{id} is soft: leads keep it, new ones get 404', async () => {
  const { id } = await make(['Intake']);
  const body = { lastName: 'Quill', practiceAreaId: id };
  const lead = (await firm.owner.post('/v1/leads', body)).body.data;
  await firm.owner.delete(`/v1/practice-areas/${id}`);
  const kept = (await firm.owner.get(`/v1/leads/${lead.id}`)).body.data;
  expect(kept.practiceArea).toEqual({ id, name: 'Tax' });
  expectRefusal(await firm.owner.post('/v1/leads', body), 404, 'not_found', 'practiceAreaId');
  expect((await firm.owner.patch(`/v1/leads/${lead.id}`, { value: 'LOW' })).status).toBe(200);
});
