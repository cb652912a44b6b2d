/**
 * A list of more matters than are counted for a filter: each order and each filter shows the pages
 * that reading all matters gives. Each filter is shown in some orders, with WHOLE=1 in all.
 */

import { beforeAll, expect, test } from 'bun:test';
import { matterSorts } from '../../../src/matters/order.ts';
import { connect } from '../../support/database.ts';
import { attorney, makeFirm, owner, startTestServer } from '../../support/firm.ts';
import { namesIn, textIn, textsIn } from '../../support/html.ts';
import { type Visitor, visitorOf } from '../../support/visitor.ts';
import { partOf, shareOf } from '../../support/whole.ts';

const server = await startTestServer();
const sql = connect(server.databaseUrl);

const many = 3_000;
const counted = 2_500;

type Row = Record<string, unknown> & { ordinal: number; title: string; status: string };

let firm: Awaited<ReturnType<typeof makeFirm>>;
let ada: Visitor;
let rows: Row[];
let ids: Record<
  'family' | 'estates' | 'intake' | 'filed' | 'divorce' | 'court' | 'hearing',
  string
>;

beforeAll(async () => {
  firm = await makeFirm(server, {
    customFields: [
      { on: 'matter', name: 'Court', type: 'SELECT', options: ['High', 'County'] },
      { on: 'matter', name: 'Hearing', type: 'DATE' },
    ],
  });
  const { Family, Estates } = firm.practiceAreas;
  const { Court, Hearing } = firm.customFields.matter;
  ids = {
    family: Family?.id ?? '',
    estates: Estates?.id ?? '',
    intake: Family?.stages.Intake ?? '',
    filed: Family?.stages.Filed ?? '',
    divorce: Family?.matterTypes.Divorce ?? '',
    court: Court ?? '',
    hearing: Hearing ?? '',
  };
  ada = await visitorOf(server, firm, owner);
  const client = (await firm.owner.post('/v1/contacts', { lastName: 'Quill' })).body.data.id;
  // Of each twenty matters, one is rare in everything.
  await sql`
    insert into matter (firm_id, id, ordinal, number, title, status, open_date, close_date, sol_date,
      limitation_met_on, practice_area_id, stage_id, matter_type_id, custom_fields, findable_by,
      times_archived, created_at, updated_at)
    select ${firm.id}, gen_random_uuid(), n, 'N-' || n, 'T' || md5(n::text),
      case when n % 20 = 3 then 'DRAFT' when n % 5 = 1 then 'ARCHIVE' else 'ACTIVE' end,
      date '2020-01-01' + n % 700,
      case when n % 20 = 4 then null else date '2024-01-01' + n % 90 end,
      case when n % 20 = 5 then null else date '2027-01-01' + n % 300 end,
      case when n % 20 = 6 then date '2026-01-01' end,
      case when n % 20 = 7 then ${ids.estates}::uuid else ${ids.family}::uuid end,
      case when n % 20 = 7 then ${Estates?.stages.Intake ?? ''}::uuid
        when n % 20 = 8 then ${ids.filed}::uuid else ${ids.intake}::uuid end,
      case when n % 20 in (7, 9) then null else ${ids.divorce}::uuid end,
      jsonb_build_object(${ids.court}::text, case when n % 20 = 10 then 'County' else 'High' end,
        ${ids.hearing}::text, (date '2025-11-20' + n % 60)::text),
      case when n % 20 = 11 then ' lease |' else ' rent |' end, 0, now(), now()
    from generate_series(1, ${many}) n`;
  await sql`update register set live = ${many}, last_ordinal = ${many}
    where firm_id = ${firm.id} and kind = 'matter'`;
  await sql`
    insert into matter_team (firm_id, matter_id, position, member_id, role, allocation)
    select firm_id, id, 0, case when ordinal % 20 = 12 then ${firm.members[attorney] ?? ''}::uuid
        else ${firm.members[owner] ?? ''}::uuid end,
      case when ordinal % 20 = 14 then 'RESPONSIBLE_STAFF' else 'RESPONSIBLE_ATTORNEY' end, 0
    from matter where firm_id = ${firm.id} and ordinal % 20 <> 13`;
  await sql`
    insert into matter_team (firm_id, matter_id, position, member_id, role, allocation)
    select firm_id, id, 1, ${firm.members[attorney] ?? ''}::uuid, 'RESPONSIBLE_ATTORNEY', 0
    from matter where firm_id = ${firm.id} and ordinal % 20 = 15`;
  await sql`
    insert into matter_client (firm_id, matter_id, position, contact_id, is_primary, is_bill_recipient)
    select firm_id, id, 0, ${client}, true, true from matter
    where firm_id = ${firm.id} and ordinal % 20 = 16`;
  rows = await sql<Row[]>`
    select ordinal::int as ordinal, ordinal::int as number, ordinal::int as created, title, client_name as clients,
      case when matter.practice_area_id = ${ids.family} then 'family' else 'estates' end as area,
      (select lower(name) from stage where stage.firm_id = matter.firm_id and stage.id = stage_id) as stage,
      case when matter_type_id is not null then 'divorce' end as type,
      (select lower(name) from member where member.firm_id = matter.firm_id and member.id = first_attorney_id)
        as responsible,
      sol_date::text as limitation, open_date::text as opened, close_date::text as closed, status
    from matter where firm_id = ${firm.id}`;
});

