import { expect, test } from 'bun:test';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
import { stagesIn, textIn } from '../support/html.ts';
import { type Visitor, visitorOf } from '../support/visitor.ts';

const server = await startTestServer();

const newFirm = async () => {
  const firm = await makeFirm(server);
  const make = async (lastName: string, more: object = {}) => {
    const made = await firm.owner.post('/v1/leads', { lastName, ...more });
    expect(made.status).toBe(201);
    return made.body.data.id as string;
  };
  const stageOf = async (id: string) =>
    (await firm.owner.get(`/v1/leads/${id}`)).body.data.leadStageColumnId;
  return { firm, make, stageOf };
};

const { firm, make, stageOf } = await newFirm();
const [New = '', Contacted = ''] = [firm.leadStages.New, firm.leadStages.Contacted];
const ben = await visitorOf(server, firm, attorney);

const move = (visitor: Visitor, id: string, to: string) =>
  visitor.post('/leads', {
    do: `move:${id}`,
    leadStageColumnId: to,
    'was.leadStageColumnId': New,
  });

test('a board has exact counts, and each sees only what they may', async () => {
  const own = await newFirm();
  await own.make('Public');
  await own.make('Hidden', { isPrivate: true });
  const [all, some] = await Promise.all([
    visitorOf(server, own.firm, owner).then((visitor) => visitor.get('/leads')),
    visitorOf(server, own.firm, attorney).then((visitor) => visitor.get('/leads')),
  ]);
  expect(stagesIn(all.text).New).toEqual({ count: 2, cards: ['Hidden', 'Public'] });
  expect(stagesIn(some.text).New).toEqual({ count: 1, cards: ['Public'] });
  expect(some.text).not.toContain('Hidden');
  expect(some.text).toContain('Active<span> 1</span>');
  const none = await (await visitorOf(server, own.firm, bookkeeper)).get('/leads');
  expect(none.status).toBe(403);
  expect(none.text).not.toContain('Public');
});

test('a board is filtered by area and by who is assigned', async () => {
  const own = await newFirm();
  const visitor = await visitorOf(server, own.firm, attorney);
  const family = own.firm.practiceAreas.Family?.id ?? '';
  await own.make('Divorce', { practiceAreaId: family });
  const mine = await own.make('Mine');
  await visitor.post('/leads', {
    do: `assign:${mine}`,
    assigneeIds: own.firm.members[attorney] ?? '',
  });
  const shown = async (query: string) =>
    stagesIn((await visitor.get(`/leads?${query}`)).text).New?.cards;
  expect(await shown(`area=${family}`)).toEqual(['Divorce']);
  expect(await shown('assignee=me')).toEqual(['Mine']);
  expect(await shown('assignee=none')).toEqual(['Divorce']);
  expect(await shown(`assignee=${own.firm.members[owner]}`)).toEqual([]);
  // Nothing that matches is not nothing.
  const emptyAt = async (path: string, by = visitor) => textIn((await by.get(path)).text, '.empty');
  const other = await visitorOf(server, (await newFirm()).firm, attorney);
  const noneOf = `/leads?assignee=${own.firm.members[owner]}`;
  expect(await emptyAt(noneOf)).toBe('No active leads match these filters.Show all');
  expect(await emptyAt('/leads', other)).toBe('No active leads.New lead');
  expect(await shown("area=nonsense'&assignee=%00")).toEqual(['Mine', 'Divorce']);
});

test('a lead that is hidden is not moved', async () => {
  const hidden = await make('Hidden', { isPrivate: true });
  expect((await move(ben, hidden, Contacted)).status).toBe(404);
  expect(await stageOf(hidden)).toBe(New);
});

test('a lead is assigned to active members of the firm only', async () => {
  const id = await make('Assigned');
  const other = await newFirm();
  const assign = (assigneeIds: string[]) => ben.post('/leads', { do: `assign:${id}`, assigneeIds });
  expect((await assign([firm.members[owner] ?? '', firm.members[attorney] ?? ''])).status).toBe(
    303,
  );
  const shown = (await ben.get('/leads')).text;
  expect(shown).toMatch(/Assign Assigned\. Now: .*?Ada Harrow.*?Ben Lane/s);
  expect((await assign([other.firm.members[owner] ?? ''])).status).toBe(422);
  expect((await assign(['nobody'])).status).toBe(422);
  expect((await ben.get('/leads')).text).toMatch(
    /Assign Assigned\. Now: .*?Ada Harrow.*?Ben Lane/s,
  );
});

test('a name is inert in the dialog that assigns', async () => {
  const id = await make(`</script><img src=x onerror=alert(1)>"'<!--`);
  const { status, text } = await ben.get(`/leads?do=assign:${id}`);
  expect(status).toBe(200);
  expect(text).not.toContain('<img');
  expect(text).toContain('&lt;img src=x onerror=alert(1)>');
});
