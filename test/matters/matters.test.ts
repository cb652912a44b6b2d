import { beforeAll, describe, expect, test } from 'bun:test';
import { readSettings } from '../../src/config.ts';
import { listMatters } from '../../src/matters/list.ts';
import { withCluster } from '../../src/postgres/citus/database.ts';
import { openDatabase } from '../../src/postgres/pool.ts';
import { administrator } from '../../src/record/actor.ts';
import { isHeavy } from '../../src/record/page.ts';
import { connect } from '../support/database.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../support/expectations.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';

const server = await startTestServer();

const customFields = [
  { on: 'matter', name: 'Court', type: 'TEXT' },
  { on: 'matter', name: 'Opponent', type: 'CONTACT' },
  { on: 'matter', name: 'Related', type: 'MATTER' },
  { on: 'matter', name: 'Scan', type: 'FILE' },
  { on: 'lead', name: 'Source', type: 'TEXT' },
];

let firm: Firm;
let other: Firm;
beforeAll(async () => {
  firm = await makeFirm(server, { customFields });
  other = await makeFirm(server);
});

const least = (of: Firm = firm) => ({
  practiceAreaId: of.practiceAreas.Family?.id,
  openDate: '2026-02-03',
});

const create = (more: object = {}, of: Firm = firm) =>
  of.owner.post('/v1/matters', { ...least(of), ...more });

const make = async (more: object = {}, of: Firm = firm) => {
  const answer = await create(more, of);
  expect(answer.status).toBe(201);
  return answer.body.data;
};

const contact = async (lastName: string, of: Firm = firm): Promise<string> =>
  (await of.owner.post('/v1/contacts', { lastName })).body.data.id;

const read = async (id: string) => (await firm.owner.get(`/v1/matters/${id}`)).body.data;

/** Nothing of the matters or the audit log moved while `work` was done. */
const expectNothingWritten = async (work: () => Promise<void>, of: Firm = firm) => {
  const state = async () => [await totalOf(of.owner.get('/v1/matters')), await auditOf(of)];
  const before = await state();
  await work();
  expect(await state()).toEqual(before);
};

