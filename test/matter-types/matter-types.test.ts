import { beforeAll, describe, expect, test } from 'bun:test';
import {
  alphabets,
  around,
  auditOf,
  expectRefusal,
  notOf,
  totalOf,
  unknownId,
} from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
let other: Firm;
let family: string;
let estates: string;
beforeAll(async () => {
  [firm, other] = await Promise.all([makeFirm(server), makeFirm(server)]);
  family = firm.practiceAreas.Family?.id ?? '';
  estates = firm.practiceAreas.Estates?.id ?? '';
});

const create = (body: object) => firm.owner.post('/v1/matter-types', body);

const make = async (name: string, practiceAreaId = family) => {
  const { status, body } = await create({ name, practiceAreaId });
  expect(status).toBe(201);
  return body.data;
};

const list = (practiceAreaId: string, more = '') =>
  firm.owner.get(`/v1/matter-types?practiceAreaId=${practiceAreaId}${more}`);

const change = (id: string, body: object) => firm.owner.patch(`/v1/matter-types/${id}`, body);
const read = (id: string) => firm.owner.get(`/v1/matter-types/${id}`);

/** A practice area of its own, deleted. */
const goneArea = async () => {
  const { id } = (await firm.owner.post('/v1/practice-areas', { name: 'Tax' })).body.data;
  await firm.owner.delete(`/v1/practice-areas/${id}`);
  return id as string;
};

