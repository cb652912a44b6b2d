import { beforeAll, describe, expect, test } from 'bun:test';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';

const server = await startTestServer();
let firm: Firm;
let other: Firm;
beforeAll(async () => {
  [firm, other] = await Promise.all([makeFirm(server), makeFirm(server)]);
});

const make = async (more: object = {}, of: Firm = firm) => {
  const { status, body } = await of.owner.post('/v1/matters', {
    practiceAreaId: of.practiceAreas.Family?.id,
    openDate: '2026-02-03',
    ...more,
  });
  expect(status).toBe(201);
  return body.data;
};

const change = (id: string, body: object) => firm.owner.patch(`/v1/matters/${id}`, body);
const read = async (id: string) => (await firm.owner.get(`/v1/matters/${id}`)).body.data;

/** The update succeeds, answers these fields changed and all others kept, and so does a read. */
const expectChanged = async (id: string, body: object, fields: object) => {
  const before = await read(id);
  const answer = await change(id, body);
  expect(answer.status).toBe(200);
  const { updatedAt } = answer.body.data;
  expect(answer.body.data).toEqual({ ...before, ...fields, updatedAt });
  expect(await read(id)).toEqual(answer.body.data);
  return answer.body.data;
};

/** The update is refused and leaves the matter and the audit log as they were. */
const expectRefused = async (
  id: string,
  body: object,
  [status, code, names]: [number, string, string],
) => {
  const before = [await read(id), await auditOf(firm)];
  expectRefusal(await change(id, body), status, code, names);
  expect([await read(id), await auditOf(firm)]).toEqual(before);
};

/** A practice area of its own, with stages of these names. */
const area = async (...names: string[]) => {
  const body = { name: 'Tax', stages: names.map((name) => ({ name })) };
  const { data } = (await firm.owner.post('/v1/practice-areas', body)).body;
  return data as { id: string; name: string; stages: { id: string; name: string }[] };
};

const stageOf = (of: Awaited<ReturnType<typeof area>>, index: number) => {
  const found = of.stages[index];
  if (!found) throw new Error(`The practice area has no stage ${index}.`);
  return found;
};

describe('PATCH /v1/matters/{id}', () => {
  test('changes each field sent by itself and keeps all others', async () => {
    const { id } = await make({ description: 'a', closeDate: '2026-03-01', solDate: '2027-01-01' });
    for (const [field, value] of [
      ['title', 'Quill v. Reed'],
      ['description', ' b '],
      ['description', ''],
      ['openDate', '2025-12-31'],
      ['closeDate', '2025-01-01'],
      ['solDate', '0001-01-01'],
      ['status', 'DRAFT'],
    ]) {
      await expectChanged(id, { [field as string]: value }, { [field as string]: value });
    }
  });

  test('null clears description, closeDate and solDate, and nothing else', async () => {
    const { id } = await make({ description: 'a', closeDate: '2026-03-01', solDate: '2027-01-01' });
    for (const field of ['description', 'closeDate', 'solDate']) {
      await expectChanged(id, { [field]: null }, { [field]: null });
      await expectChanged(id, { [field]: null }, {});
    }
    for (const field of [
      ...['title', 'openDate', 'status', 'practiceAreaId', 'practiceAreaStageColumnId'],
      'customFields',
    ]) {
      await expectRefused(id, { [field]: null }, [400, 'invalid_request', field]);
    }
  });

  test('an empty title becomes `Untitled matter`', async () => {
    const { id } = await make({ title: 'Quill v. Reed' });
    await expectChanged(id, { title: ' ' }, { title: 'Untitled matter' });
  });

  test('clients and team cannot be changed: what is sent of them is ignored, whatever it is', async () => {
    const quill = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
    const rook = (await firm.owner.post('/v1/contacts', { lastName: 'Rook' })).body.data.id;
    const made = await make({
      clientContactIds: [quill],
      team: [{ memberId: firm.members[owner] }],
    });
    const audited = await auditOf(firm, made.id);
    for (const sent of [
      { clientContactIds: [rook], team: [{ memberId: firm.members[attorney] }] },
      { clientContactIds: [], team: [] },
      { clientContactIds: null, team: null, clients: [], publicId: 'M-1', id: unknownId },
      { clientContactIds: [unknownId], team: [{ memberId: unknownId }] },
      { clientContactIds: 'x', team: 5, timesArchived: 9, stage: null, practiceArea: null },
    ]) {
      const answer = await change(made.id, sent);
      expect({ status: answer.status, data: answer.body.data }).toEqual({
        status: 200,
        data: made,
      });
    }
    expect(await read(made.id)).toEqual(made);
    expect(await auditOf(firm, made.id)).toEqual(audited);
  });

  test('a matter of a read scope, of another firm or of no one is out of reach', async () => {
    const { id } = await make();
    const reader = await firm.callerOf(owner, ['matters:read']);
    expectRefusal(await reader.patch(`/v1/matters/${id}`, {}), 403, 'forbidden', 'matters:write');
    for (const sent of [{}, { title: 'x' }, { title: 5 }, { practiceAreaId: unknownId }]) {
      expectRefusal(await other.owner.patch(`/v1/matters/${id}`, sent), 404, 'not_found');
    }
  });
});