describe('POST /v1/matters', () => {
  test('stores the matter with its clients and team, the first client primary and bill recipient', async () => {
    const firm = await makeFirm(server);
    const contact = async (lastName: string) =>
      (await firm.owner.post('/v1/contacts', { lastName })).body.data.id;
    const [quill, rook] = [await contact('Quill'), await contact('Rook')];
    const area = firm.practiceAreas.Family;
    const answer = await firm.owner.post('/v1/matters', {
      practiceAreaId: area?.id,
      openDate: '2026-02-28',
      clientContactIds: [quill, rook, quill],
      team: [
        { memberId: firm.members[owner] },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_STAFF',
          allocation: 33.333333333333336,
        },
        { memberId: firm.members[attorney], role: 'RESPONSIBLE_STAFF', allocation: 1 },
        { memberId: firm.members[attorney] },
      ],
    });
    expect(answer.status).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      id: expect.any(String),
      publicId: `M-${new Date().getUTCFullYear()}-0001`,
      title: 'Untitled matter',
      description: null,
      status: 'ACTIVE',
      openDate: '2026-02-28',
      closeDate: null,
      solDate: null,
      practiceArea: { id: area?.id, name: 'Family' },
      stage: { id: area?.stages.Intake, name: 'Intake' },
      clients: [
        { contactId: quill, name: 'Quill', isPrimary: true, isBillRecipient: true },
        { contactId: rook, name: 'Rook', isPrimary: false, isBillRecipient: false },
      ],
      team: [
        {
          memberId: firm.members[owner],
          role: 'RESPONSIBLE_ATTORNEY',
          allocation: 0,
          name: 'Ada Harrow',
        },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_STAFF',
          allocation: 33.333333333333336,
          name: 'Ben Lane',
        },
        {
          memberId: firm.members[attorney],
          role: 'RESPONSIBLE_ATTORNEY',
          allocation: 0,
          name: 'Ben Lane',
        },
      ],
      customFields: {},
      unsupportedCustomFields: [],
      createdAt: expect.any(String),
      updatedAt: data.createdAt,
    });
    expect((await firm.owner.get(`/v1/matters/${data.id}`)).body.data).toEqual(data);
    const { customFields, unsupportedCustomFields, ...row } = data;
    expect((await firm.owner.get('/v1/matters')).body).toEqual({
      data: [row],
      pagination: { limit: 20, offset: 0, total: 1 },
    });
  });

  test('needs practiceAreaId and openDate', async () => {
    const { practiceAreaId, openDate } = least();
    await expectNothingWritten(async () => {
      for (const [body, field] of [
        [{ openDate }, 'practiceAreaId'],
        [{ practiceAreaId }, 'openDate'],
        [{ openDate, practiceAreaId: null }, 'practiceAreaId'],
        [{ practiceAreaId, openDate: null }, 'openDate'],
        [{}, 'practiceAreaId'],
      ] as const) {
        const answer = await firm.owner.post('/v1/matters', body);
        expectRefusal(answer, 400, 'invalid_request', field);
      }
    });
  });

  test('starts in the first stage of its practice area, or in the one sent', async () => {
    const area = await firm.owner.post('/v1/practice-areas', {
      name: 'Tax',
      stages: [{ name: 'Last year' }, { name: 'This year' }],
    });
    const { id, stages } = area.body.data;
    expect((await make({ practiceAreaId: id })).stage).toEqual(stages[0]);
    const reordered = { stages: [stages[1], stages[0]] };
    await firm.owner.patch(`/v1/practice-areas/${id}`, reordered);
    expect((await make({ practiceAreaId: id })).stage).toEqual(stages[1]);
    for (const stage of stages) {
      const sent = { practiceAreaId: id, practiceAreaStageColumnId: stage.id };
      expect(await make(sent)).toMatchObject({ stage, practiceArea: { id, name: 'Tax' } });
    }
  });

  test('is refused with 400 where the practice area has no stage and none is sent', async () => {
    const { id } = (await firm.owner.post('/v1/practice-areas', { name: 'Tax' })).body.data;
    const filed = firm.practiceAreas.Family?.stages.Filed;
    await expectNothingWritten(async () => {
      expectRefusal(await create({ practiceAreaId: id }), 400, 'invalid_request', 'stage');
      const foreign = { practiceAreaId: id, practiceAreaStageColumnId: filed };
      expectRefusal(await create(foreign), 400, 'invalid_request', 'practiceAreaStageColumnId');
    });
  });

  test('refuses a stage of another practice area with 400', async () => {
    const stage = firm.practiceAreas.Estates?.stages.Intake;
    await expectNothingWritten(async () => {
      const answer = await create({ practiceAreaStageColumnId: stage });
      expectRefusal(answer, 400, 'invalid_request', 'practiceAreaStageColumnId');
    });
  });

  test('answers 404 naming the field for a practice area or stage that is not there, and writes nothing', async () => {
    const gone = (
      await firm.owner.post('/v1/practice-areas', {
        name: 'Tax',
        stages: [{ name: 'A' }, { name: 'B' }],
      })
    ).body.data;
    await firm.owner.patch(`/v1/practice-areas/${gone.id}`, { stages: [gone.stages[0]] });
    const left = { practiceAreaId: gone.id, practiceAreaStageColumnId: gone.stages[1].id };
    expectRefusal(await create(left), 404, 'not_found', 'practiceAreaStageColumnId');
    await firm.owner.delete(`/v1/practice-areas/${gone.id}`);
    const theirs = other.practiceAreas.Family;
    await expectNothingWritten(async () => {
      for (const id of [unknownId, '', 'Family', gone.id, theirs?.id, firm.members[owner]]) {
        expectRefusal(await create({ practiceAreaId: id }), 404, 'not_found', 'practiceAreaId');
      }
      for (const id of [unknownId, '', 'Intake', theirs?.stages.Intake, firm.leadStages.New]) {
        const answer = await create({ practiceAreaStageColumnId: id });
        expectRefusal(answer, 404, 'not_found', 'practiceAreaStageColumnId');
      }
    });
  });

  test('takes the status ACTIVE or DRAFT, ACTIVE when omitted, and no ARCHIVE', async () => {
    expect((await make()).status).toBe('ACTIVE');
    expect((await make({ status: 'ACTIVE' })).status).toBe('ACTIVE');
    expect((await make({ status: 'DRAFT' })).status).toBe('DRAFT');
    await expectNothingWritten(async () => {
      for (const status of ['ARCHIVE', 'active', 'DRAFT ', 'HIRED', 'NOT_HIRED', '', null, 1]) {
        const answer = await create({ status });
        expectRefusal(answer, 400, 'invalid_request', 'status');
        expect(answer.body.error.message).toContain('ACTIVE, DRAFT');
      }
    });
  });

  test.each([[undefined], [''], [' '], ['\t\n'], ['\u00a0']])(
    'calls a matter of the title %j `Untitled matter`',
    async (title) => {
      const sent = title === undefined ? {} : { title };
      expect((await make(sent)).title).toBe('Untitled matter');
    },
  );

  test('numbers matters without a gap, whatever was refused or deleted in between', async () => {
    const firm = await makeFirm(server, { numbering: { matter: 'M{##}' } });
    const first = await make({}, firm);
    await create({ customFields: { nope: 1 } }, firm);
    await create({ clientContactIds: [unknownId] }, firm);
    await firm.owner.delete(`/v1/matters/${first.id}`);
    const made = await Promise.all([make({}, firm), make({}, firm), make({}, firm)]);
    expect(made.map(({ publicId }) => publicId).sort()).toEqual(['M02', 'M03', 'M04']);
  });
});