const is =
  (...rest: number[]) =>
  ({ ordinal }: Row) =>
    rest.includes(ordinal % 20);
const not =
  (...rest: number[]) =>
  ({ ordinal }: Row) =>
    !rest.includes(ordinal % 20);

/** Each filter, as an address has it, and what passes. */
const filters = (): Record<string, (row: Row) => boolean> => ({
  '': () => true,
  [`area=${ids.family}`]: not(7),
  [`area=${ids.estates}`]: is(7),
  [`stage=${ids.intake}`]: not(7, 8),
  [`area=${ids.family}&stage=${ids.filed}`]: is(8),
  [`type=${ids.divorce}`]: not(7, 9),
  'type=none': is(7, 9),
  'area=none': () => false,
  [`responsible=${firm.members[owner]}`]: not(12, 13, 14),
  [`responsible=${firm.members[attorney]}`]: is(12, 15),
  'responsible=none': is(13, 14),
  [`member=${firm.members[owner]}`]: not(12, 13),
  [`member=${firm.members[attorney]}`]: is(12, 15),
  [`member=${firm.members[owner]}&role=RESPONSIBLE_ATTORNEY`]: not(12, 13, 14),
  [`member=${firm.members[owner]}&role=RESPONSIBLE_STAFF`]: is(14),
  [`responsible=${firm.members[owner]}&member=${firm.members[attorney]}`]: is(15),
  'member=none': is(13),
  'member=none&role=ORIGINATING_ATTORNEY': is(13, 14),
  'limitation=none': is(5),
  'limitation=open': not(5, 6),
  'limitation=met': is(6),
  'limitationFrom=2027-01-02': (row) =>
    row.limitation !== null && `${row.limitation}` >= '2027-01-02',
  'limitationFrom=2027-01-02&limitationTo=2027-01-03': (row) =>
    ['2027-01-02', '2027-01-03'].includes(`${row.limitation}`),
  'openedFrom=2020-01-03': (row) => `${row.opened}` >= '2020-01-03',
  'closedTo=2024-03-20': (row) => row.closed !== null && `${row.closed}` <= '2024-03-20',
  'q=rent': not(11),
  'q=lease': is(11),
  [`q=rent&area=${ids.family}`]: not(7, 11),
  [`q=rent&responsible=${firm.members[attorney]}`]: is(12, 15),
  [`field.${ids.court}=High`]: not(10),
  [`field.${ids.court}=County`]: is(10),
  [`field.${ids.court}=Nowhere`]: () => false,
  [`field.${ids.hearing}.from=2025-11-22`]: ({ ordinal }) => ordinal % 60 >= 2,
  [`field.${ids.hearing}.from=2025-11-30&field.${ids.hearing}.to=2026-01-01`]: ({ ordinal }) =>
    ordinal % 60 >= 10 && ordinal % 60 <= 42,
  [`field.${ids.court}=County&field.${ids.hearing}.to=2025-12-01`]: ({ ordinal }) =>
    ordinal % 20 === 10 && ordinal % 60 <= 11,
});

