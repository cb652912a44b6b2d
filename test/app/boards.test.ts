/** What the boards of leads and of matters have in common. */
import { describe, expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import {
  attorney,
  bookkeeper,
  type Firm,
  makeFirm,
  owner,
  startTestServer,
} from '../support/firm.ts';
import { linkIn, partsIn, stagesIn, textIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

/** A kind of record with a board: how it is made, and what its first stages are. */
type Kind = {
  noun: 'lead' | 'matter';
  field: string;
  make(firm: Firm, name: string): Promise<string>;
  stages(firm: Pick<Firm, 'leadStages' | 'practiceAreas'>): Record<string, string>;
  /** A blueprint that gives the first board a third stage. */
  third: Record<string, unknown>;
};

const made = async (firm: Firm, path: string, body: object) => {
  const answer = await firm.owner.post(path, body);
  expect(answer.status).toBe(201);
  return answer.body.data.id as string;
};

const leads: Kind = {
  noun: 'lead',
  field: 'leadStageColumnId',
  make: (firm, lastName) => made(firm, '/v1/leads', { lastName }),
  stages: ({ leadStages }) => leadStages,
  third: { leadStages: ['New', 'Contacted', 'Third'] },
};

const matters: Kind = {
  noun: 'matter',
  field: 'practiceAreaStageColumnId',
  make: (firm, title) =>
    made(firm, '/v1/matters', {
      title,
      practiceAreaId: firm.practiceAreas.Family?.id,
      openDate: '2026-03-03',
    }),
  stages: ({ practiceAreas }) => practiceAreas.Family?.stages ?? {},
  third: {
    practiceAreas: [
      { name: 'Family', stages: ['Intake', 'Filed', 'Third'], matterTypes: ['Divorce'] },
      { name: 'Estates', stages: ['Intake'] },
    ],
  },
};

const testBoard = (kind: Kind) => {
  const { noun, field } = kind;
  const path = `/${noun}s`;

  const newBoard = async () => {
    const firm = await makeFirm(server);
    const [[first, from], [second, to]] = Object.entries(kind.stages(firm)) as [
      [string, string],
      [string, string],
    ];
    const stageOf = async (id: string): Promise<string> => {
      const { data } = (await firm.owner.get(`/v1${path}/${id}`)).body;
      return data.leadStageColumnId ?? data.stage.id;
    };
    return {
      firm,
      ben: await visitorOf(server, firm, attorney),
      make: (name: string) => kind.make(firm, name),
      stageOf,
      ...{ first, from, second, to },
    };
  };

  const move = (visitor: Visitor, id: string, to: string, was: string, headers = {}) =>
    visitor.post(path, { do: `move:${id}`, [field]: to, [`was.${field}`]: was }, headers);

  test('a card is moved, once, and its page says by whom', async () => {
    const { ben, make, stageOf, first, from, second, to } = await newBoard();
    const id = await make('Moved');
    const answer = await move(ben, id, to, from);
    expect([answer.status, answer.location]).toEqual([303, path]);
    expect(await stageOf(id)).toBe(to);
    const stages = stagesIn((await ben.get(path)).text);
    expect([stages[first], stages[second]]).toEqual([
      { count: 0, cards: [] },
      { count: 1, cards: ['Moved'] },
    ]);
    expect(textIn((await ben.get(`${path}/${id}`)).text, '.timeline')).toContain(
      `Ben Lane moved the ${noun} from ${first} to ${second}`,
    );
  });

  test('a stage shows fifty cards, and fifty more when asked', async () => {
    const { ben, make, first } = await newBoard();
    for (let count = 0; count < 53; count += 1) await make(`Card ${count}`);
    const page = (await ben.get(path)).text;
    expect(stagesIn(page)[first]?.count).toBe(53);
    expect(stagesIn(page)[first]?.cards.length).toBe(50);
    const further = (await ben.get(linkIn(page, '3 more'))).text;
    expect(stagesIn(further)[first]?.cards.length).toBe(53);
    expect(partsIn(further, '[data-more]')).toEqual([]);
  });

  test('a stage of more than a thousand shows fifty, counts all, and opens as a list', async () => {
    const { firm, ben, make, first } = await newBoard();
    const id = await make('Many');
    const sql = connect(server.databaseUrl);
    await sql`insert into ${sql(noun)}
      select (jsonb_populate_record(null::${sql(noun)}, to_jsonb(one) || jsonb_build_object(
        'id', gen_random_uuid(), 'ordinal', ordinal + further, 'number', 'X-' || further))).*
      from ${sql(noun)} one, generate_series(1, 1001) as further
      where firm_id = ${firm.id} and one.id = ${id}`;
    const page = (await ben.get(path)).text;
    expect(stagesIn(page)[first]?.count).toBe(1002);
    expect(stagesIn(page)[first]?.cards.length).toBe(50);
    expect(textIn((await ben.get(linkIn(page, 'Open as list'))).text, 'main')).toContain(
      '1–50 of 1,002',
    );
  });

  test('who moves what another moved is told who did and where to, and chooses; nothing changes before', async () => {
    const { firm, ben, make, stageOf, from, second, to } = await newBoard();
    const id = await make('Overtaken');
    const third = kind.stages(await firm.reapply(kind.third)).Third as string;
    await move(await visitorOf(server, firm, owner), id, to, from);
    const answer = await move(ben, id, third, from);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('Overtaken was moved in the meantime');
    expect(textIn(answer.text, 'dialog[open] [role=alert]')).toMatch(
      new RegExp(
        `^Ada Harrow moved this ${noun} to ${second} \\(.+\\)\\. You wanted it in Third\\.$`,
      ),
    );
    expect(await stageOf(id)).toBe(to);
    expect((await move(ben, id, third, to)).status).toBe(303);
    expect(await stageOf(id)).toBe(third);
  });

  test('a move without right, from elsewhere, of what is foreign, or to nowhere changes nothing', async () => {
    const { firm, ben, make, stageOf, from, to } = await newBoard();
    const other = await newBoard();
    const [id, foreign] = [await make('Kept'), await other.make('Foreign')];
    const clerk = await visitorOf(server, firm, bookkeeper);
    expect((await move(clerk, id, to, from)).status).toBe(403);
    const elsewhere = { 'sec-fetch-site': 'cross-site' };
    expect((await move(ben, id, to, from, elsewhere)).status).toBe(403);
    for (const unknown of [foreign, Bun.randomUUIDv7()]) {
      expect((await move(ben, unknown, to, from)).status).toBe(404);
    }
    for (const nowhere of [other.to, Bun.randomUUIDv7(), 'nowhere', "'"]) {
      expect((await move(ben, id, nowhere, from)).status).toBe(422);
    }
    expect((await ben.post(path, { do: 'burn', id })).status).toBe(422);
    expect(await stageOf(id)).toBe(from);
    expect(await other.stageOf(foreign)).toBe(other.from);
  });

  test('a name is inert on the board and in the dialog about it', async () => {
    const hostile = `</script><img src=x onerror=alert(1)>"'<!--`;
    const { ben, make, first } = await newBoard();
    const id = await make(hostile);
    for (const address of [path, `${path}?do=move:${id}`]) {
      const { status, text } = await ben.get(address);
      expect(status).toBe(200);
      expect(text).not.toContain('<img');
      expect(stagesIn(text)[first]?.cards).toEqual([hostile]);
    }
  });
};

for (const kind of [leads, matters]) describe(`The board of ${kind.noun}s`, () => testBoard(kind));