describe('A matter type', () => {
  test('always belongs to one practice area, shown by id and name', async () => {
    const made = await make(' Divorce, contested ');
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Divorce, contested',
      practiceArea: { id: family, name: 'Family' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: made.createdAt,
    });
    expect((await read(made.id)).body).toEqual({ data: made });
    expect((await list(family)).body.data[0]).toEqual(made);
  });

  test('of a blueprint is there like any other', async () => {
    const id = firm.practiceAreas.Family?.matterTypes.Divorce ?? '';
    const shown = { id, name: 'Divorce', practiceArea: { id: family, name: 'Family' } };
    expect((await read(id)).body.data).toMatchObject(shown);
  });

  test('needs a name and a practice area', async () => {
    const before = await auditOf(firm);
    for (const [body, field] of [
      [{ practiceAreaId: family }, 'name'],
      [{ name: 'Will' }, 'practiceAreaId'],
      [{}, 'name'],
      ...[...notOf.string, '', ' ', '\t\n', '\u00a0'].map((name) => [
        { practiceAreaId: family, name },
        'name',
      ]),
      ...notOf.string.map((practiceAreaId) => [{ name: 'Will', practiceAreaId }, 'practiceAreaId']),
    ] as [object, string][]) {
      const answer = await create(body);
      if (Object.keys(body).length > 0) expectRefusal(answer, 400, 'invalid_request', field);
      else expectRefusal(answer, 400, 'invalid_request');
    }
    expect(await auditOf(firm)).toEqual(before);
  });

  test.each(alphabets)('takes names of 255 characters and no more, in $script', async ({ of }) => {
    const made = await make('Will');
    for (const length of [1, ...around(255).allowed]) {
      expect((await make(of(length))).name).toBe(of(length));
      expect((await change(made.id, { name: of(length) })).body.data.name).toBe(of(length));
    }
    const long = { name: of(around(255).refused), practiceAreaId: family };
    expectRefusal(await create(long), 400, 'invalid_request', 'name');
    expectRefusal(await change(made.id, long), 400, 'invalid_request', 'name');
  });

  test('names may repeat, within a practice area and across', async () => {
    const ids = [await make('Will'), await make('Will'), await make('Will', estates)].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('in a practice area that is not there is 404 naming the field, and nothing is written', async () => {
    const gone = await goneArea();
    const before = [await totalOf(list(family)), await auditOf(firm)];
    const theirs = other.practiceAreas.Family?.id;
    const stage = firm.practiceAreas.Family?.stages.Intake;
    for (const id of [unknownId, '', 'Family', family.toUpperCase(), gone, theirs, stage]) {
      const answer = await create({ name: 'Will', practiceAreaId: id });
      expectRefusal(answer, 404, 'not_found', 'practiceAreaId');
    }
    expect([await totalOf(list(family)), await auditOf(firm)]).toEqual(before);
  });

  test('the practice area is fixed at creation: another one in an update is ignored, whatever it is', async () => {
    const made = await make('Will');
    for (const practiceAreaId of [
      estates,
      unknownId,
      null,
      5,
      '',
      other.practiceAreas.Family?.id,
    ]) {
      const { status, body } = await change(made.id, {
        practiceAreaId,
        practiceArea: { id: estates },
      });
      expect({ status, data: body.data }).toEqual({ status: 200, data: made });
    }
    const renamed = await change(made.id, { practiceAreaId: estates, name: ' Probate ' });
    expect(renamed.body.data).toMatchObject({ name: 'Probate', practiceArea: { id: family } });
    const [created, updated, ...more] = await auditOf(firm, made.id);
    expect(created?.changes.practiceAreaId).toEqual({ before: null, after: family });
    expect(updated?.changes).toEqual({ name: { before: 'Will', after: 'Probate' } });
    expect(more).toEqual([]);
  });

  test('an update refuses a name that is none', async () => {
    const made = await make('Will');
    for (const name of [...notOf.string, '', ' \n']) {
      expectRefusal(await change(made.id, { name }), 400, 'invalid_request', 'name');
    }
    expect((await read(made.id)).body.data).toEqual(made);
  });
});

describe('GET /v1/matter-types', () => {
  test('requires practiceAreaId: 400 when it is missing, whatever else is sent', async () => {
    for (const query of [
      '',
      '?limit=5',
      '?practiceareaid=x',
      '?practiceAreaID=x',
      '?practice_area_id=x',
    ]) {
      const answer = await firm.owner.get(`/v1/matter-types${query}`);
      expectRefusal(answer, 400, 'invalid_request', 'practiceAreaId');
    }
  });

  test('answers 404 for a practice area that is unknown, malformed, deleted or another firm’s, in the same words', async () => {
    const gone = await goneArea();
    const theirs = other.practiceAreas.Family?.id ?? '';
    const answers = new Set<string>();
    for (const id of [
      unknownId,
      'x',
      '',
      '%00',
      gone,
      theirs,
      family.toUpperCase(),
      `{${family}}`,
    ]) {
      const answer = await list(id);
      expectRefusal(answer, 404, 'not_found', 'practiceAreaId');
      answers.add(answer.body.error.message);
    }
    expect(answers.size).toBe(1);
  });

  test('shows one practice area’s types alone, newest first, with their own total', async () => {
    const make = async (name: string) => {
      const made = await firm.owner.post('/v1/practice-areas', { name });
      return made.body.data.id as string;
    };
    const [tax, wills] = [await make('Tax'), await make('Wills')];
    const of = async (area: string, name: string) =>
      (await create({ name, practiceAreaId: area })).body.data;
    const made = [await of(tax, 'A'), await of(wills, 'B'), await of(tax, 'C'), await of(tax, 'D')];
    const [a, b, c, d] = made;
    const page = (await list(tax)).body;
    expect(page).toEqual({ data: [d, c, a], pagination: { limit: 20, offset: 0, total: 3 } });
    expect((await list(wills)).body.data).toEqual([b]);
    expect((await list(tax, '&limit=1&offset=1')).body).toEqual({
      data: [c],
      pagination: { limit: 1, offset: 1, total: 3 },
    });
    await firm.owner.delete(`/v1/matter-types/${c.id}`);
    expect((await list(tax)).body.data).toEqual([d, a]);
    expect((await list(tax)).body.pagination.total).toBe(2);
    // A link to the next page keeps the practice area.
    const { headers } = await list(tax, '&limit=1');
    expect(headers.get('link')).toContain(`practiceAreaId=${tax}`);
  });

  test('takes the scope matter-types:read, not that of practice areas or matters', async () => {
    const stranger = await firm.callerOf(owner, ['practice-areas:read', 'matters:read']);
    const answer = await stranger.get(`/v1/matter-types?practiceAreaId=${family}`);
    expectRefusal(answer, 403, 'forbidden', 'matter-types:read');
    const ben = await firm.callerOf(attorney);
    expectRefusal(await ben.get('/v1/matter-types'), 403, 'forbidden', 'matter-types:read');
  });
});

describe('The practice area of matter types', () => {
  test('renamed is shown by its present name', async () => {
    const { id } = (await firm.owner.post('/v1/practice-areas', { name: 'Tax' })).body.data;
    const made = await make('Audit', id);
    await firm.owner.patch(`/v1/practice-areas/${id}`, { name: 'Revenue' });
    const expected = { ...made, practiceArea: { id, name: 'Revenue' } };
    expect((await read(made.id)).body.data).toEqual(expected);
    expect((await list(id)).body.data).toEqual([expected]);
  });

  test('deleted stays with them: they are read, renamed and deleted, not listed', async () => {
    const { id } = (await firm.owner.post('/v1/practice-areas', { name: 'Tax' })).body.data;
    const made = await make('Audit', id);
    await firm.owner.delete(`/v1/practice-areas/${id}`);
    expect((await read(made.id)).body.data).toEqual(made);
    expect((await change(made.id, { name: 'Review' })).body.data).toMatchObject({
      name: 'Review',
      practiceArea: { id, name: 'Tax' },
    });
    expectRefusal(await list(id), 404, 'not_found', 'practiceAreaId');
    expect((await firm.owner.delete(`/v1/matter-types/${made.id}`)).status).toBe(200);
    expectRefusal(await read(made.id), 404, 'not_found');
  });
});
