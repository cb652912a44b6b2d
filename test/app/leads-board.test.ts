import { expect, test } from 'bun:test';
import { connect } from '../support/database.ts';
import { attorney, bookkeeper, makeFirm, owner, startTestServer } from '../support/firm.ts';
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

/** What a board shows of a stage: its count, and its cards by name. */
const stagesIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<section class="stage[^"]*" aria-label="([^"]+)".*?<\/section>/gs)].map(
      ([text, name]) => [
        name,
        {
          count: Number(/data-count[^>]*>([\d,]+)</.exec(text)?.[1]?.replace(',', '')),
          cards: [...text.matchAll(/<a href="\/leads\/[^"]+" draggable[^>]*>([^<]+)</g)].map(
            ([, card]) => card,
          ),
        },
      ],
    ),
  );

const move = (visitor: Visitor, id: string, to: string, was = New, headers = {}) =>
  visitor.post(
    '/leads',
    { do: `move:${id}`, leadStageColumnId: to, 'was.leadStageColumnId': was },
    headers,
  );

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
  expect(await shown("area=nonsense'&assignee=%00")).toEqual(['Mine', 'Divorce']);
});

test('a stage shows fifty cards, and fifty more when asked', async () => {
  const own = await newFirm();
  for (let made = 0; made < 53; made += 1) await own.make(`Lead ${made}`);
  const visitor = await visitorOf(server, own.firm, attorney);
  const page = (await visitor.get('/leads')).text;
  expect(stagesIn(page).New?.count).toBe(53);
  expect(stagesIn(page).New?.cards.length).toBe(50);
  expect(page).toContain('3 more');
  const more = /href="([^"]+)" data-more/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const further = (await visitor.get(more)).text;
  expect(stagesIn(further).New?.cards.length).toBe(53);
  expect(further).not.toContain('data-more');
});

test('a stage of more than a thousand leads shows fifty, counts all, and opens as a list', async () => {
  const own = await newFirm();
  const first = await own.make('Many');
  const sql = connect(server.databaseUrl);
  await sql`insert into lead
    select (jsonb_populate_record(null::lead, to_jsonb(lead) || jsonb_build_object(
      'id', gen_random_uuid(), 'ordinal', ordinal + further, 'number', 'L-X' || further))).*
    from lead, generate_series(1, 1001) as further
    where firm_id = ${own.firm.id} and lead.id = ${first}`;
  const visitor = await visitorOf(server, own.firm, attorney);
  const page = (await visitor.get('/leads')).text;
  expect(stagesIn(page).New?.count).toBe(1002);
  expect(stagesIn(page).New?.cards.length).toBe(50);
  const link = /href="([^"]+)">Open as list/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await visitor.get(link)).text.replaceAll(/<[^>]+>/g, '')).toContain('1–50 of 1,002');
});

test('a card is moved, once, and the audit log says by whom', async () => {
  const id = await make('Moved');
  const answer = await move(ben, id, Contacted);
  expect([answer.status, answer.location]).toEqual([303, '/leads']);
  expect(await stageOf(id)).toBe(Contacted);
  expect(stagesIn((await ben.get('/leads')).text).Contacted?.cards).toContain('Moved');
});

test('who moves a lead that another has moved is told who did and where to; nothing changes', async () => {
  const id = await make('Overtaken');
  await firm.owner.patch(`/v1/leads/${id}`, { leadStageColumnId: Contacted });
  const third = (await firm.reapply({ leadStages: ['New', 'Contacted', 'Third'] })).leadStages
    .Third as string;
  const answer = await move(ben, id, third);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('Overtaken was moved in the meantime');
  expect(answer.text).toMatch(
    /Ada Harrow.*moved this lead to.*Contacted.*You wanted it in.*Third/s,
  );
  expect(await stageOf(id)).toBe(Contacted);
  expect((await move(ben, id, third, Contacted)).status).toBe(303);
  expect(await stageOf(id)).toBe(third);
});

test('a move without right, from elsewhere, of what is hidden or foreign, or to nowhere changes nothing', async () => {
  const [id, hidden] = [await make('Kept'), await make('Hidden', { isPrivate: true })];
  const other = await newFirm();
  const foreign = await other.make('Foreign');
  const clerk = await visitorOf(server, firm, bookkeeper);
  expect((await move(clerk, id, Contacted)).status).toBe(403);
  expect((await move(ben, id, Contacted, New, { 'sec-fetch-site': 'cross-site' })).status).toBe(
    403,
  );
  const unknown = Bun.randomUUIDv7();
  const answers = await Promise.all(
    [hidden, foreign, unknown].map((one) => move(ben, one, Contacted)),
  );
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect((await move(ben, id, other.firm.leadStages.Contacted ?? '')).status).toBe(422);
  expect((await move(ben, id, 'nowhere')).status).toBe(422);
  expect((await ben.post('/leads', { do: 'burn', id })).status).toBe(422);
  expect(await stageOf(id)).toBe(New);
  expect(await stageOf(hidden)).toBe(New);
  expect((await other.firm.owner.get(`/v1/leads/${foreign}`)).body.data.leadStageColumnId).toBe(
    other.firm.leadStages.New,
  );
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

test('a name is inert in the board and in the dialogs about it', async () => {
  const hostile = `</script><img src=x onerror=alert(1)>"'<!--`;
  const id = await make(hostile);
  for (const path of ['/leads', `/leads?do=move:${id}`, `/leads?do=assign:${id}`]) {
    const { status, text } = await ben.get(path);
    expect(status).toBe(200);
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x onerror=alert(1)>');
  }
});
