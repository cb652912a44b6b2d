import { beforeAll, describe, expect, test } from 'bun:test';
import { resources } from '../../../src/contents.ts';
import { connect } from '../../support/database.ts';
import { auditOf, expectRefusal, totalOf, unknownId } from '../../support/expectations.ts';
import { type Answer, type Firm, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { matterFor, type Sample, samples } from '../../support/samples.ts';
import { partOf } from '../../support/whole.ts';
import { bodyWith, type Field, fieldsOf, isReference } from '../corpus/fields.ts';
import { hostileTexts, notIds, scripts } from '../corpus/texts.ts';
import { wrongFor } from '../corpus/values.ts';

const server = await startTestServer();

const cards = resources.map(({ name }) => ({
  name,
  path: `/v1/${name}`,
  sample: samples[name] as Sample,
}));
const writes = cards.flatMap((card) =>
  (['create', 'update'] as const).map((action) => ({ ...card, action })),
);

/** Each field has a twelfth of the values, and another field others; with WHOLE=1 each has all. */
const someFor = <One>(field: string, all: readonly One[]) =>
  partOf(all, 12, (one) => `${field} ${JSON.stringify(one)}`);

/** Calls that do not depend on each other, a few at a time. */
const fewAtATime = async <One>(all: readonly One[], work: (one: One) => Promise<void>) => {
  const left = all[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const one of left) await work(one);
    }),
  );
};

/** Everything that a firm's lists and its audit log hold is the same after the work as before. */
const expectNothingWritten = async (firm: Firm, work: () => Promise<void>) => {
  await matterFor(firm);
  const state = async () => [
    await auditOf(firm),
    await Promise.all(
      cards.map(async ({ sample }) => totalOf(firm.owner.get(await sample.list(firm)))),
    ),
  ];
  const before = await state();
  await work();
  expect(await state()).toEqual(before);
};

/** What an object beside the field needs: the entry of a team its member, a stage its name. */
const needsOf = (firm: Firm) => ({
  team: { memberId: firm.members[owner] },
  stages: { name: 'Intake' },
  emails: { address: 'zoe@quill.example' },
  phones: { number: '+1 555 0100' },
});

