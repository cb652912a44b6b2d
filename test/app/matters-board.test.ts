import { expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { attributeIn, stagesIn } from '../support/html.ts';
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
  const shown = async (path: string) =>
    attributeIn((await ben.get(path)).text, '.stage.shown', 'aria-label');
  expect(await shown('/matters')).toBe('Filed');
  expect(await shown(`/matters?stage=${Intake}`)).toBe('Intake');
  expect((await ben.get(`/matters/${id}`)).text).toContain('moved the matter from Intake to Filed');
});
