import { expect, test } from 'bun:test';
import { attorney, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { partsIn, textIn, totalIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

/** What the tabs above a list count, and the list's own total of all. */
const tabsOf = async (visitor: Visitor, path: string) => {
  const { text } = await visitor.get(`${path}?view=list&status=ALL`);
  const tabs = Object.fromEntries(
    partsIn(text, '.tabs a').map((tab) => {
      const count = textIn(tab, 'span');
      return [tab.text.slice(0, -count.length).trim(), Number(count)];
    }),
  );
  expect(tabs.All).toBe(totalIn(text));
  return tabs;
};

test('the counts of matters follow each status, deletion and restoring', async () => {
  const firm = await makeFirm(server);
  const ada = await visitorOf(server, firm, owner);
  const make = async (status: string) => {
    const practiceAreaId = firm.practiceAreas.Family?.id;
    const sent = { practiceAreaId, openDate: '2026-03-03', title: 'One', status };
    return (await firm.owner.post('/v1/matters', sent)).body.data.id as string;
  };
  const counts = async () => {
    const { Active, Drafts, Archived } = await tabsOf(ada, '/matters');
    return [Active, Drafts, Archived];
  };
  expect(await counts()).toEqual([0, 0, 0]);
  const [active, draft, archived] = [
    await make('ACTIVE'),
    await make('DRAFT'),
    await make('DRAFT'),
  ];
  expect(await counts()).toEqual([1, 2, 0]);
  await firm.owner.patch(`/v1/matters/${archived}`, { status: 'ARCHIVE' });
  expect(await counts()).toEqual([1, 1, 1]);
  await firm.owner.patch(`/v1/matters/${active}`, { status: 'ARCHIVE' });
  expect(await counts()).toEqual([0, 1, 2]);
  await firm.owner.patch(`/v1/matters/${draft}`, { status: 'ACTIVE', title: 'Two' });
  expect(await counts()).toEqual([1, 0, 2]);
  await firm.owner.delete(`/v1/matters/${archived}`);
  await firm.owner.delete(`/v1/matters/${draft}`);
  expect(await counts()).toEqual([0, 0, 1]);
  for (const id of [archived, draft]) await ada.post(`/matters/${id}/restore`);
  expect(await counts()).toEqual([1, 0, 2]);
  expect((await firm.owner.patch(`/v1/matters/${draft}`, { status: 'LOST' })).status).toBe(400);
  expect(await counts()).toEqual([1, 0, 2]);
});

test('the counts of leads follow each status and whether it is private, for those who see it', async () => {
  const firm = await makeFirm(server);
  const [ada, ben] = [
    await visitorOf(server, firm, owner),
    await visitorOf(server, firm, attorney),
  ];
  const make = async (more: object = {}) =>
    (await firm.owner.post('/v1/leads', { lastName: 'Poole', ...more })).body.data.id as string;
  const counts = async (visitor: Visitor) => {
    const tabs = await tabsOf(visitor, '/leads');
    return [tabs.Active, tabs.Drafts, tabs.Hired, tabs['Not hired'], tabs.Archived];
  };
  const both = async () => [await counts(ada), await counts(ben)];
  const archive = (id: string) => ada.post(`/leads/${id}/status`, { status: 'ARCHIVE' });
  const [one, two, hidden] = [await make(), await make(), await make({ isPrivate: true })];
  expect(await both()).toEqual([
    [3, 0, 0, 0, 0],
    [2, 0, 0, 0, 0],
  ]);
  await archive(one);
  await archive(hidden);
  expect(await both()).toEqual([
    [1, 0, 0, 0, 2],
    [1, 0, 0, 0, 1],
  ]);
  // Ben is assigned to the private lead, so that he sees it.
  await ada.post(`/leads/${hidden}/assignees`, { assigneeIds: firm.members[attorney] ?? '' });
  expect(await both()).toEqual([
    [1, 0, 0, 0, 2],
    [1, 0, 0, 0, 2],
  ]);
  await ada.post(`/leads/${hidden}/assignees`, { assigneeIds: firm.members[owner] ?? '' });
  await ada.post(`/leads/${two}`, { isPrivate: 'yes' });
  await firm.owner.delete(`/v1/leads/${one}`);
  expect(await both()).toEqual([
    [1, 0, 0, 0, 1],
    [0, 0, 0, 0, 0],
  ]);
  await ada.post(`/leads/${one}/restore`);
  expect(await both()).toEqual([
    [1, 0, 0, 0, 2],
    [0, 0, 0, 0, 1],
  ]);
});