describe.each(writes)('$action of $name:', ({ name, path, sample, action }) => {
  const fields = fieldsOf(name, action);
  let firm: Firm;
  let id: string;
  beforeAll(async () => {
    firm = await makeFirm(server);
    id = (await firm.owner.post(path, await sample.create(firm))).body.data.id;
  });

  const writeAll = async (values: [Field, unknown][]): Promise<Answer> => {
    const needs = needsOf(firm);
    return action === 'create'
      ? firm.owner.post(path, bodyWith(await sample.create(firm), values, needs))
      : firm.owner.patch(`${path}/${id}`, bodyWith({}, values, needs));
  };
  const write = (field: Field, value: unknown) => writeAll([[field, value]]);

  /** The refusal, with what was sent beside it: else a failure would not say which value it was. */
  const expectRefused = (
    answer: Answer,
    value: unknown,
    [status, code]: [number, string],
    named: string,
  ) => {
    const { error } = answer.body;
    const sent = JSON.stringify(value)?.slice(0, 80);
    expect({ sent, status: answer.status, code: error?.code }).toEqual({ sent, status, code });
    expectRefusal(answer, status, code, named);
  };

  test('every field refuses values of another type, and the other words and days of its kind', async () => {
    expect(fields.length).toBeGreaterThan(0);
    await expectNothingWritten(firm, async () => {
      for (const field of fields) {
        await fewAtATime(someFor(`${path} ${field.name}`, wrongFor(field)), async (value) => {
          const answer = await write(field, value);
          expectRefused(answer, value, [400, 'invalid_request'], field.name);
        });
      }
    });
  });

  test('every reference that is no id of a record of its kind is 404 naming the field', async () => {
    const contact = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
    const real: Record<string, string | undefined> = {
      practiceAreaId: firm.practiceAreas.Family?.id,
      practiceAreaStageColumnId: firm.practiceAreas.Family?.stages.Intake,
      leadStageColumnId: firm.leadStages.New,
      'clientContactIds[0]': contact,
      'team[0].memberId': firm.members[owner],
      assigneeId: firm.members[owner],
      matterId: await matterFor(firm),
      'stages[0].id': firm.practiceAreas.Family?.stages.Intake,
    };
    await expectNothingWritten(firm, async () => {
      for (const field of fields.filter(isReference)) {
        const others = Object.entries(real).filter(([name]) => name !== field.name);
        // Any other record's id is as wrong as none; an id of the kind is the only right one.
        const foreign = others
          .map(([, one]) => String(one))
          .filter((one) => one !== real[field.name]);
        const ids = [...notIds(real[field.name] ?? ''), ...foreign, unknownId, ''];
        await fewAtATime(ids, async (value) => {
          expectRefused(await write(field, value), value, [404, 'not_found'], field.name);
        });
      }
    });
  });

  const texts = fields.filter((field) => {
    const { type, enum: words, format } = field.schema;
    return type === 'string' && !words && !format && !isReference(field);
  });

  test('every text is refused one character past its limit, in whatever script', async () => {
    await expectNothingWritten(firm, async () => {
      for (const field of texts) {
        const { maxLength } = field.schema;
        if (maxLength === undefined) continue;
        await fewAtATime(someFor(`${path} ${field.name}`, Object.keys(scripts)), async (script) => {
          const of = scripts[script] as (length: number) => string;
          for (const value of [of(maxLength + 1), of(maxLength * 3)]) {
            const answer = await write(field, value);
            expectRefused(answer, value, [400, 'invalid_request'], field.name);
            expect(answer.body.error.message).toContain(String(maxLength));
          }
        });
      }
    });
  });

  test('every text that is taken comes back as sent, odd or at its limit', async () => {
    const limitOf = ({ schema }: Field) => schema.maxLength ?? 1_000;
    const rounds = new Map([
      ...Object.entries(scripts).map(
        ([script, of]) => [script, (field: Field) => of(limitOf(field))] as const,
      ),
      ...hostileTexts.map((text) => [text, () => text] as const),
    ]);
    // No two records have the same external id.
    const externalIds = new Set<string>();
    const isFree = ({ name: of }: Field, text: string) =>
      of !== 'externalId' || (!externalIds.has(text.trim()) && externalIds.add(text.trim()));
    // One after the other: an update is read before the next.
    for (const round of someFor(`${action} ${path}`, [...rounds.keys()])) {
      const textFor = rounds.get(round) as (field: Field) => string;
      // How often a task repeats is a rule, and no free text.
      const sent = texts
        .filter(({ name }) => name !== 'rrule')
        .map((field): [Field, string] => [field, textFor(field)])
        .filter(([field, text]) => [...text].length <= limitOf(field) && isFree(field, text));
      const answer = await writeAll(sent);
      const kept = sent.map(([{ name }, text]) => [
        name,
        name === 'description' ? text : text.trim(),
      ]);
      expect([answer.status, kept]).toEqual([action === 'create' ? 201 : 200, kept]);
      const stored = await storedAfter(firm, name, answer);
      for (const record of stored) {
        expect(sent.map(([field]) => [field.name, textAt(record, field)])).toEqual(kept);
      }
    }
  });
});

/** The record as its write answers it, and as it is read then; of a lead its contact, which holds the texts. */
const storedAfter = async (firm: Firm, name: string, { body: { data } }: Answer) => {
  if (name === 'leads') {
    const id = data.contact?.id ?? '';
    const contact = (await firm.owner.get(`/v1/contacts/${id}`)).body.data;
    return [{ ...contact, ...(await unansweredOf(name, data.id)) }];
  }
  const read = (await firm.owner.get(`/v1/${name}/${data.id}`)).body.data;
  const more = await unansweredOf(name, data.id);
  return [data, read].map((record) => ({ ...record, ...more }));
};

/** What is stored and not answered: the id of another program, and a new lead's note. */
const unansweredOf = async (name: string, id: string) => {
  if (name !== 'leads' && name !== 'contacts') return {};
  const sql = connect(server.databaseUrl);
  const [stored] = await (name === 'leads'
    ? sql`select external_id as "externalId",
        (select text from note where record_id = lead.id) as note from lead where id = ${id}`
    : sql`select external_id as "externalId" from contact where id = ${id}`);
  await sql.end();
  return stored ?? {};
};

const textAt = (record: unknown, { path, name }: Field) => {
  const ofLead: Record<string, Field['path']> = {
    email: ['emails', 0, 'address'],
    phone: ['phones', 0, 'number'],
  };
  return (ofLead[name] ?? path).reduce<unknown>((value, part) => (value as never)?.[part], record);
};