describe('Clients of a new matter', () => {
  test('the first becomes primary client and bill recipient; a repeated one is kept once, where it stands first', async () => {
    const ids = [await contact('A'), await contact('B'), await contact('C')];
    const [a, b, c] = ids;
    const { clients } = await make({ clientContactIds: [b, a, b, c, a, b] });
    expect(clients).toEqual([
      { contactId: b, name: 'B', isPrimary: true, isBillRecipient: true },
      { contactId: a, name: 'A', isPrimary: false, isBillRecipient: false },
      { contactId: c, name: 'C', isPrimary: false, isBillRecipient: false },
    ]);
    expect((await make({ clientContactIds: [] })).clients).toEqual([]);
  });

  test('a contact that is unknown, deleted or another firm’s is 404 naming its place, and nothing is written', async () => {
    const [good, gone, theirs] = [
      await contact('Good'),
      await contact('Gone'),
      await contact('Theirs', other),
    ];
    await firm.owner.delete(`/v1/contacts/${gone}`);
    await expectNothingWritten(async () => {
      for (const bad of [
        unknownId,
        gone,
        theirs,
        '',
        'x',
        firm.members[owner],
        good.toUpperCase(),
      ]) {
        for (const [list, place] of [
          [[bad], 0],
          [[good, bad], 1],
          [[good, good, bad, good, bad], 2],
        ] as const) {
          const answer = await create({ clientContactIds: list });
          expectRefusal(answer, 404, 'not_found', `clientContactIds[${place}]`);
        }
      }
    });
  });

  test('a client is shown by its present name; deleted it keeps its entry with its name', async () => {
    const [quill, rook] = [await contact('Quill'), await contact('Rook')];
    const { id } = await make({ clientContactIds: [quill, rook] });
    await firm.owner.patch(`/v1/contacts/${quill}`, { lastName: 'Reed' });
    const names = async () => (await read(id)).clients.map((one: { name: string }) => one.name);
    expect(await names()).toEqual(['Reed', 'Rook']);
    await firm.owner.delete(`/v1/contacts/${quill}`);
    expect(await names()).toEqual(['Reed', 'Rook']);
    const [row] = (await firm.owner.get('/v1/matters?limit=1')).body.data;
    expect(row.clients[0]).toEqual({
      contactId: quill,
      name: 'Reed',
      isPrimary: true,
      isBillRecipient: true,
    });
    const changed = await firm.owner.patch(`/v1/matters/${id}`, { title: 'After' });
    expect(changed.body.data.clients).toHaveLength(2);
  });
});