describe('A stage belongs to one practice area:', () => {
  test('a stage alone moves the matter within its practice area', async () => {
    const tax = await area('A', 'B', 'C');
    const { id } = await make({ practiceAreaId: tax.id });
    for (const index of [2, 1, 0]) {
      const stage = stageOf(tax, index);
      await expectChanged(id, { practiceAreaStageColumnId: stage.id }, { stage });
    }
  });

  test('to another practice area both are sent', async () => {
    const [tax, wills] = [await area('A', 'B'), await area('C')];
    const { id } = await make({ practiceAreaId: tax.id });
    const [from, to] = [stageOf(tax, 1), stageOf(wills, 0)];
    await expectChanged(
      id,
      { practiceAreaId: wills.id, practiceAreaStageColumnId: to.id },
      { practiceArea: { id: wills.id, name: 'Tax' }, stage: to },
    );
    const place = { practiceArea: { id: tax.id, name: 'Tax' }, stage: from };
    const back = { practiceAreaId: tax.id, practiceAreaStageColumnId: from.id };
    await expectChanged(id, back, place);
    const [, , entry] = await auditOf(firm, id);
    expect(entry?.changes).toEqual({
      practiceAreaId: { before: wills.id, after: tax.id },
      stageId: { before: to.id, after: from.id },
    });
  });

  test('another practice area without a stage, or with a stage that is not its own, is 400', async () => {
    const [tax, wills, empty] = [await area('A', 'B'), await area('C'), await area()];
    const { id } = await make({ practiceAreaId: tax.id });
    for (const sent of [
      { practiceAreaId: wills.id },
      { practiceAreaId: empty.id },
      { practiceAreaId: wills.id, practiceAreaStageColumnId: stageOf(tax, 0).id },
      { practiceAreaId: wills.id, practiceAreaStageColumnId: stageOf(tax, 1).id },
      { practiceAreaId: empty.id, practiceAreaStageColumnId: stageOf(wills, 0).id },
      { practiceAreaStageColumnId: stageOf(wills, 0).id },
      { practiceAreaId: tax.id, practiceAreaStageColumnId: stageOf(wills, 0).id },
    ]) {
      const refusal = [400, 'invalid_request', 'practiceAreaStageColumnId'] as const;
      await expectRefused(id, { title: 'x', ...sent }, [...refusal]);
    }
  });

  test('the present practice area without a stage changes nothing, and keeps the stage', async () => {
    const tax = await area('A', 'B');
    const stage = stageOf(tax, 1);
    const made = await make({ practiceAreaId: tax.id, practiceAreaStageColumnId: stage.id });
    for (const sent of [
      { practiceAreaId: tax.id },
      { practiceAreaStageColumnId: stage.id },
      { practiceAreaId: tax.id, practiceAreaStageColumnId: stage.id },
    ]) {
      const answer = await change(made.id, sent);
      expect({ status: answer.status, data: answer.body.data }).toEqual({
        status: 200,
        data: made,
      });
    }
    expect(await auditOf(firm, made.id)).toHaveLength(1);
    await expectChanged(made.id, { practiceAreaId: tax.id, title: 'x' }, { title: 'x' });
  });

  test('a practice area or stage that is not there is 404 naming the field', async () => {
    const [tax, gone] = [await area('A', 'B'), await area('C')];
    const { id } = await make({ practiceAreaId: tax.id });
    await firm.owner.delete(`/v1/practice-areas/${gone.id}`);
    const dropped = stageOf(tax, 1);
    await firm.owner.patch(`/v1/practice-areas/${tax.id}`, { stages: [stageOf(tax, 0)] });
    const theirs = other.practiceAreas.Family;
    for (const practiceAreaId of [unknownId, '', 'Tax', gone.id, theirs?.id]) {
      for (const more of [{}, { practiceAreaStageColumnId: stageOf(gone, 0).id }]) {
        const sent = { title: 'x', practiceAreaId, ...more };
        await expectRefused(id, sent, [404, 'not_found', 'practiceAreaId']);
      }
    }
    for (const stage of [unknownId, '', 'A', dropped.id, theirs?.stages.Intake]) {
      const sent = { title: 'x', practiceAreaStageColumnId: stage };
      await expectRefused(id, sent, [404, 'not_found', 'practiceAreaStageColumnId']);
    }
  });

  test('references go before custom fields, the shape before both', async () => {
    const { id } = await make();
    const wrong = { customFields: { nope: 1 }, practiceAreaId: unknownId };
    await expectRefused(id, { ...wrong, title: 5 }, [400, 'invalid_request', 'title']);
    await expectRefused(id, wrong, [404, 'not_found', 'practiceAreaId']);
    const { practiceAreaId, ...rest } = wrong;
    await expectRefused(id, rest, [400, 'invalid_custom_field', 'nope']);
  });
});