describe.each(cards)('The id in a path of $name', ({ name, path, sample }) => {
  test('is exactly a record’s of that kind: whatever else is 404 in the same words', async () => {
    const firm = await makeFirm(server);
    const contactId = (await firm.owner.post('/v1/contacts', { lastName: 'Vane' })).body.data.id;
    const { id } = (await firm.owner.post(path, await sample.create(firm))).body.data;
    const stages = firm.practiceAreas.Family?.stages.Intake ?? '';
    const others = [stages, firm.members[owner] ?? '', firm.leadStages.New ?? '', firm.id];
    const ofOthers = [...others, ...(name === 'contacts' ? [] : [contactId])];
    const ids = notIds(id).filter((one) => one !== '..');
    const words = new Set<string>();
    await expectNothingWritten(firm, async () => {
      await fewAtATime([...ids, ...ofOthers, unknownId, `${id};x=1`, `${id}.json`], async (one) => {
        const target = `${path}/${encodeURIComponent(one)}`;
        for (const answer of [
          await firm.owner.get(target),
          await firm.owner.patch(target, sample.change),
          await firm.owner.delete(target),
        ]) {
          expect({ one, status: answer.status }).toEqual({ one, status: 404 });
          words.add(JSON.stringify(answer.body));
        }
      });
    });
    expect([...words]).toHaveLength(1);
    expect((await firm.owner.get(`${path}/${id}`)).status).toBe(200);
  });
});

describe.each(cards)('The query of $name', ({ name, sample }) => {
  let firm: Firm;
  let list: (query: string) => Promise<Answer>;
  beforeAll(async () => {
    firm = await makeFirm(server);
    const start = await sample.list(firm);
    list = (query) => firm.owner.get(`${start}${start.includes('?') ? '&' : '?'}${query}`);
  });

  const notNumbers = [
    ...['٣', '%D9%A3', '１', '5_0', '1%2C0', '0b1', '0o7', '1n', '5.', '.5', '5%00', '%00', '5%0A'],
    ...[
      '%zz',
      '%ff',
      '5;x=1',
      '-0',
      '--5',
      '1e400',
      'Infinity',
      '9223372036854775808',
      '{}',
      '[5]',
    ],
    ...['true', "5'--", '5 or 1=1', '9007199254740993', '18446744073709551616', '1'.repeat(4_000)],
  ];
  test.each(['limit', 'offset'])('%s is digits alone, within bounds', async (parameter) => {
    const more = parameter === 'limit' ? ['2147483648', '4294967297', '256', '00101'] : [];
    await fewAtATime(someFor(`${name} ${parameter}`, [...notNumbers, ...more]), async (sent) => {
      const answer = await list(`${parameter}=${sent}`);
      expect({ sent: sent.slice(0, 40), status: answer.status }).toEqual({
        sent: sent.slice(0, 40),
        status: 400,
      });
      expectRefusal(answer, 400, 'invalid_request', parameter);
    });
  });

  test('a parameter given twice is refused, and a twice given unknown one ignored', async () => {
    const own = new URLSearchParams((await sample.list(firm)).split('?')[1]);
    const twice = ['limit=5&limit=5', 'offset=0&offset=1', ...(own.size > 0 ? [`${own}`] : [])];
    for (const query of twice) {
      const answer = await list(query);
      expectRefusal(answer, 400, 'invalid_request', query.split('=')[0] ?? '');
    }
    expect((await list('colour=red&colour=blue')).status).toBe(200);
  });

  test('names are exact: another spelling of limit or offset is an unknown parameter, and ignored', async () => {
    const plain = (await list('')).body;
    for (const query of [
      ...[
        'Limit=0',
        'LIMIT=500',
        'limit[]=0',
        'limit[a]=0',
        'limit.a=0',
        '%20limit=0',
        'limit%00=0',
      ],
      ...[
        'Offset=9',
        'offset[]=9',
        'page=0',
        '__proto__=1',
        'constructor=x',
        '&&&',
        '=5',
        'a[b][c]=1',
      ],
      ...['limit%5B%5D=0', `x=${'y'.repeat(6_000)}`, 'hasOwnProperty=1', '__proto__[limit]=0'],
    ]) {
      const answer = await list(query);
      expect({ query, status: answer.status, body: answer.body }).toEqual({
        query,
        status: 200,
        body: plain,
      });
    }
  });
});

const carriers = cards.filter(({ sample }) => sample.carriesCustomFields);