describe('The team of a new matter', () => {
  const roles = ['ORIGINATING_ATTORNEY', 'RESPONSIBLE_ATTORNEY', 'RESPONSIBLE_STAFF'];

  test('holds the same member once in each role, in the order sent, the first of two equal ones', async () => {
    const memberId = firm.members[attorney];
    const sent = [...roles, ...roles].map((role, index) => ({ memberId, role, allocation: index }));
    const { team } = await make({ team: sent });
    expect(team).toEqual(
      roles.map((role, allocation) => ({ memberId, role, allocation, name: 'Ben Lane' })),
    );
    // RESPONSIBLE_ATTORNEY is the role of an entry without one.
    const twice = [{ memberId }, { memberId, role: 'RESPONSIBLE_ATTORNEY', allocation: 5 }];
    expect((await make({ team: twice })).team).toHaveLength(1);
    expect((await make({ team: [] })).team).toEqual([]);
  });

  test('a member who is unknown, another firm’s or inactive is 404 naming the entry, and nothing is written', async () => {
    const firm = await makeFirm(server);
    const sql = connect(server.databaseUrl);
    await sql`update member set deactivated_at = now()
      where firm_id = ${firm.id} and email = ${bookkeeper}`;
    await sql.end();
    const good = firm.members[owner];
    await expectNothingWritten(async () => {
      for (const bad of [
        ...[unknownId, other.members[owner], firm.members[bookkeeper], '', 'x', owner],
        ...[firm.practiceAreas.Family?.id, await contact('Quill', other)],
      ]) {
        const one = await create({ team: [{ memberId: bad }] }, firm);
        expectRefusal(one, 404, 'not_found', 'team[0].memberId');
        const list = [{ memberId: good }, { memberId: good }, { memberId: bad }];
        expectRefusal(await create({ team: list }, firm), 404, 'not_found', 'team[2].memberId');
      }
    }, firm);
    expect((await create({ team: [{ memberId: good }] }, firm)).status).toBe(201);
  });

  test('an entry needs memberId, and each part of it has its type', async () => {
    const memberId = firm.members[owner];
    await expectNothingWritten(async () => {
      for (const [entry, field] of [
        [{}, 'team[1].memberId'],
        [{ role: 'RESPONSIBLE_STAFF' }, 'team[1].memberId'],
        [{ memberId: null }, 'team[1].memberId'],
        [{ memberId: 5 }, 'team[1].memberId'],
        [{ memberId, role: null }, 'team[1].role'],
        [{ memberId, role: 'responsible_staff' }, 'team[1].role'],
        [{ memberId, role: 'PARALEGAL' }, 'team[1].role'],
        [{ memberId, role: '' }, 'team[1].role'],
        [null, 'team[1]'],
        [memberId, 'team[1]'],
        [[memberId], 'team[1]'],
      ] as const) {
        const answer = await create({ team: [{ memberId }, entry] });
        expectRefusal(answer, 400, 'invalid_request', field);
      }
    });
  });
});

describe('The checks of a create come in the contract’s order:', () => {
  test('shape, references, stage, not_configured, no stage, custom fields; none of them leaves a trace', async () => {
    const bare = {
      numbering: {},
      practiceAreas: [{ name: 'Family' }, { name: 'Tax', stages: ['A'] }],
    };
    const firm = await makeFirm(server, bare);
    const wrong = { customFields: { nope: 1 } };
    const tax = { practiceAreaId: firm.practiceAreas.Tax?.id };
    const lost = { ...wrong, clientContactIds: [unknownId] };
    const shape = { ...lost, title: 5 };
    await expectNothingWritten(async () => {
      expectRefusal(await create(shape, firm), 400, 'invalid_request', 'title');
      expectRefusal(await create(lost, firm), 404, 'not_found', 'clientContactIds[0]');
      expectRefusal(
        await create({ ...wrong, practiceAreaStageColumnId: unknownId }, firm),
        404,
        'not_found',
        'practiceAreaStageColumnId',
      );
      expectRefusal(await create({ ...wrong, ...tax }, firm), 409, 'not_configured', 'numbering');
      // Without any stage too: the numbering is looked at first.
      expectRefusal(await create(wrong, firm), 409, 'not_configured', 'numbering');
    }, firm);
    await firm.reapply({ ...bare, numbering: { matter: 'M-{###}' } });
    await expectNothingWritten(async () => {
      expectRefusal(await create(wrong, firm), 400, 'invalid_request', 'stage');
      expectRefusal(await create({ ...wrong, ...tax }, firm), 400, 'invalid_custom_field', 'nope');
    }, firm);
    // The counter was never touched.
    expect((await make(tax, firm)).publicId).toBe('M-001');
  });

  test('a firm with lead numbering alone has no matter numbering', async () => {
    const firm = await makeFirm(server, { numbering: { lead: 'L-{##}' } });
    expectRefusal(await create({}, firm), 409, 'not_configured', 'numbering');
    expect((await firm.owner.post('/v1/leads', { lastName: 'Quill' })).status).toBe(201);
  });
});