describe('The status of a matter', () => {
  const statuses = ['ACTIVE', 'DRAFT', 'ARCHIVE'];

  test.each(statuses.flatMap((from) => statuses.map((to) => [from, to])))(
    'moves from %s to %s',
    async (from, to) => {
      const made = await make();
      await change(made.id, { status: from });
      const before = await read(made.id);
      expect(before.status).toBe(from);
      const entries = (await auditOf(firm, made.id)).length;
      const after = await expectChanged(made.id, { status: to }, { status: to });
      expect(await auditOf(firm, made.id)).toHaveLength(entries + (from === to ? 0 : 1));
      if (from === to) expect(after).toEqual(before);
    },
  );

  test('may go round as often as wanted, each move audited once', async () => {
    const { id } = await make({ status: 'DRAFT' });
    const moves = [
      'ARCHIVE',
      'DRAFT',
      'ARCHIVE',
      'ARCHIVE',
      'ACTIVE',
      'ACTIVE',
      'ARCHIVE',
      'DRAFT',
    ];
    for (const status of moves) await expectChanged(id, { status }, { status });
    const seen = (await auditOf(firm, id)).slice(1).map(({ changes }) => changes.status);
    expect(seen).toEqual(
      ['DRAFT', 'ARCHIVE', 'DRAFT', 'ARCHIVE', 'ACTIVE', 'ARCHIVE', 'DRAFT']
        .map((after, index, all) => ({ before: all[index - 1], after }))
        .slice(1),
    );
  });

  test('takes no other word', async () => {
    const { id } = await make();
    for (const status of ['archive', 'ARCHIVED', 'HIRED', 'NOT_HIRED', ' ACTIVE', '', 1, [], {}]) {
      await expectRefused(id, { title: 'x', status }, [400, 'invalid_request', 'status']);
    }
  });

  test('ARCHIVE keeps the matter in the list and readable, and open to changes', async () => {
    const own = await makeFirm(server);
    const made = await make({}, own);
    const path = `/v1/matters/${made.id}`;
    const archived = (await own.owner.patch(path, { status: 'ARCHIVE' })).body.data;
    expect((await own.owner.get(path)).body.data).toEqual(archived);
    const { data, pagination } = (await own.owner.get('/v1/matters')).body;
    expect([data.map((one: { id: string }) => one.id), pagination.total]).toEqual([[made.id], 1]);
    expect(data[0].status).toBe('ARCHIVE');
    expect((await own.owner.patch(path, { title: 'After' })).body.data).toMatchObject({
      title: 'After',
      status: 'ARCHIVE',
    });
  });
});