describe.each(carriers)('customFields of $name', ({ name, path, sample }) => {
  const on = name.replace(/s$/, '');
  const others = ['contact', 'lead', 'matter'].filter((kind) => kind !== on);
  let firm: Firm;
  let id: string;
  beforeAll(async () => {
    firm = await makeFirm(server, {
      customFields: [
        ...['TEXT', 'LONG_TEXT', 'NUMBER', 'CHECKBOX', 'DATE', 'FILE'].map((type) => ({
          on,
          name: type,
          type,
        })),
        { on, name: 'SELECT', type: 'SELECT', options: ['10.5', 'true'] },
        ...others.map((kind) => ({ on: kind, name: `Of ${kind}`, type: 'TEXT' })),
      ],
    });
    id = (await firm.owner.post(path, await sample.create(firm))).body.data.id;
  });

  const both = async (customFields: unknown) => [
    await firm.owner.post(path, { ...(await sample.create(firm)), customFields }),
    await firm.owner.patch(`${path}/${id}`, { ...sample.change, customFields }),
  ];

  test('take no other name and no other value: the whole request is refused, nothing is written', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]));
    const good = { TEXT: 'a' };
    await expectNothingWritten(firm, async () => {
      for (const bad of [
        ...[
          'text',
          'TEXT ',
          ' TEXT',
          'TEXT\n',
          'ＴＥＸＴ',
          '',
          'TEXT\u200b',
          '0',
          'id',
          'k'.repeat(10_240),
        ],
        ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then', 'length', 'valueOf'],
        ...others.map((kind) => `Of ${kind}`),
        firm.customFields[on as 'lead'].TEXT ?? '',
      ]) {
        for (const fields of [
          [bad, 'x'],
          [bad, null],
        ] as const) {
          const raw = `{"TEXT":"a",${JSON.stringify(fields[0])}:${JSON.stringify(fields[1])}}`;
          // Written by hand: `__proto__` in a literal would be no key of its own.
          for (const answer of await both(JSON.parse(raw))) {
            expectRefusal(answer, 400, 'invalid_custom_field');
          }
        }
      }
      for (const fields of [
        ...[many, { ...good, ...many }, { ...good, FILE: null }, { ...good, FILE: 'x' }],
        ...[{ ...good, TEXT: 'x'.repeat(1_000_000) }, { NUMBER: '10.5' }, { NUMBER: true }],
        ...[
          { CHECKBOX: 'true' },
          { CHECKBOX: 1 },
          { SELECT: 10.5 },
          { SELECT: true },
          { TEXT: ['a'] },
        ],
        ...[
          { LONG_TEXT: { text: 'a' } },
          { DATE: '2023-02-29' },
          { DATE: 'infinity' },
          { DATE: 'now' },
        ],
      ]) {
        for (const answer of await both(fields)) expectRefusal(answer, 400, 'invalid_custom_field');
      }
    });
  });

  test('come back as they were sent, a text as a text', async () => {
    const texts = ['10.5', 'true', 'false', 'null', '"10.5"', '[]', '{}', '', ' ', ...hostileTexts];
    for (const text of someFor(name, texts)) {
      const sent = { TEXT: text, LONG_TEXT: text };
      for (const answer of await both(sent)) {
        expect(answer.body.data?.customFields).toMatchObject(sent);
        const read = await firm.owner.get(`${path}/${answer.body.data.id}`);
        expect(read.body.data.customFields).toEqual(answer.body.data.customFields);
      }
    }
    const long = { LONG_TEXT: '😀'.repeat(200_000), SELECT: '10.5', NUMBER: 1e21, CHECKBOX: false };
    for (const answer of await both(long))
      expect(answer.body.data.customFields).toMatchObject(long);
  });

  test('{} changes nothing', async () => {
    await firm.owner.patch(`${path}/${id}`, sample.change);
    await expectNothingWritten(firm, async () => {
      const answer = await firm.owner.patch(`${path}/${id}`, { customFields: {} });
      expect(answer.status).toBe(200);
    });
  });
});

test.each(cards)(
  '$name: the same create two hundred times makes two hundred records',
  async ({ path, sample }) => {
    const firm = await makeFirm(server);
    const before = await totalOf(firm.owner.get(await sample.list(firm)));
    const ids = new Set<string>();
    const numbers = new Set<string>();
    await fewAtATime(Array.from({ length: 200 }), async () => {
      const { status, body } = await firm.owner.post(path, await sample.create(firm));
      expect(status).toBe(201);
      ids.add(body.data.id);
      numbers.add(body.data.publicId ?? body.data.id);
    });
    expect([ids.size, numbers.size]).toEqual([200, 200]);
    expect(await totalOf(firm.owner.get(await sample.list(firm)))).toBe(before + 200);
  },
);
