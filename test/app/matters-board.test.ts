import { expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();
const firm = await makeFirm(server);
const family = firm.practiceAreas.Family;
const [Intake = '', Filed = ''] = [family?.stages.Intake, family?.stages.Filed];
const [ada, ben] = [await visitorOf(server, firm, owner), await visitorOf(server, firm, attorney)];

const make = async (title: string, more: object = {}) => {
  const sent = { practiceAreaId: family?.id, openDate: '2026-03-03', title, ...more };
  return (await firm.owner.post('/v1/matters', sent)).body.data.id as string;
};
const stageOf = async (id: string) =>
  (await firm.owner.get(`/v1/matters/${id}`)).body.data.stage.name as string;

/** What a board shows of a stage: its count, and its cards by title. */
const stagesIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<section class="stage[^"]*" aria-label="([^"]+)".*?<\/section>/gs)].map(
      ([text, name]) => [
        name,
        {
          count: Number(/data-count[^>]*>([\d,]+)</.exec(text)?.[1]),
          cards: [...text.matchAll(/<a href="\/matters\/[^"]+" draggable[^>]*>([^<]+)</g)].map(
            ([, card]) => card,
          ),
        },
      ],
    ),
  );

const move = (visitor: Visitor, id: string, to: string, was = Intake) =>
  visitor.post('/matters', {
    do: `move:${id}`,
    practiceAreaStageColumnId: to,
    'was.practiceAreaStageColumnId': was,
  });

test('each practice area has a board; a card is moved, once, and the way is kept', async () => {
  const estates = firm.practiceAreas.Estates?.id ?? '';
  const id = await make('Moved', { team: [{ memberId: firm.members[attorney] }] });
  await make('Will', { practiceAreaId: estates });
  await make('Drafted', { status: 'DRAFT' });
  const board = (await ben.get('/matters')).text;
  expect(stagesIn(board)).toEqual({
    Intake: { count: 1, cards: ['Moved'] },
    Filed: { count: 0, cards: [] },
  });
  expect(stagesIn((await ben.get(`/matters?area=${estates}`)).text)).toEqual({
    Intake: { count: 1, cards: ['Will'] },
  });
  expect(stagesIn((await ben.get('/matters?responsible=me')).text).Intake?.count).toBe(1);
  expect(stagesIn((await ada.get('/matters?responsible=me')).text).Intake?.count).toBe(0);
  expect((await move(ben, id, Filed)).location).toBe('/matters');
  expect(await stageOf(id)).toBe('Filed');
  // A phone shows one stage at a time: first one that has cards.
  const shown = /class="stage shown" aria-label="([^"]+)"/;
  expect(shown.exec((await ben.get('/matters')).text)?.[1]).toBe('Filed');
  expect(shown.exec((await ben.get(`/matters?stage=${Intake}`)).text)?.[1]).toBe('Intake');
  expect((await ben.get(`/matters/${id}`)).text).toContain('moved it from Intake to Filed');
});

test('who moves what another moved is told who did and where to, and chooses', async () => {
  const id = await make('Overtaken');
  const third = (
    await firm.reapply({
      practiceAreas: [
        { name: 'Family', stages: ['Intake', 'Filed', 'Third'], matterTypes: ['Divorce'] },
        { name: 'Estates', stages: ['Intake'] },
      ],
    })
  ).practiceAreas.Family?.stages.Third as string;
  await ada.post(`/matters/${id}`, { practiceAreaStageColumnId: Filed });
  const answer = await move(ben, id, third);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('Overtaken was moved in the meantime');
  expect(answer.text).toMatch(/Ada Harrow.*moved this matter to.*Filed.*You wanted it in.*Third/s);
  expect(await stageOf(id)).toBe('Filed');
  expect((await move(ben, id, third, Filed)).status).toBe(303);
  expect(await stageOf(id)).toBe('Third');
});

test('a move without right, of what is foreign, or to nowhere changes nothing', async () => {
  const id = await make('Still');
  const clerk = await visitorOf(server, firm, bookkeeper);
  expect((await move(clerk, id, Filed)).status).toBe(403);
  const elsewhere = await makeFirm(server);
  const alien = await visitorOf(server, elsewhere, owner);
  const [foreign, unknown] = [
    await move(alien, id, Filed),
    await move(alien, crypto.randomUUID(), Filed),
  ];
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  const [theirs = ''] = Object.values(elsewhere.practiceAreas.Family?.stages ?? {});
  for (const nowhere of [theirs, crypto.randomUUID(), "'"]) {
    expect((await move(ben, id, nowhere)).status).toBe(422);
  }
  expect(await stageOf(id)).toBe('Intake');
});