describe('DELETE /v1/matters/{id}', () => {
  test.each(['ACTIVE', 'DRAFT', 'ARCHIVE'])(
    'takes a matter of status %s out of list, total and reads for good',
    async (status) => {
      const [kept, made] = [await make(), await make()];
      await change(made.id, { status });
      const before = await totalOf(firm.owner.get('/v1/matters'));
      const answer = await firm.owner.delete(`/v1/matters/${made.id}`);
      expect(answer.body).toEqual({ data: { id: made.id, deleted: true } });
      expect(await totalOf(firm.owner.get('/v1/matters'))).toBe(before - 1);
      expect((await firm.owner.get('/v1/matters?limit=1')).body.data[0].id).toBe(kept.id);
      expectRefusal(await change(made.id, { status: 'ACTIVE' }), 404, 'not_found');
      expectRefusal(await firm.owner.delete(`/v1/matters/${made.id}`), 404, 'not_found');
      expect(await totalOf(firm.owner.get('/v1/matters'))).toBe(before - 1);
      // Its number is not given again.
      expect((await make()).publicId > made.publicId).toBe(true);
    },
  );

  test('leaves its clients and its practice area where they are', async () => {
    const contact = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data;
    const tax = await area('A');
    const { id } = await make({ practiceAreaId: tax.id, clientContactIds: [contact.id] });
    await firm.owner.delete(`/v1/matters/${id}`);
    expect((await firm.owner.get(`/v1/contacts/${contact.id}`)).body.data).toEqual(contact);
    expect((await firm.owner.get(`/v1/practice-areas/${tax.id}`)).body.data).toEqual(tax as never);
  });
});