const inOrder = (passing: Row[], by: string, isDown: boolean) =>
  passing.toSorted((one, other) => {
    const [a, b] = [one[by] as string | number | null, other[by] as string | number | null];
    const way = isDown ? -1 : 1;
    if (a === b) return other.ordinal - one.ordinal;
    if (a === null || b === null) return a === null ? 1 : -1;
    return a < b ? -way : way;
  });

const shown = async (address: string) => {
  const first = await ada.get(address);
  // A busy machine may be asked to come again.
  const { status, text } = first.status === 503 ? await ada.get(address) : first;
  expect([address, status]).toEqual([address, 200]);
  const [, foot = '', total = ''] = /of (more than )?([\d,]+)/.exec(textIn(text, '.foot')) ?? [];
  return {
    titles: namesIn(text),
    isMore: foot !== '',
    total: Number(total.replaceAll(',', '')),
    hasNext: text.includes('rel="next"'),
  };
};

const orders = matterSorts.flatMap((by) => [
  { by, isDown: false },
  { by, isDown: true },
]);
/** A filter in words that are the same in every run: its ids are those of this run's firm. */
const inWords = (filter: string) =>
  Object.entries({ ...ids, ...firm.members }).reduce(
    (text, [name, id]) => text.replaceAll(id, name),
    filter,
  );
const statuses = ['ALL', 'ACTIVE', 'DRAFT', 'CURRENT'];

test('of many matters, each filter in each order shows the right page, first, further and last', async () => {
  for (const [filter, passes] of Object.entries(filters())) {
    const named = (order: (typeof orders)[number]) => `${inWords(filter)} ${JSON.stringify(order)}`;
    // The list without a filter is shown in every order; of others each has one order, or a few.
    for (const order of filter === '' ? orders : partOf(orders, 12, named)) {
      const { by, isDown } = order;
      const status = statuses[shareOf(named(order), statuses.length)] ?? '';
      const ofStatus = (row: Row) =>
        status === 'ALL' ||
        row.status === status ||
        (status === 'CURRENT' && row.status !== 'ARCHIVE');
      const found = rows.filter(passes);
      const expected = inOrder(found.filter(ofStatus), by, isDown);
      const last = Math.max(1, Math.ceil(expected.length / 50));
      for (const page of new Set([1, Math.ceil(last / 2), last])) {
        const sort = `${isDown ? '-' : ''}${by}`;
        const address = `/matters?view=list&status=${status}&${filter}&sort=${sort}&page=${page}`;
        const { titles, isMore, total, hasNext } = await shown(address);
        const wanted = expected.slice((page - 1) * 50, page * 50).map(({ title }) => title);
        expect([address, titles]).toEqual([address, wanted]);
        expect([address, hasNext]).toEqual([address, page < last]);
        const isExact = filter === '' || found.length <= counted || page === last;
        if (isExact) expect([address, isMore, total]).toEqual([address, false, expected.length]);
        else if (isMore) expect(total).toBeLessThan(expected.length);
        else expect([address, total]).toEqual([address, expected.length]);
      }
    }
  }
}, 900_000);

test('the tabs of a filter that more pass than are counted say no numbers', async () => {
  const tabsOf = async (query: string) => {
    const { text } = await ada.get(`/matters?view=list&status=ALL&${query}`);
    return textsIn(text, '.tabs a');
  };
  expect(await tabsOf(`area=${ids.family}`)).toEqual(['Active', 'Drafts', 'Archived', 'All']);
  const few = await tabsOf('limitation=met');
  expect(few).toEqual(['Active 0', 'Drafts 0', 'Archived 150', 'All 150']);
});