describe('GET /v1/matters', () => {
  test('shows each matter complete and without the custom field properties, whatever the size of the page', async () => {
    const firm = await makeFirm(server, { customFields });
    const [a, b] = [await contact('A', firm), await contact('B', firm)];
    const members = [firm.members[owner], firm.members[attorney]];
    const made: Record<string, unknown>[] = [];
    for (let count = 0; count < 7; count += 1) {
      const { customFields, unsupportedCustomFields, ...row } = await make(
        {
          title: `Matter ${count}`,
          clientContactIds: [[], [a], [b, a]][count % 3],
          team: members.slice(0, count % 3).map((memberId) => ({ memberId, allocation: count })),
          practiceAreaId: firm.practiceAreas[count % 2 ? 'Family' : 'Estates']?.id,
          customFields: { Court: 'Dover' },
        },
        firm,
      );
      made.unshift(row);
    }
    for (const limit of [1, 2, 7, 100]) {
      for (const offset of [0, 3, 6]) {
        const { data, pagination } = (
          await firm.owner.get(`/v1/matters?limit=${limit}&offset=${offset}`)
        ).body;
        expect(data).toEqual(made.slice(offset, offset + limit) as never);
        expect(pagination).toEqual({ limit, offset, total: 7 });
      }
    }
  });
});

test('a page of matters costs the same statements whatever its size', async () => {
  const firm = await makeFirm(server);
  const { database: address = '' } = readSettings({ DATABASE_URL: server.databaseUrl });
  const database = withCluster(openDatabase(address));
  const counted = { statements: 0 };
  const reader = administrator(database, firm.id);
  const counting = <Call extends (...words: never[]) => unknown>(call: Call) =>
    ((...words: Parameters<Call>) => {
      counted.statements += 1;
      return call(...words);
    }) as Call;
  const costs = new Set<number>();
  const clientContactIds = [await contact('A', firm), await contact('B', firm)];
  for (const size of [0, 1, 8]) {
    const team = [{ memberId: firm.members[owner] }];
    for (let left = size; left > 0; left -= 1) await make({ clientContactIds, team }, firm);
    counted.statements = 0;
    const runs = { run: counting(reader.run), first: counting(reader.first) };
    const { rows } = await listMatters({ ...reader, ...runs }, { limit: 100, offset: 0 });
    for (const row of rows) {
      if (isHeavy(row)) throw new Error('A matter without a description is not heavy.');
      expect([row.clients.length, row.team.length]).toEqual([2, 1]);
    }
    costs.add(counted.statements);
  }
  await database.close();
  expect([...costs]).toEqual([2]);
});