describe('The practice area of a matter', () => {
  test('renamed, and its stage renamed, is shown by the present names', async () => {
    const tax = await area('A');
    const { id, updatedAt } = await make({ practiceAreaId: tax.id });
    const stages = [{ id: stageOf(tax, 0).id, name: 'Start' }];
    await firm.owner.patch(`/v1/practice-areas/${tax.id}`, { name: 'Trusts', stages });
    const shown = { practiceArea: { id: tax.id, name: 'Trusts' }, stage: stages[0], updatedAt };
    expect(await read(id)).toMatchObject(shown);
    expect((await firm.owner.get('/v1/matters?limit=1')).body.data[0]).toMatchObject(shown);
  });

  test('deleted stays with its matters, which move within its stages; new ones and others get 404', async () => {
    const tax = await area('A', 'B');
    const made = await make({ practiceAreaId: tax.id });
    await firm.owner.delete(`/v1/practice-areas/${tax.id}`);
    expect(await read(made.id)).toEqual(made);
    expect((await firm.owner.get('/v1/matters?limit=1')).body.data[0]).toMatchObject({
      id: made.id,
      practiceArea: { id: tax.id, name: 'Tax' },
      stage: stageOf(tax, 0),
    });
    await expectChanged(made.id, { title: 'x', practiceAreaId: tax.id }, { title: 'x' });
    const stage = stageOf(tax, 1);
    await expectChanged(made.id, { practiceAreaStageColumnId: stage.id }, { stage });
    const sent = { practiceAreaId: tax.id, practiceAreaStageColumnId: stage.id };
    for (const body of [{ practiceAreaId: tax.id }, sent]) {
      const answer = await firm.owner.post('/v1/matters', { ...body, openDate: '2026-02-03' });
      expectRefusal(answer, 404, 'not_found', 'practiceAreaId');
    }
    const another = await make();
    await expectRefused(another.id, sent, [404, 'not_found', 'practiceAreaId']);
  });

  test('keeps a stage that holds matters: leaving it out is 409 conflict, and changes nothing', async () => {
    const tax = await area('A', 'B', 'C');
    const path = `/v1/practice-areas/${tax.id}`;
    const [a, b, c] = [stageOf(tax, 0), stageOf(tax, 1), stageOf(tax, 2)];
    const { id } = await make({ practiceAreaId: tax.id, practiceAreaStageColumnId: b.id });
    const second = await make({ practiceAreaId: tax.id, practiceAreaStageColumnId: b.id });
    const expectHeld = async () => {
      const before = await auditOf(firm);
      for (const stages of [[], [a, c], [c], [{ name: 'New' }], [a, c, { name: 'B' }]]) {
        const answer = await firm.owner.patch(path, { name: 'Trusts', stages });
        expectRefusal(answer, 409, 'conflict', '"B"');
      }
      expect((await firm.owner.get(path)).body.data).toEqual(tax as never);
      expect(await auditOf(firm)).toEqual(before);
    };
    await expectHeld();
    // A status takes no matter off its stage: archived and drafted ones hold it too.
    await change(id, { status: 'ARCHIVE' });
    await change(second.id, { status: 'DRAFT' });
    await expectHeld();
    await firm.owner.delete(`/v1/matters/${second.id}`);
    await expectHeld();
    await change(id, { practiceAreaStageColumnId: a.id });
    const dropped = await firm.owner.patch(path, { stages: [a, c] });
    expect([dropped.status, dropped.body.data.stages]).toEqual([200, [a, c]]);
    // A deleted matter does not hold it.
    await firm.owner.delete(`/v1/matters/${id}`);
    expect((await firm.owner.patch(path, { stages: [] })).body.data.stages).toEqual([]);
  });

  test('an unknown stage in the list is 404 before the 409 of one that holds matters', async () => {
    const tax = await area('A', 'B');
    await make({ practiceAreaId: tax.id });
    const path = `/v1/practice-areas/${tax.id}`;
    const unknown = { stages: [stageOf(tax, 1), { id: unknownId, name: 'C' }] };
    expectRefusal(await firm.owner.patch(path, unknown), 404, 'not_found', 'stages[1].id');
    const twice = { stages: [stageOf(tax, 1), stageOf(tax, 1)] };
    expectRefusal(await firm.owner.patch(path, twice), 400, 'invalid_request', 'stages[1].id');
    expectRefusal(await firm.owner.patch(path, { stages: [] }), 409, 'conflict', '"A"');
  });

  test('a stage left out while matters come into it never ends up holding one', async () => {
    for (let round = 0; round < 12; round += 1) {
      const tax = await area('A', 'B');
      const moved = await make({ practiceAreaId: tax.id });
      const into = { practiceAreaStageColumnId: stageOf(tax, 1).id };
      const [dropped, created, changed] = await Promise.all([
        firm.owner.patch(`/v1/practice-areas/${tax.id}`, { stages: [stageOf(tax, 0)] }),
        firm.owner.post('/v1/matters', { practiceAreaId: tax.id, openDate: '2026-02-03', ...into }),
        change(moved.id, into),
      ]);
      const isHeld = [created, changed].some(({ status }) => status < 300);
      expect({ isHeld, dropped: dropped.status }).toEqual({ isHeld, dropped: isHeld ? 409 : 200 });
      for (const { status } of [created, changed]) expect([200, 201, 404]).toContain(status);
    }
  });
});

describe('Updates of one matter at the same time', () => {
  test('of different fields all survive, each audited once', async () => {
    const { id } = await make();
    const sent: Record<string, string> = {
      title: 'Quill v. Reed',
      description: 'a',
      openDate: '2025-01-01',
      status: 'DRAFT',
      closeDate: '2026-01-01',
      solDate: '2027-01-01',
    };
    await Promise.all(Object.entries(sent).map(([field, value]) => change(id, { [field]: value })));
    expect(await read(id)).toMatchObject(sent);
    expect(await auditOf(firm, id)).toHaveLength(7);
  });

  test('a delete and a change: the change is either before it or 404', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await make();
      const [changed, deleted, again] = await Promise.all([
        change(id, { title: 'x' }),
        firm.owner.delete(`/v1/matters/${id}`),
        firm.owner.delete(`/v1/matters/${id}`),
      ]);
      expect([200, 404]).toContain(changed.status);
      expect([deleted.status, again.status].sort()).toEqual([200, 404]);
      const expected = ['create', ...(changed.status === 200 ? ['update'] : []), 'delete'];
      expect((await auditOf(firm, id)).map(({ action }) => action)).toEqual(expected as never);
    }
  });
});
