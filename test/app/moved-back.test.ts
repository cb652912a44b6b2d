/** Undo of a move: the record is in its stage since the moment at which it had come there, as if it had not been moved. */
import { describe, expect, test } from 'bun:test';
import { takeClock } from '../support/clock.ts';
import { connect, ownDatabase } from '../support/database.ts';
import { attorney, type Firm, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { figuresIn, partsIn, textIn, textsIn, totalIn } from '../support/html.ts';
import { visitorOf } from '../support/visitor.ts';

const databaseUrl = await ownDatabase();
const clock = await takeClock(databaseUrl);
const server = await startTestServer({ databaseUrl });
const sql = connect(databaseUrl);

const day = 86_400_000;

type Kind = {
  noun: 'lead' | 'matter';
  field: string;
  body(firm: Firm): object;
  stagesOf(firm: Firm): Record<string, string>;
};

const kinds: Kind[] = [
  {
    noun: 'lead',
    field: 'leadStageColumnId',
    body: () => ({ lastName: 'Quill' }),
    stagesOf: ({ leadStages }) => leadStages,
  },
  {
    noun: 'matter',
    field: 'practiceAreaStageColumnId',
    body: ({ practiceAreas }) => ({
      ...{ title: 'Quill', practiceAreaId: practiceAreas.Family?.id, openDate: '2026-03-03' },
    }),
    stagesOf: ({ practiceAreas }) => practiceAreas.Family?.stages ?? {},
  },
];

/** A firm with a record that was made eight days ago. */
const ready = async ({ noun, field, body, stagesOf }: Kind) => {
  const path = `/${noun}s`;
  const began = Date.now();
  // A little more, as each form is sent a second later.
  const daysAgo = (days: number) => clock.standAt(began - days * day - (days && 60_000));
  await daysAgo(8);
  const firm = await makeFirm(server, {
    leadStages: ['New', 'Contacted', 'Third'],
    practiceAreas: [{ name: 'Family', stages: ['Intake', 'Filed', 'Third'] }],
  });
  const [first = '', second = '', third = ''] = Object.values(stagesOf(firm));
  const make = async () => {
    const made = await firm.owner.post(`/v1${path}`, body(firm));
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const id = await make();
  await daysAgo(0);
  /** Sends it a second later. A session of some days ago is over. */
  const send = async (address: string, fields: Record<string, string | string[]>, by = owner) => {
    await clock.step(1);
    const answer = await (await visitorOf(server, firm, by)).post(address, fields);
    expect(answer.status).toBe(303);
    return answer;
  };
  const sent = (was: string, to: string) => ({ [field]: to, [`was.${field}`]: was });
  const move = (was: string, to: string, by = owner) =>
    send(path, { do: `move:${id}`, ...sent(was, to) }, by);
  const undo = (was: string, to: string, by = owner) =>
    send(path, { do: `move:${id}`, ...sent(was, to), undo: 'yes' }, by);
  const get = async (address: string) => (await visitorOf(server, firm, owner)).get(address);
  /** How long it is in its stage, as its card says. */
  const here = async () => textIn((await get(path)).text, '.card .ends > span');
  const moves = async () => {
    const page = (await get(`${path}/${id}`)).text;
    return textsIn(page, '.timeline li').filter((line) => line.includes(` moved the ${noun} `));
  };
  return {
    firm,
    path,
    id,
    daysAgo,
    make,
    send,
    sent,
    move,
    undo,
    get,
    here,
    moves,
    first,
    second,
    third,
  };
};

type Ready = Awaited<ReturnType<typeof ready>>;

const anew = /^(under a minute|\d min) here$/;

for (const kind of kinds) {
  describe(`Undo of a ${kind.noun}’s move`, () => {
    test('on the board gives back since when it was there; both moves stay in the timeline', async () => {
      const { move, undo, here, moves, get, path, id, first, second } = await ready(kind);
      expect(await here()).toMatch(/^8 days here/);
      await move(first, second);
      expect(await here()).toMatch(anew);
      await undo(second, first);
      expect(await here()).toMatch(/^8 days here/);
      expect((await moves()).length).toBe(2);
      if (kind.noun === 'lead') {
        expect(textIn((await get(`${path}/${id}`)).text, 'main')).toMatch(/In this stage\s*8 days/);
        expect(partsIn((await get(path)).text, '.card .ends .tone-warn').length).toBe(1);
      }
      // Moved again, it is there anew; and again it can be taken back.
      await move(first, second);
      expect(await here()).toMatch(anew);
      await undo(second, first);
      expect(await here()).toMatch(/^8 days here/);
    });

    test('on its page gives back when it came there by an earlier move', async () => {
      const { daysAgo, send, sent, move, here, path, id, ...at } = await ready(kind);
      await daysAgo(3);
      await move(at.first, at.second);
      await daysAgo(0);
      await send(`${path}/${id}`, sent(at.second, at.third));
      expect(await here()).toMatch(anew);
      await send(`${path}/${id}`, { ...sent(at.third, at.second), undo: 'yes' });
      expect(await here()).toMatch(/^3 days here/);
    });

    test('who moves it to its old stage by hand begins anew, and so does a program', async () => {
      const { daysAgo, firm, send, sent, move, here, path, id, first, second } = await ready(kind);
      await daysAgo(2);
      await move(first, second);
      await move(second, first);
      expect(await here()).toMatch(/^2 days here/);
      await daysAgo(1);
      await send(`${path}/${id}`, sent(first, second));
      await send(`${path}/${id}`, sent(second, first));
      expect(await here()).toMatch(/^1 day here/);
      await daysAgo(0);
      for (const stage of [second, first]) {
        const { status } = await firm.owner.patch(`/v1${path}/${id}`, { [kind.field]: stage });
        expect(status).toBe(200);
      }
      expect(await here()).toMatch(anew);
    });

    for (const [what, act] of [
      [
        'of somebody else',
        async ({ move, undo, first, second }) => {
          await move(first, second, attorney);
          await undo(second, first);
        },
      ],
      [
        'that was not the last',
        async ({ move, undo, first, second, third }) => {
          await move(first, second);
          await move(second, third, attorney);
          await move(third, second, attorney);
          await undo(second, first);
        },
      ],
      [
        'of the day before yesterday',
        async ({ daysAgo, move, undo, first, second }) => {
          await daysAgo(2);
          await move(first, second);
          await daysAgo(0);
          await undo(second, first);
        },
      ],
      [
        'from another stage',
        async ({ move, undo, first, second, third }) => {
          await move(first, third);
          await undo(third, second);
        },
      ],
      [
        'of a program',
        async ({ firm, path, id, undo, first, second }) => {
          await firm.owner.patch(`/v1${path}/${id}`, { [kind.field]: second });
          await undo(second, first);
        },
      ],
    ] satisfies [string, (at: Ready) => Promise<void>][]) {
      test(`takes back no move ${what}`, async () => {
        const at = await ready(kind);
        await act(at);
        expect(await at.here()).toMatch(anew);
      });
    }

    test('that is taken back itself is a move, and forgets none before it', async () => {
      const { daysAgo, move, undo, here, first, second } = await ready(kind);
      await daysAgo(4);
      await move(first, second);
      await daysAgo(2);
      await move(second, first);
      await undo(first, second);
      expect(await here()).toMatch(/^4 days here/);
      // Were the move of four days ago forgotten now, it would be in its first stage for eight days.
      await daysAgo(0.5);
      await undo(second, first);
      expect(await here()).toMatch(/^12 hours here/);
      await daysAgo(0);
      await undo(first, second);
      expect(await here()).toMatch(/^4 days here/);
    });

    test('of several gives it back to each', async () => {
      const { firm, daysAgo, make, send, path, id, second, get } = await ready(kind);
      await daysAgo(5);
      const ids = [id, await make()];
      await daysAgo(0);
      await send(`${path}?view=list`, { do: `all-move:${second}`, id: ids });
      const [bulk] = await sql`select id from bulk_change where firm_id = ${firm.id}`;
      await send(`/bulk/${bulk?.id}/undo`, {});
      expect(textsIn((await get(path)).text, '.card .ends > span')).toEqual([
        expect.stringMatching(/^5 days here/),
        expect.stringMatching(/^8 days here/),
      ]);
    });
  });
}

test('a stage from which Undo took a lead back was not reached, in the report and in its list', async () => {
  const { move, undo, get, first, second } = await ready(kinds[0] as Kind);
  const reached = async () => {
    const { text } = await get('/reports/intake?period=own&from=2026-01-01&to=2099-12-31');
    const figure = figuresIn(text).find(({ href }) => href.includes(`reached=${second}`));
    const list = await get(`/leads?view=list&status=all&reached=${second}`);
    return [figure?.count ?? 0, totalIn(list.text)];
  };
  await move(first, second);
  expect(await reached()).toEqual([1, 1]);
  await undo(second, first);
  expect(await reached()).toEqual([0, 0]);
  // Moved back by hand, it has reached what it left.
  await move(first, second);
  await move(second, first);
  expect(await reached()).toEqual([1, 1]);
});