describe('customFields of a matter', () => {
  test('are the matter’s own, in answers of single matters, with those the API cannot carry named beside', async () => {
    const scan = { id: firm.customFields.matter.Scan, name: 'Scan', type: 'FILE' };
    const empty = { Court: null, Opponent: null, Related: null };
    const made = await make();
    expect(made).toMatchObject({ customFields: empty, unsupportedCustomFields: [scan] });
    expect(Object.keys(made.customFields)).toEqual(Object.keys(empty));
    for (const [name, value] of [
      ['Source', 'a lead’s field'],
      ['Scan', 'x'],
      ['court', 'x'],
      ['Court', 5],
    ] as const) {
      const sent = { customFields: { Court: 'Dover', [name]: value } };
      await expectNothingWritten(async () => {
        expectRefusal(await create(sent), 400, 'invalid_custom_field', name);
        const answer = await firm.owner.patch(`/v1/matters/${made.id}`, sent);
        expectRefusal(answer, 400, 'invalid_custom_field', name);
      });
    }
    expect(await read(made.id)).toEqual(made);
  });

  test('CONTACT and MATTER take the id of a living record of the firm and of that kind', async () => {
    const [contactId, gone, theirs] = [
      await contact('Quill'),
      await contact('Gone'),
      await contact('Theirs', other),
    ];
    await firm.owner.delete(`/v1/contacts/${gone}`);
    const [related, deleted] = [await make(), await make()];
    await firm.owner.delete(`/v1/matters/${deleted.id}`);
    const theirMatter = await make({}, other);
    const fields = { Opponent: contactId, Related: related.id };
    const made = await make({ customFields: fields });
    expect(made.customFields).toEqual({ Court: null, ...fields });
    await expectNothingWritten(async () => {
      for (const [name, ids] of Object.entries({
        Opponent: [gone, theirs, related.id, contactId.toUpperCase()],
        Related: [deleted.id, theirMatter.id, contactId],
      })) {
        for (const id of [...ids, unknownId, '', 5, {}, [contactId], true]) {
          const sent = { customFields: { [name]: id } };
          expectRefusal(await create(sent), 400, 'invalid_custom_field', name);
          const changed = await firm.owner.patch(`/v1/matters/${made.id}`, sent);
          expectRefusal(changed, 400, 'invalid_custom_field', name);
        }
      }
    });
    // A value outlives the record it names.
    await firm.owner.delete(`/v1/contacts/${contactId}`);
    expect((await read(made.id)).customFields).toEqual({ Court: null, ...fields });
    const cleared = await firm.owner.patch(`/v1/matters/${made.id}`, {
      customFields: { Opponent: null },
    });
    expect(cleared.body.data.customFields).toEqual({
      Court: null,
      Opponent: null,
      Related: related.id,
    });
    // A matter may be related to itself.
    const itself = { customFields: { Related: made.id } };
    expect((await firm.owner.patch(`/v1/matters/${made.id}`, itself)).status).toBe(200);
  });
});

test('every write of a matter has its audit entry: what it was made of, what changed, that it was deleted', async () => {
  const contactId = await contact('Quill');
  const memberId = firm.members[attorney];
  const made = await make({
    title: ' Quill v. Reed ',
    description: ' as sent ',
    closeDate: '2026-03-01',
    clientContactIds: [contactId],
    team: [{ memberId, allocation: 50 }],
    customFields: { Court: 'Dover' },
  });
  const path = `/v1/matters/${made.id}`;
  await firm.owner.patch(path, {
    title: 'Quill v. Rook',
    closeDate: null,
    status: 'ARCHIVE',
    customFields: { Court: 'Hastings' },
  });
  await firm.owner.delete(path);
  const [created, updated, deleted, ...more] = await auditOf(firm, made.id);
  expect(more).toEqual([]);
  const by = { recordKind: 'matter', memberId: firm.members[owner], keyId: firm.owner.keyId };
  expect([created, updated, deleted]).toMatchObject([
    { action: 'create', ...by },
    { action: 'update', ...by },
    { action: 'delete', ...by },
  ] as never);
  const court = firm.customFields.matter.Court ?? '';
  const after = (value: unknown) => ({ before: null, after: value });
  expect(created?.changes).toMatchObject({
    number: after(made.publicId),
    title: after('Quill v. Reed'),
    description: after(' as sent '),
    status: after('ACTIVE'),
    openDate: after('2026-02-03'),
    closeDate: after('2026-03-01'),
    practiceAreaId: after(made.practiceArea.id),
    stageId: after(made.stage.id),
    clients: after(made.clients),
    team: after(made.team),
    customFields: { before: {}, after: { [court]: 'Dover' } },
  });
  expect(created?.changes).not.toHaveProperty('solDate');
  expect(updated?.changes).toMatchObject({
    title: { before: 'Quill v. Reed', after: 'Quill v. Rook' },
    closeDate: { before: '2026-03-01', after: null },
    status: { before: 'ACTIVE', after: 'ARCHIVE' },
    customFields: { before: { [court]: 'Dover' }, after: { [court]: 'Hastings' } },
  });
  for (const field of ['description', 'openDate', 'clients', 'team', 'stageId', 'number']) {
    expect(updated?.changes).not.toHaveProperty(field);
  }
  expect(Object.keys(deleted?.changes ?? {})).toEqual(['deletedAt']);
});
